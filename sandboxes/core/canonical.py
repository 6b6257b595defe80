"""Canonical JSON text and content hashes: equal values have equal bytes."""

import hashlib
import json

from pydantic import JsonValue


def canonical_json(value: JsonValue) -> str:
    """Return the one JSON text of a value: keys sorted, no spaces, Unicode kept.

    Args:
        value: Anything JSON can hold.

    Raises:
        ValueError: If the value holds NaN or an infinity, which JSON has no text for.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def content_hash(value: JsonValue) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of a value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
