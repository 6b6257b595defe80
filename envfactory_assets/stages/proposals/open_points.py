"""What a document leaves open, gathered while it is read and told in a few sentences."""

_SHOWN = 8


class OpenPoints:
    """Topics with the places they concern, in the order in which they were met."""

    def __init__(self) -> None:
        """Start with nothing open."""
        self._places: dict[str, dict[str, None]] = {}

    def add(self, topic: str, place: str = "") -> None:
        """Note a place under a topic; a topic is the beginning of a sentence."""
        places = self._places.setdefault(topic, {})
        if place:
            places[place] = None

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return every topic with each of its places."""
        return tuple(
            (topic, place) for topic, places in self._places.items() for place in places or [""]
        )

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each topic; long lists of places are cut and counted."""
        return tuple(_sentence(topic, list(places)) for topic, places in self._places.items())


def _sentence(topic: str, places: list[str]) -> str:
    if not places:
        return f"{topic}."
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"{topic}: {', '.join(places[:_SHOWN])}{more}."
