"""Vital wounds: when they are taken, what they do, and when they kill."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final, TypeAlias

from service.dice.values import Roll, Term
from service.rules.kernel.messages import TABLE, Emits, Event, Fact
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Count, CreatureId
from service.rules.rise import books
from service.rules.rise.creatures.character import VitalWound
from service.rules.rise.creatures.combat_statistics import dr_max
from service.rules.rise.creatures.creature import WOUND_STEP, Creature
from service.rules.rise.creatures.state import State
from service.rules.rise.values import CausedBy
from service.rules.rolls.chance import Chance, PoolDie

# --- vital wounds --------------------------------------------------------------------------------------
# When hit points fall below zero, how the roll is made, what it does, when it kills. A roll belongs to its
# creature: stream, phase and number name it, so a wound that its own group has already rolled keeps its die
# when everything becomes true, and no order of groups moves it.

RI_VITAL_1: Final = Rule(
    "RI-VITAL-1",
    "Below zero one vital wound is due, and one more for each whole maximum of hit points beyond.",
    books.TAKING_DAMAGE.at("Negative Hit Points"),
    settles=("C-33",),
)
RI_VITAL_6: Final = Rule(
    "RI-VITAL-6",
    "Several wounds at once are rolled one after the other, each counting those before it.",
    books.VITAL_WOUNDS.at("Vital Rolls"),
    settles=("C-32",),
)
RI_VITAL_2: Final = Rule(
    "RI-VITAL-2",
    "A vital roll is a d10, less 2 for each wound already carried; nothing else changes it.",
    books.VITAL_WOUNDS.at("Vital Rolls"),
)
RI_VITAL_8: Final = Rule(
    "RI-VITAL-8",
    "The k-th wound of a creature in a phase takes the k-th die of its own stream, wherever it is rolled.",
    RULING,
)
RI_VITAL_3: Final = Rule(
    "RI-VITAL-3",
    "The result says what the wound does: from nothing at 10 over lost numbers to dying, and death at -6.",
    (books.VITAL_WOUNDS.at("Vital Rolls"), books.CODEX_COMBAT),
    settles=("C-42",),
)
RI_VITAL_7: Final = Rule(
    "RI-VITAL-7",
    "Dying takes a minute: untreated it ends with the tenth round after the wound.",
    books.RUNNING.at("Narrative Pacing"),
    settles=("C-34",),
)
RI_VITAL_4: Final = Rule(
    "RI-VITAL-4",
    "A wound does what it does until it is removed; an untreated mortal one kills when its time is up.",
    books.VITAL_WOUNDS,
)


Wounded: TypeAlias = Generator[Fact[State], State, State]
DEADLY = -6
DYING = 0
MINUTE = 10
"""Rounds in a minute."""


@record
class VitalWoundTaken(Event[State]):
    """A creature took a vital wound."""

    type: ClassVar[str] = "vital_wound_taken"
    creature: CreatureId
    wound: VitalWound
    """The vital wound."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        worse = changed(creature, wounds=(*creature.wounds, self.wound))
        left = min(worse.dr, dr_max(worse)) if self.wound.effect == "half_dr" else worse.dr
        return state.with_creature(self.creature, wounds=worse.wounds, dr=left)


@record
class DepthReached(Event[State]):
    """Hit points are so far below zero that this many wounds are due for this fall."""

    type: ClassVar[str] = "depth_reached"
    creature: CreatureId
    depth: Count
    """How many wounds are due for this fall."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, depth=self.depth)


@record
class Died(Event[State]):
    """A creature is dead."""

    type: ClassVar[str] = "died"
    creature: CreatureId
    cause: CausedBy

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, dead=True)


@enforces(RI_VITAL_1)
def due(state: State, creature: Creature) -> int:
    """Return how many vital wounds the hit points of *creature* call for."""
    if creature.hp >= 0:
        return 0
    step = creature.sheet.hp_max
    if state.house.depth_step == "half":
        step = max(1, step // 2)
    return 1 + -creature.hp // step


def is_mine_to_roll(state: State, creature: str) -> bool:
    """Return whether the wounds of *creature* are rolled in this world: its own group's, or the table."""
    return state.here in (TABLE, state.group_of(creature))


@enforces(RI_VITAL_6)
def take_wounds(state: State, chance: Chance, creature: str) -> Wounded:
    """Emit the vital wounds that are due and not yet taken."""
    found = state.creatures[creature]
    needed = due(state, found)
    new = needed - found.depth
    if new <= 0 or not is_mine_to_roll(state, creature):
        return state
    state = yield DepthReached(creature=creature, depth=needed, because=("RI-VITAL-1",))
    carried = len(found.wounds)
    for _ in range(new):
        state = yield from take_wound(state, chance, creature, carried)
        carried += state.house.wounds_at_once == "in_turn"
        if state.creatures[creature].dead:
            break
    return state


POOL: Final = (PoolDie(role="vital", sides=10),)
"""The die of a vital wound."""


@enforces(RI_VITAL_2)
def take_wound(state: State, chance: Chance, creature: str, carried: int) -> Wounded:
    """Emit one vital wound, by its roll."""
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=creature,
        stream=stream(state, state.creatures[creature]),
        purpose={"who": creature, "what": "vital wound"},
        pool=POOL,
        terms=(Term(amount=-WOUND_STEP * carried, what="wounds carried", rule="RI-VITAL-2"),),
    )
    return (yield from suffer(state, creature, roll))


@enforces(RI_VITAL_8)
def stream(state: State, creature: Creature) -> str:
    """Return the stream of the next vital roll of *creature*."""
    earlier = sum(wound.gained == state.round and wound.phase == state.stage for wound in creature.wounds)
    return wound_stream(creature.id, state.stage, earlier + 1)


def wound_stream(creature: str, stage: str, number: int) -> str:
    """Return the name of the dice of a creature's wound: boundaries of a round are spelled as streams are."""
    return f"{creature}/vital/{stage.replace('_', '-')}/{number}"


@enforces(RI_VITAL_3)
def suffer(state: State, creature: str, roll: Roll) -> Wounded:
    """Emit the vital wound that *roll* gives, and the death that the worst result is."""
    result = roll.total
    effect = state.profile.vital.get(result, "none")
    if result <= DYING:
        effect = "dying"
    wound = VitalWound(
        die=roll.dice[0].face,
        result=result,
        effect=effect,
        gained=state.round,
        phase=state.stage,
        deadline=deadline(state) if result <= DYING else None,
        by=roll.by,
    )
    state = yield VitalWoundTaken(creature=creature, wound=wound)
    if result <= DEADLY:
        state = yield Died(creature=creature, cause="vital wound")
    return state


@enforces(RI_VITAL_7)
def deadline(state: State) -> int:
    """Return the round after which an untreated mortal wound kills."""
    return state.round + MINUTE - (state.house.minute == "with")


@enforces(RI_VITAL_4)
def die_of_wounds(state: State) -> Emits[State]:
    """Emit the deaths of creatures with an untreated mortal wound whose time is up."""
    for name, creature in state.creatures.items():
        late = [
            w
            for w in creature.wounds
            if w.deadline is not None and not w.treated and w.deadline <= state.round
        ]
        if late and not creature.dead:
            state = yield Died(creature=name, cause="untreated vital wound")
    return state


@enforces(RI_VITAL_7)
def die_untreated(state: State, creature: str) -> Emits[State]:
    """Emit that *creature* dies of a mortal wound that nobody has treated, for more than a minute passes."""
    if any(wound.deadline is not None and not wound.treated for wound in state.creatures[creature].wounds):
        return (yield Died(creature=creature, cause="untreated vital wound"))
    return state
