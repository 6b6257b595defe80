import pytest

from envfactory_assets.stages.proposals.keys import key_of
from envfactory_assets.stages.proposals.source_tools import Argument


def argument(name, type_="string", *, required=True):
    return Argument(name, {"type": type_}, is_required=required, place="input")


@pytest.mark.parametrize(
    ("entity", "names", "key"),
    [
        ("issue", ["owner", "issue_id"], "issue_id"),
        ("issue", ["owner", "id"], "id"),
        ("issue", ["owner", "issueNumber"], "issueNumber"),
        ("pull_request", ["repo", "pull_number"], "pull_number"),
        ("repository", ["owner", "repo"], "repo"),
        ("file", ["path"], "path"),
        ("comment", ["block_id"], None),
        ("page_text", ["page_id", "text"], None),
        ("issue_type", ["issue_type", "issue_number"], None),
        ("issue", ["owner", "title"], None),
    ],
)
def test_the_key_is_what_names_the_entity(entity, names, key):
    assert key_of([argument(name) for name in names], entity) == key


def test_an_object_is_no_key():
    assert key_of([argument("issue_id", "object")], "issue") is None
