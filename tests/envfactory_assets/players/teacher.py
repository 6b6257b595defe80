"""The player of the teacher: knows the plan of every task, and goes about it in many ways.

It is told nothing but what an endpoint hears. Which rollout a request belongs to it sees by how
that rollout began: each way of going about a task has an opening of its own.
"""

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from envfactory_assets.stages.queries.wording import mentions
from envfactory_assets.stages.trajectories.conversation import system_prompt
from envfactory_assets.stages.trajectories.user_actions import planned_actions, request_for
from envfactory_resources.clients.fake_messages.replies import (
    RefusalReply,
    TextReply,
    ToolCallsReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.requests import text_of
from sandboxes.core.json_paths import place, value_at
from sandboxes.core.world import World
from tests.envfactory_assets.players.spoken import chance


class Way(StrEnum):
    """How a rollout goes about its task; the value is how its first message begins."""

    HONEST = "Let me see."
    CAREFUL = "On it."
    MALFORMED = "One moment."
    UNKNOWN_TOOL = "I will try."
    LOOPS = "Looking into it."
    CHATS = "Before I start:"
    PRETENDS = "All done,"
    GUESSES = "No problem."
    STOPS_SHORT = "Sure."
    SILENT = " "
    CUT_OFF = "And then"
    REFUSES = ""


GOOD = (Way.HONEST, Way.CAREFUL, Way.MALFORMED, Way.UNKNOWN_TOOL)
BAD = tuple(way for way in Way if way not in GOOD)
_DONE = "I have taken care of it."


@dataclass
class _Heard:
    """What a request says about how far its rollout is."""

    turn: int = -1
    step: int = 0
    results: dict = field(default_factory=dict)
    said: str = ""
    asked: int = 0
    began: str | None = None
    last_failed: bool = False


class TeacherPlayer:
    """Plays the teacher on the tasks of a warehouse."""

    def __init__(self, queries, catalog, always=None):
        """Take what is needed to know the tasks.

        Args:
            queries: Reads all refined queries.
            catalog: Gives the catalog.
            always: One way for all rollouts; several, good and bad, by default.
        """
        self._read = queries
        self._catalog = catalog
        self._always = always
        self._tasks = {}
        self._begun = Counter()
        self._lock = threading.Lock()
        self.played = Counter()

    def __call__(self, request):
        """Return the reply to one request."""
        queries, actions = self._task_of(request)
        heard = _listen(request.messages, queries)
        if heard.began is None:
            return self._begin(queries, actions, heard)
        way = next(way for way in Way if way.value.strip() and heard.began.startswith(way.value))
        return _go_on(way, queries, actions, heard)

    def _begin(self, queries, actions, heard):
        task_id = queries[0].task_id
        with self._lock:
            number = self._begun[task_id]
            self._begun[task_id] += 1
            # Two of four rollouts are good; the bad ones take turns over all tasks.
            way = self._always or (
                chance(task_id, number).choice(GOOD)
                if number % 2 == 0
                else BAD[sum(self.played[bad] for bad in BAD) % len(BAD)]
            )
            self.played[way] += 1
        if way is Way.REFUSES:
            return RefusalReply()
        if way is Way.CUT_OFF:
            return TruncatedReply(way.value)
        if way is Way.SILENT:
            return TextReply(way.value)
        return _go_on(way, queries, actions, heard, opening=way.value)

    def _task_of(self, request):
        text = text_of(request.messages[0]["content"])
        with self._lock:
            found = self._find(request.system, text)
            if found is None:
                self._load()
                found = self._find(request.system, text)
        assert found is not None, f"no task begins with {text!r}"
        return found

    def _find(self, system, text):
        for queries, actions, prompt in self._tasks.values():
            if system.startswith(prompt) and queries[0].refined_text == text:
                return queries, actions
        return None

    def _load(self):
        by_task = {}
        for query in self._read():
            by_task.setdefault(query.task_id, []).append(query)
        for task_id, queries in by_task.items():
            user = World.draw(queries[0].seed).user.name
            prompt = system_prompt(user, queries[0].scenario["start"])
            actions = planned_actions(queries, self._catalog())
            self._tasks[task_id] = (queries, actions, prompt)


def _listen(messages, queries):
    heard = _Heard()
    plan = [call for query in queries for call in query.calls]
    called = {}
    for message in messages:
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if message["role"] == "assistant":
            heard.began = text_of(blocks) if heard.began is None else heard.began
            called = {item["id"]: item for item in blocks if item["type"] == "tool_use"}
            heard.asked += not called
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                _hear_result(block, called[block["tool_use_id"]]["name"], plan, heard)
            else:
                _hear_text(block["text"], queries, plan, heard)
    return heard


def _hear_result(block, tool, plan, heard):
    heard.last_failed = bool(block.get("is_error"))
    is_planned = heard.step < len(plan) and plan[heard.step].tool == tool
    if is_planned and not heard.last_failed:
        heard.results[heard.step] = json.loads(text_of(block["content"]))
        heard.step += 1


def _hear_text(text, queries, plan, heard):
    following = queries[heard.turn + 1] if heard.turn + 1 < len(queries) else None
    if (
        following is not None
        and following.refined_text == text
        and heard.step == (following.calls[0].step if following.calls else heard.step)
    ):
        heard.turn += 1
        heard.asked = 0
    elif "Done, I " in text and plan[heard.step].actor == "user":
        heard.step += 1
    heard.said += f"\n{text}"


def _go_on(way, queries, actions, heard, opening=""):
    query = queries[heard.turn]
    left = [call for call in query.calls if call.step >= heard.step]
    lead = f"{opening} " if opening else ""
    match way:
        case Way.LOOPS:
            return ToolCallsReply([_call(query.calls[0], heard)], opening)
        case Way.CHATS:
            return TextReply(f"{lead}Before I go on, how are you today?")
        case Way.PRETENDS:
            return TextReply(f"{lead}{_DONE}")
        case Way.UNKNOWN_TOOL if opening:
            return ToolCallsReply([("nobody__do_it_all", {"what": "all"})], opening)
        case Way.MALFORMED if opening:
            return ToolCallsReply([(left[0].tool, {"nonsense": [1]})], opening)
        case Way.STOPS_SHORT if len(left) == 1 and not opening:
            return TextReply(_DONE)
        case _:
            return _next_move(way, query, left, actions, heard, opening)


def _next_move(way, query, left, actions, heard, opening):
    lead = f"{opening} " if opening else ""
    unheard = [item.topic for item in query.disclosures if not mentions(heard.said, item.value)]
    if unheard and heard.asked < 2 and way is not Way.GUESSES:
        return TextReply(f"{lead}Could you tell me the {' and the '.join(unheard)}?")
    if not left or (unheard and way is not Way.GUESSES) or heard.asked > 4:
        return TextReply(f"{lead}{_DONE}")
    if left[0].actor == "user":
        [action] = [item for item in actions[query.turn] if item.step == left[0].step]
        return TextReply(f"{lead}{request_for(action)}")
    guessed = {item.path: "whatever" for item in query.disclosures if unheard}
    return ToolCallsReply([_call(left[0], heard, guessed)], opening)


def _call(call, heard, guessed=None):
    arguments = {}
    for argument in call.provenance:
        value = argument.value
        if argument.source == "result" and argument.source_step in heard.results:
            result = heard.results[argument.source_step]
            value = value_at(result, argument.source_path) or value
        place(arguments, argument.path, (guessed or {}).get(argument.path, value))
    return call.tool, arguments
