"""Hand-made tasks on the payments environment: small, and right by construction."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.reference import build_reference, reference_json
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session, ToolCall

ENVIRONMENT = "finance.payments"


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.discover().restricted_to([ENVIRONMENT])


@pytest.fixture(scope="session")
def make_task(catalog: Catalog) -> Callable[..., RlTask]:
    def make(
        request: str, calls: Sequence[ToolCall], *, seed: int = 1, disclosures: tuple = ()
    ) -> RlTask:
        scenario = Scenario.draw(catalog, [ENVIRONMENT], seed)
        reference, _ = build_reference(scenario, calls, catalog, TrajectorySettings(), request)
        conversation = Conversation.begin(scenario, catalog, "Mei Okafor", RuleUser())
        conversation.hear(request, ())
        return RlTask(
            row_id=f"task-{seed}-{len(calls)}/0",
            task_id=f"task-{seed}-{len(calls)}",
            domain="finance",
            environment_ids=(ENVIRONMENT,),
            split="train",
            turn=0,
            prompt=tuple(conversation.messages),
            tools=tuple(tool.as_function() for tool in Session.open(scenario, catalog).tools),
            scenario=json.loads(scenario.model_dump_json()),
            reference=reference_json(reference),
            disclosures=disclosures,
            difficulty="easy",
            made_by="test",
        )

    return make


@pytest.fixture(scope="session")
def budget_task(make_task: Callable[..., RlTask]) -> RlTask:
    """Set a budget: one writing call, and the limit is only said when asked."""
    arguments = {"category": "leisure", "monthly_limit": 250.0}
    return make_task(
        "Set my monthly leisure budget.",
        [ToolCall(tool="payments__set_budget", arguments=arguments)],
        disclosures=(
            {
                "step": 0,
                "path": "monthly_limit",
                "topic": "monthly limit",
                "value": 250.0,
                "answer": "The monthly limit should be 250.",
            },
        ),
    )


@pytest.fixture(scope="session")
def tasks(make_task: Callable[..., RlTask]) -> list[RlTask]:
    """Eight tasks of one call."""
    amounts = (10, 20, 30, 40, 50, 60, 70, 80)
    return [
        make_task(
            f"Set my monthly leisure budget to {amount}.",
            [
                ToolCall(
                    tool="payments__set_budget",
                    arguments={"category": "leisure", "monthly_limit": float(amount)},
                )
            ],
            seed=seed,
        )
        for seed, amount in enumerate(amounts)
    ]


@pytest.fixture(scope="session")
def examples(tasks: list[RlTask], catalog: Catalog) -> list[SftExample]:
    """The same tasks solved."""
    return [_solved(task, catalog) for task in tasks]


def _solved(task: RlTask, catalog: Catalog) -> SftExample:
    scenario = Scenario.model_validate(task.scenario)
    conversation = Conversation.begin(scenario, catalog, "Mei Okafor", RuleUser())
    conversation.hear(str(task.prompt[-1]["content"]), ())
    for call in task.reference["calls"]:
        conversation.call(call["tool"], call["arguments"])
    conversation.tell("Done: set budget (category: leisure).")
    return SftExample(
        example_id=task.task_id,
        task_id=task.task_id,
        domain=task.domain,
        environment_ids=task.environment_ids,
        split=task.split,
        messages=tuple(conversation.messages),
        tools=task.tools,
        assistant_turns=2,
        difficulty="easy",
        made_by="test",
    )


@pytest.fixture(scope="session")
def files(
    tasks: list[RlTask], examples: list[SftExample], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with `sft.jsonl` and `rl.jsonl`."""
    folder = tmp_path_factory.mktemp("rows")
    for name, rows in (("sft", examples), ("rl", tasks)):
        lines = "".join(row.model_dump_json() + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder
