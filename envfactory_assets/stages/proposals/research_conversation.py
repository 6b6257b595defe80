"""One conversation with a researcher: search, read, hand in, mend once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue, ValidationError

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.proposals.proposal_draft import ProposalDraft
from envfactory_assets.stages.proposals.research_settings import ResearchSettings
from envfactory_assets.stages.proposals.researcher import DroppedProposal, DropReason
from envfactory_assets.stages.proposals.search_tools import SearchTools
from envfactory_resources.clients.language_model.errors import (
    ModelOverloadedError,
    ModelUnreachableError,
    RateLimitedError,
    RefusedReplyError,
    ReplyError,
    TruncatedReplyError,
)
from envfactory_resources.clients.language_model.reply import (
    Reply,
    RequestedCall,
    tool_result,
    user_message,
)
from envfactory_resources.clients.language_model.structured_output import output_schema
from envfactory_resources.clients.language_model.usage import Usage

HAND_IN = "hand_in"
_PROMPT = Path(__file__).parent / "prompts" / "researcher.txt"
_SHOWN_FAULTS = 20
_ASKED_TO_HAND_IN = f"Call {HAND_IN} now, with the whole proposal."


@dataclass(frozen=True, slots=True)
class _HandedIn:
    draft: ProposalDraft | None
    faults: list[str]


class ResearchConversation:
    """Leads a model to one proposal, within bounds; whatever it does, it ends.

    Attributes:
        usages: What every reply took, useless ones included.
    """

    def __init__(
        self,
        role: ModelRole,
        search: SearchTools,
        settings: ResearchSettings,
        find_faults: Callable[[ProposalDraft], list[str]],
    ) -> None:
        """Take who is asked, with what, and what a proposal is held against.

        Args:
            role: The researcher and its model.
            search: What it searches with; of this conversation alone.
            settings: The bounds.
            find_faults: Returns what is wrong with a proposal.
        """
        self._role = role
        self._search = search
        self._settings = settings
        self._find_faults = find_faults
        self._messages: list[JsonObject] = []
        self._faults: list[str] = []
        self.usages: list[Usage] = []

    def run(self, question: str) -> ProposalDraft | DroppedProposal:
        """Return the proposal that the model hands in, or why there is none.

        Raises:
            RequestError: If the endpoint refuses the key or the request.
        """
        self._messages = [user_message(question)]
        try:
            return self._converse()
        except ReplyError as error:
            self.usages.append(error.usage)
            return DroppedProposal(_reason_of(error), str(error))
        except (ModelUnreachableError, RateLimitedError, ModelOverloadedError) as error:
            self.usages.append(error.usage)
            return DroppedProposal("unreachable", str(error))

    def _converse(self) -> ProposalDraft | DroppedProposal:
        must_hand_in = False
        for step in range(1, self._settings.max_steps + 1):
            reply = self._ask(must_hand_in or step >= self._settings.max_steps - 1)
            if reply.requested_calls:
                ended = self._answer(reply.requested_calls)
                if ended is not None:
                    return ended
            elif reply.stop_reason == "pause_turn":
                # The endpoint goes on by itself when it is sent what it said so far.
                continue
            elif must_hand_in:
                return self._dropped("malformed_reply", f"It never called {HAND_IN}")
            else:
                must_hand_in = True
                self._messages.append(user_message(_ASKED_TO_HAND_IN))
        return self._dropped(
            "endless_search", f"It handed nothing usable in within {self._settings.max_steps} steps"
        )

    def _ask(self, must_hand_in: bool) -> Reply:
        reply = self._role.model.complete(
            self._role.name,
            _PROMPT.read_text(encoding="utf-8"),
            self._messages,
            max_tokens=self._role.max_tokens,
            tools=(*self._search.tools, _hand_in_tool()),
            tool_choice={"type": "tool", "name": HAND_IN} if must_hand_in else None,
            prompt_cache="conversation",
        )
        self.usages.append(reply.usage)
        self._search.observe(reply)
        self._say(reply)
        return reply

    def _say(self, reply: Reply) -> None:
        """Add a reply to the conversation; one that goes on after a pause is one message."""
        last = self._messages[-1]
        if last["role"] != "assistant":
            # A message without content is refused by the endpoint.
            self._messages.append(reply.as_message() if reply.content else _SILENCE)
        else:
            before = cast("list[JsonValue]", last["content"])
            self._messages[-1] = {"role": "assistant", "content": [*before, *reply.content]}

    def _answer(self, calls: Sequence[RequestedCall]) -> ProposalDraft | DroppedProposal | None:
        """Answer calls; return how the conversation ends, or None when it goes on."""
        results: list[JsonObject] = []
        for call in calls:
            if call.tool != HAND_IN:
                results.append(self._search.answer(call))
                continue
            handed_in = self._read(call)
            if handed_in.draft is not None and not handed_in.faults:
                return handed_in.draft
            if self._faults:
                return self._dropped("faulty", "Its second proposal is still faulty", handed_in)
            self._faults = handed_in.faults
            results.append(tool_result(call.call_id, _told(handed_in.faults), is_error=True))
        self._messages.append(user_message(*results))
        return None

    def _read(self, call: RequestedCall) -> _HandedIn:
        try:
            draft = ProposalDraft.model_validate(call.arguments)
        except ValidationError as error:
            listed = error.errors(include_url=False, include_input=False, include_context=False)
            return _HandedIn(
                None, [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}." for fault in listed]
            )
        return _HandedIn(draft, self._find_faults(draft))

    def _dropped(
        self, reason: DropReason, said: str, handed_in: _HandedIn | None = None
    ) -> DroppedProposal:
        faults = handed_in.faults if handed_in else self._faults
        named = handed_in.draft.name if handed_in and handed_in.draft else ""
        detail = f"{self._role.made_by}: {said}{f' ({named})' if named else ''}."
        return DroppedProposal(reason, " ".join([detail, *faults[:3]]))


_SILENCE: JsonObject = {"role": "assistant", "content": [{"type": "text", "text": "(silence)"}]}


def _hand_in_tool() -> JsonObject:
    return {
        "name": HAND_IN,
        "description": "Hand in the proposal, complete. Faults come back to be mended once.",
        "input_schema": output_schema(ProposalDraft),
    }


def _told(faults: Sequence[str]) -> str:
    shown = [f"- {fault}" for fault in faults[:_SHOWN_FAULTS]]
    more = len(faults) - len(shown)
    return "\n".join(
        [
            f"The proposal cannot be used yet. Mend every fault and call {HAND_IN} once more, with "
            "the whole proposal:",
            *shown,
            *([f"- and {more} more of these kinds"] if more else []),
        ]
    )


def _reason_of(error: ReplyError) -> DropReason:
    match error:
        case TruncatedReplyError():
            return "truncated_reply"
        case RefusedReplyError():
            return "refused"
        case _:
            return "malformed_reply"
