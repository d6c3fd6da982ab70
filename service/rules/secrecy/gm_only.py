"""GM-only fields of a creature's sheet: rules read their values, and players do not see them.

The opening, or the GM when adding a creature, names the fields. Their values are `Sealed` in the event that
brings the creature, in the state, and in every event that reveals them. Thrown dice, damage and falls stay
public. The flat parts of such a creature's rolls are in an envelope.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final, TypeVar

from service.rules.kernel.messages import Actor, Command, Emits, Event, Fact, Private, Refused
from service.rules.kernel.records import changed, rebuilt, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import Sealed, opened
from service.rules.rolls.withheld import scope_of, sealed_for
from service.rules.table.table import GM, Table

TABLE_GMONLY_1: Final = Rule(
    "TABLE-GMONLY-1",
    "Only the GM reads the fields of a creature marked GM-only, until they are shown or all is opened.",
    RULING,
)
TABLE_GMONLY_4: Final = Rule(
    "TABLE-GMONLY-4",
    "While something is GM-only, the record gives no reason why a command of the GM was refused.",
    RULING,
)
TABLE_GMONLY_3: Final = Rule(
    "TABLE-GMONLY-3",
    "The GM may show what is GM-only about a creature before the end; everybody sees it from then on.",
    RULING,
)


R = TypeVar("R")
E = TypeVar("E", bound=Event[Any])
S = TypeVar("S", bound=Table)

BECAUSE: Final = ("TABLE-GMONLY-1",)


@enforces(TABLE_GMONLY_1)
def hide_gm_only(of: R, creature: str, names: Iterable[str]) -> R:
    """Return the record *of* with its fields *names* sealed for the GM."""
    found = vars(of)
    sealed = {
        name: sealed_for(creature, found[name])
        for name in names
        if name in found and type(found[name]) is not Sealed
    }
    return rebuilt(of, **sealed) if sealed else of


def field_faults(names: Iterable[str], allowed: Iterable[str], at: str) -> Iterator[tuple[str, str]]:
    """Yield a fault, as (JSON pointer, detail), for each of *names* that is not among *allowed*."""
    known = tuple(allowed)
    what = (
        "one of " + ", ".join(known)
        if known
        else "nothing: the sheet of a player's character is its player's"
    )
    for i, name in enumerate(names):
        if name not in known:
            yield f"{at}/gm_only/{i}", what


# --- what events reveal ------------------------------------------------------------------------------


def guarded(state: S, fact: Fact[S]) -> Fact[S]:
    """Return *fact* with every field sealed that reveals a GM-only fact about a creature of *state*."""
    if isinstance(fact, Private):
        assert isinstance(fact.event, Event)
        return changed(fact, event=_guarded(state, fact.event))
    assert isinstance(fact, Event)
    return _guarded(state, fact)


def _guarded(state: Table, event: E) -> E:
    sealed = {
        field: sealed_for(creature, vars(event)[field], shown)
        for field, creature, what, shown in event.tells()
        if what in state.gm_only_of(creature)
    }
    return rebuilt(event, **sealed) if sealed else event


def knows_more(state: Table, actor: Actor) -> bool:
    """Tell whether *actor* knows GM-only facts of *state*, which the reason of a refusal could reveal."""
    return actor.role == GM and state.has_gm_only


@enforces(TABLE_GMONLY_4)
def refuse_without_reason() -> Refused:
    """Return the refusal without a reason."""
    return Refused(
        "gm_only", "the reason is withheld, because something about a creature is GM-only", "TABLE-GMONLY-4"
    )


# --- showing -----------------------------------------------------------------------------------------


@record
class SheetShown(Event[Table]):
    """The GM shows what was GM-only about a creature; from now on everybody sees it."""

    type: ClassVar[str] = "sheet_shown"
    creature: str
    occasion: str

    def evolve(self, state: Table) -> Table:
        return opened(state, (self.occasion,)).with_gm_only(self.creature, ())


@enforces(TABLE_GMONLY_3)
@record
class ShowSheet(Command[Table]):
    """Show everybody what is GM-only about a creature, as the GM."""

    type: ClassVar[str] = "show_sheet"
    creature: str

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm")
        if not view.has_creature(self.creature):
            raise Refused("no_such_creature", f"there is no creature {self.creature}")
        if not view.gm_only_of(self.creature):
            raise Refused("already_shown", f"nothing about {self.creature} is GM-only")

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SheetShown(creature=self.creature, occasion=scope_of(self.creature).opens))
