"""How many rewards one core evaluates in a second, and where the time goes.

Run `python benchmarks/reward.py`. A state is two environments of about 8 KB each; every attempt has
states of its own, parsed from text, as a rollout has.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from envfactory_assets.stages.reward.models import Attempt, AttemptedCall, Reference, ReferenceCall
from envfactory_assets.stages.reward.scoring import DEFAULT_SETTINGS, evaluate
from envfactory_assets.stages.reward.state_equality import compare_states
from envfactory_assets.stages.reward.trajectory import match_calls

TARGET_PER_SECOND = 5_000
SECONDS_PER_FIGURE = 0.5
SEARCH = "hotel_booking__search_hotels"
DETAILS = "hotel_booking__get_hotel"
BOOK = "hotel_booking__book_room"
NOTIFY = "messenger__send_message"
GUESTS = ("Ana", "Bo", "Cy", "Di")


def states_after(guests: Sequence[str], text: str | None) -> dict[str, dict[str, JsonValue]]:
    """Return the states of both environments after bookings for some guests and a message."""
    hotels: dict[str, JsonValue] = {
        f"HT-{number}": {
            "name": f"Hotel number {number}",
            "city": "Lisbon" if number % 2 else "Porto",
            "price_per_night": 80 + number,
            "rooms": {"single": 4, "double": 7, "suite": 1},
            "amenities": ["wifi", "pool", "breakfast"],
        }
        for number in range(1, 49)
    }
    messages: list[JsonValue] = [
        {"message_id": f"MS-{number}", "thread_id": f"TH-{number % 9}", "text": "See you there!"}
        for number in range(1, 110)
    ]
    if text is not None:
        messages.append({"message_id": "MS-110", "thread_id": "TH-1", "text": text})
    bookings: dict[str, JsonValue] = {
        f"BK-{number}": {
            "booking_id": f"BK-{number}",
            "hotel_id": "HT-3",
            "guest": guest,
            "nights": 2,
            "status": "confirmed",
        }
        for number, guest in enumerate(guests, start=1)
    }
    clocks = [
        {"now": "2026-03-02T09:00", "counters": counters}
        for counters in ({"BK": len(guests)}, {"MS": len(messages)})
    ]
    states = {
        "travel.hotel_booking": {"clock": clocks[0], "hotels": hotels, "bookings": bookings},
        "lifestyle.messenger": {"clock": clocks[1], "messages": messages},
    }
    return json.loads(json.dumps(states))


def calls_for(guests: Sequence[str], text: str) -> list[tuple[str, dict[str, JsonValue]]]:
    """Return the calls that lead to `states_after`."""
    found: list[tuple[str, dict[str, JsonValue]]] = [
        (SEARCH, {"city": "Lisbon", "stars": 3, "limit": 5}),
        (DETAILS, {"hotel_id": "HT-3"}),
    ]
    found.extend((BOOK, {"hotel_id": "HT-3", "guest": guest, "nights": 2}) for guest in guests)
    found.append((NOTIFY, {"thread_id": "TH-1", "text": text}))
    return found


def reference_for(guests: Sequence[str], text: str) -> Reference:
    """Return a reference of these calls, where searching comes before booking."""
    calls = tuple(
        ReferenceCall(
            tool,
            arguments,
            effect="read" if tool in (SEARCH, DETAILS) else "write",
            after=(0,) if tool in (DETAILS, BOOK) else (),
        )
        for tool, arguments in calls_for(guests, text)
    )
    return Reference(calls, states_after((), None), states_after(guests, text))


def attempt_for(guests: Sequence[str], text: str) -> Attempt:
    """Return an attempt of these calls with one redundant read in front."""
    wanted = [(DETAILS, {"hotel_id": "HT-9"}), *calls_for(guests, text)]
    calls = tuple(
        AttemptedCall(
            tool,
            arguments,
            bound=dict(arguments),
            ok=True,
            effect="read" if tool in (SEARCH, DETAILS) else "write",
        )
        for tool, arguments in wanted
    )
    return Attempt(calls, states_after(guests, text))


def per_second(work: Callable[[], object]) -> float:
    """Return how often a piece of work runs in a second of one core, the best of three."""
    best = 0.0
    for _ in range(3):
        count, started = 0, time.process_time()
        while (elapsed := time.process_time() - started) < SECONDS_PER_FIGURE:
            for _ in range(20):
                work()
            count += 20
        best = max(best, count / elapsed)
    return best


def report(name: str, reference: Reference, attempt: Attempt) -> None:
    """Print the figures of one case."""
    states = compare_states(reference, attempt.end_states, limit=8)
    reward = evaluate(reference, attempt)
    whole = per_second(lambda: evaluate(reference, attempt))
    parts: Mapping[str, Callable[[], object]] = {
        "states": lambda: compare_states(reference, attempt.end_states, limit=8),
        "calls": lambda: match_calls(reference, attempt.calls, states, DEFAULT_SETTINGS),
    }
    micros = {part: 1e6 / per_second(work) for part, work in parts.items()}
    micros["rest"] = 1e6 / whole - sum(micros.values())
    spent = ", ".join(f"{part} {value:.0f}" for part, value in micros.items())
    print(
        f"{name:<34} {whole:>8,.0f}/s  {1e6 / whole:>5.0f} us ({spent})  reward {reward.total:.3f}"
    )


def main() -> None:
    """Print one line a case."""
    told = "Booked: BK-1."
    size = len(json.dumps(states_after((), None))) / 2_000
    print(f"two environments of {size:.1f} KB each; target {TARGET_PER_SECOND:,}/s, one core")
    typical = reference_for(GUESTS[:1], told)
    report("typical: 4 calls, 5 attempted", typical, attempt_for(GUESTS[:1], told))
    report("mismatch: another guest, damage", typical, attempt_for(("Zoe", "Ana"), "Booked."))
    heavy = reference_for(GUESTS, told)
    report("renaming: 4 bookings, other order", heavy, attempt_for(GUESTS[::-1], "Booked: BK-4."))
    twins = reference_for(("Ana",) * 4, told)
    report("renaming: 4 equal bookings", twins, attempt_for(("Ana",) * 4, "Booked: BK-4."))


if __name__ == "__main__":
    main()
