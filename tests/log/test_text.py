"""Text: the code points of Unicode 14 alone, on every Python and in both verifiers; what hides is shown."""

from __future__ import annotations

import base64
import json
import unicodedata
from hashlib import sha256
from pathlib import Path

import pytest

from service.audit import bundle
from service.record.canonical import NotCanonical, check, dumps, is_canonical
from service.record.text import fault, plain
from service.record.unicode14 import RUNS, first_unassigned
from tests.support import unicode14_table as unicode14
from tests.support.javascript_verifier import Case, judged, node

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests/vectors/text.json").read_text())["cases"]
OF_A_PLAYER = ("q\u0897\u0316", "q\u0301\U00010efd", "\U000105d2\u0307")
"""What a player once wrote into a record that one verifier read and the other did not."""


def test_the_table_is_that_of_unicode_14() -> None:
    spelled = " ".join(RUNS.split()).encode()

    assert sha256(spelled).hexdigest() == "2a93af1b4b123eea6e378255988c0f79787e1f0826a0e6ec24622ad338c5ccda"
    assert unicode14.held(unicode14.PYTHON) == unicode14.held(unicode14.JAVASCRIPT)
    for point in range(0x110000):
        is_ours = first_unassigned(chr(point)) is None
        is_assigned = unicodedata.category(chr(point)) != "Cn"
        assert is_assigned or not is_ours, f"U+{point:04X} is never taken back"
        assert is_assigned == is_ours or unicodedata.unidata_version != unicode14.VERSION


def test_the_script_writes_the_table_that_is_there() -> None:
    if unicodedata.unidata_version == unicode14.VERSION:
        assert unicode14.table() == unicode14.held(unicode14.PYTHON)
    else:
        with pytest.raises(SystemExit, match="is expected"):
            unicode14.main()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_text_of_a_record_is_of_unicode_14_and_in_nfc(case: dict[str, object]) -> None:
    assert is_canonical(dumps(case["text"])) is case["ok"]


def test_both_verifiers_read_the_same_text() -> None:
    asked = [base64.b64encode(dumps(case["text"])).decode() for case in CASES]

    said = json.loads(node("tests/clients/spellings.mjs", told=json.dumps(asked)))

    assert said == [case["ok"] for case in CASES]


@pytest.mark.parametrize("text", OF_A_PLAYER)
def test_what_readers_with_other_tables_read_otherwise_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(NotCanonical, match=r"which Unicode .* does not assign") as refused:
        check({"data": {"claim": text}})

    assert refused.value.pointer == "/data/claim"


def test_a_bundle_with_unassigned_text_is_malformed_in_both_verifiers() -> None:
    raw = (ROOT / "tests/audit/unassigned_text.jsonl").read_bytes()

    with pytest.raises(bundle.BadBundle, match=r"which Unicode .* does not assign") as refused:
        bundle.read(raw)

    assert refused.value.n == 3
    (said,) = judged([Case(raw)])
    assert said == "malformed(3)"


@pytest.mark.parametrize(
    ("text", "of_one_line", "of_lines"),
    [
        ("Zoë the 🐉, אב", True, True),
        ("two\nlines\tand a tab", False, True),
        ("\x1b]0;owned\x07", False, False),
        ("Pia\r\nrewound: forged line", False, False),
        ("\x9b31m", False, False),
        ("\x7f", False, False),
        ("abc\u202edcba", False, False),
        ("\u2066x", False, False),
        ("\u0378", False, False),
        ("Or\u200bc", False, False),
        ("\u3164", False, False),
        ("Or\U000e0041c", False, False),
        ("\ufeffOrc", False, False),
        ("   ", False, False),
        ("\u00a0", False, False),
        ("\u200d", False, False),
        ("\ufe0f", False, False),
        ("\n\n", False, False),
        ("", True, True),
        ("Nəsrin\u200c\u062e\u0627\u0646\u0645", True, True),
        ("👩\u200d🚀", True, True),
    ],
)
def test_the_door_takes_what_a_reader_can_see(text: str, *, of_one_line: bool, of_lines: bool) -> None:
    assert (fault(text, lines=False) is None, fault(text, lines=True) is None) == (of_one_line, of_lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Or\u200bc", "text without U+200B, an invisible character"),
        ("\x07x", "text without U+0007, a control character"),
        ("\u2066x", "text without U+2066, a control of the direction of text"),
        ("   ", "text with something to see, and not only U+0020 and the like"),
    ],
)
def test_what_is_refused_is_named_by_its_code_point(text: str, said: str) -> None:
    assert fault(text, lines=False) == said


def test_what_a_stranger_wrote_is_shown_plainly() -> None:
    assert plain("Zoë 🐉") == "Zoë 🐉"
    assert plain("a\x1b]0;x\x07\r\nb\u202ec\x9b\u2028\ud800") == (
        r"a\u001b]0;x\u0007\u000d\u000ab\u202ec\u009b\u2028\ud800"
    )
    assert plain("\U000e0fff") == r"\udb43\udfff"
    assert plain("a\nb\r", keep="\n") == "a\nb\\u000d"
    assert json.loads(plain(json.dumps({"a": "\x7f\u202e"}, ensure_ascii=False))) == {"a": "\x7f\u202e"}


def test_the_file_of_other_verifiers_is_the_table_of_unicode_14_with_the_hash_that_the_page_gives() -> None:
    raw = unicode14.VECTOR.read_bytes()
    held = json.loads(raw)

    assert sha256(raw).hexdigest() in (unicode14.ROOT / "docs/format.md").read_text("utf-8")
    assert held["runs"].split() == unicode14.held(unicode14.PYTHON).split()
    for point, to in held["decompositions"].items():
        apart = "".join(chr(int(each, 16)) for each in to.split())
        assert unicodedata.normalize("NFD", chr(int(point, 16))) == unicodedata.normalize("NFD", apart)
        is_composed = unicodedata.normalize("NFC", apart) == chr(int(point, 16))
        assert is_composed != (point in held["not_composed"])
    assert all(
        unicodedata.combining(chr(int(point, 16))) == number for point, number in held["combining"].items()
    )
