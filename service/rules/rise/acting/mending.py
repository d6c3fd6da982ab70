"""Say what a word of the GM does: to creatures by the rules, to their sheets, to walls and doors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from service.rules.kernel.bounds import bounds_fault
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import AbilityId, Amount, CreatureId, Label, SourceId
from service.rules.rise.acting.sheet_faults import sheet_faults
from service.rules.rise.body.effects import apply, let_go
from service.rules.rise.body.movement_and_positioning import is_wall, occupant
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import ALL, condition_fault
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, above, may_share
from service.rules.rise.creatures.sheet import Ability, Sheet, Sort
from service.rules.rise.creatures.state import State
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell, cells
from service.rules.space.walls import EdgeKey
from service.rules.table.walled import Edging, WallsSet, edges_fault

RI_GM_6: Final = Rule(
    "RI-GM-6",
    "Between phases the GM may give a creature an ability, in place of one of the same name, or take one.",
    RULING,
)


MOST: Final = 10_000
JUDGED: Final = "squeezing"
"""The condition that comes of a creature's place alone."""
Felt = Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate"]
"""What an effect does to a creature, as the rules know effects."""
TEACHING: Final = ("teach", "unteach")
BETWEEN: Final = ("rise_combat", "rise_pause")
"""The frames of moments in which no phase is unfinished."""
_AMOUNTS: Final = ("damage", "heal_hp", "heal_dr", "fatigue")


@enforces(RI_GM_6)
@record
class AbilityLearned(Event[State]):
    """A creature has an ability from now on, in place of one of the same name."""

    type: ClassVar[str] = "ability_learned"
    creature: CreatureId
    ability: Ability

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


def with_abilities(state: State, creature: str, gone: str, new: tuple[Ability, ...]) -> State:
    """Return *state* in which the abilities of *creature* end with *new* and do not have *gone*.

    What was to come in later turns by the ability that is gone does not come.
    """
    found = state.creatures[creature]
    delayed = tuple([one for one in found.delayed if new or one.ability != gone])
    sheet = _taught(found.sheet, gone, new)
    return state.with_creature(creature, sheet=sheet, delayed=delayed)


def _taught(sheet: Sheet, gone: str, new: tuple[Ability, ...]) -> Sheet:
    kept = tuple([ability for ability in sheet.abilities if ability.id != gone])
    return changed(sheet, abilities=(*kept, *new))


@record
class Mending:
    """One effect of a ruling: on a creature, on its sheet, or on the walls and doors of the map."""

    many: ClassVar[int] = 100
    does: Literal[
        "damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate", "walls", "teach", "unteach"
    ]
    target: CreatureId = ""
    """The creature; nobody for `walls`."""
    amount: Amount = 0
    """How much damage, hit points, resistance or how many levels of fatigue."""
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

    def fault(self, view: State) -> str | None:
        """Return what keeps it from happening, None if nothing does."""
        if self.does == "walls" or self.edges:
            return self._walls_fault(view)
        if self.target not in view.creatures:
            return f"there is no creature {self.target}"
        if self.does in TEACHING or self.ability is not None:
            return self._ability_fault(view)
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

    def _ability_fault(self, view: State) -> str | None:
        sheet = view.creatures[self.target].sheet
        if self.does not in TEACHING:
            return "an ability is for teach"
        if view.top is None or view.top.kind not in BETWEEN:
            return "the phase is not over; ask for a pause"
        if "abilities" in view.gm_only_of(self.target):
            return f"the abilities of {self.target} are GM-only, and a ruling is public: show them first"
        if self.does == "unteach":
            known = any(ability.id == self.name for ability in sheet.abilities)
            return None if known else f"{self.target} has no ability {self.name}"
        if self.ability is None:
            return "teach names an ability"
        found = sheet_faults(changed(sheet, weapons=(), abilities=(self.ability,)), "", view.profile.defenses)
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
        return (yield from self.alter(state) if does is None else apply(state, chance, self.atom(does)))

    @property
    def is_hold(self) -> bool:
        """Whether it puts a creature into another's hold, which ends where that cannot hold on."""
        return self.does == "gain" and self.name == "grappled"

    @property
    def felt(self) -> Felt | None:
        """What it does to a creature, null where it changes a sheet, or walls and doors."""
        if self.does == "walls" or self.does == "teach" or self.does == "unteach":  # noqa: PLR1714 - narrows
            return None
        return self.does

    def alter(self, state: State) -> Emits[State]:
        """Emit what it changes of a sheet, or of walls and doors."""
        if self.does == "walls":
            state = yield WallsSet(edges=self.edges, becomes=self.becomes, because=("RI-GM-4",))
            return (yield from let_go(state))
        if self.does == "teach":
            assert self.ability is not None, "checked on the view"
            learned = AbilityLearned(creature=self.target, ability=self.ability, because=("RI-GM-6",))
            return (yield learned)
        assert self.does == "unteach", "what a creature feels is no change of these"
        return (yield AbilityForgotten(creature=self.target, ability=self.name, because=("RI-GM-6",)))

    def atom(self, does: Felt) -> Atom:
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
            how="teleport",
        )


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
