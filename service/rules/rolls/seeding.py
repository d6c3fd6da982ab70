"""Let seats add seeds to the dice: all commit, then all reveal, and only then can a die be thrown.

In mode `server` the host's chains are the whole seed. In mode `mixed` every listed seat publishes the hash of
its own seed, or is waived, before the first seed is revealed; then the seats that committed reveal. Commit 1
fixes the host's part, so nobody chooses a seed after seeing another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final, Literal

from service.dice.chain import DEFAULT_EPOCHS, MAX_EPOCHS, Anchor, seal, seat_commitment
from service.rules.kernel.hexadecimal import BYTES, check_hex
from service.rules.kernel.meaning import within
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Hexadecimal,
    Ordinal,
    Reason,
    RevealedSeeds,
    SeatId,
    Seed,
    SeedCommitment,
    SeedingSeats,
    WaivedSeats,
)
from service.rules.table.seeds import Sealing
from service.rules.table.table import GM, MIXED, SERVER, DiceSetup, Table

TABLE_SEED_1: Final = Rule(
    "TABLE-SEED-1",
    "In mode `mixed` every listed seat publishes the hash of a seed before any seed is revealed.",
    RULING,
)
TABLE_SEED_2: Final = Rule(
    "TABLE-SEED-2",
    "A listed seat may be waived, by itself or by the GM, while no seed is revealed; the record names it.",
    RULING,
)
TABLE_SEED_3: Final = Rule(
    "TABLE-SEED-3",
    "Once every listed seat has committed or was waived, each committed seed is revealed; the last seals.",
    RULING,
)


SEED_BYTES: Final = BYTES
REASON_LENGTH: Final = 500
BECAUSE: Final = ("TABLE-SEED-1",)
MALFORMED: Final = "seed_malformed"
_EXAMPLE: Final = bytes(SEED_BYTES)
"""The seed in offers, which a client replaces by its own."""


@record
class Seeding:
    """How the dice of an encounter are seeded; the opening chooses it."""

    mode: Literal["server", "mixed"] = SERVER
    """Who seeds the dice: `server` alone, or `mixed` with seats."""
    seats: SeedingSeats = ()
    epochs: Annotated[Ordinal, within(1, MAX_EPOCHS)] = DEFAULT_EPOCHS
    """How many epochs have dice; the end of a round ends an epoch. More cannot be added later."""


def seeding_faults(seeding: Seeding, seats: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the faults of *seeding* in an opening; *seats* maps its seats to their roles."""
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
    """Raise `Refused` if *setup* does not seed the dice as *seeding* asks."""
    if (setup.mode, setup.seats) != (seeding.mode, seeding.seats):
        raise Refused("opening_not_possible", "/seeding: the dice are set up differently", "TABLE-SEED-1")


def seal_of(encounter: str, setup: DiceSetup, seeds: Mapping[str, str]) -> bytes:
    """Return the salt of every epoch key, made from all anchors and from *seeds*, hexadecimal by seat."""
    anchors = [Anchor(lane.lane, lane.n, bytes.fromhex(lane.anchor)) for lane in setup.lanes]
    return seal(
        _eid(setup.chain or encounter), anchors, {seat: bytes.fromhex(seed) for seat, seed in seeds.items()}
    )


def _eid(encounter: str) -> bytes:
    return bytes.fromhex(encounter.replace("-", ""))


def owed_seeds(state: Table) -> tuple[Awaited, ...]:
    """Return the commitments, or then the seeds, that are awaited before the dice are sealed."""
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
    seat: SeatId
    commitment: SeedCommitment

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, committed=with_key(state.sealing.committed, self.seat, self.commitment))


@record
class SeedWaived(Event[Table]):
    """A seat adds no seed, by its own decision or the GM's."""

    type: ClassVar[str] = "seed_waived"
    decides: ClassVar[str] = "waiver"
    seat: SeatId
    by: SeatId
    """The seat that waived the seed."""
    reason: Reason

    def evolve(self, state: Table) -> Table:
        sealing = state.sealing
        committed = {seat: made for seat, made in sealing.committed.items() if seat != self.seat}
        return _with_sealing(state, committed=committed, waived=(*sealing.waived, self.seat))


@record
class SeedRevealed(Event[Table]):
    """A seat revealed the seed that it had committed to."""

    type: ClassVar[str] = "seed_revealed"
    seat: SeatId
    seed: Seed

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, revealed=with_key(state.sealing.revealed, self.seat, self.seed))


@record
class DiceSealed(Event[Table]):
    """All seeds are revealed; from now on every die of the encounter is fixed."""

    type: ClassVar[str] = "dice_sealed"
    seats: RevealedSeeds
    waived: WaivedSeats
    seal: Hexadecimal
    """The value that all seeds together gave, which every later die depends on."""

    def evolve(self, state: Table) -> Table:
        return _with_sealing(state, seal=self.seal)


def _with_sealing(state: Table, **changes: object) -> Table:
    return changed(state, sealing=changed(state.sealing, **changes))


def _sealed_if_complete(state: Table) -> Emits[Table]:
    """Emit that the dice are sealed, if every listed seat has revealed or was waived."""
    sealing = state.sealing
    if len(sealing.revealed) + len(sealing.waived) < len(state.dice.seats):
        return state
    sealed = seal_of(state.encounter, state.dice, sealing.revealed).hex()
    return (yield DiceSealed(seats=sealing.revealed, waived=sealing.waived, seal=sealed, because=BECAUSE))


# --- commands ----------------------------------------------------------------------------------------


def _check_listed(view: Table, seat: str) -> Sealing:
    """Return the sealing; raises `Refused` if *seat* adds no seed, or if the dice are sealed."""
    if view.dice.mode != MIXED or seat not in view.dice.seats:
        raise Refused("seat_not_listed", f"{seat} adds no seed to these dice")
    if view.dice_sealed:
        raise Refused("dice_are_sealed", "all seeds are revealed")
    return view.sealing


def _commitment(view: Table, seat: str, seed: bytes) -> str:
    return seat_commitment(_eid(view.dice.chain or view.encounter), seat, seed).hex()


@enforces(TABLE_SEED_1)
@record
class CommitSeed(Command[Table]):
    """Publish the hash of a seed, before any seed of the dice is revealed."""

    type: ClassVar[str] = "commit_seed"
    sentence: ClassVar[str] = "Publish the hash of a seed of your own"
    commitment: SeedCommitment

    def check(self, view: Table) -> None:
        sealing = _check_listed(view, self.by.seat)
        if sealing.has_answered(self.by.seat):
            raise Refused(
                "seed_committed_already", f"{self.by.seat} has committed, or was waived", TABLE_SEED_1.id
            )
        check_hex(self.commitment, "a commitment", MALFORMED)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeedCommitted(seat=self.by.seat, commitment=self.commitment))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, given={"commitment": _commitment(view, awaited.seat, _EXAMPLE)})


@enforces(TABLE_SEED_2)
@record
class WaiveSeed(Command[Table]):
    """Waive a seat's seed, while no seed is revealed; the record names it."""

    type: ClassVar[str] = "waive_seed"
    sentence: ClassVar[str] = "Go on without the seed of {seat}"
    seat: SeatId | None = None
    """The seat to waive; null for the seat that sends the command."""
    reason: Reason = ""

    def check(self, view: Table) -> None:
        seat = self.seat or self.by.seat
        sealing = _check_listed(view, seat)
        if seat != self.by.seat and self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} may waive only its own seed", TABLE_SEED_2.id)
        if sealing.revealed:
            raise Refused(
                "seed_revealed_already",
                "a seed is revealed already, so nobody can be waived any more",
                TABLE_SEED_2.id,
            )
        if seat in sealing.waived:
            raise Refused("seed_committed_already", f"{seat} was waived before", TABLE_SEED_2.id)
        if len(self.reason) > REASON_LENGTH:
            raise Refused(
                "params_missing", f"a reason of at most {REASON_LENGTH} characters", TABLE_SEED_2.id
            )

    def decide(self, state: Table) -> Emits[Table]:
        seat = self.seat or self.by.seat
        state = yield SeedWaived(seat=seat, by=self.by.seat, reason=self.reason)
        return (yield from _sealed_if_complete(state))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


@enforces(TABLE_SEED_3)
@record
class RevealSeed(Command[Table]):
    """Reveal the seed that the seat committed to; the last seed seals the dice."""

    type: ClassVar[str] = "reveal_seed"
    sentence: ClassVar[str] = "Reveal your seed"
    seed: Seed

    def check(self, view: Table) -> None:
        seat = self.by.seat
        sealing = _check_listed(view, seat)
        check_hex(self.seed, "a seed", MALFORMED)
        if seat not in sealing.committed or seat in sealing.revealed:
            raise Refused("no_seed_owed", f"{seat} owes no seed", TABLE_SEED_3.id)
        if not all(map(sealing.has_answered, view.dice.seats)):
            raise Refused(
                "seeds_not_committed", "not every seat has committed or was waived", TABLE_SEED_3.id
            )
        if _commitment(view, seat, bytes.fromhex(self.seed)) != sealing.committed[seat]:
            raise Refused("seed_does_not_fit", "this seed does not match its commitment", TABLE_SEED_3.id)

    def decide(self, state: Table) -> Emits[Table]:
        state = yield SeedRevealed(seat=self.by.seat, seed=self.seed)
        return (yield from _sealed_if_complete(state))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        if view.sealing.committed.get(awaited.seat) == _commitment(view, awaited.seat, _EXAMPLE):
            yield Offer(type=cls.type, given={"seed": _EXAMPLE.hex()})
