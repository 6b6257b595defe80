from pathlib import Path

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

NOTES = '''"""Notes: a small service with every shape of argument."""

import random
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, Moment, add_days
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

NoteId = Annotated[str, Identifier("NoteId")]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]


class Note(Entity):
    title: str
    author_email: str
    due: Day
    priority: int
    tags: list[str]


class NotesState(State):
    notes: dict[str, Note]


class Author(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    email: Annotated[EmailAddress, Field(description="Where the author is reached")]
    nickname: Annotated[str | None, Field(description="What friends say")] = None


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    text: Annotated[str, Field(description="What to do", examples=["Call", "Write"])]
    minutes: Annotated[int, Field(ge=5, le=60, description="How long it takes")] = 5


class NoteShown(Result):
    note_id: NoteId = Field(description="Id of the note")
    title: Annotated[str, Label()] = Field(description="What the note says first")


class NoteList(Result):
    notes: list[NoteShown] = Field(description="Notes found, oldest first")
    counts: dict[str, int] = Field(description="Number of notes for each author")


class Notes(Environment[NotesState]):
    """Keep notes."""

    @tool(effect="write")
    def add_note(
        self,
        title: Annotated[str, Field(min_length=1, description="What the note says first")],
        author: Annotated[Author, Field(description="Who writes it")],
        start: Annotated[Day, Field(description="First day of work")],
        due: Annotated[Day, Field(description="Day on which it is due")],
        remind_at: Annotated[Moment, Field(description="When to remind of it")],
        steps: Annotated[list[Step] | None, Field(min_length=2, description="What to do")] = None,
        priority: Annotated[int, Field(ge=1, le=9, description="Urgency, 9 most")] = 5,
        weight: Annotated[float, Field(gt=0, lt=2, description="Share of a day")] = 1.0,
        kind: Annotated[Literal["plain", "list"], Field(description="Shape of it")] = "plain",
        is_pinned: Annotated[bool, Field(description="Whether it stays on top")] = False,
    ) -> NoteShown:
        """Add a note.

        This paragraph is for readers of the code.
        """
        note_id = self.clock.next_id("NT")
        self.state.notes[note_id] = Note(
            title=title, author_email=author.email, due=due, priority=priority, tags=[]
        )
        return NoteShown(note_id=note_id, title=title)

    @tool(effect="read")
    def list_notes(
        self, min_priority: Annotated[int, Field(description="Lowest urgency to show")] = 0
    ) -> NoteList:
        """List notes."""
        notes = [
            NoteShown(note_id=key, title=note.title)
            for key, note in self.state.notes.items()
            if note.priority >= min_priority
        ]
        return NoteList(notes=notes, counts={"all": len(notes)})

    @tool(effect="read")
    def get_note(
        self, note_id: Annotated[NoteId, Field(description="Which note to show")]
    ) -> NoteShown:
        """Show a note."""
        if note_id not in self.state.notes:
            raise ToolError(f"There is no note {note_id!r}.")
        return NoteShown(note_id=note_id, title=self.state.notes[note_id].title)

    @tool(effect="write", actor="user")
    def sign_note(
        self, note_id: Annotated[NoteId, Field(description="Which note to sign")]
    ) -> NoteShown:
        """Sign a note by hand. Only its author can."""
        if note_id not in self.state.notes:
            raise ToolError(f"There is no note {note_id!r}.")
        self.state.notes[note_id].tags.append("signed")
        return NoteShown(note_id=note_id, title=self.state.notes[note_id].title)

    @tool(effect="write")
    def drop_and_refuse(self) -> NoteShown:
        """Change everything, then refuse."""
        self.clock.next_id("NT")
        self.state.notes.clear()
        raise ToolError("No.")

    @tool(effect="write")
    def drop_and_crash(self) -> NoteShown:
        """Change everything, then crash."""
        self.state.notes.clear()
        raise KeyError("gone")

    @tool(effect="write")
    def drop_and_return_nothing(self) -> NoteShown:
        """Change everything, then return what is not declared."""
        self.state.notes.clear()
        return None

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> NotesState:
        state = NotesState(clock=Clock(now=world.now), notes={})
        for person in world.people[:3]:
            state.notes[state.clock.next_id("NT")] = Note(
                title=f"Note of {person.name}",
                author_email=person.email,
                due=add_days(world.today, rng.randint(1, 9)),
                priority=rng.randint(1, 9),
                tags=["home"],
            )
        return state
'''


@pytest.fixture(scope="session")
def notes_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pool")
    (root / "office").mkdir()
    (root / "office" / "notes.py").write_text(NOTES)
    return root


@pytest.fixture(scope="session")
def notes(notes_root: Path) -> Catalog:
    return Catalog.discover([(notes_root, "shipped")])


@pytest.fixture
def scenario(notes: Catalog) -> Scenario:
    return Scenario.draw(notes, ["office.notes"], seed=0)


@pytest.fixture
def session(notes: Catalog, scenario: Scenario) -> Session:
    return Session.open(scenario, notes)
