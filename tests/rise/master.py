"""Let players and the GM do by chance what nobody is offered: charges, runs, throws, rulings, odd beginnings.

Each thing is only tried: what the moment does not allow is refused, which is as good a thing to have tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from service.rules.grid import STEPS, line
from service.rules.rise.state import Creature, State
from service.rules.ruleset import waiting

QUESTIONS: Final = (
    ("monster_fate", "unconscious"),
    ("improved_cover", "4"),
    ("free_action_reasonable", "no"),
    ("conflict_exists", "yes"),
)


class Attempt(NamedTuple):
    """One command that somebody tries."""

    type: str
    seat: str
    data: Mapping[str, Any]


class Moment(NamedTuple):
    """Where the fight stands, with a creature and another one picked by chance."""

    state: State
    random: Random
    who: str
    other: str

    @property
    def me(self) -> Creature:
        """The creature as its group knows it."""
        group = self.state.group_of(self.who)
        local = self.state.at(group) if group in self.state.apart and group is not None else self.state
        return local.creatures[self.who]

    @property
    def seat(self) -> str:
        """Who plays the creature."""
        return self.state.controller(self.who)

    def by(self, type_: str, **data: Any) -> Attempt:
        """Return a command of the creature."""
        return Attempt(type_, self.seat, {"creature": self.who, **data})

    def gm(self, type_: str, **data: Any) -> Attempt:
        """Return a command of the GM."""
        return Attempt(type_, "gm", data)

    def straight(self, most: int = 6) -> list[list[int]]:
        """Return a straight path of the creature, towards the other one where that is straight."""
        at, to = self.state.creatures[self.who].position, self.state.creatures[self.other].position
        dx, dy = to[0] - at[0], to[1] - at[1]
        step = ((dx > 0) - (dx < 0), (dy > 0) - (dy < 0)) if 0 in (dx, dy) or abs(dx) == abs(dy) else None
        length = max(1, max(abs(dx), abs(dy)) - self.random.randint(-1, 1))
        step = step if step not in (None, (0, 0)) else self.random.choice(STEPS)
        return [list(cell) for cell in line(at, step, min(length, most))]


def attempt(state: State, random: Random) -> Attempt:
    """Return something to try now, of what this phase may allow."""
    names = list(state.creatures)
    owing = [awaited.creature for awaited in waiting(state) if awaited.creature]
    who = random.choice(owing or names) if random.random() < 0.9 else random.choice(names)
    near = sorted(names, key=lambda name: state.distance(state.creatures[who], state.creatures[name]))[1:4]
    moment = Moment(state, random, who, random.choice(near or names))
    tricks = {"movement": MOVING, "action": ACTING}.get(state.phase, BETWEEN)
    return random.choice((*tricks, *tricks, *ALWAYS))(moment)


def prologue(state: State, random: Random) -> Iterator[Attempt]:
    """Yield what is done before the fight begins, and its beginning."""
    names = list(state.creatures)
    for name in names[:2]:
        yield Attempt("rest", "gm", {"creature": name, "rest": random.choice(("short", "long"))})
    if random.random() < 0.3:
        yield Moment(state, random, names[0], names[-1]).gm("set_groups", groups={"band": names[:2]})
    if random.random() < 0.3:
        data = {"creature": names[0], "toward": names[-1], "attitude": "neutral"}
        yield Attempt("set_attitude", state.controller(names[0]), data)
    unaware = [name for name in names if random.random() < 0.2]
    phase = random.choice(("movement", "action"))
    yield Attempt("start_combat", "gm", {"start_phase": phase, "unaware": unaware})


def epilogue(state: State, random: Random) -> Iterator[Attempt]:
    """Yield what is done when the fight is over: it ends, and everybody rests."""
    yield Attempt("end_combat", "gm", {})
    for name, creature in state.creatures.items():
        wound = 0 if creature.wounds else None
        yield Attempt("rest", "gm", {"creature": name, "rest": "short"})
        yield Attempt("rest", "gm", {"creature": name, "rest": "long", "wound": wound})


# --- movement phase ----------------------------------------------------------------------------------


def sprint(moment: Moment) -> Attempt:
    return moment.by("plan_movement", ability="sprint", path=moment.straight(12))


def hustle(moment: Moment) -> Attempt:
    return moment.by("plan_movement", path=moment.straight())


def fly(moment: Moment) -> Attempt:
    mode = moment.random.choice(("fly", "climb", "swim"))
    return moment.by("plan_movement", path=moment.straight(), mode=mode)


def jump(moment: Moment) -> Attempt:
    return moment.by("plan_movement", ability="jump", path=moment.straight(1))


def react(moment: Moment) -> Attempt:
    ability = moment.random.choice(("follow", "withdraw", "block"))
    sprints = moment.random.choice(("never", "ask", "auto"))
    feet = moment.random.choice((5, 10, 60))
    return moment.by(
        "plan_movement", ability=ability, targets=[moment.other], sprint=sprints, distance_ft=feet
    )


def carry(moment: Moment) -> Attempt:
    group = moment.state.group_of(moment.who)
    plans = moment.state.at(group).plans if group in moment.state.apart else {}
    riders = [n for n, c in moment.state.creatures.items() if c.mount == moment.who] or [*plans, moment.other]
    riders = riders[:1]
    ability = moment.random.choice(("hustle", "sprint"))
    return moment.by("plan_movement", ability=ability, path=moment.straight(), carry=riders)


def mount(moment: Moment) -> Attempt:
    at = moment.state.creatures[moment.other].position
    return moment.by("plan_movement", path=[*moment.straight()[:-1], list(at)], mount=moment.other)


# --- action phase ------------------------------------------------------------------------------------


def charge(moment: Moment) -> Attempt:
    return moment.by("charge", target=moment.other, path=moment.straight()[:-1])


def overrun(moment: Moment) -> Attempt:
    aside = [moment.other] if moment.random.random() < 0.3 else []
    return moment.by("overrun", path=moment.straight(8), aside=aside)


def throw(moment: Moment) -> Attempt:
    held = moment.me.held
    if held and moment.random.random() < 0.5:
        return moment.by("throw", item=held[0])
    willing = moment.random.random() < 0.5
    step = list(moment.random.choice(STEPS))
    return moment.by("throw", target=moment.other, direction=step, willing=willing)


def walk(moment: Moment) -> Attempt:
    chance = moment.random.random
    mode = moment.random.choice(("land", "land", "land", "fly", "climb"))
    flags = {"sprint": chance() < 0.3, "stand_up": chance() < 0.4, "pause": chance() < 0.3}
    return moment.by("move", path=moment.straight(), mode=mode, **flags)


def brawl(moment: Moment) -> Attempt:
    type_ = moment.random.choice(("shove", "shove", "trip", "grapple", "dirty_trick"))
    friends = moment.state.group_of(moment.who) == moment.state.group_of(moment.other)
    return moment.by(type_, target=moment.other, willing=friends)


def subdue(moment: Moment) -> Attempt:
    return moment.by("strike", target=moment.other, subdual=True)


def both(moment: Moment) -> Attempt:
    """Use an ability on two targets."""
    abilities = moment.state.creatures[moment.who].sheet.abilities
    ability = moment.random.choice(abilities)
    pay = moment.random.choice((None, None, "standard", "free"))
    return moment.by("use_ability", ability=ability.id, targets=[moment.who, moment.other], pay=pay)


def hold(moment: Moment) -> Attempt:
    return moment.by("begin_turn", hold_delayed=True)


def late(moment: Moment) -> Attempt:
    delayed = moment.me.delayed
    return moment.by("fire_delayed", ability=delayed[0].ability if delayed else "echo")


def order(moment: Moment) -> Attempt:
    group = moment.state.group_of(moment.who)
    members = list(moment.state.groups[group]) if group else [moment.who]
    return moment.by("set_order", order=sorted(members, reverse=moment.random.random() < 0.2))


def no_order(moment: Moment) -> Attempt:
    return moment.by("set_order", order=[])


def commit(moment: Moment) -> Attempt:
    return moment.by("commit_swift", ability=moment.random.choice(("reckless_attack", "recover", "guard")))


# --- any time ----------------------------------------------------------------------------------------


def handle(moment: Moment) -> Attempt:
    held = moment.me.held
    what = "drop" if held else moment.random.choice(("draw", "draw", "open", "rummage"))
    pay = moment.random.choice(("free", "minor", "standard"))
    return moment.by("manipulate_object", what=what, item="rope", pay=pay)


def rule(moment: Moment) -> Attempt:
    question, chosen = moment.random.choice(QUESTIONS)
    known = moment.state.rulings
    supersedes = known[-1].id if known and moment.random.random() < 0.3 else None
    subjects = moment.random.choice(([], [moment.who]))
    return moment.gm("rule", question=question, chosen=chosen, subjects=subjects, supersedes=supersedes)


def mend(moment: Moment) -> Attempt:
    does = moment.random.choice(("damage", "heal_hp", "heal_dr", "gain", "lose", "fatigue", "locate"))
    effect = {"does": does, "target": moment.who, "amount": 2, "name": "dazed", "to": [-3, -3]}
    return moment.gm("gm_ruling", kind="correction", decision="it was so", effects=[effect])


def regroup(moment: Moment) -> Attempt:
    if moment.random.random() < 0.5:
        return moment.gm("set_groups", groups={})
    return moment.by("set_attitude", toward=moment.other, attitude=moment.random.choice(("ally", "enemy")))


def treat(moment: Moment) -> Attempt:
    wounded = [
        (name, i)
        for name, creature in moment.state.creatures.items()
        for i, wound in enumerate(creature.wounds)
        if wound.deadline is not None
    ]
    name, wound = moment.random.choice(wounded) if wounded else (moment.who, 0)
    return moment.gm("treat_wound", creature=name, wound=wound)


def wrong(moment: Moment) -> Attempt:
    """Try something of the other phase, or of somebody else's."""
    data: dict[str, dict[str, Any]] = {
        "strike": {"target": moment.other},
        "consent_sprint": {"accept": True},
        "total_defense": {},
        "pass_movement": {},
        "end_turn": {},
    }
    type_ = moment.random.choice(list(data))
    seat = moment.random.choice([moment.seat, moment.seat, *moment.state.seats])
    return Attempt(type_, seat, {"creature": moment.who, **data[type_]})


def reseat(moment: Moment) -> Attempt:
    """Give a player's creatures to the GM, or back."""
    seats = [name for name, seat in moment.state.seats.items() if seat.role == "player"]
    if not seats or moment.random.random() < 0.7:
        return wrong(moment)
    seat = moment.random.choice(seats)
    mine = moment.state.seats[seat].creatures
    return moment.gm("change_seat", seat=seat, creatures=mine[:-1] if len(mine) > 1 else [moment.who])


Trick = Callable[[Moment], Attempt]
MOVING: Final[tuple[Trick, ...]] = (sprint, hustle, fly, jump, react, react, react, carry, mount)
ACTING: Final[tuple[Trick, ...]] = (
    charge,
    charge,
    overrun,
    throw,
    walk,
    walk,
    brawl,
    brawl,
    subdue,
    both,
    hold,
    late,
    order,
    no_order,
    commit,
)
BETWEEN: Final[tuple[Trick, ...]] = (treat, regroup, rule)
ALWAYS: Final[tuple[Trick, ...]] = (handle, handle, handle, rule, wrong, treat, regroup, reseat, mend)
