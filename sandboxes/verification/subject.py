"""What is verified: the text of an environment file and its cases, read once."""

import hashlib
from dataclasses import dataclass
from typing import Self

from sandboxes.core.catalog import EnvironmentSource, changed_error
from sandboxes.verification.cases import Case, parse_cases


@dataclass(frozen=True, slots=True)
class Subject:
    """The text of an environment; no gate reads the file again.

    Attributes:
        environment_id: The environment.
        source_hash: SHA-256 (hex) over the file and its cases.
        file_name: Name of the file, for messages.
        code: What the file holds.
        cases: What the file of declared cases holds; None when there is no such file.
    """

    environment_id: str
    source_hash: str
    file_name: str
    code: bytes
    cases: bytes | None

    @classmethod
    def read(cls, source: EnvironmentSource) -> Self:
        """Read the files of a source.

        Raises:
            EnvironmentSourceError: If they are no longer what was discovered.
        """
        code = source.path.read_bytes()
        cases = source.cases_path.read_bytes() if source.cases_path.exists() else None
        found = hashlib.sha256(code + (b"" if cases is None else b"\0" + cases)).hexdigest()
        if found != source.source_hash:
            raise changed_error(source, found)
        return cls(source.environment_id, found, source.path.name, code, cases)

    @property
    def name(self) -> str:
        """The environment's short name."""
        return self.environment_id.split(".")[1]

    def declared_cases(self) -> tuple[Case, ...]:
        """Return the declared cases.

        Raises:
            CasesError: If there are none, or they cannot be read as such.
        """
        file_name = self.file_name.removesuffix(".py") + ".cases.json"
        return parse_cases(self.environment_id, file_name, self.cases)
