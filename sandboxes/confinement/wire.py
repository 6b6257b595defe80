"""Messages between a worker and who asks it: one kind byte, a length, JSON.

Both ends use plain reads and writes: the worker may make no socket calls.
"""

import json
import struct
from typing import cast

import pydantic_core
from pydantic import JsonValue

Message = dict[str, JsonValue]

HEADER = struct.Struct("!cI")

READY = b"Y"
REQUEST = b"Q"
REPLY = b"R"
QUESTION = b"A"
ANSWER = b"B"
FAULT = b"F"
NO_MEMORY = b"M"


def encode(value: Message) -> bytes:
    """Return a message's JSON.

    Raises:
        ValueError: If it holds what JSON cannot say: NaN, an infinity, half a surrogate pair.
    """
    text = pydantic_core.to_json(value, inf_nan_mode="constants")
    if b"NaN" in text or b"Infinity" in text:  # the number, or a text that says so
        json.dumps(value, allow_nan=False)
    return text


def decode(payload: bytes | bytearray) -> Message:
    """Return the object a message holds.

    Raises:
        ValueError: If it is not a JSON object.
    """
    value: object = pydantic_core.from_json(payload, allow_inf_nan=False)
    if not isinstance(value, dict):
        raise ValueError(f"a JSON object was expected, got {type(value).__name__}")
    return cast("Message", value)


def frame(kind: bytes, payload: bytes) -> bytes:
    """Return a message as it goes over the wire."""
    return HEADER.pack(kind, len(payload)) + payload
