import json
import re
from types import SimpleNamespace

import pytest

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.viewing.corpus import Corpus
from envfactory_assets.stages.viewing.writing import page_parts
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario

_DATA = re.compile(r'<script type="application/json" id="([\w-]+)">(.*?)</script>', re.DOTALL)
HOSTILE = (
    "Say </script><script>document.body.remove()</script> <!--<script> <b id=\"bold\">'q'</b> & "
    "\u2028 \U0001f389 מלון זול {{style}} __proto__"
)


PHONE = '''"""A phone."""

import random

from pydantic import Field

from sandboxes.core.clock import Clock
from sandboxes.core.environment import Environment
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World


class PhoneState(State):
    is_on: bool


class Switched(Result):
    is_on: bool = Field(description="Whether it is on")


class Phone(Environment[PhoneState]):
    """A phone in somebody's hand."""

    @tool(effect="write", actor="user")
    def switch_on(self) -> Switched:
        """Switch the phone on."""
        self.state.is_on = True
        return Switched(is_on=True)

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> PhoneState:
        """Draw a phone that is off."""
        return PhoneState(clock=Clock(now=world.now), is_on=False)
'''


@pytest.fixture
def phone(tmp_path):
    """A catalog with one environment, whose only tool is the user's."""
    (tmp_path / "lifestyle").mkdir()
    (tmp_path / "lifestyle" / "phone.py").write_text(PHONE)
    return Catalog.discover([(tmp_path, "shipped")])


@pytest.fixture
def phone_scenario(phone):
    """A scenario of the phone: it is off."""
    return Scenario.draw(phone, ["lifestyle.phone"], 1).model_dump()


@pytest.fixture(scope="session")
def made(whole_pipeline):
    """Eight tasks over three environments, through all stages."""
    return whole_pipeline.run_pipeline(whole_pipeline.all_chains(1), candidates=8)


@pytest.fixture(scope="session")
def corpus(made):
    """What the page shows of them: all in the dataset but the last, which is like the first."""
    rows = sorted(made.filtered, key=lambda row: row.task_id)
    selected = [selected_task(row) for row in rows]
    like = {"kept": False, "drop_reason": "near_duplicate_within_split", "matched": rows[0].task_id}
    selected[-1] = selected[-1].model_copy(update=like)
    return Corpus(
        filtered=made.filtered,
        candidates=made.candidates,
        queries=made.refined,
        drafts=made.drafts,
        selected=selected,
        title="rl_dataset, version 3",
    )


@pytest.fixture(scope="session")
def page(corpus, made):
    """The page of the corpus, and the data in it."""
    text = "".join(page_parts(corpus, made.catalog))
    return SimpleNamespace(text=text, data=data_of(text))


@pytest.fixture(scope="session")
def hostile(corpus, made):
    """The page of the corpus with a first task whose texts try to break out of it."""
    task = corpus.tasks()[0]
    queries = [HOSTILE, *task.filtered.queries[1:]]
    messages = [
        {**message, "content": HOSTILE}
        if message["content"] == task.filtered.queries[0]
        else message
        for message in task.filtered.messages
    ]
    row = task.filtered.model_copy(update={"queries": tuple(queries), "messages": tuple(messages)})
    turn = task.turns[0].model_copy(update={"refined_text": HOSTILE, "persona": HOSTILE})
    broken = Corpus(
        filtered=[row, *(each.filtered for each in corpus.tasks()[1:])],
        candidates=corpus.candidates,
        queries=[turn, *task.turns[1:]],
        title=HOSTILE,
    )
    text = "".join(page_parts(broken, made.catalog))
    return SimpleNamespace(text=text, data=data_of(text), task_id=row.task_id)


def data_of(text):
    """Return the data blocks of a page, by id."""
    return {name: json.loads(block) for name, block in _DATA.findall(text)}


def selected_task(row):
    """Return a task's row in the table of tasks that the datasets hold."""
    return DatasetTask(
        task_id=row.task_id,
        domain=row.domain,
        environment_ids=row.environment_ids,
        split="train",
        kept=True,
        drop_reason=None,
        matched=None,
        similarity=None,
        turns=row.turns,
        steps=1,
        tool_calls=1,
        user_interactions=0,
        tools=(),
        difficulty=row.difficulty,
        made_by=row.made_by,
    )
