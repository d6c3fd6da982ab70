"""Check the seats' seeds against their commitments: no seat chose after another's reveal, none was left out.

In mode `server` commit 1 seals the dice. In mode `mixed` every listed seat commits to a seed or is waived
before the first seed is revealed; the seal then covers every committed seed. The check uses only the record,
so that a verifier without the rules can make it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.audit.verdict import DICE_INVALID, MALFORMED, Fault, Verdict
from service.dice.chain import Anchor, seal, seat_commitment
from service.dice.encoding import check_id
from service.record.commit import Commit
from service.rules.contests.continuing import LineBegun
from service.rules.kernel.codec import Malformed
from service.rules.kernel.hexadecimal import is_hex
from service.rules.rolls.seeding import DiceSealed, SeedCommitted, SeedRevealed, SeedWaived
from service.rules.table.table import SERVER, DiceSetup


@dataclass(frozen=True, slots=True)
class SealingFacts:
    """The salt of the dice keys, and the commit *n* that sealed the dice; None if they are not sealed yet."""

    salt: bytes
    n: int | None


def unhex(text: object) -> bytes:
    """Return the 32 bytes that *text* spells in lower-case hexadecimal digits; raises `ValueError`."""
    if not is_hex(text):
        raise Malformed("", "64 lower-case hexadecimal digits")
    return bytes.fromhex(str(text))


def anchors_of(setup: DiceSetup) -> list[Anchor]:
    """Return the anchors of the chains, which commit 1 published; raises `ValueError`."""
    return [Anchor(lane.lane, lane.n, unhex(lane.anchor)) for lane in setup.lanes]


def sealed_with(eid: bytes, setup: DiceSetup, commits: Sequence[Commit]) -> SealingFacts:
    """Return the seal of the dice of *setup*, and the commit that made it; raises `Fault`."""
    if setup.mode == SERVER:
        return SealingFacts(seal(eid, anchors_of(setup), {}), 1)
    sealing = _Sealing(eid, setup)
    for commit in commits:
        for event in commit.events:
            try:
                found = sealing.take(event)
            except (KeyError, TypeError, AttributeError, ValueError) as fault:
                raise Fault(Verdict(MALFORMED, commit.n, f"the sealing of the dice: {fault}")) from fault
            except _OutOfTurn as fault:
                raise Fault(Verdict(DICE_INVALID, commit.n, str(fault))) from fault
            if found is not None:
                return SealingFacts(found, commit.n)
    return SealingFacts(seal(eid, anchors_of(setup), {}), None)


def sealing_after(commits: Sequence[Commit]) -> dict[str, Any]:
    """Return what the seats have sent for the dice in *commits*, as a state has it (`sealing`)."""
    found: dict[str, Any] = {"committed": {}, "waived": [], "revealed": {}, "seal": ""}
    for event in (event for commit in commits for event in commit.events):
        if found["seal"] != "":
            break
        seat, seed = event.get("seat"), event.get("seed")
        match event.get("type"):
            case SeedCommitted.type:
                found["committed"] = {**found["committed"], seat: event.get("commitment")}
            case SeedWaived.type:
                left = {name: made for name, made in found["committed"].items() if name != seat}
                found |= {"committed": left, "waived": [*found["waived"], seat]}
            case SeedRevealed.type if isinstance(seat, str) and isinstance(seed, str):
                found["revealed"] = {**found["revealed"], seat: seed}
            case DiceSealed.type:
                found["seal"] = event.get("seal")
            case LineBegun.type:
                found = dict(event["state"]["sealing"])
            case _:
                pass
    return found


class _OutOfTurn(Exception):
    """A seed, a commitment or a seal does not fit the earlier events."""


@dataclass(slots=True)
class _Sealing:
    """The seats' commitments and waivers so far."""

    eid: bytes
    setup: DiceSetup
    committed: dict[str, bytes] = field(default_factory=dict)
    waived: set[str] = field(default_factory=set)
    revealed: bool = False

    def take(self, event: Mapping[str, Any]) -> bytes | None:
        """Apply *event*; return the seal if it seals the dice.

        Raises `_OutOfTurn`; for an event of a wrong shape `KeyError`, `TypeError`, `AttributeError` or
        `ValueError`.
        """
        kind = event.get("type")
        if kind == SeedCommitted.type:
            self._commit(check_id(event["seat"]), unhex(event["commitment"]))
        elif kind == SeedWaived.type:
            self._waive(check_id(event["seat"]))
        elif kind == SeedRevealed.type:
            self.revealed = True
        elif kind == DiceSealed.type:
            return self._sealed(_digits(event["seats"]), unhex(event["seal"]))
        elif kind == LineBegun.type:
            return self._go_on(event["state"]["sealing"])
        return None

    def _commit(self, seat: str, commitment: bytes) -> None:
        has_answered = seat in self.committed or seat in self.waived
        if seat not in self.setup.seats or has_answered or self.revealed:
            raise _OutOfTurn(f"{seat} may not commit to a seed here")
        self.committed[seat] = commitment

    def _waive(self, seat: str) -> None:
        if seat not in self.setup.seats or self.revealed:
            raise _OutOfTurn(f"{seat} may not be waived here")
        self.committed.pop(seat, None)
        self.waived.add(seat)

    def _go_on(self, inherited: Mapping[str, Any]) -> bytes | None:
        """Take over the sealing of the parent line; return its seal if its dice are sealed."""
        waived = inherited["waived"]
        if not isinstance(waived, list):
            raise Malformed("/waived", "a list of seats")
        self.committed, self.waived = _digits(inherited["committed"]), set(map(check_id, waived))
        seeds = _digits(inherited["revealed"])
        self.revealed = bool(seeds)
        return self._sealed(seeds, unhex(inherited["seal"])) if inherited["seal"] != "" else None

    def _sealed(self, seeds: Mapping[str, bytes], recorded: bytes) -> bytes:
        missing = [seat for seat in self.setup.seats if seat not in seeds and seat not in self.waived]
        if missing:
            raise _OutOfTurn(f"the dice are sealed without {', '.join(missing)}")
        for seat, seed in sorted(seeds.items()):
            is_held = seat_commitment(self.eid, seat, seed) == self.committed.get(seat)
            if seat not in self.setup.seats or not is_held:
                raise _OutOfTurn(f"the seed of {seat} is not the one that it committed to")
        salt = seal(self.eid, anchors_of(self.setup), seeds)
        if salt != recorded:
            raise _OutOfTurn("the seal of the dice does not follow from the seeds")
        return salt


def _digits(by_seat: Mapping[Any, object]) -> dict[str, bytes]:
    """Return the bytes by seat; raises `AttributeError`, `TypeError` or `ValueError` for a wrong shape."""
    return {check_id(seat): unhex(digits) for seat, digits in by_seat.items()}
