import pytest

from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.links import build_links
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding

EMAIL = "E-mail address"


def _links(tools):
    return build_links(tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer())


@pytest.fixture
def contacts(make_tool):
    return make_tool("chat__find", outputs={"contacts[].email": EMAIL}, domain="lifestyle")


def test_contacts_of_the_messenger_are_guests_of_the_calendar(catalog):
    ids = ["lifestyle.messenger", "office.calendar"]

    kept = [link for link in _links(graph_tools(catalog, ids)) if link.kept]

    assert ("messenger__find_contacts", "contacts[].email", "calendar__invite_guest", "email") in {
        (link.source_tool, link.source_parameter, link.target_tool, link.target_parameter)
        for link in kept
    }
    assert all(link.source_domain != link.target_domain for link in kept)


def test_shipped_links_are_few_and_all_of_one_declared_kind(catalog):
    ids = [source.environment_id for source in catalog.sources]
    types = {
        (wire_name, leaf.path): leaf.identifier
        for wire_name, tool in catalog.tools.items()
        for leaf in (*tool.outputs, *tool.inputs)
    }

    kept = [link for link in _links(graph_tools(catalog, ids)) if link.kept]

    assert 1 <= len(kept) <= 3 * len(catalog.tools)
    for link in kept:
        source = types[link.source_tool, link.source_parameter]
        assert source is not None
        assert source == types[link.target_tool, link.target_parameter], link


@pytest.mark.parametrize(
    ("name", "effect", "inputs", "reason"),
    [
        ("cal__search", "read", {"email?": EMAIL}, "only narrows what search lists"),
        ("cal__remove_guest", "write", {"email": EMAIL}, "what its own service already holds"),
    ],
)
def test_links_end_where_the_value_decides_the_call(
    make_tool, contacts, name, effect, inputs, reason
):
    taker = make_tool(name, effect=effect, inputs=inputs)

    (link,) = _links([contacts, taker])

    assert not link.kept
    assert reason in link.reason


@pytest.mark.parametrize(
    ("name", "effect", "inputs", "outputs", "reason"),
    [
        ("chat__send", "write", {}, {"contacts[].email": EMAIL}, "nobody calls send to look"),
        ("chat__show", "read", {"chat_id": "Id"}, {"people[].email": EMAIL}, "needs an id first"),
        ("chat__search", "read", {}, {"notes[].author_email": EMAIL}, "somebody's part in a"),
    ],
)
def test_links_start_at_a_listing_that_anybody_can_ask_for(
    make_tool, name, effect, inputs, outputs, reason
):
    giver = make_tool(name, effect=effect, inputs=inputs, outputs=outputs, domain="lifestyle")
    taker = make_tool("cal__invite", effect="write", inputs={"email": EMAIL, "author_email": EMAIL})

    links = _links([giver, taker])

    assert links
    assert not any(link.kept for link in links)
    assert any(reason in link.reason for link in links)


def test_texts_and_ids_are_not_handed_to_another_domain(make_tool):
    giver = make_tool(
        "chat__find",
        outputs={"notes[].text": "Text", "notes[].note_id": "Id of the note"},
        domain="lifestyle",
    )
    taker = make_tool("cal__write", inputs={"text": "Text", "note_id": "Id of the note"})

    assert not any(link.kept for link in _links([giver, taker]))


def test_tools_of_one_domain_are_not_linked(make_tool, contacts):
    taker = make_tool("cal__invite", inputs={"email": EMAIL}, domain="lifestyle")

    assert _links([contacts, taker]) == ()
