import pytest

from envfactory_assets.stages.proposals.verbs import (
    is_action,
    read_name,
    reads_by_name,
    shared_prefix,
)


@pytest.mark.parametrize(
    ("name", "operation", "entity"),
    [
        ("create_issue", "create", "issue"),
        ("list-issues", "list", "issue"),
        ("issues.search", "search", "issue"),
        ("getIssue", "read", "issue"),
        ("get_issues", "list", "issue"),
        ("retrieve_a_page", "read", "page"),
        ("API-patch-page", "other", ""),
        ("pull_request_read", "read", "pull_request"),
        ("add_comment_to_issue", "create", "comment"),
        ("deleteOrderItems", "delete", "order_item"),
        ("simulate_query", "other", ""),
        ("cancel_order", "other", ""),
        ("post-search", "other", ""),
        ("echo", "other", ""),
        ("", "other", ""),
    ],
)
def test_a_name_says_what_is_done_to_what(name, operation, entity):
    reading = read_name(name)

    assert (reading.operation, reading.entity) == (operation, entity)


def test_words_that_all_names_share_are_counted():
    assert shared_prefix(["jira_get_issue", "jira_add_note"]) == 1
    assert shared_prefix(["get_issue", "get_note"]) == 0
    assert shared_prefix(["get_issue"]) == 0


def test_acts_are_told_from_collections():
    assert is_action(("upload", "image"))
    assert is_action(("cancel",))
    assert not is_action(("orders",))
    assert not is_action(("likes",))


def test_names_that_sound_like_looking_read():
    assert reads_by_name("check_balance")
    assert not reads_by_name("transfer_money")
