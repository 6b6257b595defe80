import pytest

from envfactory_resources.clients.fake_messages.replies import TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.reply import user_message
from envfactory_resources.clients.language_model.usage import TokenPrices, Usage, UsageLedger


def test_usage_is_added_up_by_role_and_priced():
    ledger = UsageLedger(TokenPrices(input_usd=3.0, output_usd=15.0, cache_read_usd=0.3))
    ledger.record("judge", Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=10_000))
    ledger.record("judge", Usage(input_tokens=500, attempts=2), failed=True)
    ledger.record("coder", Usage(output_tokens=200, latency_ms=12.5))

    by_role = ledger.by_role()

    assert list(by_role) == ["coder", "judge"]
    assert by_role["judge"].input_tokens == 1500
    assert (by_role["judge"].attempt_count, by_role["judge"].failed_call_count) == (3, 1)
    assert by_role["coder"].latency_ms == 12.5
    assert ledger.cost_usd() == pytest.approx(0.0045 + 0.0015 + 0.003 + 0.003)


def test_a_reply_from_the_cache_is_counted_and_costs_nothing():
    ledger = UsageLedger(TokenPrices(input_usd=3.0, output_usd=15.0))
    ledger.record("judge", Usage(input_tokens=1000, from_cache=True))

    judge = ledger.by_role()["judge"]

    assert (judge.call_count, judge.cached_call_count, judge.input_tokens) == (1, 1, 0)
    assert ledger.cost_usd() == 0


def test_without_prices_there_is_no_cost():
    assert UsageLedger().cost_usd() is None


def test_calls_from_many_threads_are_all_booked(connect):
    with FakeMessages([ScriptLine(TextReply("Hi"), times=None)]) as fake:
        model = connect(fake, max_concurrency=3)
        replies = map_bounded(
            lambda number: model.complete(
                f"role {number % 2}", "", [user_message(str(number))], max_tokens=9
            ),
            range(20),
            max_concurrency=6,
        )

    by_role = model.ledger.by_role()
    assert [role.call_count for role in by_role.values()] == [10, 10]
    assert sum(role.output_tokens for role in by_role.values()) == sum(
        reply.usage.output_tokens for reply in replies
    )
