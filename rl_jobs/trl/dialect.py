"""How conversations become tokens, and a model's tokens become calls.

A policy speaks its own chat template. The tiny policy's dialect is compact; every other model
keeps the template and the tool-call format that it came with.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.requested_calls import attempted_calls_from_messages
from rl_jobs.errors import PolicyError
from rl_jobs.exchange import ReadCall, ReadMessage
from rl_jobs.trl.compact_view import CompactView

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Messages = Sequence[Mapping[str, JsonValue]]
Functions = Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class LabelledTokens:
    """A conversation as tokens; `is_target` marks those that the assistant wrote."""

    ids: list[int]
    is_target: list[bool]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a policy learns from: messages as its template takes them, and their tokens."""

    messages: list[JsonObject]
    tokens: LabelledTokens


class View(Protocol):
    """One conversation as a policy sees it and answers it."""

    def messages(self, messages: Messages) -> list[JsonObject]:
        """Return the next messages as the chat template takes them."""
        ...

    def read(self, ids: list[int], context: list[int], functions: Functions) -> ReadMessage:
        """Return what an assistant's message, given as tokens, says and asks for."""
        ...


@dataclass
class Dialect:
    """The template and tool-call format that a model came with.

    Attributes:
        tokenizer: The model's tokenizer.
        template: A chat template that keeps prefixes and marks what the assistant wrote.
    """

    tokenizer: "PreTrainedTokenizerFast"
    template: str

    @property
    def end_id(self) -> int:
        """The token that ends a message."""
        return cast("int", self.tokenizer.eos_token_id)

    def view(self) -> View:
        """Begin a conversation."""
        return FullView(self.tokenizer)

    def rendered(self, messages: Messages, functions: Functions) -> str:
        """Return a whole conversation as the template writes it."""
        return self._text(self.view().messages(messages), functions, opens=False)

    def lesson(self, messages: Messages, functions: Functions) -> Lesson:
        """Return a whole conversation as it is learnt: as messages, and as labelled tokens."""
        shown = self.view().messages(messages)
        encoded = cast(
            "dict[str, list[int]]",
            self.tokenizer.apply_chat_template(
                cast("list[dict[str, str]]", shown),
                tools=cast("list[dict]", list(functions)),
                chat_template=self.template,
                tokenize=True,
                return_dict=True,
                return_assistant_tokens_mask=True,
            ),
        )
        is_target = [mask == 1 for mask in encoded["assistant_masks"]]
        return Lesson(shown, LabelledTokens(encoded["input_ids"], is_target))

    def lessons(self, messages: Messages, functions: Functions, limit: int) -> list[Lesson]:
        """Return what a conversation is learnt from: itself, up to the last turn that fits.

        Args:
            messages: The conversation.
            functions: The tools of the task.
            limit: Tokens.
        """
        together, _ = self._together(messages, functions, limit)
        return [together] if together else []

    def begin(self, messages: Messages, functions: Functions) -> "Thread":
        """Begin a conversation up to where the assistant is to write."""
        view = self.view()
        text = self._text(view.messages(messages), functions, opens=True)
        return Thread(self, view, functions, self._ids(text))

    def reply_ids(self, replies: list[JsonObject]) -> list[int]:
        """Return what stands between an assistant's message and its next one.

        Raises:
            PolicyError: If the template rewrites earlier messages.
        """
        before: list[JsonObject] = [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "x"},
        ]
        prefix = self._text(before, (), opens=False)
        whole = self._text([*before, *replies], (), opens=True)
        if not whole.startswith(prefix):
            raise PolicyError(
                "The chat template rewrites earlier messages when later ones come, so attempts of "
                "several messages cannot be trained on; give the model a template that does not."
            )
        end = str(self.tokenizer.eos_token)
        after = whole[prefix.rindex(end) + len(end) :] if end in prefix else whole[len(prefix) :]
        return self._ids(after)

    def text(self, ids: Sequence[int]) -> str:
        """Return tokens as text, special ones included."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def _together(
        self, messages: Messages, functions: Functions, limit: int
    ) -> tuple[Lesson | None, int]:
        """Return the turns that fit together, and where they end."""
        for end in turn_ends(messages):
            whole = self.lesson(messages[:end], functions)
            if len(whole.tokens.ids) <= limit:
                return whole, end
        return None, 0

    def _text(self, messages: list[JsonObject], functions: Functions, *, opens: bool) -> str:
        return str(
            self.tokenizer.apply_chat_template(
                cast("list[dict[str, str]]", messages),
                tools=cast("list[dict]", list(functions)) or None,
                chat_template=self.template,
                tokenize=False,
                add_generation_prompt=opens,
            )
        )

    def _ids(self, text: str) -> list[int]:
        return cast("list[int]", self.tokenizer.encode(text, add_special_tokens=False))


@dataclass
class Thread:
    """One conversation in tokens, while it goes on.

    Attributes:
        dialect: How it is written.
        view: What the policy sees of it.
        functions: The tools of the task.
        prompt: The tokens that it began with.
    """

    dialect: Dialect
    view: View
    functions: Functions
    prompt: list[int]

    def read(self, ids: list[int], context: list[int]) -> ReadMessage:
        """Return what the policy's message, written after a context, says and asks for."""
        return self.view.read(ids, context, self.functions)

    def reply_ids(self, replies: Messages) -> list[int]:
        """Return what the policy gets back, as tokens up to where it writes again."""
        return self.dialect.reply_ids(self.view.messages(replies))


@dataclass
class FullView:
    """A conversation as it is."""

    tokenizer: "PreTrainedTokenizerFast"

    def messages(self, messages: Messages) -> list[JsonObject]:
        """Return messages with the arguments of calls as objects."""
        return [with_objects(message) for message in messages]

    def read(self, ids: list[int], context: list[int], functions: Functions) -> ReadMessage:
        """Return what an assistant's message says and asks for, by the model's own format."""
        from trl.chat_template_utils import parse_response

        tools = cast("list", list(functions))
        parsed = cast(
            "JsonObject", parse_response(self.tokenizer, ids, prefix=context, tools=tools)
        )
        found = attempted_calls_from_messages([{**parsed, "role": "assistant"}])
        calls = tuple(ReadCall(call.tool, dict(call.arguments)) for call in found.calls)
        text = str(parsed.get("content") or "")
        return ReadMessage(text, calls, found.format_errors + ("<tool_call>" in text))


@dataclass
class CompactDialect(Dialect):
    """The tiny policy's: short messages, one line an argument, values by name.

    Attributes:
        items: Items of a list in a tool result that the policy sees.
        fields: Fields of such an item.
    """

    items: int = 8
    fields: int = 3

    def lessons(self, messages: Messages, functions: Functions, limit: int) -> list[Lesson]:
        """Return what a conversation is learnt from.

        Besides the turns that fit together, every later turn whose calls need no id from the turns
        before it: to a small policy a few hundred conversations are too few to waste any.
        """
        together, learnt = self._together(messages, functions, limit)
        lessons = [together] if together else []
        bounds = sorted({learnt, *(end for end in turn_ends(messages) if end > learnt)})
        for start, end in pairwise(bounds):
            view = CompactView(self.items, self.fields)
            view.messages(messages[start:end])
            lesson = self.lesson(messages[start:end], functions)
            if view.stands_alone and len(lesson.tokens.ids) <= limit:
                lessons.append(lesson)
        return lessons

    def view(self) -> View:
        """Begin a conversation."""
        return TokenView(self.tokenizer, CompactView(self.items, self.fields))


@dataclass
class TokenView:
    """A compact conversation that is read from tokens."""

    tokenizer: "PreTrainedTokenizerFast"
    compact: CompactView

    def messages(self, messages: Messages) -> list[JsonObject]:
        """Return the next messages in short."""
        return self.compact.messages(messages)

    def read(self, ids: list[int], context: list[int], functions: Functions) -> ReadMessage:
        """Return what an assistant's message says and asks for."""
        del context
        text = str(self.tokenizer.decode(ids, skip_special_tokens=True))
        return self.compact.read(text, functions)


def dialect_of(tokenizer: "PreTrainedTokenizerFast", name: str) -> Dialect:
    """Return the dialect of a model that comes with a chat template of its own.

    Raises:
        PolicyError: If there is no template, or none that attempts can be trained with.
    """
    from trl.chat_template_utils import add_response_schema, get_training_chat_template

    if not tokenizer.chat_template:
        raise PolicyError(f"Model {name!r} has no chat template; give an instruction-tuned model.")
    try:
        if getattr(tokenizer, "response_template", None) is None:
            add_response_schema(tokenizer)
        template = get_training_chat_template(tokenizer) or tokenizer.chat_template
    except ValueError as error:
        raise PolicyError(
            f"How model {name!r} writes tool calls is not known: its chat template is none that "
            "TRL recognises. Set `response_template` in its tokenizer configuration."
        ) from error
    return Dialect(tokenizer, str(template))


def turn_ends(messages: Messages) -> list[int]:
    """Return where a conversation can be cut between turns, its end first."""
    starts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    return [len(messages), *(at for at in reversed(starts[1:]) if _ends_turn(messages[at - 1]))]


def _ends_turn(message: Mapping[str, JsonValue]) -> bool:
    """Tell whether a message ends a turn: the agent's, without calls and without a question."""
    is_answer = message["role"] == "assistant" and not message.get("tool_calls")
    return is_answer and not str(message["content"]).endswith("?")


def with_objects(message: Mapping[str, JsonValue]) -> JsonObject:
    """Return a message whose calls hold their arguments as objects, as chat templates take them."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return dict(message)
    return {**message, "tool_calls": [_call_with_object(call) for call in calls]}


def _call_with_object(call: JsonValue) -> JsonValue:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    function = cast("JsonObject", call["function"])
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = cast("JsonValue", json.loads(arguments))
    return {**call, "function": {**function, "arguments": arguments}}
