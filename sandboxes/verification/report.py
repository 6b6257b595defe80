"""The outcome of a verification: findings by gate, and how strong the declared cases are."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Gate = Literal["interface", "execution", "results", "state", "parameters"]
Fault = Literal["implementation", "schema", "interface"]
GateOutcome = Literal["passed", "failed", "skipped"]

GATES: tuple[Gate, ...] = ("interface", "execution", "results", "state", "parameters")


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Finding(_Data):
    """One thing that is wrong with an environment.

    Attributes:
        gate: The gate that found it.
        tool: Wire name of the tool at fault; None when it is the environment as a whole.
        fault: Where to mend: the code of the tool, the schema it declares, or what it says of
            itself (descriptions, phrasings, effect, cases).
        call: JSON text of the call that shows it, with the scenario seed and the calls before it;
            None when no call is needed.
        expected: What should be.
        got: What is.
        hint: What to do about it.
    """

    gate: Gate
    tool: str | None
    fault: Fault
    call: str | None
    expected: str
    got: str
    hint: str

    def describe(self) -> str:
        """Return the finding in one line."""
        where = self.tool or "environment"
        shown = f" Call: {self.call}" if self.call else ""
        return (
            f"[{self.gate}] {where} ({self.fault}): expected {self.expected}, "
            f"got {self.got.rstrip('.')}. "
            f"{self.hint}{shown}"
        )


class Survivor(_Data):
    """A fault injected into the code that no declared case noticed.

    Attributes:
        line: Line of the environment's file.
        mutation: What was changed there.
    """

    line: int
    mutation: str


class Report(_Data):
    """How an environment fared, bound to the hash of the source that was verified.

    Attributes:
        environment_id: The environment.
        source_hash: SHA-256 (hex) of its file and cases.
        findings: Everything found, in order of gate.
        outcomes: How each gate ended; a gate is skipped when the file could not be run.
        case_count: How many test cases it declares.
        mutation_score: Share of injected faults that the cases noticed; None when not measured.
        survivors: Injected faults that the cases did not notice, at most ten.
    """

    environment_id: str
    source_hash: str
    findings: tuple[Finding, ...]
    outcomes: dict[Gate, GateOutcome]
    case_count: int
    mutation_score: float | None = None
    survivors: tuple[Survivor, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every gate was run and passed."""
        return all(self.outcomes.get(gate) == "passed" for gate in GATES)

    def describe(self) -> str:
        """Return the report as lines: the gates, then every finding and survivor."""
        score = "" if self.mutation_score is None else f", mutation score {self.mutation_score:.2f}"
        gates = ", ".join(f"{gate} {outcome}" for gate, outcome in self.outcomes.items())
        lines = [f"{self.environment_id}: {gates}; {self.case_count} cases{score}"]
        lines += [f"  {finding.describe()}" for finding in self.findings]
        lines += [f"  survived at line {s.line}: {s.mutation}" for s in self.survivors]
        return "\n".join(lines) + "\n"
