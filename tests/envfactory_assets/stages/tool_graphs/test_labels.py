import pytest

from envfactory_assets.stages.tool_graphs.ground_truth import declared_sources
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("hotel_id", "Id of the hotel", "an id of a hotel, by its name"),
        ("from_account_id", "Id of the account to pay from", "an id of an account or from account"),
        ("parent.id", "", "an id of a parent"),
        ("invoice_number", "Number of the invoice", "an id of an invoice, by its description"),
        ("recipient", "Identifier of the contact to write to", "contact"),
        ("page_token", "Where the last page ended", "an id of a page"),
        ("order", ("integer", "x"), None),
        ("phone_number", "Phone number of the guest", None),
        ("reference", "Text they see", None),
        ("email", "E-mail address of the guest", None),
        ("kind", ("enum", "Id of the kind"), None),
        ("check_in", ("date", "Day of arrival"), None),
        ("comment", "Text of the review", None),
    ],
)
def test_only_what_a_tool_alone_can_give_is_internal(make_tool, path, text, reason):
    tool = make_tool("desk__act", inputs={path: text})

    label = RuleLabeller().label([tool])[tool.inputs[0].key]

    assert label.source == ("internal" if reason else "external")
    assert (reason or "") in label.reason


def test_every_label_says_why(catalog):
    tools = graph_tools(catalog, [source.environment_id for source in catalog.sources])

    labels = RuleLabeller().label(tools)

    assert len(labels) == sum(len(tool.inputs) for tool in tools)
    assert all(label.reason for label in labels.values())


def test_labels_agree_with_what_the_shipped_environments_declare(catalog):
    ids = [source.environment_id for source in catalog.sources]
    declared = declared_sources(catalog, ids)

    labels = RuleLabeller().label(graph_tools(catalog, ids))

    wrong = {key for key, label in labels.items() if label.source != declared[key]}
    assert len(wrong) <= 0.05 * len(labels), sorted(wrong)
