"""Say what a word of the GM does: to creatures by the rules, to sheets, to the map and who is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, get_args

from service.rules.kernel.bounds import bounds_fault
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import AbilityId, Amount, CreatureId, HitPoints, Label, SourceId
from service.rules.rise.acting.relations import unrelated
from service.rules.rise.body.effects import apply, let_go
from service.rules.rise.body.movement_and_positioning import come_off, is_wall, occupant
from service.rules.rise.body.taking_damage import fall_or_wake
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import ALL, condition_fault
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, How, above, may_share
from service.rules.rise.creatures.sheet import Ability, Sheet, Sort
from service.rules.rise.creatures.state import State, Terrain
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell, cells
from service.rules.space.walls import EdgeKey
from service.rules.table.unchanged import NothingChanged, Why, or_unchanged
from service.rules.table.walled import Edging, WallsSet, edges_fault

RI_GM_6: Final = Rule(
    "RI-GM-6",
    "Between phases the GM may give a creature an ability, in place of one of the same name, or take one.",
    RULING,
)
RI_GM_7: Final = Rule(
    "RI-GM-7",
    "Between phases the GM may bring somebody back into the fight, take it out alive, or set the ground.",
    RULING,
)


MOST: Final = 10_000
JUDGED: Final = "squeezing"
"""The condition that comes of a creature's place alone."""
Felt = Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate"]
"""What an effect does to a creature, as the rules know effects."""
FELT: Final[Mapping[str, Felt]] = MappingProxyType({each: each for each in get_args(Felt)})
TEACHING: Final = ("teach", "unteach")
SETTING: Final = ("restore", "withdraw", "terrain")
"""What changes who takes part, or the ground."""
BETWEEN: Final = ("rise_combat", "rise_pause")
"""The frames of moments in which no phase is unfinished."""
BETWEEN_FAULT: Final = "the phase is not over; ask for a pause"
UNMET: Final[Mapping[str, Why]] = MappingProxyType({"lose": "not_there", "fatigue": "not_possible"})
"""Why nothing changes, where an effect emits no event."""
_AMOUNTS: Final = ("damage", "heal_hp", "heal_dr", "fatigue")


@enforces(RI_GM_6)
@record
class AbilityLearned(Event[State]):
    """A creature has an ability from now on, in place of one of the same name."""

    type: ClassVar[str] = "ability_learned"
    creature: CreatureId
    ability: Ability
    """The ability that it learned."""

    def evolve(self, state: State) -> State:
        return with_abilities(state, self.creature, self.ability.id, (self.ability,))


@record
class AbilityForgotten(Event[State]):
    """A creature has an ability no more, and what was to come by it does not come."""

    type: ClassVar[str] = "ability_forgotten"
    creature: CreatureId
    ability: AbilityId

    def evolve(self, state: State) -> State:
        return with_abilities(state, self.creature, self.ability, ())


@record
class Restored(Event[State]):
    """A creature that was dead or out of the fight takes part again, without vital wounds."""

    type: ClassVar[str] = "restored"
    sentence: ClassVar[str] = "{creature} is restored to {hp} hit points"
    creature: CreatureId
    hp: HitPoints
    """Its hit points."""

    def evolve(self, state: State) -> State:
        return state.with_creature(
            self.creature, dead=False, defeated=False, down=False, hp=self.hp, depth=0, wounds=(), credit=()
        )


@record
class CreatureLeft(Event[State]):
    """A creature leaves the fight alive."""

    type: ClassVar[str] = "creature_left"
    sentence: ClassVar[str] = "{creature} leaves"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, defeated=True)


@record
class TerrainSet(Event[State]):
    """Cells are made of something else from now on."""

    type: ClassVar[str] = "terrain_set"
    sentence: ClassVar[str] = "the gm changes the terrain to {terrain}"
    cells: tuple[Cell, ...]
    """The cells, each as x and y."""
    terrain: Terrain
    """What the cells are made of from now on."""

    def evolve(self, state: State) -> State:
        changes = {f"{x},{y}": self.terrain for x, y in self.cells}
        ground = {key: kind for key, kind in {**state.terrain, **changes}.items() if kind != "normal"}
        return changed(state, terrain=ground)


def with_abilities(state: State, creature: str, gone: str, new: tuple[Ability, ...]) -> State:
    """Return *state* in which the abilities of *creature* end with *new* and do not have *gone*.

    What was to come in later turns by the ability that is gone does not come.
    """
    found = state.creatures[creature]
    delayed = tuple([one for one in found.delayed if new or one.ability != gone])
    sheet = _taught(found.sheet, gone, new)
    return state.with_creature(creature, sheet=sheet, delayed=delayed)


def _taught(sheet: Sheet, gone: str, new: tuple[Ability, ...]) -> Sheet:
    places = {ability.id: (ability,) for ability in sheet.abilities} | {gone: new}
    return changed(sheet, abilities=tuple([ability for found in places.values() for ability in found]))


@record
class Mending:
    """One effect of a ruling: on a creature, on its sheet, or on the walls and doors of the map."""

    many: ClassVar[int] = 100
    does: Literal[
        "damage",
        "heal_hp",
        "heal_dr",
        "gain",
        "lose",
        "fatigue",
        "locate",
        "walls",
        "teach",
        "unteach",
        "restore",
        "withdraw",
        "terrain",
    ]
    """What it does."""
    target: CreatureId = ""
    """The creature; nobody for `walls` and `terrain`."""
    amount: Amount = 0
    """How much damage, hit points, resistance or how many fatigue; the hit points to `restore` to."""
    sort: Sort = "normal"
    """What sort of damage."""
    name: Label = ""
    """The condition gained or lost; the ability that `unteach` takes."""
    by: SourceId = ""
    """The creature that a condition comes from, which `grappled` has to name; else it comes from the GM."""
    custom: bool = False
    """Whether the condition is one of the table's own, which no rule knows."""
    ability: Ability | None = None
    """The ability that `teach` gives."""
    to: Cell | None = None
    """Where the creature is put."""
    edges: tuple[EdgeKey, ...] = ()
    """The edges whose wall or door changes, for `walls`."""
    becomes: Edging = "none"
    """What is on them from now on."""
    cells: tuple[Cell, ...] = ()
    """The cells whose ground changes, for `terrain`."""
    terrain: Terrain = "normal"
    """What they are made of from now on."""

    def fault(self, view: State) -> str | None:
        """Return what keeps it from happening, None if nothing does."""
        if self.does == "walls" or self.edges:
            return self._walls_fault(view)
        if self.does == "terrain" or self.cells:
            return self._terrain_fault(view)
        if self.target not in view.creatures:
            return f"there is no creature {self.target}"
        if self.does in TEACHING or self.ability is not None:
            return self._ability_fault(view)
        if self.does in SETTING:
            return self._setting_fault(view)
        return self._felt_fault(view)

    def _felt_fault(self, view: State) -> str | None:
        if (self.by or self.is_hold) and (self.by == self.target or self.by not in view.creatures):
            return f"{self.name or self.does} of {self.target} says by which other creature"
        if self.does in _AMOUNTS and not 1 <= self.amount <= MOST:
            return f"{self.does} has an amount of 1 to {MOST}"
        if self.does in ("gain", "lose"):
            return self._condition_fault(view)
        return None if self.does != "locate" else self._place_fault(view)

    def _condition_fault(self, view: State) -> str | None:
        """Return what keeps the condition from being gained or lost, None if nothing does."""
        if not 1 <= len(self.name) <= 24:
            return f"{self.does} names a condition"
        if self.does == "gain" and self.name == JUDGED:
            return f"{JUDGED} is judged by the place of {self.target} when a phase begins"
        if self.does == "lose" and (
            self.name == ALL or view.creatures[self.target].has(self.name.partition("@")[0])
        ):
            return None
        return condition_fault(
            self.name.partition("@")[0] if self.does == "lose" else self.name, custom=self.custom
        )

    def _place_fault(self, view: State) -> str | None:
        """Return what keeps the creature from being put there, None if nothing does."""
        if self.to is None:
            return "where to is not said"
        creature = view.creatures[self.target]
        if is_wall(view, creature, self.to):
            return f"{self.target} does not fit into {list(self.to)}: there is a wall"
        other = occupant(view, creature, self.to)
        return None if other is None else f"{other.id} is at {list(self.to)}"

    def _walls_fault(self, view: State) -> str | None:
        if self.does != "walls" or self.target:
            return "edges are for walls, and a target for every other effect"
        return edges_fault(view, self.edges, self.becomes)

    def _terrain_fault(self, view: State) -> str | None:
        if self.does != "terrain" or self.target:
            return "cells are for terrain, and a target for every other effect"
        if not 1 <= len(self.cells) <= MOST:
            return f"1 to {MOST} cells"
        if self.terrain == "wall" and any(view.standing_at(cell) for cell in self.cells):
            return "somebody stands there"
        return None if is_between(view) else BETWEEN_FAULT

    def _setting_fault(self, view: State) -> str | None:
        """Return what keeps a creature from coming back, or from leaving, None if nothing does."""
        creature = view.creatures[self.target]
        is_out = creature.dead or creature.defeated
        if not is_between(view):
            return BETWEEN_FAULT
        if self.does == "withdraw":
            return f"{self.target} takes no part any more" if is_out else None
        if not is_out:
            return f"{self.target} takes part"
        if "hp" in view.gm_only_of(self.target):
            return f"the hit points of {self.target} are GM-only: show its sheet first"
        if not 1 <= self.amount <= creature.sheet.hp_max:
            return f"{self.does} has an amount of 1 to {creature.sheet.hp_max}"
        other = occupant(view, creature, creature.position)
        return None if other is None else f"{other.id} is where {self.target} lies"

    def _ability_fault(self, view: State) -> str | None:
        sheet = view.creatures[self.target].sheet
        if self.does not in TEACHING:
            return "an ability is for teach"
        if not is_between(view):
            return BETWEEN_FAULT
        if "abilities" in view.gm_only_of(self.target):
            return f"the abilities of {self.target} are GM-only, and a ruling is public: show them first"
        if self.does == "unteach":
            known = any(ability.id == self.name for ability in sheet.abilities)
            return None if known else f"{self.target} has no ability {self.name}"
        if self.ability is None:
            return "teach names an ability"
        found = unrelated(changed(sheet, weapons=(), abilities=(self.ability,)), "", view.profile.defenses)
        over = bounds_fault(_taught(sheet, self.ability.id, (self.ability,)))
        return next((f"{pointer}: {fault}" for pointer, fault in found), over)

    def clash(self, view: State, earlier: Mending) -> str | None:
        """Return that *earlier* of the same ruling takes the place where this puts a creature, if it does."""
        if self.does != "locate" or earlier.does != "locate" or self.target == earlier.target:
            return None
        mine, theirs = view.creatures[self.target], view.creatures[earlier.target]
        assert self.to is not None, "a fault without it"
        assert earlier.to is not None, "a fault without it"
        shared = {*cells(self.to, mine.space)} & {*cells(earlier.to, theirs.space)}
        if not shared or may_share(mine, theirs) or above(mine, theirs):
            return None
        return f"an effect before it puts {earlier.target} at {list(earlier.to)}"

    def happen(self, state: State, chance: Chance) -> Emits[State]:
        """Emit what the effect does."""
        does = self.felt
        if does is None:
            return (yield from self.alter(state))
        atom = self.atom(does, "placed")
        if does == "gain" and atom.condition in state.creatures[self.target].conditions:
            return state
        return (yield from apply(state, chance, atom))

    def said(self, state: State, chance: Chance, number: int) -> Emits[State]:
        """Emit what the effect does, or that it changed nothing; *number* is its place in its list."""
        on = state.creatures.get(self.target)
        is_out = self.felt is not None and on is not None and (on.dead or on.defeated)
        says = NothingChanged(
            what=self.does,
            why="out_of_play" if is_out else "already_so",
            creature=None if on is None else on.id,
            effect=number,
        )
        sealed = on is not None and bool(state.gm_only_of(on.id))
        unmet: Why = "out_of_play" if is_out else UNMET.get(self.does, "already_so")
        return (yield from or_unchanged(state, self.happen(state, chance), says, unmet, sealed=sealed))

    @property
    def is_hold(self) -> bool:
        """Whether it puts a creature into another's hold, which ends where that cannot hold on."""
        return self.does == "gain" and self.name == "grappled"

    @property
    def felt(self) -> Felt | None:
        """What it does to a creature, null where it changes a sheet, who takes part, or the map."""
        return FELT.get(self.does)

    def alter(self, state: State) -> Emits[State]:
        """Emit what it changes of a sheet, of who takes part, or of the map."""
        if self.does == "walls":
            state = yield WallsSet(edges=self.edges, becomes=self.becomes, because=("RI-GM-4",))
            return (yield from let_go(state))
        if self.does == "teach":
            assert self.ability is not None, "checked on the view"
            learned = AbilityLearned(creature=self.target, ability=self.ability, because=("RI-GM-6",))
            return (yield learned)
        if self.does == "terrain":
            state = yield TerrainSet(cells=self.cells, terrain=self.terrain, because=("RI-GM-7",))
            return (yield from let_go(state))
        if self.does == "restore":
            state = yield Restored(creature=self.target, hp=self.amount, because=("RI-GM-7",))
            return (yield from fall_or_wake(state, self.target))
        if self.does == "withdraw":
            state = yield CreatureLeft(creature=self.target, because=("RI-GM-7",))
            return (yield from let_go((yield from come_off(state))))
        assert self.does == "unteach", "what a creature feels is no change of these"
        return (yield AbilityForgotten(creature=self.target, ability=self.name, because=("RI-GM-6",)))

    def atom(self, does: Felt, how: How = "teleport") -> Atom:
        """Return the effect on a creature, which *does* this, as the rules know it."""
        gained = Condition(name=self.name, source=self.by or "gm") if does == "gain" else None
        return Atom(
            seq=UNNUMBERED,
            source="gm",
            target=self.target,
            does=does,
            amount=self.amount,
            sort=self.sort,
            condition=gained,
            name=self.name or "ruling",
            path=(self.to,) if self.to is not None else (),
            how=how,
        )


Mendings: TypeAlias = Annotated[tuple[Mending, ...], "The effects, in order."]


@enforces(RI_GM_7)
def is_between(view: State) -> bool:
    """Return whether no phase is unfinished: what it began with stays until it is over."""
    return view.top is not None and view.top.kind in BETWEEN


def effects_fault(view: State, effects: Sequence[Mending]) -> str | None:
    """Return what keeps *effects* from happening one after the other, None if nothing does."""
    for i, effect in enumerate(effects):
        fault = effect.fault(view)
        if fault is not None:
            return fault
        for earlier in effects[:i]:
            if (clash := effect.clash(view, earlier)) is not None:
                return clash
    return None
