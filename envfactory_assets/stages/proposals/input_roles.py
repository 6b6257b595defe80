"""What the name of an input says that it is for, whatever the service."""

from collections.abc import Collection
from typing import Literal

from envfactory_assets.stages.proposals.identifiers import name_words, word_set

Role = Literal["query", "limit", "offset", "paging", "sorting", "presentation"]

_NAMES: dict[Role, frozenset[str]] = {
    "query": word_set(
        "filter_text keyword keywords pattern phrase q query search search_query search_term "
        "search_text term text text_query"
    ),
    "limit": word_set(
        "count first limit max max_count max_items max_records max_results num_results page_limit "
        "page_size per_page results_per_page size take top"
    ),
    "offset": word_set("from_index offset skip start_at start_index"),
    "paging": word_set(
        "after before continuation continuation_token cursor ending_before last_id marker next "
        "next_cursor next_page_token next_token page page_cursor page_number page_token "
        "scroll_id start starting_after"
    ),
    "sorting": word_set(
        "ascending desc descending dir direction order order_by ordering sort sort_ascending "
        "sort_by sort_direction sort_dir sort_field sort_order"
    ),
    "presentation": word_set(
        "accept_language additional_types alt embed expand fields format include include_fields "
        "lang language locale market minimal_output opt_expand opt_fields opt_pretty pretty "
        "projection response_format select user_agent verbose view"
    ),
}
_ROLES: dict[str, Role] = {name: role for role, names in _NAMES.items() for name in names}
_LOWER = ("min", "from", "since", "after", "gte", "ge", "start")
_UPPER = ("max", "to", "until", "before", "lte", "le", "end", "till")
_STAMPS = ("", "_at", "_on", "_date", "_time", "d_at")


def role_of(name: str) -> Role | None:
    """Return what an input is for; None when it says something of the entities."""
    return _ROLES.get("_".join(name_words(name)))


def bound_of(name: str, measured: Collection[str]) -> str | None:
    """Return `min_<field>` or `max_<field>` for an input that bounds one of the measured fields."""
    words = name_words(name)
    if len(words) < 2:
        return None
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        bound = "min" if word in _LOWER else "max" if word in _UPPER else None
        if bound is None:
            continue
        stem = "_".join(rest)
        for ending in _STAMPS:
            if f"{stem}{ending}" in measured:
                return f"{bound}_{stem}{ending}"
    return None
