"""Run an action phase at the table: Swift first, groups apart, then everything announced and true at once.

The merge judges nothing again. For each creature what came from outside counts as earlier than what its own
group did: outside damage, what that means, outside conditions, the group's own effects in their order, and
outside healing last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import EMPTY, changed, in_order, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, GroupId, Occasion, StepId
from service.rules.rise import books
from service.rules.rise.body.effects import apply_quietly
from service.rules.rise.body.hidden_swift import SwiftHidden, in_swift_order, is_from_outside, unhidden
from service.rules.rise.body.vital_wounds import POOL, wound_stream
from service.rules.rise.creatures.creature import Atom, Plan
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.merging import (
    after_swift,
    come_true,
    in_fixed_order,
    unseen_in_vain,
    where_it_ends,
)
from service.rules.rise.moving.objects import share_out
from service.rules.rise.planning.groups import (
    GroupFrame,
    WorldsOpened,
    carried_over,
    hand_over,
    is_played,
    occasion,
    opened,
    unread,
)
from service.rules.rise.planning.improvising import DeedsAnnounced, judge_deeds
from service.rules.rise.planning.initiative import asks_players, exertions, spent
from service.rules.rise.values import GroupIds, RoundStep
from service.rules.rolls.chance import Chance, names_of
from service.rules.table.table import DeclaredFaces

RI_GM_1: Final = Rule(
    "RI-GM-1",
    "Where players of one group alone face the GM they declare as they go; else all commit beforehand.",
    books.MECHANICS.at("Resolving Ambiguity"),
)
RI_ORDER_2: Final = Rule(
    "RI-ORDER-2",
    "Your group's actions and the others' are one step seen from two sides; they run in any order.",
    (books.TIME.at("Action Resolution Summary"), books.TIME.at("Resolving Actions")),
)
RI_RES_2: Final = Rule(
    "RI-RES-2",
    "Every group resolves on what was true after Swift abilities, and on its own actions so far.",
    (books.TIME.at("Resolving Actions"), books.TIME.at("Action Resolution Summary")),
    settles=("C-02",),
)
RI_SWIFT_8: Final = Rule(
    "RI-SWIFT-8",
    "Swift effects remain even if their user falls in the same phase; groups that waited for them go on.",
    books.TIME.at("Resolving Actions"),
)
RI_MULTI_1: Final = Rule(
    "RI-MULTI-1",
    "However many groups there are, each is sequential in itself and simultaneous with all others.",
    books.TIME.at("Multi-Group Battles"),
)
RI_SWIFT_1: Final = Rule(
    "RI-SWIFT-1",
    "Swift abilities resolve before all others of the phase, so they change what enemies do.",
    (books.TIME.at("Swift Abilities"), books.TIME.at("Action Resolution Summary")),
)
RI_SWIFT_7: Final = Rule(
    "RI-SWIFT-7",
    "Swift effects of all groups are simultaneous and add up; the same effect twice counts once.",
    (books.TIME.at("Action Resolution Summary"), books.CODEX_CHARACTERS.at("Stacking Rules")),
)
RI_RES_6: Final = Rule(
    "RI-RES-6",
    "What other groups did happens before what your group did, but cannot change what your group did.",
    books.TIME.at("Resolving Actions"),
    settles=("C-03",),
)


ANNOUNCED: Final = ("RI-RES-6", "C-03")
"""The rule of the announcement, which is taken with the merge though that may wait for players."""
Reached = Literal["begin", "swift", "first", "second", "merge"]


@record
class ActionFrame(GroupFrame):
    """The action phase."""

    kind: ClassVar[str] = "rise_action"
    reached: Reached = "begin"
    """The point that was reached."""
    committing: tuple[GroupId, ...] = ()
    """The groups that commit to Swift abilities before anybody rolls."""
    first: tuple[GroupId, ...] = ()
    """The groups that resolve first."""
    second: tuple[GroupId, ...] = ()
    """The groups that wait until the first have declared their Swift."""
    logs: Mapping[GroupId, tuple[Atom, ...]] = EMPTY
    """What groups have announced and is not true yet."""
    felled: Mapping[GroupId, tuple[CreatureId, ...]] = EMPTY
    """Whom each group saw lie felled when it was done, though it may stand."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.reached == "begin":
            return (yield from begin(state))
        if unread(state):
            return (yield from hand_over(state))
        if (news := self.news(state)) is not None:
            return (yield news)
        if self.reached == "merge":
            return (yield from merge(state, chance, self))
        return (yield from go_on(state, self))


def go_on(state: State, frame: ActionFrame) -> Emits[State]:
    """Emit what follows when all groups at work are done: others resolve, or everybody announces."""
    if frame.reached == "swift":
        return (yield from first(state, frame))
    if frame.reached == "first" and frame.second:
        return (yield from second(state, frame))
    return (yield from announce(state))


@record
class GroupsScheduled(Event[State]):
    """It is fixed for the phase which groups commit to Swift, and which resolve first."""

    type: ClassVar[str] = "groups_scheduled"
    committing: tuple[GroupId, ...]
    """The ids of the groups that commit to Swift abilities."""
    first: tuple[GroupId, ...]
    """The ids of the groups that resolve first."""
    second: tuple[GroupId, ...]
    """The ids of the groups that resolve after them."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(ActionFrame)
        return state.put(changed(frame, committing=self.committing, first=self.first, second=self.second))


@record
class ActionStepReached(Event[State]):
    """The action phase goes on: these groups are at work now."""

    type: ClassVar[str] = "action_step_reached"
    reached: Reached
    """The point that was reached."""
    groups: GroupIds
    step: RoundStep

    def evolve(self, state: State) -> State:
        frame = changed(state.top_frame(ActionFrame), reached=self.reached, at_work=self.groups, done=())
        return changed(state.put(frame), step=self.step)


@record
class GroupAnnounced(Event[State]):
    """What one group did is open: its log, and with it everything it rolled and decided."""

    type: ClassVar[str] = "group_announced"
    group: GroupId
    effects: tuple[Atom, ...]
    """The effects, in order."""
    occasion: Occasion
    plans: Mapping[CreatureId, Plan] = EMPTY
    """The movements that members paid for and that react to others."""
    felled: tuple[CreatureId, ...] = ()
    """Who lies felled as far as the group has seen."""

    def evolve(self, state: State) -> State:
        declared = dict(state.declared_faces)
        inner = state.at(self.group)
        for name in state.groups[self.group]:
            new = inner.creatures[name].wounds[len(state.creatures[name].wounds) :]
            for number, wound in enumerate(new, 1):
                if wound.by is not None:
                    declared[wound_stream(name, state.stage, number)] = DeclaredFaces(
                        seat=wound.by, faces=(wound.die,), dice=names_of(POOL)
                    )
        frame = state.top_frame(ActionFrame)
        logs, felled = with_key(frame.logs, self.group, self.effects), frame.felled
        felled = with_key(felled, self.group, self.felled) if self.felled else felled
        frame = changed(frame, reached="merge", logs=logs, felled=felled)
        plans = {**state.plans, **dict(sorted(self.plans.items()))}
        state = changed(counted(state.put(frame), inner), declared_faces=declared, plans=plans)
        return unhidden(carried_over(state, self.group), self.group)


def counted(state: State, inner: State) -> State:
    """Return the table with the rolls of a group counted, those in a ruling's own epochs too.

    A wound that is rolled again at the table is the same roll.
    """

    def more(ours: Mapping[str, int], theirs: Mapping[str, int]) -> Mapping[str, int]:
        new = {key: max(ours.get(key, 0), n) for key, n in theirs.items() if "/vital/" not in key}
        return in_order({**ours, **new}) if new else ours

    gone = {key: astray for key, astray in inner.redirected_streams.items() if "/vital/" not in key}
    astray = in_order({**state.redirected_streams, **gone}) if gone else state.redirected_streams
    places, rolls_in_other_epochs = (
        more(state.places, inner.places),
        more(state.rolls_in_other_epochs, inner.rolls_in_other_epochs),
    )
    return changed(
        state, places=places, rolls_in_other_epochs=rolls_in_other_epochs, redirected_streams=astray
    )


@record
class PhaseResolved(Event[State]):
    """Everything that groups did in the phase is true."""

    type: ClassVar[str] = "phase_resolved"
    path: StepId

    def evolve(self, state: State) -> State:
        return changed(state.popped(self.path), stage="action_end", step=10, declared_faces={})


# --- who is when at it -------------------------------------------------------------------------------


@enforces(RI_GM_1)
def is_strict(state: State) -> bool:
    """Return whether groups commit to Swift abilities before they act."""
    mode = state.house.swift_mode
    if mode == "auto":
        return sum(is_played(state, group) for group in state.groups) > 1
    return mode == "strict"


def uncommitted(state: State) -> str | None:
    """Return the one group that declares Swift abilities as it goes: the first of those with players."""
    played = (group for group in state.groups if is_played(state, group))
    return None if is_strict(state) else next(played, None)


def committing(state: State) -> tuple[str, ...]:
    """Return the groups that commit to Swift abilities before anybody rolls: all, or all but one."""
    return tuple([group for group in state.groups if group != uncommitted(state)])


def at_once(state: State) -> tuple[str, ...]:
    """Return the groups that resolve first: all, or the one for whose Swift abilities the others wait."""
    free = uncommitted(state)
    return tuple(state.groups) if free is None else (free,)


@enforces(RI_ORDER_2)
def begin(state: State) -> Emits[State]:
    """Emit the order in which groups resolve, and the worlds in which they commit."""
    groups = committing(state)
    first = at_once(state)
    rest = tuple([group for group in state.groups if group not in first])
    state = yield GroupsScheduled(committing=groups, first=first, second=rest)
    state = yield ActionStepReached(reached="swift", groups=groups, step=6)
    return (yield WorldsOpened(groups={group: opened(state, group, "swift") for group in groups}))


@enforces(RI_RES_2, RI_SWIFT_1)
def first(state: State, frame: ActionFrame) -> Emits[State]:
    """Emit the worlds of the groups that resolve first, after Swift effects or with these hidden."""
    if not frame.second:
        state = yield from apply_swift(state, frame.committing)
    else:
        state = yield SwiftHidden(groups=frame.committing, because=("RI-SWIFT-7", "C-01"))
    return (yield from open_turns(state, "first", frame.first))


@enforces(RI_SWIFT_8)
def second(state: State, frame: ActionFrame) -> Emits[State]:
    """Emit the Swift effects of the groups that resolved first, and the worlds of the others."""
    state = yield from apply_swift(state, frame.first)
    if any(is_met(state, each) for group in frame.first for each in state.at(group).effects):
        state = yield SwiftHidden(groups=frame.committing, because=("RI-SWIFT-7", "C-01"))
    return (yield from open_turns(state, "second", frame.second))


@enforces(RI_MULTI_1)
def open_turns(state: State, reached: Reached, groups: tuple[str, ...]) -> Emits[State]:
    """Emit the worlds in which *groups* take their turns."""
    state = yield ActionStepReached(reached=reached, groups=groups, step=7, because=("RI-ORDER-2",))
    known = state.top_frame(ActionFrame).committing
    worlds = {group: opened(state, group, "turns", precommitted=group in known) for group in groups}
    return (yield WorldsOpened(groups=worlds, because=("RI-RES-2",)))


@enforces(RI_SWIFT_7)
def apply_swift(state: State, groups: Sequence[str]) -> Emits[State]:
    """Emit the Swift effects of *groups*, on each creature those of its own group last."""
    for effect in in_swift_order(state, {group: state.at(group).effects for group in groups}):
        state = yield from come_true(state, effect, apply_quietly(state, effect))
    return state


def is_met(state: State, effect: Atom) -> bool:
    """Return whether a Swift effect may contradict what others did unseen, as far as its group knows."""
    outside = is_from_outside(state, effect)
    return effect.swift and ((effect.does == "lose" and not outside) or (effect.does == "gain" and outside))


# --- the announcement --------------------------------------------------------------------------------


def announce(state: State) -> Emits[State]:
    """Emit what every group did; from now on it is open."""
    tried = {group: state.at(group).deeds for group in state.groups}
    for group, (log, judgements) in in_fixed_order(state).items():
        opens = occasion(state, group)
        inner = state.at(group)
        announced = GroupAnnounced(
            group=group,
            effects=log,
            occasion=opens,
            plans=inner.plans,
            felled=newly_felled(state, inner),
            because=ANNOUNCED,
        )
        in_vain = unseen_in_vain(state, group)
        state = yield announced
        for says in in_vain:
            state = yield says
        for judged in judgements:
            state = yield judged
        if tried[group]:
            state = yield DeedsAnnounced(group=group, deeds=tried[group], because=("RI-ACT-12",))
    return state


def newly_felled(state: State, inner: State) -> tuple[str, ...]:
    """Return who stands on the table and not in the world of a group."""
    standing = [name for name, c in state.creatures.items() if not (c.dead or c.defeated)]
    return tuple([name for name in standing if inner.creatures[name].dead or inner.creatures[name].defeated])


@enforces(RI_RES_6)
def merge(state: State, chance: Chance, frame: ActionFrame) -> Emits[State]:
    """Emit the end of the phase: what the groups did to each other, merged."""
    state = yield from exertions(state, chance)
    state = yield from share_out(state, chance)
    if asks_players(state):
        return state
    if state.deeds:
        return (yield from judge_deeds(state, chance))
    late = {group: after_swift(log) for group, log in frame.logs.items()}
    state = yield from where_it_ends(state, chance, late, state.groups, frame.felled)
    if asks_players(state):
        return state
    state = yield from spent(state)
    return (yield PhaseResolved(path=frame.path, because=("RI-RES-10",)))
