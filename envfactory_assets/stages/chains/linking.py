"""Which other domains the chains of a domain may reach into."""

from collections.abc import Sequence

from envfactory_assets.records.tool_graphs import CrossDomainLink


def links_of(links: Sequence[CrossDomainLink], domain: str) -> list[CrossDomainLink]:
    """Return the kept links that start or end in a domain."""
    return [
        link for link in links if link.kept and domain in (link.source_domain, link.target_domain)
    ]


def linked_domains(links: Sequence[CrossDomainLink], domain: str) -> list[str]:
    """Return a domain and those it is linked with, in order of name."""
    own = links_of(links, domain)
    return sorted(
        {domain, *(link.source_domain for link in own), *(link.target_domain for link in own)}
    )
