"""Carry out what abilities and rulings are written with: effects, contests, and whom they mean."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import count, islice
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.creatures.abilities import ROLES, Ability, Op, Param, Spell, Use, Value
from service.rules.heartrush.creatures.sheet import Ability as AbilityDie
from service.rules.heartrush.creatures.sheet import DieSize
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import SAID_LENGTH, CreatureOrParameter, EffectsId, Matter
from service.rules.kernel.messages import Emits, Event, Fact, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.sealed import names
from service.rules.kernel.values import (
    Causes,
    Code,
    Count,
    CreatureRef,
    NumberFromOne,
    Question,
    SourceId,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import FEET, Cell, distance
from service.rules.table.stack import Frame, opened_by
from service.rules.table.unchanged import NothingChanged, Why, or_unchanged

# --- effects -------------------------------------------------------------------------------------------
# Damage, healing, conditions, movement and the like, one after the other. Rulings and abilities both end
# here; the kinds of effect stand in `effects` and where a chapter adds one. An effect names everything
# it does; its dice are thrown when its turn comes, and what it causes runs through the same chapters as if
# the rules themselves had said it.

_Amount: TypeAlias = Generator[Fact[State], State, tuple[State, int]]
MOST: Final = 1000
"""The largest number an effect may name."""


@record
class Effect:
    """One thing that is done, as data; `kind` says which."""

    many: ClassVar[int] = 100
    kind: ClassVar[str]
    unmet: ClassVar[Why] = "already_so"
    """Why nothing changes, where it emits no event."""
    event: ClassVar[type[Event[State]]]
    """What states it, where one event with the same fields does."""

    def fault(self, view: State) -> str | None:
        """Return what keeps this from being an effect in *view*, in a few words; None where nothing does."""
        raise NotImplementedError

    def clash(self, earlier: Effect) -> str | None:
        """Return what keeps this from coming after *earlier* in one list; None where nothing does."""
        return None

    def misused(self, *, caused: bool) -> str | None:
        """Return what is wrong with its words, whoever it is for; *caused*: some creature causes it."""
        return None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        """Emit what comes of it; *frame* says who caused it and by which rules."""
        kind: type = type(self)
        said = {name: getattr(self, name) for name in names(kind)}
        return (yield self.event(**said, because=frame.rules))


Effects: TypeAlias = Annotated[tuple[Effect, ...], "The effects, in order."]


@record
class OnCreature(Effect):
    """What is done to one creature, which has to be among the living here."""

    creature: CreatureRef

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)


@record
class DeclaredEffects:
    """Who causes effects, and as what."""

    source: SourceId | None
    """The creature that causes them, if one does."""
    cause: SourceId
    """The recorded source of damage: `ruling`, or an ability's id."""


@record
class EffectsFrame(DeclaredEffects, Frame[State]):
    """Effects under way: each begins when everything the one before it set off is over."""

    kind: ClassVar[str] = "effects"
    effects: Effects
    rules: Causes
    at: Count = 0
    """How many of the effects are done."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.at == len(self.effects):
            return (yield EffectsDone(effects=self.path, because=self.rules))
        state = yield EffectTaken(effects=self.path, number=self.at, because=self.rules)
        effect = self.effects[self.at]
        on = state.creatures.get(getattr(effect, "creature", None) or "")
        is_out = on is not None and not on.is_present
        says = NothingChanged(
            what=type(effect).kind,
            why="out_of_play" if is_out else "already_so",
            creature=None if on is None else on.id,
            effect=self.at,
        )
        unmet = "out_of_play" if is_out else type(effect).unmet
        sealed = on is not None and bool(on.gm_only)
        return (yield from or_unchanged(state, effect.tell(state, chance, self), says, unmet, sealed=sealed))

    def path_of(self, what: str) -> str:
        """Return the path of what the effect at hand sets off."""
        return f"{self.path}/{what}-{self.at}"


@record
class EffectsBegun(DeclaredEffects, Event[State]):
    """Effects are carried out now, in their order."""

    type: ClassVar[str] = "effects_begun"
    effects: EffectsId
    order: Effects

    def evolve(self, state: State) -> State:
        frame = opened_by(self, EffectsFrame, self.effects, effects=self.order, rules=self.because)
        return state.pushed(frame)


@record
class EffectTaken(Event[State]):
    """The next effect has its turn."""

    type: ClassVar[str] = "effect_taken"
    effects: EffectsId
    number: NumberFromOne

    def evolve(self, state: State) -> State:
        frame = state.frame(self.effects, EffectsFrame)
        return state.put(changed(frame, at=self.number + 1))


@record
class EffectsDone(Event[State]):
    """All effects are carried out."""

    type: ClassVar[str] = "effects_done"
    effects: EffectsId

    def evolve(self, state: State) -> State:
        return state.popped(self.effects)


def faults(view: State, *lists: tuple[Effect, ...]) -> str | None:
    """Return what is wrong with the first effect that cannot be, with its place; None where all can.

    Of several *lists* one comes to pass; places count on from one to the next.
    """
    number = count()
    for effects in lists:
        for i, effect in enumerate(effects):
            place = next(number)
            clashes = (found for earlier in effects[:i] if (found := effect.clash(earlier)))
            fault = effect.fault(view) or next(clashes, None)
            if fault:
                return f"effect {place}: {fault}"
    return None


def misused(effects: Iterable[Effect], *, caused: bool) -> str | None:
    """Return what is wrong with the words of the first of *effects* that is misused; None where none is."""
    return next((fault for effect in effects if (fault := effect.misused(caused=caused))), None)


# --- parts that several kinds share ----------------------------------------------------------------


def no_such(view: State, creature: str, *, dead: bool = False) -> str | None:
    """Return that *creature* is not there, or dead, if nothing can be done to it."""
    found = view.creatures.get(creature)
    if found is None:
        return f"there is no creature {creature}"
    return None if found.is_present or dead else f"{creature} is not among the living here"


def amount_fault(amount: int, dice: tuple[DieSize, ...]) -> str | None:
    """Return that an amount is none: neither dice nor a number that is at least 0."""
    if not 0 <= amount <= MOST or len(dice) > MOST or (amount == 0 and not dice):
        return f"an amount from 1 to {MOST}, or dice"
    return None


def rolled(
    state: State, chance: Chance, frame: EffectsFrame, creature: str, amount: int, dice: tuple[DieSize, ...]
) -> _Amount:
    """Return the dice of an amount, if it has any; return the state and the whole."""
    if not dice:
        return state, amount
    roll: Roll
    owner = frame.source or creature
    state, roll = yield from chance.throw(
        state,
        owner=owner,
        stream=f"{owner}/effect",
        purpose={"what": "effect", "effects": frame.path, "on": creature},
        pool=tuple(PoolDie(role=frame.cause, sides=sides) for sides in dice),
    )
    return state, amount + roll.total


# --- parameters ----------------------------------------------------------------------------------------
# Whom the operations of an ability mean. Everything must be said at once and is fixed from then on; nothing
# is asked for later that could have been said.

HR_ABIL_8: Final = Rule(
    "HR-ABIL-8",
    "How an ability is used, on whom and how much, is said when it is announced.",
    books.BASICS.at("Timing Tags"),
)


STANCES: Final = ("might", "agility", "cunning")
ABILITIES: Final = ("might", "agility", "cunning", "presence")
OFFERED: Final = 60
"""Ways to use an ability that are listed as offers; more exist where several creatures may be named."""


@enforces(HR_ABIL_8)
def check_params(
    view: State, creature: Creature, definition: Ability | Spell, params: Mapping[str, Any]
) -> None:
    """Refuse parameters of an ability that are unknown, missing, or not among its choices."""
    known = {param.name: param for param in definition.params}
    for name in params:
        if name not in known:
            raise Refused("params_missing", f"{definition.id} has no parameter {name}", HR_ABIL_8.id)
    for name, param in known.items():
        needed = all(params.get(key) == value for key, value in param.when.items())
        if name not in params:
            if param.optional or not needed:
                continue
            raise Refused("params_missing", f"{definition.id} needs {name}", HR_ABIL_8.id)
        if not needed:
            raise Refused("params_missing", f"{definition.id} takes no {name} for that", HR_ABIL_8.id)
        _check(view, creature, param, params[name])
    if opposes_itself(creature, definition, params):
        raise Refused("no_valid_target", f"{creature.id} does not oppose itself", "HR-GEN-9")


def opposes_itself(creature: Creature, definition: Ability | Spell, params: Mapping[str, Any]) -> bool:
    """Return whether a contest of *definition* would be one of *creature* with itself."""
    contests = (op for op in definition.effects if isinstance(op, Contest))
    return any(params.get(op.against.removeprefix("$")) == creature.id for op in contests)


def _check(view: State, creature: Creature, param: Param, value: Value) -> None:
    if param.kind == "creature":
        _check_creature(view, creature, param, value)
    elif param.kind == "creatures":
        if not isinstance(value, tuple) or not param.least <= len(dict.fromkeys(value)) == len(value):
            raise Refused(
                "params_missing", f"{param.name} is a list of at least {param.least}, each once", HR_ABIL_8.id
            )
        for one in value:
            _check_creature(view, creature, param, one)
    elif not _fits(creature, param, value):
        raise Refused("params_missing", f"{param.name} is {_expected(creature, param)}", HR_ABIL_8.id)
    elif param.kind == "cell" and param.within_ft is not None:
        _check_cell(view, creature, (value[0], value[1]), param.within_ft)


def _check_cell(view: State, creature: Creature, at: Cell, within_ft: int) -> None:
    """Refuse a cell that is too far from *creature*, a wall, or taken."""
    if distance(creature.position, 1, at, 1, view.house.metric) > within_ft:
        raise Refused("not_in_range", f"{at} is not within {within_ft} ft", "HR-ABIL-8")
    if view.is_solid(at) or any(other.id != creature.id for other in view.standing_at(at)):
        raise Refused("blocked", f"{at} is not free", "HR-ABIL-8")


def _fits(creature: Creature, param: Param, value: Value) -> bool:
    if param.kind == "number":
        return type(value) is int and param.least <= value <= param.most
    if param.kind == "cell":
        return isinstance(value, tuple) and [type(part) for part in value] == [int, int]
    if param.kind == "text":
        return isinstance(value, str) and 0 < len(value) <= SAID_LENGTH
    return value in listed(creature, param)


def _expected(creature: Creature, param: Param) -> str:
    if param.kind == "number":
        return f"a number from {param.least} to {param.most}"
    if param.kind == "cell":
        return "a cell"
    if param.kind == "text":
        return f"1 to {SAID_LENGTH} characters"
    return "one of " + ", ".join(listed(creature, param))


def _check_creature(view: State, creature: Creature, param: Param, value: Value) -> None:
    target = view.creatures.get(value) if isinstance(value, str) else None
    if target is None:
        raise Refused("params_missing", f"{param.name} names no creature", HR_ABIL_8.id)
    if not target.is_present:
        raise Refused("target_dead", f"{value} is dead", "HR-ABIL-8")
    if not _is_of_side(creature, target, param.side):
        code = "target_not_enemy" if param.side == "enemy" else "no_valid_target"
        raise Refused(code, f"{value} is not {param.side}", "HR-ABIL-8")
    if param.within_ft is not None and view.distance(creature, target) > param.within_ft:
        raise Refused("not_in_range", f"{value} is not within {param.within_ft} ft", "HR-ABIL-8")
    if param.engaged and value not in participants(view):
        raise Refused("not_in_engagement", f"{value} is in no engagement", "HR-ABIL-8")


def _is_of_side(creature: Creature, target: Creature, side: str) -> bool:
    if side == "enemy":
        return target.side != creature.side
    if side == "ally":
        return target.side == creature.side
    return side == "any" or target.id != creature.id


def participants(state: State) -> tuple[str, ...]:
    """Return who is in the open engagement."""
    frame: Any = next((frame for frame in state.stacks.table if frame.kind == "engagement"), None)
    return tuple(frame.participants) if frame else ()


def allowed(view: State, creature: Creature, param: Param) -> tuple[str, ...]:
    """Return the creatures a parameter may name."""
    found = []
    for name in view.creatures:
        try:
            _check_creature(view, creature, param, name)
        except Refused:
            continue
        found.append(name)
    return tuple(found)


def listed(creature: Creature, param: Param) -> tuple[str, ...]:
    """Return the words a parameter may hold, where they can be listed."""
    if param.kind == "stance":
        return STANCES
    if param.kind == "ability":
        return ABILITIES
    if param.kind == "condition":
        return tuple(creature.conditions)
    return param.choices


def ways(view: State, creature: Creature, definition: Ability | Spell) -> Iterator[Mapping[str, Any]]:
    """Yield ways to say how *definition* is used: every value of what can be listed, one of what cannot."""
    found = _said(view, creature, definition.params, {})
    yield from islice((way for way in found if not opposes_itself(creature, definition, way)), OFFERED)


def _said(
    view: State, creature: Creature, params: tuple[Param, ...], said: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the ways to say *params* after what was *said*: the first of them, then the others."""
    if not params:
        yield said
        return
    param, rest = params[0], params[1:]
    if param.optional or any(said.get(key) != value for key, value in param.when.items()):
        yield from _said(view, creature, rest, said)
        return
    for value in _values(view, creature, param):
        yield from _said(view, creature, rest, {**said, param.name: value})


def _values(view: State, creature: Creature, param: Param) -> Iterator[Any]:
    if param.kind == "creature":
        yield from allowed(view, creature, param)
    elif param.kind == "creatures":
        found = allowed(view, creature, param)
        if len(found) >= max(1, param.least):
            yield found
        if len(found) > 1 and param.least <= 1:
            yield from ((one,) for one in found)
    elif param.kind == "number":
        yield from range(param.least, param.most + 1)
    elif param.kind == "cell":
        yield from _cells(view, creature, param)
    elif param.kind == "text":
        yield "as I say"
    else:
        yield from listed(creature, param)


LISTED_FT: Final = 30
"""How far from its user the cells are that are listed."""


def _cells(view: State, creature: Creature, param: Param) -> Iterator[Cell]:
    """Yield cells that *param* may name, those near *creature*, without the one that it is in."""
    reach = min(LISTED_FT, max(FEET, param.within_ft or 0)) // FEET
    x, y = creature.position
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            try:
                _check(view, creature, param, (x + dx, y + dy))
            except Refused:
                continue
            if dx or dy:
                yield x + dx, y + dy


def whom(state: State, use: Use, who: str) -> tuple[str, ...]:
    """Return the creatures an operation is about, the dead left out."""
    return tuple(name for name in _named(state, use, who) if state.creatures[name].is_present)


def _named(state: State, use: Use, who: str) -> tuple[str, ...]:
    if who == "self":
        return (use.creature,)
    if who == "held":
        return held_by(state, use.creature)
    if who in ROLES:
        found = use.about.get(who)
        return (str(found),) if found is not None else ()
    value = use.params.get(who.removeprefix("$"))
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def held_by(state: State, creature: str) -> tuple[str, ...]:
    """Return whom *creature* holds in a grapple."""
    return tuple(
        other.id
        for other in state.creatures.values()
        if (found := other.conditions.get("grappled")) is not None and found.source == creature
    )


# --- operations ----------------------------------------------------------------------------------------
# Carry effects out, meet in a contest, or wait for the GM's word. An operation is data with places left open
# (`$target`, `self`, `hurt`); when its turn comes the places are filled from what was said, and the effects
# go the way all effects go (above).


@record
class Do(Op[State]):
    """Carry out an effect, once for each creature it is about."""

    kind: ClassVar[str] = "do"
    effect: Effect
    """The effect."""
    when: Mapping[Code, Code] = EMPTY
    """Parameters that must have been said so for this to happen."""
    if_won: bool = False
    """Only after a contest that the user has won."""

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        order = concrete(state, self.effect, use)
        if not order or not said(self.when, use):
            return state
        return (
            yield EffectsBegun(
                effects=f"{use.path}/{type(self.effect).kind}",
                order=order,
                source=use.creature,
                cause=use.ability,
                because=("HR-ABIL-8",),
            )
        )


@record
class Contest(Op[State]):
    """The user makes a check that a creature contests with one of the abilities listed, by its own choice."""

    kind: ClassVar[str] = "contest"
    ability: AbilityDie
    against: CreatureRef
    """Whom: a creature the operation is about."""
    answered_with: tuple[AbilityDie, ...] = ("might", "agility")
    """The abilities with which the opponent may answer."""
    what: Matter = "contest"
    size_counts: bool = False
    """Whether the sizes of both matter."""

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself leads its contests."""
        raise AssertionError(use.path)


@record
class Save(Op[State]):
    """Creatures make a saving throw against the user; those who fail are `failed` from then on."""

    kind: ClassVar[str] = "save"
    who: CreatureOrParameter
    ability: AbilityDie

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself asks for saves."""
        raise AssertionError(use.path)


@record
class Adjudicate(Op[State]):
    """The GM rules what comes of it: accepts with effects, or rejects."""

    kind: ClassVar[str] = "adjudicate"
    question: Question

    def apply(self, state: State, chance: Chance, use: Use) -> Emits[State]:
        """Never come to this: the use itself waits for the GM."""
        raise AssertionError(use.path)


def said(when: Mapping[str, str], use: Use) -> bool:
    """Return whether every parameter in *when* was said as it demands."""
    return all(use.params.get(name) == value for name, value in when.items())


def concrete(state: State, effect: Effect, use: Use) -> tuple[Effect, ...]:
    """Return *effect* with its places filled, once for each creature it is about; none if one stays open."""
    filled = fill(effect, use)
    if filled is None:
        return ()
    who = getattr(filled, "creature", None)
    if who is None:
        return (filled,)
    return tuple(changed(filled, creature=name) for name in whom(state, use, who))


def fill(value: Value, use: Use, *, top: bool = True) -> Value:
    """Return *value*, a record, with each `$name` replaced by what was said; None where something was not.

    The creature is left for last, for it may be several.
    """
    new = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if top and field.name == "creature":
            continue
        if isinstance(old, str) and old.startswith("$"):
            new[field.name] = use.rush if old == "$rush" else use.params.get(old[1:])
            if new[field.name] is None:
                return None
        elif isinstance(old, tuple) and any(_is_open(item) for item in old):
            new[field.name] = _listed(old, use)
        elif hasattr(old, "__dataclass_fields__"):
            new[field.name] = fill(old, use, top=False)
            if new[field.name] is None:
                return None
    return changed(value, **new) if new else value


def _is_open(item: object) -> bool:
    return isinstance(item, str) and (item == "self" or item.startswith("$"))


def _listed(items: tuple[Any, ...], use: Use) -> tuple[Any, ...]:
    found: list[Any] = []
    for item in items:
        if item == "self":
            found.append(use.creature)
            continue
        value = use.params.get(item[1:]) if isinstance(item, str) and item.startswith("$") else item
        found += value if isinstance(value, tuple) else [value] if value is not None else []
    return tuple(found)
