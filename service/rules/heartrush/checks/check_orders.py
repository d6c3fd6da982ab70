"""Ask for checks and saves, choose after a natural 1, and say what a complication is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal, Protocol

from service.rules.heartrush.checks.afflictions import Needs
from service.rules.heartrush.checks.challenge import challenge_number
from service.rules.heartrush.checks.checks import Against, CheckAsked, CheckChosen, Leaning
from service.rules.heartrush.permission import answering_for, gm, own
from service.rules.heartrush.sheets.sheet import Ability
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Actor, Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record

CN_LIMIT: Final = 200
EDGE_LIMIT: Final = 20
TEXT_LENGTH: Final = 280


class _Order(Protocol):
    """What asking for a check and asking for a save have in common."""

    type: ClassVar[str]

    @property
    def by(self) -> Actor: ...
    @property
    def creature(self) -> str: ...
    @property
    def ability(self) -> Ability: ...
    @property
    def what(self) -> str: ...
    @property
    def cn(self) -> int | None: ...
    @property
    def against(self) -> Against | None: ...
    @property
    def advantage(self) -> int: ...
    @property
    def needs(self) -> tuple[Needs, ...]: ...


def check_order(view: State, order: _Order) -> None:
    """Refuse a check nobody can make, or one against nothing and against two things."""
    gm(order)
    found = view.creatures.get(order.creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {order.creature}", "TABLE-SEAT-1")
    if found.status == "dead":
        raise Refused("dead", f"{order.creature} is dead", "HR-ZERO-4")
    if order.against is not None and order.against.creature not in view.creatures:
        raise Refused("no_such_creature", f"there is no creature {order.against.creature}", "TABLE-SEAT-1")
    if (order.cn is None) == (order.against is None) or not 0 <= (order.cn or 0) <= CN_LIMIT:
        raise Refused("params_missing", f"a number from 0 to {CN_LIMIT}, or whose number it is", "HR-GEN-8")
    if abs(order.advantage) > EDGE_LIMIT:
        raise Refused("params_missing", f"at most {EDGE_LIMIT} levels either way", "HR-AD-3")
    if not 0 < len(order.what) <= TEXT_LENGTH:
        raise Refused("params_missing", f"say in 1 to {TEXT_LENGTH} characters what is tried", "HR-GEN-5")


def carry_order(state: State, order: _Order, *, save: bool) -> Emits[State]:
    """Tell that the GM asks for a check or a save."""
    against, leaning = order.against, Leaning(levels=order.advantage, what="the gm's word", rule="HR-SVC-1")
    cn = order.cn if against is None else challenge_number(state.creatures[against.creature], against.by)
    return (
        yield CheckAsked(
            check=f"r{state.round}/check-{state.rulings + 1}",
            creature=order.creature,
            ability=order.ability,
            cn=cn,
            what=order.what,
            save=save,
            leanings=(leaning,) if leaning.levels else (),
            needs=order.needs,
            against=against.creature if against else None,
            because=("HR-GEN-5", "HR-GEN-8") if against else ("HR-GEN-5",),
        )
    )


@record
class RollCheck(Command[State]):
    """Have a creature make a skill check against a number, or against another creature's challenge number."""

    type: ClassVar[str] = "roll_check"
    creature: str
    ability: Ability
    what: str
    cn: int | None = None
    against: Against | None = None
    advantage: int = 0
    """Levels of advantage; below zero, of disadvantage."""
    needs: tuple[Needs, ...] = ()
    """What it takes besides the ability, for what hampers that."""

    def check(self, view: State) -> None:
        check_order(view, self)

    def decide(self, state: State) -> Emits[State]:
        return (yield from carry_order(state, self, save=False))


@record
class RollSave(Command[State]):
    """Have a creature make a saving throw; natural 1s on it mean nothing."""

    type: ClassVar[str] = "roll_save"
    creature: str
    ability: Ability
    what: str
    cn: int | None = None
    against: Against | None = None
    advantage: int = 0
    """Levels of advantage; below zero, of disadvantage."""
    needs: tuple[Needs, ...] = ()
    """What it takes besides the ability, for what hampers that."""

    def check(self, view: State) -> None:
        check_order(view, self)

    def decide(self, state: State) -> Emits[State]:
        return (yield from carry_order(state, self, save=True))


@record
class ChooseCheck(Command[State]):
    """After a natural 1: fail the check, or reroll that die once and suffer a complication."""

    type: ClassVar[str] = "choose_check"
    creature: str
    prompt: str
    choice: Literal["fail", "reroll"]

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        return (
            yield CheckChosen(
                check=self.prompt, creature=self.creature, choice=self.choice, because=("HR-GEN-7",)
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type,
            creature=awaited.creature,
            prompt=awaited.prompt,
            choices={"choice": ("reroll", "fail")},
        )


@record
class ComplicationDescribed(Event[State]):
    """The GM said what a complication is."""

    type: ClassVar[str] = "complication_described"
    complication: str
    text: str

    def evolve(self, state: State) -> State:
        left = tuple(c for c in state.complications if c.id != self.complication)
        return changed(state, complications=left)


@record
class TellComplication(Command[State]):
    """Say what a complication is; its effects, if any, are a ruling of their own."""

    type: ClassVar[str] = "tell_complication"
    complication: str
    text: str

    def check(self, view: State) -> None:
        gm(self)
        if all(pending.id != self.complication for pending in view.complications):
            raise Refused("no_such_complication", f"{self.complication} is not pending", "HR-GEN-7")
        if not 0 < len(self.text) <= TEXT_LENGTH:
            raise Refused("params_missing", f"1 to {TEXT_LENGTH} characters", "HR-GEN-7")

    def decide(self, state: State) -> Emits[State]:
        return (
            yield ComplicationDescribed(complication=self.complication, text=self.text, because=("HR-GEN-7",))
        )
