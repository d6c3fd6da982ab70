"""Signed checkpoints: the vector, and notes that must not be believed."""

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from service.audit import notes
from service.audit.checkpoint import Checkpoint, parse, sign, verify
from service.audit.notes import BadNote, verifier_key
from service.record.ed25519 import public_key

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "log.json").read_text("utf-8"))
NOTE: str = VECTORS["checkpoint"]
KEY: str = VECTORS["verifier_key"]
ORIGIN = "rewound.example/00112233-4455-6677-8899-aabbccddeeff"
HEAD = Checkpoint(ORIGIN, 3, bytes.fromhex(VECTORS["root_3"]))

SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
"""The secret key of RFC 8032, 7.1, test 1: published, and good for nothing but tests."""

OTHER_SECRET = bytes(range(32))


def signature_line(note: str) -> str:
    return note.split("\n")[4]


def test_the_checkpoint_vector_is_signed_byte_for_byte() -> None:
    assert sign(HEAD, SECRET) == NOTE


def test_the_verifier_key_vector() -> None:
    assert verifier_key(ORIGIN, public_key(SECRET)) == KEY


def test_the_checkpoint_vector_verifies() -> None:
    assert verify(NOTE, KEY) == HEAD


def test_a_note_is_read_without_being_believed() -> None:
    read = parse(NOTE.replace("\n3\n", "\n4\n"))

    signatures = notes.parse(NOTE).signatures

    assert read == Checkpoint(ORIGIN, 4, HEAD.root)
    assert [(line.name, line.key_id.hex()) for line in signatures] == [(ORIGIN, "02ef950e")]


@pytest.mark.parametrize(
    "note",
    [
        NOTE.replace("\n3\n", "\n4\n"),
        NOTE.replace("M9CSR9", "M9CSR8"),
        NOTE.replace("Au+VDm8k", "Au+VDm8l"),
    ],
)
def test_a_note_that_was_altered_does_not_verify(note: str) -> None:
    assert note != NOTE
    with pytest.raises(BadNote, match="is false"):
        verify(note, KEY)


def test_a_note_of_another_encounter_does_not_verify() -> None:
    elsewhere = Checkpoint("rewound.example/other", HEAD.size, HEAD.root)

    with pytest.raises(BadNote, match=r"the note is of rewound\.example/other"):
        verify(sign(elsewhere, SECRET), KEY)


def test_a_note_signed_by_another_key_does_not_verify() -> None:
    with pytest.raises(BadNote, match="has not signed the note"):
        verify(sign(HEAD, OTHER_SECRET), KEY)


def test_the_signatures_of_other_keys_are_passed_over() -> None:
    """After a rotation a note may be signed by the old key and the new one."""
    both = NOTE + signature_line(sign(HEAD, OTHER_SECRET)) + "\n"

    assert len(notes.parse(both).signatures) == 2
    assert verify(both, KEY) == HEAD
    assert verify(both, verifier_key(ORIGIN, public_key(OTHER_SECRET))) == HEAD


def test_every_signature_of_the_key_must_be_true() -> None:
    false = signature_line(NOTE).replace("Au+VDm8k", "Au+VDm8l")

    with pytest.raises(BadNote, match="is false"):
        verify(f"{NOTE}{false}\n", KEY)


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n\n",
        NOTE[:-1],
        NOTE.replace("\n\n", "\n"),
        NOTE.replace("\n3\n", "\n03\n"),
        NOTE.replace("\n3\n", "\n-3\n"),
        NOTE.replace("\n3\n", "\n\N{ARABIC-INDIC DIGIT THREE}\n"),
        NOTE.replace("\n3\n", "\n" + "9" * 5000 + "\n"),
        NOTE.replace("\n3\n", "\n3\nextension\n"),
        NOTE.replace("q5U8=", "q5U9="),
        NOTE.replace("q5U8=", "q5U8"),
        NOTE.replace("q5U8=", "q5U8=\r"),
        NOTE.replace("\n3\nM9CSR9Rb", "\n3\nM9CS"),
        NOTE.replace("\N{EM DASH} ", "- "),
        NOTE.replace("\N{EM DASH} ", "\N{EM DASH}"),
        NOTE.replace("aabbccddeeff Au", "aabbccddeeff  Au"),
        NOTE.replace("rewound", "re wound"),
        NOTE.replace("rewound", "re+wound"),
        NOTE.replace("rewound", "re\x00wound"),
        NOTE.replace("rewound", "re\ud800wound"),
        NOTE + "\n",
        NOTE + signature_line(NOTE),
        NOTE + f"\N{EM DASH} {ORIGIN} AAAAAA==\n",
        NOTE + (signature_line(NOTE) + "\n") * 100,
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    assert note != NOTE
    with pytest.raises(BadNote):
        parse(note)


@pytest.mark.parametrize(
    "key",
    [
        "",
        ORIGIN,
        KEY.replace("+02ef950e+", "+02ef950f+"),
        KEY.replace("+02ef950e+", "+02EF950E+"),
        KEY.replace("rewound.example", "rewound.invalid"),
        KEY[:-4],
        KEY.rpartition("+")[0] + "+" + b64encode(b"\x02" + b64decode(KEY.rpartition("+")[2])[1:]).decode(),
        KEY.replace("rewound", "re\ud800wound"),
        KEY + "\n",
    ],
)
def test_what_is_no_verifier_key_is_refused(key: str) -> None:
    with pytest.raises(BadNote):
        verify(NOTE, key)


@pytest.mark.parametrize(
    ("origin", "size", "root"),
    [("", 0, bytes(32)), ("a b", 0, bytes(32)), ("a", -1, bytes(32)), ("a", 0, bytes(31))],
)
def test_a_checkpoint_outside_the_format_is_not_made(origin: str, size: int, root: bytes) -> None:
    with pytest.raises(BadNote):
        Checkpoint(origin, size, root)
