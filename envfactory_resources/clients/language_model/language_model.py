"""A language model that roles talk to: complete a conversation, or fill a structured output."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, TypeVar

from pydantic import JsonValue

from envfactory_resources.clients.language_model.completeness import check_complete
from envfactory_resources.clients.language_model.connection import Connection
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    ModelSettingsError,
    ReplyError,
    RequestError,
)
from envfactory_resources.clients.language_model.reply import Reply
from envfactory_resources.clients.language_model.reply_cache import ReplyCache
from envfactory_resources.clients.language_model.request import (
    ModelRequest,
    PromptCache,
    StructuredMode,
)
from envfactory_resources.clients.language_model.settings import ConnectionSettings
from envfactory_resources.clients.language_model.structured_output import (
    OutputT,
    choose_mode,
    output_schema,
    read_output,
)
from envfactory_resources.clients.language_model.usage import TokenPrices, Usage, UsageLedger

ResultT = TypeVar("ResultT")


@dataclass(kw_only=True, eq=False)
class LanguageModel:
    """One model at one endpoint, with its reply cache and its usage ledger.

    Takes explicit values only: no environment variable and no file of the home folder changes
    what it sends, save the network's proxy settings. The SDK is imported at the first reply that
    is not cached. May be shared by threads.

    Raises:
        ModelSettingsError: If a value cannot work.
    """

    model: str
    """The model's name at the endpoint."""
    cache_dir: Path
    """Where replies are kept."""
    base_url: str | None = None
    """A compatible server, without `/v1`; None for Anthropic's endpoint."""
    api_key: str | None = field(default=None, repr=False)
    """The key; a server of one's own may need none."""
    max_retries: int = 2
    """How often the SDK asks again after 408, 409, 429, 5xx or a lost connection."""
    timeout_seconds: float = 120.0
    """How long the endpoint may stay silent."""
    max_concurrency: int = 4
    """How many requests may be under way at once."""
    prices: TokenPrices | None = None
    """What the ledger reckons with."""
    structured_mode: StructuredMode | None = None
    """How structured output is asked for: by default native at Anthropic's endpoint, by a forced
    tool elsewhere."""
    extra_body: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Further fields of every request, say `{"thinking": {…}}`."""
    ledger: UsageLedger = field(init=False, repr=False)
    """What every role has used so far."""

    def __post_init__(self) -> None:
        """Check the values; nothing is opened yet."""
        if self.max_concurrency < 1:
            raise ModelSettingsError(f"max_concurrency is {self.max_concurrency}; give 1 or more.")
        settings = ConnectionSettings(
            model=self.model,
            base_url=self.base_url,
            api_key=self.api_key,
            max_retries=self.max_retries,
            timeout_seconds=self.timeout_seconds,
        )
        self.ledger = UsageLedger(self.prices)
        self._connection = Connection(settings)
        self._cache = ReplyCache(self.cache_dir)
        self._free_slots = threading.BoundedSemaphore(self.max_concurrency)
        self._preferred_mode = self.structured_mode or (
            StructuredMode.NATIVE if self.base_url is None else StructuredMode.FORCED_TOOL
        )

    def complete(
        self,
        role: str,
        system: str,
        messages: Sequence[Mapping[str, JsonValue]],
        *,
        max_tokens: int,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, JsonValue]] = (),
        tool_choice: Mapping[str, JsonValue] | None = None,
        prompt_cache: PromptCache = "off",
        sample_index: int = 0,
    ) -> Reply:
        """Let the model continue a conversation.

        Args:
            role: Who asks; usage is booked under it.
            system: The system text.
            messages: By turns of user and assistant; `reply` has builders for later ones.
            max_tokens: The most tokens the reply may have.
            temperature: Left to the endpoint where None; some models refuse it.
            tools: Tools the model may call, in wire format.
            tool_choice: Which tool it must call, in wire format.
            prompt_cache: What the endpoint may keep to make the next request cheaper.
            sample_index: Another index asks for another reply to the same question.

        Raises:
            LanguageModelError: Of a kind that `errors` draws as a tree.
        """
        request = self._request(system, messages, max_tokens, temperature, sample_index)
        offered = {
            "tools": tuple(dict(tool) for tool in tools),
            "tool_choice": None if tool_choice is None else dict(tool_choice),
        }
        request = request.model_copy(update=offered)
        return self._answer(request, role, prompt_cache, lambda reply: reply)

    def structured(
        self,
        role: str,
        system: str,
        messages: Sequence[Mapping[str, JsonValue]],
        output: type[OutputT],
        *,
        max_tokens: int,
        temperature: float | None = None,
        prompt_cache: PromptCache = "off",
        sample_index: int = 0,
    ) -> tuple[OutputT, Usage]:
        """Let the model fill a structured output.

        Args:
            role: Who asks; usage is booked under it.
            system: The system text.
            messages: By turns of user and assistant.
            output: The output's model; its docstring and field descriptions are sent along.
            max_tokens: The most tokens the reply may have.
            temperature: Left to the endpoint where None; some models refuse it.
            prompt_cache: What the endpoint may keep to make the next request cheaper.
            sample_index: Another index asks for another reply to the same question.

        Raises:
            LanguageModelError: Of a kind that `errors` draws as a tree.
        """
        schema = output_schema(output)
        mode = choose_mode(schema, self._preferred_mode)
        request = self._request(system, messages, max_tokens, temperature, sample_index)
        request = request.model_copy(update={"output_schema": schema, "output_mode": mode})

        def read(reply: Reply) -> tuple[OutputT, Usage]:
            return read_output(reply, output, mode, role=role), reply.usage

        return self._answer(request, role, prompt_cache, read)

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return this model."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections to the endpoint."""
        self.close()

    def _request(
        self,
        system: str,
        messages: Sequence[Mapping[str, JsonValue]],
        max_tokens: int,
        temperature: float | None,
        sample_index: int,
    ) -> ModelRequest:
        return ModelRequest(
            model=self.model,
            system=system,
            messages=tuple(dict(message) for message in messages),
            max_tokens=max_tokens,
            temperature=temperature,
            extra_body=dict(self.extra_body),
            sample_index=sample_index,
        )

    def _answer(
        self,
        request: ModelRequest,
        role: str,
        prompt_cache: PromptCache,
        read: Callable[[Reply], ResultT],
    ) -> ResultT:
        key = request.cache_key()
        with self._cache.asking(key):
            kept = self._cache.load(key)
            if kept is not None:
                # A kept reply that no longer reads was judged by an older output model.
                with suppress(MalformedReplyError):
                    result = read(kept)
                    self.ledger.record(role, kept.usage)
                    return result
            try:
                with self._free_slots:
                    reply = self._connection.ask(request, role=role, prompt_cache=prompt_cache)
                check_complete(reply, role=role, max_tokens=request.max_tokens)
                read(reply)
            except (RequestError, ReplyError) as error:
                self.ledger.record(role, error.usage, failed=True)
                raise
            self.ledger.record(role, reply.usage)
            return read(self._cache.keep(key, reply, replace=kept is not None))
