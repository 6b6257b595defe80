"""Everybody that a fake endpoint plays in the query pipeline, well and badly.

What is good and what is bad is drawn from what is asked, so that a run gives the same rows again.
"""

from envfactory_assets.records.queries import RefinedQuery
from envfactory_resources.clients.fake_messages.script import ScriptLine
from sandboxes.core.catalog import Catalog
from tests.envfactory_assets.players import authors, graph, people
from tests.envfactory_assets.players.teacher import TeacherPlayer


def play_everybody(warehouse, tree):
    """Return the lines of a script that plays every role, and the teacher among them.

    Args:
        warehouse: Holds the tasks by the time that the teacher is asked.
        tree: The environments.
    """
    teacher = TeacherPlayer(
        lambda: warehouse.read("refined_queries", RefinedQuery),
        lambda: Catalog.discover([(tree, "shipped")]),
    )
    players = {
        "parameter_labeller": graph.label,
        "graph_reviewer": graph.review,
        "scenario_planner": authors.plan,
        "query_writer": authors.write,
        "refiner": authors.refine,
        "teacher": teacher,
        "user": people.answer,
        "judge": people.judge,
    }
    return [ScriptLine(player, role=role, times=None) for role, player in players.items()], teacher
