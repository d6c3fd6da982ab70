"""Put conditions on creatures and take them off: levels add up to five, fading ones wear away by the round.

Whatever brings a condition brings it through `gain`, so that fire burns, rage turns and broken bodies die
its cause. What conditions do to rolls is in `afflictions`, to acting in `incapacity`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.heartrush.creatures.bonds import BONDS, eased, untied
from service.rules.heartrush.harm.burning import burn
from service.rules.heartrush.harm.zero import Died
from service.rules.heartrush.state import Condition, Creature, State
from service.rules.messages import Emits, Event
from service.rules.records import changed, record, with_key, without_key
from service.rules.rulebook import rule

MOST_LEVELS: Final = 5
DEADLY_VULNERABILITY: Final = 4
FADING: Final = ("dazed", "weakened", "off_balanced", "shaken", "blinded", "slowed", "burning")
LEVELED: Final = (
    *FADING,
    "restrained",
    "poisoned",
    "vulnerable_physical",
    "vulnerable_mental",
    "confused",
    "frightened",
    "enraged",
    "charmed",
    "cover",
)
FLAGS: Final = (
    "stunned",
    "incapacitated",
    "suffocating",
    "crippled",
    "prone",
    "obscured",
    "highground",
    "creature_climber",
    "climbed_on",
    "grappling",
    "grappled",
)
"""Conditions without levels; `hidden` is stored by viewer (`hidden_from`), `unconscious` as the status."""

HINDERS: Final[Mapping[str, str]] = MappingProxyType(
    {"cunning": "dazed", "might": "weakened", "agility": "off_balanced", "presence": "shaken"}
)
"""The leveled condition that hinders rolls with each ability."""


@record
class ConditionGained(Event[State]):
    """A creature gains levels of a condition; what goes beyond the most a condition can have is wasted."""

    type: ClassVar[str] = "condition_gained"
    creature: str
    condition: str
    levels: int
    wasted: int = 0
    source: str | None = None

    def evolve(self, state: State) -> State:
        conditions = state.creatures[self.creature].conditions
        old = conditions.get(self.condition)
        level = (old.level if old else 0) + self.levels - self.wasted
        new = Condition(level=level, source=self.source, since_round=state.round)
        return state.with_creature(self.creature, conditions=with_key(conditions, self.condition, new))


@record
class ConditionEased(Event[State]):
    """A creature loses levels of a condition; at zero it is gone."""

    type: ClassVar[str] = "condition_eased"
    creature: str
    condition: str
    levels: int

    def evolve(self, state: State) -> State:
        conditions = state.creatures[self.creature].conditions
        return state.with_creature(self.creature, conditions=eased(conditions, self.condition, self.levels))


@record
class ConditionLost(Event[State]):
    """A condition no longer lies on a creature."""

    type: ClassVar[str] = "condition_lost"
    creature: str
    condition: str

    def evolve(self, state: State) -> State:
        if self.condition in BONDS:
            return untied(state, self.creature, self.condition)
        conditions = state.creatures[self.creature].conditions
        return state.with_creature(self.creature, conditions=without_key(conditions, self.condition))


@record
class ConditionsFaded(Event[State]):
    """Fading conditions lost a level each; what reached zero is gone."""

    type: ClassVar[str] = "conditions_faded"
    levels: Mapping[str, Mapping[str, int]]
    """Per creature, the levels left of each condition that faded."""

    def evolve(self, state: State) -> State:
        for creature, left in self.levels.items():
            state = state.with_creature(creature, conditions=_faded(state.creatures[creature], left))
        return state


def _faded(creature: Creature, left: Mapping[str, int]) -> Mapping[str, Condition]:
    kept = {}
    for name, condition in creature.conditions.items():
        level = left.get(name, condition.level)
        if level > 0:
            kept[name] = changed(condition, level=level)
    return kept


@rule("HR-COND-1", "edition, Conditions")
def gain(state: State, creature: str, condition: str, levels: int, source: str | None = None) -> Emits[State]:
    """Levels of a condition add up and stop at five; further ones are ignored."""
    if levels <= 0:
        return state
    if condition == "enraged":
        state = yield from turn_rage(state, creature, source)
    before = state.creatures[creature].level(condition)
    most = MOST_LEVELS if condition in LEVELED else 1
    wasted = max(0, before + levels - most)
    state = yield ConditionGained(
        creature=creature, condition=condition, levels=levels, wasted=wasted, source=source
    )
    if condition == "burning":
        return (yield from catch_fire(state, creature, levels))
    if condition.startswith("vulnerable_"):
        return (yield from break_down(state, creature, condition))
    return state


@rule("HR-COND-2", "edition, Conditions")
def fade(state: State) -> Emits[State]:
    """Fading conditions lose one level at the start of each round."""
    levels = {
        name: {key: c.level - 1 for key, c in creature.conditions.items() if not is_ongoing(key)}
        for name, creature in state.creatures.items()
        if creature.conditions and any(not is_ongoing(key) for key in creature.conditions)
    }
    return (yield ConditionsFaded(levels=levels)) if levels else state


@rule("HR-COND-3", "edition, Conditions")
def is_ongoing(condition: str) -> bool:
    """Ongoing conditions last until something ends them: no round wears them away."""
    return condition not in FADING


@rule("HR-COND-4", "edition, Conditions", settles=("A-35",))
def hindrance(state: State, creature: Creature, ability: str, *, ad: bool = True) -> int:
    """Dazed, weakened, off-balanced and shaken hamper rolls with their ability by their level."""
    if ad and not state.house.ability_conditions_affect_ad:
        return 0
    return creature.level(HINDERS[ability])


@rule("HR-COND-11", "edition, Conditions")
def slowed(creature: Creature, feet: int) -> int:
    """Slowed halves the speed once; further levels only make it last."""
    return feet // 2 if creature.has("slowed") else feet


@rule("HR-COND-12", "edition, Conditions")
def crippled(creature: Creature, feet: int) -> int:
    """Crippled leaves a speed of 5 ft."""
    return min(feet, 5) if creature.has("crippled") else feet


@rule("HR-COND-13", "edition, Conditions")
def break_down(state: State, creature: str, condition: str) -> Emits[State]:
    """Each level of vulnerability lets one more face bring complications; four levels are death."""
    found = state.creatures[creature]
    if found.level(condition) < DEADLY_VULNERABILITY or found.status == "dead":
        return state
    return (yield Died(creature=creature))


@rule("HR-COND-16", "edition, Conditions")
def turn_rage(state: State, creature: str, source: str | None) -> Emits[State]:
    """Rage hampers rolls on all but its source; an attack on it, another's taunt or an action ends it."""
    old = state.creatures[creature].conditions.get("enraged")
    if old is None or old.source == source:
        return state
    return (yield ConditionLost(creature=creature, condition="enraged"))


@rule("HR-COND-17", "edition, Conditions")
def end_charm(state: State, charmed: str, by: str) -> Emits[State]:
    """Charm shifts attitudes and helps its maker's presence checks until its maker does something hostile."""
    found = state.creatures[charmed].conditions.get("charmed")
    if found is None or found.source != by:
        return state
    return (yield ConditionLost(creature=charmed, condition="charmed"))


def vent(state: State, attacker: str, target: str) -> Emits[State]:
    """Tell what an attack roll ends: rage at its target, and the target's charm by its attacker."""
    found = state.creatures[attacker].conditions.get("enraged")
    if found is not None and found.source == target:
        state = yield ConditionLost(creature=attacker, condition="enraged", because=("HR-COND-16",))
    if state.creatures[target].conditions:
        return (yield from end_charm(state, target, attacker))
    return state


@rule("HR-COND-19", "edition, Conditions")
def catch_fire(state: State, creature: str, levels: int) -> Emits[State]:
    """Fire burns 1d6 a level at once and at each round's end; an action puts out half, water all of it."""
    return (yield from burn(state, creature, levels))
