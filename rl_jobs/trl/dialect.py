# pyright: standard
"""How conversations become tokens, and a model's tokens become calls.

A policy speaks its own chat template. The tiny policy's dialect is compact; every other model
keeps the template and the tool-call format that it came with.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.requested_calls import attempted_calls_from_messages
from rl_jobs.errors import PolicyError
from rl_jobs.trl.call_grammar import ReadCall, ReadMessage, read_message
from rl_jobs.trl.compact_view import compact_messages

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Messages = Sequence[Mapping[str, JsonValue]]
Functions = Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class LabelledTokens:
    """A conversation as tokens; `is_target` marks those that the assistant wrote."""

    ids: list[int]
    is_target: list[bool]


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

    def view(self, messages: Messages) -> list[JsonObject]:
        """Return messages as the template takes them: arguments as objects."""
        return [_with_objects(message) for message in messages]

    def labelled(self, messages: Messages, functions: Functions) -> LabelledTokens:
        """Return a whole conversation, and which of its tokens are to be learnt."""
        encoded = cast(
            "dict[str, list[int]]",
            self.tokenizer.apply_chat_template(
                cast("list[dict[str, str]]", self.view(messages)),
                tools=cast("list[dict]", list(functions)),
                chat_template=self.template,
                tokenize=True,
                return_dict=True,
                return_assistant_tokens_mask=True,
            ),
        )
        return LabelledTokens(
            encoded["input_ids"], [mask == 1 for mask in encoded["assistant_masks"]]
        )

    def rendered(self, messages: Messages, functions: Functions) -> str:
        """Return a whole conversation as the template writes it."""
        return self._text(self.view(messages), functions, opens=False)

    def prompt_ids(self, messages: Messages, functions: Functions) -> list[int]:
        """Return a conversation up to where the assistant is to write."""
        return self._ids(self._text(self.view(messages), functions, opens=True))

    def reply_ids(self, replies: Messages) -> list[int]:
        """Return what stands between an assistant's message and its next one."""
        before: list[JsonObject] = [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "x"},
        ]
        prefix = self._text(before, (), opens=False)
        whole = self._text([*before, *self.view(replies)], (), opens=True)
        if not whole.startswith(prefix):
            raise PolicyError(
                "The chat template rewrites earlier messages when later ones come, so attempts of "
                "several messages cannot be trained on; give the model a template that does not."
            )
        end = str(self.tokenizer.eos_token)
        after = whole[prefix.rindex(end) + len(end) :] if end in prefix else whole[len(prefix) :]
        return self._ids(after)

    def read(self, ids: list[int], prompt: list[int], functions: Functions) -> ReadMessage:
        """Return what an assistant's message says and asks for."""
        from trl.chat_template_utils import parse_response

        tools = cast("list", list(functions))
        parsed = cast("JsonObject", parse_response(self.tokenizer, ids, prefix=prompt, tools=tools))
        found = attempted_calls_from_messages([{**parsed, "role": "assistant"}])
        calls = tuple(ReadCall(call.tool, dict(call.arguments)) for call in found.calls)
        text = str(parsed.get("content") or "")
        broken = found.format_errors + ("<tool_call>" in text)
        return ReadMessage(text, calls, broken)

    def text(self, ids: Sequence[int]) -> str:
        """Return tokens as text, special ones included."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

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
class CompactDialect(Dialect):
    """The tiny policy's: short messages and one line an argument.

    Attributes:
        items: Items of a list in a tool result that the policy sees.
        fields: Fields of such an item.
    """

    items: int = 8
    fields: int = 3

    def view(self, messages: Messages) -> list[JsonObject]:
        """Return the messages in short."""
        return compact_messages(messages, self.items, self.fields)

    def read(self, ids: list[int], prompt: list[int], functions: Functions) -> ReadMessage:
        """Return what an assistant's message says and asks for."""
        del prompt
        text = str(self.tokenizer.decode(ids, skip_special_tokens=True))
        return read_message(text, functions)


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


def _with_objects(message: Mapping[str, JsonValue]) -> JsonObject:
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
