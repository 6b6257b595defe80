import json

from envfactory_assets.records.record import JsonObject
from rl_jobs.trl.compact_view import CompactView


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def result(**values: object) -> JsonObject:
    return {"role": "tool", "name": "t", "content": json.dumps(values)}


def call(**arguments: object) -> JsonObject:
    function = {"name": "hotel_booking__book_room", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}


def shown(view: CompactView, *messages: JsonObject) -> list[str]:
    return [str(message["content"]) for message in view.messages(messages)]


def test_values_that_the_user_says_stand_by_their_names() -> None:
    view = CompactView(8, 3)
    text = "Book Old Mill Inn from 1 May 2026 to 2026-05-04 for tess.demir@mail.example, 2 guests."
    assert shown(view, user(text)) == [
        "Book TEXT-1 from DAY-1 to DAY-2 for EMAIL-1, NUMBER-1 guests."
    ]


def test_a_name_in_a_call_is_what_it_stands_for() -> None:
    view = CompactView(8, 3)
    view.messages([user("From 1 May 2026 at 10:15, 'pizza night', 50 guests in Tunis.")])
    text = "call a__b\nstart: MOMENT-1\ntitle: TEXT-1\nguests: NUMBER-1\ncity: TEXT-2"
    properties = {name: {"type": "string"} for name in ("start", "title", "city")}
    parameters = {"properties": {**properties, "guests": {"type": "integer"}}}
    functions = [{"function": {"name": "a__b", "parameters": parameters}}]
    assert view.read(text, functions).calls[0].arguments == {
        "start": "2026-05-01T10:15",
        "title": "pizza night",
        "guests": 50,
        "city": "Tunis",
    }


def test_a_label_that_comes_again_has_the_same_name() -> None:
    view = CompactView(8, 3)
    hotels = [{"hotel_id": "HT-7", "name": "Park Terrace"}, {"hotel_id": "HT-2", "name": "Inn"}]
    assert shown(view, result(hotels=hotels), user("Now show Park Terrace.")) == [
        "hotels:\n HT-1, TEXT-1\n HT-2, TEXT-2",
        "Now show TEXT-1.",
    ]


def test_calls_are_written_with_the_names_of_their_values() -> None:
    view = CompactView(8, 3)
    view.messages([user("For Mei Okafor, 2 guests."), result(rooms=[{"room_id": "RM-17"}])])
    written = shown(view, call(room_id="RM-17", guest_name="Mei Okafor", guests=2))
    assert written == [
        "call hotel_booking__book_room\nroom_id: RM-1\nguest_name: TEXT-1\nguests: NUMBER-1"
    ]
    assert view.stands_alone


def test_a_call_with_an_id_that_was_never_shown_does_not_stand_alone() -> None:
    view = CompactView(8, 3)
    view.messages([user("Cancel that booking."), call(booking_id="BK-3")])
    assert not view.stands_alone


def test_answers_are_short_questions_stay_and_the_system_message_goes() -> None:
    view = CompactView(8, 3)
    messages: list[JsonObject] = [
        {"role": "system", "content": "You act for Mei."},
        {"role": "assistant", "content": "Could you tell me the check out?"},
        {"role": "assistant", "content": "Done: book room (total: 80)."},
    ]
    assert shown(view, *messages) == ["Could you tell me the check out?", "Done."]


def test_long_lists_and_wide_items_are_cut() -> None:
    view = CompactView(items=2, fields=2)
    rows = [{"id": f"BK-{n}", "kind": "single", "status": "open"} for n in range(1, 9)]
    assert shown(view, result(rows=rows)) == ["rows:\n BK-1, single\n BK-2, single"]


def test_an_error_says_so() -> None:
    assert shown(CompactView(8, 3), result(error="Unknown hotel 'HT-9'.")) == ["error"]
