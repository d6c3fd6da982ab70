"""Cosignatures and policies: the specification's own example, what is false, what is enough."""

import pytest

from service.audit import cosignature, notes
from service.audit.checkpoint import Checkpoint, sign
from service.audit.notes import COSIGNER, BadNote, base64, verifier_key
from service.audit.witness_policy import BadPolicy, Policy, read_policy
from service.record.ed25519 import is_signed, public_key

SECRETS = {name: bytes([at]) * 32 for at, name in enumerate(("ada", "ben", "cleo", "log"), 1)}
NOTE = sign(Checkpoint("host.example/log", 7, bytes(32)), SECRETS["log"])


def witness(name: str) -> str:
    """Return the verifier key of a witness."""
    return verifier_key(f"{name}.example", public_key(SECRETS[name]), COSIGNER)


def cosigned(note: str, **times: int) -> str:
    """Return *note*, cosigned by each at its time."""
    text = notes.parse(note).text
    for name, now in times.items():
        note = cosignature.merged(note, cosignature.cosign(text, f"{name}.example", SECRETS[name], now))
    return note


def time_of(note: str, name: str) -> int | None:
    """Return when a witness cosigned."""
    return cosignature.cosigned_at(notes.parse(note), f"{name}.example", public_key(SECRETS[name]))


def test_a_cosignature_verifies_with_its_time_and_for_nothing_else() -> None:
    note = cosigned(NOTE, ada=1_700_000_000)

    assert (time_of(note, "ada"), time_of(note, "ben")) == (1_700_000_000, None)
    assert time_of(note.replace("\n7\n", "\n8\n"), "ada") is None
    other = sign(Checkpoint("host.example/log", 7, bytes([1]) * 32), SECRETS["log"])
    line = note.split("\n")[-2]
    assert time_of(f"{other}{line}\n", "ada") is None
    value = bytearray(notes.parse(note).signatures[-1].value)
    value[7] ^= 1  # another time
    moved = NOTE + notes.signature_line("ada.example", notes.parse(note).signatures[-1].key_id + bytes(value))
    assert time_of(moved, "ada") is None


def test_the_signed_message_is_that_of_the_specification() -> None:
    line = notes.parse(cosigned(NOTE, ada=1_679_315_147)).signatures[-1]
    message = f"cosignature/v1\ntime 1679315147\nhost.example/log\n7\n{base64(bytes(32))}\n"
    assert line.value[:8] == (1_679_315_147).to_bytes(8, "big")
    assert is_signed(message.encode(), line.value[8:], public_key(SECRETS["ada"]))
    assert line.key_id == notes.id_of("ada.example", public_key(SECRETS["ada"]), b"\x04")


def test_a_key_that_signs_notes_is_none_that_cosigns() -> None:
    as_log = verifier_key("ada.example", public_key(SECRETS["ada"]))
    with pytest.raises(BadPolicy, match="line 1"):
        read_policy(f"witness a {as_log}\nquorum a\n".encode())
    with pytest.raises(BadPolicy, match="line 1"):
        read_policy(f"log {witness('ada')}\nquorum none\n".encode())


def test_an_answer_that_is_no_signature_line_is_refused() -> None:
    with pytest.raises(BadNote):
        cosignature.merged(NOTE, "thank you\n")
    again = cosigned(cosigned(NOTE, ada=5), ada=5)
    assert again.count("ada.example") == 1


def policy_of(*lines: str) -> str:
    """Return the text of the policy of three witnesses and *lines*."""
    known = [f"witness {name} {witness(name)} https://{name}.example/" for name in ("ada", "ben", "cleo")]
    return "\n".join(["# friends", "", *known, *lines, ""])


def policy(*lines: str) -> Policy:
    """Return the policy of three witnesses and *lines*."""
    return read_policy(policy_of(*lines).encode())


def policy_lines() -> list[str]:
    """Return the texts of right and wrong policies, for other readers."""
    right = [("quorum none",), ("quorum ada",), ("group g 2 ada ben cleo", "quorum g")]
    return [policy_of(*lines) for lines in (*right, *BAD)]


def test_a_quorum_is_met_by_enough_and_at_the_time_of_the_last_that_was_needed() -> None:
    two = policy("group two 2 ada\tben cleo", "quorum two")
    assert [two.is_met(by) for by in ([], ["ada"], ["ada", "cleo"], ["x", "y"])] == [
        False,
        False,
        True,
        False,
    ]
    assert two.met_at({"ada": 30, "ben": 10}) == 30
    assert two.met_at({"ada": 30, "ben": 10, "cleo": 20}) == 20
    assert two.met_at({"ada": 30}) is None

    nested = policy("group some any ada ben", "group all-of all some cleo", "quorum all-of")
    assert [nested.is_met(by) for by in (["ada", "ben"], ["ben", "cleo"])] == [False, True]
    assert policy("quorum none").is_met([])
    assert policy("quorum none").met_at({}) is None
    assert two.witnesses["ben"].url == "https://ben.example/"


BAD = [
    (),
    ("quorum nobody",),
    ("quorum ada", "quorum ada"),
    ("group ada any ben", "quorum ada"),
    ("group g 3 ada ben", "quorum g"),
    ("group g 0 ada ben", "quorum g"),
    ("group g 01 ada ben", "quorum g"),
    ("group g any ada ada", "quorum g"),
    ("group g any ada", "group h any ada ben", "quorum h"),
    ("group g any h", "group h any ada", "quorum g"),
    ("group none any ada", "quorum none"),
    ("group g any", "quorum g"),
    ("quorum",),
    ("trust everybody", "quorum none"),
    (f"witness again {witness('ada')}", "quorum none"),
    ("log nothing", "quorum none"),
    ("quorum none\r",),
]


@pytest.mark.parametrize("lines", BAD)
def test_what_is_no_policy_is_refused(lines: tuple[str, ...]) -> None:
    with pytest.raises(BadPolicy):
        policy(*lines)


@pytest.mark.parametrize("raw", [b"quorum none", b"quorum none\n\xff\n", b"#" * 70_000 + b"\n"])
def test_bytes_that_are_no_policy_are_refused(raw: bytes) -> None:
    with pytest.raises(BadPolicy):
        read_policy(raw)
