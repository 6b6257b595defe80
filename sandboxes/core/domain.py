"""The domains that environments are filed under: the partition keys of the asset graph."""

from enum import StrEnum


class Domain(StrEnum):
    """A folder of related environments."""

    OFFICE = "office"
    LIFESTYLE = "lifestyle"
    COMMERCE = "commerce"
    ACADEMIC = "academic"
    UTILITIES = "utilities"
    TRAVEL = "travel"
    FINANCE = "finance"
