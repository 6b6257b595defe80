import pytest

from envfactory_assets.stages.attempts.authors import Draft, Judged
from envfactory_assets.stages.attempts.model_coder import ModelCoder, system_text
from envfactory_assets.stages.model_role import ModelRole
from envfactory_resources.clients.fake_messages.server import FakeMessages
from sandboxes.verification.allowed_names import ALLOWED_NAMES, FORBIDDEN_BUILTINS
from sandboxes.verification.report import Finding


def judged(code, expected):
    finding = Finding(
        gate="state",
        tool="meeting_rooms__book_room",
        fault="implementation",
        call=None,
        expected=expected,
        got="something else",
        hint="Mend it.",
    )
    return Judged(Draft(code), (finding,))


@pytest.fixture
def asked(lines, model_at, proposal):
    """Let the coder write with some earlier rounds, and return the request."""

    def ask(*earlier):
        with FakeMessages([lines.coder_hands_in("x = 1\n")]) as fake:
            coder = ModelCoder(ModelRole(model_at(fake), "coder"))
            assert coder.write(proposal, earlier).source == "x = 1\n"
        return fake.requests[0]

    return ask


def test_every_round_begins_with_the_same_contract_and_proposal(asked):
    first, second = asked(), asked(judged("y = 2\n", "no change"))

    assert second.body["system"] == first.body["system"]
    assert second.messages[0] == first.messages[0]
    assert first.body["cache_control"] == {"type": "ephemeral"}
    assert first.body["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_a_later_round_shows_the_last_draft_and_what_was_found(asked):
    request = asked(judged("y = 1\n", "an earlier wish"), judged("y = 2\n", "no change"))

    assert [message["role"] for message in request.messages] == ["user", "assistant", "user"]
    assert request.messages[1]["content"] == "```python\ny = 2\n```"
    assert '"expected": "no change"' in request.last_user
    assert "must not come back:\n\n- meeting_rooms__book_room: expected an earlier wish" in (
        request.last_user
    )


def test_the_proposal_is_told_without_what_only_the_pool_needs(asked):
    told = asked().last_user

    assert "Nobody books a day in the past." in told
    assert "rationale" not in told
    assert "house-rules.openapi.json" not in told


def test_the_contract_names_what_an_environment_may_import():
    text = system_text()
    told = text[: text.index("# One exemplary environment")]

    for module, names in ALLOWED_NAMES.items():
        assert f"    {module}: " in told
        assert module == "math" or all(name in told for name in names)
    assert all(f"`{name}`" in told for name in FORBIDDEN_BUILTINS)


def test_the_contract_ends_with_the_exemplary_environment():
    text = system_text()

    assert "class HotelBooking(Environment[HotelBookingState]):" in text
    assert "{EXEMPLAR}" not in text
