"""Mend what went wrong by effects that work forward: the GM's word, recorded with everything it does.

Nothing announced is rewritten. The effects run through the rules like any other damage, healing or condition,
so a wound that follows from them is rolled.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.contests.gm_rulings import GmRulingRecorded, RulingOfGm, check_effects, check_words
from service.rules.kernel.messages import Awaited, Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rise.character import Condition
from service.rules.rise.creature import UNNUMBERED, Atom
from service.rules.rise.effects import apply
from service.rules.rise.opening import sheet_faults
from service.rules.rise.permission import gm
from service.rules.rise.rounds import CombatFrame, PauseFrame
from service.rules.rise.sheet import Ability, Sort
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell
from service.rules.space.walls import EdgeKey
from service.rules.table.stack import Frame
from service.rules.table.walled import Edging, WallsSet, edges_fault

RI_GM_4: Final = Rule(
    "RI-GM-4",
    "The GM may correct a mistake by effects that work from now on; nothing recorded is changed.",
    RULING,
)
RI_GM_6: Final = Rule(
    "RI-GM-6",
    "Between phases the GM may give a creature an ability, in place of one of the same name, or take one.",
    RULING,
)


MOST: Final = 10_000

Kind = Literal["damage", "effect", "environment", "correction", "other"]
Felt = Literal["damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate"]
"""What an effect does to a creature, as the rules know effects."""
TEACHING: Final = ("teach", "unteach")
_AMOUNTS: Final = ("damage", "heal_hp", "heal_dr", "fatigue")


@enforces(RI_GM_6)
@record
class AbilityLearned(Event[State]):
    """A creature has an ability from now on, in place of one of the same name."""

    type: ClassVar[str] = "ability_learned"
    creature: str
    ability: Ability

    def evolve(self, state: State) -> State:
        return with_abilities(state, self.creature, self.ability.id, (self.ability,))


@record
class AbilityForgotten(Event[State]):
    """A creature has an ability no more, and what was to come by it does not come."""

    type: ClassVar[str] = "ability_forgotten"
    creature: str
    ability: str

    def evolve(self, state: State) -> State:
        return with_abilities(state, self.creature, self.ability, ())


def with_abilities(state: State, creature: str, gone: str, new: tuple[Ability, ...]) -> State:
    """Return *state* in which the abilities of *creature* end with *new* and do not have *gone*.

    What was to come in later turns by the ability that is gone does not come.
    """
    found = state.creatures[creature]
    kept = tuple([ability for ability in found.sheet.abilities if ability.id != gone])
    delayed = tuple([one for one in found.delayed if new or one.ability != gone])
    sheet = changed(found.sheet, abilities=(*kept, *new))
    return state.with_creature(creature, sheet=sheet, delayed=delayed)


@record
class Mending:
    """One effect of a ruling: on a creature, on its sheet, or on the walls and doors of the map."""

    does: Literal[
        "damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate", "walls", "teach", "unteach"
    ]
    target: str = ""
    """The creature; nobody for `walls`."""
    amount: int = 0
    """How much damage, hit points, resistance or how many levels of fatigue."""
    sort: Sort = "normal"
    """What sort of damage."""
    name: str = ""
    """The condition gained or lost; the ability that `unteach` takes."""
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
        return self._felt_fault()

    def _felt_fault(self) -> str | None:
        if self.does in _AMOUNTS and not 1 <= self.amount <= MOST:
            return f"{self.does} has an amount of 1 to {MOST}"
        if self.does in ("gain", "lose") and not 1 <= len(self.name) <= 24:
            return f"{self.does} names a condition"
        if self.does == "locate" and self.to is None:
            return "where to is not said"
        return None

    def _walls_fault(self, view: State) -> str | None:
        if self.does != "walls" or self.target:
            return "edges are for walls, and a target for every other effect"
        return edges_fault(view, self.edges, self.becomes)

    def _ability_fault(self, view: State) -> str | None:
        sheet = view.creatures[self.target].sheet
        if self.does not in TEACHING:
            return "an ability is for teach"
        if not isinstance(view.top, (CombatFrame, PauseFrame)):
            return "the phase is not over; ask for a pause"
        if "abilities" in view.gm_only_of(self.target):
            return f"the abilities of {self.target} are GM-only, and a ruling is public: show them first"
        if self.does == "unteach":
            known = any(ability.id == self.name for ability in sheet.abilities)
            return None if known else f"{self.target} has no ability {self.name}"
        if self.ability is None:
            return "teach names an ability"
        found = sheet_faults(changed(sheet, weapons=(), abilities=(self.ability,)), "", view.profile.defenses)
        return next((f"{pointer}: {fault}" for pointer, fault in found), None)

    def happen(self, state: State, chance: Chance) -> Emits[State]:
        """Emit what the effect does."""
        if self.does == "walls":
            return (yield WallsSet(edges=self.edges, becomes=self.becomes, because=("RI-GM-4",)))
        if self.does == "teach":
            assert self.ability is not None, "checked on the view"
            learned = AbilityLearned(creature=self.target, ability=self.ability, because=("RI-GM-6",))
            return (yield learned)
        if self.does == "unteach":
            return (yield AbilityForgotten(creature=self.target, ability=self.name, because=("RI-GM-6",)))
        return (yield from apply(state, chance, self.atom(self.does)))

    def atom(self, does: Felt) -> Atom:
        """Return the effect on a creature, which *does* this, as the rules know it."""
        gained = Condition(name=self.name, source="gm") if does == "gain" else None
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


@record
class CorrectionFrame(Frame[State]):
    """The effects of a ruling that are still to come."""

    kind: ClassVar[str] = "correction"
    effects: tuple[Mending, ...]

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        state = yield from self.effects[0].happen(state, chance)
        return (yield CorrectionTaken(correction=self.path, because=("RI-GM-4",)))


@record
class CorrectionMade(GmRulingRecorded[State]):
    """The GM ruled: on what, how, why, and with which effects."""

    kind: Kind
    effects: tuple[Mending, ...]

    def evolve(self, state: State) -> State:
        if not self.effects:
            return state
        return state.pushed(CorrectionFrame(path=self.ruling, effects=self.effects))


@record
class CorrectionTaken(Event[State]):
    """One effect of a ruling is done."""

    type: ClassVar[str] = "correction_taken"
    correction: str

    def evolve(self, state: State) -> State:
        frame = state.top_frame(CorrectionFrame)
        if len(frame.effects) == 1:
            return state.popped(self.correction)
        return state.put(changed(frame, effects=frame.effects[1:]))


@enforces(RI_GM_4)
@record
class GmRuling(RulingOfGm[State]):
    """Rule as the GM, with effects that mend what went wrong, from now on."""

    kind: Kind
    effects: tuple[Mending, ...] = ()

    def check(self, view: State) -> None:
        gm(self)
        if view.worlds:  # also those of which the GM sees nothing
            raise Refused("groups_still_resolving", "groups act apart; rule when they have been announced")
        check_words(self.decision, self.reason)
        self.check_contest(view)
        fault = next((found for each in self.effects if (found := each.fault(view)) is not None), None)
        check_effects(len(self.effects), fault)

    def decide(self, state: State) -> Emits[State]:
        state = yield from self.close_contest(state)
        return (
            yield CorrectionMade(
                ruling=f"r{state.round}/correction/{len(state.stacks.table)}",
                kind=self.kind,
                subject=self.subject,
                decision=self.decision,
                reason=self.reason,
                seat=self.by.seat,
                effects=self.effects,
            )
        )
