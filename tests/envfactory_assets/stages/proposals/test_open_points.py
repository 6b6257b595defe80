from envfactory_assets.stages.proposals.open_points import OpenPoints


def test_topics_keep_their_order_and_each_place_counts_once():
    points = OpenPoints()
    points.add("Files are left out", "a")
    points.add("Rules are not read")
    points.add("Files are left out", "b")
    points.add("Files are left out", "a")

    assert points.sentences() == ("Files are left out: a, b.", "Rules are not read.")


def test_long_lists_are_counted():
    points = OpenPoints()
    for index in range(11):
        points.add("Left out", str(index))

    assert points.sentences() == ("Left out: 0, 1, 2, 3, 4, 5, 6, 7 and 3 more.",)
