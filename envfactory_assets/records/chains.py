"""Rows of sampled chains."""

from typing import Literal

from envfactory_assets.records.record import Part, Record

SamplerName = Literal["topology", "random_walk"]


class Binding(Part):
    """One input of a step that takes an output of an earlier step; steps count from 0."""

    target_step: int
    target_parameter: str
    source_step: int
    source_parameter: str


class ExternalValue(Part):
    """One input of a step that the user says; steps count from 0."""

    step: int
    parameter: str


class SampledChain(Record):
    """An ordered list of tools with parameter bindings but no values; table `sampled_chains`.

    Attributes:
        chain_id: Derived from domain, tools, bindings, externals and turn sizes.
        domain: The domain whose partition holds the chain; its tools may reach into others.
        environment_ids: Every environment that a tool belongs to, in order of name.
        tools: Wire names, in the order of the calls.
        bindings: Which inputs take an earlier tool's output.
        externals: Which inputs the user says. An input in neither list is left out of its call.
        turn_sizes: How many tools each turn asks for; they add up to the number of tools.
        branch_count: How many goals were merged into the chain.
        depth: How many levels of prerequisites stand below the deepest goal.
        seed: What the sample was drawn from.
        sampler: How it was drawn.
        made_by: Which implementation drew it.
    """

    chain_id: str
    domain: str
    environment_ids: tuple[str, ...]
    tools: tuple[str, ...]
    bindings: tuple[Binding, ...]
    externals: tuple[ExternalValue, ...]
    turn_sizes: tuple[int, ...]
    branch_count: int
    depth: int
    seed: int
    sampler: SamplerName
    made_by: str
