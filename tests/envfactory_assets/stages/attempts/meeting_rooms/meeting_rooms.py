"""Meeting rooms: find a free room, book it, and keep an eye on what is booked."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, add_days
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

RoomId = Annotated[str, Identifier("RoomId")]
BookingId = Annotated[str, Identifier("BookingId")]
BookingStatus = Literal["booked", "cancelled"]


class Room(Entity):
    """A room and how many people it seats."""

    name: str
    seats: int


class Booking(Entity):
    """A room taken for a day."""

    room_id: RoomId
    title: str
    day: Day
    people: int
    status: BookingStatus


class MeetingRoomsState(State):
    """Rooms and bookings by id."""

    rooms: dict[str, Room]
    bookings: dict[str, Booking]


class RoomDetails(Result):
    """One room."""

    room_id: RoomId = Field(description="Id of the room")
    name: Annotated[str, Label()] = Field(description="Name of the room")
    seats: int = Field(description="How many people it seats")


class RoomList(Result):
    """Rooms of the office."""

    rooms: list[RoomDetails] = Field(description="Rooms from small to large")


class BookingDetails(Result):
    """One booking."""

    booking_id: BookingId = Field(description="Id of the booking")
    room_id: RoomId = Field(description="Id of the booked room")
    title: Annotated[str, Label()] = Field(description="What the meeting is about")
    day: Day = Field(description="Day of the meeting")
    people: int = Field(description="How many people come")
    status: BookingStatus = Field(description="Whether it still stands")


class BookingList(Result):
    """Bookings of a room."""

    bookings: list[BookingDetails] = Field(description="Bookings by day")


class MeetingRooms(Environment[MeetingRoomsState]):
    """Meeting rooms of an office: look rooms up, book them by the day, and cancel."""

    @tool(effect="read", phrasings=("show the meeting rooms[ with at least {min_seats} seats]",))
    def list_rooms(
        self,
        min_seats: Annotated[int, Field(ge=1, le=30, description="Fewest seats wanted")] = 1,
    ) -> RoomList:
        """List rooms from small to large."""
        rooms = [
            RoomDetails(room_id=room_id, name=room.name, seats=room.seats)
            for room_id, room in self.state.rooms.items()
            if room.seats >= min_seats
        ]
        return RoomList(rooms=sorted(rooms, key=lambda room: (room.seats, room.room_id)))

    @tool(effect="read", phrasings=("show what is booked in {room_id}",))
    def list_bookings(
        self, room_id: Annotated[RoomId, Field(description="Id of the room")]
    ) -> BookingList:
        """List the bookings of a room by day."""
        self._room(room_id)
        bookings = [
            self._details(booking_id)
            for booking_id, booking in self.state.bookings.items()
            if booking.room_id == room_id
        ]
        return BookingList(bookings=sorted(bookings, key=lambda b: (b.day, b.booking_id)))

    @tool(effect="write", phrasings=("book {room_id} on {day} for {people} people: '{title}'",))
    def book_room(
        self,
        room_id: Annotated[RoomId, Field(description="Id of the room")],
        title: Annotated[
            str,
            Field(
                min_length=1,
                description="What the meeting is about",
                examples=["Budget review", "Weekly sync"],
            ),
        ],
        day: Annotated[Day, Field(description="Day of the meeting")],
        people: Annotated[int, Field(ge=1, le=30, description="How many people come")],
    ) -> BookingDetails:
        """Book a room for a day."""
        room = self._room(room_id)
        if day < self.clock.today:
            raise ToolError(f"{day} is in the past; today is {self.clock.today}.")
        if people > room.seats:
            raise ToolError(f"Room {room_id} seats {room.seats}, not {people}.")
        for booking in self.state.bookings.values():
            if (booking.room_id, booking.day, booking.status) == (room_id, day, "booked"):
                raise ToolError(f"Room {room_id} is taken on {day}.")
        booking_id = self.clock.next_id("MB")
        self.state.bookings[booking_id] = Booking(
            room_id=room_id, title=title, day=day, people=people, status="booked"
        )
        return self._details(booking_id)

    @tool(effect="write", phrasings=("cancel {booking_id}",))
    def cancel_booking(
        self, booking_id: Annotated[BookingId, Field(description="Id of the booking")]
    ) -> BookingDetails:
        """Cancel a booking that has not been cancelled yet."""
        booking = self.state.bookings.get(booking_id)
        if booking is None:
            raise ToolError(f"There is no booking {booking_id!r}; list those of a room first.")
        if booking.status == "cancelled":
            raise ToolError(f"Booking {booking_id} is cancelled already.")
        booking.status = "cancelled"
        return self._details(booking_id)

    def _room(self, room_id: str) -> Room:
        room = self.state.rooms.get(room_id)
        if room is None:
            raise ToolError(f"There is no room {room_id!r}; list the rooms first.")
        return room

    def _details(self, booking_id: str) -> BookingDetails:
        return BookingDetails(booking_id=booking_id, **self.state.bookings[booking_id].model_dump())

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> MeetingRoomsState:
        """Draw four rooms and five bookings."""
        state = MeetingRoomsState(clock=Clock(now=world.now), rooms={}, bookings={})
        for name in rng.sample(_NAMES, 4):
            state.rooms[state.clock.next_id("MR")] = Room(name=name, seats=rng.randint(2, 16))
        for number, status in enumerate(("booked", "booked", "booked", "cancelled", "booked")):
            room_id = rng.choice(list(state.rooms))
            state.bookings[state.clock.next_id("MB")] = Booking(
                room_id=room_id,
                title=f"{rng.choice(_TITLES)} with {world.organisations[number % 4].name}",
                day=add_days(world.today, number + rng.randrange(2)),
                people=rng.randint(1, state.rooms[room_id].seats),
                status=status,
            )
        return state


_NAMES = ("Oak", "Maple", "Birch", "Elm", "Rowan", "Alder", "Willow")
_TITLES = ("Review", "Kick-off", "Interview", "Planning")
