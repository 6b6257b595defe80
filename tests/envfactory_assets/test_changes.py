"""What a changed environment file reaches, and what it does not."""

HOTEL = "travel/hotel_booking.py"
MESSENGER = "lifestyle/messenger.py"


def reword_first_tool(platform, file):
    """Change what the model reads about one tool."""
    path = platform.tree / file
    before, mark, after = path.read_text().partition('        """')
    path.write_text(f"{before}{mark}Please note: {after}")


def add_comment(platform, file):
    path = platform.tree / file
    path.write_text(f"{path.read_text()}# One word more.\n")


def changed_partitions(before, after):
    return {key for key in after if before[key] != after[key]}


def run(platform, changed, reaching):
    """Run the legs of the main job that follow from a changed domain, in some domains."""
    return [
        platform.run("environment_job", changed),
        platform.run("link_job"),
        *(platform.run("task_job", domain) for domain in reaching),
        platform.run("dataset_job"),
    ]


def failures(legs):
    return [failure for leg in legs for failure in leg.failures]


def test_a_changed_environment_is_verified_again_and_flows_through_its_domain_alone(platform):
    before = platform.data_versions()
    reword_first_tool(platform, HOTEL)
    legs = run(platform, "travel", reaching=("travel", "lifestyle", "finance"))

    changed = changed_partitions(before, platform.data_versions())
    assert failures(legs) == []
    assert {domain for _, domain in changed} == {"travel", None}
    assert {("environments", "travel"), ("filtered_trajectories", "travel")} <= changed
    assert {("sft_dataset", None), ("rl_dataset", None)} <= changed
    [elsewhere] = [leg for leg in legs if leg.domain == "finance"]
    assert set(elsewhere.unchanged) == set(elsewhere.row_counts)


def test_a_changed_environment_reaches_every_domain_whose_sessions_open_it(platform):
    before = platform.data_versions()
    opening = {
        row["domain"]
        for row in platform.warehouse.query(
            "SELECT domain FROM filtered_trajectories "
            "WHERE environment_ids LIKE '%lifestyle.messenger%' AND domain <> 'lifestyle'"
        )
    }
    reword_first_tool(platform, MESSENGER)
    legs = run(platform, "lifestyle", reaching=("travel", "finance"))

    changed = changed_partitions(before, platform.data_versions())
    assert failures(legs) == []
    assert {domain for asset, domain in changed if asset == "environments"} == {"lifestyle"}
    assert {domain for asset, domain in changed if asset == "filtered_trajectories"} == opening
    assert opening


def test_a_comment_is_verified_again_and_changes_no_rows_that_are_trained_on(platform):
    before = platform.data_versions()
    add_comment(platform, HOTEL)
    legs = run(platform, "travel", reaching=("travel",))

    assert failures(legs) == []
    # The card names the hash of every environment's source.
    assert changed_partitions(before, platform.data_versions()) == {
        ("environments", "travel"),
        ("data_card", None),
    }


def test_an_environment_that_changed_since_is_not_used(platform):
    add_comment(platform, HOTEL)
    leg = platform.run("task_job", "travel")

    assert len(leg.failures) == 1
    assert "travel.hotel_booking" in leg.failures[0]
    assert "environments[travel]" in leg.failures[0]
