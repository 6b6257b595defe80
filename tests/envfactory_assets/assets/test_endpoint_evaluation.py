import json
from dataclasses import replace

import pytest

from envfactory_assets.jobs import ENDPOINT_JOB
from envfactory_assets.records.training import EvaluationRow
from envfactory_resources.clients.fake_messages.replies import TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.profiles import ModelEndpoint

SOME = {
    "tasks": {
        "splits": ["train", "validation", "test_chains", "test_environments"],
        "max_tasks": 4,
    },
    "samples": 2,
}


@pytest.fixture
def endpoint(platform):
    """The platform with an endpoint at which a model only ever talks."""
    with FakeMessages([ScriptLine(TextReply("I have done it."), times=None)]) as fake:
        profile = platform.profile.model_copy(
            update={
                "endpoint": ModelEndpoint(model="fake-1", base_url=fake.url),
                "training": {"endpoint": SOME},
            }
        )
        yield replace(platform, profile=profile), fake


def test_a_model_at_an_endpoint_is_evaluated_as_policies_are(endpoint):
    platform, fake = endpoint
    leg = platform.run(ENDPOINT_JOB)

    assert leg.failures == []
    rows = platform.warehouse.read("endpoint_evaluation", EvaluationRow)
    whole = rows[0]
    assert (whole.stage, whole.policy, whole.split) == ("endpoint", "fake-1", "all")
    assert (whole.task_count, whole.attempt_count, whole.sample_count) == (4, 8, 2)
    assert whole.reward == 0.0
    assert {row.slice_by for row in rows} == {"all", "domain", "difficulty", "error_class"}
    assert len(fake.requests) == 8
    attempts = platform.warehouse.root / "exports/endpoint_evaluation/attempts.jsonl"
    lines = [json.loads(line) for line in attempts.read_text(encoding="utf-8").splitlines()]
    assert all(line["error_classes"] for line in lines)

    platform.run(ENDPOINT_JOB)
    assert len(fake.requests) == 8, "nothing changed, so nothing is asked anew"


def test_without_an_endpoint_one_sentence_says_what_to_configure(platform):
    leg = platform.run(ENDPOINT_JOB)

    [message] = leg.failures
    assert "names no endpoint. Add a table [profiles.test.endpoint]" in message


def test_an_unknown_setting_is_named(endpoint):
    platform, _ = endpoint
    wrong = platform.profile.model_copy(update={"training": {"endpoint": {"sample": 3}}})
    leg = replace(platform, profile=wrong).run(ENDPOINT_JOB)

    [message] = leg.failures
    assert "Setting 'sample' of the endpoint's evaluation cannot be used" in message
