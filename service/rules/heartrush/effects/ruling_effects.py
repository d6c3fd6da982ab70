"""List the effects that only the GM has: on creatures, on the table, and on what surrounds a fight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from service.rules.heartrush.body.operations import MOST, Effect, EffectsFrame, OnCreature, no_such
from service.rules.heartrush.body.possessions import load_fault
from service.rules.heartrush.body.weapons import armed, may_wield, no_hands
from service.rules.heartrush.body.wounds import die_at_the_line, fall_to_zero, wake
from service.rules.heartrush.creatures.options import OPTIONS
from service.rules.heartrush.creatures.sheet import Light, Terrain, Water, Weapon
from service.rules.heartrush.creatures.size_and_bonds import Moved, let_go
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.moving.bonds import look_at_bonds
from service.rules.heartrush.moving.paths import may_stop
from service.rules.heartrush.timing.engagement import engagement_open
from service.rules.heartrush.timing.priority import PriorityGranted
from service.rules.heartrush.values import (
    ChosenOption,
    HiddenFrom,
    IsExposed,
    IsSurprised,
    NewClimbNumber,
    NewHeight,
    PointCount,
)
from service.rules.kernel.bounds import bounds_fault
from service.rules.kernel.meaning import within
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.values import (
    Bonus,
    Cells,
    CreatureId,
    CreatureRef,
    HitPointsNow,
    Level,
    Points,
    SideId,
    SideRef,
    Sum,
)
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET, free_place
from service.rules.space.walls import EdgeKey, Edges, wall_faults
from service.rules.table.table import Option
from service.rules.table.walled import Edging, WallsSet, edges_fault

# --- effects on creatures ------------------------------------------------------------------------------
# What no rule does by itself, what mends a mistake.

# --- life ------------------------------------------------------------------------------------------


@record
class HpSet(Event[State]):
    """Hit points were set by the GM's word; no damage was dealt and nothing was healed."""

    type: ClassVar[str] = "hp_set"
    creature: CreatureId
    hp: HitPointsNow

    def evolve(self, state: State) -> State:
        clock = {"down_since_s": None} if self.hp > 0 else {}
        return state.with_creature(self.creature, hp=self.hp, **clock)


def _kept_back(view: State, creature: str) -> str | None:
    """Return why the hit points of *creature* cannot be set: a ruling is public, and they are not."""
    if "hp" not in view.gm_only_of(creature):
        return None
    return f"the hit points of {creature} are GM-only: harm it, heal it, or show its sheet first"


@record
class SetHp(OnCreature):
    """Set a creature's hit points; zero, death and waking follow from them as always."""

    kind: ClassVar[str] = "hp"
    hp: HitPointsNow

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature) or _kept_back(view, self.creature)
        if fault or self.hp <= view.creatures[self.creature].sheet.hp_max:
            return fault
        return f"{self.creature} has at most {view.creatures[self.creature].sheet.hp_max} hit points"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        before = state.creatures[self.creature].hp
        state = yield HpSet(creature=self.creature, hp=self.hp, because=frame.rules)
        state = yield from die_at_the_line(state, self.creature)
        state = yield from fall_to_zero(state, self.creature, before)
        return (yield from wake(state, self.creature))


@record
class Restored(Event[State]):
    """A creature that was dead or gone is back, awake, with these hit points."""

    type: ClassVar[str] = "restored"
    creature: CreatureId
    hp: HitPointsNow

    def evolve(self, state: State) -> State:
        down = state.clock_s if self.hp <= 0 else None
        return state.with_creature(self.creature, status="active", hp=self.hp, down_since_s=down)


@record
class Restore(OnCreature):
    """Bring back a creature that died, or left, by mistake or by wonder."""

    kind: ClassVar[str] = "restore"
    hp: HitPointsNow

    def fault(self, view: State) -> str | None:
        found = view.creatures.get(self.creature)
        if found is None:
            return f"there is no creature {self.creature}"
        if found.status not in ("dead", "gone"):
            return f"{self.creature} is neither dead nor gone"
        if (fault := _kept_back(view, self.creature)) is not None:
            return fault
        limit = found.sheet.hp_max
        return None if -limit < self.hp <= limit else f"more than {-limit} and at most {limit} hit points"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        state = yield Restored(creature=self.creature, hp=self.hp, because=frame.rules)
        return (yield from make_room(state, self.creature, frame.rules))


def make_room(state: State, creature: str, because: tuple[str, ...]) -> Emits[State]:
    """Emit that a creature that is back comes to the nearest free place, if somebody stands in its own."""
    found = state.creatures[creature]
    if may_stop(state, found, found.position):
        return state
    to = free_place(
        found.position,
        found.space,
        lambda cell: not state.is_solid(cell) and all(one.id == creature for one in state.standing_at(cell)),
        state.is_divided,
    )
    return (yield Moved(creature=creature, path=(to,), feet=0, how="placed", because=because))


@record
class CreatureLeft(Event[State]):
    """A creature is out of the fight alive: it fled, yielded or was taken away."""

    type: ClassVar[str] = "creature_left"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        lay = state.creatures[self.creature].status == "unconscious"
        state = state.with_creature(self.creature, status="gone", left_unconscious=lay)
        state = let_go(state, self.creature, dead=True)
        frame = engagement_open(state)
        if frame is None or not frame.exchanges:
            return state
        left = tuple([one for one in frame.exchanges if self.creature not in (one.attacker, one.defender)])
        return state.put(changed(frame, exchanges=left))


@record
class Withdraw(OnCreature):
    """Take a creature out of the fight alive; it takes part in nothing any more."""

    kind: ClassVar[str] = "withdraw"
    event = CreatureLeft


# --- openings and sight ----------------------------------------------------------------------------


@record
class Exposed(Event[State]):
    """A creature was ruled open to opportunity attacks, or no longer so."""

    type: ClassVar[str] = "exposed"
    creature: CreatureId
    exposed: IsExposed

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, exposed=self.exposed)


@record
class Expose(OnCreature):
    """Rule a helpless creature open to opportunity attacks, or no longer so."""

    kind: ClassVar[str] = "expose"
    event = Exposed
    exposed: IsExposed = True


@record
class SurpriseRuled(Event[State]):
    """A creature was ruled surprised, or not."""

    type: ClassVar[str] = "surprise_ruled"
    creature: CreatureId
    surprised: IsSurprised

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, surprised=self.surprised)


@record
class Surprise(OnCreature):
    """Rule a creature surprised for round 1, or not; only before priority is granted."""

    kind: ClassVar[str] = "surprise"
    event = SurpriseRuled
    surprised: IsSurprised = True

    def fault(self, view: State) -> str | None:
        early = view.phase == "precombat"
        return no_such(view, self.creature) if early else "surprise is ruled before priority is granted"


@record
class UnawareRuled(Event[State]):
    """Which side did not expect the attack was ruled on."""

    type: ClassVar[str] = "unaware_ruled"
    side: SideId | None

    def evolve(self, state: State) -> State:
        return changed(state, unaware_side=self.side)


@record
class Unaware(Effect):
    """Rule which side did not expect the attack; null is neither. Only before priority is granted."""

    kind: ClassVar[str] = "unaware"
    event = UnawareRuled
    side: SideRef | None

    def fault(self, view: State) -> str | None:
        if view.phase != "precombat":
            return "who was unaware is ruled before priority is granted"
        return None if self.side is None or self.side in view.sides else f"there is no side {self.side}"


@record
class HiddenRuled(Event[State]):
    """From whom a creature is hidden was ruled on."""

    type: ClassVar[str] = "hidden_ruled"
    creature: CreatureId
    hidden_from: HiddenFrom

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, hidden_from=self.hidden_from)


@record
class Hide(OnCreature):
    """Rule from whom a creature is hidden: the list replaces what was; an empty one shows it to all."""

    kind: ClassVar[str] = "hidden"
    event = HiddenRuled
    hidden_from: Annotated[tuple[CreatureRef, ...], "The ids of the creatures that it is hidden from."]

    def fault(self, view: State) -> str | None:
        found = (no_such(view, name, dead=True) for name in (self.creature, *self.hidden_from))
        return next((fault for fault in found if fault), None)


# --- effects on the table and on means -----------------------------------------------------------------
# Ground, options, priority, weapons, destiny.

MOST_DESTINY: Final = 10

# --- the table -------------------------------------------------------------------------------------


@record
class TerrainSet(Event[State]):
    """Cells are made of something else from now on."""

    type: ClassVar[str] = "terrain_set"
    cells: Cells
    terrain: Annotated[Terrain, "What the ground becomes."]

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
    event = TerrainSet
    cells: Cells
    terrain: Annotated[Terrain, "What cells are made of that are not plain ground, by `x,y`, such as `3,-2`."]

    def fault(self, view: State) -> str | None:
        if not 1 <= len(self.cells) <= MOST:
            return f"1 to {MOST} cells"
        if self.terrain == "wall" and any(view.standing_at(cell) for cell in self.cells):
            return "somebody stands there"
        return None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        state = yield from super().tell(state, chance, frame)
        return (yield from look_at_bonds(state))


@record
class SetWalls(Effect):
    """Set what is on edges: a wall, a door that is open or closed, or nothing."""

    kind: ClassVar[str] = "walls"
    event = WallsSet
    edges: Annotated[tuple[EdgeKey, ...], "Edges between cells, as `x,y|x,y`: the left or upper cell first."]
    becomes: Annotated[Edging, "What is on the edges from now on; `none` for nothing."]

    def fault(self, view: State) -> str | None:
        return edges_fault(view, self.edges, self.becomes)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        state = yield from super().tell(state, chance, frame)
        return (yield from look_at_bonds(state))


@record
class OptionSet(Event[State]):
    """A house option has another value from now on."""

    type: ClassVar[str] = "option_set"
    option: ChosenOption
    value: Annotated[Option, "The new value."]

    def evolve(self, state: State) -> State:
        return changed(state, options=with_key(state.options, self.option, self.value))


FROZEN: Final = ("timing", "turn_order")
"""Options that cannot change while the fight they shape goes on."""


@record
class SetOption(Effect):
    """Change a house option in the middle of the encounter."""

    kind: ClassVar[str] = "option"
    event = OptionSet
    option: ChosenOption
    value: Annotated[Option, "The new value."]

    def fault(self, view: State) -> str | None:
        spec = OPTIONS.get(self.option)
        if spec is None or self.option in FROZEN:
            return f"{self.option} is not an option that can change"
        if spec.bounds is not None:
            fits = type(self.value) is int and spec.bounds[0] <= self.value <= spec.bounds[1]
        else:
            fits = any(self.value == known and type(self.value) is type(known) for known in spec.values)
        return None if fits else f"{self.option} cannot be {self.value}"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        state = yield from super().tell(state, chance, frame)
        return (yield from look_at_bonds(state))


@record
class GivePriority(Effect):
    """Hand priority to a side, with the count of declines begun afresh."""

    kind: ClassVar[str] = "priority"
    event = PriorityGranted
    side: SideRef

    def fault(self, view: State) -> str | None:
        if view.phase != "priority" or view.top is None or view.top.kind != "combat":
            return "no side holds priority now"
        return None if self.side in view.sides else f"there is no side {self.side}"


# --- means -----------------------------------------------------------------------------------------


@record
class Armed(Event[State]):
    """A creature has one more weapon, and holds it."""

    type: ClassVar[str] = "armed"
    creature: CreatureId
    weapon: Annotated[Weapon, "The weapon."]

    def evolve(self, state: State) -> State:
        sheet = state.creatures[self.creature].sheet
        return state.with_creature(self.creature, sheet=armed(sheet, self.weapon), wielded=self.weapon.id)


@record
class Arm(OnCreature):
    """Rule what kind of weapon an object is, and put it in a creature's hand."""

    kind: ClassVar[str] = "arm"
    event = Armed
    weapon: Annotated[Weapon, "The weapon."]

    def fault(self, view: State) -> str | None:
        if (fault := no_such(view, self.creature)) is not None:
            return fault
        found = view.creatures[self.creature]
        if not may_wield(found.sheet, self.weapon):
            return f"{self.creature} cannot wield a {self.weapon.size_class} weapon"
        lacking = no_hands(found, self.weapon) or load_fault(found, found.wielded)
        return bounds_fault(armed(found.sheet, self.weapon)) or (lacking.detail if lacking else None)


@record
class DestinyGained(Event[State]):
    """A character's destiny points changed; what goes beyond ten is lost."""

    type: ClassVar[str] = "destiny_gained"
    creature: CreatureId
    points: PointCount

    def evolve(self, state: State) -> State:
        points = state.creatures[self.creature].destiny_points + self.points
        return state.with_creature(self.creature, destiny_points=min(MOST_DESTINY, max(0, points)))


@record
class GiveDestiny(OnCreature):
    """Give destiny points, or take them: from 0 to 10."""

    kind: ClassVar[str] = "destiny"
    event = DestinyGained
    points: Annotated[Points, within(-MOST_DESTINY, MOST_DESTINY), "How many points."]


@record
class PenaltyLaid(Event[State]):
    """A creature's next check is lowered."""

    type: ClassVar[str] = "penalty_laid"
    creature: CreatureId
    penalty: Annotated[Sum, "The penalty."]

    def evolve(self, state: State) -> State:
        penalty = state.creatures[self.creature].penalty + self.penalty
        return state.with_creature(self.creature, penalty=penalty)


@record
class LayPenalty(OnCreature):
    """Lower the next check of a creature."""

    kind: ClassVar[str] = "penalty"
    event = PenaltyLaid
    penalty: Annotated[Level, "The penalty."]

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.penalty <= MOST else "1 or more")


@record
class BonusLaid(Event[State]):
    """Destiny points add to a creature's next skill check."""

    type: ClassVar[str] = "bonus_laid"
    creature: CreatureId
    bonus: Bonus

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, bonus=state.creatures[self.creature].bonus + self.bonus)


@record
class LayBonus(OnCreature):
    """Add to the next skill check of a creature."""

    kind: ClassVar[str] = "bonus"
    event = BonusLaid
    bonus: Bonus

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.bonus <= MOST else "1 or more")


# --- effects on the ground -----------------------------------------------------------------------------


@record
class SceneryChanged(Event[State]):
    """Cells are lit, deep, steep or high in another way from now on; what is null stays as it was."""

    type: ClassVar[str] = "scenery_changed"
    cells: Cells
    light: Annotated[Light | None, "The light; null if it does not change."] = None
    ambient: Light | None = None
    """The light where nothing else is said; null if it does not change."""
    water: Annotated[Water | None, "The water; null if there is none or it does not change."] = None
    climb_cn: NewClimbNumber | None = None
    height_ft: NewHeight | None = None
    edges: Edges = ()
    ledge: Annotated[bool | None, "Whether its edges are ledges from now on; null if none changes."] = None

    def evolve(self, state: State) -> State:
        scenery, keys = state.scenery, [f"{x},{y}" for x, y in self.cells]
        changes: dict[str, object] = {
            name: _put(getattr(scenery, name), keys, value)
            for name, value in (
                ("light", self.light),
                ("water", self.water),
                ("climb_cn", self.climb_cn),
                ("heights", self.height_ft),
            )
            if value is not None
        }
        if self.ambient is not None:
            changes["ambient"] = self.ambient
        if self.ledge is not None:
            others = tuple(key for key in scenery.ledges if key not in self.edges)
            every = tuple(dict.fromkeys((*scenery.ledges, *self.edges)))
            changes["ledges"] = every if self.ledge else others
        return changed(state, scenery=changed(scenery, **changes))


def _put(mapping: Mapping[str, Any], keys: list[str], value: object) -> Mapping[str, Any]:
    plain = 0 if value == 0 else None  # what is level is not listed
    return {**mapping, **{key: value for key in keys if mapping.get(key, plain) != value}}


@record
class SetScenery(Effect):
    """Say how cells are lit, how deep, steep and high they are, and which of their edges are ledges."""

    kind: ClassVar[str] = "scenery"
    event = SceneryChanged
    cells: Cells = ()
    light: Annotated[Light | None, "The light; null if it does not change."] = None
    ambient: Annotated[Light | None, "The light of every cell that has none of its own."] = None
    water: Annotated[Water | None, "The water; null if there is none or it does not change."] = None
    climb_cn: NewClimbNumber | None = None
    height_ft: NewHeight | None = None
    edges: tuple[EdgeKey, ...] = ()
    """Edges between cells of different height that become ledges, or slopes."""
    ledge: Annotated[bool | None, "Whether *edges* become ledges; null goes without edges."] = None

    def fault(self, view: State) -> str | None:
        if len(self.cells) > MOST:
            return f"at most {MOST} cells"
        if self.climb_cn is not None and not 0 <= self.climb_cn <= MOST:
            return f"a number from 0 to {MOST}"
        if self.height_ft is not None and (self.height_ft % FEET or abs(self.height_ft) > MOST):
            return "feet in steps of 5"
        if (self.ledge is None) == bool(self.edges) or len(self.edges) > MOST:
            return f"edges and whether they are ledges: both or neither, and at most {MOST}"
        return next((fault for _, fault in wall_faults(self.edges)), None)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        state = yield from super().tell(state, chance, frame)
        return (yield from look_at_bonds(state))
