"""Be a client: send, wait, repeat what is unknown under its key, and note every answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, TypeVar

from service.core.fold import ChainBroken
from service.log import (
    Appended,
    EncounterExists,
    IdempotencyKey,
    KeyReused,
    NoSuchEncounter,
    OutcomeUnknown,
    StoreFailure,
    TooManyUndecided,
    VersionConflict,
)
from service.record.canonical import dumps
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.messages import Refused as AtTheDoor
from service.steps import run
from service.usecases import openings, sending
from service.usecases.services import Services
from tests.nemesis.checker import INTERNAL
from tests.nemesis.history import Entry
from tests.simulation.plan import Op
from tests.simulation.processes import Api, Failed, Unanswered
from tests.simulation.scheduler import Scheduler
from tests.simulation.server import Server
from tests.support.tiny_game import TINY, TinyState

SCOPE: Final = "table"
OWNER: Final = "owner"
PLAYERS: Final = ("ada", "bo")
PATIENCE_S: Final = 8.0
"""How long a client waits for an answer."""

OPENS_S: Final = 20.0
TRIES: Final = 60
_SERVERS: Final = 500
_ASKS: Final = 0.3
_GIVES_UP: Final = 0.25
"""How often a client leaves an unknown outcome alone, of 1."""

WRONG: Final = "the outcome of another command"
MISSED: Final = "a wait missed its commit"
REUSED: Final = "one key took two requests"

T = TypeVar("T")

_UNKNOWN: Final = (Unanswered, OutcomeUnknown, NoSuchEncounter, ChainBroken)
"""Nobody knows what became of it; the last two, where the store was set back while it was handled."""

_PENDING: Final = "pending"


@dataclass
class Book:
    """What all clients noted, as the nemesis' history has it, and what broke a promise on the spot."""

    hub: Scheduler
    entries: list[Entry] = field(default_factory=list)
    broken: list[tuple[str, str, str]] = field(default_factory=list)
    """Name, encounter, text."""
    _ops: int = 0

    def note(self, do: str, **told: object) -> None:
        """Add an entry."""
        self.entries.append({"t": self.hub.now, "do": do, **told})
        if self.hub.trace is not None:
            self.hub.note(f"{do} {_brief(told)}")

    def unsettled(self) -> set[str]:
        """Return the keys whose attempts were answered by nobody."""
        keys = {entry["op"]: entry["key"] for entry in self.entries if entry["do"] == "invoke"}
        ended = {keys[entry["op"]] for entry in self.entries if _is_word(entry)}
        return set(keys.values()) - ended

    def invoke(self, **told: object) -> int:
        """Add that an attempt begins; its number."""
        self._ops += 1
        self.note("invoke", op=self._ops, **told)
        return self._ops


def _is_word(entry: Entry) -> bool:
    """Tell whether *entry* is the last word on its key."""
    return bool(entry["do"] == "ok" or (entry["do"] == "fail" and entry["status"] < _SERVERS))


def _brief(told: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in told.items() if name not in {"client", "encounter"})


def view_of(state: TinyState) -> str:
    """Return the hash of a whole state."""
    return sha256(dumps(to_data(state))).hexdigest()


@dataclass
class Table:
    """One encounter as its clients know it."""

    number: int
    owner: str = OWNER
    id: str = ""
    sent: dict[str, tuple[str, list[dict[str, Any]], int | None]] = field(default_factory=dict)
    """By key, in the order of the first sending: the seat, the commands and the version it named."""


class Client:
    """One client with a list of things to do."""

    def __init__(
        self, name: str, hub: Scheduler, apis: Sequence[Api], table: Table, ops: Sequence[Op], book: Book
    ) -> None:
        self.name = name
        self.hub = hub
        self.apis = apis
        self.table = table
        self.ops = ops
        self.book = book
        self.server: Server = apis[0].cluster.server
        self.is_patient = False
        """Whether it repeats what is unknown until it is known."""
        self.newest = 0
        """The newest number that was acknowledged here."""
        self.acknowledged: list[str] = []
        self._keys = 0

    def run(self) -> None:
        """Do everything, as soon as the encounter is open; nothing where it does not open for long."""
        ends = self.hub.now + OPENS_S
        while not self.table.id:
            if self.hub.now > ends:
                return
            self.hub.sleep(0.05)
        for op in self.ops:
            self.hub.sleep(op.after_s)
            if op.do == "flood":
                self._flood(op)
            else:
                self._do(op)

    def open(self) -> None:
        """Open the encounter, and then do everything."""
        data = {"players": list(PLAYERS), "declared": False, "seeding": {"epochs": 8}}
        self._settle(f"open-{self.table.number}", "gm", [{"type": "open", **data}], kind="open", wait_s=2.0)
        self.run()

    def repeat_all(self, keys: Collection[str] | None = None) -> None:
        """Send *keys* of the table again, or every one: its opening first."""
        self.is_patient = True
        sent = sorted(self.table.sent.items(), key=lambda each: not each[0].startswith("open"))
        for key, (seat, commands, if_match) in sent:
            if keys is not None and key not in keys:
                continue
            kind = "open" if key.startswith("open") else "command"
            self._settle(key, seat, commands, kind=kind, wait_s=2.0, if_match=if_match)

    def _flood(self, op: Op) -> None:
        for _ in range(op.count):
            self._send("gm", [{"type": "add", "amount": 1}] * 50, op.wait_s)

    def _do(self, op: Op) -> None:
        chance = self.hub.chance
        add = {"type": "add", "amount": 1 + chance.randrange(9)}
        match op.do:
            case "read":
                self.read(self.newest if chance.random() < 0.7 else 0, op.wait_s)
            case "again" if self.acknowledged:
                self._again(chance.choice(self.acknowledged), op.wait_s)
            case "array":
                adds = [{"type": "add", "amount": 1 + chance.randrange(12)} for _ in range(op.count)]
                self._send("gm", adds, op.wait_s)
            case "exact" | "stale":
                expected = max(self.newest - (op.do == "stale"), 1)
                self._send("gm", [add], op.wait_s, if_match=expected)
            case "choose":
                seat = chance.choice(PLAYERS)
                self._send(seat, [{"type": "choose", "number": 1 + chance.randrange(3)}], op.wait_s)
            case "roll":
                self._send("gm", [{"type": "roll", "sides": 6}], op.wait_s)
            case "end_round":
                self._send("gm", [{"type": "end_round", "last": True}], op.wait_s)
            case "burst":
                self._send("gm", [{"type": "burst", "how": "raise"}], op.wait_s)
            case "bad":
                self._send("gm", [{"type": "add", "amount": 99}], op.wait_s)
            case _:
                self._send("gm", [add], op.wait_s)

    def _send(
        self, seat: str, commands: list[dict[str, Any]], wait_s: float, if_match: int | None = None
    ) -> None:
        self._keys += 1
        self._settle(f"{self.name}-{self._keys}", seat, commands, wait_s=wait_s, if_match=if_match)

    def _again(self, key: str, wait_s: float) -> None:
        """Repeat what was acknowledged; or, as a mistake, send something else under its key."""
        seat, commands, if_match = self.table.sent[key]
        may_be_lost = self.server.mode == "lagging"
        if self.hub.chance.random() < 0.3 and not may_be_lost:
            self._misuse(key, seat)
        else:
            self._settle(key, seat, commands, wait_s=wait_s, if_match=if_match)

    def _misuse(self, key: str, seat: str) -> None:
        other = [{"type": "add", "amount": 7}, {"type": "add", "amount": 7}, {"type": "add", "amount": 7}]
        try:
            self._api().ask(lambda services: self._append(services, key, seat, other, None), PATIENCE_S)
        except (Failed, Unanswered, StoreFailure):
            return
        self.book.broken.append((REUSED, self.table.id, f"key {key} took another request"))

    # --- a request until its end is known -------------------------------------------------------------

    def _settle(
        self,
        key: str,
        seat: str,
        commands: list[dict[str, Any]],
        *,
        kind: str = "command",
        wait_s: float,
        if_match: int | None = None,
    ) -> None:
        """Send under *key* until it is acknowledged or refused."""
        self.table.sent[key] = (seat, commands, if_match)
        for attempt in range(TRIES):
            if self._attempt(key, seat, commands, kind, if_match, wait_s):
                return
            self.hub.sleep(0.05 + self.hub.chance.random() * min(attempt * 0.1, 1.0))

    def _attempt(
        self,
        key: str,
        seat: str,
        commands: list[dict[str, Any]],
        kind: str,
        if_match: int | None,
        wait_s: float,
    ) -> bool:
        """Send once and note the answer; whether the client is done with it."""
        found = {"kind": kind, "encounter": self.table.id, "seat": seat, "if_match": if_match}
        op = self.book.invoke(client=self.name, key=key, commands=commands, **found)
        try:
            encounter, n, outcomes = self._api().ask(
                lambda services: self._handle(services, key, seat, commands, kind, if_match, wait_s),
                PATIENCE_S,
            )
        except Failed as failed:
            self.book.note("fail", op=op, status=failed.status, code=failed.code)
            return failed.status < _SERVERS
        except _UNKNOWN as why:
            self.book.note("unknown", op=op, why=type(why).__name__)
            if not self.is_patient and self.hub.chance.random() < _GIVES_UP:
                return True  # it is sent again when all is quiet
            self._ask_for(key)
            return False
        except Exception as fault:  # noqa: BLE001 - what the API answers with status 500
            self.book.note("unknown", op=op, why=INTERNAL)
            self.hub.note(f"{type(fault).__name__}: {fault}")
            return False
        self.book.note("ok", op=op, encounter=encounter, n=n, status=200, outcomes=outcomes)
        self.table.id = self.table.id or encounter
        self.newest = max(self.newest, n + len(commands) - 1)
        if key not in self.acknowledged and kind != "open":
            self.acknowledged.append(key)
        return True

    def _ask_for(self, key: str) -> None:
        """Ask what became of *key*, as some clients do before they repeat it."""
        if not self.table.id or self.hub.chance.random() > _ASKS:
            return
        try:
            known = self._api().ask(
                lambda services: services.log.find_key(self.table.id, SCOPE, key), PATIENCE_S
            )
        except (Failed, Unanswered, StoreFailure):
            return
        n = None if known is None else known.n
        self.book.note("asked", key=key, encounter=self.table.id, n=n)

    def read(self, wanted: int, wait_s: float) -> None:
        """Read the state, not older than *wanted*."""
        began = self.hub.now
        try:
            seen = self._api().ask(lambda services: self._state(services, wanted, wait_s), PATIENCE_S)
        except (Failed, Unanswered, StoreFailure, NoSuchEncounter):
            return
        except Exception as fault:  # noqa: BLE001 - what the API answers with status 500
            self.book.note("odd", path="state", status=500, code=type(fault).__name__)
            return
        version, state = seen
        found = {"client": self.name, "encounter": self.table.id}
        self.book.note("read", **found, began=began, asked=wanted, version=version, view=view_of(state))

    def _api(self) -> Api:
        return self.hub.chance.choice(self.apis)

    # --- what the API does for a request ----------------------------------------------------------------

    def _handle(
        self,
        services: Services,
        key: str,
        seat: str,
        commands: list[dict[str, Any]],
        kind: str,
        if_match: int | None,
        wait_s: float,
    ) -> tuple[str, int, list[dict[str, Any]]]:
        """Append and wait, as the operations of `service.api` do."""
        if kind == "open":
            encounter, n = self._open(services, key, commands[0])
        else:
            encounter, n = self.table.id, self._append(services, key, seat, commands, if_match).n
        outcomes: list[dict[str, Any]] = []
        last = n + len(commands) - 1
        try:
            self._wait(services, encounter, last, wait_s)
            for number in range(n, last + 1):
                became = sending.result_of(services, encounter, seat, number)
                if became is None:
                    break
                commit = became.commit
                if commit.n != number or commit.encounter != encounter:
                    text = f"{number} was answered with {commit.n} of {commit.encounter}"
                    self.book.broken.append((WRONG, encounter, text))
                outcomes.append({"n": number, "outcome": commit.outcome, "hash": commit.hash})
        except StoreFailure:
            pass
        outcomes += [{"n": each, "outcome": _PENDING} for each in range(n + len(outcomes), last + 1)]
        return encounter, n, outcomes

    def _wait(self, services: Services, encounter: str, n: int, seconds: float) -> None:
        """Wait for commit *n*, and hold the wait to its promise."""
        ends = self.hub.now + seconds
        if services.outcomes.wait(encounter, n, seconds) is None:
            stood = self.server.stood.get((encounter, n))
            if stood is not None and stood <= ends and self.server.lost_at < 0:
                text = f"a wait until {ends:.3f} missed commit {n} of {stood:.3f}"
                self.book.broken.append((MISSED, encounter, text))

    def _open(self, services: Services, key: str, command: Mapping[str, Any]) -> tuple[str, int]:
        data = {name: value for name, value in command.items() if name != "type"}
        once = IdempotencyKey(self.table.owner, key, _fingerprint([command]))
        entry, sent = _or_failed(
            lambda: openings.open_encounter(services, self.table.owner, TINY, data, once)
        )
        return entry.encounter, sent.n

    def _append(
        self, services: Services, key: str, seat: str, commands: list[dict[str, Any]], if_match: int | None
    ) -> Appended:
        once = IdempotencyKey(SCOPE, key, _fingerprint(commands))
        actor = Actor(seat=seat, role="gm" if seat == "gm" else "player")
        given = [
            (TINY.commands[each["type"]], {k: v for k, v in each.items() if k != "type"}) for each in commands
        ]
        encounter = self.table.id

        def send() -> Appended:
            if len(given) == 1:
                kind, data = given[0]
                return run(sending.send(services, encounter, actor, kind, data, once, expected=if_match))
            return run(sending.send_all(services, encounter, actor, given, once, expected=if_match))

        return _or_failed(send)

    def _state(self, services: Services, wanted: int, wait_s: float) -> tuple[int, TinyState]:
        encounter = self.table.id
        head = services.log.head(encounter)
        folded = head.folded if head is not None else 0
        wanted = max(wanted, 1)
        if folded < wanted:
            if services.outcomes.wait(encounter, wanted, wait_s) is None:
                raise Failed(504, "not-yet-folded")
            folded = wanted
        seen = services.folder.current(encounter, folded)
        if seen.n < folded:
            raise Failed(504, "not-yet-folded")
        return seen.n, seen.state


def _fingerprint(commands: Sequence[Mapping[str, Any]]) -> str:
    return sha256(json.dumps(commands, sort_keys=True).encode()).hexdigest()


def _or_failed(send: Callable[[], T]) -> T:
    """Return what *send* does, or raise as what the API answers."""
    try:
        return send()
    except VersionConflict:
        raise Failed(412, "version-mismatch") from None
    except KeyReused:
        raise Failed(422, "idempotency-key-reused") from None
    except AtTheDoor:
        raise Failed(409, "command-refused") from None
    except TooManyUndecided:
        raise Failed(429, "too-many-undecided") from None
    except (NoSuchEncounter, EncounterExists) as fault:
        raise Failed(404, type(fault).__name__) from None
    except OutcomeUnknown:
        raise
    except StoreFailure:
        raise Failed(503, "store-unavailable") from None
