"""List the effects only the GM has on the table and on means: ground, options, priority, weapons, destiny."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from service.rules.heartrush.creatures.weapons import may_wield
from service.rules.heartrush.operations.effects import MOST, Effect, EffectsFrame, no_such
from service.rules.heartrush.options import OPTIONS
from service.rules.heartrush.rounds.priority import PriorityGranted
from service.rules.heartrush.sheets.ground import Terrain
from service.rules.heartrush.sheets.sheet import Weapon
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.rolls.chance import Chance
from service.rules.table.table import Option

MOST_DESTINY: Final = 10

# --- the table -------------------------------------------------------------------------------------


@record
class TerrainSet(Event[State]):
    """Cells are made of something else from now on."""

    type: ClassVar[str] = "terrain_set"
    cells: tuple[tuple[int, int], ...]
    terrain: Terrain

    def evolve(self, state: State) -> State:
        ground: Mapping[str, Terrain] = state.terrain
        for x, y in self.cells:
            key = f"{x},{y}"
            ground = (
                without_key(ground, key) if self.terrain == "normal" else with_key(ground, key, self.terrain)
            )
        return changed(state, terrain=ground)


@record
class SetTerrain(Effect):
    """Say what cells are made of."""

    kind: ClassVar[str] = "terrain"
    cells: tuple[tuple[int, int], ...]
    terrain: Terrain

    def fault(self, view: State) -> str | None:
        if not 1 <= len(self.cells) <= MOST:
            return f"1 to {MOST} cells"
        if self.terrain == "wall" and any(view.standing_at(cell) for cell in self.cells):
            return "somebody stands there"
        return None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield TerrainSet(cells=self.cells, terrain=self.terrain, because=frame.rules))


@record
class OptionSet(Event[State]):
    """A house option has another value from now on."""

    type: ClassVar[str] = "option_set"
    option: str
    value: Option

    def evolve(self, state: State) -> State:
        return changed(state, options=with_key(state.options, self.option, self.value))


FROZEN: Final = ("timing", "turn_order")
"""Options that cannot change while the fight they shape goes on."""


@record
class SetOption(Effect):
    """Change a house option in the middle of the encounter."""

    kind: ClassVar[str] = "option"
    option: str
    value: Option

    def fault(self, view: State) -> str | None:
        spec = OPTIONS.get(self.option)
        if spec is None or self.option in FROZEN:
            return f"{self.option} is no option that can change"
        if spec.bounds is not None:
            fits = type(self.value) is int and spec.bounds[0] <= self.value <= spec.bounds[1]
        else:
            fits = any(self.value == known and type(self.value) is type(known) for known in spec.values)
        return None if fits else f"{self.option} cannot be {self.value}"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield OptionSet(option=self.option, value=self.value, because=frame.rules))


@record
class GivePriority(Effect):
    """Hand priority to a side, with the count of declines begun afresh."""

    kind: ClassVar[str] = "priority"
    side: str

    def fault(self, view: State) -> str | None:
        if view.phase != "priority" or view.top is None or view.top.kind != "combat":
            return "no side holds priority now"
        return None if self.side in view.sides else f"there is no side {self.side}"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield PriorityGranted(side=self.side, because=frame.rules))


# --- means -----------------------------------------------------------------------------------------


@record
class Armed(Event[State]):
    """A creature has one more weapon, and holds it."""

    type: ClassVar[str] = "armed"
    creature: str
    weapon: Weapon

    def evolve(self, state: State) -> State:
        sheet = state.creatures[self.creature].sheet
        weapons = (*(weapon for weapon in sheet.weapons if weapon.id != self.weapon.id), self.weapon)
        return state.with_creature(
            self.creature, sheet=changed(sheet, weapons=weapons), wielded=self.weapon.id
        )


@record
class Arm(Effect):
    """Rule what kind of weapon an object is, and put it in a creature's hand."""

    kind: ClassVar[str] = "arm"
    creature: str
    weapon: Weapon

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature)
        if fault or may_wield(view.creatures[self.creature].sheet, self.weapon):
            return fault
        return f"{self.creature} cannot wield a {self.weapon.size_class} weapon"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield Armed(creature=self.creature, weapon=self.weapon, because=frame.rules))


@record
class DestinyGained(Event[State]):
    """A character's destiny points changed; what goes beyond ten is lost."""

    type: ClassVar[str] = "destiny_gained"
    creature: str
    points: int

    def evolve(self, state: State) -> State:
        points = state.creatures[self.creature].destiny_points + self.points
        return state.with_creature(self.creature, destiny_points=min(MOST_DESTINY, max(0, points)))


@record
class GiveDestiny(Effect):
    """Give destiny points, or take them: from 0 to 10."""

    kind: ClassVar[str] = "destiny"
    creature: str
    points: int

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if abs(self.points) <= MOST_DESTINY else "at most 10")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield DestinyGained(creature=self.creature, points=self.points, because=frame.rules))


@record
class PenaltyLaid(Event[State]):
    """A creature's next check is lowered."""

    type: ClassVar[str] = "penalty_laid"
    creature: str
    penalty: int

    def evolve(self, state: State) -> State:
        penalty = state.creatures[self.creature].penalty + self.penalty
        return state.with_creature(self.creature, penalty=penalty)


@record
class LayPenalty(Effect):
    """Lower the next check of a creature."""

    kind: ClassVar[str] = "penalty"
    creature: str
    penalty: int

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.penalty <= MOST else "1 or more")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield PenaltyLaid(creature=self.creature, penalty=self.penalty, because=frame.rules))
