"""Play fights whose seats sign, and tell them again as a host that has the gm's key would.

A host that helps itself to the gm's key can sign the acceptance of any line of play. What it cannot do is to
sign for the other seats, so whatever it puts into their mouths is unsigned.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from service.audit import checkpoint
from service.audit.evidence import Evidence, stored
from service.audit.seat_keys import keys_after
from service.audit.signing import VouchedKey
from service.dice.chain import seat_commitment
from service.record.canonical import commit_hash, dumps, eid_of, request_digest
from service.record.commit import Commit, Request, SeatSignature, load_commit, load_request
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import statement
from service.rules.kernel.messages import Actor
from service.steps import run
from service.usecases import sending
from tests.audit.evidence_of import root_of
from tests.audit.games import signed_throughout
from tests.support.folding import fold_whole
from tests.support.in_process_service import BOTH, House
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER

Data = dict[str, Any]

SECRETS: Final = {seat: bytes(range(start, start + 32)) for start, seat in enumerate(("gm", "ada", "bo"), 1)}
KEYS: Final = {seat: public_key(secret).hex() for seat, secret in SECRETS.items()}
HIDING: Final[Data] = {"sealed": "ab" * 32, "audience": [], "opens": "x/never"}
"""An envelope that nobody may open."""


def signature(request: Request, key: str, n: int, hash_: str) -> SeatSignature:
    """Return what the seat of *request* signs, which has seen commit *n*."""
    words = SeatSignature(key, 0, n, hash_, "")
    return replace(words, value=sign_bytes(statement(request, words), SECRETS[request.actor.seat]).hex())


class SignedHouse(House):
    """A service at whose tables each seat with a key signs what it sends."""

    def send(self, encounter: str, seat: str, type_: str, /, **data: Any) -> Commit:
        """Send a command as its seat, signed on the newest commit; return its commit."""
        state = self.state(encounter)
        actor = Actor(seat=seat, role=state.seats[seat].role)
        once, signed = self._once(), None
        if state.seats[seat].key:
            last = self.commits(encounter)[-1]
            signed = signature(Request(encounter, type_, "", "", actor, data), once.key, last.n, last.hash)
        kind = BOTH[state.edition].commands[type_]
        sent = run(sending.send(self.services, encounter, actor, kind, data, once, signed=signed))
        fold_whole(self.folding, encounter)
        return self.commit(encounter, sent.n)

    def keyed(self, encounter: str, *seats: str) -> None:
        """Let seats set their keys."""
        for seat in seats:
            commit = self.send(encounter, seat, "set_seat_key", seat=seat, key=KEYS[seat])
            assert commit.outcome == "accepted", commit.refusal

    def lines(self, *encounters: str) -> tuple[Evidence, ...]:
        """Return the records of lines of play, the end of each signed by the host."""
        return tuple(signed_to_the_end(stored(self.log, each)) for each in encounters)


def signed_to_the_end(evidence: Evidence) -> Evidence:
    """Return *evidence* with each close and the end signed, for the gm's seat."""
    closes = signed_throughout(evidence).notes
    sizes = {checkpoint.size_of(note) for note in closes} | {len(evidence.commits)}
    notes = tuple(
        SIGNER.checkpoint(evidence.line_at(size), size, root_of(evidence.commits[:size]))
        for size in sorted(sizes)
    )
    return replace(evidence, notes=notes, keys=(VouchedKey(SIGNER.origin, SIGNER.public),), seat="gm")


@cache
def signed_fight() -> tuple[Evidence, ...]:
    """Return the lines of play of a closed fight with a ruling, an undo and a redo; gm and ada sign."""
    with SignedHouse() as house:
        line = house.open(TINY, {})
        house.keyed(line, "gm", "ada")
        house.send(line, "gm", "roll")
        house.send(line, "ada", "add", amount=1)
        house.send(line, "ada", "contest", commit=4, claim="a d8")
        instead = [{"type": "roll", "data": {"sides": 8}}, {"type": "add", "data": {"amount": 1}}]
        ruled = house.proposed(line, "amend", contest="c1", decision="it was", instead=instead)
        lines = [line, house.accept(line, ruled)]
        last = house.send(lines[-1], "gm", "add", amount=2)
        lines.append(house.accept(lines[-1], house.proposed(lines[-1], "undo", commit=last.n, reason="no")))
        lines.append(house.accept(lines[-1], house.proposed(lines[-1], "redo")))
        house.send(lines[-1], "gm", "close", reason="enough")
        return house.lines(*lines)


@cache
def sealed_fight() -> tuple[Evidence, ...]:
    """Return the lines of play of a fight whose seats add seeds, and in which the gm undid a command."""
    with SignedHouse() as house:
        line = house.open(TINY, {"seeding": {"mode": "mixed", "seats": ["ada"]}})
        house.keyed(line, "gm", "ada")
        seed = b"a" * 32
        house.send(line, "ada", "commit_seed", commitment=seat_commitment(eid_of(line), "ada", seed).hex())
        house.send(line, "ada", "reveal_seed", seed=seed.hex())
        last = house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=last.n))
        return house.lines(line, after)


# --- told again ------------------------------------------------------------------------------------------


@dataclass
class Moment:
    """A command and its commit."""

    request: Data
    commit: Data
    opened: Mapping[int, Any] = field(default_factory=dict)
    is_signed: bool = True
    """Whether its seat, if it has a key, signs it."""
    is_withheld: bool = False

    @property
    def event(self) -> Data:
        """The first event."""
        first: Data = self.commit["events"][0]
        return first

    def repeat(self, *names: str) -> None:
        """Let the command say what the first event says."""
        self.request["data"] |= {name: self.event[name] for name in names}

    def by(self, seat: str) -> None:
        """Let another seat have sent it, which signs nothing if it has no key."""
        self.request["actor"] = {"seat": seat, "role": "gm" if seat == "gm" else "player"}

    def hide(self) -> None:
        """Put an envelope beside it that nobody may open, and withhold the command."""
        self.commit["events"].append(HIDING)
        self.is_withheld = True


@dataclass
class ToldLine:
    """The own moments of a line of play, and what it continues."""

    encounter: str
    parent: int | None
    n: int
    moments: list[Moment]

    def at(self, n: int) -> Moment:
        """Return its moment of a number in its record."""
        return self.moments[n - 1 - self.n]

    def invent(self, n: int, seat: str, type_: str, data: Data, *events: Data) -> Moment:
        """Put a moment before that of number *n*, and return it."""
        like = self.at(n)
        request = {
            **like.request,
            "type": type_,
            "data": data,
            "actor": {"seat": seat, "role": "gm" if seat == "gm" else "player"},
        }
        request.pop("signed", None)
        commit = {**like.commit, "outcome": "accepted", "events": list(events), "rolls": []}
        made = Moment(request, commit)
        self.moments.insert(n - 1 - self.n, made)
        return made


Told = list[ToldLine]


def told(fight: tuple[Evidence, ...]) -> Told:
    """Return a fight as data."""
    found: Told = []
    for i, evidence in enumerate(fight):
        shared = [_common(other, evidence) for other in fight[:i]]
        n = max(shared, default=0)
        moments = [
            Moment(
                json.loads(evidence.requests[at] or b"{}"),
                json.loads(evidence.commits[at]),
                {index: each for (number, index), each in evidence.opened.items() if number == at + 1},
            )
            for at in range(n, len(evidence.commits))
        ]
        found.append(ToldLine(evidence.encounter, shared.index(n) if shared else None, n, moments))
    return found


def _common(one: Evidence, two: Evidence) -> int:
    same = [a == b for a, b in zip(one.commits, two.commits, strict=False)]
    return same.index(False) if False in same else len(same)


@dataclass
class _Written:
    """A record that is being written again."""

    requests: list[bytes | None] = field(default_factory=list)
    commits: list[bytes] = field(default_factory=list)
    opened: dict[tuple[int, int], Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    repeated: dict[int, bytes | None] = field(default_factory=dict)
    """What a line begins with and repeats, by number: the request of the parent, if there is one."""

    def hash(self, n: int) -> str:
        return commit_hash(self.commits[n - 1]).hex()


def retold_fight(fight: tuple[Evidence, ...], change: Callable[[Told], object]) -> tuple[Evidence, ...]:
    """Return *fight* with its moments changed, every number, hash, head and signature made to fit."""
    lines = told(fight)
    change(lines)
    heads: dict[str, list[str]] = {}
    written: list[_Written] = []
    for _ in range(len(lines) + 1):  # an acceptance names a commit of a line that is written after it
        written = []
        for line in lines:
            record = _Written() if line.parent is None else _shared(written[line.parent], line.n)
            by_id = {each.encounter: made for each, made in zip(lines, written, strict=False)}
            for moment in line.moments:
                _write(record, copy.deepcopy(moment), by_id, _head(moment, lines, heads))
            heads[line.encounter] = [record.hash(n) for n in range(1, len(record.commits) + 1)]
            written.append(record)
    return tuple(
        signed_to_the_end(
            Evidence(
                encounter=line.encounter,
                requests=each.requests,
                commits=each.commits,
                opened=each.opened,
                count=len(each.commits),
                head=each.hash(len(each.commits)),
                named_edition=TINY.edition,
            )
        )
        for line, each in zip(lines, written, strict=True)
    )


def _shared(parent: _Written, n: int) -> _Written:
    opened = {place: each for place, each in parent.opened.items() if place[0] <= n}
    record = _Written(parent.requests[:n], parent.commits[:n], opened)
    for raw in record.commits:
        record.keys = keys_after(load_commit(raw), record.keys)
    return record


def _write(record: _Written, moment: Moment, written: Mapping[str, _Written], head: Data | None) -> None:
    n, request, commit = len(record.commits) + 1, moment.request, moment.commit
    prev = record.hash(n - 1) if n > 1 else "0" * 64
    for event in commit["events"]:
        if event.get("type") == "line_begun":
            for each in (event, request["data"]):
                for origin in (each.get("origin", {}), each.get("state", {}).get("origin", {})):
                    origin.update({"n": n - 1, "hash": prev})
            parent = written.get(event["origin"]["parent"], _Written())
            record.repeated = {
                n + i: parent.requests[old - 1] if 0 < old <= len(parent.requests) else None
                for i, old in enumerate(event["plan"], 1)
            } | {n: None}
        if event.get("type") == "continued":
            event["head"] = request["data"]["head"] = head
    if n in record.repeated:
        source = json.loads(record.repeated[n] or b"{}")
        request |= {"signed": source["signed"]} if "signed" in source else {}
    else:
        _sign(record, moment, n, prev)
    raw = dumps(request)
    record.requests.append(None if moment.is_withheld else raw)
    record.commits.append(dumps(commit | {"n": n, "prev": prev, "request": request_digest(raw).hex()}))
    record.opened |= {(n, index): each for index, each in moment.opened.items()}
    record.keys = keys_after(load_commit(record.commits[-1]), record.keys)


def _sign(record: _Written, moment: Moment, n: int, prev: str) -> None:
    """Let the seat of a moment sign it, if it has a key, with the idempotency key that it had."""
    request = moment.request
    seat, before = request["actor"]["seat"], request.pop("signed", {"key": f"k-{n}"})
    if moment.is_signed and record.keys.get(seat) == KEYS.get(seat, ""):
        said = signature(load_request(dumps(request)), before["key"], n - 1, prev)
        words = {"key": said.key, "index": 0, "head": {"n": said.n, "hash": said.hash}}
        request["signed"] = words | {"signature": said.value}


def _head(moment: Moment, lines: Told, heads: Mapping[str, list[str]]) -> Data | None:
    """Return the head of the line that a moment accepts; it is known after that line was written once."""
    named = [e["encounter"] for e in moment.commit["events"] if e.get("type") == "continued"]
    line = next((each for each in lines if [each.encounter] == named), None)
    if line is None:
        said: Data | None = moment.request["data"].get("head")
        return said
    n = line.n + 1 + len(line.moments[0].event.get("plan", []))
    known = heads.get(line.encounter, [])
    return {"n": n, "hash": known[n - 1] if n <= len(known) else "0" * 64}
