"""Calendar: events with guests, free time, invitations, meeting rooms, reminders."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import (
    Clock,
    Day,
    Moment,
    add_days,
    add_minutes,
    day_of,
    days_between,
    minutes_between,
)
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import Person, World

EventId = Annotated[str, Identifier("EventId")]
MeetingRoomId = Annotated[str, Identifier("MeetingRoomId")]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]
CityName = Annotated[str, Identifier("CityName", speakable=True)]
Answer = Literal["accepted", "declined", "tentative"]
AnswerStatus = Literal["accepted", "declined", "tentative", "unanswered"]
Participation = Literal["organizer", "accepted", "declined", "tentative", "unanswered"]
EventStatus = Literal["confirmed", "cancelled"]

_MAX_RANGE_DAYS = 31
_A_MONDAY = "2026-01-05"
_SHOWN = {"organizer_email", "reminder_minutes", "status", "cancel_reason"}

Text = Annotated[str, Field(description="Part of the title", examples=["review", "sync"])]
Participant = Annotated[EmailAddress, Field(description="Only events this person takes part in")]
MyResponse = Annotated[Participation, Field(description="Only events with this answer of mine")]
Companion = Annotated[EmailAddress, Field(description="Person who must be free as well")]
AnEvent = Annotated[EventId, Field(description="Id of the event")]
OwnEvent = Annotated[EventId, Field(description="Id of an event that the user organizes")]
Start = Annotated[Moment, Field(description="When it shall begin")]
Minutes = Annotated[int, Field(ge=15, le=240, description="How many minutes it shall last")]
Room = Annotated[MeetingRoomId, Field(description="Id of the meeting room to reserve")]
Title = Annotated[
    str,
    Field(min_length=1, description="What to call the event", examples=["Dentist", "Dry run"]),
]
Guests = Annotated[list[EmailAddress], Field(max_length=6, description="People to invite")]
GuestEmail = Annotated[EmailAddress, Field(description="E-mail address of the guest")]
MyAnswer = Annotated[Answer, Field(description="What the user answers")]
Notice = Annotated[int, Field(ge=5, le=1440, description="Minutes ahead to remind the user")]
Reason = Annotated[
    str,
    Field(description="What to tell the guests", examples=["I am ill", "We settled it by phone"]),
]


class BusyTime(Entity):
    """A time that somebody has blocked for matters the user cannot see."""

    start: Moment
    end: Moment

    def overlaps(self, start: str, end: str) -> bool:
        """Return whether any part of it lies between two moments."""
        return self.start < end and start < self.end


class Colleague(Entity):
    """Somebody of the directory, the user included, with working hours and blocked times."""

    email: EmailAddress
    name: str
    start_hour: int
    end_hour: int
    busy: list[BusyTime]


class MeetingRoom(Entity):
    """A room that one event at a time can take."""

    name: str
    city: CityName
    seats: int


class Event(BusyTime):
    """An event that the user organizes or is invited to; `responses` holds the answers given."""

    title: str
    organizer_email: EmailAddress
    guests: list[EmailAddress]
    responses: dict[str, Answer]
    meeting_room_id: MeetingRoomId | None
    reminder_minutes: int | None = None
    status: EventStatus = "confirmed"
    cancel_reason: str | None = None


class CalendarState(State):
    """The directory, the meeting rooms, and every event of the user."""

    user_email: EmailAddress
    people: list[Colleague]
    meeting_rooms: dict[str, MeetingRoom] = Field(default_factory=dict)
    events: dict[str, Event] = Field(default_factory=dict)


class EventSummary(Result):
    """An event as a list shows it."""

    event_id: EventId = Field(description="Id of the event")
    title: Annotated[str, Label()] = Field(description="What the event is called")
    start: Moment = Field(description="When the event begins")
    end: Moment = Field(description="When the event is over")
    my_response: Participation = Field(description="What the user answered, or that they organize")
    guest_count: int = Field(description="How many people are invited")


class EventList(Result):
    """Events of a range of days."""

    events: list[EventSummary] = Field(description="Events found, earliest first")


class Guest(Result):
    """Somebody who is invited to an event."""

    email: EmailAddress = Field(description="E-mail address of the guest")
    name: Annotated[str, Label()] = Field(description="Full name of the guest")
    response: AnswerStatus = Field(description="What the guest answered so far")
    is_free: bool = Field(description="Whether nothing else takes the guest's time then")


class EventDetails(EventSummary):
    """An event in full."""

    organizer_email: EmailAddress = Field(description="E-mail address of whoever invites")
    organizer_name: str = Field(description="Full name of whoever invites")
    guests: list[Guest] = Field(description="Everybody invited, in order of invitation")
    meeting_room: str | None = Field(description="Name of the reserved room, null without one")
    reminder_minutes: int | None = Field(description="Minutes of notice, null without a reminder")
    status: EventStatus = Field(description="Whether the event takes place")
    cancel_reason: str | None = Field(description="Why it was called off, null if unknown")


class FreeSlot(Result):
    """A stretch of free time."""

    start: Moment = Field(description="When the free time begins")
    end: Moment = Field(description="When the free time is over")
    minutes: int = Field(description="How long the free time lasts")


class FreeSlotList(Result):
    """Free time of one day."""

    slots: list[FreeSlot] = Field(description="Stretches of free time, earliest first")


class MeetingRoomOffer(Result):
    """A room that can be taken."""

    meeting_room_id: MeetingRoomId = Field(description="Id of the meeting room")
    name: Annotated[str, Label()] = Field(description="Name on the door")
    city: CityName = Field(description="City whose office has the room")
    seats: int = Field(description="How many people fit in")


class MeetingRoomList(Result):
    """Meeting rooms that are free."""

    meeting_rooms: list[MeetingRoomOffer] = Field(description="Free rooms, smallest first")
    end: Moment = Field(description="When the room would have to be left again")


class Calendar(Environment[CalendarState]):
    """Keep the user's calendar: find time, plan events with guests, answer invitations."""

    @tool(
        effect="read",
        phrasings=(
            "show my calendar from {first_day} to {last_day}[ with '{text}' in the title]"
            "[ together with {email}][ where my answer is {response}]",
            "look up what I have between {first_day} and {last_day}[ called '{text}']"
            "[ with {email}][, my answer being {response}]",
        ),
    )
    def find_events(
        self,
        first_day: Annotated[Day, Field(description="First day to look at")],
        last_day: Annotated[Day, Field(description="Last day to look at, included")],
        text: Text | None = None,
        email: Participant | None = None,
        response: MyResponse | None = None,
    ) -> EventList:
        """Find events that are not cancelled in a range of days, earliest first."""
        if not 0 <= days_between(first_day, last_day) < _MAX_RANGE_DAYS:
            raise ToolError(f"{first_day} to {last_day} must span 1 to {_MAX_RANGE_DAYS} days.")
        if email is not None:
            self._person(email)
        found = [
            self._summary(event_id, event)
            for event_id, event in self.state.events.items()
            if event.status == "confirmed"
            and first_day <= day_of(event.start) <= last_day
            and (text is None or text.lower() in event.title.lower())
            and (email is None or email in (event.organizer_email, *event.guests))
            and (response is None or self._response(event, self.state.user_email) == response)
        ]
        return EventList(events=sorted(found, key=lambda event: (event.start, event.title)))

    @tool(effect="read", phrasings=("show the details of {event_id}", "show me {event_id}"))
    def get_event(self, event_id: AnEvent) -> EventDetails:
        """Show one event with its guests, their answers, its room and its reminder."""
        return self._details(event_id)

    @tool(
        effect="read",
        phrasings=(
            "find {duration_minutes} free minutes on {day}[ that also suit {email}]",
            "see when I have {duration_minutes} minutes on {day}[ together with {email}]",
        ),
    )
    def find_free_slots(
        self,
        day: Annotated[Day, Field(description="Day to look at")],
        duration_minutes: Minutes,
        email: Companion | None = None,
    ) -> FreeSlotList:
        """Find free time within working hours, Monday to Friday, earliest first."""
        if day < self.clock.today:
            raise ToolError(f"{day} is in the past; today is {self.clock.today}.")
        people = [self._person(who) for who in (self.state.user_email, email) if who is not None]
        if _is_weekend(day):
            return FreeSlotList(slots=[])
        opens = max(_hour(day, max(person.start_hour for person in people)), self.clock.now)
        closes = _hour(day, min(person.end_hour for person in people))
        taken = [time for person in people for time in self._taken_times(person.email)]
        slots: list[FreeSlot] = []
        for time in [
            *sorted(taken, key=lambda time: time.start),
            BusyTime(start=closes, end=closes),
        ]:
            until = min(time.start, closes)
            minutes = minutes_between(opens, until)
            if minutes >= duration_minutes:
                slots.append(FreeSlot(start=opens, end=until, minutes=minutes))
            opens = max(opens, time.end)
        return FreeSlotList(slots=slots)

    @tool(
        effect="read",
        phrasings=(
            "find a meeting room that is free at {start} for {duration_minutes} minutes"
            "[ with {seats} seats][ in {city}]",
        ),
    )
    def find_meeting_rooms(
        self,
        start: Start,
        duration_minutes: Minutes,
        seats: Annotated[int, Field(ge=1, le=12, description="Fewest seats wanted")] = 1,
        city: Annotated[CityName | None, Field(description="Only rooms of this city")] = None,
    ) -> MeetingRoomList:
        """Find meeting rooms that are free at a time, smallest first."""
        end = self._end(start, duration_minutes)
        offers = [
            MeetingRoomOffer(meeting_room_id=room_id, **room.model_dump())
            for room_id, room in self.state.meeting_rooms.items()
            if room.seats >= seats
            and (city is None or room.city == city)
            and self._occupant(room_id, start, end) is None
        ]
        return MeetingRoomList(meeting_rooms=sorted(offers, key=lambda room: room.seats), end=end)

    @tool(
        effect="write",
        phrasings=(
            "put '{title}' into my calendar at {start} for {duration_minutes} minutes"
            "[ and invite {guests}][ in {meeting_room_id}]",
            "schedule '{title}' for {start}, {duration_minutes} minutes long"
            "[, with {guests}][, in {meeting_room_id}]",
        ),
    )
    def create_event(
        self,
        title: Title,
        start: Start,
        duration_minutes: Minutes,
        guests: Guests | None = None,
        meeting_room_id: Room | None = None,
    ) -> EventDetails:
        """Plan an event at a time when the user is free, and invite people to it."""
        invited = guests or []
        for index, email in enumerate(invited):
            self._check_can_be_guest(email, invited[:index])
        event = Event(
            title=title,
            organizer_email=self.state.user_email,
            start=start,
            end=self._end(start, duration_minutes),
            guests=list(invited),
            responses={},
            meeting_room_id=meeting_room_id,
        )
        self._check_user_is_free(event)
        self._check_room(event)
        event_id = self.clock.next_id("EV")
        self.state.events[event_id] = event
        return self._details(event_id)

    @tool(effect="write", phrasings=("invite {email} to {event_id}", "add {email} to {event_id}"))
    def invite_guest(self, event_id: OwnEvent, email: GuestEmail) -> EventDetails:
        """Invite one more person to a coming event that the user organizes."""
        event = self._organized(event_id)
        self._check_can_be_guest(email, event.guests)
        changed = event.model_copy(update={"guests": [*event.guests, email]})
        self._check_room(changed, event_id)
        self.state.events[event_id] = changed
        return self._details(event_id)

    @tool(effect="write", phrasings=("take {email} off the guests of {event_id}",))
    def remove_guest(self, event_id: OwnEvent, email: GuestEmail) -> EventDetails:
        """Take a guest off a coming event that the user organizes."""
        event = self._organized(event_id)
        if email not in event.guests:
            raise ToolError(f"{email} is not invited to {event.title!r}; look up its guests first.")
        event.guests.remove(email)
        event.responses.pop(email, None)
        return self._details(event_id)

    @tool(
        effect="write",
        phrasings=("move {event_id} to {start}[ and make it {duration_minutes} minutes long]",),
    )
    def move_event(
        self, event_id: OwnEvent, start: Start, duration_minutes: Minutes | None = None
    ) -> EventDetails:
        """Move a coming event that the user organizes; its guests have to answer again."""
        event = self._organized(event_id)
        end = self._end(start, duration_minutes or minutes_between(event.start, event.end))
        moved = event.model_copy(update={"start": start, "end": end, "responses": {}})
        self._check_user_is_free(moved, event_id)
        self._check_room(moved, event_id)
        self.state.events[event_id] = moved
        return self._details(event_id)

    @tool(effect="write", phrasings=("answer {event_id} with {response}",))
    def respond_to_invitation(self, event_id: AnEvent, response: MyAnswer) -> EventDetails:
        """Answer an invitation to a coming event; accepting needs the time to be free."""
        event = self._coming(event_id)
        if event.organizer_email == self.state.user_email:
            raise ToolError(f"You organize {event.title!r}; only its guests answer.")
        if event.responses.get(self.state.user_email) == response:
            raise ToolError(f"Your answer to {event.title!r} is {response} already.")
        if response == "accepted":
            self._check_user_is_free(event, event_id)
        event.responses[self.state.user_email] = response
        return self._details(event_id)

    @tool(effect="write", phrasings=("cancel {event_id}[ because '{reason}']",))
    def cancel_event(self, event_id: OwnEvent, reason: Reason | None = None) -> EventDetails:
        """Call off a coming event that the user organizes, which frees its meeting room."""
        event = self._organized(event_id)
        event.status = "cancelled"
        event.cancel_reason = reason
        event.meeting_room_id = None
        event.reminder_minutes = None
        return self._details(event_id)

    @tool(effect="write", phrasings=("remind me {minutes_before} minutes before {event_id}",))
    def set_reminder(self, event_id: AnEvent, minutes_before: Notice) -> EventDetails:
        """Set or replace the user's reminder of a coming event that they did not decline."""
        event = self._coming(event_id)
        if self._response(event, self.state.user_email) == "declined":
            raise ToolError(f"You declined {event.title!r}; answer it otherwise first.")
        if add_minutes(event.start, -minutes_before) < self.clock.now:
            raise ToolError(f"{event.title!r} begins at {event.start}; choose a shorter notice.")
        event.reminder_minutes = minutes_before
        return self._details(event_id)

    def _person(self, email: str) -> Colleague:
        for person in self.state.people:
            if person.email == email:
                return person
        raise ToolError(f"Nobody in the directory has the address {email!r}; check its spelling.")

    def _event(self, event_id: str) -> Event:
        if event_id not in self.state.events:
            raise ToolError(f"There is no event {event_id!r}; look up your events first.")
        return self.state.events[event_id]

    def _coming(self, event_id: str) -> Event:
        event = self._event(event_id)
        if event.status == "cancelled":
            raise ToolError(f"{event.title!r} is cancelled; choose another event.")
        if event.start <= self.clock.now:
            raise ToolError(f"{event.title!r} began at {event.start}; only coming events change.")
        return event

    def _organized(self, event_id: str) -> Event:
        event = self._coming(event_id)
        if event.organizer_email != self.state.user_email:
            host = event.organizer_email
            raise ToolError(f"Only the organizer, {host}, can change {event.title!r}.")
        return event

    def _end(self, start: str, duration_minutes: int) -> str:
        if start < self.clock.now:
            raise ToolError(f"{start} is in the past; it is {self.clock.now} now.")
        end = add_minutes(start, duration_minutes)
        if day_of(end) != day_of(start):
            raise ToolError(f"{duration_minutes} minutes from {start} run past midnight.")
        return end

    def _check_can_be_guest(self, email: str, invited: list[str]) -> None:
        self._person(email)
        if email == self.state.user_email:
            raise ToolError("You take part in your own events anyway; invite somebody else.")
        if email in invited:
            raise ToolError(f"{email} is already among the guests; invite somebody else.")

    def _check_user_is_free(self, planned: Event, event_id: str = "") -> None:
        for other_id, other in self.state.events.items():
            is_mine = self._takes_time(other, self.state.user_email)
            if is_mine and other_id != event_id and other.overlaps(planned.start, planned.end):
                raise ToolError(
                    f"You have {other.title!r} from {other.start} to {other.end}; choose a time "
                    "when you are free."
                )

    def _check_room(self, planned: Event, event_id: str = "") -> None:
        room_id = planned.meeting_room_id
        if room_id is None:
            return
        room = self.state.meeting_rooms.get(room_id)
        if room is None:
            raise ToolError(f"There is no meeting room {room_id!r}; look for a free one first.")
        people = len(planned.guests) + 1
        if people > room.seats:
            raise ToolError(f"{room.name} seats {room.seats}, not {people}; take a larger room.")
        other = self._occupant(room_id, planned.start, planned.end, event_id)
        if other is not None:
            raise ToolError(
                f"{room.name} is taken by {other.title!r} from {other.start} to {other.end}."
            )

    def _occupant(self, room_id: str, start: str, end: str, ignoring: str = "") -> Event | None:
        for event_id, event in self.state.events.items():
            is_here = event.meeting_room_id == room_id
            if is_here and event_id != ignoring and event.overlaps(start, end):
                return event
        return None

    def _response(self, event: Event, email: str) -> Participation:
        if event.organizer_email == email:
            return "organizer"
        return event.responses.get(email, "unanswered")

    def _takes_time(self, event: Event, email: str) -> bool:
        response = self._response(event, email)
        return event.status == "confirmed" and response in ("organizer", "accepted")

    def _taken_times(self, email: str, ignoring: str = "") -> list[BusyTime]:
        return self._person(email).busy + [
            event
            for event_id, event in self.state.events.items()
            if event_id != ignoring and self._takes_time(event, email)
        ]

    def _summary(self, event_id: str, event: Event) -> EventSummary:
        return EventSummary(
            event_id=event_id,
            my_response=self._response(event, self.state.user_email),
            guest_count=len(event.guests),
            **event.model_dump(include={"title", "start", "end"}),
        )

    def _details(self, event_id: str) -> EventDetails:
        event = self._event(event_id)
        guests = [
            Guest(
                email=email,
                name=self._person(email).name,
                response=event.responses.get(email, "unanswered"),
                is_free=not any(
                    other.overlaps(event.start, event.end)
                    for other in self._taken_times(email, ignoring=event_id)
                ),
            )
            for email in event.guests
        ]
        room_id = event.meeting_room_id
        return EventDetails(
            **self._summary(event_id, event).model_dump(),
            **event.model_dump(include=_SHOWN),
            organizer_name=self._person(event.organizer_email).name,
            guests=guests,
            meeting_room=None if room_id is None else self.state.meeting_rooms[room_id].name,
        )

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> CalendarState:
        """Draw everybody's hours, six meeting rooms in three cities, and thirteen events."""
        user = _colleague(world.user, [], rng)
        others = [_colleague(p, _busy_times(world.today, rng), rng) for p in world.people]
        state = CalendarState(
            clock=Clock(now=world.now), user_email=user.email, people=[user, *others]
        )
        cities = sorted((city.name for city in world.cities), key=lambda c: c != world.user.city)
        names = rng.sample(_ROOM_NAMES, len(_ROOM_SEATS))
        for number, (name, seats) in enumerate(zip(names, _ROOM_SEATS, strict=True)):
            state.meeting_rooms[state.clock.next_id("MR")] = MeetingRoom(
                name=name, city=cities[number % 3], seats=seats
            )
        titles = [f"{topic} {kind}" for topic in _TOPICS for kind in _KINDS]
        for title, plan in zip(rng.sample(titles, len(_PLANS)), _PLANS, strict=True):
            _add_event(state, title, plan, rng)
        return state


_ROOM_NAMES = ("Aspen", "Birch", "Cedar", "Elm", "Juniper", "Larch", "Maple", "Rowan", "Willow")
_ROOM_SEATS = (2, 4, 6, 8, 10, 12)
_TOPICS = ("Budget", "Customer", "Data", "Design", "Hiring", "Offsite", "Pricing", "Security")
_KINDS = ("briefing", "review", "sync", "workshop")
_ANSWERS: tuple[Answer, ...] = ("accepted", "accepted", "declined", "tentative")
# Working days ahead, hour, the user's part, other guests, and which fitting room (0: the smallest).
# The second event of working day 4 overlaps the first; the event of day 6 fills its room.
_Plan = tuple[int, int, Participation, int, int | None]
_PLANS: tuple[_Plan, ...] = (
    (-3, 14, "organizer", 2, None),
    (-1, 11, "accepted", 1, None),
    (0, 16, "organizer", 2, 1),
    (1, 13, "organizer", 2, 0),
    (2, 11, "unanswered", 1, 1),
    (2, 15, "organizer", 1, 1),
    (3, 14, "accepted", 2, 0),
    (4, 13, "organizer", 3, 0),
    (4, 13, "unanswered", 2, None),
    (5, 16, "tentative", 1, 1),
    (6, 15, "organizer", 1, 0),
    (8, 14, "declined", 2, 1),
    (9, 13, "organizer", 0, None),
)


def _hour(day: str, hour: int) -> str:
    return f"{day}T{hour:02d}:00"


def _is_weekend(day: str) -> bool:
    return days_between(_A_MONDAY, day) % 7 > 4


def _working_day(today: str, count: int) -> str:
    days = [add_days(today, offset) for offset in range(-7, 15)]
    return [day for day in days if not _is_weekend(day)][5 + count]


def _colleague(person: Person, busy: list[BusyTime], rng: random.Random) -> Colleague:
    opens, closes = rng.choice((7, 8, 9)), rng.choice((16, 17, 18))
    return Colleague(
        email=person.email, name=person.name, start_hour=opens, end_hour=closes, busy=busy
    )


def _busy_times(today: str, rng: random.Random) -> list[BusyTime]:
    days = [_working_day(today, ahead) for ahead in sorted(rng.sample(range(1, 7), 3))]
    starts = [_hour(day, rng.randrange(9, 15)) for day in days]
    return [BusyTime(start=at, end=add_minutes(at, rng.choice((60, 90, 120)))) for at in starts]


def _add_event(state: CalendarState, title: str, plan: _Plan, rng: random.Random) -> None:
    ahead, hour, part, guest_count, room = plan
    others = rng.sample([person.email for person in state.people[1:]], guest_count + 1)
    start = _hour(_working_day(state.clock.today, ahead), hour)
    start = add_minutes(start, rng.choice((0, 15, 30)))
    responses: dict[str, Answer] = {}
    for email in others[1:]:
        if rng.random() < 0.8:
            responses[email] = rng.choice(_ANSWERS)
    if part in ("accepted", "declined", "tentative"):
        responses[state.user_email] = part
    is_mine = part == "organizer"
    people = guest_count + (1 if is_mine else 2)
    rooms = [room_id for room_id, room in state.meeting_rooms.items() if room.seats >= people]
    state.events[state.clock.next_id("EV")] = Event(
        title=title,
        organizer_email=state.user_email if is_mine else others[0],
        start=start,
        end=add_minutes(start, rng.choice((45, 60, 90))),
        guests=others[1:] if is_mine else [state.user_email, *others[1:]],
        responses=responses,
        meeting_room_id=None if room is None else rooms[room],
        reminder_minutes=rng.choice((None, 15, 30)),
    )
