"""Say that a command or an effect changed nothing: what is accepted is never without an effect in silence.

An effect is not refused for that: what it finds depends on the effects before it, and on dice.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from service.rules.kernel.messages import TABLE, Emits, Event, Fact, Noted, Private, Rolled
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, Count, CreatureId
from service.rules.table.table import Table

TABLE_UNCHANGED_1: Final = Rule(
    "TABLE-UNCHANGED-1",
    "An accepted command or effect that changes nothing says so, and why, in an event.",
    RULING,
)

BECAUSE: Final = (TABLE_UNCHANGED_1.id,)

S = TypeVar("S", bound=Table)
Why: TypeAlias = Literal["already_so", "not_there", "not_possible", "out_of_play"]
ROLLS: Final = ("places", "sealed_places", "declared_faces", "redirected_streams", "rolls_in_other_epochs")
"""Fields that count dice. That a die was thrown changes nothing else."""


@enforces(TABLE_UNCHANGED_1)
@record
class NothingChanged(Noted[Any]):
    """A command or an effect changed nothing."""

    type: ClassVar[str] = "nothing_changed"
    plays: ClassVar[bool] = False
    sentence: ClassVar[str] = "nothing changes[ for {creature}] by {what}: {why}"
    what: Code
    """The type of the command, or the kind of the effect."""
    why: Annotated[Why, "It was so before, it is not there, it cannot be, or the creature takes no part."]
    creature: CreatureId | None = None
    effect: Count | None = None
    """The place of the effect in its list, counted from 0; null for a command."""


def is_same(before: Table, after: Table) -> bool:
    """Return whether *after* is *before*, but for dice that were thrown."""
    if after is before:
        return True
    return bool(changed(after, **{name: getattr(before, name) for name in ROLLS}) == before)


def or_unchanged(before: S, emitted: Emits[S], says: NothingChanged, unmet: Why, *, sealed: bool) -> Emits[S]:
    """Emit an effect, and *says* if it changed nothing: *unmet* is why, where it emits no event.

    *sealed*: others may not know what it changed. Then an event of it stands for itself.
    """
    state, is_told = before, False
    try:
        fact = next(emitted)
        while True:
            is_told = is_told or not isinstance(fact, Rolled)
            state = yield fact
            fact = emitted.send(state)
    except StopIteration as end:
        state = end.value
    if (is_told and sealed) or not is_same(before, state):
        return state
    return (yield changed(says, why=says.why if is_told else unmet, because=BECAUSE))


def is_act(fact: Fact[Any], place: str) -> bool:
    """Return whether *fact* says something though nothing changes, such as words that a creature speaks.

    What is sealed at the table is one too: others may not know whether it changed anything.
    """
    if isinstance(fact, Private):
        return place == TABLE or is_act(fact.event, TABLE)
    return isinstance(fact, Event) and fact.acts


def unchanged(what: str) -> Generator[Fact[Any], Any, Any]:
    """Emit that a command changed nothing."""
    return (yield NothingChanged(what=what, why="already_so", because=BECAUSE))
