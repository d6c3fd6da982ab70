"""Hold an open engagement: its participants and how far it has come.

The frame is data; what happens in each phase lives in its chapter (`joining`, `stances`, `steps`, `agility`,
`aftermath`) in a `PhaseRules` that names the phases it is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.heartrush.engagements.exposed import proactive
from service.rules.heartrush.harm.zero import falling
from service.rules.heartrush.sheets.abilities import Moment
from service.rules.heartrush.state import Creature, State
from service.rules.heartrush.windows.listening import listens
from service.rules.heartrush.windows.windows import Interruptible, idle, is_answered, moment
from service.rules.kernel.families import Families
from service.rules.kernel.messages import Awaited, Emits
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.rolls.chance import Chance

Phase = Literal[
    "join", "commit", "reveal", "cunning", "agility", "might", "aftermath", "offensive", "closing"
]
Attack = Literal["unused", "declared", "made", "forgone", "declined", "none"]
Order = Literal["attack_first", "move_first", "no_move"]


@record
class Offensive:
    """What is done instead of an attack, with everything it needs."""

    what: Literal["grapple", "climb", "hinder", "stunt"]
    ability: Literal["might", "agility"] = "might"
    """What the check is made with: might for a grapple, a choice for a climb."""
    way: Literal["harm", "blind", "topple", "push"] | None = None
    """How a hinder hinders."""
    condition: Literal["weakened", "off_balanced", "dazed"] | None = None
    """What a hinder that harms brings besides."""
    text: str = ""
    """What a stunt is."""


@record
class Earned:
    """An offensive action that was won, and lands after all attacks."""

    creature: str
    target: str
    offensive: Offensive


@record
class Declaration:
    """What a participant will do in its step."""

    target: str | None
    also: tuple[str, ...] = ()
    """Whom a blast strikes besides."""
    perk: Mapping[str, int] = EMPTY
    order: Order = "no_move"
    offensive: Offensive | None = None
    """What is done to the target instead of an attack."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Everybody it is meant for, in order."""
        return () if self.target is None else (self.target, *self.also)


@record
class Participant:
    """One creature in an engagement."""

    entry: Literal["initiated", "forced", "joined"]
    stance: str | Sealed[str] | None = None
    declaration: Declaration | Sealed[Declaration] | None = None
    attack: Attack = "unused"
    sidesteps_left: int = 0


@record
class Pending:
    """Something that lands at the end of a step or after all attacks: levels of a condition, or a push."""

    what: Literal["condition", "push"]
    source: str
    target: str
    condition: str = ""
    levels: int = 0


@record
class Brought:
    """An effect of a cantrip's hit besides damage: a condition, a push or a drenching."""

    what: Literal["condition", "shove", "drench"]
    source: str
    target: str
    condition: str = ""
    amount: int = 0
    """Levels of the condition, or feet of the push."""


@record
class Planned:
    """An exchange of a step that is still to be rolled."""

    attacker: str
    defender: str
    contested: bool
    weapon: str | None = None
    """The second weapon of a follow-up; null strikes with what is in hand."""


MOMENTS: Final[Mapping[str, Moment]] = MappingProxyType(
    {
        "commit": "joining_closed",
        "reveal": "stances_revealed",
        "cunning": "step_over",
        "agility": "step_over",
        "might": "step_over",
        "closing": "engagement_closing",
    }
)
"""The window each phase of an engagement opens: a step's when it is done, the others' before they go on."""


@record
class EngagementFrame(Interruptible):
    """One engagement, from its declaration to its end."""

    kind: ClassVar[str] = "engagement"
    initiator: str
    first_target: str
    targeted_side: str
    phase: Phase = "join"
    stage: Literal["declare", "exchanges", "movers", "done"] = "declare"
    """How far the step in hand has come."""
    participants: Mapping[str, Participant] = EMPTY
    declined: tuple[str, ...] = ()
    snapshot: Mapping[str, Creature] = EMPTY
    """The participants as the step began; empty between steps."""
    exchanges: tuple[Planned, ...] = ()
    leading: str | None = None
    """Cunning: whom the side that was engaged lets roll next."""
    movers: tuple[str, ...] = ()
    """Agility: who moves next, in order; the first is at it."""
    moved: bool = False
    """Agility: whether the mover at hand has used or declined its sidestep."""
    picked: bool = False
    """Agility: whether the mover at hand has chosen its target after moving."""
    pending: tuple[Pending, ...] = ()
    brought: tuple[Brought, ...] = ()
    """What cantrips have brought in the step in hand; it lands at the step's end."""
    offensives: tuple[Earned, ...] = ()
    hits: tuple[str, ...] = ()
    """Who has done damage with an attack here."""
    following: Planned | None = None
    """Might: the thrown attack that has just hit and lets another weapon follow."""
    sidestepped: tuple[str, ...] = ()
    """Who has taken a free sidestep of the agility stance, once for each."""

    def waits(self, state: State) -> bool:
        return self.moment_due(state) is None and phase_rules(state, self.phase).waits(state, self)

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.moment_due(state) is not None:
            return ()
        owed = phase_rules(state, self.phase).waiting(state, self)
        if not owed:
            return owed
        return owed + idle(state, self.path) + proactive(state, self.path) + falling(state, self.path, ())

    def moment_due(self, state: State) -> Moment | None:
        """Return the moment that comes now, if somebody could answer it with an instant."""
        if not listens(state):
            return None
        trigger = MOMENTS.get(self.phase)
        if trigger is None or (trigger == "step_over" and self.stage != "done"):
            return None
        return trigger if is_answered(state, self, trigger, self.about()) else None

    def about(self) -> Mapping[str, str | int]:
        """Return what a moment of this engagement is about."""
        return {"engagement": self.path, "phase": self.phase}

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        trigger = self.moment_due(state)
        if trigger is not None:
            return (yield from moment(self, trigger, self.about(), self.initiator))
        return (yield from phase_rules(state, self.phase).advance(state, self))

    def prompt_of(self, what: str, creature: str) -> str:
        """Return the prompt id of what *creature* owes here."""
        return f"{self.path}/{what}/{creature}"

    def awaited(self, state: State, what: str, creature: str, *accepts: str) -> Awaited:
        """Return the answer that *creature* owes here."""
        return Awaited(
            prompt=self.prompt_of(what, creature),
            seat=state.controller(creature),
            accepts=accepts,
            creature=creature,
        )

    def moved_to(self, state: State, phase: Phase, **changes: object) -> State:
        """Return the state with this engagement in another phase, its step begun afresh."""
        return state.put(changed(self, phase=phase, stage="declare", offered=(), **changes))


class PhaseRules:
    """What one phase of an engagement waits for, and how it goes on."""

    phases: ClassVar[tuple[Phase, ...]]

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        """Return the answers owed in this phase."""
        raise NotImplementedError

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        """Tell whether `waiting` would name anybody; a phase with many answers says so more cheaply."""
        return bool(self.waiting(state, frame))

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Tell the next step of this phase."""
        raise NotImplementedError


def phase_rules(state: State, phase: Phase) -> PhaseRules:
    """Return the rules of *phase*: the `PhaseRules` of the ruleset that names it."""
    return _by_phase(state.families)[phase]


@cache
def _by_phase(families: Families) -> Mapping[Phase, PhaseRules]:
    return {phase: kind() for kind in families.listed(PhaseRules) for phase in kind.phases}


def engagement_open(state: State) -> EngagementFrame | None:
    """Return the engagement that is open, also while a window or something else is above it."""
    found = (frame for frame in state.stacks.table if isinstance(frame, EngagementFrame))
    return next(found, None)


def put(state: State, path: str, creature: str, /, **changes: object) -> State:
    """Return the state with fields of one participant changed."""
    frame = state.frame(path, EngagementFrame)
    return state.put(changed(frame, participants=among(frame, {creature: changes})))


def among(frame: EngagementFrame, changes: Mapping[str, Mapping[str, object]]) -> Mapping[str, Participant]:
    """Return the participants of *frame* with fields of some changed, by creature."""
    parts = frame.participants
    return {**parts, **{name: changed(parts[name], **fields) for name, fields in changes.items()}}
