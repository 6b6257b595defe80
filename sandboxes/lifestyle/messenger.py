"""Messenger: contacts, conversations, groups with admins, scheduled and deleted messages, blocks."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, Moment, add_days, add_minutes, minutes_between
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

ConversationId = Annotated[str, Identifier("ConversationId")]
MessageId = Annotated[str, Identifier("MessageId")]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]
CityName = Annotated[str, Identifier("CityName", speakable=True)]
ConversationKind = Literal["direct", "group"]
MessageStatus = Literal["sent", "scheduled", "deleted"]

_MAX_MEMBERS = 6
_MAX_SCHEDULED = 2
_MAX_DAYS_AHEAD = 30
_DELETION_MINUTES = 60

ContactEmail = Annotated[EmailAddress, Field(description="E-mail address of the contact")]
AConversation = Annotated[ConversationId, Field(description="Id of the conversation")]
AGroup = Annotated[ConversationId, Field(description="Id of a group that the user administers")]
AMessage = Annotated[MessageId, Field(description="Id of the message")]
Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description="What to write",
        examples=["See you at the meeting", "I am running late", "Shall we talk at noon?"],
    ),
]
GroupName = Annotated[
    str,
    Field(min_length=1, description="Name of the group", examples=["Ski trip", "Board games"]),
]
PartOfText = Annotated[str, Field(description="Part of the text", examples=["send me", "thanks"])]
PartOfName = Annotated[str, Field(description="Part of the contact's name")]
Limit = Annotated[int, Field(ge=1, le=50, description="How many of the newest messages to show")]


class Contact(Entity):
    """Somebody in the user's address book; no message goes to a blocked one."""

    name: str
    email: EmailAddress
    phone: str
    city: CityName
    is_blocked: bool


class Conversation(Entity):
    """A chat with one contact, titled by their name, or with a group."""

    kind: ConversationKind
    title: str
    members: list[EmailAddress]
    admins: list[EmailAddress]
    read_until: Moment
    only_admins_post: bool = False
    muted_until: Moment | None = None


class Message(Entity):
    """Something written; it is scheduled while `sent_at` lies ahead of the clock."""

    conversation_id: ConversationId
    sender_email: EmailAddress
    text: str
    sent_at: Moment
    reply_to: MessageId | None = None
    is_deleted: bool = False


class MessengerState(State):
    """The user's address book, conversations and messages."""

    user_email: EmailAddress
    user_name: str
    contacts: list[Contact]
    conversations: dict[str, Conversation] = Field(default_factory=dict)
    messages: dict[str, Message] = Field(default_factory=dict)


class ContactDetails(Result):
    """A contact in full."""

    email: EmailAddress = Field(description="E-mail address of the contact")
    name: Annotated[str, Label()] = Field(description="Full name of the contact")
    phone: str = Field(description="Phone number of the contact")
    city: CityName = Field(description="Home city of the contact")
    is_blocked: bool = Field(description="Whether the user blocked the contact")


class ContactList(Result):
    """Contacts of the address book."""

    contacts: list[ContactDetails] = Field(description="Contacts found, by name")


class Member(Result):
    """Somebody who takes part in a conversation."""

    email: EmailAddress = Field(description="E-mail address of the member")
    name: Annotated[str, Label()] = Field(description="Full name of the member")
    is_admin: bool = Field(description="Whether the member may change the group")


class ConversationSummary(Result):
    """A conversation as a list shows it."""

    conversation_id: ConversationId = Field(description="Id of the conversation")
    title: Annotated[str, Label()] = Field(description="Name of the group or of the contact")
    kind: ConversationKind = Field(description="Whether one contact or a group takes part")
    unread_count: int = Field(description="How many messages the user has not read")
    last_message_at: Moment | None = Field(description="Time of the newest message, null if none")
    muted_until: Moment | None = Field(description="When it becomes loud again, null if it is")


class ConversationList(Result):
    """The user's conversations."""

    conversations: list[ConversationSummary] = Field(
        description="Conversations, the one with the newest message first"
    )


class ConversationDetails(ConversationSummary):
    """A conversation with those who take part."""

    members: list[Member] = Field(description="Everybody who takes part, in order of joining")
    only_admins_post: bool = Field(description="Whether other members can only read")


class MessageDetails(Result):
    """A message in full."""

    message_id: MessageId = Field(description="Id of the message")
    conversation_id: ConversationId = Field(description="Id of the conversation it stands in")
    conversation_title: str = Field(description="Name of the group or of the contact")
    sender_email: EmailAddress = Field(description="E-mail address of whoever wrote it")
    sender_name: str = Field(description="Full name of whoever wrote it")
    text: Annotated[str, Label()] = Field(description="What was written")
    sent_at: Moment = Field(description="When it was or will be sent")
    reply_to: MessageId | None = Field(description="Id of the message it answers, null if none")
    status: MessageStatus = Field(description="Whether it went out, waits or was taken back")


class MessageList(Result):
    """Messages of several conversations."""

    messages: list[MessageDetails] = Field(description="Messages found, newest first")


class ConversationMessages(ConversationDetails):
    """A conversation with its newest messages."""

    messages: list[MessageDetails] = Field(description="Messages that were sent, newest first")


class Messenger(Environment[MessengerState]):
    """Look up contacts, read and write messages, and run group chats."""

    @tool(effect="read", phrasings=("look up my contacts[ named {name}][ in {city}]",))
    def find_contacts(
        self,
        name: PartOfName | None = None,
        city: Annotated[CityName | None, Field(description="Only contacts who live there")] = None,
    ) -> ContactList:
        """Find contacts with their e-mail addresses and phone numbers, by name."""
        found = [
            ContactDetails(**contact.model_dump())
            for contact in self.state.contacts
            if (name is None or name.lower() in contact.name.lower())
            and (city is None or contact.city == city)
        ]
        return ContactList(contacts=sorted(found, key=lambda contact: contact.name))

    @tool(
        effect="read",
        phrasings=("list my[ {kind}] conversations[ with at least {min_unread} unread messages]",),
    )
    def list_conversations(
        self,
        kind: Annotated[
            ConversationKind | None, Field(description="Only conversations of this kind")
        ] = None,
        min_unread: Annotated[int, Field(ge=0, description="Fewest unread messages")] = 0,
    ) -> ConversationList:
        """List the user's conversations, the one with the newest message first."""
        shown = [self._summary(conversation_id) for conversation_id in self.state.conversations]
        found = [
            summary
            for summary in sorted(shown, key=lambda summary: summary.title)
            if summary.unread_count >= min_unread and kind in (None, summary.kind)
        ]
        found.sort(key=lambda summary: summary.last_message_at or "", reverse=True)
        return ConversationList(conversations=found)

    @tool(
        effect="read",
        phrasings=(
            "show[ the last {limit} messages of] {conversation_id}",
            "open {conversation_id}[ and read its {limit} newest messages]",
        ),
    )
    def read_conversation(
        self, conversation_id: AConversation, limit: Limit = 10
    ) -> ConversationMessages:
        """Show who takes part in a conversation and its newest messages, newest first."""
        details = self._details(conversation_id)
        return ConversationMessages(
            members=details.members,
            messages=self._newest_first("sent", conversation_id)[:limit],
            **details.model_dump(exclude={"members"}),
        )

    @tool(
        effect="read",
        phrasings=(
            "find[ {status}] messages[ containing '{text}'][ from {email}][ since {since}]",
        ),
    )
    def search_messages(
        self,
        text: PartOfText | None = None,
        email: Annotated[
            EmailAddress | None, Field(description="Only messages that this person wrote")
        ] = None,
        since: Annotated[
            Day | None, Field(description="Only messages of this day or later")
        ] = None,
        status: Annotated[
            Literal["sent", "scheduled"], Field(description="Whether they went out or wait")
        ] = "sent",
    ) -> MessageList:
        """Search the messages of all conversations, newest first."""
        if email not in (None, self.state.user_email):
            self._contact(email)
        messages = [
            message
            for message in self._newest_first(status)
            if (text is None or text.lower() in message.text.lower())
            and (email is None or message.sender_email == email)
            and (since is None or message.sent_at >= since)
        ]
        return MessageList(messages=messages)

    @tool(
        effect="write",
        phrasings=("write to {email}: '{text}'", "send {email} the message '{text}'"),
    )
    def send_message(self, email: ContactEmail, text: Text) -> MessageDetails:
        """Send a contact a direct message, opening a conversation if there is none."""
        contact = self._reachable(email)
        for conversation_id, conversation in self.state.conversations.items():
            if conversation.kind == "direct" and email in conversation.members:
                return self._write(conversation_id, text)
        conversation_id = _open_conversation(self.state, "direct", contact.name, [email], [])
        return self._write(conversation_id, text)

    @tool(
        effect="write",
        phrasings=("post '{text}' in {conversation_id}", "tell {conversation_id} '{text}'"),
    )
    def post_message(self, conversation_id: AConversation, text: Text) -> MessageDetails:
        """Write into a conversation; some groups let only their admins post."""
        self._check_may_post(conversation_id)
        return self._write(conversation_id, text)

    @tool(effect="write", phrasings=("reply '{text}' to {message_id}",))
    def reply_to_message(self, message_id: AMessage, text: Text) -> MessageDetails:
        """Answer a message that was sent, in its own conversation."""
        message = self._message(message_id)
        if message.sent_at > self.clock.now:
            raise ToolError(
                f"{message_id} goes out at {message.sent_at}; nobody can answer before."
            )
        self._check_may_post(message.conversation_id)
        return self._write(message.conversation_id, text, reply_to=message_id)

    @tool(effect="write", phrasings=("post '{text}' in {conversation_id} at {send_at}",))
    def schedule_message(
        self,
        conversation_id: AConversation,
        text: Text,
        send_at: Annotated[Moment, Field(description="When it shall go out")],
    ) -> MessageDetails:
        """Write a message that goes out later, at most 30 days ahead and two a conversation."""
        self._check_may_post(conversation_id)
        latest = add_minutes(self.clock.now, _MAX_DAYS_AHEAD * 24 * 60)
        if not self.clock.now < send_at <= latest:
            raise ToolError(f"A message is scheduled between now and {latest}, not at {send_at}.")
        if len(self._newest_first("scheduled", conversation_id)) >= _MAX_SCHEDULED:
            raise ToolError(
                f"{_MAX_SCHEDULED} messages wait in this conversation already; delete one first."
            )
        return self._write(conversation_id, text, sent_at=send_at)

    @tool(effect="write", phrasings=("delete {message_id}", "take back {message_id}"))
    def delete_message(self, message_id: AMessage) -> MessageDetails:
        """Delete an own message within 60 minutes or before it goes out, or any as group admin."""
        message = self._message(message_id)
        conversation = self.state.conversations[message.conversation_id]
        if self.state.user_email not in conversation.admins:
            if message.sender_email != self.state.user_email:
                raise ToolError(f"Only {message.sender_email} can delete {message_id}.")
            age = minutes_between(message.sent_at, self.clock.now)
            if age > _DELETION_MINUTES:
                raise ToolError(
                    f"{message_id} was sent {age} minutes ago; only messages of the last "
                    f"{_DELETION_MINUTES} minutes can be deleted."
                )
        message.is_deleted = True
        return self._message_details(message_id)

    @tool(effect="write", phrasings=("start a group called '{group_name}' with {email}",))
    def create_group(self, group_name: GroupName, email: ContactEmail) -> ConversationDetails:
        """Start a group with one contact; the user becomes its admin."""
        self._reachable(email)
        for conversation in self.state.conversations.values():
            if conversation.kind == "group" and conversation.title.lower() == group_name.lower():
                raise ToolError(f"You have a group {conversation.title!r}; choose another name.")
        admins = [self.state.user_email]
        return self._details(_open_conversation(self.state, "group", group_name, [email], admins))

    @tool(effect="write", phrasings=("{action} {email} as a member of {conversation_id}",))
    def change_member(
        self,
        conversation_id: AGroup,
        email: ContactEmail,
        action: Annotated[Literal["add", "remove"], Field(description="What to do")],
    ) -> ConversationDetails:
        """Add a contact to a group that the user administers, or remove a member."""
        group = self._conversation(conversation_id)
        if group.kind == "direct":
            raise ToolError(f"The conversation with {group.title} is no group; choose a group.")
        if self.state.user_email not in group.admins:
            raise ToolError(f"Only {', '.join(group.admins)} can change {group.title!r}.")
        if action == "add":
            self._check_can_join(group, email)
            group.members.append(email)
        else:
            self._check_can_leave(group, email)
            group.members.remove(email)
        return self._details(conversation_id)

    @tool(effect="write", phrasings=("mute {conversation_id} for {hours} hours",))
    def mute_conversation(
        self,
        conversation_id: AConversation,
        hours: Annotated[int, Field(ge=1, le=168, description="How many hours it stays silent")],
    ) -> ConversationDetails:
        """Silence a conversation for some hours from now; a longer silence is not cut short."""
        conversation = self._conversation(conversation_id)
        until = add_minutes(self.clock.now, hours * 60)
        if until <= (conversation.muted_until or ""):
            raise ToolError(
                f"{conversation.title!r} is muted until {conversation.muted_until} already; "
                "mute it for longer."
            )
        conversation.muted_until = until
        return self._details(conversation_id)

    @tool(effect="write", phrasings=("{action} {email}",))
    def change_block(
        self,
        email: ContactEmail,
        action: Annotated[Literal["block", "unblock"], Field(description="What to do")],
    ) -> ContactDetails:
        """Block a contact, which drops the messages waiting for them, or unblock one."""
        contact = self._contact(email)
        if contact.is_blocked == (action == "block"):
            raise ToolError(f"{contact.name} is {action}ed already.")
        contact.is_blocked = action == "block"
        for message in self.state.messages.values():
            conversation = self.state.conversations[message.conversation_id]
            is_theirs = conversation.kind == "direct" and email in conversation.members
            if contact.is_blocked and is_theirs and message.sent_at > self.clock.now:
                message.is_deleted = True
        return ContactDetails(**contact.model_dump())

    def _contact(self, email: str) -> Contact:
        for contact in self.state.contacts:
            if contact.email == email:
                return contact
        raise ToolError(f"No contact has the address {email!r}; look up your contacts first.")

    def _reachable(self, email: str) -> Contact:
        contact = self._contact(email)
        if contact.is_blocked:
            raise ToolError(f"You blocked {contact.name}; unblock them first.")
        return contact

    def _conversation(self, conversation_id: str) -> Conversation:
        if conversation_id not in self.state.conversations:
            raise ToolError(
                f"There is no conversation {conversation_id!r}; list your conversations first."
            )
        return self.state.conversations[conversation_id]

    def _message(self, message_id: str) -> Message:
        message = self.state.messages.get(message_id)
        if message is None:
            raise ToolError(f"There is no message {message_id!r}; search your messages first.")
        if message.is_deleted:
            raise ToolError(f"Message {message_id} was deleted; choose another one.")
        return message

    def _check_may_post(self, conversation_id: str) -> None:
        conversation = self._conversation(conversation_id)
        if conversation.kind == "direct":
            self._reachable(conversation.members[1])
        if conversation.only_admins_post and self.state.user_email not in conversation.admins:
            raise ToolError(
                f"Only {', '.join(conversation.admins)} can post in {conversation.title!r}."
            )

    def _check_can_join(self, group: Conversation, email: str) -> None:
        self._reachable(email)
        if email in group.members:
            raise ToolError(f"{email} is in {group.title!r} already.")
        if len(group.members) >= _MAX_MEMBERS:
            raise ToolError(f"{group.title!r} is full; a group has at most {_MAX_MEMBERS} members.")

    def _check_can_leave(self, group: Conversation, email: str) -> None:
        if email not in group.members:
            raise ToolError(f"{email} is not in {group.title!r}; look up its members first.")
        if email in group.admins:
            raise ToolError(f"{email} is an admin of {group.title!r} and cannot be removed.")

    def _write(
        self,
        conversation_id: str,
        text: str,
        sent_at: str | None = None,
        reply_to: str | None = None,
    ) -> MessageDetails:
        message_id = self.clock.next_id("MS")
        self.state.messages[message_id] = Message(
            conversation_id=conversation_id,
            sender_email=self.state.user_email,
            text=text,
            sent_at=sent_at or self.clock.now,
            reply_to=reply_to,
        )
        self.state.conversations[conversation_id].read_until = self.clock.now
        return self._message_details(message_id)

    def _name(self, email: str) -> str:
        if email == self.state.user_email:
            return self.state.user_name
        return self._contact(email).name

    def _message_details(self, message_id: str) -> MessageDetails:
        message = self.state.messages[message_id]
        status = "scheduled" if message.sent_at > self.clock.now else "sent"
        return MessageDetails(
            message_id=message_id,
            conversation_title=self.state.conversations[message.conversation_id].title,
            sender_name=self._name(message.sender_email),
            status="deleted" if message.is_deleted else status,
            **message.model_dump(exclude={"is_deleted"}),
        )

    def _newest_first(
        self, status: MessageStatus, conversation_id: str | None = None
    ) -> list[MessageDetails]:
        shown = [
            self._message_details(message_id)
            for message_id, message in self.state.messages.items()
            if conversation_id in (None, message.conversation_id)
        ]
        found = [message for message in shown if message.status == status]
        return sorted(found, key=lambda m: (m.sent_at, _number(m.message_id)), reverse=True)

    def _summary(self, conversation_id: str) -> ConversationSummary:
        conversation = self._conversation(conversation_id)
        messages = self._newest_first("sent", conversation_id)
        unread = [
            message
            for message in messages
            if message.sender_email != self.state.user_email
            and message.sent_at > conversation.read_until
        ]
        muted_until = conversation.muted_until
        is_muted = muted_until is not None and muted_until > self.clock.now
        return ConversationSummary(
            conversation_id=conversation_id,
            title=conversation.title,
            kind=conversation.kind,
            unread_count=len(unread),
            last_message_at=messages[0].sent_at if messages else None,
            muted_until=muted_until if is_muted else None,
        )

    def _details(self, conversation_id: str) -> ConversationDetails:
        conversation = self._conversation(conversation_id)
        members = [
            Member(email=email, name=self._name(email), is_admin=email in conversation.admins)
            for email in conversation.members
        ]
        return ConversationDetails(
            members=members,
            only_admins_post=conversation.only_admins_post,
            **self._summary(conversation_id).model_dump(),
        )

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> MessengerState:
        """Draw the address book, five direct conversations, three groups, and their messages."""
        blocked = world.people[-1]
        state = MessengerState(
            clock=Clock(now=world.now),
            user_email=world.user.email,
            user_name=world.user.name,
            contacts=[
                Contact(**person.model_dump(exclude={"job"}), is_blocked=person == blocked)
                for person in world.people
            ],
        )
        texts = [form.format(thing) for form in _FORMS for thing in _THINGS]
        rng.shuffle(texts)
        for person in (*world.people[:4], blocked):
            opened = _open_conversation(state, "direct", person.name, [person.email], [])
            _add_talk(state, opened, texts, rng)
        others = [person.email for person in world.people[:-1]]
        for number, title in enumerate(rng.sample(_GROUPS, 3)):
            members = rng.sample(others, rng.randint(2, 3))
            admins = [world.user.email if number < 2 else members[0]]
            opened = _open_conversation(state, "group", title, members, admins)
            state.conversations[opened].only_admins_post = number == 2
            state.conversations[opened].muted_until = add_minutes(world.now, 600 * (number - 1))
            _add_talk(state, opened, texts, rng)
        user = world.user.email
        _add_message(state, "CV-2", user, texts, add_minutes(world.now, -rng.choice((20, 40, 60))))
        for opened, ahead in (("CV-4", 1), ("CV-6", 2)):
            day = add_days(world.today, ahead)
            _add_message(state, opened, user, texts, f"{day}T{rng.randint(9, 18):02d}:00")
        return state


_GROUPS = ("Book club", "Choir", "Football on Sunday", "Neighbours", "Parents", "Weekend hikes")
_FORMS = ("Did you see the {}?", "Thanks for the {}!", "I lost the {}.", "Can you send me the {}?")
_THINGS = ("draft", "tickets", "invoice", "lease", "notes", "photos", "recipe")


def _number(message_id: str) -> int:
    return int(message_id.rpartition("-")[2])


def _open_conversation(
    state: MessengerState,
    kind: ConversationKind,
    title: str,
    others: list[str],
    admins: list[str],
) -> str:
    conversation_id = state.clock.next_id("CV")
    state.conversations[conversation_id] = Conversation(
        kind=kind,
        title=title,
        members=[state.user_email, *others],
        admins=admins,
        read_until=state.clock.now,
    )
    return conversation_id


def _add_talk(
    state: MessengerState, conversation_id: str, texts: list[str], rng: random.Random
) -> None:
    """Add three messages; in every second conversation the last one is unread."""
    conversation = state.conversations[conversation_id]
    others = conversation.members[1:]
    day = add_days(state.clock.today, -rng.randint(1, 6))
    sent_at = f"{day}T{rng.randint(9, 19):02d}:{rng.choice(('05', '20', '40'))}"
    for sender in (others[0], state.user_email, others[-1]):
        if sender == state.user_email or len(state.conversations) % 2 == 0:
            conversation.read_until = sent_at
        _add_message(state, conversation_id, sender, texts, sent_at)
        sent_at = add_minutes(sent_at, rng.randint(5, 50))


def _add_message(
    state: MessengerState, conversation_id: str, sender: str, texts: list[str], sent_at: str
) -> None:
    state.messages[state.clock.next_id("MS")] = Message(
        conversation_id=conversation_id, sender_email=sender, text=texts.pop(), sent_at=sent_at
    )
