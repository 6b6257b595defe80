"""Proposed names that no environment can have, and what stands for them.

Documents name things as they like: `import`, `StateCreate`, `json`. Where Python or the classes of
the contract have taken a name, or it is not in snake case, another that holds its words will do.
"""

from collections.abc import Collection
from typing import Literal

from envfactory_assets.stages.attempts.builder.names import field_name, method_names, snake

_LONGEST = 200
_CUT = 24


def declared_name(
    proposed: str, declared: Collection[str], kind: Literal["tool", "field"]
) -> str | None:
    """Return the declared name that stands for a proposed one, None if there is none.

    Args:
        proposed: The name in the proposal.
        declared: The names in the code.
        kind: Whether it is a tool's, or an argument's or a result field's.
    """
    if proposed in declared:
        return proposed
    if _is_usable(proposed, kind):
        # What a field is named where an entity has its name.
        valued = f"{proposed}_value"
        return valued if kind == "field" and valued in declared else None
    plain = snake(proposed, _LONGEST)
    alike = [name for name in declared if _stands_for(name, plain)]
    return min(alike, key=len) if alike else None


def _is_usable(name: str, kind: Literal["tool", "field"]) -> bool:
    if snake(name) != name:
        return False
    if kind == "tool":
        return method_names().claim(name, "_") == name
    return field_name(name, "of") == name


def _stands_for(name: str, plain: str) -> bool:
    is_longer = name == plain or name.startswith(f"{plain}_") or name.endswith(f"_{plain}")
    return is_longer or (len(name) >= _CUT and plain.startswith(name))
