"""The part of a state that every ruleset shares: seats, counts of rolls, stacks, options.

A ruleset's state is a `Table` with more fields. This file has data and functions of it; facts change it
(`seats.py`, `closing.py`, the ruleset's events).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar, Final, Self, TypeAlias

from service.dice.chain import SEALED_LANE
from service.dice.values import RollName
from service.rules.kernel.families import NO_FAMILIES, Families
from service.rules.kernel.messages import TABLE, Awaited, Scope
from service.rules.kernel.records import (
    EMPTY,
    Sealed,
    changed,
    computed_from,
    in_order,
    record,
    with_key,
    without_key,
)
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import (
    Code,
    Controlled,
    Count,
    Digest,
    EncounterId,
    Epoch,
    Hexadecimal,
    IsClosed,
    Label,
    Occasion,
    Ordinal,
    Round,
    RulesEdition,
    SeatId,
    SeatRole,
    SeedingSeats,
    ShownFaces,
)
from service.rules.table.choices import SealedChoice
from service.rules.table.disputes import Amendment, Contest
from service.rules.table.lines import OTHER_EPOCH, REDIRECTED, Line, Origin, RedirectedStream
from service.rules.table.seeds import Sealing
from service.rules.table.stack import Stacked, Stacks

GM: Final = "gm"
"""The seat, and the role, of the person who runs the encounter. It exists from the opening on."""

CLOCK: Final = "clock"
"""The seat, and the role, of the service itself, for commands that no person sends."""

AUDITOR: Final = "auditor"
"""The role of a seat that reads everything needed to check the dice, and never acts."""

WATCHERS: Final = ("observer", AUDITOR)
"""Roles that control nothing and send no commands."""

SERVER: Final = "server"
MIXED: Final = "mixed"
"""Who seeds the dice: the host alone, or the host and the listed seats."""

Option: TypeAlias = Code | Count | bool


@record
class Seat:
    """A seat: its role and the creatures that it controls. Its token is not part of the record."""

    role: SeatRole
    creatures: Controlled = ()
    tokens: Count = 0
    """How many tokens were issued for it, so that everybody sees a second one."""
    closed: IsClosed = False
    key: Hexadecimal | None = None
    """The public key of its signatures, Ed25519 as 64 hexadecimal digits; None if it does not sign."""


@record
class Lane:
    """One chain of the dice: its number, its length, and the anchor that was published when it began."""

    many: ClassVar[int] = 2
    lane: Ordinal
    """The number of the chain: 0 for open dice, 1 for sealed dice."""
    n: Ordinal
    """The number of links of the chain."""
    anchor: Hexadecimal
    """The end of the chain, which was published when it began."""


@record
class DiceSetup:
    """How the dice of an encounter are derived, fixed by its first commit."""

    algorithm: Label
    """The name of the algorithm that derives dice."""
    mode: Label
    """Who seeds the dice: `server` alone, or `mixed` with seats."""
    lanes: tuple[Lane, ...]
    """The chains of the dice."""
    chain: EncounterId | None = None
    """The encounter whose id is in every hash of these dice, if this line uses another encounter's chain."""
    seats: SeedingSeats = ()
    abandoned_before: Ordinal = 0
    """How many encounters of the same owner had not been played to their end when this one opened."""


@record
class Screen:
    """The public part of the rolls behind the GM's screen: how many there were, and which were shown."""

    rolls: Ordinal = 0
    """The number of rolls."""
    shown: tuple[Ordinal, ...] = ()
    """The numbers of the rolls that were shown."""


@record
class DeclaredFaces:
    """Faces that a person threw and entered, for the step that asked for them."""

    seat: SeatId
    faces: ShownFaces
    dice: tuple[Code, ...]
    """The dice that show them, such as `heart:d8`."""


@record
class Table(Stacked):
    """The part of a state that every ruleset shares."""

    encounter: EncounterId = ""
    edition: RulesEdition = ""
    digest: Digest = ""
    """Digest of the ruleset's source when the encounter opened."""
    options: Mapping[Code, Option] = EMPTY
    """The options of the house, by key."""
    seats: Mapping[SeatId, Seat] = EMPTY
    """The seats, by id."""
    dice: DiceSetup = DiceSetup(algorithm="", mode="", lanes=())
    """How the dice are derived."""
    sealing: Sealing = Sealing()
    """The seeds of the seats: those committed to, revealed and waived."""
    epoch: Epoch = 1
    places: Mapping[Code, Ordinal] = EMPTY
    """The number of the open lane's rolls in this epoch, by `lane/stream`."""
    sealed_places: Mapping[Code, Ordinal] | Sealed[Mapping[Code, Ordinal]] | None = None
    """The same for the sealed lane, whose streams are as secret as its rolls."""
    screen: Screen = Screen()
    """The rolls behind the GM's screen."""
    declared_faces: Mapping[Code, DeclaredFaces] = EMPTY
    """Declared faces by stream, until the step that asked for them has used them."""
    sealed_choices: Mapping[Code, SealedChoice] = EMPTY
    """The choices that seats have sealed themselves and not opened yet, by prompt (see `choices.py`)."""
    stacks: Stacks[Any] = Stacks()
    """The unfinished steps of the fight."""
    round: Round = 0
    stopped: Occasion | None = None
    """The batch whose remaining commands are refused, because one of them was refused."""
    closed: IsClosed = False
    contests: Mapping[Code, Contest] = EMPTY
    """All contests by id, open and answered."""
    amendment: Amendment | None = None
    """The pending proposal to continue from an earlier commit, until it is accepted or dropped."""
    amendments: Ordinal = 0
    """How many proposals were made."""
    amendments_dropped: Ordinal = 0
    """How many proposals were dropped or replaced."""
    draft: bool = False
    """Whether this line of play is proposed and not accepted; it discloses nothing (see `acceptance.py`)."""
    undisclosed_epochs: tuple[Ordinal, ...] = ()
    """Epochs that ended while the line was proposed; their links are disclosed once it is accepted."""
    seats_by_command: Mapping[SeatId, Mapping[SeatId, Seat]] = EMPTY
    """The seats at the time of each command that a proposed line repeats, by the command's number in it."""
    continued: EncounterId | None = None
    """The encounter that continues this one."""
    origin: Origin | None = None
    """The commit of another encounter from which this one continues."""
    line: Line | None = None
    """The rolls of the old line, until this line has passed its epochs."""
    dice_moved_in: Ordinal = 0
    """The last commit that advanced the epoch before its round ended; 0 if none did."""
    last_exposed_epoch: Ordinal = 0
    """The last epoch whose dice a ruling may have shown."""
    redirected_streams: Mapping[Code, RedirectedStream] = EMPTY
    """Streams that draw from another epoch until this one closes, by `lane/stream`."""
    rolls_in_other_epochs: Mapping[Code, Ordinal] = EMPTY
    """The number of rolls in epochs that a ruling opened, by `epoch/lane/stream`."""
    families: Families = field(default=NO_FAMILIES, metadata={"given": False})
    """The families of the ruleset, which its blank state has and every state after it."""

    @property
    def dice_sealed(self) -> bool:
        """Whether dice can be thrown: in mode `mixed` only after all seeds are revealed."""
        return self.dice.mode != MIXED or bool(self.sealing.seal)

    @property
    def is_over(self) -> bool:
        """Whether the fight was played to its end; an encounter that closes before that is abandoned."""
        return False

    @property
    def won_by(self) -> str | None:
        """Who won the fight: a side or a creature; None if nobody did, or if the ruleset does not say."""
        return None

    def place(self, lane: int, stream: str) -> int:
        """Return how many rolls of *stream* were made in *lane* in this epoch."""
        key = f"{lane}/{stream}"
        count, astray = self._places(lane).get(key, 0), self._redirected(lane, key)
        if astray is not None:
            return count + self._rolls_in_other_epochs(lane).get(f"{astray.epoch}/{key}", 0) - astray.before
        if self._is_fresh(self.epoch):
            return self._rolls_in_other_epochs(lane).get(f"{self.epoch}/{key}", 0)
        return count

    def drawn(self, lane: int, stream: str, epoch: int | None = None) -> RollName:
        """Return the name of the next roll of *stream*, in the epoch that it draws from or in *epoch*."""
        key = f"{lane}/{stream}"
        if epoch is None:
            astray = self._redirected(lane, key)
            epoch = self.epoch if astray is None else astray.epoch
        if epoch == self.epoch and not self._is_fresh(epoch):
            return RollName(epoch, lane, stream, self._places(lane).get(key, 0))
        return RollName(epoch, lane, stream, self._rolls_in_other_epochs(lane).get(f"{epoch}/{key}", 0))

    def _is_fresh(self, epoch: int) -> bool:
        """Return whether a ruling opened *epoch*; its rolls are counted over all rounds that draw from it."""
        return self.line is not None and epoch in self.line.new_epochs

    def _places(self, lane: int) -> Mapping[str, int]:
        if lane != SEALED_LANE:
            return self.places
        return EMPTY if self.sealed_places is None else unsealed(self.sealed_places)

    def _rolls_in_other_epochs(self, lane: int) -> Mapping[str, int]:
        if lane != SEALED_LANE:
            return self.rolls_in_other_epochs
        places = self._places(lane).items()
        return {key.removeprefix(OTHER_EPOCH): count for key, count in places if key.startswith(OTHER_EPOCH)}

    def _redirected(self, lane: int, key: str) -> RedirectedStream | None:
        if lane != SEALED_LANE:
            return self.redirected_streams.get(key)
        epoch = self._places(lane).get(REDIRECTED + key)
        return None if epoch is None else RedirectedStream(epoch=epoch, before=0)

    def counted(self, name: RollName) -> Self:
        """Return the table with the roll *name* counted and its declared faces removed."""
        declared = self.declared_faces
        if name.stream in declared:
            return changed(self, declared_faces=without_key(declared, name.stream)).placed(name)
        return self.placed(name)

    def placed(self, name: RollName) -> Self:
        """Return the table with the roll *name* counted, unless its epoch has closed."""
        key = f"{name.lane}/{name.stream}"
        if self._is_fresh(name.epoch):
            return self._count_in_other_epoch(name, f"{name.epoch}/{key}")
        before = self._places(name.lane)
        if name.epoch != self.epoch or before.get(key, 0) > name.place:  # gained dice: counted already
            return self
        places = in_order(with_key(before, key, name.place + 1))
        if name.lane != SEALED_LANE:
            return changed(self, places=places)
        return self.with_sealed_places(places)

    def _count_in_other_epoch(self, name: RollName, key: str) -> Self:
        """Return the table with a roll counted that was thrown in an epoch that a ruling opened."""
        count = max(name.place + 1, self._rolls_in_other_epochs(name.lane).get(key, 0))
        if name.lane != SEALED_LANE:
            return changed(
                self, rolls_in_other_epochs=in_order(with_key(self.rolls_in_other_epochs, key, count))
            )
        return self.with_sealed_places(with_key(self._places(SEALED_LANE), OTHER_EPOCH + key, count))

    def with_sealed_places(self, places: Mapping[str, int]) -> Self:
        """Return the table with *places* as the sealed lane's counts of rolls."""
        sealed = Sealed(audience=self.behind_screen, opens="roll/places", value=in_order(places))
        return changed(self, sealed_places=sealed)

    def stream_redirected(self, lane: int, stream: str, astray: RedirectedStream) -> Self:
        """Return the table in which *stream* draws from another epoch until this one closes."""
        key = f"{lane}/{stream}"
        if lane != SEALED_LANE:
            return changed(self, redirected_streams=in_order(with_key(self.redirected_streams, key, astray)))
        return self.with_sealed_places(with_key(self._places(lane), REDIRECTED + key, astray.epoch))

    @property
    def following(self) -> int:
        """The epoch that follows this one: the old line's next one, or one that nobody has seen.

        A line that is only proposed uses the proposal's own epoch for all further rounds.
        """
        later = self.line.after(self.epoch) if self.line is not None else None
        if later is not None:
            return later
        if self.draft and self.line is not None:
            return self.line.new_epochs[-1]
        return max(self.epoch, self.last_exposed_epoch) + 1

    def entered(self, epoch: int) -> Self:
        """Return the table in another *epoch*, in which nothing was thrown yet."""
        state = changed(self, epoch=epoch, places=EMPTY, redirected_streams=EMPTY, sealed_places=None)
        if self.line is None or epoch > self.line.new_epochs[-1]:
            return changed(state, rolls_in_other_epochs=EMPTY, line=None)
        far = {key: count for key, count in self._places(SEALED_LANE).items() if key.startswith(OTHER_EPOCH)}
        return state.with_sealed_places(far) if far else state

    @property
    def behind_screen(self) -> tuple[str, ...]:
        """The readers of rolls behind the GM's screen: the GM and the auditors."""
        return (f"seat:{GM}", *self.auditors)

    @property
    def auditors(self) -> tuple[str, ...]:
        """The open seats of auditors, as readers of envelopes."""
        seats = self.seats.items()
        return tuple([f"seat:{name}" for name, seat in seats if seat.role == AUDITOR and not seat.closed])

    def dice_policy(self, owner: str) -> str:
        """Return `seeded` or `declared` for the rolls of *owner*: a creature, or `table`."""
        return "seeded"

    def has_creature(self, creature: str) -> bool:
        """Return whether *creature* takes part."""
        return False

    def gm_only_of(self, creature: str) -> tuple[str, ...]:
        """Return the names of *creature*'s GM-only facts (see `gm_only.py`)."""
        return ()

    @property
    def has_gm_only(self) -> bool:
        """Whether anything about anybody is GM-only."""
        return False

    def with_gm_only(self, creature: str, names: tuple[str, ...]) -> Self:
        """Return the table in which exactly *names* are GM-only about *creature*."""
        return self

    def trespass(self, before: Self) -> tuple[str, str] | None:
        """Return a hidden creature and the creature that came into its space since *before* (`hiding.py`)."""
        return None

    def crowded(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs in one space at one height, though no rule and no ruling lets them."""
        return ()

    def optional_prompts(self) -> tuple[Awaited, ...]:
        """Return the answers that may be given here besides those that the top frame waits for."""
        return ()

    def controller(self, creature: str) -> str:
        """Return the seat that controls *creature*: the open player seat that lists it, or the GM's."""
        return self.controllers.get(creature, GM)

    @computed_from("seats")
    def controllers(self) -> Mapping[str, str]:
        """The open seats by the creatures that they list; of several, the first."""
        found: dict[str, str] = {}
        for seat_id, seat in self.seats.items():
            for creature in () if seat.closed else seat.creatures:
                found.setdefault(creature, seat_id)
        return found

    @property
    def apart(self) -> tuple[str, ...]:
        """The groups that act apart now, and whose worlds this state may read (see `worlds.py`)."""
        return ()

    def at(self, place: str) -> Self:
        """Return the state of *place*: the table's own, or a group's world."""
        assert place == TABLE, f"nobody acts apart at {place}"
        return self

    def with_at(self, place: str, inner: Self) -> Self:
        """Return the state in which *inner* is the world of *place*."""
        assert place == TABLE, f"nobody acts apart at {place}"
        return inner

    def current(self) -> Self:
        """Return the state in which each world's shared fields have the table's values, to be shown."""
        return self

    def scope_at(self, place: str) -> Scope | None:
        """Return the sealed scope of everything that is decided at *place*, None if it is open."""
        return None
