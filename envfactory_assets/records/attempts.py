"""Rows of `environment_attempts`: every try at writing an environment, and what came of it."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Part, Record

AttemptOutcome = Literal[
    "accepted",
    "failed_gates",
    "unsupported",
    "malformed_reply",
    "truncated_reply",
    "refused",
    "unreachable",
    "unchanged",
    "budget_spent",
    "faulted",
]


class TokenUsage(Part):
    """What an attempt took of a model: the tokens that its replies took when they were made.

    So a rerun, whose replies come from the cache, shows the same.

    Attributes:
        request_count: How many requests were sent, retries included.
        input_tokens: At full price; those of the prompt cache come on top.
        output_tokens: What the model wrote.
        cache_read_tokens: Input that the endpoint's prompt cache served.
        cache_write_tokens: Input that it was told to keep.
    """

    request_count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def all_input_tokens(self) -> int:
        """Every input token, at whatever price."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


NO_TOKENS = TokenUsage()


class EnvironmentAttempt(Record):
    """One round of writing and testing an environment.

    Attributes:
        attempt_id: `<domain>.<name>#<round>`.
        environment_id: The environment.
        domain: The partition.
        round: Counts from 1.
        origin: Origin of the proposal, which the environment gets.
        outcome: What came of it; `unchanged` when the coder hands in what has failed before,
            `faulted` when something of ours failed.
        reason: Why, in one sentence.
        is_final: Whether no further round follows.
        source: The Python text; empty when there was none.
        source_diff: Unified diff to the round before; empty in the first.
        cases: The declared test cases.
        source_hash: SHA-256 (hex) over source and cases, as the catalog computes it.
        findings: What the gates and the comparison with the proposal found.
        case_verdicts: Cases that the gates contradicted, and what the tester said of each.
        left_out: What of the proposal the coder says it did not build, one sentence each.
        mutation_score: Share of injected faults that the cases catch; None where not measured.
        usage: What coder and tester took of a model.
        made_by: Who wrote the code.
        tested_by: Who wrote the cases.
    """

    attempt_id: str
    environment_id: str
    domain: str
    round: int
    origin: Literal["generated", "imported"]
    outcome: AttemptOutcome
    reason: str
    is_final: bool
    source: str
    source_diff: str
    cases: tuple[JsonObject, ...]
    source_hash: str
    findings: tuple[JsonObject, ...]
    case_verdicts: tuple[JsonObject, ...]
    left_out: tuple[str, ...] = ()
    mutation_score: float | None
    usage: TokenUsage
    made_by: str
    tested_by: str
