"""GM-only fields of a creature's sheet: rules read their values, and players do not see them.

The opening, or the GM when adding a creature, names the fields. Their values are `Sealed` in the event that
brings the creature, in the state, and in every event that reveals them. Thrown dice, damage and falls stay
public. The flat parts of such a creature's rolls are in an envelope.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Final, Self, TypeVar

from service.rules.kernel.hints import Alternatives, RecordObject, Shape, fields_of
from service.rules.kernel.messages import Actor, Command, Emits, Event, Fact, Private, Refused
from service.rules.kernel.records import (
    Sealable,
    Sealed,
    changed,
    computed_from,
    rebuilt,
    record,
    sealable_fields,
    with_key,
)
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import opened
from service.rules.kernel.values import CreatureId, Occasion
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
S = TypeVar("S", bound=Table)

BECAUSE: Final = ("TABLE-GMONLY-1",)


def facts_of(sheet: type, names: Iterable[str]) -> tuple[str, ...]:
    """Return the facts that are GM-only with the fields *names* of a *sheet*: these, and what they bring."""
    fields = sealable_fields(sheet)
    chosen = tuple(names)
    return (*chosen, *(fact for name in chosen for fact in fields[name].brings))


class WithSheets:
    """What every state does whose creatures have sheets, of which the GM may keep fields."""

    creatures: Mapping[str, Any]

    def has_creature(self, creature: str) -> bool:
        return creature in self.creatures

    def gm_only_of(self, creature: str) -> tuple[str, ...]:
        found = self.creatures.get(creature)
        if found is None or not found.gm_only:
            return ()
        return facts_of(type(found.sheet), found.gm_only)

    @computed_from("creatures")
    def has_gm_only(self) -> bool:
        """Whether anything about anybody is GM-only."""
        return any(creature.gm_only for creature in self.creatures.values())

    def with_gm_only(self, creature: str, names: tuple[str, ...]) -> Self:
        return self.with_creature(creature, gm_only=names)

    def with_creature(self, creature: str, /, **changes: object) -> Self:
        """Return the state with fields of one creature changed."""
        new = changed(self.creatures[creature], **changes)
        return changed(self, creatures=with_key(self.creatures, creature, new))


@enforces(TABLE_GMONLY_1)
def hide_gm_only(of: R, creature: str, facts: Iterable[str]) -> R:
    """Return the record *of*, which describes *creature*, with the fields sealed that hold *facts*."""
    found, fields = vars(of), sealable_fields(type(of))
    sealed = {
        name: sealed_for(creature, found[name])
        for name in facts
        if name in fields and type(found[name]) is not Sealed
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
        return changed(fact, event=_guarded(state, fact.event, fact.event))
    return _guarded(state, fact, fact)


def _guarded(state: Table, event: object, part: R) -> R:
    """Return *part*, which is *event* or a record in it, without what is GM-only."""
    known = vars(part)
    sealed: dict[str, object] = {}
    kind: Any = type(part)
    for name, how in revealing(kind).items():
        value = known[name]
        if how is None:
            if value is not None:
                sealed[name] = _guarded(state, event, value)
            continue
        creature = vars(event)[how.of or ""]
        if (how.fact or name) in state.gm_only_of(creature):
            sealed[name] = sealed_for(creature, value, how.shown(part))
    return rebuilt(part, **sealed) if sealed else part


@cache
def revealing(kind: Any) -> Mapping[str, Sealable | None]:  # noqa: ANN401 - typeshed has no name for it
    """Return the fields of an event that may reveal something GM-only; None for a record with such fields."""
    own: dict[str, Sealable | None] = {name: how for name, how in sealable_fields(kind).items() if how.of}
    inner = (field for field in fields_of(kind) if any(map(_is_of_one, _records_in(field.shape))))
    return {**own, **{field.name: None for field in inner}}


def _is_of_one(kind: Any) -> bool:  # noqa: ANN401 - as `revealing`
    return any(how.of for how in sealable_fields(kind).values())


def _records_in(shape: Shape) -> Iterator[Any]:
    """Yield each kind of record that a field of *shape* may have as its value."""
    for way in shape.ways if isinstance(shape, Alternatives) else (shape,):
        if isinstance(way, RecordObject):
            yield way.kind


def knows_more(state: Table, actor: Actor) -> bool:
    """Return whether *actor* knows GM-only facts of *state*, which the reason of a refusal could reveal."""
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
    creature: CreatureId
    occasion: Occasion

    def evolve(self, state: Table) -> Table:
        return opened(state, (self.occasion,)).with_gm_only(self.creature, ())


@enforces(TABLE_GMONLY_3)
@record
class ShowSheet(Command[Table]):
    """Show everybody what is GM-only about a creature, as the GM."""

    type: ClassVar[str] = "show_sheet"
    sentence: ClassVar[str] = "Show a sheet"
    creature: CreatureId

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", TABLE_GMONLY_3.id)
        if not view.has_creature(self.creature):
            raise Refused("no_such_creature", f"there is no creature {self.creature}", TABLE_GMONLY_3.id)
        if not view.gm_only_of(self.creature):
            raise Refused("already_shown", f"nothing about {self.creature} is GM-only", TABLE_GMONLY_3.id)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SheetShown(creature=self.creature, occasion=scope_of(self.creature).opens))
