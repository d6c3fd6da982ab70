"""Dash: the command, its checks, and where it may lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.weapons import check_ranged_move
from service.rules.heartrush.means.actions import AbilityUsed, free_first_price
from service.rules.heartrush.movement.movement import walk
from service.rules.heartrush.permission import taking_action
from service.rules.heartrush.space.pace import (
    allowance,
    check_can_move,
    check_move_after_casting,
    left_after_casting,
    speed,
)
from service.rules.heartrush.space.paths import check_path, ends_of, way_within
from service.rules.heartrush.state import Creature, State
from service.rules.heartrush.windows.deeds import Deed, Said, declared
from service.rules.kernel.messages import Awaited, Command, Emits, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.sealed import view
from service.rules.space.compact import Cells
from service.rules.space.grid import Cell

HR_ACT_8: Final = Rule(
    "HR-ACT-8",
    "Move up to the move speed: 60 ft before equipment; what is not walked is lost.",
    books.COMBAT.at("Dash"),
)


@enforces(HR_ACT_8)
@record
class Dash(Command[State]):
    """Move up to the move speed of the creature: 60 ft before equipment.

    Give `path`, the cells in order, or `to`, and the cheapest path is taken. A prone creature crawls, or
    stands up first with `stand`.
    """

    type: ClassVar[str] = "dash"
    creature: str
    path: tuple[tuple[int, int], ...] | None = None
    to: tuple[int, int] | None = None
    stand: bool = False

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "dash")
        free_first_price(view, creature, "dash")
        check_can_dash(creature)
        if self.stand and not creature.has("prone"):
            raise Refused("not_prone", f"{self.creature} stands already")
        feet = check_path(view, creature, self.cells(view), self.budget(view))
        check_ranged_move(creature, speed(creature), feet)
        check_move_after_casting(creature, feet)

    def budget(self, state: State) -> int:
        """Return the feet this dash may take."""
        return allowance(state.creatures[self.creature], stand=self.stand)

    def cells(self, state: State) -> tuple[Cell, ...]:
        """Return the path given, or the cheapest one to the cell given."""
        if (self.path is None) == (self.to is None):
            if self.stand and self.path is None:
                return ()
            raise Refused("params_missing", "give either path or to")
        if self.path is not None:
            if not self.path and not self.stand:
                raise Refused("params_missing", "a path has at least one cell")
            return self.path
        assert self.to is not None
        if self.to == state.creatures[self.creature].position:
            raise Refused("params_missing", "a path has at least one cell")
        most = self.budget(state)
        found = way_within(state, state.creatures[self.creature], self.to, most)
        if found is None:
            cell = f"{self.to[0]},{self.to[1]}"
            raise Refused("insufficient_movement", f"{cell} is not within reach of a dash: {most} ft at most")
        return found

    def decide(self, state: State) -> Emits[State]:
        path = self.cells(view(state, self.by.seat))  # a GM-only speed refuses nothing
        paid = free_first_price(state, state.creatures[self.creature], "dash")
        state = yield AbilityUsed(creature=self.creature, ability="dash", paid=paid)
        return (
            yield from declared(state, DashDeed(), self.creature, paid, Said(path=path, stand=self.stand))
        )

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does, now that its turn has come."""
        return (yield from walk(state, creature, said.path, stand=said.stand))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        try:
            free_first_price(view, creature, "dash")
            check_can_dash(creature)
        except Refused:
            return
        for stand in (False, True) if creature.has("prone") else (False,):
            goals = _goals(view, creature, allowance(creature, stand=stand))
            given = {"stand": True} if stand else {}
            if goals:
                yield Offer(type=cls.type, creature=creature.id, given=given, choices={"to": goals})
            if stand:
                yield Offer(type=cls.type, creature=creature.id, given=given)


def _goals(view: State, creature: Creature, budget: int) -> Cells:
    """Return where a dash may end: reachable, with room, and within what a shot leaves."""
    cap = speed(creature) // 2 - creature.moved_ft if creature.ranged_stance_taken else budget
    return ends_of(view, creature, min(budget, max(0, cap), left_after_casting(creature, budget)))


def check_can_dash(creature: Creature) -> None:
    """Refuse a dash without speed, with a captive, or after using a reach weapon's reach this round."""
    check_can_move(creature)
    if creature.has("grappling"):
        raise Refused("grappling", f"{creature.id} holds somebody", "HR-COND-24")
    if creature.used_reach:
        raise Refused("reach_dashed", f"{creature.id} used its reach this round", "HR-WPN-3")


class DashDeed(Deed):
    """What a dash does once nobody answers it any more."""

    name = "dash"
    is_secret = True

    def check(self, state: State, creature: Creature, said: Said) -> None:
        if said.stand and not creature.has("prone"):
            raise Refused("not_prone", f"{creature.id} stands already")
        check_can_dash(creature)
        check_path(state, creature, said.path, allowance(creature, stand=said.stand))

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Dash.done(state, creature, said))
