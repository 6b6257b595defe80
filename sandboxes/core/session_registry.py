"""Sessions behind handles: a bounded number, one call at a time in each, idle ones evicted."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

from pydantic import JsonValue

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import ScenarioError, SessionClosedError, SessionLimitError
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session

SESSION_LIMIT = 1_000
IDLE_SECONDS = 30 * 60.0
_REMEMBERED = 10_000


class LiveSession:
    """A session that several threads may call at once: its calls happen one after the other."""

    def __init__(self, session: Session) -> None:
        """Guard a session that nobody else calls directly."""
        self._session = session
        self._lock = Lock()

    @property
    def environment_ids(self) -> list[str]:
        """The environments of the session."""
        return self._session.environment_ids

    @property
    def call_count(self) -> int:
        """How many calls were made, refused ones included."""
        return len(self._session.log)

    def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> CallRecord:
        """Run a tool as `Session.call` does, after the calls that came before."""
        with self._lock:
            return self._session.call(tool, arguments)

    def states(self) -> dict[str, dict[str, JsonValue]]:
        """Return the state of every environment as it stands between two calls."""
        with self._lock:
            return self._session.states()

    def close(self) -> dict[str, dict[str, JsonValue]]:
        """End the session and return its end states; calls that still wait are refused."""
        with self._lock:
            return self._session.close()


@dataclass(slots=True)
class _Entry:
    live: LiveSession
    used_at: float


class SessionRegistry:
    """Open sessions by handle; every method may be called from any thread.

    A handle is random, and is all that it takes to use a session. It is never part of a state or a
    record, so chance does no harm there. A session that nobody asked for during `idle_seconds` is
    evicted when the registry is next used; when all places are taken by sessions in use, opening
    one more is refused rather than another taken away.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        seed: int = 0,
        limit: int = SESSION_LIMIT,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with no session.

        Args:
            catalog: The environments that sessions may hold.
            seed: What `draw` draws from when it is given no seed.
            limit: How many sessions may be open at once.
            idle_seconds: How long a session may go without being asked for.
            clock: Seconds that only grow; it decides evictions and reaches no session.
        """
        self.catalog = catalog
        self._seed = seed
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = Lock()
        self._live: OrderedDict[str, _Entry] = OrderedDict()
        self._ended: OrderedDict[str, str] = OrderedDict()

    @property
    def session_count(self) -> int:
        """How many sessions are open."""
        return len(self._live)

    def draw(self, seed: int | None = None) -> Scenario:
        """Draw a scenario of every environment of the catalog."""
        ids = [source.environment_id for source in self.catalog.sources]
        return Scenario.draw(self.catalog, ids, self._seed if seed is None else seed)

    def open(self, scenario: Scenario) -> str:
        """Open a session and return its handle.

        Raises:
            SessionLimitError: If every place is taken by a session in use.
            UnknownEnvironmentError: If the catalog lacks an environment of the scenario.
            ScenarioError: If a state does not fit its environment, or there is none.
        """
        if not scenario.states:
            raise ScenarioError("The scenario holds no state; give one of each environment to use.")
        session = LiveSession(Session.open(scenario, self.catalog))
        handle = secrets.token_hex(16)
        with self._lock:
            self._evict_idle()
            if len(self._live) >= self._limit:
                raise SessionLimitError(
                    f"All {self._limit} sessions are in use; close one, or wait until one has been "
                    f"idle for {_duration(self._idle_seconds)}."
                )
            self._live[handle] = _Entry(session, self._clock())
        return handle

    def find(self, handle: str) -> LiveSession:
        """Return an open session, which counts as using it.

        Raises:
            SessionClosedError: If there is none behind the handle, or no longer.
        """
        with self._lock:
            self._evict_idle()
            entry = self._live.get(handle)
            if entry is None:
                raise self._missing(handle)
            entry.used_at = self._clock()
            self._live.move_to_end(handle)
            return entry.live

    def close(self, handle: str) -> dict[str, dict[str, JsonValue]]:
        """End a session and return the end states of its environments.

        Raises:
            SessionClosedError: If there is none behind the handle, or no longer.
        """
        with self._lock:
            self._evict_idle()
            entry = self._live.pop(handle, None)
            if entry is None:
                raise self._missing(handle)
            self._remember(handle, "was closed")
        return entry.live.close()

    def _evict_idle(self) -> None:
        oldest_allowed = self._clock() - self._idle_seconds
        while self._live:
            handle, entry = next(iter(self._live.items()))
            if entry.used_at >= oldest_allowed:
                return
            del self._live[handle]
            self._remember(handle, f"was idle for {_duration(self._idle_seconds)} and evicted")

    def _remember(self, handle: str, how: str) -> None:
        self._ended[handle] = how
        if len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)

    def _missing(self, handle: str) -> SessionClosedError:
        if handle in self._ended:
            return SessionClosedError(f"Session {handle!r} {self._ended[handle]}; open a new one.")
        return SessionClosedError(f"There is no session {handle[:80]!r}; open one first.")


def _duration(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 120 else f"{seconds:g} seconds"
