"""Hide before a fight: by the GM's leave, with a stealth check, from those that do not see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.checks.checks import CheckAsked, Checked, Checking
from service.rules.heartrush.creatures.incapacity import check_able
from service.rules.heartrush.permission import gm, own
from service.rules.heartrush.rounds.clock import check_at_rest
from service.rules.heartrush.sheets.notes import HidingPlace
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance

HR_HIDE_1: Final = Rule(
    "HR-HIDE-1",
    "Hiding takes a suitable place, the GM's leave, peace, and a stealth check that succeeds.",
    books.BASICS.at("Hiding"),
    settles=("A-58",),
)


MOST_CN: Final = 200


@record
class HidingAllowed(Event[State]):
    """The GM finds a place to hide suitable, and sets the number of the stealth check."""

    type: ClassVar[str] = "hiding_allowed"
    creature: str
    cn: int
    viewers: tuple[str, ...]

    def evolve(self, state: State) -> State:
        place = HidingPlace(cn=self.cn, viewers=self.viewers)
        return changed(state, hiding_places=with_key(state.hiding_places, self.creature, place))


@record
class AllowHiding(Command[State]):
    """Allow a creature to hide: the number of its stealth check, and from whom (null: all its enemies)."""

    type: ClassVar[str] = "allow_hiding"
    creature: str
    cn: int
    viewers: tuple[str, ...] | None = None

    def check(self, view: State) -> None:
        gm(self)
        for name in (self.creature, *(self.viewers or ())):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
        check_no_combat(view)
        if not 0 <= self.cn <= MOST_CN:
            raise Refused("params_missing", f"a number from 0 to {MOST_CN}", "HR-HIDE-1")

    def decide(self, state: State) -> Emits[State]:
        side = state.creatures[self.creature].side
        enemies = tuple(creature.id for creature in state.creatures.values() if creature.side != side)
        viewers = enemies if self.viewers is None else self.viewers
        return (
            yield HidingAllowed(creature=self.creature, cn=self.cn, viewers=viewers, because=("HR-HIDE-1",))
        )


def check_no_combat(view: State) -> None:
    """Refuse to hide while combat runs."""
    check_at_rest(view, "creatures hide", "HR-HIDE-1")


@record
class HideFrame(Checking):
    """A creature hides, and checks how well."""

    kind: ClassVar[str] = "hiding"
    creature: str
    viewers: tuple[str, ...]
    checked: Checked | None = None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        viewers = self.viewers if self.checked.success else ()
        return (
            yield Hid(
                hiding=self.path, creature=self.creature, hidden_from=viewers, because=("HR-HIDE-1", "A-58")
            )
        )


@record
class HidingTried(Event[State]):
    """A creature hides."""

    type: ClassVar[str] = "hiding_tried"
    hiding: str
    creature: str

    def evolve(self, state: State) -> State:
        place = state.hiding_places[self.creature]
        state = changed(state, hiding_places=without_key(state.hiding_places, self.creature))
        return state.pushed(HideFrame(path=self.hiding, creature=self.creature, viewers=place.viewers))


@record
class Hid(Event[State]):
    """A creature is hidden from these; from nobody, if it failed."""

    type: ClassVar[str] = "hid"
    hiding: str
    creature: str
    hidden_from: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state.popped(self.hiding).with_creature(self.creature, hidden_from=self.hidden_from)


@enforces(HR_HIDE_1)
@record
class Hide(Command[State]):
    """Hide in a place that the GM has allowed, outside combat: a stealth check."""

    type: ClassVar[str] = "hide"
    creature: str

    def check(self, view: State) -> None:
        creature = own(view, self, self.creature)
        check_no_combat(view)
        check_able(creature, self.type, ())
        if self.creature not in view.hiding_places:
            raise Refused("gm_approval_required", f"the gm has shown {self.creature} no place to hide")

    def decide(self, state: State) -> Emits[State]:
        place = state.hiding_places[self.creature]
        path = f"r{state.round}/hide/{self.creature}-{state.rulings + 1}"
        state = yield HidingTried(hiding=path, creature=self.creature)
        return (
            yield CheckAsked(
                check=f"{path}/check",
                creature=self.creature,
                ability="agility",
                cn=place.cn,
                what="stealth",
                needs=("motion",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if awaited.creature in view.hiding_places and view.phase in ("setup", "ended"):
            yield Offer(type=cls.type, creature=awaited.creature)
