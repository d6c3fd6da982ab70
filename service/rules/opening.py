"""Open an encounter: the command, the event and the base class of what a client fills in.

A ruleset subclasses `Opening` with its own fields; `opening_messages` makes the command and the event of it.
A book with an opening of its own form subclasses `OpenEncounter` and `EncounterOpened`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, TypeVar

from service.rules.house_options import OptionSpec, by_key, defaults, option_faults
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, Digest, Edition, EncounterId, Label, RulesEdition, RulesetDigest
from service.rules.openings import Fault, SeatEntry, seat_faults, seats_of
from service.rules.rolls.seeding import Seeding, check_setup, seeding_faults
from service.rules.table.table import DiceSetup, Option, Table

TABLE_OPEN_1: Final = Rule(
    "TABLE-OPEN-1", "An encounter opens once, and only if nothing is wrong with its opening.", RULING
)


S = TypeVar("S", bound=Table)


@record
class Opening:
    """What a client fills in to open an encounter: seats, options and seeding; a ruleset adds its fields."""

    seats: tuple[SeatEntry, ...] = ()
    options: Mapping[Code, Option] = EMPTY
    """The chosen options of the house; in the record each option has its value."""
    seeding: Seeding = Seeding()
    title: Label = ""

    def creature_ids(self) -> tuple[str, ...]:
        """Return the ids of the creatures, which seats may control."""
        return ()

    def faults(self) -> Iterator[Fault]:
        """Yield (JSON pointer, detail) of each fault; seats, options and seeding are checked already."""
        yield from ()

    def begin(self) -> Any:  # noqa: ANN401 - the state of any ruleset
        """Return the first state; encounter, edition, dice, options and seats are filled in afterwards."""
        raise NotImplementedError


@record
class EncounterOpened(Event[S]):
    """The encounter exists: its edition, dice and everything it begins with, for all to see."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "encounter_opened"
    encounter: EncounterId
    edition: RulesEdition
    digest: RulesetDigest
    dice: DiceSetup
    """How the dice are derived."""
    opening: Any

    def evolve(self, state: S) -> S:
        first: S = self.opening.begin()
        return changed(
            first,
            encounter=self.encounter,
            edition=self.edition,
            digest=self.digest,
            dice=self.dice,
            options=self.opening.options,
            seats=seats_of(self.opening.seats),
            families=state.families,
        )


@enforces(TABLE_OPEN_1)
@record
class OpenEncounter(Command[S]):
    """Open an encounter, if nothing is wrong with its opening."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "open"
    opened: ClassVar[Callable[..., EncounterOpened[Any]]]
    """The event of this command."""
    specs: ClassVar[Mapping[str, OptionSpec]] = EMPTY
    """The options of the house."""
    rules: ClassVar[tuple[str, ...]] = ("TABLE-OPEN-1",)
    """The rules that the event cites."""
    refused_by: ClassVar[str] = "TABLE-OPEN-1"
    """The rule that a refusal cites."""
    encounter: EncounterId
    edition: Edition
    digest: Digest
    dice: DiceSetup
    opening: Any

    def check_opening(self) -> tuple[Fault, ...]:
        """Return everything that keeps the encounter from opening: the API asks before it appends."""
        opening = self.opening
        roles = {entry.seat: entry.role for entry in opening.seats}
        return (
            *option_faults(self.specs, opening.options),
            *seat_faults(opening.seats, opening.creature_ids()),
            *seeding_faults(opening.seeding, roles),
            *opening.faults(),
        )

    def check(self, view: S) -> None:
        if view.encounter:
            raise Refused("already_open", f"{view.encounter} is open already", self.refused_by)
        for pointer, fault in self.check_opening():
            raise Refused("opening_not_possible", f"{pointer}: {fault}", self.refused_by)
        check_setup(self.dice, self.opening.seeding)

    def recorded(self) -> Any:  # noqa: ANN401 - the opening of any ruleset
        """Return the opening as the event has it: with every option of the house."""
        chosen = {**defaults(self.specs.values()), **self.opening.options}
        return changed(self.opening, options=chosen)

    def decide(self, state: S) -> Emits[S]:
        return (
            yield self.opened(
                encounter=self.encounter,
                edition=self.edition,
                digest=self.digest,
                dice=self.dice,
                opening=self.recorded(),
                because=self.rules,
            )
        )


def opening_messages(
    opening: type[Opening], options: Iterable[OptionSpec]
) -> tuple[type[OpenEncounter[Any]], type[EncounterOpened[Any]]]:
    """Return the command that opens an encounter with an *opening*, and its event."""
    own = {"__module__": opening.__module__, "__annotations__": {"opening": opening}}
    event: Any = type("EncounterOpened", (EncounterOpened,), {**own, "__doc__": EncounterOpened.__doc__})
    opened = record(event)
    members = {**own, "__doc__": opening.__doc__, "opened": opened, "specs": by_key(options)}
    command: Any = type("OpenEncounter", (OpenEncounter,), members)
    return record(command), opened
