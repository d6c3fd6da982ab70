"""Read and write requests and commits, and fold stored commits: the home of both formats.

The content of a request or a commit is `rewound/log/1`; its byte form is `canonical`. Bytes read here come
from our own store and are trusted to be canonical; the audit does not trust them. A commit is folded only
from its bytes, the payloads of its envelopes, and one fact of its request: the batch that it stops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeVar

import orjson

from service.dice.values import Roll, RollName
from service.record.canonical import NotCanonical, commit_hash, dumps
from service.rules.contests.acceptance import AcceptLine, taking
from service.rules.contests.amendments import noted
from service.rules.contests.continuing import BeginLine
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.messages import TABLE, Actor, Command, Event, Rolled, evolve_at
from service.rules.kernel.records import changed, record
from service.rules.kernel.sealed import is_public, places_of_sealed
from service.rules.kernel.sealed_data import fields_in, whole
from service.rules.rolls.epochs import dice_moved
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table

VERSION: Final = 1
SEALED: Final = "sealed"
REFUSED: Final = "refused"
ACCEPTED: Final = "accepted"
QUARANTINED: Final = "quarantined"

S = TypeVar("S", bound=Table)


@dataclass(frozen=True, slots=True)
class Batch:
    """The array that a command came in: its index, the array's size, and whether a refusal stops the rest."""

    id: str
    index: int
    of: int
    stop: bool

    @property
    def stops(self) -> str | None:
        """The id that a refusal leaves in the state, so that the rest of the array is refused."""
        return self.id if self.stop else None

    @property
    def is_end(self) -> bool:
        """Whether no command of the array comes after this one."""
        return self.index == self.of - 1


@dataclass(frozen=True, slots=True)
class SeatSignature:
    """What a seat signed beside its command (see `service.record.statements`), and its signature."""

    key: str
    """The idempotency key."""
    index: int
    """The index in an array of commands, 0 for a single one."""
    n: int
    """The number of the newest commit that the seat had seen."""
    hash: str
    """The hash of that commit."""
    value: str
    """The signature as 128 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command as sent: who, when and what. *nonce* is 32 hexadecimal digits, *at* RFC 3339 in UTC."""

    encounter: str
    type: str
    at: str
    nonce: str
    actor: Actor
    data: Mapping[str, Any]
    batch: Batch | None = None
    signed: SeatSignature | None = None

    @property
    def stops(self) -> str | None:
        """The batch that stops if this command is refused."""
        return self.batch.stops if self.batch else None


@record
class Commit:
    """One decided command as stored; `hash` is its own, and the next commit's `prev`."""

    raw: bytes
    hash: str
    encounter: str
    n: int
    prev: str
    at: str
    edition: str
    epoch: int
    request: str
    """The digest of the request."""
    outcome: str
    events: list[dict[str, Any]]
    rolls: list[dict[str, Any]]
    refusal: dict[str, Any] | None = None
    quarantine: dict[str, Any] | None = None
    """Why it was set aside without a decision (see `service.record.quarantine`)."""

    @property
    def has_envelopes(self) -> bool:
        """Whether any of its events is sealed."""
        for event in self.events:  # noqa: SIM110 - it is asked for each command, and this calls nothing
            if "sealed" in event:
                return True
        return False

    def lacks_any_of(self, found: Mapping[int, object]) -> bool:
        """Return whether one of its envelopes is not in *found*, by index.

        Envelopes are read after the commit, which a failover may have taken back in between.
        """
        return any("sealed" in event and index not in found for index, event in enumerate(self.events))


def dump_request(request: Request) -> bytes:
    """Return the bytes of *request*, which has passed `canonical.check`."""
    data: dict[str, Any] = {
        "v": VERSION,
        "encounter": request.encounter,
        "type": request.type,
        "at": request.at,
        "nonce": request.nonce,
        "actor": {"seat": request.actor.seat, "role": request.actor.role},
        "batch": _batch_data(request.batch),
        "data": request.data,
    }
    if request.signed is not None:
        data["signed"] = _signed_data(request.signed)
    return dumps(data)


def _batch_data(batch: Batch | None) -> dict[str, Any] | None:
    if batch is None:
        return None
    return {"id": batch.id, "index": batch.index, "of": batch.of, "stop": batch.stop}


def _signed_data(signed: SeatSignature) -> dict[str, Any]:
    head = {"n": signed.n, "hash": signed.hash}
    return {"key": signed.key, "index": signed.index, "head": head, "signature": signed.value}


def _signed(data: Mapping[str, Any]) -> SeatSignature:
    head = data["head"]
    return SeatSignature(
        key=data["key"], index=data["index"], n=head["n"], hash=head["hash"], value=data["signature"]
    )


def load_request(raw: bytes) -> Request:
    """Return the request in *raw*; raise `NotCanonical` if it is not one."""
    data = _object(raw)
    if not isinstance(data.get("type"), str) or not isinstance(data.get("data"), dict):
        raise NotCanonical("", "no request: type is text and data an object")
    try:
        actor, batch = data["actor"], data["batch"]
        return Request(
            encounter=data["encounter"],
            type=data["type"],
            at=data["at"],
            nonce=data["nonce"],
            actor=Actor(seat=actor["seat"], role=actor["role"]),
            data=data["data"],
            batch=None if batch is None else Batch(**batch),
            signed=_signed(data["signed"]) if "signed" in data else None,
        )
    except (KeyError, TypeError) as fault:
        raise NotCanonical("", f"no request: {fault}") from fault


LINE_COMMANDS: Final[Mapping[str, type[Command[Any]]]] = MappingProxyType(
    {kind.type: kind for kind in (BeginLine, AcceptLine)}
)
"""Commands that the service sends itself, to begin a line of play and to accept it; no client sends them."""


def command_of(ruleset: Ruleset[S], request: Request) -> Command[S] | None:
    """Return the command in *request*; None if *ruleset* has none of its type; raise `codec.Malformed`."""
    is_opening = request.type == ruleset.opening.type
    known = LINE_COMMANDS.get(request.type) or ruleset.commands.get(request.type)
    kind = ruleset.opening if is_opening else known
    if kind is None:
        return None
    command = from_data(kind, request.data, "/data", families=ruleset.families, by=request.actor)
    if not is_public(command) and any(places_of_sealed(command)):
        raise Malformed("/data", "nobody sends what is sealed")
    return command


def load_commit(raw: bytes, hash_: str | None = None) -> Commit:
    """Return the commit in *raw*; *hash_* if it is known already. Raises `NotCanonical`."""
    return commit_of(_object(raw), raw, hash_)


def commit_of(data: Mapping[str, Any], raw: bytes, hash_: str | None = None) -> Commit:
    """Return the commit with the parsed *data* and the bytes *raw*; raise `NotCanonical`."""
    fields = dict(data)
    fields.pop("v", None)
    try:
        return Commit(raw=raw, hash=hash_ or commit_hash(raw).hex(), **fields)
    except TypeError as fault:
        raise NotCanonical("", f"no commit: {fault}") from fault


def fold_commit(
    ruleset: Ruleset[S],
    state: S,
    commit: Commit,
    payloads: Mapping[int, Mapping[str, Any]],
    stops: str | None = None,
) -> S:
    """Return *state* after *commit*, its envelopes opened.

    *payloads* has the payload of each envelope, by its index; *stops* is the request's batch, which counts
    only if the command was refused. Rolls take their places once their epoch is open, because groups that
    split off in this commit inherit the places. Declared faces are used up after all events.
    """
    names = [RollName.from_data(roll["name"]) for roll in commit.rolls]
    state = before = taking(state, commit.n)
    state = _placed(state, names)
    plays = bool(names)
    refused = commit.outcome in (REFUSED, QUARANTINED)
    fields = fields_in(payloads)
    for index, event in enumerate(commit.events):
        if "sealed" in event:
            payload = payloads[index]
            refused = refused or payload.get("outcome") == REFUSED
            place = payload.get("at", TABLE)
            plays = plays or bool(payload["rolls"])
            for inner, inner_event in enumerate(payload["events"]):
                plays = plays or ruleset.events[inner_event["type"]].plays
                known = whole(inner_event, fields.get(f"{index}/{inner}")) if fields else inner_event
                state = evolve_at(state, place, event_of(ruleset, known))
            for roll in payload["rolls"]:
                state = evolve_at(state, place, Rolled(roll=Roll.from_data(roll)))
        else:
            epoch = state.epoch
            plays = plays or ruleset.events[event["type"]].plays
            known = whole(event, fields.get(str(index))) if fields else event
            state = event_of(ruleset, known).evolve(state)
            state = state if state.epoch == epoch else _placed(state, names)
    for name in names:
        state = state.counted(name)
    state = dice_moved(noted(before, state, plays=plays), commit.events, commit.n)
    return changed(state, stopped=stops) if refused and stops else state


def _placed(state: S, names: Iterable[RollName]) -> S:
    """Return *state* in which those of the rolls whose epoch is open have taken their places."""
    for name in names:
        state = state.placed(name)
    return state


def event_of(ruleset: Ruleset[S], data: Mapping[str, Any]) -> Event[S]:
    """Return the event in *data*; raise `codec.Malformed`, or `KeyError` for an unknown type."""
    fields = dict(data)
    return from_data(ruleset.events[fields.pop("type")], fields, families=ruleset.families)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        data = orjson.loads(raw)
    except ValueError as fault:
        raise NotCanonical("", "no JSON") from fault
    if not isinstance(data, dict):
        raise NotCanonical("", "expected an object")
    return data
