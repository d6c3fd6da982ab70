"""Let seats add to the seed of the dice: all commit, then all reveal, and only then is a die thrown.

In mode `server` the host's chains are the whole seed. In mode `mixed` every listed seat publishes the hash of
a seed of its own, or is waived, before the first seed is in; then the seats that committed reveal. The host's
part was fixed in commit 1, so nobody chooses after seeing what the others chose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.dice.chain import DEFAULT_EPOCHS, MAX_EPOCHS, Anchor, seal, seat_commitment
from service.rules.messages import Command, Emits, Event, Offer, Refused
from service.rules.records import changed, record, with_key
from service.rules.rulebook import rule
from service.rules.seeds import Sealing
from service.rules.stack import Awaited
from service.rules.table import GM, MIXED, SERVER, DiceSetup, Table

SEED_BYTES: Final = 32
REASON_LENGTH: Final = 500
BECAUSE: Final = ("TABLE-SEED-1",)
_HEX: Final = re.compile("[0-9a-f]{64}")
_EXAMPLE: Final = bytes(SEED_BYTES)
"""The seed that offers are made with: a place for one's own."""


@record
class Seeding:
    """How the dice of an encounter are to be seeded, chosen when it opens."""

    mode: Literal["server", "mixed"] = SERVER
    seats: tuple[str, ...] = ()
    """Mode `mixed`: the seats that add a seed."""
    epochs: int = DEFAULT_EPOCHS
    """How many epochs have dice: a round ends one. There is no renewal."""


def seeding_faults(seeding: Seeding, seats: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with *seeding* in an opening with these *seats*, each with its role."""
    if not 1 <= seeding.epochs <= MAX_EPOCHS:
        yield "/seeding/epochs", f"1 to {MAX_EPOCHS}"
    if (seeding.mode == MIXED) != bool(seeding.seats):
        yield "/seeding/seats", "the seats that add a seed, in mode mixed and no other"
    for i, seat in enumerate(seeding.seats):
        if {**seats, GM: GM}.get(seat) not in ("player", GM):
            yield f"/seeding/seats/{i}", "the gm, or a player's seat of this opening"
        elif seat in seeding.seats[:i]:
            yield f"/seeding/seats/{i}", "each seat once"


def check_setup(setup: DiceSetup, seeding: Seeding) -> None:
    """Refuse an opening whose dice are not seeded as was asked for."""
    if (setup.mode, setup.seats) != (seeding.mode, seeding.seats):
        raise Refused("opening_not_possible", "/seeding: the dice are set up otherwise", "TABLE-SEED-1")


def seal_of(encounter: str, setup: DiceSetup, seeds: Mapping[str, str]) -> bytes:
    """Return what every epoch key is salted with: all anchors, and the seeds of seats, in hexadecimal."""
    anchors = [Anchor(lane.lane, lane.n, bytes.fromhex(lane.anchor)) for lane in setup.lanes]
    return seal(
        _eid(setup.chain or encounter), anchors, {seat: bytes.fromhex(seed) for seat, seed in seeds.items()}
    )


def _eid(encounter: str) -> bytes:
    return bytes.fromhex(encounter.replace("-", ""))


def owed_seeds(state: Table) -> tuple[Awaited, ...]:
    """Return who owes a commitment or a seed before there are dice."""
    if state.dice_sealed or state.closed:
        return ()
    sealing = state.sealing
    missing = [seat for seat in state.dice.seats if not sealing.has_answered(seat)]
    if missing:
        return tuple(
            Awaited(prompt=f"dice/commit/{seat}", seat=seat, accepts=(CommitSeed.type, WaiveSeed.type))
            for seat in missing
        )
    return tuple(
        Awaited(prompt=f"dice/reveal/{seat}", seat=seat, accepts=(RevealSeed.type,))
        for seat in sealing.committed
        if seat not in sealing.revealed
    )


# --- facts -------------------------------------------------------------------------------------------


@record
class SeedCommitted(Event[Table]):
    """A seat published the hash of its seed."""

    type: ClassVar[str] = "seed_committed"
    seat: str
    commitment: str

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, committed=with_key(state.sealing.committed, self.seat, self.commitment))


@record
class SeedWaived(Event[Table]):
    """A seat adds no seed: it said so itself, or the GM did."""

    type: ClassVar[str] = "seed_waived"
    seat: str
    by: str
    reason: str

    def evolve(self, state: Table) -> Table:
        sealing = state.sealing
        committed = {seat: told for seat, told in sealing.committed.items() if seat != self.seat}
        return _with_sealing(state, committed=committed, waived=(*sealing.waived, self.seat))


@record
class SeedRevealed(Event[Table]):
    """A seat revealed the seed it had committed to."""

    type: ClassVar[str] = "seed_revealed"
    seat: str
    seed: str

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, revealed=with_key(state.sealing.revealed, self.seat, self.seed))


@record
class DiceSealed(Event[Table]):
    """All seeds are in: from here on every die of the encounter is fixed."""

    type: ClassVar[str] = "dice_sealed"
    seats: Mapping[str, str]
    waived: tuple[str, ...]
    seal: str

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, seal=self.seal)


def _with_sealing(state: Table, **changes: object) -> Table:
    return changed(state, sealing=changed(state.sealing, **changes))


def _sealed_if_complete(state: Table) -> Emits[Table]:
    """Tell that the dice are sealed, once every listed seat has revealed or was waived."""
    sealing = state.sealing
    if len(sealing.revealed) + len(sealing.waived) < len(state.dice.seats):
        return state
    sealed = seal_of(state.encounter, state.dice, sealing.revealed).hex()
    return (yield DiceSealed(seats=sealing.revealed, waived=sealing.waived, seal=sealed, because=BECAUSE))


# --- commands ----------------------------------------------------------------------------------------


def _check_listed(view: Table, seat: str) -> Sealing:
    """Return how far the sealing is; refuse where *seat* takes no part in it."""
    if view.dice.mode != MIXED or seat not in view.dice.seats:
        raise Refused("seat_not_listed", f"{seat} adds no seed to these dice")
    if view.dice_sealed:
        raise Refused("dice_are_sealed", "all seeds are in")
    return view.sealing


def _commitment(view: Table, seat: str, seed: bytes) -> str:
    return seat_commitment(_eid(view.dice.chain or view.encounter), seat, seed).hex()


def _check_hex(text: str, what: str) -> None:
    if not _HEX.fullmatch(text):
        raise Refused("seed_malformed", f"{what} is {SEED_BYTES} bytes as 64 lower-case hexadecimal digits")


@rule("TABLE-SEED-1", "service ruling")
@record
class CommitSeed(Command[Table]):
    """In mode `mixed` every listed seat publishes the hash of a seed before any seed is revealed."""

    type: ClassVar[str] = "commit_seed"
    commitment: str

    def check(self, view: Table) -> None:
        sealing = _check_listed(view, self.by.seat)
        if sealing.has_answered(self.by.seat):
            raise Refused("seed_committed_already", f"{self.by.seat} has committed, or was waived")
        _check_hex(self.commitment, "a commitment")

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeedCommitted(seat=self.by.seat, commitment=self.commitment))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, given={"commitment": _commitment(view, awaited.seat, _EXAMPLE)})


@rule("TABLE-SEED-2", "service ruling")
@record
class WaiveSeed(Command[Table]):
    """A listed seat may go without, by its own word or the GM's, while no seed is revealed; it is named."""

    type: ClassVar[str] = "waive_seed"
    seat: str | None = None
    """Null: the seat that sends it."""
    reason: str = ""

    def check(self, view: Table) -> None:
        seat = self.seat or self.by.seat
        sealing = _check_listed(view, seat)
        if seat != self.by.seat and self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} speaks for itself alone")
        if sealing.revealed:
            raise Refused("seed_revealed_already", "a seed is in: from here on all who committed reveal")
        if seat in sealing.waived:
            raise Refused("seed_committed_already", f"{seat} was waived before")
        if len(self.reason) > REASON_LENGTH:
            raise Refused("params_missing", f"a reason of at most {REASON_LENGTH} characters")

    def decide(self, state: Table) -> Emits[Table]:
        seat = self.seat or self.by.seat
        state = yield SeedWaived(seat=seat, by=self.by.seat, reason=self.reason)
        return (yield from _sealed_if_complete(state))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


@rule("TABLE-SEED-3", "service ruling")
@record
class RevealSeed(Command[Table]):
    """Once every listed seat has committed or was waived, those who committed reveal; the last seals all."""

    type: ClassVar[str] = "reveal_seed"
    seed: str

    def check(self, view: Table) -> None:
        seat = self.by.seat
        sealing = _check_listed(view, seat)
        _check_hex(self.seed, "a seed")
        if seat not in sealing.committed or seat in sealing.revealed:
            raise Refused("no_seed_owed", f"{seat} owes no seed")
        if not all(map(sealing.has_answered, view.dice.seats)):
            raise Refused("seeds_not_committed", "not every seat has committed or was waived")
        if _commitment(view, seat, bytes.fromhex(self.seed)) != sealing.committed[seat]:
            raise Refused("seed_does_not_fit", "this seed is not the one that was committed to")

    def decide(self, state: Table) -> Emits[Table]:
        state = yield SeedRevealed(seat=self.by.seat, seed=self.seed)
        return (yield from _sealed_if_complete(state))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        if view.sealing.committed.get(awaited.seat) == _commitment(view, awaited.seat, _EXAMPLE):
            yield Offer(type=cls.type, given={"seed": _EXAMPLE.hex()})
