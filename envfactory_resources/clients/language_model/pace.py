"""The pace at which requests are sent: an endpoint that says `wait` is heard by every thread.

The SDK retries each request by itself. Without a common pace, hundreds of threads would come back
at the same moment, again and again, until their retries are used up.
"""

import threading
import time
from collections.abc import Callable

_FIRST_GAP_SECONDS = 0.02
_SHORTEST_GAP_SECONDS = 0.005
_LONGEST_GAP_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 60.0
_EASING = 0.98


class Pace:
    """Lets requests through at once until the endpoint refuses one for load.

    Then nobody sends before the time that it asked for, and after that one by one, at a distance
    that doubles with every further pause and shrinks a little with every answer. May be shared by
    threads.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start at full speed.

        Args:
            clock: Gives seconds.
            sleep: Waits for some seconds.
        """
        self._clock = clock
        self._sleep = sleep
        self._turnstile = threading.Lock()
        self._lock = threading.Lock()
        self._gap_seconds = 0.0
        self._next_turn = 0.0
        self._slowed_at = float("-inf")

    def wait(self) -> float:
        """Wait for one's turn to send, and return when that is."""
        with self._turnstile:
            while (left := self._next_turn - self._clock()) > 0:
                self._sleep(left)
            with self._lock:
                now = self._clock()
                self._next_turn = max(self._next_turn, now + self._gap_seconds)
                return now

    def slow_down(self, sent_at: float, pause_seconds: float) -> None:
        """Heed a refusal.

        Args:
            sent_at: When the refused request was sent. Those sent before it last slowed down say
                nothing new: they lengthen the pause, not the distance.
            pause_seconds: How long the endpoint asks to wait.
        """
        with self._lock:
            now = self._clock()
            if sent_at > self._slowed_at:
                self._slowed_at = now
                gap = max(2 * self._gap_seconds, _FIRST_GAP_SECONDS)
                self._gap_seconds = min(gap, _LONGEST_GAP_SECONDS)
            pause_seconds = min(pause_seconds, _LONGEST_PAUSE_SECONDS)
            self._next_turn = max(self._next_turn, now + pause_seconds)

    def speed_up(self) -> None:
        """Heed an answer."""
        with self._lock:
            gap = self._gap_seconds * _EASING
            self._gap_seconds = gap if gap >= _SHORTEST_GAP_SECONDS else 0.0
