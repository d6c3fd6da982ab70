"""A body is strict JSON, or is told where it is not."""

from pathlib import Path

import pytest

from service.api.request import BODY
from service.record import strict_json

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"a": 1, "a": 2}', "/a"),
        (b'{"x": {"a": 1, "b": 0, "a": 1}}', "/x/a"),
        (b'{"a": 1.0}', "/a"),
        (b'{"a": 12.7}', "/a"),
        (b'{"a": [0, 1e3]}', "/a/1"),
        (b'{"a": NaN}', "/a"),
        (b'{"a": -Infinity}', "/a"),
        (b'{"a": 1e400}', "/a"),
        (b'{"a": 9007199254740992}', "/a"),
        (b'{"a": ' + b"9" * 4_000 + b"}", "/a"),
        (b'{"a": "\\ud800"}', "/a"),
        ('{"a": "e\u0301"}'.encode(), "/a"),
        ('{"\u00e4": 1}'.encode(), "/\\xe4"),
        (b'{"a/b": {"~": 1.5}}', "/a~1b/~0"),
        (b"[" * 1_000_000, ""),
        (b'{"a":' * 40 + b"1" + b"}" * 40, ""),
        (b'{"a": 1_000}', ""),
        (b'{"a": 1} {"b": 2}', ""),
        (b"\xff\xfe", ""),
        (b'\xef\xbb\xbf{"a": 1}', ""),
        (b"", ""),
    ],
)
def test_what_two_readers_could_read_differently_is_refused_with_its_place(body: bytes, pointer: str) -> None:
    with pytest.raises(strict_json.NotStrict) as refused:
        strict_json.read(body, BODY)

    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (
            b'{"a": [1, -2, 9007199254740991], "b": {"c": null, "d": true}}',
            {"a": [1, -2, 9007199254740991], "b": {"c": None, "d": True}},
        ),
        ('"Zo\u00eb"'.encode(), "Zoë"),
        (b'"\\ud83c\\udfb2 [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["', "🎲 " + "[" * 38),
        (b"[" * 32 + b"]" * 32, None),
    ],
)
def test_strict_json_is_read_as_it_is(body: bytes, value: object) -> None:
    found = strict_json.read(body, BODY)

    assert value is None or found == value


def test_one_module_reads_strictly() -> None:
    sources = [*ROOT.glob("service/**/*.py"), *ROOT.glob("workers/**/*.py")]
    found = [path.name for path in sources if "object_pairs_hook" in path.read_text("utf-8")]
    assert found == ["strict_json.py"]
