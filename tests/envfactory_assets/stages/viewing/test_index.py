def entries(page):
    return page.data["index"]["tasks"]


def test_every_task_is_listed_once_in_order_of_its_id(page, made):
    assert [entry["id"] for entry in entries(page)] == sorted(row.task_id for row in made.filtered)


def test_the_list_and_the_tasks_are_in_the_same_order(page):
    for number, entry in enumerate(entries(page)):
        assert page.data[f"task-{number}"]["id"] == entry["id"]


def test_a_task_can_be_found_by_all_that_made_it(page):
    assert entries(page)[0]["made_by"] == [
        "query_writer:rules",
        "refiner:rules",
        "teacher:rules",
        "user:rules",
    ]


def test_a_task_that_the_datasets_do_not_hold_says_why_and_is_in_no_split(page):
    *held, last = entries(page)

    assert {(entry["outcome"], entry["split"]) for entry in held} == {("kept", "train")}
    assert (last["outcome"], last["split"]) == ("near_duplicate_within_split", "none")
    assert page.data[f"task-{len(held)}"]["matched"] == held[0]["id"]


def test_a_task_can_be_found_by_what_its_attempts_did_and_how_it_was_refined(page, made):
    lost = {reason for entry in entries(page) for reason in entry["attempts"]}
    applied = {name for entry in entries(page) for name in entry["refinements"]}

    assert lost == {row.drop_reason for row in made.candidates if row.drop_reason}
    assert applied == {
        operation.name
        for query in made.refined
        for operation in query.operations
        if operation.applied
    }


def test_every_tool_of_a_call_has_a_name_in_words(page):
    tools = page.data["index"]["tools"]
    called = {
        call["tool"]
        for name, task in page.data.items()
        if name != "index"
        for call in task["calls"]
    }

    assert called <= tools.keys()
    assert tools["hotel_booking__book_room"]["title"] == "Book room"
    assert tools["hotel_booking__book_room"]["environment"] == "Hotel booking"
