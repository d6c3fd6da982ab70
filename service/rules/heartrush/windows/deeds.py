"""Let a built-in action be answered once it is declared, before it happens, as abilities can be.

Where nobody could answer, it happens at once, without another event. Otherwise it waits on the stack under
a window; when its turn comes it happens, or is in vain because of what was done meanwhile. It stays paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Final

from service.rules.heartrush.secrecy import sealed_to
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.heartrush.windows.listening import is_worth_asking, listens
from service.rules.heartrush.windows.windows import Interruptible, is_answered, moment
from service.rules.kernel.families import Families
from service.rules.kernel.messages import Awaited, Emits, Event, Private, Refused
from service.rules.kernel.records import Sealed, changed, record
from service.rules.kernel.sealed import unsealed
from service.rules.rolls.chance import Chance

BECAUSE = ("HR-GEN-2",)


@record
class Said:
    """What was said when a built-in action was declared: each has its own part of this."""

    target: str | None = None
    words: str = ""
    verb: str = ""
    item: str | None = None
    to: tuple[int, int] | None = None
    stand: bool = False
    path: tuple[tuple[int, int], ...] = ()


class Deed:
    """A kind of built-in action: whether it can still be done, and what it does."""

    name: ClassVar[str]
    is_secret: ClassVar[bool] = False
    """Whether what was said is its seat's alone until it has happened: where a dash leads."""

    def check(self, state: State, creature: Creature, said: Said) -> None:
        """Raise `Refused` where it finds nothing to act on any more."""

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does."""
        raise NotImplementedError


def deed_of(state: State, ability: str) -> Deed:
    """Return the ruleset's deed of this name."""
    return _by_name(state.families)[ability]


@cache
def _by_name(families: Families) -> Mapping[str, Deed]:
    return {kind.name: kind() for kind in families.listed(Deed)}


@record
class DeedFrame(Interruptible):
    """A built-in action that was declared and paid, and has not happened yet."""

    kind: ClassVar[str] = "deed"
    creature: str
    ability: str
    said: Said | Sealed[Said] = Said()

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        about: dict[str, str | int] = {"declarer": self.creature, "ability": self.ability}
        if is_answered(state, self, "ability_declared", about):
            return (yield from moment(self, "ability_declared", about, self.creature))
        said: Said = unsealed(self.said)
        reason = in_vain(state, self.creature, self.ability, said)
        if reason is not None:
            return (yield DeedInVain(deed=self.path, reason=reason, because=BECAUSE))
        state = yield DeedBegun(deed=self.path, because=BECAUSE)
        return (yield from deed_of(state, self.ability).happen(state, self.creature, said))


WITHHELD: Final = "the reason is for the gm"
"""A detail may name a number that follows from a GM-only field: the feet that a speed leaves."""


def in_vain(state: State, creature: str, ability: str, said: Said) -> str | None:
    """Return why a declared action finds nothing to act on now, or None where it does."""
    actor = state.creatures[creature]
    if not is_able(actor):
        return f"{creature} can do nothing"
    try:
        deed_of(state, ability).check(state, actor, said)
    except Refused as refused:
        return WITHHELD if state.gm_only_of(creature) else refused.detail
    return None


# --- facts ----------------------------------------------------------------------------------------


@record
class DeedDeclared(Event[State]):
    """A built-in action is declared, and may be answered before it happens."""

    type: ClassVar[str] = "deed_declared"
    deed: str
    creature: str
    ability: str

    def evolve(self, state: State) -> State:
        return state.pushed(DeedFrame(path=self.deed, creature=self.creature, ability=self.ability))


@record
class DeedSaid(Event[State]):
    """What was said with it; where a dash leads is shown to its seat alone."""

    type: ClassVar[str] = "deed_said"
    deed: str
    said: Said
    seat: str | None = None
    occasion: str = ""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.deed, DeedFrame)
        if self.seat is None:
            return state.put(changed(frame, said=self.said))
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=self.occasion, value=self.said)
        return state.put(changed(frame, said=sealed))


@record
class DeedBegun(Event[State]):
    """Nobody answers any more: what was declared happens now."""

    type: ClassVar[str] = "deed_begun"
    deed: str

    def evolve(self, state: State) -> State:
        return state.popped(self.deed)


@record
class DeedInVain(Event[State]):
    """What was declared finds nothing to act on when its turn comes; its cost is kept."""

    type: ClassVar[str] = "deed_in_vain"
    deed: str
    reason: str

    def evolve(self, state: State) -> State:
        return state.popped(self.deed)


def declared(state: State, deed: Deed, creature: str, paid: str, said: Said) -> Emits[State]:
    """Tell that a built-in action is declared and paid: it happens at once unless somebody could answer."""
    about: dict[str, str | int] = {"declarer": creature, "ability": deed.name}
    path = f"r{state.round}/{deed.name}/{creature}/{paid}"
    if not (listens(state) and is_worth_asking(state, "ability_declared", about)):
        # The command was checked on what its seat knows; a GM-only field may forbid the action all the same.
        reason = in_vain(state, creature, deed.name, said) if state.gm_only_of(creature) else None
        if reason is None:
            return (yield from deed.happen(state, creature, said))
        state = yield DeedDeclared(deed=path, creature=creature, ability=deed.name, because=BECAUSE)
        return (yield DeedInVain(deed=path, reason=reason, because=BECAUSE))
    state = yield DeedDeclared(deed=path, creature=creature, ability=deed.name, because=BECAUSE)
    if not deed.is_secret:
        return (yield DeedSaid(deed=path, said=said, because=BECAUSE))
    seat, occasion = state.controller(creature), f"{path}/end"
    event = DeedSaid(deed=path, said=said, seat=seat, occasion=occasion, because=BECAUSE)
    return (yield Private(scope=sealed_to(seat, occasion), event=event))
