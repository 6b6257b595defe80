"""Rows of `refinement_ablation`: what refinement does to requests, arm by arm."""

from typing import Literal

from envfactory_assets.records.record import Record

Arm = Literal["refined", "unrefined"]


class RefinementMeasure(Record):
    """One measure of one arm, over a domain or all of them.

    Attributes:
        arm: The requests as they were refined, or the same ones as they were drafted.
        domain: A domain, or `all`.
        measure: What was measured.
        task_count: Over how many tasks.
        turn_count: Over how many turns.
        value: The share or the mean.
        low: Lower end of its 95 % interval: Wilson's for shares, bootstrap over tasks for means.
        high: Its upper end.
    """

    arm: Arm
    domain: str
    measure: str
    task_count: int
    turn_count: int
    value: float
    low: float
    high: float
