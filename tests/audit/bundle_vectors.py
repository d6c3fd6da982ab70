"""Bundles with their verdicts, for every verifier: right ones, and one of each way to be wrong.

`python -m tests.audit.bundle_vectors` writes those that are made from a tiny game, into
`tests/vectors/bundles`. The forged fights of Heart Rush there were made once, without a key, and stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from service.audit import bundle, signing
from service.audit.certificate import certificate, signed
from service.audit.evidence import Evidence, Receipt, stored
from service.audit.receipts import sign_receipts
from service.audit.signing import Signer, VouchedKey
from service.audit.verify import verify
from service.core.decide import quarantine_request
from service.dice.chain import seat_commitment
from service.log.values import CommitWrite
from service.record.canonical import commit_hash, dumps, eid_of, request_digest
from service.record.commit import SeatSignature, load_commit, load_request
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import statement
from tests.audit.evidence_of import closed, evidence_of, forged, played, resealed, root_of, signed_evidence
from tests.audit.game_lies import GAME_LIES
from tests.audit.games import signed_throughout
from tests.audit.line_lies import COUNTED, FIGHT_LIES
from tests.audit.refitted import with_request
from tests.audit.shapes import mixed_game
from tests.audit.signed_fights import KEYS, Told, retold_fight, sealed_fight, signed_fight
from tests.audit.test_coverage import recovered, with_heads
from tests.support.in_process_service import House
from tests.support.javascript_verifier import as_bundle
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting, request

HOME: Final = Path(__file__).parents[1] / "vectors" / "bundles"
TABLE: Final = HOME / "verdicts.json"
KEY: Final = SIGNER.public.hex()
OTHER: Final = Signer(SIGNER.origin, bytes(range(7, 39)))

SEAT_SECRET: Final = bytes(range(64, 96))
SEAT_KEY: Final = public_key(SEAT_SECRET).hex()

Line = dict[str, Any]
KINDS: Final = ("receipt", "certificate", "policy")
"""Members of a row that name a file beside the bundle."""
OF_GM: Final = {"seat": "gm", "role": "gm"}


@dataclass(frozen=True)
class Vector:
    """A bundle, what is held against it, and the verdict of a verifier without rules."""

    name: str
    raw: bytes
    verdict: str
    keys: tuple[str, ...] = (KEY,)
    """Accepted keys of the host."""
    receipts: tuple[Receipt, ...] = ()
    certificate: bytes | None = None
    signed: bytes | None = None
    """A signed receipt."""
    seat_keys: tuple[str, ...] = ()
    """Keys of seats that the reader knows, each as `SEAT:KEY`."""
    policy: bytes | None = None

    def to_data(self, file: str) -> Line:
        """Return the row of the table; several vectors may share one *file*."""
        row: Line = {"name": self.name, "file": file, "keys": list(self.keys), "verdict": self.verdict}
        if self.receipts:
            row["receipts"] = [f"{receipt.n}:{receipt.hash}" for receipt in self.receipts]
        if self.seat_keys:
            row["seat_keys"] = list(self.seat_keys)
        if self.policy is not None:
            row["policy"] = f"{self.name}.policy"
        if self.signed is not None:
            row["receipt"] = f"{self.name}.receipt.json"
        if self.certificate is not None:
            row["certificate"] = f"{self.name}.certificate.json"
        return row


def spelled(*fight: Evidence) -> bytes:
    """Return the lines of a fight, often one, as a bundle, however wrong they are."""
    raw = as_bundle(*fight)
    assert raw is not None
    return raw


def game() -> Evidence:
    """Return a closed game, every close of it signed."""
    return replace(signed_throughout(evidence_of(closed())), seat="gm")


def bare() -> Evidence:
    """Return the same game, and nothing signed."""
    return replace(game(), notes=(), keys=())


def lines_of(raw: bytes) -> list[Line]:
    """Return the lines of a bundle."""
    return [json.loads(line) for line in raw.splitlines()]


def file_of(lines: list[Line]) -> bytes:
    """Return the bundle that *lines* are."""
    return b"".join(dumps(line) + b"\n" for line in lines)


def edited(change: Callable[[list[Line]], object], evidence: Evidence | None = None) -> bytes:
    """Return a bundle with its lines changed."""
    lines = lines_of(spelled(evidence or game()))
    change(lines)
    return file_of(lines)


def first(lines: list[Line], kind: str, at: int = 0) -> Line:
    """Return the line number *at* of a kind."""
    return [line for line in lines if line["kind"] == kind][at]


def in_commit(n: int, change: Callable[[Line], object], evidence: Evidence | None = None) -> bytes:
    """Return a bundle with a commit changed, and the chain behind it made to fit."""

    def edit(commit: Line) -> None:
        change(commit)

    return spelled(forged(evidence or bare(), n, edit))


def drop(kind: str, at: int, *, counted: bool = False) -> Callable[[list[Line]], None]:
    """Return what takes one line out; *counted* makes the trailer's count of checkpoints fit."""

    def change(lines: list[Line]) -> None:
        lines.remove(first(lines, kind, at))
        lines[-1]["checkpoints"] -= counted

    return change


def put(kind: str, at: int, **members: Any) -> Callable[[list[Line]], None]:
    """Return what sets members of one line."""
    return lambda lines: first(lines, kind, at).update(members)


def turn(commit: Line) -> None:
    """Turn a die over."""
    die = commit["rolls"][0]["dice"][0]
    die["face"] = die["face"] % die["sides"] + 1


# --- right ---------------------------------------------------------------------------------------------


def right() -> Iterator[Vector]:
    """Yield bundles in which nothing is wrong."""
    held = "valid_without_rules"
    whole = spelled(game())
    yield Vector("right-closed", whole, held)
    yield Vector("right-no-key", whole, "valid_unsigned_without_rules", ())
    yield Vector("right-unsigned", spelled(bare()), "valid_unsigned_without_rules", ())
    yield Vector("right-running", spelled(signed_evidence(played(), 7, 8)), held)
    yield Vector("right-mixed", spelled(replace(mixed_game(), seat="gm")), held)
    yield Vector("right-loss", spelled(replace(with_heads(7, len(recovered()[0].commits)), seat="gm")), held)
    yield Vector("right-fight-with-rulings", spelled(*fight()), held)
    rotated = rotation()
    yield Vector("right-rotation-older-key", spelled(rotated), held)
    yield Vector("right-rotation-newer-key", spelled(rotated), held, (OTHER.public.hex(),))
    moved = [replace(key, rotation=rotated.keys[1 - i].rotation) for i, key in enumerate(rotated.keys)]
    swapped = spelled(replace(rotated, keys=tuple(moved)))
    yield Vector("right-rotation-in-the-line-of-another-key", swapped, held)
    receipt = Receipt(4, commit_hash(game().commits[3]).hex())
    yield Vector("right-receipt", whole, held, (KEY,), (receipt,))
    yield Vector("right-certificate", whole, held, (KEY,), (), paper())
    of_a_fight = paper(evidence=fight()[-1])
    yield Vector("right-certificate-of-a-fight", spelled(*fight()), held, (KEY,), (), of_a_fight)


def rotation() -> Evidence:
    """Return a game whose first heads an older key signed, and the end a newer one that it named."""
    evidence = game()
    note = OTHER.checkpoint(evidence.encounter, 10, root_of(evidence.commits))
    handed = signing.rotation(SIGNER.origin, SIGNER.secret, OTHER.public)
    keys = (*evidence.keys, VouchedKey(OTHER.origin, OTHER.public, handed))
    return replace(evidence, notes=(*evidence.notes[:-1], note), keys=keys)


@cache
def fight() -> tuple[Evidence, ...]:
    """Return the lines of play of a closed fight with a ruling, an undo and a redo, in order."""
    with House() as house:
        line = house.open(TINY, {})
        for command in (("gm", "roll"), ("ada", "choose"), ("gm", "add"), ("bo", "choose")):
            house.send(line, *command, **{"choose": {"number": 3}, "add": {"amount": 4}}.get(command[1], {}))
        house.send(line, "ada", "contest", commit=2, claim="a d8 it should be")
        instead = [{"type": "roll", "data": {"sides": 8}}]
        ruled = house.proposed(line, "amend", contest="c1", decision="so it is", instead=instead)
        lines = [line, house.accept(line, ruled)]
        house.send(lines[-1], "gm", "add", amount=1)
        last = len(house.commits(lines[-1]))
        lines.append(house.accept(lines[-1], house.proposed(lines[-1], "undo", commit=last)))
        lines.append(house.accept(lines[-1], house.proposed(lines[-1], "redo")))
        house.send(lines[-1], "gm", "roll")
        house.send(lines[-1], "gm", "close", reason="enough")
        return tuple(replace(signed_throughout(stored(house.log, each)), seat="gm") for each in lines)


def _updated(members: dict[str, Any], new: Mapping[str, Any]) -> None:
    members.update(new)


def retold(evidence: Evidence, change: Callable[[list[Line]], object]) -> Evidence:
    """Return a line of play whose host has changed its moments after the fact, chained and signed again.

    A moment has the `request` and the `commit` as data, and the envelopes that are `opened`, by index.
    """
    moments: list[Line] = [
        {
            "request": json.loads(request or b"{}"),
            "commit": json.loads(commit),
            "opened": {i: each for (at, i), each in evidence.opened.items() if at == n},
        }
        for n, (request, commit) in enumerate(zip(evidence.requests, evidence.commits, strict=True), 1)
    ]
    change(moments)
    opened: dict[tuple[int, int], Any] = {}
    requests, commits, prev = [], [], "0" * 64
    for n, moment in enumerate(moments, 1):
        events, request = moment["commit"]["events"], moment["request"]
        if events and events[0].get("type") == "line_begun":
            events[0]["origin"] |= {"n": n - 1, "hash": prev}
            request["data"] |= {"origin": events[0]["origin"]} if request["type"] == "begin_line" else {}
        requests.append(dumps(request))
        named = {"n": n, "prev": prev, "request": request_digest(requests[-1]).hex()}
        commits.append(dumps(moment["commit"] | named))
        prev = commit_hash(commits[-1]).hex()
        opened |= {(n, index): each for index, each in moment["opened"].items()}
    changed = replace(
        evidence, requests=requests, commits=commits, opened=opened, count=len(commits), head=prev
    )
    return replace(signed_throughout(changed), seat="gm")


def invented(moments: list[Line], n: int, seat: str, amount: int) -> Line:
    """Return a moment in which a seat adds to the counter, which it never did, like that of commit *n*."""
    like = json.loads(json.dumps({name: moments[n - 1][name] for name in ("request", "commit")}))
    like["request"] |= {"type": "add", "data": {"amount": amount}, "actor": {"seat": seat, "role": "player"}}
    like["commit"] |= {
        "outcome": "accepted",
        "rolls": [],
        "events": [{"because": ["TINY-ADD"], "by": amount, "type": "counted"}],
    }
    return {**like, "opened": {}}


def of_lines() -> Iterator[Vector]:
    """Yield fights that are a part, or whose host lied about a line of play; each is signed by it."""
    first, ruled, undone, redone = fight()
    begun = next(n for n, raw in enumerate(ruled.commits, 1) if b'"line_begun"' in raw)
    accepted = next(n for n, raw in enumerate(ruled.commits, 1) if b'"line_accepted"' in raw)

    def insert(at: int) -> Callable[[list[Line]], None]:
        return lambda moments: moments.insert(at - 1, invented(moments, begun + 3, "bo", 9))

    def plan(change: Callable[[list[int]], object]) -> Callable[[list[Line]], None]:
        def changed(moments: list[Line]) -> None:
            said = moments[begun - 1]
            change(said["commit"]["events"][0]["plan"])
            said["request"]["data"]["plan"] = said["commit"]["events"][0]["plan"]

        return changed

    def words(n: int, **more: Any) -> Callable[[list[Line]], None]:
        return lambda moments: moments[n - 1]["request"].update(more)

    def event(n: int, made: Line) -> Callable[[list[Line]], None]:
        return lambda moments: moments[n - 1]["commit"]["events"].append({"because": [], **made})

    def keys_of(moments: list[Line]) -> None:
        said = moments[accepted - 1]
        for each in (said["commit"]["events"][0], said["request"]["data"]):
            each["seats"]["bo"]["key"] = "07" * 32

    beginning = json.loads(ruled.commits[begun - 1])["events"][0]
    held = "valid_without_rules"
    yield Vector("line-taken-back-alone", spelled(first), held)
    yield Vector("line-up-to-the-ruling", spelled(first, ruled), held)
    yield Vector("line-in-part", spelled(redone), f"valid_in_part({begun})")
    yield Vector("line-in-part-the-ruling-alone", spelled(ruled), f"valid_in_part({begun})")
    draft = retold(ruled, lambda moments: moments.__delitem__(slice(accepted - 1, None)))
    yield Vector("line-not-accepted", spelled(first, draft), f"not_accepted({begun})", ())
    lies: dict[str, tuple[Evidence, str]] = {
        "invented-before-the-acceptance": (retold(ruled, insert(accepted)), f"forged_command({accepted})"),
        "invented-among-the-repeated": (retold(ruled, insert(begun + 2)), f"forged_command({accepted})"),
        "invented-and-planned": (
            retold(ruled, lambda m: (insert(accepted)(m), plan(lambda olds: olds.append(0))(m))[0]),
            f"seam_broken({begun})",
        ),
        "other-words": (
            retold(ruled, words(begun + 3, data={"amount": 400})),
            f"seam_broken({begun + 3})",
        ),
        "other-seat": (
            retold(ruled, words(begun + 3, actor={"seat": "bo", "role": "player"})),
            f"seam_broken({begun + 3})",
        ),
        "left-out": (
            retold(ruled, lambda m: (m.pop(begun + 2), plan(lambda olds: olds.remove(4))(m))[1]),
            f"seam_broken({begun})",
        ),
        "other-ruling": (
            retold(ruled, words(begun + 1, data={"sides": 20})),
            f"seam_broken({begun + 1})",
        ),
        "other-head": (
            retold(ruled, lambda m: m[begun]["commit"].update(epoch=7)),
            f"seam_broken({accepted - 1})",
        ),
        "keys-of-seats": (retold(ruled, keys_of), f"seam_broken({accepted})"),
    }
    for name, (each, verdict) in lies.items():
        yield Vector(f"line-{name}", spelled(first, each), verdict)
    false = retold(ruled, lambda m: m[begun]["commit"].update(epoch=7))
    drafted = {"n": accepted - 1, "hash": json.loads(false.commits[accepted - 1])["prev"]}

    def another_head(moments: list[Line]) -> None:
        next(e for e in moments[-1]["commit"]["events"] if e.get("type") == "continued")["head"] = drafted

    yield Vector(
        "line-accepted-otherwise",
        spelled(retold(first, another_head), false),
        f"forged_command({len(first.commits)})",
    )
    undo = len(ruled.commits) - 1
    other = retold(ruled, words(undo, data={"commit": 3}))
    yield Vector("line-undone-otherwise", spelled(first, other, undone), f"forged_command({undo})")
    other = retold(first, words(len(first.commits) - 1, type="undo", data={"commit": begun}))
    yield Vector("line-ruled-otherwise", spelled(other, ruled), f"forged_command({len(first.commits) - 1})")
    ended = retold(first, lambda moments: moments.pop())
    head = SIGNER.checkpoint(first.encounter, len(ended.commits), root_of(ended.commits))
    ended = replace(ended, notes=(head,))
    yield Vector("line-never-continued", spelled(ended, ruled), f"seam_broken({begun})")
    alone = game()
    yield Vector("line-begun-anywhere", spelled(retold(alone, event(3, beginning))), "malformed(3)")
    yield Vector("line-begun-at-the-opening", spelled(retold(alone, event(1, beginning))), "malformed(1)")
    accepting = {"type": "line_accepted", "parent": alone.encounter, "seats": {}, "contests": {}}
    yield Vector("line-accepted-anywhere", spelled(retold(alone, event(3, accepting))), "malformed(3)")
    raw = spelled(first, ruled, undone, redone)
    named = f'"parent":"{first.encounter}"'.encode()
    yield Vector(
        "line-of-no-parent",
        raw.replace(named, b'"parent":"00000000-0000-0000-0000-000000000007"', 1),
        f"malformed({len(first.commits)})",
    )
    at = raw.index(b'{"encounter"', raw.index(b'"kind":"line"') - 90)
    twice = raw[:at] + raw[at : raw.index(b"\n", at) + 1] + raw[at:]
    yield Vector("line-twice", twice, f"malformed({begun - 1})")


@cache
def seeded_fight() -> tuple[Evidence, ...]:
    """Return the lines of an open fight in which a seat has sent its seed, and the gm undid a command."""
    with House() as house:
        line = house.open(TINY, {"seeding": {"mode": "mixed", "seats": ["ada", "bo"]}})
        made = seat_commitment(eid_of(line), "ada", b"a" * 32).hex()
        house.send(line, "ada", "commit_seed", commitment=made)
        house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        return tuple(replace(signed_throughout(stored(house.log, each)), seat="gm") for each in (line, after))


@cache
def fight_opened_later() -> tuple[Evidence, ...]:
    """Return the lines of an open fight: what was sealed in the first one is revealed in the second alone."""
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "ada", "choose", number=3)
        house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        house.send(after, "bo", "choose", number=1)
        return tuple(replace(signed_throughout(stored(house.log, each)), seat="gm") for each in (line, after))


def of_later_lines() -> Iterator[Vector]:
    """Yield fights whose earlier line is judged before the later one is read, as far as that matters."""
    first, later = fight_opened_later()
    sound, place = "valid_unsigned_without_rules", min(later.opened)
    raw = b"".join(bundle.write_fight([first, later], "gm"))
    yield Vector("line-that-opens-a-seal-of-the-one-before", raw, sound, ())
    short = [line for line in lines_of(raw) if line["kind"] != "opened" or line["n"] != place[0]]
    yield Vector("line-without-what-a-later-one-opens", file_of(short), f"malformed({place[0]})", ())
    last = len(later.commits)

    def odd(moments: list[Line]) -> None:
        moments[last - 1]["commit"]["zz"] = 1

    bare_lines = [replace(line, notes=(), keys=()) for line in (first, retold(later, odd))]
    yield Vector("line-whose-opening-is-malformed", spelled(*bare_lines), f"malformed({place[0]})", ())
    named = retold(later, lambda moments: moments[0]["commit"].update(encounter="x"))
    nameless = spelled(replace(named, notes=(), keys=()))
    yield Vector("line-of-an-encounter-that-is-no-uuid", nameless, "malformed(1)", ())


def of_seeds() -> Iterator[Vector]:
    """Yield fights that go on before all seeds were sent: with the seeds that the seats sent, or others."""
    first, undone = seeded_fight()
    yield Vector("line-of-seeds", spelled(first, undone), "valid_unsigned_without_rules", ())

    def of_the_host(moments: list[Line]) -> None:
        mine = seat_commitment(eid_of(first.encounter), "ada", b"h" * 32).hex()
        for each in (moments[2]["commit"]["events"][0], moments[2]["request"]["data"]):
            each["state"]["sealing"]["committed"]["ada"] = mine

    false = retold(undone, of_the_host)
    head = {"n": 3, "hash": json.loads(false.commits[3])["prev"]}

    def another_head(moments: list[Line]) -> None:
        moments[-1]["commit"]["events"][-1]["head"] = moments[-1]["request"]["data"]["head"] = head

    told = (retold(first, another_head), false)
    bare_lines = [replace(line, notes=(), keys=()) for line in told]
    yield Vector("line-of-other-seeds", spelled(*bare_lines), "seam_broken(3)", ())


def paper(by: Signer = SIGNER, evidence: Evidence | None = None) -> bytes:
    """Return a certificate of a game."""
    report = verify(evidence or game(), {TINY.edition: TINY}, without_rules=True)
    return dumps(signed(certificate(report), by))


# --- wrong ---------------------------------------------------------------------------------------------


def not_bundles() -> Iterator[Vector]:
    """Yield files that are none."""
    raw = spelled(game())
    for name, each in (
        ("empty-file", b""),
        ("page", b"<!doctype html>\n"),
        ("trailer-first", raw.splitlines(keepends=True)[-1]),
        ("other-format", raw.replace(b"rewound/bundle/1", b"rewound/bundle/9", 1)),
        ("first-line-unended", raw.partition(b"\n")[0]),
        ("byte-order-mark", b"\xef\xbb\xbf" + raw),
    ):
        yield Vector(f"not-a-bundle-{name}", each, "not_a_bundle")


def malformed() -> Iterator[Vector]:
    """Yield bundles whose bytes are of another form, or not what the seat may see."""
    raw = spelled(game())
    n_open = min(game().opened)[0]
    texts = {
        "header-member": (edited(put("header", 0, more=1)), "malformed(0)"),
        "unknown-kind": (raw.replace(b'"kind":"commit"', b'"kind":"kommit"', 1), "malformed(1)"),
        "space": (raw.replace(b'"kind":"trailer"', b'"kind": "trailer"', 1), "malformed(10)"),
        "duplicate-member": (
            raw.replace(b'"kind":"trailer"', b'"kind":"x","kind":"trailer"', 1),
            "malformed(10)",
        ),
        "float": (raw.replace(b'"count":10', b'"count":10.0', 1), "malformed(10)"),
        "trailer-negative": (raw.replace(b'"checkpoints":2', b'"checkpoints":-1', 1), "malformed(10)"),
        "number-too-large": (raw.replace(b'"count":10', b'"count":9007199254740992', 1), "malformed(10)"),
        "header-edition": (edited(put("header", 0, edition="other@1")), "malformed(1)"),
        "withheld-though-open": (edited(withhold(2)), "malformed(2)"),
        "opened-missing": (edited(drop("opened", 0)), f"malformed({n_open})"),
        "opened-twice": (
            edited(lambda lines: lines.insert(lines.index(first(lines, "opened")), first(lines, "opened"))),
            f"malformed({n_open})",
        ),
        "opened-index": (edited(put("opened", 0, index=77)), f"malformed({n_open})"),
        "checkpoint-missing": (edited(drop("checkpoint", 0, counted=True)), "malformed(7)"),
        "checkpoint-uncounted": (edited(drop("checkpoint", 0)), "malformed(10)"),
        "key-without-checkpoint": (edited(key_alone), "malformed(10)"),
        "commit-member": (in_commit(2, lambda commit: commit.pop("epoch")), "malformed(2)"),
        "refusal-rule": (in_commit(6, lambda commit: commit["refusal"].update(rule=7)), "malformed(6)"),
        "lane-2": (in_commit(3, lambda commit: commit["rolls"][0]["name"].update(lane=2)), "malformed(3)"),
        "30-february": (
            with_request(bare(), 2, lambda request: request.update(at="2026-02-30T00:00:00.000Z")),
            "malformed(2)",
        ),
        "unassigned-in-unicode-14": (
            in_commit(2, lambda commit: commit.update(at="q\u0897\u0316")),
            "malformed(2)",
        ),
        "not-nfc": (in_commit(2, lambda commit: commit.update(at="e\u0301")), "malformed(2)"),
    }
    later = spelled(*fight())
    place = later.index(b'"kind":"line"')
    shared = json.loads(later[later.rindex(b"\n", 0, place) + 1 : later.index(b"\n", place)])["n"]
    texts["in-a-later-line"] = (
        later[:place] + later[place:].replace(b'"kind":"commit"', b'"kind":"kommit"', 1),
        f"malformed({shared + 1})",
    )
    for name, (each, verdict) in texts.items():
        yield Vector(f"malformed-{name}", each, verdict)


def withhold(n: int) -> Callable[[list[Line]], None]:
    """Return what withholds a request."""

    def change(lines: list[Line]) -> None:
        lines[lines.index(first(lines, "command", n - 1))] = {"kind": "command", "n": n, "withheld": True}

    return change


def key_alone(lines: list[Line]) -> None:
    """Take every checkpoint out, and leave the key."""
    lines[:] = [line for line in lines if line["kind"] != "checkpoint"]
    lines[-1]["checkpoints"] = 0


def tampered() -> Iterator[Vector]:
    """Yield bundles in which something was changed after it was written."""
    n_open = min(game().opened)[0]
    whole = game()
    false = whole.notes[-1].replace(whole.notes[-1][-6], "A" if whole.notes[-1][-6] != "A" else "B")
    rewritten = forged(whole, 5, lambda commit: commit.update(at="2031-01-01T00:00:00.000Z"))
    elsewhere = SIGNER.checkpoint("00000000-0000-0000-0000-000000000002", 10, root_of(whole.commits))
    nothing = replace(bare(), commits=[], requests=[], opened={}, count=0, named_edition="tiny@1")
    receipt = Receipt(4, "0" * 64)

    def later(lines: list[Line]) -> None:
        line = first(lines, "commit", 3)
        line["bytes"] = line["bytes"].replace("2026", "2031", 1)

    def swap(lines: list[Line]) -> None:
        one, two = first(lines, "command", 1), first(lines, "command", 2)
        one["bytes"], two["bytes"] = two["bytes"], one["bytes"]

    cases: dict[str, tuple[bytes, str, tuple[str, ...]]] = {
        "commit": (edited(later), "tampered(4)", (KEY,)),
        "requests-swapped": (edited(swap), "tampered(2)", (KEY,)),
        "salt": (edited(put("opened", 0, salt="1" * 64)), f"tampered({n_open})", (KEY,)),
        "commit-empty": (edited(put("commit", 3, bytes="")), "tampered(4)", (KEY,)),
        "trailer-head": (edited(put("trailer", 0, head="a" * 64)), "tampered(10)", (KEY,)),
        "trailer-count": (edited(put("trailer", 0, count=8)), "tampered(9 to 10)", (KEY,)),
        "first-has-a-predecessor": (
            in_commit(1, lambda commit: commit.update(prev="a" * 64)),
            "tampered(1)",
            (),
        ),
        "rewritten-below-a-head": (spelled(rewritten), "tampered(1 to 7)", (KEY,)),
        "signature": (spelled(replace(whole, notes=(*whole.notes[:-1], false))), "tampered(10)", (KEY,)),
        "another-encounters-head": (spelled(replace(whole, notes=(elsewhere,))), "tampered(10)", (KEY,)),
        "key-that-is-not-accepted": (spelled(whole), "tampered(7)", ("07" * 32,)),
        "no-commits-and-a-head": (spelled(replace(nothing, head="1" * 64)), "tampered(0)", (KEY,)),
        "loss-that-nobody-signed": (spelled(replace(with_heads(), seat="gm")), "tampered(1 to 7)", (KEY,)),
    }
    for name, (raw, verdict, keys) in cases.items():
        yield Vector(f"tampered-{name}", raw, verdict, keys)
    yield Vector("tampered-receipt", spelled(whole), "tampered(1 to 4)", (KEY,), (receipt,))
    yield Vector("empty", spelled(replace(nothing, head="0" * 64)), "empty")


def cut_off() -> Iterator[Vector]:
    """Yield bundles whose end is missing, or that were signed twice."""
    raw = spelled(game())
    yield Vector("truncated-no-trailer", b"".join(raw.splitlines(keepends=True)[:-1]), "truncated(11 to 11)")
    yield Vector("truncated-last-line-unended", raw[:-1], "truncated(11 to 11)")
    whole = game()
    opened = {place: each for place, each in whole.opened.items() if place[0] <= 6}
    shorter = replace(
        whole,
        commits=whole.commits[:6],
        requests=whole.requests[:6],
        opened=opened,
        count=6,
        head=commit_hash(whole.commits[5]).hex(),
    )
    yield Vector("truncated-below-a-head", spelled(shorter), "truncated(7 to 10)")
    receipt = Receipt(12, "0" * 64)
    yield Vector("truncated-receipt-beyond", raw, "truncated(11 to 12)", (KEY,), (receipt,))
    other = SIGNER.checkpoint(whole.encounter, 7, bytes(32))
    yield Vector("forked", spelled(replace(whole, notes=(other, *whole.notes))), "forked(7)")
    far = tuple(SIGNER.checkpoint(whole.encounter, 99, bytes([each]) * 32) for each in (1, 2))
    yield Vector(
        "truncated-two-roots-beyond-the-end",
        spelled(replace(whole, notes=(*whole.notes, *far))),
        "truncated(11 to 99)",
    )


def unsigned() -> Iterator[Vector]:
    """Yield bundles that no accepted key has signed as far as it has to."""
    whole, (lost, accepted) = game(), recovered()
    yield Vector("unsigned-no-heads", spelled(bare()), "unsigned_from(1)")
    yield Vector("unsigned-running-no-heads", spelled(evidence_of(played())), "unsigned_from(1)")
    tail = replace(whole, notes=whole.notes[:-1])
    yield Vector("unsigned-end", spelled(tail), "unsigned_from(8)")
    yield Vector("unsigned-end-no-key", spelled(tail), "unsigned_from(8)", ())
    early = replace(signed_evidence(played(), 6), seat="gm")
    yield Vector("unsigned-close-of-an-epoch", spelled(early), "unsigned_from(7)")
    handed = rotation()
    older = replace(handed, notes=whole.notes)
    yield Vector("unsigned-older-key-alone", spelled(older), "unsigned_from(1)", (OTHER.public.hex(),))
    begun = SIGNER.checkpoint(lost.encounter, 3, root_of(lost.commits[:3]))
    claimed = replace(lost, notes=(begun,), seat="gm")
    yield Vector("unsigned-loss", spelled(claimed), "unsigned_from(4)")
    yield Vector(
        "unsigned-behind-a-loss", spelled(replace(with_heads(accepted), seat="gm")), "unsigned_from(8)"
    )


def dice() -> Iterator[Vector]:
    """Yield bundles whose dice are not those that were published."""

    def other_link(commit: Line) -> None:
        next(event for event in commit["events"] if event["type"] == "epoch_closed")["link"] = "0" * 64

    def other_seed(commit: Line) -> None:
        event = next(event for event in commit["events"] if event["type"] == "dice_sealed")
        event["seats"] = dict.fromkeys(event["seats"], "0" * 64)

    mixed = replace(mixed_game(), notes=(), keys=(), seat="gm")
    sealed = next(n for n, raw in enumerate(mixed.commits, 1) if b'"dice_sealed"' in raw)
    yield Vector("dice-face", in_commit(3, turn), "dice_invalid(3, 1/0/table#0)", ())
    yield Vector("dice-link", in_commit(7, other_link), "dice_invalid(7)", ())
    yield Vector("dice-seed", in_commit(sealed, other_seed, mixed), f"dice_invalid({sealed})", ())
    n = next(n for n, raw in enumerate(mixed.commits, 1) if b'"seed_waived"' in raw)
    waived = forged(mixed, n, lambda commit: commit["events"][0].update(seat="nobody"))
    unlisted = sent(waived, n, data={"seat": "nobody", "reason": "x"})
    yield Vector("dice-waived-and-not-listed", spelled(unlisted), f"dice_invalid({n})", ())


def late() -> Iterator[Vector]:
    """Yield games in which a seat signed command 8 on commit 5, and policies that bound what came between."""
    table = sent(with_key(with_key(bare(), 2, "dee"), 7, "cy"), 8, actor={"seat": "dee", "role": "player"})
    raw, held = said(table, 8, 5), "valid_unsigned_without_rules"
    for name, policy, verdict in (
        ("within-the-bound", b"# ours\nunseen 2 1\n", held),
        ("commits-beyond-the-bound", b"unseen 1 1\n", "outdated(8)"),
        ("decisions-beyond-the-bound", b"unseen 2 0\n", "outdated(8)"),
    ):
        yield Vector(f"late-{name}", raw, verdict, (), policy=policy)


def thrown(*, face: int = 5, declared: int | None = 5, sent: int | None = 5, by: str = "gm") -> bytes:
    """Return a game whose roll in commit 3 is called declared, with faces that were declared and sent."""

    def change(commit: Line) -> None:
        (roll,) = commit["rolls"]
        roll |= {"source": "declared", "by": by}
        roll["dice"][0]["face"] = face
        if declared is not None:
            event = {"type": "dice_declared", "because": [], "prompt": "x", "stream": "table", "seat": "gm"}
            commit["events"].append(event | {"faces": [declared]})

    table = forged(bare(), 3, change)
    if sent is None:
        return spelled(table)
    words = {"type": "throw_dice", "data": {"prompt": "x", "faces": [sent]}}
    return with_request(table, 3, lambda data: data.update(words))


def declared_dice() -> Iterator[Vector]:
    """Yield games whose dice people threw, as the record says."""
    place = "dice_invalid(3, 1/0/table#0)"
    for name, raw, verdict in (
        ("right", thrown(), "valid_unsigned_without_rules"),
        ("that-nobody-declared", thrown(declared=None, sent=None), place),
        ("of-other-faces", thrown(face=4), place),
        ("of-another-seat", thrown(by="ada"), place),
        ("in-another-command", thrown(sent=None), "forged_command(3)"),
        ("that-were-sent-otherwise", thrown(sent=4), "forged_command(3)"),
    ):
        yield Vector(f"declared-{name}", raw, verdict, ())


def papers() -> Iterator[Vector]:
    """Yield certificates that are not signed by an accepted key, or not of the record."""
    raw, right_one = spelled(game()), paper()
    data = json.loads(right_one)
    of_a_fight = json.loads(paper(evidence=fight()[-1]))
    fewer = {**of_a_fight["counts"], "proposals": of_a_fight["counts"]["proposals"] - 1}
    del of_a_fight["signature"]
    yield Vector(
        "certificate-other-proposals",
        spelled(*fight()),
        "certificate_mismatch",
        (KEY,),
        (),
        dumps(signed({**of_a_fight, "counts": fewer}, SIGNER)),
    )
    renamed = {**data["signature"], "name": f"evil.example/{data['encounter']}"}
    for name, each in (
        ("changed", dumps({**data, "live_state": "equal"})),
        ("renamed", dumps({**data, "signature": renamed})),
        ("other-name", paper(Signer("evil.example", SIGNER.secret))),
        ("other-key", paper(OTHER)),
        ("other-record", paper(evidence=replace(signed_evidence(played(), 7, 8), seat="gm"))),
        ("member-twice", right_one.replace(b'"encounter":', b'"encounter":"x","encounter":', 1)),
        ("float", right_one.replace(b'"size":10', b'"size":10.0', 1)),
        ("unsigned", dumps({name: value for name, value in data.items() if name != "signature"})),
    ):
        yield Vector(f"certificate-{name}", raw, "certificate_mismatch", (KEY,), (), each)
    unsigned = {name: value for name, value in data.items() if name != "signature"}
    decided = [{"n": 3, "kind": "ruling", "seat": "gm", "event": {"type": "ruling_made", "because": []}}]
    for name, changed, verdict in (
        ("other-count", {"counts": {**data["counts"], "quarantined": 1}}, "certificate_mismatch"),
        ("other-decisions", {"decisions": decided}, "certificate_mismatch"),
        ("other-dice", {"dice": {**data["dice"], "mode": "mixed"}}, "certificate_mismatch"),
        ("other-verifier", {"verifier": {"name": "another"}, "findings": []}, "valid_without_rules"),
    ):
        other = dumps(signed({**unsigned, **changed}, SIGNER))
        yield Vector(f"certificate-{name}", raw, verdict, (KEY,), (), other)


def keyed(seat: str = "ada") -> Evidence:
    """Return a game in which a seat has a key from commit 3 on; nothing is signed, by anybody."""
    return with_key(bare(), 2, seat)


def with_key(evidence: Evidence, n: int, seat: str, key: str = SEAT_KEY) -> Evidence:
    """Return a game in which the gm's command *n* set the key of a seat, too, for who applies no rules."""
    event = {"type": "seat_key_set", "because": [], "seat": seat, "key": key}
    named = forged(evidence, n, lambda commit: commit["events"].append(event))
    return sent(named, n, type="set_seat_key", data={"seat": seat, "key": key}, actor=OF_GM)


def sent(evidence: Evidence, n: int, **members: Any) -> Evidence:
    """Return a game with members of request *n* replaced, and its commit naming it."""
    return bundle.read(with_request(evidence, n, lambda data: data.update(members)))


def said(evidence: Evidence, n: int, head: int = 3, **changed: Any) -> bytes:
    """Return a bundle in which the seat of request *n* signed it, after it had seen commit *head*."""
    request = load_request(evidence.requests[n - 1] or b"")
    seen = changed.get("hash") or commit_hash(evidence.commits[head - 1]).hex()
    words = SeatSignature("k-1", 0, head, seen, "")
    value = sign_bytes(statement(replace(request, **changed.get("instead", {})), words), SEAT_SECRET).hex()
    signed_by_seat = {
        "key": words.key,
        "index": words.index,
        "head": {"n": words.n, "hash": words.hash},
        "signature": value,
    }
    return with_request(evidence, n, lambda data: data.update(signed=signed_by_seat))


def statements() -> Iterator[Vector]:
    """Yield games in which a seat has a key, and a host speaks for it or does not."""
    table, of_gm = keyed(), keyed("gm")
    yield Vector("statement-right", said(table, 4), "valid_unsigned_without_rules", ())
    yield Vector("statement-missing", spelled(table), "forged_command(4)", ())
    changed = said(table, 4, instead={"data": {"number": 6}})
    yield Vector("statement-of-another-command", changed, "forged_command(4)", ())
    elsewhere = said(table, 4, instead={"encounter": "00000000-0000-8000-8000-000000000000"})
    yield Vector("statement-of-another-encounter", elsewhere, "forged_command(4)", ())
    yield Vector("statement-on-another-history", said(table, 4, hash="ab" * 32), "forked(4)", ())
    yield Vector("statement-on-itself", said(table, 4, head=4), "forked(4)", ())
    yield Vector("statement-of-the-gm-missing", spelled(of_gm), "forged_command(3)", ())
    second = with_request(of_gm, 3, lambda data: data.update(actor={"seat": "bo", "role": "gm"}))
    yield Vector("statement-avoided-by-a-second-gm", second, "forged_command(3)", ())


def refused_as_unsigned(seat: str = "cy", key: str = SEAT_KEY, *, has_key: bool = True) -> Evidence:
    """Return a game in which a seat, with a key or none, sent command 6, which was refused as not signed."""
    table = forged(bare(), 6, lambda commit: commit["refusal"].update(code="not_signed"))
    if has_key:
        table = with_key(table, 2, seat, key)
    return sent(table, 6, actor={"seat": seat, "role": "player"})


def refusals() -> Iterator[Vector]:
    """Yield games in which a host refuses a command as not signed, rightly or not."""
    held = "valid_unsigned_without_rules"
    refused, keyless = refused_as_unsigned(), refused_as_unsigned(has_key=False)
    yield Vector("refusal-of-an-unsigned-command", spelled(refused), held, ())
    changed = said(refused, 6, instead={"data": {"amount": 6}})
    yield Vector("refusal-of-a-command-signed-otherwise", changed, held, ())
    yield Vector("refusal-of-a-signed-command", said(refused, 6), "false_refusal(6)", ())
    yield Vector("refusal-of-a-seat-without-a-key", spelled(keyless), "false_refusal(6)", ())
    foreign = OTHER.public.hex()
    replaced = refused_as_unsigned(key=foreign)
    for name, raw, verdict, key in (
        ("refusal-by-a-key-of-the-hosts-own", said(replaced, 6), "false_refusal(6)", f"cy:{SEAT_KEY}"),
        ("statement-by-a-key-of-the-hosts-own", said(keyed(), 4), "forged_command(4)", f"ada:{foreign}"),
        ("statement-by-the-key-that-is-known", said(keyed(), 4), held, f"ada:{SEAT_KEY}"),
        ("statement-before-the-key-was-set", spelled(bare()), "forged_command(4)", f"ada:{SEAT_KEY}"),
    ):
        yield Vector(name, raw, verdict, (), seat_keys=(key,))


def moved(head: int) -> bytes:
    """Return a game in which a seat signed the roll in commit 8 on *head*; the dice moved in commit 7."""
    advanced = {"type": "epoch_advanced", "because": [], "seat": "gm", "reason": "a pause", "epoch": 9}
    table = forged(bare(), 7, lambda commit: commit["events"].append(advanced))
    table = sent(table, 7, type="advance_epoch", data={"reason": "a pause"}, actor=OF_GM)
    player = {"seat": "cy", "role": "player"}
    return said(sent(with_key(table, 2, "cy"), 8, actor=player), 8, head)


def _appended(event: Line, commit: Line) -> None:
    commit["events"].append(event)


def named() -> Iterator[Vector]:
    """Yield games in which an event in a seat's name says other than the command in whose commit it is."""
    events: dict[str, Line] = {
        "a-key": {"type": "seat_key_set", "seat": "bo", "key": SEAT_KEY},
        "a-key-removed": {"type": "seat_key_removed", "seat": "bo"},
        "a-commitment": {"type": "seed_committed", "seat": "bo", "commitment": "ab" * 32},
        "a-waiver": {"type": "seed_waived", "seat": "bo"},
        "an-epoch": {"type": "epoch_advanced", "seat": "gm", "reason": "", "epoch": 9},
        "faces": {"type": "dice_declared", "seat": "bo", "stream": "table", "prompt": "x", "faces": [1]},
        "a-choice": {"type": "seat_choice_committed", "seat": "bo", "prompt": "x", "commitment": "ab" * 32},
        "an-opening": {
            "type": "seat_choice_opened",
            "seat": "bo",
            "prompt": "x",
            "choice": {},
            "salt": "ab" * 32,
        },
    }
    for name, event in events.items():
        told = {"because": [], **event}
        raw = spelled(forged(bare(), 4, partial(_appended, told)))
        yield Vector(f"invented-{name}", raw, "forged_command(4)", ())
    opened = json.loads(bare().commits[0])["events"][0]
    raw = spelled(forged(bare(), 4, lambda commit: commit["events"].append(opened)))
    yield Vector("opened-twice", raw, "malformed(4)", ())


def moves() -> Iterator[Vector]:
    """Yield games in which the dice moved, and what the clock sends."""
    yield Vector("dice-moved-after-the-signature", moved(6), "dice_moved(8)", ())
    yield Vector("dice-moved-long-after-the-signature", moved(3), "dice_moved(8)", ())
    yield Vector("dice-moved-before-the-signature", moved(7), "valid_unsigned_without_rules", ())
    clock = {"actor": {"seat": "clock", "role": "clock"}}
    raw = with_request(bare(), 2, lambda data: data.update(clock))
    yield Vector("clock-plays", raw, "forged_command(2)", ())
    raw = with_request(bare(), 2, lambda data: data.update(clock, type="accept_line"))
    yield Vector("clock-plays-as-it-accepts-a-line", raw, "forged_command(2)", ())


def questions() -> Iterator[Vector]:
    """Yield one bundle for each question that a stranger had about the page."""
    unsigned = "valid_unsigned_without_rules"
    raw = spelled(bare())
    yield Vector("question-header-with-a-space", raw.replace(b'{"', b'{ "', 1), "not_a_bundle", ())

    def cut_command(lines: list[Line]) -> None:
        lines[-1:-1] = [{"kind": "command", "n": 11, "withheld": True}]

    yield Vector("question-command-before-the-trailer", edited(cut_command, bare()), "malformed(11)", ())

    def two_faults(lines: list[Line]) -> None:
        first(lines, "opened")["index"] = 7
        commit = [line for line in lines if line["kind"] == "commit"][5]
        commit["bytes"] = commit["bytes"].replace('"v":1', '"v":2')

    yield Vector("question-opened-index-after-commits", edited(two_faults, bare()), "malformed(6)", ())
    for name, change, verdict in (
        ("prev-in-capitals", {"prev": "AB" * 32}, "malformed(4)"),
        ("request-of-63-digits", {"request": "a" * 63}, "malformed(4)"),
        ("epoch-zero", {"epoch": 0}, unsigned),
        ("epoch-text", {"epoch": "1"}, "malformed(4)"),
    ):
        yield Vector(f"question-{name}", in_commit(4, partial(_updated, new=change)), verdict, ())
    place = min(bare().opened)
    for name, payload, verdict in (
        ("payload-outcome-of-another-type", {"outcome": 5, "prompt": [], "at": 7}, unsigned),
        ("payload-with-another-member", {"zz": 1}, unsigned),
        ("payload-without-rolls", {"rolls": None}, f"malformed({place[0]})"),
    ):
        changed = resealed(bare(), place, partial(_updated, new=payload))
        yield Vector(f"question-{name}", spelled(changed), verdict, ())
    no_dice = with_request(bare(), 1, lambda data: data["data"].pop("dice"))
    yield Vector("question-rolls-without-dice", no_dice, "dice_invalid(3, 1/0/table#0)", ())
    mixed = replace(mixed_game(), notes=(), keys=(), seat="gm")
    late = {"type": "seed_committed", "because": [], "seat": "gm", "commitment": "none"}
    last = len(mixed.commits)
    after = forged(mixed, last, lambda commit: commit["events"].append(late))
    after = sent(after, last, type="commit_seed", data={"commitment": "none"})
    yield Vector("question-seed-of-another-shape-after-the-seal", spelled(after), unsigned, ())

    def year(at: str) -> bytes:
        return with_request(bare(), 4, lambda data: data.update(at=at))

    yield Vector("question-year-zero", year("0000-02-29T00:00:00.000Z"), unsigned, ())
    yield Vector("question-29-february-of-1900", year("1900-02-29T00:00:00.000Z"), "malformed(4)", ())

    def plus(lines: list[Line]) -> None:
        point = first(lines, "checkpoint")
        origin, _, rest = point["note"].partition("/")
        point["note"] = f"{origin}+/{rest}"

    last_commit = len(game().commits)
    yield Vector("question-checkpoint-of-an-origin-with-a-plus", edited(plus), f"malformed({last_commit})")
    nothing = replace(game(), requests=[], commits=[], opened={}, notes=game().notes[:1], count=3)
    yield Vector(
        "question-no-commits-a-count-and-a-false-head",
        spelled(replace(nothing, head="ab" * 32)),
        "truncated(1 to 7)",
    )


def receipts() -> Iterator[Vector]:
    """Yield receipts that the host signed, and what it then shows."""
    whole = game()
    raw, n = spelled(whole), 4
    commit, request = load_commit(whole.commits[n - 1]), whole.requests[n - 1] or b""
    write = CommitWrite(n, commit.prev, commit.hash, commit.raw, request)
    several = [(whole.encounter, write._replace(n=each)) for each in (3, 4, 5)]

    def of(changed: CommitWrite, encounter: str = whole.encounter, by: Signer = SIGNER) -> bytes:
        return sign_receipts([(encounter, changed)], by.secret)[0]

    one_of_three = sign_receipts(several, SIGNER.secret)[1]
    mismatch = "receipt_mismatch"
    for name, each, verdict in (
        ("right", of(write), "valid_without_rules"),
        ("right-one-of-three", one_of_three, "valid_without_rules"),
        ("of-another-outcome", of(write._replace(hash="ab" * 32)), "forked(4)"),
        ("of-another-request", of(write._replace(request=b"another")), "forked(4)"),
        ("beyond-the-end", of(write._replace(n=12)), "truncated(11 to 12)"),
        ("of-another-key", of(write, by=OTHER), mismatch),
        ("of-another-encounter", of(write, "00000000-0000-8000-8000-000000000000"), mismatch),
        ("changed", of(write).replace(b'"n":4', b'"n":5', 1), mismatch),
        ("path-cut", re.sub(rb'"path":.*?\]', b'"path":[]', one_of_three), mismatch),
        ("float", of(write).replace(b'"n":4', b'"n":4.0', 1), mismatch),
    ):
        yield Vector(f"receipt-{name}", raw, verdict, signed=each)


def why(cause: str, **changed: Any) -> Line:
    """Return why a command was set aside."""
    crash: Line = {"error": "IndexError", "place": "service.rules.table.stack:82", "rule": "TABLE-SEAT-1"}
    texts = crash if cause == "crashed" else dict.fromkeys(crash)
    return {"cause": cause, "code": "ab" * 32, **texts, **changed}


def set_aside(quarantine: object, outcome: str = "quarantined") -> bytes:
    """Return a game in which the host set command 2 aside; None: without saying why."""
    new: Line = {"outcome": outcome, "events": [], "rolls": []}
    new |= {} if quarantine is None else {"quarantine": quarantine}
    return spelled(forged(bare(), 2, lambda commit: commit.update(new)))


def after_a_loss() -> Evidence:
    """Return a game in which a command was sent during a dispute, and set aside before the acceptance."""
    lost, again = closed(), Sitting()
    again.requests, again.written = list(lost.requests[:6]), list(lost.written[:6])
    raw = request(7, "roll", {"sides": 6})
    again.requests.append(raw)
    again.written.append(quarantine_request(again.folded, raw, 7, why("disputed")))
    found = {"size": 10, "root": root_of([each.raw for each in lost.written]).hex()}
    again.do("accept_history", reason="the disk died", lost=found, epoch=2)
    return replace(evidence_of(again), seat="gm")


def quarantines() -> Iterator[Vector]:
    """Yield games in which the host set a command aside, with a cause that holds or does not."""
    sound = "valid_unsigned_without_rules"
    for name, raw, verdict in (
        ("crashed", set_aside(why("crashed")), sound),
        ("killed", set_aside(why("killed")), sound),
        ("disputed", spelled(after_a_loss()), sound),
        ("disputed-without-a-loss", set_aside(why("disputed")), "false_quarantine(2)"),
        ("without-a-cause", set_aside(None), "malformed(2)"),
        ("of-an-accepted-command", set_aside(why("crashed"), "accepted"), "malformed(2)"),
        ("of-an-unknown-cause", set_aside(why("unwelcome")), "malformed(2)"),
        ("of-another-code", set_aside(why("crashed", code="ab")), "malformed(2)"),
        ("with-a-number", set_aside(why("crashed", place=82)), "malformed(2)"),
        ("with-another-member", set_aside(why("crashed", text="burst")), "malformed(2)"),
    ):
        yield Vector(f"quarantine-{name}", raw, verdict, ())


def of_games() -> Iterator[Vector]:
    """Yield one lie after the other about a game, or about what is held against it."""
    for lie in GAME_LIES:
        yield Vector(
            lie.name,
            lie.bundle(),
            lie.verdict,
            (KEY,) if lie.has_key else (),
            (),
            None if lie.certificate is None else lie.certificate(),
            None if lie.signed is None else lie.signed(),
        )


def of_signed_fights() -> Iterator[Vector]:
    """Yield a fight whose seats sign, and what a host that has the gm's key can make of it."""
    pinned = tuple(f"{seat}:{KEYS[seat]}" for seat in ("gm", "ada"))
    held = "valid_without_rules"
    yield Vector("signed-fight", spelled(*signed_fight()), held, seat_keys=pinned)
    yield Vector("signed-fight-of-seeds", spelled(*sealed_fight()), held, seat_keys=pinned)
    for lie in FIGHT_LIES:
        yield Vector(f"signed-{lie.name}", spelled(*lie.told()), lie.verdict, seat_keys=pinned)

    def hide(told: Told) -> None:
        del told[0].moments[6:]
        made = told[0].invent(5, "ada", "add", {"amount": 9}, COUNTED)
        made.is_signed = False
        made.hide()

    hidden = retold_fight(signed_fight()[:1], hide)
    yield Vector("signed-command-hidden", spelled(*hidden), held, seat_keys=pinned)


def vectors() -> Iterator[Vector]:
    """Yield all that are made from a tiny game."""
    for kind in (
        right,
        not_bundles,
        malformed,
        tampered,
        cut_off,
        unsigned,
        dice,
        declared_dice,
        papers,
        statements,
        refusals,
        late,
        moves,
        named,
        questions,
        receipts,
        quarantines,
        of_lines,
        of_seeds,
        of_later_lines,
        of_games,
        of_signed_fights,
    ):
        yield from kind()


def main() -> int:
    """Write the bundles and the table; rows of files that are not made here stay."""
    HOME.mkdir(exist_ok=True)
    made = list(vectors())
    files: dict[bytes, str] = {}
    before = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else []
    kept = [row for row in before if row["name"].startswith("fight-")]
    rows = []
    for each in made:
        file = files.setdefault(each.raw, f"{each.name}.jsonl")
        rows.append(each.to_data(file))
        (HOME / file).write_bytes(each.raw)
        if each.policy is not None:
            (HOME / f"{each.name}.policy").write_bytes(each.policy)
        if each.signed is not None:
            (HOME / f"{each.name}.receipt.json").write_bytes(each.signed)
        if each.certificate is not None:
            (HOME / f"{each.name}.certificate.json").write_bytes(each.certificate)
    rows += kept
    named_files = {row[kind] for row in rows for kind in ("file", *KINDS) if kind in row}
    for path in HOME.iterdir():
        if path.name not in named_files | {TABLE.name}:
            path.unlink()
    TABLE.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{len(rows)} bundles\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
