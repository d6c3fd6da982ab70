"""Put conditions on creatures and take them off: levels add up to five, fading ones wear away by the round.

`CONDITIONS` has a record for each condition, with everything that it does by itself. Whatever brings a
condition brings it through `gain`, so that fire burns, rage turns and broken bodies die its cause. What
conditions do to rolls besides is in `rolls`, to acting in `permission`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.damage import burn
from service.rules.heartrush.body.wounds import Died
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import BONDS, FEELINGS, HR_COND_31, eased, untied
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import MOST_LEVELS, ComesFrom, HoldHands
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Code,
    ConditionName,
    Count,
    CreatureId,
    Label,
    Levels,
    Seconds,
)

HR_COND_1: Final = Rule(
    "HR-COND-1",
    "Levels of a condition add up and stop at five; further ones are ignored.",
    books.CONDITIONS.at("Leveled"),
)
HR_COND_2: Final = Rule(
    "HR-COND-2", "Fading conditions lose one level at the start of each round.", books.CONDITIONS.at("Fading")
)
HR_COND_3: Final = Rule(
    "HR-COND-3",
    "Ongoing conditions last until something ends them: no round wears them away.",
    books.CONDITIONS.at("Ongoing"),
)
HR_COND_4: Final = Rule(
    "HR-COND-4",
    "Dazed, weakened, off-balanced and shaken hamper rolls with their ability by their level.",
    books.CONDITIONS.at("Physical Conditions"),
    settles=("A-35",),
)
HR_COND_11: Final = Rule(
    "HR-COND-11",
    "Slowed halves the speed once; further levels only make it last longer.",
    books.CONDITIONS.at("Slowed"),
)
HR_COND_12: Final = Rule("HR-COND-12", "Crippled leaves a speed of 5 ft.", books.CONDITIONS.at("Crippled"))
HR_COND_13: Final = Rule(
    "HR-COND-13",
    "Each level of vulnerability lets one more face bring complications; four levels are death.",
    books.CONDITIONS.at("Vulnerability"),
)
HR_COND_16: Final = Rule(
    "HR-COND-16",
    "Rage hampers rolls on all but its source; an attack on it, another's taunt or an action ends it.",
    books.CONDITIONS.at("Enraged"),
)
HR_COND_17: Final = Rule(
    "HR-COND-17",
    "Charm shifts attitudes and helps its maker's presence checks until its maker does something hostile.",
    books.CONDITIONS.at("Charmed"),
)


HR_COND_27: Final = Rule(
    "HR-COND-27",
    "While no combat runs fading conditions lose a level for each round's time, but not a bad night's.",
    RULING,
    settles=("A-68",),
    left_open="no book says when a condition that fades by the round fades outside rounds",
)


HR_COND_29: Final = Rule(
    "HR-COND-29",
    "A condition that is laid for a time ends when the campaign clock has passed it.",
    RULING,
    left_open="the books lay conditions until something ends them, and have none by the clock",
)


SLEEPLESS: Final = ("weakened", "off_balanced", "dazed")
"""What a bad night brings until a good one, two faces of a d6 each, in this order."""
DEADLY_VULNERABILITY: Final = 4


@record
class ConditionGained(Event[State]):
    """A creature gains levels of a condition; what goes beyond the most a condition can have is wasted."""

    type: ClassVar[str] = "condition_gained"
    creature: CreatureId
    condition: ConditionName
    levels: Levels
    wasted: Count = 0
    """The levels beyond the greatest, which have no effect."""
    source: ComesFrom | None = None
    until_s: Seconds | None = None
    """The campaign second at which it ends by itself."""
    hands: HoldHands = 0

    def evolve(self, state: State) -> State:
        conditions = state.creatures[self.creature].conditions
        old = conditions.get(self.condition)
        level = (old.level if old else 0) + self.levels - self.wasted
        new = Condition(
            level=level,
            source=self.source,
            since=old.since if old else state.round,
            until_s=_later(old, self.until_s),
            hands=self.hands,
        )
        return state.with_creature(self.creature, conditions=with_key(conditions, self.condition, new))


def _later(old: Condition | None, until_s: int | None) -> int | None:
    """Return until when a condition lasts that is laid over *old*: the longer of the two."""
    if old is None or until_s is None:
        return until_s
    return None if old.until_s is None else max(old.until_s, until_s)


@record
class ConditionEased(Event[State]):
    """A creature loses levels of a condition; at zero it is gone."""

    type: ClassVar[str] = "condition_eased"
    creature: CreatureId
    condition: ConditionName
    levels: Levels

    def evolve(self, state: State) -> State:
        conditions = state.creatures[self.creature].conditions
        return state.with_creature(self.creature, conditions=eased(conditions, self.condition, self.levels))


@record
class ConditionLost(Event[State]):
    """A condition no longer affects a creature."""

    type: ClassVar[str] = "condition_lost"
    creature: CreatureId
    condition: ConditionName

    def evolve(self, state: State) -> State:
        if self.condition in BONDS:
            return untied(state, self.creature, self.condition)
        conditions = state.creatures[self.creature].conditions
        return state.with_creature(self.creature, conditions=without_key(conditions, self.condition))


@record
class ConditionsFaded(Event[State]):
    """Fading conditions lost a level each; what reached zero is gone."""

    type: ClassVar[str] = "conditions_faded"
    levels: Mapping[CreatureId, Mapping[ConditionName, Levels]]
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


@enforces(HR_COND_1)
def gain(
    state: State,
    creature: str,
    condition: str,
    levels: int,
    source: str | None = None,
    *,
    lasts_s: int | None = None,
    hands: int = 0,
) -> Emits[State]:
    """Emit *levels* of a condition for *creature*, up to its most, with what the gain brings.

    It ends by itself after *lasts_s* seconds, if they are given.
    """
    if levels <= 0 or is_about_nobody(state, condition, source):
        return state
    kind = kind_of(condition)
    if kind.before_gain is not None:
        state = yield from kind.before_gain(state, creature, source)
    before = state.creatures[creature].level(condition)
    wasted = max(0, before + levels - kind.levels)
    gained = ConditionGained(
        creature=creature,
        condition=condition,
        levels=levels,
        wasted=wasted,
        source=source,
        until_s=None if lasts_s is None else state.clock_s + lasts_s,
        hands=hands,
    )
    state = yield gained
    return state if kind.on_gain is None else (yield from kind.on_gain(state, gained))


@enforces(HR_COND_31)
def is_about_nobody(state: State, condition: str, source: str | None) -> bool:
    """Return whether *condition* would be about a creature that has died or left before it is laid."""
    about = state.creatures.get(source) if source is not None and condition in FEELINGS else None
    return about is not None and not about.is_present


@enforces(HR_COND_2)
def fade(state: State) -> Emits[State]:
    """Emit the loss of one level of each fading condition; nothing if there is none."""
    levels = {
        name: {key: c.level - 1 for key, c in creature.conditions.items() if not is_ongoing(key)}
        for name, creature in state.creatures.items()
        if creature.conditions and any(not is_ongoing(key) for key in creature.conditions)
    }
    return (yield ConditionsFaded(levels=levels)) if levels else state


@enforces(HR_COND_27)
def fade_with_time(state: State, seconds: int, creatures: Iterable[str]) -> Emits[State]:
    """Emit what *seconds* outside combat take off the fading conditions of *creatures*."""
    rounds = seconds // state.house.round_seconds
    levels = {}
    for name in creatures:
        found = state.creatures[name]
        fading = {key: c.level for key, c in found.conditions.items() if not is_ongoing(key)}
        if found.failed_nights:
            fading = {key: level for key, level in fading.items() if key not in SLEEPLESS}
        if fading and rounds:
            levels[name] = {key: max(0, level - rounds) for key, level in fading.items()}
    return (yield ConditionsFaded(levels=levels)) if levels else state


@enforces(HR_COND_29)
def run_out(state: State) -> Emits[State]:
    """Emit the end of each condition whose time is over."""
    for name, creature in state.creatures.items():
        for key, found in creature.conditions.items():
            if found.until_s is not None and found.until_s <= state.clock_s:
                state = yield ConditionLost(creature=name, condition=key)
    return state


@enforces(HR_COND_3)
def is_ongoing(condition: str) -> bool:
    """Return whether *condition* lasts until something ends it."""
    return not kind_of(condition).fades


@enforces(HR_COND_4)
def hindrance(state: State, creature: Creature, ability: str, *, ad: bool = True) -> int:
    """Return the levels by which conditions hinder a roll of *creature* with *ability*."""
    if ad and not state.house.ability_conditions_affect_ad:
        return 0
    return creature.level(_HINDERING[ability])


@enforces(HR_COND_11)
def slowed(creature: Creature, feet: int) -> int:
    """Return *feet* of speed after the condition slowed."""
    return feet // 2 if creature.has("slowed") else feet


@enforces(HR_COND_12)
def crippled(creature: Creature, feet: int) -> int:
    """Return *feet* of speed after the condition crippled."""
    return min(feet, 5) if creature.has("crippled") else feet


@enforces(HR_COND_13)
def break_down(state: State, gained: ConditionGained) -> Emits[State]:
    """Emit the death of a creature that reached the deadly level of vulnerability; nothing below that."""
    found = state.creatures[gained.creature]
    if found.level(gained.condition) < DEADLY_VULNERABILITY or found.status == "dead":
        return state
    return (yield Died(creature=gained.creature))


@enforces(HR_COND_16)
def turn_rage(state: State, creature: str, source: str | None) -> Emits[State]:
    """Emit the end of an older rage of *creature* with another source than *source*, if it has one."""
    old = state.creatures[creature].conditions.get("enraged")
    if old is None or old.source == source:
        return state
    return (yield ConditionLost(creature=creature, condition="enraged"))


@enforces(HR_COND_17)
def end_charm(state: State, charmed: str, by: str) -> Emits[State]:
    """Emit the end of a charm on *charmed* that *by* made; nothing if there is none."""
    found = state.creatures[charmed].conditions.get("charmed")
    if found is None or found.source != by:
        return state
    return (yield ConditionLost(creature=charmed, condition="charmed"))


def vent(state: State, attacker: str, target: str) -> Emits[State]:
    """Emit what an attack roll ends: rage at its target, and the target's charm by its attacker."""
    found = state.creatures[attacker].conditions.get("enraged")
    if found is not None and found.source == target:
        state = yield ConditionLost(creature=attacker, condition="enraged", because=("HR-COND-16",))
    if state.creatures[target].conditions:
        return (yield from end_charm(state, target, attacker))
    return state


def catch_fire(state: State, gained: ConditionGained) -> Emits[State]:
    """Emit the burning that catching fire brings at once."""
    counted = gained.levels - gained.wasted
    return (yield from burn(state, gained.creature, counted)) if counted > 0 else state


# --- all of them ----------------------------------------------------------------------------------


@record
class ConditionKind:
    """A condition of the book: its levels, how it ends, and what it does by itself."""

    name: Label
    rules: tuple[str, ...] = ()
    """The ids of the rules that say what it does."""
    levels: Levels = 1
    """The most levels that it can have; 1 if it has none."""
    fades: bool = False
    """Whether it loses a level at the start of each round."""
    hinders: Code | None = None
    """The ability whose rolls it hampers by its level."""
    speed: Callable[[Creature, int], int] | None = None
    """Returns the speed in feet that it leaves a creature of a speed in feet."""
    before_gain: Callable[[State, str, str | None], Emits[State]] | None = None
    """Emits what comes before a creature gains it from a source."""
    on_gain: Callable[[State, ConditionGained], Emits[State]] | None = None
    """Emits what follows when levels of it are gained."""
    of_somebody: bool = False
    """Whether it means nothing without the creature that makes it, or is the other end of it."""
    lifted_by: tuple[str, ...] = ()
    """The commands that end it, where it does not fade; none: it is laid for a time, or the GM ends it."""


_KINDS: Final = (
    ConditionKind(name="dazed", rules=("HR-COND-4",), levels=MOST_LEVELS, fades=True, hinders="cunning"),
    ConditionKind(name="weakened", rules=("HR-COND-4",), levels=MOST_LEVELS, fades=True, hinders="might"),
    ConditionKind(
        name="off_balanced", rules=("HR-COND-4",), levels=MOST_LEVELS, fades=True, hinders="agility"
    ),
    ConditionKind(name="shaken", rules=("HR-COND-4",), levels=MOST_LEVELS, fades=True, hinders="presence"),
    ConditionKind(name="restrained", rules=("HR-COND-5",), levels=MOST_LEVELS),
    ConditionKind(name="stunned", rules=("HR-COND-6",)),
    ConditionKind(name="incapacitated", rules=("HR-COND-7",)),
    ConditionKind(name="poisoned", rules=("HR-COND-8",), levels=MOST_LEVELS),
    ConditionKind(name="blinded", rules=("HR-COND-9",), levels=MOST_LEVELS, fades=True),
    ConditionKind(name="suffocating", rules=("HR-COND-10",), lifted_by=("breathe",)),
    ConditionKind(name="slowed", rules=("HR-COND-11",), levels=MOST_LEVELS, fades=True, speed=slowed),
    ConditionKind(name="crippled", rules=("HR-COND-12",), speed=crippled),
    ConditionKind(name="vulnerable_physical", rules=("HR-COND-13",), levels=MOST_LEVELS, on_gain=break_down),
    ConditionKind(name="vulnerable_mental", rules=("HR-COND-13",), levels=MOST_LEVELS, on_gain=break_down),
    ConditionKind(name="confused", rules=("HR-COND-14",), levels=MOST_LEVELS, lifted_by=("help",)),
    ConditionKind(
        name="frightened", rules=("HR-COND-15",), levels=MOST_LEVELS, of_somebody=True, lifted_by=("steady",)
    ),
    ConditionKind(
        name="enraged",
        rules=("HR-COND-16",),
        levels=MOST_LEVELS,
        before_gain=turn_rage,
        of_somebody=True,
        lifted_by=("steady", "declare_attack"),
    ),
    ConditionKind(
        name="charmed",
        rules=("HR-COND-17",),
        levels=MOST_LEVELS,
        of_somebody=True,
        lifted_by=("declare_attack",),
    ),
    ConditionKind(name="prone", rules=("HR-COND-18", "HR-MOVE-5"), lifted_by=("dash", "sidestep")),
    ConditionKind(name="burning", rules=("HR-COND-19",), levels=MOST_LEVELS, fades=True, on_gain=catch_fire),
    ConditionKind(name="cover", rules=("HR-COVER-1",), levels=MOST_LEVELS),
    ConditionKind(name="obscured", rules=("HR-COND-20",)),
    ConditionKind(name="highground", rules=("HR-COND-22",)),
    ConditionKind(
        name="creature_climber",
        rules=("HR-COND-23", "HR-CLIMB-2"),
        of_somebody=True,
        lifted_by=("dash", "sidestep", "shake_off"),
    ),
    ConditionKind(
        name="climbed_on", rules=("HR-COND-23", "HR-CLIMB-2"), of_somebody=True, lifted_by=("shake_off",)
    ),
    ConditionKind(
        name="grappling", rules=("HR-COND-24", "HR-GRAP-8"), of_somebody=True, lifted_by=("let_go",)
    ),
    ConditionKind(
        name="grappled",
        rules=("HR-COND-25", "HR-GRAP-7", "HR-GRAP-8"),
        of_somebody=True,
        lifted_by=("break_free",),
    ),
)

CONDITIONS: Final[Mapping[str, ConditionKind]] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""Every condition by name; `hidden` is stored by viewer (`hidden_from`), `unconscious` as the status."""

_HINDERING: Final = MappingProxyType({kind.hinders: kind.name for kind in _KINDS if kind.hinders})

SPEEDS: Final = tuple(kind.speed for kind in _KINDS if kind.speed is not None)
"""What conditions do to a speed, one after the other."""


def kind_of(condition: str) -> ConditionKind:
    """Return the kind of *condition*; one that the GM has named does nothing by itself and has no levels."""
    return CONDITIONS.get(condition) or ConditionKind(name=condition)
