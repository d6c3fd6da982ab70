"""Making attacks: resolve an ability against its targets, with everything that it does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

from service.dice.values import Roll
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AttackerId, Code, Count, CreatureId, StepId, TargetId, Total
from service.rules.rise import books
from service.rules.rise.attacks.attack_rolls import (
    Outcome,
    against,
    is_valid,
    judge,
    roll_attack,
    see_through,
    shown,
    strike_damage,
)
from service.rules.rise.attacks.unjudged import keeps_back, postponed
from service.rules.rise.body.effects import (
    LocationEffectIgnored,
    grasp,
    hurl,
    note,
    note_together,
    part,
    push,
    push_feet,
    side_by_side,
    throw_feet,
)
from service.rules.rise.body.movement_and_positioning import Past, feet_of, walk
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import asks_to_exert, first_counts
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Cover, Plan, is_able
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Aim, Assault, covered, do, may_modify, takes
from service.rules.rise.values import CellPath, DamageMultiple, MeansName, UserId
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell
from service.rules.table.stack import Frame

# --- maneuvers -----------------------------------------------------------------------------------------
# Firm grips, pushes, throws, running through.

GRAPPLES: Final = ("rush_shove", "grapple_shove")
"""Shoves that move a whole grapple: in the movement phase, and for a traded movement."""


@record
class RushedThrough(Event[State]):
    """An overrun leads past whom it beat, up to whom it did not; a shove moves whom it beat along."""

    type: ClassVar[str] = "rushed_through"
    user: UserId
    passed: tuple[CreatureId, ...]
    """The ids of the creatures that it passed."""
    path: CellPath
    pushed: Mapping[CreatureId, tuple[Cell, ...]]
    """The way of each creature that was pushed along, by id."""

    def evolve(self, state: State) -> State:
        plan = state.plans[self.user]
        mine = changed(plan, path=self.path, passes=(*plan.passes, *self.passed))
        plans = {**state.plans, self.user: mine}
        for name, path in self.pushed.items():
            if name not in plans or not plans[name].path:
                kept = plans[name].free_actions if name in plans else ()
                plans[name] = Plan(ability="pushed", path=path, passes=(self.user,), free_actions=kept)
        return changed(state, plans=plans)


def landed(state: State, chance: Chance, aim: Aim, *, critical: bool) -> Emits[State]:
    """Emit what a maneuver that hit does: a grapple begins or ends, a push or throw moves its target."""
    assault = aim.assault
    if assault.maneuver == "grapple":
        return (yield from grasp(state, chance, assault.user, aim.target))
    if assault.maneuver == "escape":
        return (yield from part(state, chance, assault.user, aim.target))
    if assault.push is None or assault.maneuver in GRAPPLES:
        return state
    if assault.maneuver == "throw":
        far = min(assault.push_ft, throw_feet(state, state.creatures[assault.user]))
        return (yield from hurl(state, chance, assault.user, aim.target, assault.push, far))
    user, target = state.creatures[assault.user], state.creatures[aim.target]
    feet = min(assault.push_ft, push_feet(state, user, target, critical=critical))
    return (yield from push(state, assault.user, aim.target, assault.push, feet))


def gripped(state: State, chance: Chance, user: str, total: int) -> Emits[State]:
    """Emit how firm a grip is for the rest of the round."""
    firm = Condition(name="grip", source=user, until="round", expires=state.round, modifiers={"grip": total})
    atom = Atom(seq=UNNUMBERED, source=user, target=user, does="gain", condition=firm, swift=True)
    return (yield from note(state, chance, atom))


def ended(
    state: State, chance: Chance, assault: Assault, stopped_by: str | None, *, critical: bool
) -> Emits[State]:
    """Emit where a running maneuver ends: at once in a turn, in the plan where it is a movement."""
    beaten = assault.targets if stopped_by is None else assault.targets[: assault.targets.index(stopped_by)]
    if assault.maneuver in GRAPPLES:
        return (yield from shoved_along(state, assault, beaten, critical=critical))
    if assault.maneuver not in ("overrun", "rush"):
        return state
    user = state.creatures[assault.user]
    if assault.maneuver == "rush":
        path = up_to(state, user.space, assault.path, stopped_by)
        return (
            yield RushedThrough(
                user=user.id, passed=beaten, path=path, pushed={}, because=("RI-UNIV-OVERRUN",)
            )
        )
    feet = feet_of(state, user, assault.path)
    path = walk(state, user, assault.path, feet, Past(through=beaten)).cells
    return (
        yield from note(
            state, chance, Atom(seq=UNNUMBERED, source=user.id, target=user.id, does="locate", path=path)
        )
    )


def up_to(state: State, space: int, path: tuple[Cell, ...], stopped_by: str | None) -> tuple[Cell, ...]:
    """Return *path* up to the space of whom it stops at."""
    if stopped_by is None:
        return path
    other = state.creatures[stopped_by]
    for length, cell in enumerate(path):
        if touches(cell, space, other.position, other.space):
            return path[:length]
    return path


def touches(a: Cell, a_side: int, b: Cell, b_side: int) -> bool:
    """Return whether two spaces share a cell."""
    return a[0] < b[0] + b_side and b[0] < a[0] + a_side and a[1] < b[1] + b_side and b[1] < a[1] + a_side


def shoved_along(state: State, assault: Assault, beaten: tuple[str, ...], *, critical: bool) -> Emits[State]:
    """Emit how a grapple moves: only if all who are in it were beaten, as far as all of them can go."""
    user = assault.user
    ways: dict[str, tuple[Cell, ...]] = {}
    if beaten == assault.targets:
        ways = together(state, assault, critical=critical)
    if assault.maneuver == "grapple_shove":
        return (yield from dragged(state, user, ways))
    path = ways.pop(user, ())
    return (yield RushedThrough(user=user, passed=beaten, path=path, pushed=ways, because=("RI-UNIV-SHOVE",)))


def together(state: State, assault: Assault, *, critical: bool) -> dict[str, tuple[Cell, ...]]:
    """Return how far all who are in a grapple can go the same way, its mover first."""
    assert assault.push is not None, "a shove has a direction"
    everybody = (assault.user, *assault.targets)
    user = state.creatures[assault.user]
    feet = min(push_feet(state, user, state.creatures[name], critical=critical) for name in assault.targets)
    if assault.maneuver == "grapple_shove":
        feet = min(feet, assault.push_ft)
    return side_by_side(state, everybody, assault.push, feet)


def dragged(state: State, user: str, ways: Mapping[str, tuple[Cell, ...]]) -> Emits[State]:
    """Emit that a grapple moves; it stays where one of them has moved in this phase already."""
    stays = [name for name in ways if state.creatures[name].location_changed]
    for name in stays:
        state = yield LocationEffectIgnored(creature=name, source=user, because=("RI-MOVE1-2",))
    if stays:
        return state
    atoms = [
        Atom(
            seq=UNNUMBERED,
            source=user,
            target=name,
            does="locate",
            path=path,
            how="self" if name == user else "forced",
        )
        for name, path in ways.items()
    ]
    return (yield from note_together(state, atoms))


# --- the assault ---------------------------------------------------------------------------------------
# The attack roll, its outcome, damage, and everything it does. One frame for one use, one target after the
# other. What hits, how well, and what follows is settled here for good, on what the user's group knows; the
# announcement later applies the effects and judges nothing again.

RI_RES_12: Final = Rule(
    "RI-RES-12",
    "Whether an attack hits, and how well, is settled for good when it is rolled.",
    books.TIME.at("Resolving Actions"),
    settles=("C-09",),
)


STOPPED = ("overrun", "rush", "rush_shove", "grapple_shove")
"""Maneuvers that end with the first target they do not beat."""


@record
class AssaultFrame(Frame[State]):
    """An ability that is being resolved."""

    kind: ClassVar[str] = "rise_assault"
    assault: Assault
    """The use of the ability, as it was declared."""
    index: Count = 0
    """The place in the list of targets, from 0."""
    stage: Literal["roll", "shown", "land"] = "roll"
    """How far it has come."""
    outcome: Outcome = "none"
    """The outcome of the attack that was rolled last."""
    multiple: Count = 0
    """Of a critical hit: 1 doubles, 2 triples."""
    total: Total = 0
    cover: Cover | None = None
    """What shelters the target at hand."""
    redirected_streams: bool = False
    """Whether the attack goes for the cover."""
    instead: CreatureId | None = None
    """Who is attacked in the target's place, for it gave cover."""
    sheltering: tuple[CreatureId, ...] = ()
    """Creatures that gave cover and were attacked for it: by one use only once."""
    rerolled: bool = False
    """Whether the roll was made again."""
    exerted: bool = False
    """Whether the exertion was used."""
    stopped_by: CreatureId | None = None
    """Overrun: who was not to be passed."""
    critical: bool = True
    """Whether every target so far was hit critically."""

    @property
    def target(self) -> str:
        """The target at hand."""
        return self.instead or self.assault.targets[self.index]

    @property
    def aim(self) -> Aim:
        """This use, and the target at hand."""
        return Aim(self.assault, self.target)

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.stage != "shown":
            return ()
        seat = state.controller(self.assault.user)
        accepts = ("desperate_exertion", "keep_roll")
        return (Awaited(prompt=f"{self.path}/roll", seat=seat, accepts=accepts, creature=self.assault.user),)

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.index >= len(self.assault.targets):
            return (yield from finish(state, chance, self))
        if self.stage == "roll" and self.assault.strike is not None and self.assault.strike.versus:
            return (yield from attack(state, chance, self, self.assault.strike))
        return (yield from land(state, chance, self))


# --- facts -------------------------------------------------------------------------------------------


@record
class AssaultBegun(Event[State]):
    """Somebody uses an ability on its targets."""

    type: ClassVar[str] = "ability_used"
    assault: Assault
    """The use of the ability, as it was declared."""

    def evolve(self, state: State) -> State:
        top = state.top
        assert top is not None, "abilities are used in turns"
        user = state.creatures[self.assault.user]
        number = user.budget.attacks + 1
        state = state.with_budget(user.id, attacks=number)
        return state.pushed(
            AssaultFrame(path=f"{top.path}/{self.assault.what}-{number}", assault=self.assault)
        )


@record
class AttackRolled(Event[State]):
    """An attack was rolled against a target, and what came of it is settled."""

    type: ClassVar[str] = "attack_rolled"
    attacker: AttackerId
    target: TargetId
    what: MeansName
    total: Total
    outcome: Outcome
    """The outcome: a miss, a hit or a critical hit."""
    multiple: DamageMultiple
    asks: bool
    """Whether the attacker's player may still reroll it."""
    defenses: Mapping[Code, Total] = EMPTY
    """The target's defenses, where the house shows them."""
    cover: Cover | None = None
    """What shelters the target."""
    redirected_streams: bool = False
    """Whether the attack falls short of the target's defenses and goes for the cover."""

    def evolve(self, state: State) -> State:
        return state.with_top(
            AssaultFrame,
            stage="shown" if self.asks else "land",
            total=self.total,
            outcome=self.outcome,
            multiple=self.multiple,
            cover=self.cover,
            redirected_streams=self.redirected_streams,
        )


@record
class CoverStruck(Event[State]):
    """An attack hits what sheltered its target: a creature, or an obstacle, which takes it without harm."""

    type: ClassVar[str] = "cover_struck"
    attacker: AttackerId
    target: TargetId
    cover: Code
    """The creature, or the cell of the obstacle."""
    outcome: Outcome = "none"
    """What the attack comes to against it; `none` where it does nothing to it."""
    multiple: DamageMultiple = 0
    defenses: Mapping[Code, Total] = EMPTY
    """The cover's defenses, where the house shows them."""

    def evolve(self, state: State) -> State:
        frame = changed(state.top_frame(AssaultFrame), redirected_streams=False, cover=None)
        frame = changed(frame, outcome=self.outcome, multiple=self.multiple)
        if self.outcome == "none":
            return state.put(frame)
        return state.put(changed(frame, instead=self.cover, sheltering=(*frame.sheltering, self.cover)))


@record
class TargetDone(Event[State]):
    """An ability is done with one of its targets."""

    type: ClassVar[str] = "target_done"
    target: TargetId
    stops: bool = False
    """Whether the ability ends with this target."""
    critical: bool = False
    """Whether it was a critical hit."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(AssaultFrame)
        index = len(frame.assault.targets) if self.stops else frame.index + 1
        return state.put(
            changed(
                frame,
                index=index,
                stage="roll",
                outcome="none",
                multiple=0,
                cover=None,
                redirected_streams=False,
                instead=None,
                rerolled=False,
                stopped_by=self.target if self.stops else None,
                critical=frame.critical and self.critical,
            )
        )


@record
class AbilityDone(Event[State]):
    """An ability is done with all its targets."""

    type: ClassVar[str] = "ability_done"
    user: UserId
    path: StepId

    def evolve(self, state: State) -> State:
        return state.popped(self.path)


# --- the attack roll ---------------------------------------------------------------------------------


@enforces(RI_RES_12)
def attack(state: State, chance: Chance, frame: AssaultFrame, strike: Strike) -> Emits[State]:
    """Emit one attack roll of an assault, with its outcome."""
    assault = frame.assault
    roll: Roll
    state, roll = yield from roll_attack(state, chance, frame.aim, strike, again=frame.rerolled)
    cover = covered(state, frame.aim, strike)
    defenses = against(state, frame.aim, strike, cover)
    outcome, multiple = judge(roll.total, defenses, strike)
    total = roll.total
    if frame.rerolled and first_counts(state, frame.total, total):
        outcome, multiple, total = frame.outcome, frame.multiple, frame.total
    if keeps_back(state, frame.aim):
        outcome, multiple = "unknown", 0
    astray = cover is not None and outcome in ("miss", "glance")
    if outcome != "miss":
        state, outcome = yield from see_through(state, chance, frame.aim, outcome)
    return (
        yield AttackRolled(
            attacker=assault.user,
            target=frame.target,
            what=assault.what,
            total=total,
            outcome=outcome,
            multiple=multiple,
            asks=may_exert(state, frame, outcome),
            defenses=shown(state, frame.target, defenses),
            cover=cover,
            redirected_streams=astray,
        )
    )


def may_exert(state: State, frame: AssaultFrame, outcome: Outcome) -> bool:
    """Return whether the attacker's player is asked whether to reroll."""
    if frame.rerolled or not may_modify(frame.assault):
        return False
    missed = outcome in ("miss", "glance", "unknown")
    return asks_to_exert(state, frame.assault.user, missed=missed)


# --- what it does ------------------------------------------------------------------------------------


def land(state: State, chance: Chance, frame: AssaultFrame) -> Emits[State]:
    """Emit what the ability does to the target at hand."""
    assault = frame.assault
    if frame.outcome == "unknown":
        assert assault.strike is not None, "attacks are judged"
        state = yield from postponed(state, chance, frame.aim, frame.total, frame.cover, frame.sheltering)
        return (yield TargetDone(target=frame.target, because=("RI-INFO-5",)))
    if frame.redirected_streams:
        return (yield from into_cover(state, frame))
    hit = frame.outcome in ("hit", "crit", "none")
    before = state.creatures[frame.target].hp
    if assault.strike is not None and assault.strike.damaging:
        state = yield from strike_damage(
            state, chance, frame.aim, assault.strike, frame.outcome, frame.multiple
        )
    state = yield from do_all(state, chance, frame, assault.effects if hit else ())
    if frame.outcome == "crit":
        state = yield from do_all(state, chance, frame, assault.on_crit)
    if frame.outcome in ("miss", "glance"):
        state = yield from do_all(state, chance, frame, assault.on_miss)
    if hit and state.creatures[frame.target].hp < before:
        state = yield from do_all(state, chance, frame, assault.on_loss)
    if assault.maneuver == "grip":
        state = yield from gripped(state, chance, assault.user, frame.total)
    critical = frame.outcome == "crit"
    if hit:
        state = yield from landed(state, chance, frame.aim, critical=critical)
    stops = assault.maneuver in STOPPED and not hit
    return (yield TargetDone(target=frame.target, stops=stops, critical=critical, because=("RI-RES-12",)))


def into_cover(state: State, frame: AssaultFrame) -> Emits[State]:
    """Emit what an attack that missed or glanced does to the cover; nobody is attacked twice by one use."""
    assault, strike, cover = frame.assault, frame.assault.strike, frame.cover
    assert strike is not None, "attacks go astray"
    assert cover is not None, "what is covered is sheltered by something"
    if not takes(state, cover, (*assault.targets, *frame.sheltering)):
        state = yield CoverStruck(
            attacker=assault.user, target=frame.target, cover=cover.by, because=("RI-ATK-15",)
        )
        return (yield TargetDone(target=frame.target, because=("RI-ATK-15",)))
    aim = Aim(changed(assault, defense_terms=EMPTY), cover.by)
    defenses = against(state, aim, strike, None)
    outcome, multiple = judge(frame.total, defenses, strike)
    if keeps_back(state, aim):
        outcome, multiple = "unknown", 0
    return (
        yield CoverStruck(
            attacker=assault.user,
            target=frame.target,
            cover=cover.by,
            outcome=outcome,
            multiple=multiple,
            defenses=shown(state, cover.by, defenses),
            because=("RI-ATK-15",),
        )
    )


def do_all(state: State, chance: Chance, frame: AssaultFrame, effects: Sequence[Effect]) -> Emits[State]:
    """Emit each of an ability's effects on the target at hand, or on its user."""
    for number, effect in enumerate(effects):
        if effect.does == "extra":
            continue
        target = frame.assault.user if effect.to == "self" else frame.target
        if effect.to == "target" and not is_valid(state, target, effect):
            continue
        state = yield from do(state, chance, frame.assault, effect, target, number)
    return state


def finish(state: State, chance: Chance, frame: AssaultFrame) -> Emits[State]:
    """Emit what an ability does to its user at the end, and what it costs in fatigue."""
    assault = frame.assault
    state = yield from ended(state, chance, assault, frame.stopped_by, critical=frame.critical)
    for number, effect in enumerate(assault.after):
        state = yield from do(state, chance, assault, effect, assault.user, number)
    levels = assault.fatigue + (2 if frame.exerted else 0)
    if levels and is_able(state.creatures[assault.user]):
        atom = Atom(
            seq=UNNUMBERED,
            source=assault.user,
            target=assault.user,
            does="fatigue",
            amount=levels,
            name=assault.what,
        )
        state = yield from note(state, chance, atom)
    return (yield AbilityDone(user=assault.user, path=frame.path, because=("RI-GROUP-3",)))
