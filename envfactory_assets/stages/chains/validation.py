"""An independent check of chains: it reads rows only and knows nothing of the samplers."""

from collections import defaultdict
from collections.abc import Sequence

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.draft import chain_id
from envfactory_assets.stages.chains.turns import MAX_TURN_SIZE


class ChainChecker:
    """Checks chains against the rows of a tool graph."""

    def __init__(
        self,
        parameters: Sequence[ToolParameter],
        edges: Sequence[ToolGraphEdge],
        links: Sequence[CrossDomainLink] = (),
    ) -> None:
        """Read the rows once, so that many chains can be checked."""
        self._inputs: dict[str, dict[str, ToolParameter]] = defaultdict(dict)
        self._environments: dict[str, str] = {}
        for row in parameters:
            self._environments[row.tool] = row.environment_id
            if row.direction == "input":
                self._inputs[row.tool][row.parameter] = row
        self._feeds = {
            (edge.source_tool, edge.source_parameter, edge.target_tool, edge.target_parameter)
            for edge in (*edges, *links)
            if edge.kept and edge.kind == "feeds"
        }

    def faults(self, chain: SampledChain) -> list[str]:
        """Return everything that is wrong with a chain, in plain sentences; none when valid."""
        unknown = [tool for tool in chain.tools if tool not in self._environments]
        if unknown or not chain.tools:
            return [f"Unknown tools {unknown}." if unknown else "The chain has no tools."]
        return [
            *self._binding_faults(chain),
            *self._external_faults(chain),
            *self._input_faults(chain),
            *_repeat_faults(chain),
            *self._summary_faults(chain),
        ]

    def _binding_faults(self, chain: SampledChain) -> list[str]:
        faults: list[str] = []
        for binding in chain.bindings:
            where = f"Step {binding.target_step}, {binding.target_parameter!r}"
            if not 0 <= binding.source_step < binding.target_step < len(chain.tools):
                faults.append(f"{where} is bound to step {binding.source_step}, not earlier.")
                continue
            source, target = chain.tools[binding.source_step], chain.tools[binding.target_step]
            feed = (source, binding.source_parameter, target, binding.target_parameter)
            if feed not in self._feeds:
                faults.append(
                    f"{where} is bound to {source} {binding.source_parameter!r}: no edge."
                )
        return faults

    def _external_faults(self, chain: SampledChain) -> list[str]:
        faults: list[str] = []
        for value in chain.externals:
            where = f"Step {value.step}, {value.parameter!r}"
            if not 0 <= value.step < len(chain.tools):
                faults.append(f"{where}: there is no such step.")
                continue
            row = self._inputs[chain.tools[value.step]].get(value.parameter)
            if row is None or row.source != "external":
                faults.append(f"{where} is no input that a user can say.")
        return faults

    def _input_faults(self, chain: SampledChain) -> list[str]:
        given = [(item.target_step, item.target_parameter) for item in chain.bindings]
        given += [(value.step, value.parameter) for value in chain.externals]
        faults = [
            f"Step {step}, {path!r} is given {given.count((step, path))} times."
            for step, path in sorted(set(given))
            if given.count((step, path)) > 1
        ]
        for step, tool in enumerate(chain.tools):
            faults += [
                f"Step {step}, {tool} lacks the required {path!r}."
                for path, row in sorted(self._inputs[tool].items())
                if row.required and (step, path) not in given
            ]
        return faults

    def _summary_faults(self, chain: SampledChain) -> list[str]:
        faults: list[str] = []
        environments = tuple(sorted({self._environments[tool] for tool in chain.tools}))
        if chain.environment_ids != environments:
            faults.append(f"Environments are {chain.environment_ids}, not {environments}.")
        is_split = all(1 <= size <= MAX_TURN_SIZE for size in chain.turn_sizes)
        if not is_split or sum(chain.turn_sizes) != len(chain.tools):
            faults.append(f"Turns {chain.turn_sizes} do not split {len(chain.tools)} tools.")
        if chain.depth > _longest_run(chain):
            faults.append(f"Depth {chain.depth} is more than its bindings have.")
        if chain.chain_id != _expected_id(chain):
            faults.append(f"{chain.chain_id} is not the id of its content.")
        return faults


def validate_chain(
    chain: SampledChain,
    parameters: Sequence[ToolParameter],
    edges: Sequence[ToolGraphEdge],
    links: Sequence[CrossDomainLink] = (),
) -> list[str]:
    """Return everything that is wrong with one chain; for many, keep a `ChainChecker`."""
    return ChainChecker(parameters, edges, links).faults(chain)


def _repeat_faults(chain: SampledChain) -> list[str]:
    faults: list[str] = []
    for step, tool in enumerate(chain.tools):
        earlier = {place for place in range(step) if chain.tools[place] == tool}
        sources = {item.source_step for item in chain.bindings if item.target_step == step}
        if earlier and not earlier & sources:
            faults.append(f"Step {step} repeats {tool} and no binding needs it.")
    return faults


def _longest_run(chain: SampledChain) -> int:
    lengths = [0] * len(chain.tools)
    for item in sorted(chain.bindings, key=lambda item: item.target_step):
        if 0 <= item.source_step < item.target_step < len(lengths):
            lengths[item.target_step] = max(
                lengths[item.target_step], lengths[item.source_step] + 1
            )
    return max(lengths)


def _expected_id(chain: SampledChain) -> str:
    bindings = [
        (item.target_step, item.target_parameter, item.source_step, item.source_parameter)
        for item in chain.bindings
    ]
    externals = [(value.step, value.parameter) for value in chain.externals]
    return chain_id(
        chain.domain, chain.tools, sorted(bindings), sorted(externals), chain.turn_sizes
    )
