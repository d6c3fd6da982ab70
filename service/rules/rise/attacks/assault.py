"""Resolve an ability against its targets: the attack roll, its outcome, damage, and everything it does.

One frame for one use, one target after the other. What hits, how well, and what follows is settled here for
good, on what the user's group knows; the announcement later applies the effects and judges nothing again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

from service.dice.values import Roll
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.attacks.blows import strike_damage
from service.rules.rise.attacks.cover import covered, takes
from service.rules.rise.attacks.maneuvers import ended, gripped, landed
from service.rules.rise.attacks.outcomes import Outcome, is_valid, judge, shown
from service.rules.rise.attacks.rolling import against, roll_attack, see_through
from service.rules.rise.attacks.unjudged import keeps_back, postponed
from service.rules.rise.attacks.uses import Aim, Assault, do, may_modify
from service.rules.rise.creatures.creature import is_able
from service.rules.rise.creatures.lasting import Atom, Cover
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.harm.effects import note
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

RI_RES_12: Final = Rule(
    "RI-RES-12",
    "Hit or miss, critical or not, and what it leads to is settled where it is rolled, for good.",
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
    index: int = 0
    stage: Literal["roll", "shown", "land"] = "roll"
    outcome: Outcome = "none"
    multiple: int = 0
    """Of a critical hit: 1 doubles, 2 triples."""
    total: int = 0
    cover: Cover | None = None
    """What shelters the target at hand."""
    redirected_streams: bool = False
    """Whether the attack goes for the cover."""
    instead: str | None = None
    """Who is attacked in the target's place, for it gave cover."""
    sheltering: tuple[str, ...] = ()
    """Creatures that gave cover and were attacked for it: by one use only once."""
    rerolled: bool = False
    exerted: bool = False
    stopped_by: str | None = None
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
    attacker: str
    target: str
    what: str
    total: int
    outcome: Outcome
    multiple: int
    asks: bool
    """Whether the attacker's player may still reroll it."""
    defenses: Mapping[str, int] = EMPTY
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
    attacker: str
    target: str
    cover: str
    """The creature, or the cell of the obstacle."""
    outcome: Outcome = "none"
    """What the attack comes to against it; `none` where it does nothing to it."""
    multiple: int = 0
    defenses: Mapping[str, int] = EMPTY
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
    target: str
    stops: bool = False
    """Whether the ability ends with this target."""
    critical: bool = False

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
    user: str
    path: str

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
    if frame.rerolled and state.house.exertion_keeps == "better" and frame.total > total:
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
    """Tell whether the attacker's player is asked whether to reroll."""
    user = state.creatures[frame.assault.user]
    if not user.sheet.is_pc or frame.rerolled or not may_modify(frame.assault):
        return False
    asks = state.house.exertion_prompt
    return asks == "always" or (asks == "misses" and outcome in ("miss", "glance", "unknown"))


# --- what it does ------------------------------------------------------------------------------------


def land(state: State, chance: Chance, frame: AssaultFrame) -> Emits[State]:
    """Tell what the ability does to the target at hand."""
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
    """Tell what an attack that missed or glanced does to the cover; nobody is attacked twice by one use."""
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
    """Tell each of an ability's effects on the target at hand, or on its user."""
    for number, effect in enumerate(effects):
        if effect.does == "extra":
            continue
        target = frame.assault.user if effect.to == "self" else frame.target
        if effect.to == "target" and not is_valid(state, target, effect):
            continue
        state = yield from do(state, chance, frame.assault, effect, target, number)
    return state


def finish(state: State, chance: Chance, frame: AssaultFrame) -> Emits[State]:
    """Tell what an ability does to its user at the end, and what it costs in fatigue."""
    assault = frame.assault
    state = yield from ended(state, chance, assault, frame.stopped_by, critical=frame.critical)
    for number, effect in enumerate(assault.after):
        state = yield from do(state, chance, assault, effect, assault.user, number)
    levels = assault.fatigue + (2 if frame.exerted else 0)
    if levels and is_able(state.creatures[assault.user]):
        atom = Atom(
            seq=0, source=assault.user, target=assault.user, does="fatigue", amount=levels, name=assault.what
        )
        state = yield from note(state, chance, atom)
    return (yield AbilityDone(user=assault.user, path=frame.path, because=("RI-GROUP-3",)))
