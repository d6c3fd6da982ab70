"""The one spelling: the vectors, its agreement with RFC 8785, and what is outside the profile."""

import json
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias
from unicodedata import normalize

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from service.dice.chain import envelope_commitment
from service.dice.errors import BadParameter
from service.record.canonical import (
    DEEPEST,
    NotCanonical,
    check,
    commit_hash,
    dumps,
    eid_of,
    envelope_salt,
    is_canonical,
    loads,
    request_digest,
)
from service.record.strict_json import LARGEST
from service.record.unicode14 import first_unassigned

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "log.json").read_text("utf-8"))
FLOAT = "a whole number, written without decimal point or exponent"
EID = "00112233-4455-6677-8899-aabbccddeeff"

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

assigned = st.characters(codec="utf-8").filter(lambda character: first_unassigned(character) is None)
texts = st.text(assigned).map(lambda text: normalize("NFC", text))
keys = st.text(st.characters(max_codepoint=127))
numbers = st.integers(-LARGEST, LARGEST)
profile: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
    max_leaves=30,
)


def nested(levels: int) -> list[object]:
    """Return a list of *levels* levels."""
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@given(profile)
def test_the_spelling_is_that_of_rfc_8785(value: Json) -> None:
    assert dumps(value) == rfc8785.dumps(value)


@given(profile)
def test_what_is_spelled_is_read_back_and_is_canonical(value: Json) -> None:
    raw = dumps(value)

    check(value)
    assert loads(raw) == value
    assert is_canonical(raw)


wild: st.SearchStrategy[Any] = st.recursive(
    st.none() | numbers | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
SPELLINGS: tuple[dict[str, Any], ...] = (
    {"ensure_ascii": True, "sort_keys": True, "separators": (",", ":")},
    {"ensure_ascii": False, "sort_keys": True, "separators": (",", ":")},
    {"ensure_ascii": False},
)


words = st.text('ab"\\,:[]{}.eE-019\n\x7f', max_size=6)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.integers(-(2**65), 2**65) | st.floats() | words,
    lambda inner: st.lists(inner) | st.dictionaries(words, inner),
)


def test_an_example_has_no_bound_by_the_clock() -> None:
    assert settings().deadline is None


@given(plain | wild, st.sampled_from(SPELLINGS))
def test_plain_bytes_which_are_not_walked_are_judged_as_all_others(
    value: object, spelling: dict[str, Any]
) -> None:
    raw = json.dumps(value, **spelling).encode("utf-8", "surrogatepass")
    try:
        expected = dumps(loads(raw)) == raw
    except NotCanonical:
        expected = False

    assert is_canonical(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":1}',
        b'{"a":9007199254740992}',
        b'{"a":1e2}',
        b'{"a":-0}',
        b'{"a":1.0}',
        b'{"a":NaN}',
        b'{"b":1,"a":1}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b'{"a":"\\u0041"}',
        b"[" * 65 + b"]" * 65,
        b'{"a":' * 65 + b"1" + b"}" * 65,
        b"[" * 100_000,
        b"",
    ],
    ids=lambda raw: raw[:20].decode(),
)
def test_no_short_way_takes_what_the_long_one_refuses(raw: bytes) -> None:
    assert not is_canonical(raw)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert is_canonical(b'{"a":[' + b",".join([b'{"b":[1]}'] * 100) + b"]}")
    assert is_canonical(b"[" * 64 + b"]" * 64)


@pytest.mark.parametrize("case", VECTORS["commits"], ids=lambda case: f"commit-{case['n']}")
def test_every_commit_vector_is_canonical_and_has_its_hash(case: dict[str, Any]) -> None:
    request, commit = case["request"].encode(), case["commit"].encode()

    assert dumps(loads(request)) == request
    assert dumps(loads(commit)) == commit
    assert is_canonical(request)
    assert is_canonical(commit)
    assert commit_hash(commit).hex() == case["hash"]
    assert loads(commit)["request"] == request_digest(request).hex()


def test_the_commit_vectors_are_one_chain() -> None:
    heads = ["0" * 64, *[case["hash"] for case in VECTORS["commits"]]]

    assert [loads(case["commit"].encode())["prev"] for case in VECTORS["commits"]] == heads[:-1]


def test_the_envelope_vector_gives_its_salt_and_commitment() -> None:
    case = VECTORS["envelope"]
    sealing = VECTORS["commits"][case["n"] - 1]
    digest = request_digest(sealing["request"].encode())
    salt = envelope_salt(EID, bytes.fromhex(case["envelope_secret"]), digest, case["n"], case["index"])
    commitment = envelope_commitment(eid_of(EID), salt, case["payload"].encode()).hex()

    assert salt.hex() == case["salt"]
    assert commitment == case["commitment"]
    assert loads(sealing["commit"].encode())["events"][case["index"]]["sealed"] == commitment


def test_every_envelope_has_a_salt_of_its_own() -> None:
    secret, digest = bytes(32), sha256(b"").digest()
    places = [(1, 0), (1, 1), (2, 0), (2, 1)]
    salts = [envelope_salt(EID, secret, digest, n, index) for n, index in places]

    assert all(one != other for i, one in enumerate(salts) for other in salts[:i])


def test_a_salt_needs_a_whole_secret_and_a_whole_digest() -> None:
    with pytest.raises(BadParameter, match="an envelope secret has 31 bytes, not 32"):
        envelope_salt(EID, bytes(31), bytes(32), 1, 0)
    with pytest.raises(BadParameter, match="a request's digest has 64 bytes, not 32"):
        envelope_salt(EID, bytes(32), b"0" * 64, 1, 0)


def test_an_encounter_has_one_name() -> None:
    assert eid_of(EID) == bytes.fromhex(EID.replace("-", ""))


@pytest.mark.parametrize(
    "name", ["", "pia", EID.upper(), EID.replace("-", ""), f"{{{EID}}}", f"urn:uuid:{EID}"]
)
def test_other_names_of_an_encounter_are_refused(name: str) -> None:
    with pytest.raises(NotCanonical, match="/encounter: not a UUID"):
        eid_of(name)


@pytest.mark.parametrize(
    ("value", "pointer", "reason"),
    [
        ({"a": [1, {"b": 1.5}]}, "/a/1/b", FLOAT),
        ([0, 1.0], "/1", FLOAT),
        (float("nan"), "", FLOAT),
        ({"n": 2**53}, "/n", "a whole number of at most 53 bits"),
        ({"n": -(2**53)}, "/n", "a whole number of at most 53 bits"),
        ({"a/b~c": [None, "\ud800"]}, "/a~1b~0c/1", "lone surrogate"),
        ({"name": "Zoe\u0308"}, "/name", "text must be in Unicode normalization form C"),
        ({"a": {"z\u00f6e": 1}}, r"/a/z\xf6e", "names must be ASCII"),
        ({"a": {1: 1}}, "/a/1", "names must be ASCII"),
        ({"raw": b"1"}, "/raw", "bytes has no JSON form"),
        ({"view": MappingProxyType({})}, "/view", "mappingproxy has no JSON form"),
        (nested(DEEPEST + 1), "/0" * DEEPEST, "nested deeper than 64"),
        ({"z": 1.5, "a": 2.5}, "/z", FLOAT),
    ],
)
def test_a_value_outside_the_profile_is_refused_with_its_pointer(
    value: object, pointer: str, reason: str
) -> None:
    with pytest.raises(NotCanonical) as caught:
        check(value)

    assert (caught.value.pointer, caught.value.reason) == (pointer, reason)


@pytest.mark.parametrize(
    "value", [LARGEST, -LARGEST, 0, True, None, "", "Zo\u00eb", [], {}, (1, 2), nested(DEEPEST)]
)
def test_the_edges_of_the_profile_are_inside(value: object) -> None:
    check(value)


@pytest.mark.parametrize("value", [{"x": "\udfff"}, {"x": object()}])
def test_what_has_no_spelling_is_never_spelled(value: object) -> None:
    with pytest.raises(NotCanonical) as caught:
        dumps(value)
    assert caught.value.pointer == "/x"


@pytest.mark.parametrize(
    ("raw", "pointer", "reason"),
    [
        (b'{"a":1,"b":{},"a":1}', "/a", "duplicate name"),
        (b'{"a":[{"b":1,"b":2}]}', "/a/0/b", "duplicate name"),
        (b"[1.0]", "/0", FLOAT),
        (b"[1e3]", "/0", FLOAT),
        (b"[NaN]", "/0", "NaN is not JSON"),
        (b'{"a":-Infinity}', "/a", "-Infinity is not JSON"),
        (b"[9007199254740992]", "/0", "a whole number of at most 53 bits"),
        (b"[" + b"9" * 5000 + b"]", "/0", "a whole number of at most 53 bits"),
        (b'["\xff"]', "", "not UTF-8 at byte 2"),
        (b'["\xed\xa0\x80"]', "", "not UTF-8 at byte 2"),
        (b'\xef\xbb\xbf{"a":1}', "", "a byte order mark, which JSON has not: send UTF-8 without it"),
        (b"", "", "not JSON at character 0: expecting value"),
        (b"{} {}", "", "not JSON at character 3: extra data"),
        (b'{"a":"' + b"[" * 70, "", "not JSON at character 5: unterminated string starting at"),
        (b'{"a":"\\"' + b"[" * 70, "", "not JSON at character 5: unterminated string starting at"),
        (b'"\\ud800"', "", "lone surrogate"),
        ('"Zoe\u0308"'.encode(), "", "text must be in Unicode normalization form C"),
        ('{"\u00f6":1}'.encode(), r"/\xf6", "names must be ASCII"),
        (dumps(nested(DEEPEST + 1)), "", "nested deeper than 64"),
        (b"[" * 200_000, "", "nested deeper than 64"),
    ],
)
def test_bytes_that_a_reader_would_take_differently_are_not_read(
    raw: bytes, pointer: str, reason: str
) -> None:
    with pytest.raises(NotCanonical) as caught:
        loads(raw)

    assert caught.value.pointer == pointer
    assert caught.value.reason == reason
    assert not is_canonical(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1}',
        b'{"b":1,"a":1}',
        b'{"a":1}\n',
        b" 1",
        b"-0",
        b'"\\u0041"',
        b'"\\/"',
        b'"\\u000A"',
        b'"\\u001F"',
    ],
)
def test_bytes_that_can_be_read_may_yet_not_be_canonical(raw: bytes) -> None:
    loads(raw)

    assert not is_canonical(raw)


def test_many_keys_of_which_one_stands_twice_are_refused_quickly() -> None:
    """A search of every pair against every other would take minutes here."""
    raw = ("{" + ",".join(f'"k{n}":0' for n in range(200_000)) + ',"k199999":0}').encode()

    with pytest.raises(NotCanonical, match="/k199999: duplicate name"):
        loads(raw)
