"""How chains are drawn."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0, le=1)]


class SamplerSettings(BaseModel):
    """Numbers of the sampler; the published system's values where it states them.

    Attributes:
        chains_per_domain: How many chains to draw.
        attempts_per_chain: Give up after this many attempts for each chain asked for.
        max_depth: Levels of prerequisites below a goal.
        extra_prerequisite_probability: How often a fresh prerequisite is added for an input that
            something earlier, or the user, could already give.
        skip_optional_probability: How often an optional input is left out.
        bind_external_probability: How often an input that a user could say takes the output of a
            tool that is in the chain anyway.
        max_branches: Goals merged into one chain.
        max_environments: Environments in one chain.
        min_tools: Shortest chain.
        max_tools: Longest chain; published: 15.
        cross_domain_probability: How often a chain is started from a cross-domain link, where the
            domain has one.
        max_read_only_share: Largest share of chains that write nothing, where the domain has
            tools that write.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    chains_per_domain: Annotated[int, Field(ge=0)] = 64
    attempts_per_chain: Annotated[int, Field(ge=1)] = 20
    max_depth: Annotated[int, Field(ge=0)] = 3
    extra_prerequisite_probability: Probability = 0.1
    skip_optional_probability: Probability = 0.6
    bind_external_probability: Probability = 0.5
    max_branches: Annotated[int, Field(ge=1)] = 3
    max_environments: Annotated[int, Field(ge=1)] = 3
    min_tools: Annotated[int, Field(ge=1)] = 2
    max_tools: Annotated[int, Field(ge=1)] = 8
    cross_domain_probability: Probability = 0.15
    max_read_only_share: Probability = 0.25
