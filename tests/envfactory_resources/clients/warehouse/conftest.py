from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.version import Version

START = datetime(2026, 1, 1, tzinfo=UTC)


class Note(BaseModel):
    """The record of most tests."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    likes: int = 0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def warehouse(home: Path) -> Warehouse:
    return Warehouse(home)


@pytest.fixture
def note() -> type[Note]:
    return Note


@pytest.fixture
def put(warehouse: Warehouse) -> Callable[..., Version]:
    """Write rows of `Note` made from texts; everything but the place and the texts has a default."""

    def write(
        asset: str,
        partition: str | None,
        texts: Sequence[str],
        *,
        parents: Sequence[str] = (),
        fingerprint: str | None = None,
        created_at: datetime = START,
    ) -> Version:
        return warehouse.write(
            asset,
            partition,
            [Note(text=text, likes=len(text)) for text in texts],
            Note,
            run_id="run-1",
            code_version="code-1",
            parents=parents,
            fingerprint=fingerprint,
            created_at=created_at,
        )

    return write
