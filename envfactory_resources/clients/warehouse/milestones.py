"""The points a write passes, so that a test can stop a process at each of them."""

from collections.abc import Callable
from enum import StrEnum


class Milestone(StrEnum):
    """What has just been done, in the order in which it is done."""

    PAYLOAD_OPENED = "payload_opened"
    PAYLOAD_SYNCED = "payload_synced"
    PAYLOAD_RENAMED = "payload_renamed"
    VERSION_INSERTED = "version_inserted"
    VERSION_COMMITTED = "version_committed"
    SNAPSHOT_BUILT = "snapshot_built"
    SNAPSHOT_REPLACED = "snapshot_replaced"
    VERSIONS_FORGOTTEN = "versions_forgotten"


MilestoneHook = Callable[[Milestone], None]


def pass_by(milestone: Milestone) -> None:
    """Do nothing: the hook of every warehouse outside the tests."""
    del milestone
