"""Run the fight round by round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import lose_rush, rush_of_round, with_fresh_round
from service.rules.heartrush.body.conditions import fade
from service.rules.heartrush.body.lasting import after_round
from service.rules.heartrush.body.permission import gm, is_confused_out_of, left_by_bars, timing_of
from service.rules.heartrush.body.wounds import falling
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.effects.effects import effects_of_round
from service.rules.heartrush.rolling import turns
from service.rules.heartrush.surviving.drowning import is_anybody_to_breathe, see_to_breath
from service.rules.heartrush.surviving.upkeep import begin_upkeep, due
from service.rules.heartrush.timing import starting_combat
from service.rules.heartrush.timing.clock import time_passed
from service.rules.heartrush.timing.exposed import proactive
from service.rules.heartrush.timing.priority import (
    able_members,
    decline,
    is_anybody_undecided,
    pass_after_ability,
    pass_unable,
    undecided,
)
from service.rules.heartrush.timing.windows import idle, known
from service.rules.heartrush.values import LATEST_S
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Reason, Round
from service.rules.rolls.chance import Chance
from service.rules.rolls.closing import close_epoch
from service.rules.table.stack import Frame
from service.rules.table.table import GM

# --- the round -----------------------------------------------------------------------------------------
# What the bottom frame of the stack does when nothing is above it. setup, precombat, opening roll, priority
# or turns, resolving, round end, round start, and the end of combat.

HR_START_5: Final = Rule(
    "HR-START-5",
    "The side that began the fight opens every later round with priority.",
    books.COMBAT.at("Starting Combat"),
)


PRIORITY_COMMANDS = (*turns.OWN_TURN, "pass", "pass_side")

LEISURE_ACTIONS = (
    "dash",
    "sidestep",
    "object",
    "help",
    "call_out",
    "break_free",
    "let_go",
    "shake_off",
    "steady",
    "douse",
    "hold_breath",
    "breathe",
    "drink_potion",
    "go_unconscious",
)
"""What of a creature's actions in combat it may take while none runs."""

LEISURE_COMMANDS = (
    "treat_wounds",
    "invoke_wound",
    "invoke_aspect",
    "spend_xp",
    "set_standing",
    "hide",
    "coat_weapon",
    "scrape_weapon",
)
"""What a creature may do while no combat runs."""

HELPLESS_COMMANDS = ("invoke_wound", "invoke_aspect", "spend_xp", "set_standing")
"""What of it asks nothing of the creature itself: the unconscious may too."""

GM_LEISURE_COMMANDS = ("rest", "award_xp", "advance_clock")
"""What the GM may set going while no combat runs, besides rulings, checks and arrivals."""

ABILITY_COMMANDS = ("use_ability", "cast", "meditate", "end_spell")
"""What a creature with abilities or spells may do besides."""

UNTIL_ONE_SIDE_IS_GONE = ("precombat", "priority", "turn", "resolving", "round_start", "idle")
"""The phases in which combat may end by itself: never while anything of a step or a round is unsettled."""


@record
class CombatFrame(Frame[State]):
    """The fight itself, below everything unfinished in it."""

    kind: ClassVar[str] = "combat"

    def waits(self, state: State) -> bool:
        if is_anybody_to_breathe(state):
            return False
        phase = state.phase
        if phase in UNTIL_ONE_SIDE_IS_GONE and starting_combat.is_one_side_gone(state):
            return False
        if phase == "priority":
            return is_anybody_undecided(state)
        if phase == "turn":
            return turns.can_take_turn(state)
        return phase in ("setup", "precombat", "idle", "ended")

    def waiting(self, state: State) -> tuple[Awaited, ...]:  # noqa: PLR0911 - one return for each phase
        phase = state.phase
        if not self.waits(state):
            return ()
        if phase == "priority":
            asked = tuple(creature.id for creature in undecided(state))
            members = tuple(self._of_member(state, creature) for creature in asked)
            return members + self._unasked(state, asked)
        if phase == "turn":
            extra = {
                creature.id: self._abilities_of(state, creature) for creature in state.creatures.values()
            }
            taking = turns.taking_part(state, self._path(state), extra)
            asked = tuple(awaited.creature or "" for awaited in taking)
            return taking + self._unasked(state, asked)
        if phase == "precombat":
            return (self._of_gm(state, "grant_priority", "end_combat"), *self._unasked(state, ()))
        if phase == "setup":
            return (self._of_gm(state, "begin_combat"), *self._at_leisure(state))
        if phase == "idle":
            return (self._of_gm(state, "pass_side", "end_combat"),)
        return self._at_leisure(state)

    def _at_leisure(self, state: State) -> tuple[Awaited, ...]:
        """Return what may be done while no combat runs; it keeps nobody waiting."""
        again = state.phase == "ended" and starting_combat.can_fight_again(state)
        accepts = (*GM_LEISURE_COMMANDS, "begin_combat") if again else GM_LEISURE_COMMANDS
        between = Awaited(prompt=f"{self._path(state)}/gm", seat=GM, accepts=accepts, optional=True)
        creatures = tuple(
            Awaited(
                prompt=f"{self._path(state)}/{creature.id}",
                seat=state.controller(creature.id),
                accepts=self._leisure_of(state, creature) if is_able(creature) else HELPLESS_COMMANDS,
                creature=creature.id,
                optional=True,
            )
            for creature in state.creatures.values()
            if creature.is_present
        )
        return (between, *creatures)

    def _leisure_of(self, state: State, creature: Creature) -> tuple[str, ...]:
        """Return what an able creature may do while no combat runs, its abilities with it."""
        actions = LEISURE_COMMANDS + left_by_bars(state, creature, LEISURE_ACTIONS)
        if not (state.abilities and known(creature)):
            return actions
        uses = tuple(name for name in ("use_ability", "cast") if not is_confused_out_of(creature, name))
        return actions + uses

    def _unasked(self, state: State, asked: tuple[str, ...]) -> tuple[Awaited, ...]:
        """Return what may be done at any time: strike at who gives an opening, fall when at zero."""
        path = self._path(state)
        return proactive(state, path) + falling(state, path, asked) + idle(state, path)

    def _path(self, state: State) -> str:
        return f"r{state.round}/{state.phase}"

    def _of_gm(self, state: State, *accepts: str) -> Awaited:
        return Awaited(prompt=self._path(state), seat=GM, accepts=accepts)

    def _of_member(self, state: State, creature: str) -> Awaited:
        return Awaited(
            prompt=f"{self._path(state)}/{creature}",
            seat=state.controller(creature),
            accepts=self._accepts(state, state.creatures[creature]),
            creature=creature,
            optional=True,
        )

    def _accepts(self, state: State, creature: Creature) -> tuple[str, ...]:
        """Return what a creature may do with priority; some of it may be forbidden to it by an ability."""
        return left_by_bars(state, creature, PRIORITY_COMMANDS + self._abilities_of(state, creature))

    def _abilities_of(self, state: State, creature: Creature) -> tuple[str, ...]:
        return ABILITY_COMMANDS if state.abilities and known(creature) else ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:  # noqa: PLR0911 - one return for each phase
        phase = state.phase
        if is_anybody_to_breathe(state):
            return (yield from see_to_breath(state))
        if phase == "opening":
            return (yield from timing_of(state).open(state, chance))
        if phase in UNTIL_ONE_SIDE_IS_GONE and starting_combat.is_one_side_gone(state):
            return (yield from starting_combat.end_if_one_side_is_gone(state, chance))
        if phase == "resolving":
            return (yield from pass_after_ability(state))
        if phase == "priority":
            return (yield from (decline if state.member_passed else pass_unable)(state))
        if phase == "turn":
            return (yield from turns.turn_over(state))
        if phase == "round_end":
            queue = due(state)
            return (yield from begin_upkeep(state, queue) if queue else end_round(state, chance))
        if phase == "round_over":
            return (yield from end_round(state, chance))
        if phase == "ending":
            return (yield from starting_combat.end(state, chance, state.ending))
        assert phase == "round_start", phase
        return (yield from begin_round(state))


@record
class RoundEnded(Event[State]):
    """A round is over: unspent rush is gone, and surprise ends."""

    type: ClassVar[str] = "round_ended"
    round: Round

    def evolve(self, state: State) -> State:
        creatures = {
            name: changed(lose_rush(creature), surprised=False) for name, creature in state.creatures.items()
        }
        clock_s = min(LATEST_S, state.clock_s + state.house.round_seconds)
        if state.lasting:
            state = changed(state, lasting=tuple(after_round(state)))
        return changed(state, phase="round_start", priority_side=None, creatures=creatures, clock_s=clock_s)


@record
class RoundStarted(Event[State]):
    """A round begins: an action and the free firsts for everybody."""

    type: ClassVar[str] = "round_started"
    round: Round

    def evolve(self, state: State) -> State:
        creatures = {
            name: with_fresh_round(
                creature,
                action=1,
                free_dash=True,
                free_object=True,
                free_callout=True,
                meditation=creature.meditation + 1 if creature.meditates else 0,
            )
            for name, creature in state.creatures.items()
        }
        return changed(
            state,
            round=self.round,
            passes=0,
            auto_passes=0,
            acted_this_round=False,
            engagements=0,
            movements=0,
            starter=None,
            turns=timing_of(state).order_of_round(state),
            delayed=(),
            creatures=creatures,
        )


@record
class NobodyCanAct(Event[State]):
    """Neither side has anybody able to act: the fight waits for the GM."""

    type: ClassVar[str] = "nobody_can_act"

    def evolve(self, state: State) -> State:
        return changed(state, phase="idle", priority_side=None)


@record
class CombatEnding(Event[State]):
    """The GM ends combat; what was unfinished is dropped."""

    type: ClassVar[str] = "combat_ending"
    reason: Reason

    def evolve(self, state: State) -> State:
        stacks = changed(state.stacks, table=state.stacks.table[:1])
        return changed(state, phase="ending", ending=self.reason, stacks=stacks, declared_faces=EMPTY)


def end_round(state: State, chance: Chance) -> Emits[State]:
    """Emit the end of a round and disclose what its dice were derived from."""
    state = yield RoundEnded(round=state.round, because=("HR-PRIO-4", "HR-RUSH-3"))
    after: State = yield from close_epoch(state, chance)
    return after


@enforces(HR_START_5)
def begin_round(state: State) -> Emits[State]:
    """Emit the start of a round: time, fading conditions, rush, and the first priority or turn.

    What the time of the last round brings comes before it: where that fells the last of a side, none begins.
    """
    still = not state.acted_this_round
    state = yield from time_passed(state, state.clock_s - state.house.round_seconds)
    if starting_combat.is_one_side_gone(state):
        return state
    state = yield RoundStarted(round=state.round + 1, because=("HR-ACT-1",))
    state = yield from fade(state)
    state = yield from rush_of_round(state)
    if state.lasting or state.abilities:
        state = yield from effects_of_round(state)
    if still and not any(able_members(state, side) for side in state.sides):
        return (yield NobodyCanAct(because=("HR-PRIO-10",)))
    return (yield from timing_of(state).begin_round(state))


@record
class EndCombat(Command[State]):
    """End combat by the GM's word."""

    type: ClassVar[str] = "end_combat"
    sentence: ClassVar[str] = "End combat"
    reason: Reason = "called by the gm"

    def check(self, view: State) -> None:
        if view.phase == "ended":
            raise Refused("encounter_over", "combat has ended", "HR-GEN-1")
        gm(self)
        if view.phase == "setup":
            raise Refused("no_encounter", "combat has not begun: the gm sends begin_combat", "HR-SVC-4")

    def decide(self, state: State) -> Emits[State]:
        return (yield CombatEnding(reason=self.reason, because=("HR-SVC-4",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, prompt=None)
