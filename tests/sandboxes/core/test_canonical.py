import math

import pytest

from sandboxes.core.canonical import canonical_json, content_hash


def test_equal_values_have_one_text_whatever_the_order_of_keys() -> None:
    assert canonical_json({"b": [1, None], "a": "é"}) == '{"a":"é","b":[1,null]}'
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})


def test_true_and_one_have_different_hashes() -> None:
    assert content_hash({"a": True}) != content_hash({"a": 1})


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": math.nan})
