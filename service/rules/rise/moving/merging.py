"""Merge what groups did apart: who ends where, then for each creature what came from outside and from inside.

Nothing is judged again. Outside damage comes first with what it means, then outside conditions, then the
group's own effects in their order, and outside healing last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.rise import books
from service.rules.rise.attacks.unjudged import AttackJudged, log_of
from service.rules.rise.body.aerial_movement import TookOff, lands, poised, soars
from service.rules.rise.body.effects import (
    LocationEffectIgnored,
    apply,
    apply_quietly,
    let_go,
    played,
    state_after,
)
from service.rules.rise.body.hidden_swift import turn_among
from service.rules.rise.body.movement_and_positioning import come_off, feet_of
from service.rules.rise.body.running_the_game import answer, ruled_on
from service.rules.rise.body.taking_damage import consequences, hurt
from service.rules.rise.creatures.combat_statistics import ALL, end_sustained, speed_of
from service.rules.rise.creatures.creature import Atom, Plan
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.movement_problem import (
    Intents,
    Outcome,
    Problem,
    Routes,
    by_carriers,
    order_behind,
    place_movers,
    route_all,
)
from service.rules.rise.moving.movement_resolution import carry_out, find_outcome
from service.rules.rise.planning.initiative import asks_players, find_order, roll_order
from service.rules.rolls.chance import Chance
from service.rules.table.unchanged import NothingChanged, Why, or_unchanged

RI_RES_8: Final = Rule(
    "RI-RES-8",
    "An attack stops nobody's movement: a creature knocked out drops where its movement ends.",
    books.TIME.at("Resolving Actions"),
)
RI_RES_14: Final = Rule(
    "RI-RES-14",
    "The order in which groups resolve changes nothing: their effects are applied in the order of names.",
    RULING,
)
RI_HEAL_4: Final = Rule(
    "RI-HEAL-4",
    "Swift effects, as most healing is, came before the attacks; only the others come now.",
    books.TIME.at("Simultaneous Damage and Healing"),
)
RI_HEAL_5: Final = Rule(
    "RI-HEAL-5",
    "Within a group nothing is simultaneous: what its members did to each other stays in their order.",
    books.TIME.at("Resolving Actions"),
    settles=("C-05",),
)
RI_RES_10: Final = Rule(
    "RI-RES-10",
    "Two combatants may fell each other in one phase: both outcomes stand.",
    books.TIME.at("Resolving Actions"),
    settles=("C-05", "C-06"),
)
RI_HEAL_1: Final = Rule(
    "RI-HEAL-1",
    "Damage and recovery that come at once: all damage first, wounds and all, then recovery.",
    books.TIME.at("Simultaneous Damage and Healing"),
    settles=("C-51",),
)
RI_HEAL_2: Final = Rule(
    "RI-HEAL-2",
    "Vital wounds are gained and felt before any recovery of the same phase.",
    books.TIME.at("Simultaneous Damage and Healing"),
    settles=("C-07",),
)
RI_RES_7: Final = Rule(
    "RI-RES-7",
    "Moving away dodges nothing: attacks were judged on where their group saw the target.",
    books.TIME.at("Resolving Actions"),
)
RI_RES_16: Final = Rule(
    "RI-RES-16",
    "What a creature has walked stands: only where somebody of another group ends can stop it after all.",
    (RULING, books.TIME.at("Resolving Actions"), books.TIME.at("Conflicting Actions")),
)
RI_MOVE1_7: Final = Rule(
    "RI-MOVE1-7",
    "Which of several outside effects moves a creature first is decided by their sources' initiative.",
    RULING,
    settles=("C-16", "C-17"),
)


Logs: TypeAlias = Mapping[str, tuple[Atom, ...]]
Felled: TypeAlias = Mapping[str, tuple[str, ...]]
"""Whom each group saw lie felled when it was done."""
SORTS = ("environmental", "normal", "subdual")
"""In which order simultaneous damage is applied, so that no hit strips resistance for another kind."""


@enforces(RI_RES_8)
def where_it_ends(
    state: State, chance: Chance, logs: Logs, groups: Mapping[str, tuple[str, ...]], felled: Felled
) -> Emits[State]:
    """Emit how all movements and attacks of the phase end, merged from all groups."""
    state = yield from places(state, chance, logs, groups, felled)
    if asks_players(state):
        return state
    for name in sorted(state.creatures):
        state = yield from merge(state, chance, name, logs, state.group_of(name))
    state = yield from come_off(state)
    return (yield from end_sustained((yield from let_go(state))))


@enforces(RI_RES_14)
def in_fixed_order(state: State) -> Mapping[str, tuple[tuple[Atom, ...], tuple[AttackJudged, ...]]]:
    """Return the effects and attacks of each group, in the order of the groups' names."""
    return {group: log_of(state.at(group)) for group in sorted(state.groups)}


@enforces(RI_HEAL_4)
def after_swift(log: Sequence[Atom]) -> tuple[Atom, ...]:
    """Return the effects of *log* that are not Swift."""
    return tuple([effect for effect in log if not effect.swift])


@enforces(RI_HEAL_5)
def own_in_order(state: State, chance: Chance, inside: Sequence[Atom]) -> Emits[State]:
    """Emit the effects of a creature's own group, in the order in which they came."""
    if state.house.own_healing == "last":
        inside = sorted(inside, key=lambda effect: effect.does in ("heal_hp", "heal_dr"))
    for effect in inside:
        if effect.does != "locate":
            state = yield from come_true(state, effect, apply(state, chance, effect))
    return state


def come_true(state: State, effect: Atom, applied: Emits[State]) -> Emits[State]:
    """Emit what an effect does at the announcement, or that it changes nothing."""
    on = state.creatures[effect.target]
    says = NothingChanged(what=effect.does, why="already_so", creature=on.id)
    unmet: Why = "not_there" if effect.does == "lose" else "not_possible"
    if on.dead or on.defeated:
        unmet = "out_of_play"
    return (yield from or_unchanged(state, applied, says, unmet, sealed=bool(state.gm_only_of(on.id))))


def unseen_in_vain(state: State, group: str) -> list[NothingChanged]:
    """Return what is said of Swift effects that a group used unseen and that change nothing."""
    kept = state.hidden_swift.get(group)
    found: list[Fact[State]] = []
    for effect in () if kept is None else unsealed(kept).effects:
        state, facts = played(state, come_true(state, effect, apply_quietly(state, effect)))
        found += facts
    return [fact for fact in found if isinstance(fact, NothingChanged)]


@enforces(RI_RES_10)
def merge(state: State, chance: Chance, name: str, logs: Logs, own: str | None) -> Emits[State]:
    """Emit what all groups did to one creature, and what follows."""
    outside = [e for group in sorted(logs) if group != own for e in logs[group] if e.target == name]
    inside = [e for e in logs.get(own or "", ()) if e.target == name]
    saved = is_saved_by_healing(state, name)
    state = yield from damage_first(state, chance, name, outside, judged=not saved)
    early = cleansed_before(state, inside)
    for effect in (*early, *laid_and_lifted(state, outside)):
        state = yield from come_true(state, effect, apply_quietly(state, effect))
    state = yield from own_in_order(state, chance, [e for e in inside if e not in early])
    state = yield from healing_last(state, outside)
    return (yield from consequences(state, chance, name)) if saved else state


def is_saved_by_healing(state: State, name: str) -> bool:
    """Return whether the house lets healing of the same phase save a creature that takes no wounds."""
    return state.house.late_healing == "saves" and not state.creatures[name].sheet.is_pc


def cleansed_before(state: State, inside: Sequence[Atom]) -> list[Atom]:
    """Return the group's cleansings that, by the house's rule, come too early for what others did."""
    if state.house.cleanse == "removes":
        return []
    return [effect for effect in inside if effect.does == "lose" and effect.name == ALL]


@enforces(RI_RES_14)
def laid_and_lifted(state: State, outside: Sequence[Atom]) -> list[Atom]:
    """Return the conditions and fatigue that other groups brought, in an order that no name decides.

    What one lays and another lifts is gone, as what a group lays is that its target's own group lifts.
    """
    found = [effect for effect in outside if effect.does in ("gain", "lose", "fatigue")]
    return sorted(found, key=lambda effect: turn_among(state, effect, found))


@enforces(RI_HEAL_1)
def damage_first(
    state: State, chance: Chance, name: str, outside: Sequence[Atom], *, judged: bool
) -> Emits[State]:
    """Emit the damage of other groups to a creature, and its consequences."""
    by_kind = state.house.damage_order == "by_kind"
    hits = sorted(
        (e for e in outside if e.does == "damage"),
        key=lambda e: (SORTS.index(e.sort) if by_kind else e.sort == "subdual", e.group, e.seq),
    )
    lethal = [e for e in hits if e.sort != "subdual"]
    for effect in lethal:
        hit = hurt(state, name, effect.source, effect.amount, effect.sort)
        state = yield from come_true(state, effect, hit)
    if lethal and judged:
        state = yield from consequences(state, chance, name)
    for effect in hits[len(lethal) :]:
        state = yield from come_true(state, effect, apply(state, chance, effect))
    return state


@enforces(RI_HEAL_2)
def healing_last(state: State, outside: Sequence[Atom]) -> Emits[State]:
    """Emit the healing of a creature by other groups."""
    for effect in outside:
        if effect.does in ("heal_hp", "heal_dr"):
            state = yield from come_true(state, effect, apply_quietly(state, effect))
    return state


class Located(NamedTuple):
    """What would move one creature, as groups announced it."""

    own: Sequence[Atom]
    outside: Sequence[Atom]


def located(logs: Logs, groups: Mapping[str, tuple[str, ...]], name: str) -> Located:
    """Return what its own group and what others would do to the place of *name*."""
    found = [
        (group, effect)
        for group in sorted(logs)
        for effect in logs[group]
        if effect.target == name and effect.does == "locate" and effect.path
    ]
    own = [effect for group, effect in found if name in groups[group]]
    return Located(as_one(own), [effect for group, effect in found if name not in groups[group]])


@enforces(RI_RES_7, RI_RES_16)
def places(
    state: State, chance: Chance, logs: Logs, groups: Mapping[str, tuple[str, ...]], felled: Felled
) -> Emits[State]:
    """Emit the changes of place of the phase, and the initiative that they need."""
    found = {name: located(logs, groups, name) for name in sorted(state.creatures)}
    own_first = state.house.shove_of_movers == "own"
    overruled = [name for name in sorted(state.plans) if found[name].outside and not own_first]
    rules = {name: state.plans[name] for name in sorted(state.plans) if name not in overruled}
    carried = carried_by(state, found, rules) if own_first else {}
    chosen: dict[str, Atom] = {}
    for name in sorted(found, key=lambda each: state.creatures[each].mount is not None):
        own, outside = found[name]
        if name in rules or name in carried or not (own or outside):
            continue
        inside = own if own_first or not outside else ()
        carrier = chosen.get(state.creatures[name].mount or "")
        mounted = [] if carrier is None or inside else [changed(carrier, target=name)]
        rivals = first_of_groups([*mounted, *outside])
        state = yield from contest(state, chance, () if inside else rivals)
        if asks_players(state):
            return state
        first = choose_first(state, inside, rivals)
        if inside or carrier is None or first.source != carrier.source:
            chosen[name] = first
    unseen = Unseen(logs, felled, felled_for_all(state, chance, logs, felled))
    intents = on_their_ways(state, chosen, rules, unseen)
    while stuck := [name for name in found if found[name].outside and stays(intents, rules, carried, name)]:
        for name in stuck:
            state = yield from contest(state, chance, first_of_groups(found[name].outside))
            if asks_players(state):
                return state
            rules.pop(name, None)
            carried.pop(name, None)
            chosen[name] = choose_first(state, (), first_of_groups(found[name].outside))
        intents = on_their_ways(state, chosen, rules, unseen)
    problem = pose_announced(intents, found, chosen, rules, unseen)
    outcome: Outcome | None
    state, outcome = yield from find_outcome(state, chance, problem)
    if outcome is None:
        return state
    hows = {name: effect.how for name, effect in chosen.items()}
    state = yield from carry_out(state, problem, outcome, hows, ignored(found, chosen, overruled))
    return (yield from kept_aloft(state, outcome.routes))


def carried_by(state: State, found: Mapping[str, Located], rules: Mapping[str, Plan]) -> dict[str, str]:
    """Return who is carried by which mount of its own group: that is its own change of place (RI-MOVE1-1)."""
    return {
        name: mount
        for name, creature in sorted(state.creatures.items())
        if (mount := creature.mount or "") in found
        and state.group_of(mount) == state.group_of(name)
        and name not in rules
        and not found[name].own
        and (found[mount].own or mount in rules)
    }


def stays(intents: Intents, rules: Mapping[str, Plan], carried: Mapping[str, str], name: str) -> bool:
    """Return whether the rule that moves *name*, or the mount that carries it, gets nowhere."""
    mover = carried.get(name, name)
    return mover in rules and not goes(intents, mover)


class Unseen(NamedTuple):
    """What groups did not see as it is: who stands in a place that a group saw empty."""

    logs: Logs
    felled: Felled
    fallen: tuple[str, ...]
    """Who was seen to lie felled, and does."""

    def stand_up(self, group: str, name: str) -> bool:
        """Return whether *group* saw nobody where *name* stands: it had felled it, or moved it elsewhere."""
        moved = any(each.does == "locate" and each.target == name and each.path for each in self.logs[group])
        return moved or (name in self.felled.get(group, ()) and name not in self.fallen)


def felled_for_all(state: State, chance: Chance, logs: Logs, felled: Felled) -> tuple[str, ...]:
    """Return who was seen to lie felled by some group, and does once all effects are true.

    Only a monster or a thing falls where it stands without a roll.
    """
    seen = sorted({name: None for names in felled.values() for name in names})
    found = []
    for name in seen:
        if not state.creatures[name].sheet.is_pc:
            after = state_after(state, merge(state, chance, name, logs, state.group_of(name)))
            found += [name] if after.creatures[name].defeated else []
    return tuple(found)


def pose_announced(
    intents: Intents,
    found: Mapping[str, Located],
    chosen: Mapping[str, Atom],
    rules: Mapping[str, Plan],
    unseen: Unseen,
) -> Problem:
    """Return the movements that are announced as a problem: *chosen* ones, and those that go by *rules*."""
    wanted = route_all(intents).paths
    still = [name for name in intents.state.creatures if not wanted.get(name)]
    return Problem(
        intents=intents,
        state=intents.state,
        behind={**order_pushers(found), **order_behind({name: intents.plans[name] for name in rules})},
        through={
            name: tuple([other for other in still if not unseen.stand_up(effect.group, other)])
            for name, effect in chosen.items()
        },
        made_in={name: (effect.group, effect.seq) for name, effect in chosen.items()},
        altitudes=flights(intents.state, chosen),
    )


def order_pushers(found: Mapping[str, Located]) -> dict[tuple[str, str], None]:
    """Return who meant to push whom, also in vain: a pusher walks behind (RI-REAC-6)."""
    pushes = [(e.source, name) for name, (own, outside) in found.items() for e in (*own, *outside)]
    return {(source, name): None for source, name in pushes if source != name}


def goes(intents: Intents, name: str) -> bool:
    """Return whether its rule moves *name* at all, if only up or down."""
    routes, altitude = route_all(intents), intents.state.creatures[name].altitude
    return bool(routes.paths.get(name)) or routes.altitudes.get(name, altitude) != altitude


def kept_aloft(state: State, routes: Routes) -> Emits[State]:
    """Emit how high those end who went through the air by a rule; who did not get anywhere stays up too."""
    after = place_movers(state, routes)
    for name, plan in sorted(state.plans.items()):
        creature = state.creatures[name]
        if soars(plan):
            high = lands(after, creature, routes.altitudes.get(name, poised(creature, plan).altitude))
            state = yield TookOff(creature=name, altitude=high or 0, because=("RI-MOVE-9",))
    return state


def flights(state: State, chosen: Mapping[str, Atom]) -> dict[str, int]:
    """Return how high those end who went up or down by themselves; the table knows it from their worlds."""
    movers = [state.creatures[name] for name, effect in chosen.items() if effect.how == "self"]
    return {mover.id: mover.altitude for mover in movers if mover.altitude != mover.stood_ft}


def on_their_ways(
    state: State, chosen: Mapping[str, Atom], rules: Mapping[str, Plan], unseen: Unseen
) -> Intents:
    """Return what moves creatures, whatever others do, as plans beside those who react to it or block it.

    What stood in their ways was looked at when they set out, and their heights are known from then. Who lies
    felled and does not move takes no room.
    """
    for name in [name for name in unseen.fallen if name not in chosen and name not in rules]:
        state = state.with_creature(name, defeated=True)
    ways = {name: Plan(ability=effect.how, path=effect.path) for name, effect in chosen.items()}
    plans = dict(by_carriers(state, {**ways, **rules}))
    for name, effect in chosen.items():
        passes = tuple([other for other in state.creatures if is_passed(unseen, plans, other, effect)])
        plans[name] = changed(ways[name], passes=passes, feet=sprinted_ft(state, effect))
    return Intents(state=state, plans=plans)


def is_passed(unseen: Unseen, plans: Mapping[str, Plan], other: str, effect: Atom) -> bool:
    """Return whether *other* cannot be in the way of *effect*: it blocks nobody, and was seen to be there."""
    return not (may_block(plans, other, effect) or unseen.stand_up(effect.group, other))


def sprinted_ft(state: State, effect: Atom) -> int | None:
    """Return the feet over the ground of a sprint of its own that a path took; null where it took none."""
    creature = state.creatures[effect.target]
    spent = creature.budget.modes
    best = max([speed_of(state, creature, mode) for mode in spent], default=0)
    if effect.how != "self" or sum(spent.values()) <= best:
        return None
    return 2 * best - (sum(spent.values()) - feet_of(state, creature, effect.path))


def may_block(plans: Mapping[str, Plan], blocker: str, effect: Atom) -> bool:
    """Return whether *blocker* blocks who goes along the path of *effect* by its own will."""
    plan = plans.get(blocker)
    blocks = plan is not None and plan.ability == "block" and effect.target in plan.targets
    return blocks and effect.how == "self"


def ignored(
    found: Mapping[str, Located], chosen: Mapping[str, Atom], overruled: Sequence[str]
) -> list[Event[State]]:
    """Return the events of all that would have moved somebody and does not."""
    sources = [
        (name, effect.source)
        for name, (own, outside) in found.items()
        for effect in (*own, *outside)
        if effect is not chosen.get(name)
    ]
    sources += [(name, name) for name in overruled]
    return [
        LocationEffectIgnored(creature=name, source=source, because=("RI-MOVE1-2", "C-15"))
        for name, source in sources
    ]


def as_one(own: Sequence[Atom]) -> list[Atom]:
    """Return *own* with the parts of an interrupted movement joined to its beginning."""
    found: list[Atom] = []
    for effect in own:
        if effect.how == "continued" and found:
            found[0] = changed(found[0], path=(*found[0].path, *effect.path))
        else:
            found.append(effect)
    return found


def first_of_groups(outside: Sequence[Atom]) -> list[Atom]:
    """Return the first effect of each group: what its members did after it moved nobody in its world."""
    first: dict[str, Atom] = {}
    for effect in sorted(outside, key=lambda each: each.seq):
        first.setdefault(effect.group, effect)
    return [first[group] for group in sorted(first)]


@enforces(RI_MOVE1_7)
def contest(state: State, chance: Chance, outside: Sequence[Atom]) -> Emits[State]:
    """Emit the ruling or the initiative that decides which of several effects moves a creature."""
    sources = sources_of(outside)
    if not sources[1:] or state.house.outside_moves == "nobody":
        return state
    state, named = yield from answer(state, "location_conflict", (outside[0].target,), more=sources)
    return state if named in sources else (yield from roll_order(state, chance, sources))


def choose_first(state: State, own: Sequence[Atom], outside: Sequence[Atom]) -> Atom:
    """Return what moves a creature: the first effect of its own group, else the one that wins the contest."""
    sources = sources_of(outside)
    if own or not sources[1:]:
        return (own or outside)[0]
    if state.house.outside_moves == "nobody":
        return changed(outside[0], path=())
    named = ruled_on(state, "location_conflict", (outside[0].target,))
    order = (named,) if named in sources else find_order(state, sources)
    assert order, "the contest has been rolled"
    return next(effect for effect in outside if effect.source == order[0])


def sources_of(effects: Sequence[Atom]) -> tuple[str, ...]:
    """Return who causes *effects*, each once."""
    return tuple(dict.fromkeys([effect.source for effect in effects]))
