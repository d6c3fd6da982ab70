"""Lies about one game, each in one place of its record or its file, with everything else made to fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from service.audit import signing
from service.audit.certificate import certificate, signed
from service.audit.evidence import Evidence
from service.audit.receipts import sign_receipts
from service.audit.signing import Signer, VouchedKey
from service.audit.verify import verify
from service.log.values import CommitWrite
from service.record.canonical import dumps
from service.record.commit import load_commit
from tests.audit.evidence_of import closed, evidence_of, forged, root_of
from tests.audit.games import signed_throughout
from tests.audit.refitted import with_request
from tests.audit.signed_fights import signed_fight
from tests.support.javascript_verifier import as_bundle
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER

Data = dict[str, Any]
Change = Callable[[Data], object]

NEWER: Final = Signer(SIGNER.origin, bytes(range(7, 39)))
STRANGER: Final = Signer(SIGNER.origin, bytes(range(50, 82)))
DEEP: Final = b"[" * 5000


@dataclass(frozen=True)
class GameLie:
    """A file that lies, or something that lies about a true one."""

    name: str
    role: str
    says: str
    verdict: str
    bundle: Callable[[], bytes]
    signed: Callable[[], bytes] | None = None
    """A signed receipt that is held against it."""
    certificate: Callable[[], bytes] | None = None
    has_key: bool = False
    """Whether the host's key is given."""


@cache
def _bare() -> Evidence:
    return replace(signed_throughout(evidence_of(closed())), seat="gm", notes=(), keys=())


@cache
def _game() -> Evidence:
    return replace(signed_throughout(evidence_of(closed())), seat="gm")


def _spelled(*fight: Evidence) -> bytes:
    raw = as_bundle(*fight)
    assert raw is not None
    return raw


def _whole() -> bytes:
    return _spelled(_game())


def _fight() -> bytes:
    return _spelled(*signed_fight())


# --- in a record -----------------------------------------------------------------------------------------


def _dice(**changed: Any) -> Callable[[], bytes]:
    """Return what publishes other dice in request 1."""
    return lambda: with_request(_bare(), 1, lambda request: request["data"]["dice"].update(changed))


def _lane(**changed: Any) -> Callable[[], bytes]:
    return lambda: with_request(
        _bare(), 1, lambda request: request["data"]["dice"]["lanes"][0].update(changed)
    )


def _commit(n: int, change: Change) -> Callable[[], bytes]:
    def edit(commit: Data) -> None:
        change(commit)

    return lambda: _spelled(forged(_bare(), n, edit))


def _roll(change: Change) -> Callable[[], bytes]:
    return _commit(3, lambda commit: change(commit["rolls"][0]))


def _closes(change: Change) -> Callable[[], bytes]:
    def edit(commit: Data) -> None:
        change(next(event for event in commit["events"] if event.get("type") == "epoch_closed"))

    return _commit(7, edit)


def _early(**event: Any) -> Callable[[], bytes]:
    return _commit(2, lambda commit: commit["events"].append({"because": [], **event}))


# --- in a file -------------------------------------------------------------------------------------------


def _line(at: int, change: Callable[[Data], Data]) -> Callable[[], bytes]:
    """Return what changes the line that names the line of play *at* in a fight."""

    def edit() -> bytes:
        lines = [json.loads(each) for each in _fight().splitlines()]
        named = [each for each in lines if each["kind"] == "line"][at]
        named |= change(named)
        return b"".join(dumps(each) + b"\n" for each in lines)

    return edit


def _without(kind: str, at: int) -> Callable[[], bytes]:
    """Return what takes a line of a kind out of a fight."""

    def edit() -> bytes:
        lines = _fight().splitlines(keepends=True)
        found = [each for each in lines if json.loads(each)["kind"] == kind]
        lines.remove(found[at])
        return b"".join(lines)

    return edit


def _rotated(older: VouchedKey, newer: VouchedKey) -> Callable[[], bytes]:
    """Return a game whose end a newer key signed, with these lines of keys."""

    def made() -> bytes:
        game = _game()
        note = NEWER.checkpoint(game.encounter, 10, root_of(game.commits))
        return _spelled(replace(game, notes=(*game.notes[:-1], note), keys=(older, newer)))

    return made


_OLDER: Final = VouchedKey(SIGNER.origin, SIGNER.public)


def _handed(by: Signer, origin: str = SIGNER.origin) -> VouchedKey:
    return VouchedKey(NEWER.origin, NEWER.public, signing.rotation(origin, by.secret, NEWER.public))


def _noted(change: Callable[[str], str]) -> Callable[[], bytes]:
    """Return a game whose first signed head is spelled otherwise."""

    def made() -> bytes:
        first, *others = _game().notes
        return _spelled(replace(_game(), notes=(change(first), *others)))

    return made


# --- beside a file ---------------------------------------------------------------------------------------


def _receipt(line: int, at: int, encounter: int | None = None, **changed: Any) -> Callable[[], bytes]:
    """Return a receipt of a commit of the fight, in the name of a line of play."""

    def made() -> bytes:
        fight = signed_fight()
        commit = load_commit(fight[line].commits[at - 1])
        write = CommitWrite(at, commit.prev, commit.hash, commit.raw, fight[line].requests[at - 1] or b"")
        named = commit.encounter if encounter is None else fight[encounter].encounter
        return sign_receipts([(named, write._replace(**changed))], SIGNER.secret)[0]

    return made


def _spoilt(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    return lambda: change(_receipt(3, 12)())


def _paper(line: int | None, change: Change) -> Callable[[], bytes]:
    """Return a signed certificate of a line of the fight, or of the game, that says something else."""

    def made() -> bytes:
        evidence = _game() if line is None else signed_fight()[line]
        data = certificate(verify(evidence, {TINY.edition: TINY}, without_rules=True))
        change(data)
        return dumps(signed(data, SIGNER))

    return made


def _first_decision(**changed: Any) -> Callable[[], bytes]:
    return _paper(3, lambda data: data["decisions"].__setitem__(0, {**data["decisions"][0], **changed}))


ANYBODY, HOST, SIGNED, PLAYER = "anybody with the file", "the host", "the host, as a signer", "a player or gm"

GAME_LIES: Final = (
    GameLie(
        "dice-abandoned-true",
        HOST,
        "count abandoned fights in another type",
        "malformed(1)",
        _dice(abandoned_before=True),
    ),
    GameLie(
        "dice-of-another-chain",
        HOST,
        "throw the dice of another encounter",
        "dice_invalid(7)",
        _dice(chain="00000000-0000-4000-8000-000000000009"),
    ),
    GameLie(
        "dice-of-a-chain-in-capitals",
        HOST,
        "name a chain so that readers compute with other bytes",
        "malformed(1)",
        _dice(chain="ABCDEF00-0000-4000-8000-000000000009"),
    ),
    GameLie("dice-without-lanes", HOST, "publish no lanes", "dice_invalid(10)", _dice(lanes=[])),
    GameLie(
        "dice-of-another-algorithm",
        HOST,
        "name other dice than these",
        "malformed(1)",
        _dice(algorithm="rewound/dice/2"),
    ),
    GameLie(
        "dice-mixed-of-nobody",
        HOST,
        "call its own seed one of the table",
        "dice_invalid(3, 1/0/table#0)",
        _dice(mode="mixed"),
    ),
    GameLie(
        "dice-mode-of-a-list",
        HOST,
        "put the mode of the dice into a list",
        "malformed(1)",
        _dice(mode=["server"]),
    ),
    GameLie(
        "dice-lane-true",
        HOST,
        "number a lane with true, which some readers take for 1",
        "malformed(1)",
        _lane(lane=True),
    ),
    GameLie("dice-chain-too-long", HOST, "publish a chain that is too long", "malformed(1)", _lane(n=65_537)),
    GameLie(
        "dice-anchor-in-capitals",
        HOST,
        "spell an anchor in capitals",
        "malformed(1)",
        _lane(anchor="AB" * 32),
    ),
    GameLie(
        "roll-of-a-coming-epoch",
        HOST,
        "throw the dice of an epoch that has not begun",
        "dice_invalid(3, 9/0/table#0)",
        _roll(lambda roll: roll["name"].update(epoch=9)),
    ),
    GameLie(
        "roll-of-another-place",
        HOST,
        "throw a die again under another number",
        "dice_invalid(3, 1/0/table#9007199254740991)",
        _roll(lambda roll: roll["name"].update(place=2**53 - 1)),
    ),
    GameLie(
        "roll-of-epoch-true",
        HOST,
        "number an epoch with true",
        "malformed(3)",
        _roll(lambda roll: roll["name"].update(epoch=True)),
    ),
    GameLie(
        "roll-stream-with-a-line-feed",
        HOST,
        "hide a line feed behind the name of a roll",
        "malformed(3)",
        _roll(lambda roll: roll["name"].update(stream="table\n")),
    ),
    GameLie(
        "roll-face-true",
        HOST,
        "show true on a die",
        "malformed(3)",
        _roll(lambda roll: roll["dice"][0].update(face=True)),
    ),
    GameLie(
        "roll-dropped-false",
        HOST,
        "say in two ways that a die counts",
        "malformed(3)",
        _roll(lambda roll: roll["dice"][0].update(dropped=False)),
    ),
    GameLie(
        "roll-seeded-by-somebody",
        HOST,
        "say who threw a die of the service",
        "malformed(3)",
        _roll(lambda roll: roll.update(by="gm")),
    ),
    GameLie(
        "link-of-epoch-0",
        HOST,
        "disclose the anchor as a link",
        "dice_invalid(7)",
        _closes(lambda event: event.update(epoch=0)),
    ),
    GameLie(
        "link-of-a-lane-without-an-anchor",
        HOST,
        "disclose a link of a lane that nobody published",
        "dice_invalid(7)",
        _closes(lambda event: event.update(lane=7)),
    ),
    GameLie(
        "link-of-lane-false",
        HOST,
        "number a lane with false",
        "malformed(7)",
        _closes(lambda event: event.update(lane=False)),
    ),
    GameLie(
        "link-left-out",
        HOST,
        "close an epoch without its link",
        "malformed(7)",
        _closes(lambda event: event.pop("link")),
    ),
    GameLie(
        "link-inherited-from-nowhere",
        HOST,
        "inherit a link of its own",
        "malformed(2)",
        _early(type="link_inherited", lane=0, epoch=1, link="ab" * 32),
    ),
    GameLie(
        "seed-disclosed-early",
        HOST,
        "disclose another seed before the end",
        "dice_invalid(10)",
        _early(type="lane_disclosed", lane=0, seed="ab" * 32),
    ),
    GameLie(
        "rotation-by-a-stranger",
        ANYBODY,
        "name a key of one's own as the host's newer one",
        "tampered(10)",
        _rotated(_OLDER, _handed(STRANGER)),
        has_key=True,
    ),
    GameLie(
        "rotation-of-another-name",
        SIGNED,
        "hand on the key of another service",
        "tampered(10)",
        _rotated(_OLDER, _handed(SIGNER, "evil.example")),
        has_key=True,
    ),
    GameLie(
        "rotation-left-out",
        ANYBODY,
        "sign the end with a key that no other one names",
        "tampered(10)",
        _rotated(_OLDER, VouchedKey(NEWER.origin, NEWER.public)),
        has_key=True,
    ),
    GameLie(
        "head-with-a-false-signature",
        ANYBODY,
        "add a false signature to a true one",
        "tampered(7)",
        _noted(lambda note: note + note.split("\n\n")[1][:-9] + "AAAAAAA=\n"),
        has_key=True,
    ),
    GameLie(
        "head-of-size-07",
        ANYBODY,
        "spell the size of a head with a zero",
        "malformed(10)",
        _noted(lambda note: note.replace("\n7\n", "\n07\n")),
        has_key=True,
    ),
    GameLie(
        "head-with-line-ends-of-another-system",
        ANYBODY,
        "give a head other line ends",
        "malformed(10)",
        _noted(lambda note: note.replace("\n", "\r\n")),
        has_key=True,
    ),
    GameLie(
        "line-n-true",
        ANYBODY,
        "count the commits that a line shares with true",
        "malformed(8)",
        _line(0, lambda _: {"n": True}),
    ),
    GameLie(
        "line-n-beyond",
        ANYBODY,
        "let a line share more than there is",
        "malformed(8)",
        _line(0, lambda _: {"n": 99}),
    ),
    GameLie(
        "line-of-itself",
        ANYBODY,
        "let a line go on from one below it",
        "malformed(8)",
        _line(0, lambda line: {"parent": line["encounter"]}),
    ),
    GameLie(
        "line-in-capitals",
        ANYBODY,
        "spell the id of a line in capitals",
        "malformed(8)",
        _line(0, lambda line: {"encounter": line["encounter"].upper()}),
    ),
    GameLie(
        "line-with-a-prototype",
        ANYBODY,
        "give a line a member that readers have already",
        "malformed(8)",
        _line(0, lambda _: {"__proto__": 1}),
    ),
    GameLie(
        "line-without-its-trailer",
        ANYBODY,
        "cut a line off inside a fight",
        "malformed(11)",
        _without("trailer", 1),
    ),
    GameLie(
        "file-without-its-last-trailer",
        ANYBODY,
        "cut off the line that is played",
        "truncated(13 to 13)",
        _without("trailer", 3),
    ),
    GameLie("file-twice", ANYBODY, "put a fight behind a fight", "malformed(12)", lambda: _fight() * 2),
    GameLie(
        "file-with-line-ends-of-another-system",
        ANYBODY,
        "give a file other line ends",
        "not_a_bundle",
        lambda: _whole().replace(b"\n", b"\r\n"),
    ),
    GameLie(
        "file-with-a-mark-inside",
        ANYBODY,
        "hide a byte order mark in a file",
        "malformed(0)",
        lambda: _whole().replace(b'\n{"', b'\n\xef\xbb\xbf{"', 1),
    ),
    GameLie(
        "file-of-overlong-bytes",
        ANYBODY,
        "write a letter in more bytes than it has",
        "malformed(1)",
        lambda: _whole().replace(b'"kind":"commit"', b'"kind":"\xc1\xa3ommit"', 1),
    ),
    GameLie(
        "file-with-an-empty-line",
        ANYBODY,
        "end a file with an empty line",
        "malformed(10)",
        lambda: _whole() + b"\n",
    ),
    GameLie(
        "commit-too-deep",
        HOST,
        "nest values until readers fail",
        "malformed(2)",
        _commit(2, lambda commit: commit["events"][0].update(x=json.loads(b"[" * 62 + b"]" * 62))),
    ),
    GameLie(
        "receipt-of-a-line-otherwise",
        SIGNED,
        "answer one thing and record another, in a line that was left",
        "forked(9)",
        _fight,
        _receipt(1, 9, hash="ab" * 32),
        has_key=True,
    ),
    GameLie(
        "receipt-of-a-draft-otherwise",
        SIGNED,
        "propose one line and accept another",
        "forked(6)",
        _fight,
        _receipt(1, 6, hash="ab" * 32),
        has_key=True,
    ),
    GameLie(
        "receipt-beyond-a-line",
        HOST,
        "leave out a command that it answered, in a line that was left",
        "truncated(12 to 14)",
        _fight,
        _receipt(1, 11, n=14),
        has_key=True,
    ),
    GameLie(
        "receipt-in-another-lines-name",
        PLAYER,
        "accuse a host with a receipt in the name of a later line",
        "receipt_mismatch",
        _fight,
        _receipt(0, 2, 3),
        has_key=True,
    ),
    GameLie(
        "receipt-nested",
        PLAYER,
        "end a verifier with a nested receipt",
        "receipt_mismatch",
        _fight,
        lambda: DEEP,
        has_key=True,
    ),
    GameLie(
        "receipt-with-a-mark",
        PLAYER,
        "accuse a host with a receipt behind a byte order mark",
        "receipt_mismatch",
        _fight,
        _spoilt(lambda raw: b"\xef\xbb\xbf" + raw),
        has_key=True,
    ),
    GameLie(
        "receipt-n-true",
        PLAYER,
        "accuse a host with a receipt of number true",
        "receipt_mismatch",
        _fight,
        _spoilt(lambda raw: raw.replace(b'"n":12', b'"n":true')),
        has_key=True,
    ),
    GameLie(
        "certificate-decided-by-another",
        SIGNED,
        "certify that another seat ruled",
        "certificate_mismatch",
        _fight,
        None,
        _first_decision(seat="bo"),
        has_key=True,
    ),
    GameLie(
        "certificate-decided-elsewhere",
        SIGNED,
        "certify a decision of commit true",
        "certificate_mismatch",
        _fight,
        None,
        _first_decision(n=True),
        has_key=True,
    ),
    GameLie(
        "certificate-decisions-in-another-order",
        SIGNED,
        "certify that rulings came in another order",
        "certificate_mismatch",
        _fight,
        None,
        _paper(3, lambda data: data["decisions"].reverse()),
        has_key=True,
    ),
    GameLie(
        "certificate-key-left-out",
        SIGNED,
        "certify fewer keys of seats than there were",
        "certificate_mismatch",
        _fight,
        None,
        _paper(3, lambda data: data["seat_keys"].pop()),
        has_key=True,
    ),
    GameLie(
        "certificate-of-a-line-that-was-left",
        SIGNED,
        "show the certificate of a line that was left",
        "certificate_mismatch",
        _fight,
        None,
        _paper(1, lambda _: None),
        has_key=True,
    ),
    GameLie(
        "certificate-refused-true",
        SIGNED,
        "certify a count of another type",
        "certificate_mismatch",
        _whole,
        None,
        _paper(None, lambda data: data["counts"].update(refused=True)),
        has_key=True,
    ),
    GameLie(
        "certificate-without-lanes",
        SIGNED,
        "certify that no dice were published",
        "certificate_mismatch",
        _whole,
        None,
        _paper(None, lambda data: data["dice"].update(lanes=[])),
        has_key=True,
    ),
)
"""Each of them, in an order for readers."""
