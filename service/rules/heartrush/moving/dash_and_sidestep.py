"""Dash as far as the speed goes, or sidestep five careful feet, provoking nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, careful_price, free_first_price, winded
from service.rules.heartrush.body.conditions import ConditionLost
from service.rules.heartrush.body.lasting import having
from service.rules.heartrush.body.permission import acting, answering_for, taking_action
from service.rules.heartrush.body.weapons import check_ranged_move, leaves_no_step
from service.rules.heartrush.creatures.abilities import MoreSidesteps
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.movement import (
    foreseen,
    walk,
)
from service.rules.heartrush.moving.paths import (
    allowance,
    approaches,
    check_barred,
    check_can_move,
    check_move_after_casting,
    check_path,
    climb_cn,
    ends_of,
    is_in_the_way,
    is_walled,
    left_after_casting,
    left_this_round,
    may_stop,
    speed,
    way_within,
)
from service.rules.heartrush.timing.engagement import EngagementFrame
from service.rules.heartrush.timing.windows import Deed, Said, declared
from service.rules.heartrush.values import EndCell, EngagementId, StandsUp, WalkedCells
from service.rules.kernel.messages import (
    Awaited,
    Command,
    Emits,
    Event,
    Offer,
    Refused,
    Sentence,
    Way,
)
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.sealed import view
from service.rules.kernel.values import CreatureId, PromptId
from service.rules.space.compact import Cells
from service.rules.space.grid import FEET, STEPS, Cell, is_step

# --- the dash ------------------------------------------------------------------------------------------

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
    sentence: ClassVar[str] = "Dash[ to {to}][{stand}, standing up first]"
    creature: CreatureId
    path: WalkedCells | None = None
    to: EndCell | None = None
    stand: StandsUp = False

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "dash")
        free_first_price(view, creature, "dash")
        check_can_dash(creature)
        if self.stand and not creature.has("prone"):
            raise Refused("not_prone", f"{self.creature} stands already", HR_ACT_8.id)
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
            raise Refused("params_missing", "give either path or to", HR_ACT_8.id)
        if self.path is not None:
            if not self.path and not self.stand:
                raise Refused("params_missing", "a path has at least one cell", HR_ACT_8.id)
            return self.path
        assert self.to is not None
        if self.to == state.creatures[self.creature].position:
            raise Refused("params_missing", "a path has at least one cell", HR_ACT_8.id)
        creature, most = state.creatures[self.creature], self.budget(state)
        found = way_within(state, creature, self.to, left_this_round(creature, most))
        if found is None:  # so far it would lead, but for a shot or a spell
            found = way_within(state, creature, self.to, most)
        if found is None:
            cell = f"{self.to[0]},{self.to[1]}"
            if others := [each.id for each in state.standing_at(self.to) if each.id != self.creature]:
                raise Refused(
                    "space_occupied", f"{others[0]} stands at {cell}; choose a free cell", HR_ACT_8.id
                )
            if approaches(state, creature, creature.position, self.to):
                detail = f"{creature.id} fears what {cell} is nearer to"
                raise Refused("frightened_approach", detail, "HR-COND-15")
            raise Refused(
                "insufficient_movement",
                f"{cell} is not within reach of a dash: {most} ft at most",
                HR_ACT_8.id,
            )
        return found

    def foresee(self, view: State) -> Way:
        return foreseen(view, self.creature, self.cells(view), stand=self.stand)

    def decide(self, state: State) -> Emits[State]:
        path = self.cells(view(state, self.by.seat))  # a GM-only speed refuses nothing
        paid = free_first_price(state, state.creatures[self.creature], "dash")
        state = yield AbilityUsed(creature=self.creature, ability="dash", paid=paid)
        return (
            yield from declared(state, DashDeed(), self.creature, paid, Said(path=path, stand=self.stand))
        )

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does, now that its turn has come."""
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
    return ends_of(view, creature, left_this_round(creature, budget))


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
        budget = left_this_round(creature, allowance(creature, stand=said.stand))
        check_path(state, creature, said.path, budget)

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Dash.done(state, creature, said))


# --- the sidestep --------------------------------------------------------------------------------------
# Five careful feet, or up from prone, provoking nobody; free once in the agility stance.

HR_ACT_7: Final = Rule(
    "HR-ACT-7",
    "Move 5 ft or stand up from prone; this provokes no opportunity attacks.",
    books.COMBAT.at("Sidestep"),
)


@record
class SidestepTaken(Event[State]):
    """A mover in agility uses its free sidestep."""

    type: ClassVar[str] = "sidestep_taken"
    engagement: EngagementId
    creature: CreatureId
    stand: bool = False
    """Whether it stands up, which counts at once."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        if self.stand:
            frame = changed(frame, snapshot=with_upright(frame.snapshot, self.creature))
        taken = (*frame.sidestepped, self.creature)
        last = taken.count(self.creature) >= sidesteps_of(state, state.creatures[self.creature])
        return winded(state.put(changed(frame, sidestepped=taken, moved=last)), self.creature, "sidestep")


def with_upright(snapshot: Mapping[str, Creature], creature: str) -> Mapping[str, Creature]:
    """Return *snapshot* with *creature* on its feet: that counts at once, as a sidestep does for reach."""
    seen = snapshot.get(creature)
    if seen is None:
        return snapshot
    return with_key(snapshot, creature, changed(seen, conditions=without_key(seen.conditions, "prone")))


def sidesteps_of(state: State, creature: Creature) -> int:
    """Return how many free sidesteps the agility stance gives *creature*: one, and what abilities add."""
    return 1 + sum(more.extra for more, _ in having(state, creature, MoreSidesteps))


@enforces(HR_ACT_7)
@record
class Sidestep(Command[State]):
    """Move 5 ft or stand up from prone, without an opportunity attack.

    Outside engagements it costs the action or a rush point; in agility one is free: answer its prompt.
    """

    type: ClassVar[str] = "sidestep"
    sentence: ClassVar[Sentence] = {
        "stand=True": "Stand up",
        "pay=action": "Sidestep[ to {to}], for the action",
        "pay=rush": "Sidestep[ to {to}], for a rush point",
        "": "Sidestep[ to {to}]",
    }
    creature: CreatureId
    to: EndCell | None = None
    stand: StandsUp = False
    pay: Literal["action", "rush"] | None = None
    """What pays for it: an action or rush; null if the rules choose."""
    prompt: PromptId | None = None

    def check(self, view: State) -> None:
        if self.prompt is not None:
            creature = acting(view, self, self.creature)
            answering_for(view, self, self.creature, late="sidestep_already_used")
        else:
            creature = taking_action(view, self, self.creature, "sidestep")
            careful_price(view, creature, self.pay)
        check_sidestep(view, creature, self.to, stand=self.stand)

    def foresee(self, view: State) -> Way | None:
        if self.to is None:
            return None
        return foreseen(view, self.creature, (self.to,), how="sidestep")

    def decide(self, state: State) -> Emits[State]:
        if self.prompt is None:
            paid = careful_price(state, state.creatures[self.creature], self.pay)
            state = yield AbilityUsed(creature=self.creature, ability="sidestep", paid=paid)
            said = Said(to=self.to, stand=self.stand)
            return (yield from declared(state, SidestepDeed(), self.creature, paid, said))
        path = self.prompt.partition("/sidestep/")[0]
        because = ("HR-STANCE-AGI-2", "HR-RES-4") if self.stand else ("HR-STANCE-AGI-2",)
        state = yield SidestepTaken(
            engagement=path, creature=self.creature, stand=self.stand, because=because
        )
        return (yield from sidestep(state, self.creature, self.to))

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does, now that its turn has come."""
        return (yield from sidestep(state, creature, said.to))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        prompt = awaited.prompt if "decline_sidestep" in awaited.accepts else None
        try:
            if prompt is None:
                careful_price(view, creature, None)
            check_can_move(creature)
        except Refused:
            return
        pays = tuple(p for p, left in (("action", creature.action), ("rush", creature.rush)) if left)
        choices: dict[str, tuple[object, ...]] = {} if prompt or view.paused() else {"pay": pays}
        steps = sidesteps(view, creature)
        if steps:
            yield Offer(type=cls.type, creature=creature.id, prompt=prompt, choices={**choices, "to": steps})
        if creature.has("prone") and not creature.has("grappling"):
            yield Offer(
                type=cls.type, creature=creature.id, prompt=prompt, given={"stand": True}, choices=choices
            )


def sidesteps(view: State, creature: Creature) -> tuple[Cell, ...]:
    """Return the neighbouring cells *creature* could sidestep to."""
    x, y = creature.position
    if leaves_no_step(creature, speed(creature)) or left_after_casting(creature, FEET) < FEET:
        return ()
    around = ((x + dx, y + dy) for dx, dy in STEPS)
    return tuple(
        cell for cell in around if may_stop(view, creature, cell) and not _barred(view, creature, cell)
    )


def _barred(view: State, creature: Creature, to: Cell) -> bool:
    """Return whether fear, a wall, a ledge or a climb keeps *creature* from a careful step."""
    at = creature.position
    if is_in_the_way(view, creature, at, to) or climb_cn(view, creature, at, to):
        return True
    return approaches(view, creature, at, to)


def check_sidestep(view: State, creature: Creature, to: Cell | None, *, stand: bool) -> None:
    """Refuse a sidestep that is neither one free step nor a standing up."""
    check_can_move(creature)
    if (to is None) == (not stand):
        raise Refused("params_missing", "give either to or stand")
    if stand and not creature.has("prone"):
        raise Refused("not_prone", f"{creature.id} stands already")
    if stand and creature.has("grappling"):
        raise Refused("grappling", f"{creature.id} holds somebody and cannot stand up", "HR-COND-24")
    if to is None:
        return
    check_ranged_move(creature, speed(creature), FEET)
    check_move_after_casting(creature, FEET)
    if not is_step(creature.position, to):
        raise Refused("blocked", f"{to} is not one step away")
    if is_walled(view, creature, to):
        raise Refused("blocked", f"there is a wall at {to}")
    check_barred(view, creature, creature.position, to)
    if not may_stop(view, creature, to):
        raise Refused("space_occupied", f"{to} is occupied")
    if approaches(view, creature, creature.position, to):
        raise Refused("frightened_approach", f"{creature.id} fears what {to} is nearer to", "HR-COND-15")
    if climb_cn(view, creature, creature.position, to):
        raise Refused("blocked", f"{to} has to be climbed, in a dash", "HR-ENV-6")


def sidestep(state: State, creature: str, to: Cell | None) -> Emits[State]:
    """Emit a sidestep, or standing up by one."""
    if to is None:
        return (yield ConditionLost(creature=creature, condition="prone"))
    return (yield from walk(state, creature, (to,), how="sidestep"))


class SidestepDeed(Deed):
    """What a sidestep does once nobody answers it any more."""

    name = "sidestep"

    def check(self, state: State, creature: Creature, said: Said) -> None:
        check_sidestep(state, creature, said.to, stand=said.stand)

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Sidestep.done(state, creature, said))
