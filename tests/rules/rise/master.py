"""Let the GM rule and meddle by chance, and players mistake the moment: what no prompt asks for.

What creatures do is picked from options alone. Each thing here is only tried: what the moment does not allow
is refused, which is as good a thing to have tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.ruleset import waiting

LEARNED: Final = {"id": "learned", "strike": {"versus": ["reflex"], "dice": [4]}}
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
    def seat(self) -> str:
        """Who plays the creature."""
        return self.state.controller(self.who)

    def by(self, type_: str, **data: Any) -> Attempt:
        """Return a command of the creature."""
        return Attempt(type_, self.seat, {"creature": self.who, **data})

    def gm(self, type_: str, **data: Any) -> Attempt:
        """Return a command of the GM."""
        return Attempt(type_, "gm", data)


def attempt(state: State, random: Random) -> Attempt:
    """Return something to try now, of what this phase may allow."""
    names = list(state.creatures)
    owing = [awaited.creature for awaited in waiting(state) if awaited.creature]
    who = random.choice(owing or names) if random.random() < 0.9 else random.choice(names)
    near = sorted(names, key=lambda name: state.distance(state.creatures[who], state.creatures[name]))[1:4]
    moment = Moment(state, random, who, random.choice(near or names))
    if is_tempting(state) and random.random() < 0.8:
        return ride(moment) if state.phase == "movement" else again(moment)
    movements = (ride, ride, ride, block, block, race, race, race, race)
    timely = {"movement": movements, "action": (again, again)}.get(state.phase, ())
    return random.choice((*ALWAYS, *timely))(moment)


def is_tempting(state: State) -> bool:
    """Tell whether somebody might now be moved a second time."""
    return any(both_ways(state)) or any(moved_by_others(state))


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
    if len(names) % 4 == 0:
        side = state.creatures[names[-1]].sheet.side
        sheet = {"id": "late", "name": "Late", "side": side, "kind": "monster"}
        yield Attempt("add_creature", "gm", {"entry": {"sheet": sheet, "position": [0, 0]}})
    unaware = [name for name in names if random.random() < 0.2]
    phase = random.choice(("movement", "action"))
    yield Attempt("start_combat", "gm", {"start_phase": phase, "unaware": unaware})


def epilogue(state: State, random: Random) -> Iterator[Attempt]:
    """Yield what is done when the fight is over: it ends, everybody rests and learns, and another begins."""
    yield Attempt("end_combat", "gm", {})
    for name, creature in state.creatures.items():
        wound = 0 if creature.wounds else None
        yield Attempt("rest", "gm", {"creature": name, "rest": "short"})
        yield Attempt("rest", "gm", {"creature": name, "rest": "long", "wound": wound})
        effects = [{"does": "teach", "target": name, "ability": LEARNED}]
        yield Attempt("gm_ruling", "gm", {"kind": "effect", "decision": "it learns", "effects": effects})
    yield Attempt("start_combat", "gm", {"start_phase": random.choice(("movement", "action"))})
    yield Attempt("end_combat", "gm", {})


# --- any time ----------------------------------------------------------------------------------------


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


def pause(moment: Moment) -> Attempt:
    return moment.gm("ask_pause")


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
        "plan_movement": {"path": [[0, 0]], "sprint": "ask"},
        "end_turn": {},
        "begin_turn": {},
        "move": {"path": [[0, 0]]},
    }
    type_ = moment.random.choice(list(data))
    seat = moment.random.choice([moment.seat, moment.seat, *moment.state.seats])
    return Attempt(type_, seat, {"creature": moment.who, **data[type_]})


def again(moment: Moment) -> Attempt:
    """Try to move somebody that somebody else has moved in this phase."""
    moved = list(moved_by_others(moment.state))
    if not moved:
        return ride(moment)
    name, creature = moment.random.choice(moved)
    x, y = creature.position
    data = {"creature": name, "path": [[x + 1, y]]}
    return Attempt("move", moment.state.controller(name), data)


def moved_by_others(state: State) -> Iterator[tuple[str, Creature]]:
    """Yield who was moved in this phase, as its group knows, and has a movement of its own left."""
    for group in state.apart if state.phase == "action" else ():
        local = state.at(group)
        for name in local.groups[group]:
            creature = local.creatures[name]
            idle = creature.budget.turn != "closed" and creature.budget.standard == "unused"
            if creature.location_changed and idle:
                yield name, creature


def ride(moment: Moment) -> Attempt:
    """Try to be carried by a mount as well as to go by oneself."""
    found = list(both_ways(moment.state))
    riders = [(name, c.mount) for name, c in moment.state.creatures.items() if c.mount is not None]
    if not found and not riders:
        return bargain(moment)
    if found:
        who, more = moment.random.choice(found)
    else:
        rider, mount = moment.random.choice(riders)
        who, more = moment.random.choice(((rider, {}), (mount, {"carry": [rider]})))
    x, y = moment.state.creatures[who].position
    data = {"creature": who, "path": [[x, y + 1]], **more}
    return Attempt("plan_movement", moment.state.controller(who), data)


def block(moment: Moment) -> Attempt:
    """Try to get in the way of whoever is near."""
    return moment.by("plan_movement", ability="block", targets=[moment.other])


def race(moment: Moment) -> Attempt:
    """Try to end where somebody else plans to: initiative decides who gets there."""
    state, who = moment.state, moment.who
    ends = [
        plan.path[-1]
        for group in state.apart
        for name, plan in state.at(group).plans.items()
        if plan.path and name != who
    ]
    x, y = state.creatures[who].position
    if not ends:
        return block(moment)
    goal = min(ends, key=lambda cell: max(abs(cell[0] - x), abs(cell[1] - y)))
    path = []
    while (x, y) != goal:
        x, y = x + (goal[0] > x) - (goal[0] < x), y + (goal[1] > y) - (goal[1] < y)
        path.append([x, y])
    return moment.by("plan_movement", path=path[:9])


def both_ways(state: State) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield who would now move whom the other of the two has planned to move already."""
    for group in state.apart:
        local = state.at(group)
        for name, creature in local.creatures.items():
            if creature.mount is None or not {name, creature.mount} <= {*local.groups[group]}:
                continue
            walks = name in local.plans and local.plans[name].path
            if walks and not local.creatures[creature.mount].budget.moved:
                yield creature.mount, {"carry": [name]}
            if not creature.budget.moved and any(name in plan.carry for plan in local.plans.values()):
                yield name, {}


def bargain(moment: Moment) -> Attempt:
    """Try to pay for something with what does not buy it."""
    abilities = moment.state.creatures[moment.who].sheet.abilities
    if not abilities:
        return wrong(moment)
    ability = moment.random.choice(abilities)
    return moment.by("use_ability", ability=ability.id, targets=[moment.who], pay="free")


def reseat(moment: Moment) -> Attempt:
    """Give a player's creatures to the GM, or back."""
    seats = [name for name, seat in moment.state.seats.items() if seat.role == "player"]
    if not seats or moment.random.random() < 0.7:
        return wrong(moment)
    seat = moment.random.choice(seats)
    mine = moment.state.seats[seat].creatures
    return moment.gm("change_seat", seat=seat, creatures=mine[:-1] if len(mine) > 1 else [moment.who])


Trick = Callable[[Moment], Attempt]
ALWAYS: Final[tuple[Trick, ...]] = (
    rule,
    wrong,
    wrong,
    again,
    bargain,
    treat,
    pause,
    regroup,
    reseat,
    mend,
)
