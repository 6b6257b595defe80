from itertools import islice

from envfactory_assets.stages.reward.outcome import Outcome, rename_changes
from envfactory_assets.stages.reward.renaming import candidate_names


def outcome(**records):
    """Make an outcome that created the records `BK_2={…}` and so on."""
    records = {key.replace("_", "-"): record for key, record in records.items()}
    initial = {"e": {"clock": {"counters": {"BK": 1}}, "bookings": {}}}
    end = {"e": {"clock": {"counters": {"BK": 1 + len(records)}}, "bookings": records}}
    return Outcome.between(initial, end)


def first(expected, given):
    return next(candidate_names(expected, given))


def test_records_of_different_content_are_told_apart_at_once():
    expected = outcome(BK_2={"guest": "Bo"}, BK_3={"guest": "Cy"})
    given = outcome(BK_2={"guest": " cy"}, BK_3={"guest": "Bo"})
    assert first(expected, given) == {"BK-2": "BK-3", "BK-3": "BK-2"}


def test_equal_records_are_told_apart_by_the_records_that_refer_to_them():
    twin = {"guest": "Bo"}
    expected = outcome(BK_2=twin, BK_3=twin, BK_4={"replaces": "BK-2", "note": "see BK-2"})
    given = outcome(BK_2={"replaces": "BK-4", "note": "see BK-4"}, BK_3=twin, BK_4=twin)
    assert first(expected, given) == {"BK-2": "BK-4", "BK-3": "BK-3", "BK-4": "BK-2"}


def test_records_that_differ_are_paired_by_what_they_have_in_common():
    expected = outcome(BK_2={"guest": "Bo", "hotel": "A"}, BK_3={"guest": "Cy", "hotel": "B"})
    given = outcome(BK_2={"guest": "Cy", "hotel": "A2"}, BK_3={"guest": "Bo", "hotel": "B2"})
    assert first(expected, given) == {"BK-2": "BK-3", "BK-3": "BK-2"}


def test_an_id_without_a_partner_gets_a_name_of_its_own():
    expected, given = outcome(BK_2={"guest": "Bo"}), outcome(BK_2={"x": 1}, BK_3={"guest": "Bo"})
    assert first(expected, given) == {"BK-2": "BK-2*", "BK-3": "BK-2"}


def test_every_order_of_equal_records_is_a_candidate_once():
    same = {f"BK_{number}": {"guest": "Bo"} for number in range(2, 5)}
    candidates = list(candidate_names(outcome(**same), outcome(**same)))
    assert len({tuple(sorted(names.items())) for names in candidates}) == len(candidates) == 6


def test_many_equal_records_do_not_make_the_first_candidates_slow():
    same = {f"BK_{number}": {"guest": "Bo"} for number in range(2, 40)}
    assert len(list(islice(candidate_names(outcome(**same), outcome(**same)), 5))) == 5


def test_renamed_changes_have_renamed_paths_and_values():
    changes = outcome(BK_2={"next": "BK-3"}, BK_3={"next": None}).changes
    renamed = rename_changes(changes, {"BK-2": "BK-3", "BK-3": "BK-2"})
    assert renamed[("e", "bookings", "BK-3", "next")] == "BK-2"
