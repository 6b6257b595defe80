"""The world of a session: people, cities and organisations that its environments share.

A colleague in the messenger is the colleague on the calendar because both were drawn from one
world.
"""

import random
from typing import Self

from pydantic import BaseModel, ConfigDict

from sandboxes.core.clock import add_days

_FIRST_NAMES = [
    "Amara",
    "Beatriz",
    "Carlos",
    "Dana",
    "Elif",
    "Farid",
    "Greta",
    "Hiro",
    "Ines",
    "Jonas",
    "Katya",
    "Liam",
    "Mei",
    "Nadia",
    "Omar",
    "Priya",
    "Quentin",
    "Rosa",
    "Samir",
    "Tess",
    "Ulrich",
    "Vera",
    "Wanda",
    "Xavier",
    "Yara",
    "Zoltan",
    "Aiko",
    "Bruno",
    "Celine",
    "Diego",
]
_LAST_NAMES = [
    "Adeyemi",
    "Brandt",
    "Castillo",
    "Dvorak",
    "Eriksen",
    "Fontaine",
    "Greco",
    "Hoffman",
    "Ivanova",
    "Jensen",
    "Kowalski",
    "Laurent",
    "Moreau",
    "Nakamura",
    "Okafor",
    "Petrov",
    "Quispe",
    "Rossi",
    "Schmidt",
    "Tanaka",
    "Ueda",
    "Varga",
    "Weiss",
    "Xu",
    "Yilmaz",
    "Zhang",
    "Almeida",
    "Bianchi",
    "Cohen",
    "Demir",
]
_JOBS = (
    "accountant",
    "data analyst",
    "designer",
    "engineer",
    "lawyer",
    "nurse",
    "project manager",
    "recruiter",
    "sales lead",
    "teacher",
)
_CITIES = (
    ("Lisbon", "Portugal", "LIS", "EUR"),
    ("Kyoto", "Japan", "KIX", "JPY"),
    ("Toronto", "Canada", "YYZ", "CAD"),
    ("Nairobi", "Kenya", "NBO", "KES"),
    ("Oslo", "Norway", "OSL", "NOK"),
    ("Lima", "Peru", "LIM", "PEN"),
    ("Vienna", "Austria", "VIE", "EUR"),
    ("Seoul", "South Korea", "ICN", "KRW"),
    ("Dublin", "Ireland", "DUB", "EUR"),
    ("Tunis", "Tunisia", "TUN", "TND"),
    ("Chicago", "United States", "ORD", "USD"),
    ("Prague", "Czechia", "PRG", "CZK"),
)
_ORGANISATIONS = (
    ("Alder & Finch", "consulting"),
    ("Bluewater Logistics", "shipping"),
    ("Cobalt Labs", "software"),
    ("Driftwood Media", "publishing"),
    ("Evergreen Foods", "groceries"),
    ("Foxglove Health", "clinic"),
    ("Granite Builders", "construction"),
    ("Harbor Energy", "utilities"),
)
_EPOCH = "2026-01-05"
_PEOPLE = 8
_CITY_COUNT = 5
_ORGANISATION_COUNT = 4


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Person(_Fact):
    """Somebody of the world; environments know people by e-mail address."""

    name: str
    email: str
    phone: str
    city: str
    job: str


class City(_Fact):
    """A place, with its airport and currency codes."""

    name: str
    country: str
    airport: str
    currency: str


class Organisation(_Fact):
    """A company or institution."""

    name: str
    industry: str


class World(_Fact):
    """What the environments of one session agree on.

    Attributes:
        user: The person whom the agent serves.
        people: Everybody else, eight of them.
        cities: Five cities; people live in them.
        organisations: Four organisations.
        today: The day on which the session starts, a Monday to Friday.
        now: The moment at which it starts.
    """

    user: Person
    people: tuple[Person, ...]
    cities: tuple[City, ...]
    organisations: tuple[Organisation, ...]
    today: str
    now: str

    @classmethod
    def draw(cls, seed: int) -> Self:
        """Draw a world; the same seed gives the same world."""
        rng = random.Random(f"world:{seed}")
        cities = tuple(
            City(name=name, country=country, airport=airport, currency=currency)
            for name, country, airport, currency in rng.sample(_CITIES, _CITY_COUNT)
        )
        organisations = tuple(
            Organisation(name=name, industry=industry)
            for name, industry in rng.sample(_ORGANISATIONS, _ORGANISATION_COUNT)
        )
        names = zip(
            rng.sample(_FIRST_NAMES, _PEOPLE + 1),
            rng.sample(_LAST_NAMES, _PEOPLE + 1),
            strict=True,
        )
        people = tuple(_person(first, last, cities, rng) for first, last in names)
        today = add_days(_EPOCH, 7 * rng.randrange(50) + rng.randrange(5))
        return cls(
            user=people[0],
            people=people[1:],
            cities=cities,
            organisations=organisations,
            today=today,
            now=f"{today}T{rng.randrange(8, 11):02d}:{rng.choice(('00', '15', '30', '45'))}",
        )


def _person(first: str, last: str, cities: tuple[City, ...], rng: random.Random) -> Person:
    host = rng.choice(("example.com", "example.org", "mail.example"))
    return Person(
        name=f"{first} {last}",
        email=f"{first}.{last}@{host}".lower(),
        phone=f"+1-555-{rng.randrange(1000):03d}-{rng.randrange(10000):04d}",
        city=rng.choice(cities).name,
        job=rng.choice(_JOBS),
    )
