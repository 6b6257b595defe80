"""File store: folders and files with names, roles, tags, a quota, and a trash with a time limit."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, Moment, add_days, days_between
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

FileId = Annotated[str, Identifier("FileId")]
FolderId = Annotated[str, Identifier("FolderId")]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]
FileKind = Literal["note", "document", "table", "pdf", "image"]
Tag = Literal["archived", "confidential", "draft", "important"]
Role = Literal["owner", "editor", "viewer"]
ShareRole = Literal["editor", "viewer"]

_KINDS: dict[str, FileKind] = {
    "txt": "note",
    "md": "document",
    "csv": "table",
    "pdf": "pdf",
    "png": "image",
}
_STEM_PATTERN = "^[A-Za-z0-9][A-Za-z0-9 _-]*$"
_TEXT_NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9 _-]*\.(txt|md|csv)$"
_MAX_TEXT_BYTES = 1000
_MAX_DEPTH = 4
_TRASH_DAYS = 30
_TOP_ID = "FD-1"


class Contact(Entity):
    """Somebody with whom files can be shared."""

    name: str
    email: EmailAddress


class Folder(Result):
    """A folder, kept and shown alike."""

    folder_id: FolderId = Field(description="Id of the folder")
    name: Annotated[str, Label()] = Field(description="Name of the folder")
    path: str = Field(description="Where the folder stands, from the top")
    parent_id: FolderId | None = Field(description="Id of the folder above, null at the top")
    is_locked: bool = Field(description="Whether nothing can be put into the folder")


class Share(Result):
    """Somebody else's access to a file."""

    email: EmailAddress = Field(description="E-mail address of the person")
    role: ShareRole = Field(description="Whether the person may change the file or only read it")


class File(Result):
    """A file, kept and shown alike."""

    file_id: FileId = Field(description="Id of the file")
    name: Annotated[str, Label()] = Field(description="Name of the file with its ending")
    folder_id: FolderId = Field(description="Id of the folder that holds the file")
    kind: FileKind = Field(description="What the ending says the file is")
    size_bytes: int = Field(description="Size of the file in bytes")
    modified: Moment = Field(description="When the content was last changed")
    owner_email: EmailAddress = Field(description="E-mail address of the file's owner")
    my_role: Role = Field(description="What the user may do with the file")
    tags: list[Tag] = Field(description="Tags on the file, in the order of the alphabet")
    shared_with: list[Share] = Field(description="Who else has access, in the order of sharing")
    trashed_on: Day | None = Field(description="Day of deletion, null outside the trash")
    text: str | None = Field(description="Content of a text file, null for other kinds")


class FileStoreState(State):
    """Folders and files of one user, the people to share with, and the quota."""

    user_email: EmailAddress
    quota_bytes: int
    contacts: list[Contact]
    folders: dict[str, Folder]
    files: dict[str, File]


class FileSummary(Result):
    """A file as lists show it."""

    file_id: FileId = Field(description="Id of the file")
    name: Annotated[str, Label()] = Field(description="Name of the file with its ending")
    folder_id: FolderId = Field(description="Id of the folder that holds the file")
    kind: FileKind = Field(description="What the ending says the file is")
    size_bytes: int = Field(description="Size of the file in bytes")
    modified: Moment = Field(description="When the content was last changed")


class FileList(Result):
    """Files found by a search."""

    files: list[FileSummary] = Field(description="Files found, in order of name")


class FolderListing(Result):
    """What one folder holds."""

    path: str = Field(description="Where the folder stands, from the top")
    folders: list[Folder] = Field(description="Folders in it, in order of name")
    files: list[FileSummary] = Field(description="Files in it, in order of name")
    free_bytes: int = Field(description="Bytes left of the user's quota, the trash not counted")


class FileStore(Environment[FileStoreState]):
    """Keep files in folders: read, write, arrange, tag and share them within a quota."""

    @tool(
        effect="read",
        phrasings=(
            "find my files[ with {name_part} in the name][ of the kind {kind}][ tagged {tag}]"
            "[ of at least {min_bytes} bytes][ in the {place}]",
        ),
    )
    def search_files(
        self,
        name_part: Annotated[
            str | None,
            Field(
                min_length=1,
                description="Text that the name contains, in any case",
                examples=["notes", "plan", "photo"],
            ),
        ] = None,
        kind: Annotated[FileKind | None, Field(description="Only files of this kind")] = None,
        tag: Annotated[Tag | None, Field(description="Only files with this tag")] = None,
        min_bytes: Annotated[
            int, Field(ge=0, le=1000000, description="Smallest size of a file in bytes")
        ] = 0,
        place: Annotated[
            Literal["drive", "trash"], Field(description="Whether to look at kept or deleted files")
        ] = "drive",
    ) -> FileList:
        """Find files in all folders, or in the trash, in order of name."""
        return FileList(
            files=self._summaries(
                [
                    file
                    for file in self.state.files.values()
                    if (file.trashed_on is not None) == (place == "trash")
                    and (name_part or "").lower() in file.name.lower()
                    and kind in (None, file.kind)
                    and tag in (None, *file.tags)
                    and file.size_bytes >= min_bytes
                ]
            )
        )

    @tool(effect="read", phrasings=("list what is[ in {folder_id}] on my drive",))
    def list_folder(
        self,
        folder_id: Annotated[
            FolderId | None, Field(description="Id of the folder, left out for the top one")
        ] = None,
    ) -> FolderListing:
        """List the folders and files in a folder, in order of name, and the space left."""
        folder = self._folder(folder_id)
        inside = [f for f in self.state.folders.values() if f.parent_id == folder.folder_id]
        return FolderListing(
            path=folder.path,
            folders=sorted(inside, key=lambda item: item.name.lower()),
            files=self._summaries(self._files_in(folder.folder_id)),
            free_bytes=self._free_bytes(),
        )

    @tool(effect="read", phrasings=("read {file_id}", "show me {file_id}"))
    def read_file(
        self, file_id: Annotated[FileId, Field(description="Id of the file to read")]
    ) -> File:
        """Show a file with its text, tags and people, be it kept or in the trash."""
        return self._file(file_id)

    @tool(effect="write", phrasings=("make a folder called {folder_name}[ in {parent_id}]",))
    def create_folder(
        self,
        folder_name: Annotated[
            str,
            Field(
                pattern=_STEM_PATTERN,
                max_length=40,
                description="Name of the new folder",
                examples=["Invoices 2026", "Recipes", "Old versions"],
            ),
        ],
        parent_id: Annotated[
            FolderId | None, Field(description="Id of the folder above, left out for the top one")
        ] = None,
    ) -> Folder:
        """Create a folder in another one that is not locked, at most four levels deep."""
        parent = self._unlocked(parent_id)
        path = f"{parent.path.rstrip('/')}/{folder_name}"
        if path.count("/") > _MAX_DEPTH:
            raise ToolError(f"Folders go {_MAX_DEPTH} levels deep; {path} would be deeper.")
        if path.lower() in [folder.path.lower() for folder in self.state.folders.values()]:
            raise ToolError(f"There is a folder {path} already; choose another name.")
        folder_id = self.clock.next_id("FD")
        folder = Folder(
            folder_id=folder_id,
            name=folder_name,
            path=path,
            parent_id=parent.folder_id,
            is_locked=False,
        )
        self.state.folders[folder_id] = folder
        return folder

    @tool(effect="write", actor="user", phrasings=("unlock {folder_id} with my passcode",))
    def unlock_folder(
        self, folder_id: Annotated[FolderId, Field(description="Id of the folder to unlock")]
    ) -> Folder:
        """Unlock a folder with their own passcode."""
        folder = self._folder(folder_id)
        if not folder.is_locked:
            raise ToolError(f"The folder {folder.path} is not locked.")
        if folder.name == _FOLDERS[-1]:
            raise ToolError(f"The folder {folder.path} belongs to others; it stays locked.")
        folder.is_locked = False
        return folder

    @tool(effect="write", phrasings=("write '{text}' to a new file {file_name} in {folder_id}",))
    def create_file(
        self,
        folder_id: Annotated[FolderId, Field(description="Id of the folder to put it into")],
        file_name: Annotated[
            str,
            Field(
                pattern=_TEXT_NAME_PATTERN,
                max_length=40,
                description="Name with the ending txt, md or csv",
                examples=["ideas.txt", "weekly report.md", "expenses.csv"],
            ),
        ],
        text: Annotated[
            str,
            Field(
                min_length=1,
                description="Content of the file",
                examples=["Call the supplier on Monday", "Paint, brushes and tape"],
            ),
        ],
    ) -> File:
        """Create a text file in a folder that is not locked."""
        folder = self._unlocked(folder_id)
        self._check_text(file_name, text)
        self._check_name(folder.folder_id, file_name)
        self._check_quota(_size(text))
        return self._add_file(folder.folder_id, file_name, _size(text), text)

    @tool(effect="write", phrasings=("write '{text}' to {file_id} in {mode} mode",))
    def edit_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to change")],
        text: Annotated[
            str,
            Field(
                min_length=1,
                description="Text to put into the file",
                examples=["Checked by the team", "To be continued next week"],
            ),
        ],
        mode: Annotated[
            Literal["append", "overwrite"],
            Field(description="Whether to add a line at the end or to replace everything"),
        ],
    ) -> File:
        """Append a line to a text file or replace its text, where the user may edit."""
        file = self._editable(file_id)
        if file.text is None:
            raise ToolError(f"{file.name} holds no text; only txt, md and csv files can be edited.")
        changed = text if mode == "overwrite" else f"{file.text}\n{text}"
        self._check_text(file.name, changed)
        if file.my_role == "owner":
            self._check_quota(_size(changed) - file.size_bytes)
        file.text, file.size_bytes, file.modified = changed, _size(changed), self.clock.now
        return file

    @tool(effect="write", phrasings=("move {file_id} to {folder_id}",))
    def move_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to move")],
        folder_id: Annotated[FolderId, Field(description="Id of the folder to move it to")],
    ) -> File:
        """Move one of the user's own files to another folder that is not locked."""
        file = self._owned(file_id)
        folder = self._unlocked(folder_id)
        self._check_name(folder.folder_id, file.name)
        file.folder_id = folder.folder_id
        return file

    @tool(effect="write", phrasings=("copy {file_id} to {folder_id}[ under the name {new_name}]",))
    def copy_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to copy")],
        folder_id: Annotated[FolderId, Field(description="Id of the folder for the copy")],
        new_name: Annotated[
            str | None,
            Field(
                pattern=_STEM_PATTERN,
                max_length=40,
                description="Name of the copy without its ending, left out to keep the name",
                examples=["backup", "second version"],
            ),
        ] = None,
    ) -> File:
        """Copy a file into a folder; the copy is the user's own, without tags and people."""
        file = self._kept(file_id)
        folder = self._unlocked(folder_id)
        name = file.name if new_name is None else _renamed(file.name, new_name)
        self._check_name(folder.folder_id, name)
        self._check_quota(file.size_bytes)
        return self._add_file(folder.folder_id, name, file.size_bytes, file.text)

    @tool(effect="write", phrasings=("rename {file_id} to {new_name}",))
    def rename_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to rename")],
        new_name: Annotated[
            str,
            Field(
                pattern=_STEM_PATTERN,
                max_length=40,
                description="New name without its ending, which stays",
                examples=["final version", "read me first", "summary"],
            ),
        ],
    ) -> File:
        """Rename a file that the user may edit; its ending stays."""
        file = self._editable(file_id)
        name = _renamed(file.name, new_name)
        self._check_name(file.folder_id, name)
        file.name = name
        return file

    @tool(effect="write", phrasings=("delete {file_id}", "throw {file_id} away"))
    def trash_file(
        self, file_id: Annotated[FileId, Field(description="Id of the file to delete")]
    ) -> File:
        """Put one of the user's own files into the trash, unless it is tagged important."""
        file = self._owned(file_id)
        if "important" in file.tags:
            raise ToolError(f"{file.name} is tagged important; remove that tag before deleting it.")
        file.trashed_on = self.clock.today
        return file

    @tool(effect="write", phrasings=("restore {file_id} from the trash",))
    def restore_file(
        self, file_id: Annotated[FileId, Field(description="Id of the deleted file")]
    ) -> File:
        """Put a file back from the trash into its folder, up to 30 days after its deletion."""
        file = self._file(file_id)
        if file.trashed_on is None:
            raise ToolError(f"{file.name} is not in the trash, so it needs no restoring.")
        age = days_between(file.trashed_on, self.clock.today)
        if age > _TRASH_DAYS:
            raise ToolError(
                f"{file.name} was deleted {age} days ago; restoring ends after {_TRASH_DAYS}."
            )
        self._check_name(file.folder_id, file.name)
        self._check_quota(file.size_bytes)
        file.trashed_on = None
        return file

    @tool(effect="write", phrasings=("share {file_id} with {email} as {role}",))
    def share_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to share")],
        email: Annotated[EmailAddress, Field(description="E-mail address of a contact")],
        role: Annotated[ShareRole, Field(description="Whether the person may edit or only view")],
    ) -> File:
        """Give a contact access to one of the user's own files, or change that access."""
        file = self._owned(file_id)
        if email not in [contact.email for contact in self.state.contacts]:
            raise ToolError(f"Nobody among your contacts has the address {email!r}.")
        if role == "editor" and "confidential" in file.tags:
            raise ToolError(f"{file.name} is confidential; share it with viewers only.")
        if Share(email=email, role=role) in file.shared_with:
            raise ToolError(f"{email} is {role} of {file.name} already.")
        others = [share for share in file.shared_with if share.email != email]
        file.shared_with = [*others, Share(email=email, role=role)]
        return file

    @tool(effect="write", phrasings=("{change} the tag {tag} on {file_id}",))
    def tag_file(
        self,
        file_id: Annotated[FileId, Field(description="Id of the file to tag")],
        tag: Annotated[Tag, Field(description="Archived forbids edits, important deletion")],
        change: Annotated[Literal["add", "remove"], Field(description="What to do with the tag")],
    ) -> File:
        """Add or remove a tag; files that others may edit cannot become confidential."""
        file = self._owned(file_id)
        if (tag in file.tags) == (change == "add"):
            raise ToolError(f"Cannot {change} it: the tags of {file.name} are {file.tags}.")
        editors = [share.email for share in file.shared_with if share.role == "editor"]
        if change == "add" and tag == "confidential" and editors:
            raise ToolError(f"{editors[0]} may edit {file.name}; make them a viewer before.")
        if change == "add":
            file.tags = sorted([*file.tags, tag])
        else:
            file.tags.remove(tag)
        return file

    def _folder(self, folder_id: str | None) -> Folder:
        folder = self.state.folders.get(folder_id or _TOP_ID)
        if folder is None:
            raise ToolError(f"There is no folder {folder_id!r}; list folders from the top.")
        return folder

    def _unlocked(self, folder_id: str | None) -> Folder:
        folder = self._folder(folder_id)
        if folder.is_locked:
            raise ToolError(
                f"The folder {folder.path} is locked; choose another or have the user unlock it."
            )
        return folder

    def _file(self, file_id: str) -> File:
        file = self.state.files.get(file_id)
        if file is None:
            raise ToolError(f"There is no file {file_id!r}; search files first.")
        return file

    def _kept(self, file_id: str) -> File:
        file = self._file(file_id)
        if file.trashed_on is not None:
            raise ToolError(f"{file.name} is in the trash; restore it first.")
        return file

    def _owned(self, file_id: str) -> File:
        file = self._kept(file_id)
        if file.my_role != "owner":
            raise ToolError(f"{file.name} belongs to {file.owner_email}; only the owner may do it.")
        return file

    def _editable(self, file_id: str) -> File:
        file = self._kept(file_id)
        if file.my_role == "viewer":
            raise ToolError(f"You may only view {file.name}; ask {file.owner_email} or copy it.")
        if "archived" in file.tags:
            raise ToolError(f"{file.name} is archived; remove that tag before changing it.")
        return file

    def _files_in(self, folder_id: str) -> list[File]:
        return [
            file
            for file in self.state.files.values()
            if file.folder_id == folder_id and file.trashed_on is None
        ]

    def _free_bytes(self) -> int:
        return self.state.quota_bytes - sum(
            file.size_bytes
            for file in self.state.files.values()
            if file.my_role == "owner" and file.trashed_on is None
        )

    def _check_name(self, folder_id: str, name: str) -> None:
        if name.lower() in [file.name.lower() for file in self._files_in(folder_id)]:
            path = self.state.folders[folder_id].path
            raise ToolError(f"{path} holds a file {name!r} already; choose another name or folder.")

    def _check_text(self, name: str, text: str) -> None:
        if _size(text) > _MAX_TEXT_BYTES:
            raise ToolError(
                f"{name} would have {_size(text)} bytes; a text file has {_MAX_TEXT_BYTES} at most."
            )

    def _check_quota(self, more_bytes: int) -> None:
        if more_bytes > self._free_bytes():
            raise ToolError(
                f"That takes {more_bytes} more bytes and {self._free_bytes()} are free; delete "
                "files first."
            )

    def _add_file(self, folder_id: str, name: str, size_bytes: int, text: str | None) -> File:
        file_id = self.clock.next_id("FL")
        self.state.files[file_id] = File(
            file_id=file_id,
            name=name,
            folder_id=folder_id,
            kind=_kind(name),
            size_bytes=size_bytes,
            modified=self.clock.now,
            owner_email=self.state.user_email,
            my_role="owner",
            tags=[],
            shared_with=[],
            trashed_on=None,
            text=text,
        )
        return self.state.files[file_id]

    def _summaries(self, files: list[File]) -> list[FileSummary]:
        names = set(FileSummary.model_fields)
        return [
            FileSummary(**file.model_dump(include=names))
            for file in sorted(files, key=lambda file: (file.name.lower(), file.file_id))
        ]

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> FileStoreState:
        """Draw the drive of the world's user, with two projects and what colleagues share."""
        state = FileStoreState(
            clock=Clock(now=world.now),
            user_email=world.user.email,
            quota_bytes=0,
            contacts=[Contact(name=person.name, email=person.email) for person in world.people],
            folders={},
            files={},
        )
        projects = [organisation.name for organisation in world.organisations[:2]]
        parents = (None, 1, 1, 1, 1, 4, 4, 6, 1)
        for name, parent in zip((*_FOLDERS, *projects, "Drafts", "Vault"), parents, strict=True):
            above = state.folders.get(f"FD-{parent}")
            folder_id = state.clock.next_id("FD")
            state.folders[folder_id] = Folder(
                folder_id=folder_id,
                name=name,
                path="/" if above is None else f"{above.path.rstrip('/')}/{name}",
                parent_id=above and above.folder_id,
                is_locked=name in (_FOLDERS[-1], "Drafts", "Vault"),
            )
        sizes = [1000 * size for size in rng.sample(range(40, 400), len(_FILES))]
        for size_bytes, row in zip(sizes, _FILES, strict=True):
            file = _draw_file(row, world, rng, state.clock.next_id("FL"))
            file.size_bytes = size_bytes if file.text is None else _size(file.text)
            state.files[file.file_id] = file
        own = [f for f in state.files.values() if f.my_role == "owner" and f.trashed_on is None]
        own_sizes = sorted(file.size_bytes for file in own)
        state.quota_bytes = sum(own_sizes) + own_sizes[-2]  # the largest file cannot be copied
        return state


_FOLDERS = ("My files", "Documents", "Photos", "Projects", "Shared with me")
# folder, name, the user's role, days in the trash, tags, role of somebody else, text
_FileRow = tuple[int, str, Role, int | None, list[Tag], ShareRole | None, str | None]
_FILES: tuple[_FileRow, ...] = (
    (2, "meeting notes.md", "owner", None, [], None, "Met {person} about the trip to {city}."),
    (2, "budget.csv", "owner", None, ["important"], None, "item,amount\nRent in {city},1200"),
    (2, "reading list.txt", "owner", None, ["archived"], None, "A history of {city}\nBetter maps"),
    (2, "handbook.pdf", "owner", None, ["important"], "viewer", None),
    (3, "team photo.png", "owner", None, [], None, None),
    (3, "view of {city}.png", "owner", None, [], "viewer", None),
    (6, "contract.md", "owner", None, ["confidential"], "viewer", "Signed with {person}."),
    (6, "costs.csv", "owner", None, [], "editor", "month,amount\nMay,310\nJune,290"),
    (6, "floor plan.pdf", "owner", None, ["confidential"], None, None),
    (7, "project plan.md", "owner", None, ["draft"], None, "Kick-off in {city} with {person}."),
    (7, "logo.png", "owner", None, [], None, None),
    (8, "press release.md", "owner", None, ["draft"], "editor", "News from {city}."),
    (5, "travel rules.md", "viewer", None, [], None, "Book trips to {city} with {person}."),
    (5, "shopping list.txt", "editor", None, [], None, "Paper\nInk"),
    (2, "Meeting Notes.md", "owner", 2, [], None, "Notes taken in {city}."),
    (2, "party plan.txt", "owner", 5, [], None, "Ask {person} to bring music."),
    (3, "old scan.pdf", "owner", 30, [], None, None),
    (7, "first logo.png", "owner", 31, [], None, None),
)


def _kind(name: str) -> FileKind:
    return _KINDS[name.rsplit(".", 1)[1]]


def _renamed(name: str, stem: str) -> str:
    return f"{stem}.{name.rsplit('.', 1)[1]}"


def _size(text: str) -> int:
    return len(text.encode())


def _draw_file(row: _FileRow, world: World, rng: random.Random, file_id: str) -> File:
    folder, name, role, days_in_trash, tags, share, text = row
    person, city = rng.choice(world.people), rng.choice(world.cities).name
    changed_on = add_days(world.today, -rng.randint(32, 90))
    return File(
        file_id=file_id,
        name=name.format(city=city),
        folder_id=f"FD-{folder}",
        kind=_kind(name),
        size_bytes=0,
        modified=f"{changed_on}T{rng.randint(8, 18):02d}:{rng.choice(('05', '20', '50'))}",
        owner_email=world.user.email if role == "owner" else person.email,
        my_role=role,
        tags=list(tags),
        shared_with=[Share(email=rng.choice(world.people).email, role=share)] if share else [],
        trashed_on=None if days_in_trash is None else add_days(world.today, -days_in_trash),
        text=text and text.format(city=city, person=person.name),
    )
