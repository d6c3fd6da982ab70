"""Resting: what rest and treatment heal of what a fight leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Command, Emits, Event, Refused, Sentence
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Count, CreatureId
from service.rules.rise import books
from service.rules.rise.body.effects import grapplers
from service.rules.rise.body.taking_damage import fall_or_wake
from service.rules.rise.body.vital_wounds import die_untreated
from service.rules.rise.creatures.character import VitalWound
from service.rules.rise.creatures.combat_statistics import GRAPPLED, dr_max, lose
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import gm
from service.rules.rise.creatures.state import State
from service.rules.rise.values import VitalWoundNumber

RI_REST_1: Final = Rule(
    "RI-REST-1",
    "A short rest restores hit points, resistance and health; a long one also a wound and fatigue.",
    books.MECHANICS.at("Resting"),
)
RI_VITAL_5: Final = Rule(
    "RI-VITAL-5",
    "Medicine keeps a mortal wound from killing; the wound itself goes with a long rest.",
    books.VITAL_WOUNDS.at("Removing Vital Wounds"),
)


@record
class Rested(Event[State]):
    """A creature rested."""

    type: ClassVar[str] = "rested"
    acts: ClassVar[bool] = True
    creature: CreatureId
    rest: Literal["short", "long"]
    """The length of the rest."""
    wound: Count | None = None
    """Which vital wound a long rest removes, counted from 0."""

    def evolve(self, state: State) -> State:
        removed = () if self.wound is None else (self.wound,)
        new = rested(state.creatures[self.creature], removed, long=self.rest == "long")
        return changed(state, creatures=with_key(state.creatures, self.creature, new))


def rested(creature: Creature, removed: Sequence[int], *, long: bool) -> Creature:
    """Return *creature* after a rest; a *long* one also ends fatigue and takes the wounds *removed*."""
    if long:
        left = tuple([wound for i, wound in enumerate(creature.wounds) if i not in removed])
        creature = changed(creature, fatigue=0, wounds=left)
    return changed(
        creature,
        hp=creature.sheet.hp_max,
        dr=dr_max(creature),
        depth=0,
        conditions=(),
        recovered=False,
        delayed=(),
    )


@record
class WoundTreated(Event[State]):
    """A mortal wound will not kill any more."""

    type: ClassVar[str] = "wound_treated"
    creature: CreatureId
    wound: VitalWoundNumber

    def evolve(self, state: State) -> State:
        wounds = list(state.creatures[self.creature].wounds)
        wounds[self.wound] = changed(wounds[self.wound], treated=True)
        return state.with_creature(self.creature, wounds=tuple(wounds))


@enforces(RI_REST_1)
@record
class Rest(Command[State]):
    """Let a creature rest, as the GM: a short rest, or a long one that also heals a wound."""

    type: ClassVar[str] = "rest"
    sentence: ClassVar[Sentence] = {
        "rest=short": "Rest for ten minutes",
        "rest=long": "Rest for a night",
        "": "Rest",
    }
    creature: CreatureId
    rest: Literal["short", "long"] = "short"
    """The length of the rest."""
    wound: Count | None = None
    """Which vital wound a long rest heals, counted from 0; its owner chooses."""

    def check(self, view: State) -> None:
        gm(self)
        found = _known(view, self.creature)
        if view.stage not in ("setup", "ended"):
            raise Refused("no_rest_in_combat", f"{self.creature} is in combat", RI_REST_1.id)
        if found.dead:
            raise Refused("actor_incapacitated", f"{self.creature} is dead", RI_REST_1.id)
        if self.wound is not None:
            _wound(found, self.wound)

    def decide(self, state: State) -> Emits[State]:
        state = yield from die_untreated(state, self.creature)
        if state.creatures[self.creature].dead:
            return state
        for other in grapplers(state.creatures[self.creature]):
            state = yield from lose(state, other, f"{GRAPPLED}@{self.creature}")
        state = yield Rested(creature=self.creature, rest=self.rest, wound=self.wound)
        return (yield from fall_or_wake(state, self.creature))


@enforces(RI_VITAL_5)
@record
class TreatWound(Command[State]):
    """Treat a mortal wound, as the GM, so that it does not kill."""

    type: ClassVar[str] = "treat_wound"
    creature: CreatureId
    wound: VitalWoundNumber

    def check(self, view: State) -> None:
        gm(self)
        found = _known(view, self.creature)
        if view.phase:
            raise Refused("wrong_phase", "wounds are treated between phases", "RI-PHASE-4")
        if _wound(found, self.wound).deadline is None:
            raise Refused(
                "invalid_target", f"wound {self.wound} of {self.creature} is not mortal", RI_VITAL_5.id
            )

    def decide(self, state: State) -> Emits[State]:
        return (yield WoundTreated(creature=self.creature, wound=self.wound))


def _known(view: State, creature: str) -> Creature:
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    return found


def _wound(creature: Creature, number: int) -> VitalWound:
    if number >= len(creature.wounds):
        raise Refused("invalid_target", f"{creature.id} has no wound {number}", "RI-VITAL-5")
    return creature.wounds[number]
