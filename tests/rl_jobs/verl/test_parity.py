"""One fixed set of transcripts, rolled through both trainers' paths: equal rewards, by component."""

import asyncio
import json

import pytest

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.stages.datasets.exports import verl_row
from envfactory_assets.stages.reward.settings import RewardSettings
from rl_jobs.config import SessionLimits, TinyModel
from rl_jobs.exchange import Exchange, ReadCall, ReadMessage
from rl_jobs.task_session import Place
from rl_jobs.trl.rollouts import roll_out
from rl_jobs.trl.tiny_policy import compact_dialect, train_tokenizer
from rl_jobs.verl.scoring import components, compute_score
from rl_jobs.verl.trajectory import Trajectory, task_of_row
from sandboxes.core.catalog import Catalog

RIGHT = "call payments__set_budget\ncategory: leisure\nmonthly_limit: 250"
WRONG = "call payments__set_budget\ncategory: leisure\nmonthly_limit: 99"
LOOK = "call payments__list_accounts"
TRANSCRIPTS = {
    "right": [RIGHT, "Done."],
    "asks first": ["What is the monthly limit?", RIGHT, "Done."],
    "wrong value": [WRONG, "Done."],
    "does nothing": ["Done."],
    "looks at needless things": [LOOK, LOOK, LOOK, RIGHT],
    "refused call": ["call payments__set_budget\ncategory: leisure", RIGHT, "Done."],
    "unknown tool": ["call payments__fly_away", "Done."],
    "unreadable call": ["call\ncategory: leisure", RIGHT, "Done."],
    "unreadable beside a call": ["call ?\n" + RIGHT, "Done."],
    "never ends": [LOOK] * 9,
}
LIMITS = SessionLimits(max_total_tokens=2048, max_calls=4, max_messages=6)


class Script:
    """A model that writes a transcript, whatever it is shown."""

    training = False
    device = "cpu"

    def __init__(self, dialect, texts):
        self.dialect, self.texts = dialect, list(texts)

    def eval(self):
        return self

    def train(self, mode):
        return self

    def generate(self, input_ids, **settings):
        import torch

        return torch.cat([input_ids, torch.tensor([written(self.dialect, self.texts.pop(0))])], 1)


def written(dialect, text):
    return [*dialect.tokenizer.encode(text, add_special_tokens=False), dialect.end_id]


@pytest.fixture(scope="module")
def dialect():
    shape = TinyModel(vocabulary=400)
    texts = [text for transcript in TRANSCRIPTS.values() for text in transcript]
    return compact_dialect(train_tokenizer(texts, shape), shape)


def through_trl(dialect, task: RlTask, place: Place, texts):
    return roll_out(Script(dialect, texts), dialect, [task], place, temperature=0.0)[0].outcome


def through_verl(dialect, task: RlTask, place: Place, texts):
    """What the agent loop and the reward function do, from the Parquet row on, without verl."""
    row = json.loads(json.dumps(verl_row(task, 0)))
    ground_truth = row["reward_model"]["ground_truth"]
    trajectory = Trajectory.open(task_of_row(row["extra_info"], ground_truth), place)
    thread = dialect.begin(trajectory.task.prompt, trajectory.task.tools)

    async def roll():
        context = list(thread.prompt)
        for text in texts:
            ids = written(dialect, text)
            message = thread.read(ids, context)
            replies = await trajectory.take(message, is_whole=True)
            if not replies:
                return
            context += ids + thread.reply_ids(replies)

    asyncio.run(roll())
    extra_info = {**row["extra_info"], **trajectory.finish()}
    return compute_score(row["data_source"], "", ground_truth, extra_info)


@pytest.mark.parametrize("name", TRANSCRIPTS)
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_both_trainers_reward_a_transcript_alike(
    name: str, alpha: float, dialect, budget_task: RlTask, catalog: Catalog
) -> None:
    place = Place(catalog, LIMITS, RewardSettings(alpha=alpha))
    outcome = through_trl(dialect, budget_task, place, TRANSCRIPTS[name])
    score = through_verl(dialect, budget_task, place, TRANSCRIPTS[name])
    assert outcome.reward is not None
    assert {key: score[key] for key in components(outcome.reward)} == components(outcome.reward)
    assert score["calls"] == outcome.calls
    assert score["format_errors"] == outcome.format_errors


def test_the_transcripts_tell_rewards_apart(dialect, budget_task, catalog) -> None:
    place = Place(catalog, LIMITS)
    totals = {
        name: through_verl(dialect, budget_task, place, texts)["score"]
        for name, texts in TRANSCRIPTS.items()
    }
    assert totals["right"] == totals["asks first"] == totals["refused call"] == 1.0
    assert totals["does nothing"] == totals["wrong value"] == totals["unknown tool"] == 0.0
    assert 0.0 < totals["looks at needless things"] < totals["unreadable call"] < 1.0


def test_a_cut_message_has_no_effect(budget_task: RlTask, catalog: Catalog) -> None:
    exchange = Exchange(Place(catalog).open(budget_task))
    arguments = {"category": "leisure", "monthly_limit": 250.0}
    message = ReadMessage("", (ReadCall("payments__set_budget", arguments),), 0)
    assert exchange.take(message, is_whole=False) == []
    assert exchange.is_cut
    outcome = exchange.session.close()
    assert outcome.calls == 0
    assert outcome.reward is not None
    assert outcome.reward.total == 0.0
