"""Hotel booking: search, free rooms, bookings with cancellation windows and forms, reviews."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, add_days, days_between
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

HotelId = Annotated[str, Identifier("HotelId")]
RoomId = Annotated[str, Identifier("RoomId")]
BookingId = Annotated[str, Identifier("BookingId")]
CityName = Annotated[str, Identifier("CityName", speakable=True)]
RoomKind = Literal["single", "double", "family", "suite"]
BookingStatus = Literal["confirmed", "cancelled", "completed"]

_MAX_NIGHTS = 21


class Room(Entity):
    """A bookable room; `price` is per night."""

    hotel_id: HotelId
    kind: RoomKind
    sleeps: int
    price: float


class Hotel(Entity):
    """A hotel; guests may cancel for free until `free_cancellation_days` before arrival."""

    name: str
    city: CityName
    stars: int
    has_breakfast: bool
    free_cancellation_days: int


class Booking(Entity):
    """A reservation of one room from check-in to check-out; new dates need a new signature."""

    room_id: RoomId
    guest_name: str
    check_in: Day
    check_out: Day
    guests: int
    total: float
    status: BookingStatus
    is_signed: bool


class Review(Entity):
    """What a guest wrote about a hotel."""

    hotel_id: HotelId
    rating: int
    comment: str


class HotelBookingState(State):
    """Hotels, rooms, the user's bookings, reviews, and saved hotels with the user's note."""

    hotels: dict[str, Hotel]
    rooms: dict[str, Room]
    bookings: dict[str, Booking]
    reviews: dict[str, Review]
    favorites: dict[str, str]


class HotelSummary(Result):
    """A hotel as search shows it."""

    hotel_id: HotelId = Field(description="Id of the hotel")
    name: Annotated[str, Label()] = Field(description="Name of the hotel")
    stars: int = Field(description="Star rating of the hotel")
    lowest_price: float = Field(description="Lowest price per night among the free rooms")


class HotelList(Result):
    """Hotels that have a free room."""

    hotels: list[HotelSummary] = Field(description="Hotels found, cheapest first")


class HotelDetails(Result):
    """Everything about one hotel."""

    hotel_id: HotelId = Field(description="Id of the hotel")
    name: Annotated[str, Label()] = Field(description="Name of the hotel")
    city: CityName = Field(description="City of the hotel")
    stars: int = Field(description="Star rating of the hotel")
    has_breakfast: bool = Field(description="Whether breakfast is included")
    free_cancellation_days: int = Field(
        description="How many days before check-in a booking can still be cancelled"
    )
    average_rating: float | None = Field(description="Mean guest rating, null without reviews")
    favorite_note: str | None = Field(
        description="Note that the user saved with the hotel, null when it is not saved"
    )


class RoomOffer(Result):
    """A free room and what it costs."""

    room_id: RoomId = Field(description="Id of the room")
    kind: Annotated[RoomKind, Label()] = Field(description="Kind of room")
    sleeps: int = Field(description="How many guests the room sleeps")
    price: float = Field(description="Price per night of the room")


class RoomList(Result):
    """Rooms of one hotel that are free."""

    rooms: list[RoomOffer] = Field(description="Free rooms, cheapest first")


class BookingDetails(Result):
    """A booking in full."""

    booking_id: BookingId = Field(description="Id of the booking")
    hotel_id: HotelId = Field(description="Id of the booked hotel")
    hotel_name: Annotated[str, Label()] = Field(description="Name of the booked hotel")
    guest_name: str = Field(description="Name of the guest")
    check_in: Day = Field(description="Day of arrival")
    check_out: Day = Field(description="Day of departure")
    guests: int = Field(description="Number of guests")
    total: float = Field(description="Total price of the stay")
    status: BookingStatus = Field(description="Status of the booking")
    is_signed: bool = Field(
        description="Whether the user has signed the registration form on their own phone"
    )


class BookingList(Result):
    """The user's bookings."""

    bookings: list[BookingDetails] = Field(description="Bookings by day of arrival")


class SignedForm(Result):
    """What the user's phone shows after signing."""

    hotel_name: Annotated[str, Label()] = Field(description="Name of the booked hotel")
    check_in: Day = Field(description="Day of arrival that the form was signed for")


class DoorCode(Result):
    """What opens a booked room."""

    hotel_name: Annotated[str, Label()] = Field(description="Name of the booked hotel")
    code: str = Field(description="Code that opens the door, of room and day of arrival")
    check_in: Day = Field(description="Day from which the code works")


class ReviewText(Result):
    """One review."""

    rating: int = Field(description="Rating from 1 to 5")
    comment: str = Field(description="What the guest wrote")


class ReviewList(Result):
    """Reviews of one hotel."""

    reviews: list[ReviewText] = Field(description="Reviews, best first")


class FavoriteSaved(Result):
    """The note that stands at a saved hotel."""

    note: str = Field(description="Note kept with the saved hotel")
    favorite_count: int = Field(description="Number of saved hotels")


class HotelBooking(Environment[HotelBookingState]):
    """Find hotels and rooms, book and change stays, and review them."""

    @tool(
        effect="read",
        phrasings=(
            "find a hotel in {city} from {check_in} to {check_out}"
            "[ for {guests} guests][ under {max_price} a night]",
            "search hotels in {city} between {check_in} and {check_out}"
            "[, {guests} guests][, at most {max_price} per night]",
        ),
    )
    def search_hotels(
        self,
        city: Annotated[CityName, Field(description="City to stay in")],
        check_in: Annotated[Day, Field(description="Day of arrival")],
        check_out: Annotated[Day, Field(description="Day of departure")],
        guests: Annotated[int, Field(ge=1, le=6, description="Number of guests")] = 1,
        max_price: Annotated[
            float | None, Field(gt=0, description="Highest price per night")
        ] = None,
    ) -> HotelList:
        """Find hotels in a city with a free room for a stay, cheapest first."""
        self._check_stay(check_in, check_out)
        found: list[HotelSummary] = []
        for hotel_id, hotel in self.state.hotels.items():
            prices = [
                room.price
                for room_id, room in self.state.rooms.items()
                if room.hotel_id == hotel_id
                and room.sleeps >= guests
                and self._is_free(room_id, check_in, check_out)
            ]
            if hotel.city != city or not prices or (max_price and min(prices) > max_price):
                continue
            found.append(
                HotelSummary(
                    hotel_id=hotel_id,
                    name=hotel.name,
                    stars=hotel.stars,
                    lowest_price=min(prices),
                )
            )
        return HotelList(hotels=sorted(found, key=lambda hotel: hotel.lowest_price))

    @tool(effect="read", phrasings=("tell me more about {hotel_id}", "show details of {hotel_id}"))
    def get_hotel(
        self, hotel_id: Annotated[HotelId, Field(description="Id of the hotel")]
    ) -> HotelDetails:
        """Show one hotel with its cancellation terms and mean rating."""
        hotel = self._hotel(hotel_id)
        ratings = [r.rating for r in self.state.reviews.values() if r.hotel_id == hotel_id]
        return HotelDetails(
            hotel_id=hotel_id,
            name=hotel.name,
            city=hotel.city,
            stars=hotel.stars,
            has_breakfast=hotel.has_breakfast,
            free_cancellation_days=hotel.free_cancellation_days,
            average_rating=round(sum(ratings) / len(ratings), 2) if ratings else None,
            favorite_note=self.state.favorites.get(hotel_id),
        )

    @tool(
        effect="read",
        phrasings=("see which rooms are free at {hotel_id} from {check_in} to {check_out}",),
    )
    def list_rooms(
        self,
        hotel_id: Annotated[HotelId, Field(description="Id of the hotel")],
        check_in: Annotated[Day, Field(description="Day of arrival")],
        check_out: Annotated[Day, Field(description="Day of departure")],
    ) -> RoomList:
        """List the rooms of a hotel that are free for a stay, cheapest first."""
        self._hotel(hotel_id)
        self._check_stay(check_in, check_out)
        offers = [
            RoomOffer(room_id=room_id, kind=room.kind, sleeps=room.sleeps, price=room.price)
            for room_id, room in self.state.rooms.items()
            if room.hotel_id == hotel_id and self._is_free(room_id, check_in, check_out)
        ]
        return RoomList(rooms=sorted(offers, key=lambda offer: offer.price))

    @tool(
        effect="write",
        phrasings=(
            "book {room_id} for {guest_name} from {check_in} to {check_out}[ for {guests} guests]",
            "reserve {room_id} in the name of {guest_name}, {check_in} until {check_out}"
            "[, {guests} guests]",
        ),
    )
    def book_room(
        self,
        room_id: Annotated[RoomId, Field(description="Id of the room")],
        guest_name: Annotated[
            str,
            Field(
                min_length=1,
                description="Name of the guest",
                examples=["Noor Haddad", "Theo Lindqvist", "Marta Oliveira"],
            ),
        ],
        check_in: Annotated[Day, Field(description="Day of arrival")],
        check_out: Annotated[Day, Field(description="Day of departure")],
        guests: Annotated[int, Field(ge=1, le=6, description="Number of guests")] = 1,
    ) -> BookingDetails:
        """Book a free room for a stay."""
        room = self.state.rooms.get(room_id)
        if room is None:
            raise ToolError(f"There is no room {room_id!r}; list the rooms of a hotel first.")
        self._check_stay(check_in, check_out)
        if guests > room.sleeps:
            raise ToolError(f"Room {room_id} sleeps {room.sleeps}, not {guests} guests.")
        if not self._is_free(room_id, check_in, check_out):
            raise ToolError(f"Room {room_id} is taken between {check_in} and {check_out}.")
        booking_id = self.clock.next_id("BK")
        self.state.bookings[booking_id] = Booking(
            room_id=room_id,
            guest_name=guest_name,
            check_in=check_in,
            check_out=check_out,
            guests=guests,
            total=round(room.price * days_between(check_in, check_out), 2),
            status="confirmed",
            is_signed=False,
        )
        return self._details(booking_id)

    @tool(effect="read", phrasings=("show {booking_id}",))
    def get_booking(
        self, booking_id: Annotated[BookingId, Field(description="Id of the booking")]
    ) -> BookingDetails:
        """Show one booking."""
        self._booking(booking_id)
        return self._details(booking_id)

    @tool(effect="read", phrasings=("list my[ {status}] hotel bookings",))
    def list_bookings(
        self,
        status: Annotated[
            BookingStatus | None, Field(description="Only bookings with this status")
        ] = None,
    ) -> BookingList:
        """List the user's bookings by day of arrival."""
        bookings = [
            self._details(booking_id)
            for booking_id, booking in self.state.bookings.items()
            if status is None or booking.status == status
        ]
        return BookingList(bookings=sorted(bookings, key=lambda b: (b.check_in, b.booking_id)))

    @tool(effect="write", phrasings=("cancel {booking_id}",))
    def cancel_booking(
        self, booking_id: Annotated[BookingId, Field(description="Id of the booking")]
    ) -> BookingDetails:
        """Cancel a confirmed booking within the hotel's free cancellation window."""
        booking = self._confirmed(booking_id)
        hotel = self.state.hotels[self.state.rooms[booking.room_id].hotel_id]
        days_left = days_between(self.clock.today, booking.check_in)
        if days_left < hotel.free_cancellation_days:
            raise ToolError(
                f"{hotel.name} takes cancellations until {hotel.free_cancellation_days} days "
                f"before check-in; {booking_id} starts in {days_left}."
            )
        booking.status = "cancelled"
        return self._details(booking_id)

    @tool(
        effect="write",
        phrasings=("move {booking_id} to {check_in} until {check_out}",),
    )
    def change_dates(
        self,
        booking_id: Annotated[BookingId, Field(description="Id of the booking")],
        check_in: Annotated[Day, Field(description="New day of arrival")],
        check_out: Annotated[Day, Field(description="New day of departure")],
    ) -> BookingDetails:
        """Move a confirmed booking to other days if its room is free then; its form is void."""
        booking = self._confirmed(booking_id)
        self._check_stay(check_in, check_out)
        if not self._is_free(booking.room_id, check_in, check_out, ignoring=booking_id):
            raise ToolError(f"The room is taken between {check_in} and {check_out}.")
        price = self.state.rooms[booking.room_id].price
        booking.check_in, booking.check_out, booking.is_signed = check_in, check_out, False
        booking.total = round(price * days_between(check_in, check_out), 2)
        return self._details(booking_id)

    @tool(
        effect="write",
        phrasings=("sign the registration form for {booking_id} on my phone",),
        actor="user",
    )
    def sign_registration(
        self, booking_id: Annotated[BookingId, Field(description="Id of the booking")]
    ) -> SignedForm:
        """Sign the registration form of a confirmed booking on their own phone."""
        booking = self._confirmed(booking_id)
        if booking.is_signed:
            raise ToolError(f"The registration form of {booking_id} is signed already.")
        booking.is_signed = True
        hotel_name = self._details(booking_id).hotel_name
        return SignedForm(hotel_name=hotel_name, check_in=booking.check_in)

    @tool(effect="read", phrasings=("get the door code for {booking_id}",))
    def get_door_code(
        self, booking_id: Annotated[BookingId, Field(description="Id of the booking")]
    ) -> DoorCode:
        """Show the code that opens a booked room, once the user has signed its form."""
        booking = self._confirmed(booking_id)
        if not booking.is_signed:
            raise ToolError(f"The user has not signed the registration form of {booking_id} yet.")
        return DoorCode(
            hotel_name=self._details(booking_id).hotel_name,
            code=f"{booking.room_id[3:]}-{booking.check_in[5:].replace('-', '')}",
            check_in=booking.check_in,
        )

    @tool(effect="read", phrasings=("read the reviews of {hotel_id}[ rated {min_rating} and up]",))
    def list_reviews(
        self,
        hotel_id: Annotated[HotelId, Field(description="Id of the hotel")],
        min_rating: Annotated[int, Field(ge=1, le=5, description="Lowest rating to show")] = 1,
    ) -> ReviewList:
        """List the reviews of a hotel, best first."""
        self._hotel(hotel_id)
        reviews = [
            ReviewText(rating=review.rating, comment=review.comment)
            for review in self.state.reviews.values()
            if review.hotel_id == hotel_id and review.rating >= min_rating
        ]
        return ReviewList(reviews=sorted(reviews, key=lambda r: (-r.rating, r.comment)))

    @tool(effect="write", phrasings=("review {hotel_id} with {rating} stars, saying '{comment}'",))
    def review_hotel(
        self,
        hotel_id: Annotated[HotelId, Field(description="Id of the hotel")],
        rating: Annotated[int, Field(ge=1, le=5, description="Rating from 1 to 5")],
        comment: Annotated[
            str,
            Field(
                min_length=1,
                description="Text of the review",
                examples=["Quiet rooms and kind staff", "Great view, slow elevator"],
            ),
        ],
    ) -> ReviewText:
        """Review a hotel where the user has completed a stay."""
        hotel = self._hotel(hotel_id)
        stays = [b for b in self.state.bookings.values() if b.status == "completed"]
        if all(self.state.rooms[stay.room_id].hotel_id != hotel_id for stay in stays):
            raise ToolError(f"Only guests who stayed at {hotel.name} can review it.")
        review = Review(hotel_id=hotel_id, rating=rating, comment=comment)
        self.state.reviews[self.clock.next_id("RV")] = review
        return ReviewText(rating=rating, comment=comment)

    @tool(effect="write", phrasings=("save {hotel_id} to my favorites with the note '{note}'",))
    def save_favorite(
        self,
        hotel_id: Annotated[HotelId, Field(description="Id of the hotel")],
        note: Annotated[
            str,
            Field(
                description="Note to keep with it",
                examples=[
                    "for the anniversary trip",
                    "close to the office",
                    "ask for a quiet room",
                ],
            ),
        ],
    ) -> FavoriteSaved:
        """Save a hotel with a note; saving it again replaces the note."""
        self._hotel(hotel_id)
        self.state.favorites[hotel_id] = note
        return FavoriteSaved(note=note, favorite_count=len(self.state.favorites))

    def _hotel(self, hotel_id: str) -> Hotel:
        hotel = self.state.hotels.get(hotel_id)
        if hotel is None:
            raise ToolError(f"There is no hotel {hotel_id!r}; search hotels first.")
        return hotel

    def _booking(self, booking_id: str) -> Booking:
        booking = self.state.bookings.get(booking_id)
        if booking is None:
            raise ToolError(f"There is no booking {booking_id!r}; list your bookings first.")
        return booking

    def _confirmed(self, booking_id: str) -> Booking:
        booking = self._booking(booking_id)
        if booking.status != "confirmed":
            raise ToolError(f"Booking {booking_id} is {booking.status}, not confirmed.")
        return booking

    def _check_stay(self, check_in: str, check_out: str) -> None:
        if check_in < self.clock.today:
            raise ToolError(f"Check-in {check_in} is in the past; today is {self.clock.today}.")
        nights = days_between(check_in, check_out)
        if not 1 <= nights <= _MAX_NIGHTS:
            raise ToolError(f"A stay lasts 1 to {_MAX_NIGHTS} nights, not {nights}.")

    def _is_free(self, room_id: str, check_in: str, check_out: str, ignoring: str = "") -> bool:
        return not any(
            booking.room_id == room_id
            and booking.status == "confirmed"
            and booking.check_in < check_out
            and check_in < booking.check_out
            for booking_id, booking in self.state.bookings.items()
            if booking_id != ignoring
        )

    def _details(self, booking_id: str) -> BookingDetails:
        booking = self.state.bookings[booking_id]
        hotel_id = self.state.rooms[booking.room_id].hotel_id
        return BookingDetails(
            booking_id=booking_id,
            hotel_id=hotel_id,
            hotel_name=self.state.hotels[hotel_id].name,
            **booking.model_dump(exclude={"room_id"}),
        )

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> HotelBookingState:
        """Draw two hotels in each of four cities, their rooms, and stays in five of them."""
        state = HotelBookingState(
            clock=Clock(now=world.now), hotels={}, rooms={}, bookings={}, reviews={}, favorites={}
        )
        names = rng.sample(_HOTEL_NAMES, 8)
        for number, name in enumerate(names):
            hotel_id = state.clock.next_id("HT")
            state.hotels[hotel_id] = Hotel(
                name=name,
                city=world.cities[number // 2].name,
                stars=rng.randint(2, 5),
                has_breakfast=rng.random() < 0.5,
                free_cancellation_days=rng.choice((1, 2, 7)),
            )
            _add_rooms(state, hotel_id, rng)
            for rating, comment in rng.sample(_REVIEWS, 2):
                review = Review(hotel_id=hotel_id, rating=rating, comment=comment)
                state.reviews[state.clock.next_id("RV")] = review
        offsets = (-48, -20, 4, 12, 25)
        for offset, hotel_id in zip(offsets, rng.sample(list(state.hotels), 5), strict=True):
            check_in = add_days(world.today, offset + rng.randrange(3))
            _add_booking(state, world, hotel_id, check_in, rng)
        for booking in state.bookings.values():
            booking.is_signed = booking.status == "completed" or rng.random() < 0.3
        return state


_HOTEL_NAMES = (
    "Casa Azul",
    "The Lantern House",
    "Hotel Meridian",
    "Old Mill Inn",
    "Park Terrace",
    "Riverside Lodge",
    "Saffron Court",
    "Stonebridge Hotel",
    "The Green Door",
    "Villa Aurora",
    "Whitewater Suites",
    "Northlight Hotel",
)
_REVIEWS = (
    (5, "Spotless and quiet, we slept well."),
    (4, "Lovely breakfast, small bathroom."),
    (3, "Fine for one night, noisy street."),
    (2, "The heating did not work."),
)
_ROOM_KINDS: tuple[tuple[RoomKind, int, int], ...] = (
    ("single", 1, 60),
    ("double", 2, 95),
    ("family", 4, 140),
    ("suite", 2, 210),
)


def _add_rooms(state: HotelBookingState, hotel_id: str, rng: random.Random) -> None:
    for kind, sleeps, price in rng.sample(_ROOM_KINDS, 3):
        state.rooms[state.clock.next_id("RM")] = Room(
            hotel_id=hotel_id, kind=kind, sleeps=sleeps, price=price + rng.randrange(40) + 0.95
        )


def _add_booking(
    state: HotelBookingState, world: World, hotel_id: str, check_in: str, rng: random.Random
) -> None:
    rooms = [key for key, room in state.rooms.items() if room.hotel_id == hotel_id]
    room_id = rng.choice(rooms)
    nights = rng.randint(1, 4)
    state.bookings[state.clock.next_id("BK")] = Booking(
        room_id=room_id,
        guest_name=world.user.name,
        check_in=check_in,
        check_out=add_days(check_in, nights),
        guests=1,
        total=round(state.rooms[room_id].price * nights, 2),
        status="completed" if check_in < world.today else "confirmed",
        is_signed=False,
    )
