import random
from collections import Counter

import pytest

from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.turns import split_turns

_SETTINGS = SamplerSettings(chains_per_domain=30, max_tools=5)


def _sample(rows, *, domain="office", seed=0, trial=None, **changes):
    settings = _SETTINGS.model_copy(update=changes)
    return sample_chains(rows.parameters, rows.edges, rows.links, settings, seed, domain, trial)


def _sources(chain, tool, path):
    step = chain.tools.index(tool)
    return {
        chain.tools[item.source_step]
        for item in chain.bindings
        if (item.target_step, item.target_parameter) == (step, path)
    }


def test_prerequisites_come_first_and_are_bound(booking_rows):
    chains = _sample(booking_rows).chains

    booked = [chain for chain in chains if "inn__book" in chain.tools]
    assert booked
    for chain in booked:
        assert _sources(chain, "inn__book", "room_id") == {"inn__rooms"}
        assert _sources(chain, "inn__rooms", "hotel_id") == {"inn__search"}


def test_what_a_user_says_is_listed(booking_rows):
    chains = _sample(booking_rows).chains

    for chain in chains:
        said = {(chain.tools[value.step], value.parameter) for value in chain.externals}
        assert all((tool, "city") in said for tool in chain.tools if tool == "inn__search")
    assert any("guests" in {value.parameter for value in chain.externals} for chain in chains)
    assert any(
        "inn__search" in chain.tools
        and "guests" not in {value.parameter for value in chain.externals}
        for chain in chains
    )


def test_a_requirement_that_nothing_gives_rejects_the_chain_with_a_reason(booking_rows):
    booking_rows.tool("inn__check_in", effect="write", needs=("passport_id",))

    outcome = _sample(booking_rows)

    assert all("inn__check_in" not in chain.tools for chain in outcome.chains)
    assert outcome.rejections["inn__check_in needs 'passport_id', which no tool gives"] > 0


def test_a_prerequisite_that_lies_too_deep_rejects_the_chain(booking_rows):
    cut = [edge for edge in booking_rows.edges if edge.source_tool != "inn__mine"]
    booking_rows.edges = cut

    outcome = _sample(booking_rows, max_depth=1)

    assert all("inn__book" not in chain.tools for chain in outcome.chains)
    reason = "inn__book needs 'room_id', which no tool gives within the depth limit"
    assert outcome.rejections[reason] > 0


def test_two_tools_that_wait_for_each_other_are_rejected(rows):
    rows.tool("ring__one", effect="write", needs=("a_id",), gives=("b_id",))
    rows.tool("ring__two", effect="write", needs=("b_id",), gives=("a_id",))
    rows.feed("ring__two:a_id", "ring__one:a_id")
    rows.feed("ring__one:b_id", "ring__two:b_id")

    outcome = _sample(rows)

    assert outcome.chains == ()
    assert sum(outcome.rejections.values()) == outcome.attempts > 0


def test_pruned_edges_bind_nothing(rows):
    rows.tool("desk__list", gives=("ids[]",))
    rows.tool("desk__use", effect="write", needs=("id",))
    rows.feed("desk__list:ids[]", "desk__use:id", kept=False)

    assert _sample(rows).chains == ()


def test_leaves_of_one_optional_object_are_given_together(rows):
    rows.tool("desk__list", gives=("ids[]",))
    rows.tool("desk__plan", effect="write", says=("place.street?", "place.town?", "day"))
    rows.precede("desk__list", "desk__plan")
    rows.precede("desk__plan", "desk__list")

    chains = _sample(rows).chains

    given = {frozenset(value.parameter for value in chain.externals) - {"day"} for chain in chains}
    assert given <= {frozenset(), frozenset({"place.street", "place.town"})}


def test_one_account_does_not_pay_itself(rows):
    rows.tool("bank__open", effect="write", gives=("account_id",))
    rows.tool("bank__pay", effect="write", needs=("from_id", "to_id"))
    rows.tool("bank__list", gives=("accounts[].account_id",))
    for path in ("from_id", "to_id"):
        rows.feed("bank__open:account_id", f"bank__pay:{path}")
        rows.feed("bank__list:accounts[].account_id", f"bank__pay:{path}")

    chains = _sample(rows, chains_per_domain=60).chains

    paid = [chain for chain in chains if "bank__pay" in chain.tools]
    assert paid
    for chain in paid:
        both = (_sources(chain, "bank__pay", "from_id"), _sources(chain, "bank__pay", "to_id"))
        assert both != ({"bank__open"}, {"bank__open"})


def test_values_of_one_call_come_from_results_about_the_same_thing(rows):
    rows.tool("shop__orders", gives=("orders[].order_id",))
    rows.tool("shop__wishes", gives=("wishes[].product_id",))
    rows.tool("shop__order", needs=("order_id",), gives=("items[].product_id",))
    rows.tool("shop__return", effect="write", needs=("order_id", "product_id"))
    rows.feed("shop__orders:orders[].order_id", "shop__order:order_id")
    rows.feed("shop__orders:orders[].order_id", "shop__return:order_id")
    rows.feed("shop__order:items[].product_id", "shop__return:product_id")
    rows.feed("shop__wishes:wishes[].product_id", "shop__return:product_id")

    chains = _sample(rows, extra_prerequisite_probability=0.0).chains

    for chain in chains:
        if "shop__return" not in chain.tools:
            continue
        before = chain.tools[: chain.tools.index("shop__return")]
        if "shop__order" in before:
            assert _sources(chain, "shop__return", "product_id") == {"shop__order"}


def test_a_listing_that_narrows_itself_may_come_twice_bound_to_itself(rows):
    rows.tool("files__list", needs=("folder_id?",), gives=("folders[].folder_id",))
    rows.tool("files__add", effect="write", needs=("folder_id",))
    rows.feed("files__list:folders[].folder_id", "files__list:folder_id")
    rows.feed("files__list:folders[].folder_id", "files__add:folder_id")

    chains = _sample(rows, chains_per_domain=20).chains

    counts = Counter(max(Counter(chain.tools).values()) for chain in chains)
    assert set(counts) == {1, 2}


def test_most_chains_write(booking_rows):
    chains = _sample(booking_rows, chains_per_domain=60).chains

    writing = [chain for chain in chains if {"inn__book", "inn__cancel"} & set(chain.tools)]
    assert len(writing) >= 0.75 * len(chains)
    assert len(_sample(booking_rows, max_read_only_share=0.0).chains) > 0


def test_a_domain_that_only_reads_still_has_chains(rows):
    rows.tool("news__list", gives=("items[].item_id",))
    rows.tool("news__show", needs=("item_id",))
    rows.feed("news__list:items[].item_id", "news__show:item_id")

    assert [chain.tools for chain in _sample(rows).chains] == [("news__list", "news__show")]


def test_every_tool_that_can_be_called_is_used(booking_rows):
    chains = _sample(booking_rows).chains

    used = {tool for chain in chains for tool in chain.tools}
    assert used == {row.tool for row in booking_rows.parameters}


def test_no_two_chains_are_the_same(booking_rows):
    outcome = _sample(booking_rows, chains_per_domain=200)

    seen = {(chain.tools, chain.bindings) for chain in outcome.chains}
    assert len(seen) == len(outcome.chains) < 200
    assert outcome.rejections["the same tools with the same bindings again"] > 0


@pytest.fixture
def linked_rows(rows):
    rows.tool("chat__find", says=("name",), gives=("contacts[].email",), domain="lifestyle")
    rows.tool("chat__send", effect="write", says=("email", "text"), domain="lifestyle")
    rows.tool("cal__find", gives=("events[].event_id",))
    rows.tool("cal__invite", effect="write", needs=("event_id",), says=("email",))
    rows.feed("cal__find:events[].event_id", "cal__invite:event_id")
    rows.feed("chat__find:contacts[].email", "chat__send:email")
    rows.link("chat__find:contacts[].email", "cal__invite:email")
    return rows


def test_linked_chains_reach_into_another_domain(linked_rows):
    chains = _sample(linked_rows, cross_domain_probability=0.5).chains

    crossing = [chain for chain in chains if len(chain.environment_ids) > 1]
    assert crossing
    for chain in crossing:
        assert _sources(chain, "cal__invite", "email") == {"chat__find"}
        assert chain.domain == "office"


def test_without_links_chains_stay_in_their_domain(linked_rows):
    chains = _sample(linked_rows, cross_domain_probability=0.0).chains

    assert {chain.environment_ids for chain in chains} == {("office.cal",)}


def test_links_to_tools_without_rows_are_ignored(linked_rows):
    linked_rows.parameters = [row for row in linked_rows.parameters if row.domain == "office"]

    chains = _sample(linked_rows, cross_domain_probability=1.0).chains

    assert {chain.environment_ids for chain in chains} == {("office.cal",)}


class RefusingTrial:
    """Carries nothing out: a tool that it refuses never succeeds."""

    def __init__(self, refused):
        self.refused = refused
        self.tried = Counter()

    def failing_step(self, chain):
        self.tried[chain.chain_id] += 1
        return chain.tools.index(self.refused) if self.refused in chain.tools else None


def test_a_step_that_never_succeeds_is_cut_out_with_what_rests_on_it(booking_rows):
    trial = RefusingTrial("inn__rooms")

    outcome = _sample(booking_rows, trial=trial, chains_per_domain=10)

    for chain in outcome.chains:
        assert not {"inn__rooms", "inn__book"} & set(chain.tools)
        assert trial.tried[chain.chain_id] == 1
    assert any("inn__cancel" in chain.tools for chain in outcome.chains)
    reason = "inn__rooms never succeeds after the steps before it"
    assert outcome.rejections[reason] > 0
    assert len(outcome.chains) + sum(outcome.rejections.values()) == outcome.attempts


def test_bindings_that_fail_become_rare(rows):
    rows.tool("desk__bad", gives=("ids[]",))
    rows.tool("desk__good", gives=("ids[]",))
    rows.tool("desk__use", effect="write", needs=("id",))
    for number in range(12):
        rows.tool(f"desk__more{number}", effect="write", needs=("id",))
        rows.feed("desk__good:ids[]", f"desk__more{number}:id")
    rows.feed("desk__bad:ids[]", "desk__use:id")
    rows.feed("desk__good:ids[]", "desk__use:id")

    class FailsOnBad:
        bad = good = 0

        def failing_step(self, chain):
            for binding in chain.bindings:
                if chain.tools[binding.target_step] == "desk__use":
                    is_bad = chain.tools[binding.source_step] == "desk__bad"
                    self.bad += is_bad
                    self.good += not is_bad
                    return binding.target_step if is_bad else None
            return None

    trial = FailsOnBad()
    _sample(rows, trial=trial, chains_per_domain=100)

    assert trial.good > 2 * trial.bad > 0


def test_no_tools_give_no_chains(rows):
    assert _sample(rows).chains == ()


def test_turns_close_after_the_ith_tool_with_probability_i_fifths():
    rng = random.Random(0)

    flat = [size for _ in range(40) for size in split_turns(500, rng)[:-1]]

    assert set(flat) == {1, 2, 3, 4, 5}
    assert sum(flat) / len(flat) == pytest.approx(2.51, abs=0.05)
    assert flat.count(1) / len(flat) == pytest.approx(0.2, abs=0.02)
    assert flat.count(2) / len(flat) == pytest.approx(0.32, abs=0.02)


@pytest.mark.parametrize("refused", ["cal__invite", "chat__find"])
def test_a_linked_chain_whose_link_is_cut_out_is_no_chain(linked_rows, refused):
    linked_rows.tool("cal__plan", effect="write", says=("day",))
    linked_rows.precede("cal__find", "cal__plan")

    outcome = _sample(
        linked_rows, trial=RefusingTrial(refused), cross_domain_probability=0.7, min_tools=1
    )

    assert {chain.environment_ids for chain in outcome.chains} == {("office.cal",)}
    assert outcome.rejections[f"{refused} never succeeds after the steps before it"] > 0
