"""Record what a group's actions do as effects; hold creatures, and force them to move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

from service.dice.values import Roll
from service.rules.kernel.messages import TABLE, Emits, Event, Fact, Noted
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Reason
from service.rules.rise import books
from service.rules.rise.body.movement_and_positioning import (
    Past,
    before_hidden_creatures,
    come_off,
    hidden_creature_at,
    in_the_way,
    is_shut,
    occupant,
    walk,
)
from service.rules.rise.body.taking_damage import consequences, fall_or_wake, heal, hurt, restore, tire
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import (
    GRAPPLED,
    UNCONSCIOUS,
    gain,
    lose,
    speed_of,
)
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Creature, How, is_able
from service.rules.rise.creatures.state import State
from service.rules.rise.values import EffectSource, RiderIds
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.secrecy.hidden_creatures import reveal_discovered
from service.rules.space.grid import FEET, Cell, cells, line

# --- effects -------------------------------------------------------------------------------------------
# With nominal amounts. In a group's world an effect is entered in its log and made true there at once. The
# announcement applies the same effects to the table by the same functions, so resistance is spent once and
# limits are met once.

RI_RES_11: Final = Rule(
    "RI-RES-11",
    "Effects are noted with their full amounts; resistance, limits and thresholds are applied later.",
    (RULING, books.TIME.at("Resolving Actions"), books.TIME.at("Simultaneous Damage and Healing")),
)
RI_MOVE1_6: Final = Rule(
    "RI-MOVE1-6",
    "Ending where one began, or not moving at all, does not change a creature's place.",
    books.TIME.at("Only One Movement Per Phase"),
)
RI_MOVE1_2: Final = Rule(
    "RI-MOVE1-2",
    "Of all effects that would move a creature in one phase the first does, the others do nothing.",
    books.TIME.at("Only One Movement Per Phase"),
)
RI_MOVE1_1: Final = Rule(
    "RI-MOVE1-1",
    "One change of place in a phase is all a creature gets; being carried by its mount counts as its own.",
    books.TIME.at("Only One Movement Per Phase"),
)


class Move(NamedTuple):
    """What a way of changing place brings."""

    counts: bool = True
    """It is the one change of place of the creature in the phase (RI-MOVE1-1)."""
    goes_on: bool = False
    """It comes although the creature has changed its place in the phase."""
    carries: Literal["still", "carried", "all"] = "still"
    """Which riders come along: those that have not changed their place in the phase, also those that were
    carried in it, or all."""
    sets_off: bool = True
    """It may set attacks off, where it leaves or enters a reach."""


MOVES: Final[Mapping[How, Move]] = MappingProxyType(
    {
        "self": Move(),
        "continued": Move(goes_on=True, carries="carried"),
        "forced": Move(),
        "teleport": Move(),
        "placed": Move(counts=False, goes_on=True, carries="all", sets_off=False),
        "landed": Move(counts=False, goes_on=True, carries="all"),
    }
)
"""What each way of changing place brings. After any of them bonds are looked at again, hidden creatures are
discovered, and what burns there burns. A deed teleports; a ruling between two phases places: it corrects, so
no change of place in the phase before limits it."""

OWN: Final[tuple[How, ...]] = ("self", "continued")
"""How a creature moves that spends a movement of its own."""

Way: TypeAlias = tuple[tuple[Cell, ...], How]
"""The cells that a creature enters, and how it moves."""


@record
class EffectRecorded(Event[State]):
    """An effect stands in the group's log."""

    type: ClassVar[str] = "effect_recorded"
    effect: Annotated[Atom, "The effect."]

    def evolve(self, state: State) -> State:
        return changed(state, effects=(*state.effects, self.effect))


@record
class Moved(Event[State]):
    """A creature changed its place, along with those it carries."""

    type: ClassVar[str] = "moved"
    creature: CreatureId
    path: tuple[Cell, ...]
    """The cells it entered, in order."""
    how: Annotated[How, "How it moves: by itself, or by others."]
    riders: RiderIds = ()

    def evolve(self, state: State) -> State:
        move, to = MOVES[self.how], self.path[-1]
        for name in (self.creature, *self.riders):
            before = state.creatures[name]
            stood = before.stood if move.sets_off or before.location_changed else to
            counts = move.counts or before.location_changed
            flies = before.aloft == "flying" and name == self.creature and self.how in OWN
            state = state.with_creature(
                name,
                position=to,
                location_changed=counts,
                stood=stood,
                hovered=before.hovered or flies,
            )
        return state


@record
class LocationEffectIgnored(Noted[State]):
    """Something would have moved a creature that has moved in this phase already; it stays where it is."""

    type: ClassVar[str] = "location_effect_ignored"
    creature: CreatureId
    source: EffectSource
    reason: Reason = "one_movement_per_phase"


@enforces(RI_RES_11)
def note(state: State, chance: Chance, effect: Atom) -> Emits[State]:
    """Log an effect in the world of its group, and make it true there."""
    if state.here != TABLE:
        effect = entered(state, effect)
        state = yield EffectRecorded(effect=effect)
    return (yield from apply(state, chance, effect))


def entered(state: State, effect: Atom) -> Atom:
    """Return *effect* as it stands in the log of this world."""
    early = effect.swift and not state.committed
    return changed(effect, seq=len(state.effects) + 1, group=state.here, swift=early)


def note_quietly(state: State, effect: Atom) -> Emits[State]:
    """Log an effect from which no die can follow, and make it true."""
    effect = entered(state, effect)
    state = yield EffectRecorded(effect=effect, because=("RI-RES-11",))
    if effect.does == "locate":
        return (yield from relocate(state, effect))
    return (yield from apply_quietly(state, effect))


def note_together(state: State, effects: Sequence[Atom]) -> Emits[State]:
    """Log changes of place that happen together, and make them true."""
    noted = []
    for effect in effects:
        noted.append(effect if state.here == TABLE else entered(state, effect))
        if state.here != TABLE:
            state = yield EffectRecorded(effect=noted[-1], because=("RI-RES-11",))
    return (yield from relocate(state, *noted))


def note_place(state: State, creature: str, path: tuple[Cell, ...], how: How = "self") -> Emits[State]:
    """Log that a creature goes along *path* by its own will, and make it true."""
    atom = Atom(seq=UNNUMBERED, source=creature, target=creature, does="locate", path=path, how=how)
    return (yield from note_quietly(state, atom))


def apply(state: State, chance: Chance, effect: Atom) -> Emits[State]:
    """Make one effect true, with everything that follows from it for its target."""
    target = effect.target
    if effect.does == "damage":
        state = yield from hurt(state, target, effect.source, effect.amount, effect.sort)
        return (yield from consequences(state, chance, target, subdual=effect.sort == "subdual"))
    if effect.does == "locate":
        return (yield from relocate(state, effect))
    return (yield from apply_quietly(state, effect))


def apply_quietly(state: State, effect: Atom) -> Emits[State]:
    """Make true an effect that neither hurts nor moves: healing, conditions, fatigue."""
    target = effect.target
    if effect.does == "heal_hp":
        return (yield from heal(state, target, effect.amount))
    if effect.does == "heal_dr":
        return (yield from restore(state, target, effect.amount))
    if effect.does == "gain":
        assert effect.condition is not None, "what is gained is named"
        if effect.condition.name == GRAPPLED and effect.condition.source in grapplers(
            state.creatures[target]
        ):
            return state  # two who seize each other are in one grapple
        state = yield from gain(target, effect.condition)
        return (yield from _both_ends(state, target, effect.condition))
    if effect.does == "lose":
        return (yield from _lost(state, target, effect.name))
    assert effect.does == "fatigue", effect.does
    return (yield from tire(state, target, effect.amount, effect.name))


def _both_ends(state: State, target: str, condition: Condition) -> Emits[State]:
    """Emit what a condition brings with it: a hold holds both, and a creature without senses falls."""
    holder = state.creatures.get(condition.source)
    if condition.name == UNCONSCIOUS:
        return (yield from fall_or_wake(state, target))
    if condition.name != GRAPPLED or holder is None or target in (holder.id, *grapplers(holder)):
        return state
    return (yield from gain(holder.id, changed(condition, source=target)))


def _lost(state: State, target: str, name: str) -> Emits[State]:
    """Emit that a condition is gone, and with it the other end of a bond."""
    kind, _, source = name.partition("@")
    others = grapplers(state.creatures[target]) if kind == GRAPPLED else ()
    state = yield from lose(state, target, name)
    for other in others:
        if source in ("", other):
            state = yield from lose(state, other, f"{GRAPPLED}@{target}")
    return (yield from fall_or_wake(state, target)) if kind == UNCONSCIOUS else state


def state_after(state: State, emitted: Emits[State]) -> State:
    """Return *state* after all events of *emitted*, which are recorded nowhere and throw no dice."""
    return played(state, emitted)[0]


def played(state: State, emitted: Emits[State]) -> tuple[State, list[Fact[State]]]:
    """Return *state* after all events of *emitted*, and these events; see `state_after`."""
    facts: list[Fact[State]] = []
    try:
        facts.append(next(emitted))
        while True:
            state = facts[-1].evolve(state)
            facts.append(emitted.send(state))
    except StopIteration as end:
        after: State = end.value
        return after, facts


@enforces(RI_MOVE1_6)
def is_change(state: State, effect: Atom) -> bool:
    """Return whether *effect* changes the place of its target."""
    return bool(effect.path) and effect.path[-1] != state.creatures[effect.target].position


@enforces(RI_MOVE1_2)
def relocate(state: State, *effects: Atom) -> Emits[State]:
    """Emit changes of place that happen together, or that one is ignored: its creature has moved already."""
    moved: list[str] = []
    for effect in effects:
        if not is_change(state, effect):
            continue
        if state.creatures[effect.target].location_changed and not MOVES[effect.how].goes_on:
            state = yield LocationEffectIgnored(creature=effect.target, source=effect.source)
            continue
        state = yield from _relocated(state, effect)
        moved.append(effect.target)
    return (yield from loosen(state, moved))


def _relocated(state: State, effect: Atom) -> Emits[State]:
    """Emit a change of place, up to a hidden creature that it discovers."""
    found = state.creatures[effect.target]
    way = before_hidden_creatures(state, found, effect.path)
    if way == effect.path:
        return (yield from move(state, effect.target, way, effect.how))
    hidden_creature = hidden_creature_at(state, found, effect.path[len(way)])
    while way and occupant(state, found, way[-1]) is not None:  # through is not into
        way = way[:-1]
    if way:
        state = yield from move(state, effect.target, way, effect.how)
    assert hidden_creature is not None, "it is what ended the way"
    after: State = yield from reveal_discovered(state, hidden_creature, effect.target)
    return after


def displace(state: State, ways: Mapping[str, Way]) -> Emits[State]:
    """Emit movements that happen together, and which bonds do not last through them.

    Whatever moves a creature goes through here or through `relocate`: no other event changes its place.
    """
    together = tuple(ways)
    for name, (path, how) in ways.items():
        if path and path[-1] != state.creatures[name].position:
            state = yield from move(state, name, path, how, together)
    return (yield from loosen(state, together))


@enforces(RI_MOVE1_1)
def move(
    state: State, creature: str, path: tuple[Cell, ...], how: How, movers: Sequence[str] = ()
) -> Emits[State]:
    """Emit the movement of a creature and of the riders that it carries."""
    riders = [name for name, other in state.creatures.items() if other.mount == creature]
    carried = tuple([n for n in riders if n not in movers and comes_along(state, creature, n, how)])
    return (yield Moved(creature=creature, path=path, how=how, riders=carried))


def comes_along(state: State, mount: str, rider: str, how: How) -> bool:
    """Return whether *rider* is carried when its mount moves so."""
    carries, found = MOVES[how].carries, state.creatures[rider]
    if carries == "all" or not found.location_changed:
        return True
    return carries == "carried" and found.stood == state.creatures[mount].stood


def loosen(state: State, moved: Sequence[str]) -> Emits[State]:
    """Emit which bonds of those who *moved* are over: a rider apart from its mount, a hold out of reach."""
    near = [*moved, *[name for name, other in state.creatures.items() if other.mount in moved]]
    near += [other for name in near for other in grapplers(state.creatures[name])]
    return (yield from let_go((yield from come_off(state, near)), near)) if near else state


# --- grapples ------------------------------------------------------------------------------------------
# Who is in a grapple with whom; it ends where one is gone, senseless or out of touch.


def grapplers(creature: Creature) -> tuple[str, ...]:
    """Return who is in a grapple with *creature*."""
    return tuple(dict.fromkeys([c.source for c in creature.conditions if c.name == GRAPPLED]))


def grasp(state: State, chance: Chance, user: str, target: str) -> Emits[State]:
    """Emit that two creatures are grappled by each other."""
    held = Condition(name=GRAPPLED, source=user, since=state.round)
    atom = Atom(seq=UNNUMBERED, source=user, target=target, does="gain", condition=held)
    return (yield from note(state, chance, atom))


def part(state: State, chance: Chance, user: str, target: str) -> Emits[State]:
    """Emit that *user* is free of *target*; other holds on them stay.

    It happens to who breaks free: a hold of the same phase came before it, whatever the two are called.
    """
    atom = Atom(seq=UNNUMBERED, source=user, target=user, does="lose", name=f"{GRAPPLED}@{target}")
    return (yield from note(state, chance, atom))


def let_go(state: State, names: Sequence[str] | None = None) -> Emits[State]:
    """Emit which grapples are over because one cannot hold on, or because they are apart; of *names* only."""
    for name, creature in state.creatures.items():
        for other in grapplers(creature) if names is None or name in names else ():
            holder = state.creatures[other]
            if is_able(holder) and is_able(creature) and state.touches(creature, holder):
                continue
            state = yield from lose(state, name, f"{GRAPPLED}@{other}")
            state = yield from lose(state, other, f"{GRAPPLED}@{name}")
    return state


# --- forced movement -----------------------------------------------------------------------------------
# Pushes end at obstacles, and a creature that has moved stays. A push is one effect on the pushed and one on
# each who walks along; each is its one change of place.

RI_MOVE_7: Final = Rule(
    "RI-MOVE-7",
    "A push goes straight, 5 feet for 5 feet, and ends harmlessly at the first obstacle.",
    books.MOVEMENT.at("Push Effects"),
)
RI_MOVE1_4: Final = Rule(
    "RI-MOVE1-4",
    "Nobody is carried or shoved on by an ally after moving: the pusher walks, the pushed stays.",
    books.TIME.at("Only One Movement Per Phase"),
    settles=("C-18",),
)


TWO_SIZES = 2
UNSEEN_FT = 10_000
"""The shown reach of a push by a GM-only speed or strength: farther than any, so that it reveals nothing."""


@enforces(RI_MOVE_7)
def pushed_path(
    state: State, creature: Creature, step: Cell, feet: int, through: tuple[str, ...] = ()
) -> tuple[Cell, ...]:
    """Return the cells over which *creature* is pushed, past those whom it goes *through*."""
    path = tuple(line(creature.position, step, feet // FEET))
    return walk(state, creature, path, feet, Past(through=through)).cells


def pushed(state: State, chance: Chance, user: str, target: str, feet: int) -> Emits[State]:
    """Emit that *target* is pushed straight away from *user*; the pusher stays."""
    creature = state.creatures[target]
    path = pushed_path(state, creature, state.away(creature, state.creatures[user]), feet)
    atom = Atom(seq=UNNUMBERED, source=user, target=target, does="locate", path=path, how="forced")
    return (yield from note(state, chance, atom))


def knocked_back(state: State, chance: Chance, user: str, target: str, feet: int) -> Emits[State]:
    """Emit that *target* is thrown back; what it hits and it take 1d6 for each 10 feet that were left."""
    creature = state.creatures[target]
    step = state.away(creature, state.creatures[user])
    path = pushed_path(state, creature, step, feet)
    at = path[-1] if path else creature.position
    beyond = (at[0] + step[0], at[1] + step[1])
    blocker = in_the_way(state, creature, beyond)
    moved = state.creatures[target].location_changed
    atom = Atom(seq=UNNUMBERED, source=user, target=target, does="locate", path=path, how="forced")
    state = yield from note(state, chance, atom)
    dice = (feet - 5 * len(path)) // 10
    if moved or not dice or (blocker is None and not is_shut(state, creature, at, beyond)):
        return state
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=user,
        stream=f"{user}/knockback",
        purpose={"who": user, "whom": target, "what": "knockback"},
        pool=tuple([PoolDie(role="knockback", sides=6)] * dice),
    )
    for name in (target, *([blocker.id] if blocker is not None else [])):
        hits = Atom(seq=UNNUMBERED, source=user, target=name, does="damage", amount=roll.total)
        state = yield from note(state, chance, hits)
    return state


def push_feet(state: State, user: Creature, target: Creature, *, critical: bool) -> int:
    """Return how far *user* can push: half its speed, all of it critically or if far larger."""
    speed = speed_of(state, user)
    return speed if critical or user.rank - target.rank >= TWO_SIZES else speed // 2


def throw_feet(state: State, user: Creature) -> int:
    """Return how far *user* throws: the profile's base, and 5 feet for every 2 of strength."""
    return state.profile.throw_base_ft + 5 * max(0, user.sheet.strength // 2)


def hurl(state: State, chance: Chance, user: str, target: str, step: Cell, feet: int) -> Emits[State]:
    """Move *target* in a straight line by up to *feet*. The thrower does not move."""
    path = pushed_path(state, state.creatures[target], step, feet, (user,))
    atom = Atom(seq=UNNUMBERED, source=user, target=target, does="locate", path=path, how="forced")
    return (yield from note(state, chance, atom))


@enforces(RI_MOVE1_4)
def push(state: State, user: str, target: str, step: Cell, feet: int) -> Emits[State]:
    """Emit the movements of a push: of its target, and of its user, who walks along step by step.

    The target stays if its pusher cannot go, or has moved already; if it has itself, the pusher walks alone.
    """
    mover, moved = state.creatures[user], state.creatures[target]
    if moved.location_changed:
        path = pushed_path(state, moved, step, feet, (user,))
        own = _before(pushed_path(state, mover, step, feet, (target,)), mover, moved)
    else:
        ways = side_by_side(state, (user, target), step, 0 if mover.location_changed else feet)
        own, path = ways[user], ways[target]
    pushes = Atom(seq=UNNUMBERED, source=user, target=target, does="locate", path=path, how="forced")
    walks = Atom(seq=UNNUMBERED, source=user, target=user, does="locate", path=own)
    return (yield from note_together(state, (pushes,) if mover.location_changed else (pushes, walks)))


def side_by_side(state: State, names: Sequence[str], step: Cell, feet: int) -> dict[str, tuple[Cell, ...]]:
    """Return how far creatures go the same way, as many steps each: what stops one stops all.

    None of them is in the way of another.
    """
    creatures = [state.creatures[name] for name in names]
    lines = {each.id: tuple(line(each.position, step, feet // FEET)) for each in creatures}
    ways = {each.id: walk(state, each, lines[each.id], feet, Past(absent=names)).cells for each in creatures}
    length = min(map(len, ways.values()))
    while length and any(occupant(state, each, ways[each.id][length - 1], names) for each in creatures):
        length -= 1
    return {name: way[:length] for name, way in ways.items()}


def _before(path: tuple[Cell, ...], mover: Creature, other: Creature) -> tuple[Cell, ...]:
    """Return *path* up to where the space of *mover* would reach into the space of *other*."""
    taken = cells(other.position, other.space)
    inside = (i for i, at in enumerate(path) if any(cell in taken for cell in cells(at, mover.space)))
    return path[: next(inside, len(path))]
