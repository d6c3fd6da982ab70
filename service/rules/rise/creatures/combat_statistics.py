"""Combat statistics: a creature's conditions, and its numbers as sheet and conditions make them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final

from service.dice.values import Term
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.near import close_name, misspelt_name
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Bonus, Code, ConditionName, Count, CreatureId, Creatures, Label
from service.rules.rise import books
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Creature
from service.rules.rise.creatures.sheet import Effect, Tick
from service.rules.rise.creatures.state import State
from service.rules.rise.values import RoundStep

# --- named conditions ----------------------------------------------------------------------------------
# One record each says all that a condition does by itself. A condition of any other name does what its
# modifiers, dice and tick say, and nothing by its name.


@record
class ConditionKind:
    """A named condition: what it does to a creature that has it."""

    name: Label
    modifiers: Mapping[Code, Bonus] = EMPTY
    """What it adds to each defense; `defenses` is all of them."""
    covered_by: Code | None = None
    """The stronger condition beside which it counts nothing."""
    halves_speed: bool = False
    holds_fast: bool = False
    """Whether the creature cannot move."""
    is_posture: bool = False
    """Whether it is a state of body or place, which a cleansing does not reach."""
    helpless: bool = False
    half_aware: bool = False
    """Whether every attack on the creature finds it partly unaware."""
    missed: Count = 0
    """Of ten attacks on the creature, how many miss because it is hard to see."""
    misses: Count = 0
    """Of ten attacks of the creature, how many miss because it sees badly."""


GRAPPLED: Final = "grappled"
"""The bond of two creatures of which each holds the other."""
UNCONSCIOUS: Final = "unconscious"
"""The condition by which a creature lies senseless, whatever its wounds."""

_KINDS: Final = (
    ConditionKind(
        name="prone",
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        halves_speed=True,
        is_posture=True,
    ),
    ConditionKind(
        name="slowed",
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        covered_by="immobilized",
        halves_speed=True,
    ),
    ConditionKind(
        name="immobilized", modifiers=MappingProxyType({"armor": -4, "reflex": -4}), holds_fast=True
    ),
    ConditionKind(
        name=GRAPPLED,
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        holds_fast=True,
        is_posture=True,
    ),
    ConditionKind(name="squeezing", modifiers=MappingProxyType({"armor": -2, "reflex": -2}), is_posture=True),
    ConditionKind(name="midair", modifiers=MappingProxyType({"armor": -4, "reflex": -4}), is_posture=True),
    ConditionKind(name="dazed", modifiers=MappingProxyType({"defenses": -1}), covered_by="stunned"),
    ConditionKind(name="stunned", modifiers=MappingProxyType({"defenses": -2})),
    ConditionKind(name="helpless", helpless=True),
    ConditionKind(name=UNCONSCIOUS, helpless=True, is_posture=True),
    ConditionKind(name="dazzled", misses=2),
    ConditionKind(name="blinded", misses=5, half_aware=True),
    ConditionKind(name="concealed", missed=2),
    ConditionKind(name="unseen", missed=5),
)

CONDITIONS: Final[Mapping[str, ConditionKind]] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The named conditions, by name."""

_OTHER: Final = ConditionKind(name="")


MEANT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hidden": "unseen, or hide_creature before it joins",
        "invisible": "unseen",
        "restrained": "immobilized",
        "held": GRAPPLED,
        "asleep": UNCONSCIOUS,
        "dead": "damage",
        "flying": "a plan with mode fly",
        "mounted": "a plan with mount",
        "burning": "an ability with a tick, or custom",
    }
)
"""Words that tables use, and what says the same here."""


def condition_fault(name: str, *, custom: bool) -> str | None:
    """Return what keeps *name* from being a condition that does something, None if nothing does.

    A condition of the table's own does nothing by itself, and says so: it is *custom*.
    """
    if name in CONDITIONS:
        return f"{name} is a condition of the book, and not custom" if custom else None
    if custom:
        meant = misspelt_name(name, CONDITIONS)
        return None if meant is None else f"no condition is called {name}; {meant} is one"
    near = MEANT.get(name.lower()) or close_name(name, CONDITIONS)
    if near is not None:
        return f"no condition is called {name}: did you mean {near}?"
    known = ", ".join(CONDITIONS)
    return f"no condition is called {name}; the book has {known}. One of your own says custom"


def kind_of(condition: str) -> ConditionKind:
    """Return the kind of *condition*; a kind that does nothing by itself for a name that the book lacks."""
    return CONDITIONS.get(condition, _OTHER)


def kinds_on(creature: Creature) -> tuple[ConditionKind, ...]:
    """Return the kind of each condition of *creature*."""
    return tuple([kind_of(condition.name) for condition in creature.conditions])


# --- gaining and losing conditions ---------------------------------------------------------------------
# They end when their time is over.

RI_DUR_1: Final = Rule(
    "RI-DUR-1",
    "An effect for this round ends with its last step, a brief one with the last step of the next round.",
    books.GLOSSARY,
)
RI_COND_1: Final = Rule(
    "RI-COND-1",
    "A condition stays until it is removed; a second of its kind adds nothing but must go as well.",
    (books.CODEX_COMBAT, books.CODEX_CHARACTERS),
)

RI_SWIFT_11: Final = Rule(
    "RI-SWIFT-11",
    "What the dead kept up ends when they die, not only with the next action phase.",
    RULING,
)


ALL = "*"
"""The name by which every condition is meant."""


@record
class ConditionGained(Event[State]):
    """A condition or timed effect affects a creature."""

    type: ClassVar[str] = "condition_gained"
    creature: CreatureId
    condition: Condition
    """The condition; null for none."""

    def evolve(self, state: State) -> State:
        conditions = (*state.creatures[self.creature].conditions, self.condition)
        return state.with_creature(self.creature, conditions=conditions)


@record
class ConditionLost(Event[State]):
    """A condition no longer affects a creature: every instance; with `*` all; with `name@source` theirs."""

    type: ClassVar[str] = "condition_lost"
    creature: CreatureId
    condition: ConditionName

    def evolve(self, state: State) -> State:
        kept = tuple(
            [c for c in state.creatures[self.creature].conditions if not is_meant(c, self.condition)]
        )
        return state.with_creature(self.creature, conditions=kept)


def is_meant(condition: Condition, name: str) -> bool:
    """Return whether losing *name* takes this condition away."""
    if name == ALL:
        return condition.until == "condition" and not kind_of(condition.name).is_posture
    return name in (condition.name, f"{condition.name}@{condition.source}")


@record
class EffectsExpired(Event[State]):
    """Timed effects are over."""

    type: ClassVar[str] = "effects_expired"
    step: RoundStep
    creatures: Creatures

    def evolve(self, state: State) -> State:
        for name in self.creatures:
            kept = tuple([c for c in state.creatures[name].conditions if not over(state, c, self.step)])
            state = state.with_creature(name, conditions=kept)
        return state


def over(state: State, condition: Condition, step: int) -> bool:
    """Return whether *condition* ends with *step* of this round."""
    if condition.until == "phase":
        return step in (4, 10)
    return step == 11 and condition.expires is not None and condition.expires <= state.round


@enforces(RI_DUR_1)
def expire(state: State, step: int) -> Emits[State]:
    """Emit the end of the effects that last until *step*; nothing if there are none."""
    ending = tuple(
        [
            name
            for name, creature in state.creatures.items()
            if any(over(state, c, step) for c in creature.conditions)
        ]
    )
    return (yield EffectsExpired(step=step, creatures=ending)) if ending else state


@enforces(RI_COND_1)
def gain(creature: str, condition: Condition) -> Emits[State]:
    """Emit the gain of a condition."""
    return (yield ConditionGained(creature=creature, condition=condition))


def lose(state: State, creature: str, name: str) -> Emits[State]:
    """Emit that every instance of a condition is removed, if there is one."""
    found: Creature = state.creatures[creature]
    kind, _, source = name.partition("@")
    if name != ALL and not any(c.name == kind and source in ("", c.source) for c in found.conditions):
        return state
    if name == ALL and not found.conditions:
        return state
    return (yield ConditionLost(creature=creature, condition=name, because=("RI-COND-1",)))


@enforces(RI_SWIFT_11)
def end_sustained(state: State) -> Emits[State]:
    """Emit the end of what the dead kept up."""
    dead = [name for name, creature in state.creatures.items() if creature.dead]
    for name, creature in state.creatures.items() if dead else ():
        kept = [c for c in creature.conditions if c.until == "sustain" and c.source in dead]
        for condition, source in dict.fromkeys([(c.name, c.source) for c in kept]):
            lost = ConditionLost(creature=name, condition=f"{condition}@{source}", because=(RI_SWIFT_11.id,))
            state = yield lost
    return state


def condition_of(effect: Effect, source: str, round_: int) -> Condition:
    """Return the condition that *effect* puts on a creature in round *round_*."""
    expires = {"round": round_, "brief": round_ + 1}.get(effect.until)
    return Condition(
        name=effect.condition,
        source=source,
        until=effect.until,
        expires=expires,
        since=round_,
        modifiers=effect.modifiers,
        dice=effect.dice,
        tick=effect.tick,
        keep=effect.keep,
    )


# --- numbers -------------------------------------------------------------------------------------------
# Defenses, accuracy, checks, speeds. Every number is a sum of terms, each with its rule. Legality reads the
# same functions on a view, where what is hidden counts nothing.

RI_CALC_1: Final = Rule(
    "RI-CALC-1",
    "Modifiers add up, except those of the same name: of these only the weightiest counts.",
    books.CODEX_CHARACTERS.at("Stacking Rules"),
)
RI_COND_2: Final = Rule(
    "RI-COND-2",
    "Prone, slowed, grappled take 2 off Armor and Reflex, immobilized 4; dazed 1 and stunned 2 off all.",
    (books.REFERENCE.at("Circumstances and Debuffs"), books.TIME.at("Resolving Actions")),
)
RI_ATK_14: Final = Rule(
    "RI-ATK-14",
    "A creature unaware of an attack, or helpless, has 6 less Armor and Reflex against it; half aware 2.",
    books.REFERENCE.at("Circumstances and Debuffs"),
)
RI_FATIG_1: Final = Rule(
    "RI-FATIG-1",
    "Fatigue beyond the tolerance comes off accuracy and checks; at five the creature falls unconscious.",
    books.RESOURCES.at("Fatigue"),
)
RI_ATK_9: Final = Rule(
    "RI-ATK-9",
    "An attack adds accuracy, its own bonus, fatigue, wounds and the conditions of the attacker.",
    (books.TIME.at("Resolving Actions"), books.CHARACTERISTICS.at("Accuracy")),
)
RI_MOVE_5: Final = Rule(
    "RI-MOVE-5",
    "Prone and slowed creatures move at half speed; getting up costs half of the speed on one's feet.",
    (books.REFERENCE.at("Circumstances and Debuffs"), books.TIME.at("Resolving Actions")),
)
RI_DMG_3: Final = Rule(
    "RI-DMG-3",
    "Halves round down; halving twice leaves a third, and so on.",
    books.CODEX_CHARACTERS.at("Doubling and Halving"),
)


@enforces(RI_CALC_1)
def in_force(creature: Creature) -> Iterator[Condition]:
    """Yield the conditions of *creature* that count, of each name only the weightiest."""
    best: dict[str, Condition] = {}
    for condition in creature.conditions:
        other = best.get(condition.name)
        if other is None or _weight(condition) > _weight(other):
            best[condition.name] = condition
    for name, condition in best.items():
        if kind_of(name).covered_by not in best:
            yield condition


def _weight(condition: Condition) -> int:
    return sum(abs(amount) for amount in condition.modifiers.values()) + sum(condition.dice)


@enforces(RI_COND_1)
def ticking(creature: Creature) -> Iterator[tuple[Condition, Tick]]:
    """Yield what happens to *creature* by itself at boundaries, of each name only the weightiest."""
    best: dict[str, tuple[Condition, Tick]] = {}
    for condition in creature.conditions:
        tick, other = condition.tick, best.get(condition.name)
        if tick is not None and (other is None or tick.damage + tick.heal > other[1].damage + other[1].heal):
            best[condition.name] = (condition, tick)
    yield from best.values()


@enforces(RI_COND_2)
def modifiers(creature: Creature, *stats: str) -> tuple[Term, ...]:
    """Return the modifiers of *stats* by the conditions of *creature*.

    There is no shortcut for none: the rules consulted are public, and would reveal a hidden condition.
    """
    found: list[Term] = []
    for condition in in_force(creature):
        known = kind_of(condition.name).modifiers
        for stat in stats:
            amount = known.get(stat, 0) + condition.modifiers.get(stat, 0)
            if amount:
                found.append(Term(amount=amount, what=condition.name, rule="RI-COND-2"))
    return tuple(found)


def defense_terms(creature: Creature, name: str, attacker: Creature | None) -> tuple[Term, ...]:
    """Return what a defense of *creature* is made of against *attacker*."""
    base = Term(amount=creature.sheet.defenses.get(name, 0), what=name, rule="RI-ATK-1")
    terms = [base, *modifiers(creature, name, "defenses")]
    for effect in (name, "defenses"):
        count = creature.wounded(effect)
        if count:
            amount = -count * (1 if effect == "defenses" else 2)
            terms.append(Term(amount=amount, what="vital wounds", rule="RI-VITAL-4"))
    if name in ("armor", "reflex"):
        terms += [*unaware(creature, attacker), *midair(creature)]
    return tuple(terms)


def midair(creature: Creature) -> tuple[Term, ...]:
    """Return what being in the air costs a creature at home on land; a rider sits, and pays nothing."""
    if (
        creature.aloft is None
        or creature.mount is not None
        or not creature.sheet.speed("land")
        or creature.has("midair")
    ):
        return ()
    return (Term(amount=-4, what="midair", rule="RI-MOVE-9"),)


@enforces(RI_ATK_14)
def unaware(creature: Creature, attacker: Creature | None) -> tuple[Term, ...]:
    """Return the modifier of Armor and Reflex against an unseen attacker, or while helpless."""
    kinds = kinds_on(creature)
    helpless = creature.is_unconscious or any(kind.helpless for kind in kinds)
    if helpless or (attacker is not None and attacker.id in creature.unaware_of):
        return (Term(amount=-6, what="unaware or helpless", rule="RI-ATK-14"),)
    half_aware = any(kind.half_aware for kind in kinds)
    if half_aware or (attacker is not None and attacker.id in creature.partly_unaware_of):
        return (Term(amount=-2, what="partially unaware", rule="RI-ATK-14"),)
    return ()


def total(terms: Sequence[Term]) -> int:
    """Return the sum of *terms*."""
    return sum(term.amount for term in terms)


@enforces(RI_FATIG_1)
def tired(creature: Creature) -> tuple[Term, ...]:
    """Return the modifier of fatigue on accuracy and checks, none within the tolerance."""
    penalty = creature.fatigue_penalty
    return (Term(amount=-penalty, what="fatigue", rule="RI-FATIG-1"),) if penalty else ()


EXERTED: Final = Term(amount=2, what="desperate exertion", rule="RI-UNIV-DESPERATE")
"""What a roll gets that is rolled again with desperate exertion (`exertion.py`)."""


def asks_to_exert(state: State, creature: str, *, missed: bool) -> bool:
    """Return whether the player of *creature* is asked to roll again with desperate exertion."""
    asks = state.house.exertion_prompt
    return state.creatures[creature].sheet.is_pc and (asks == "always" or (asks == "misses" and missed))


def exertion(creature: str) -> Atom:
    """Return what desperate exertion costs *creature*."""
    return Atom(
        seq=UNNUMBERED,
        source=creature,
        target=creature,
        does="fatigue",
        amount=2,
        name="desperate exertion",
    )


def first_counts(state: State, first: int, second: int) -> bool:
    """Return whether the first of two totals still counts after desperate exertion."""
    return state.house.exertion_keeps == "better" and first >= second


@enforces(RI_ATK_9)
def accuracy_terms(creature: Creature, *, brawling: bool, bonus: int) -> tuple[Term, ...]:
    """Return the modifiers of an attack roll of *creature*."""
    base = creature.sheet.brawling_accuracy if brawling else creature.sheet.accuracy
    terms = [Term(amount=base, what="brawling accuracy" if brawling else "accuracy", rule="RI-ATK-1")]
    if bonus:
        terms.append(Term(amount=bonus, what="this attack", rule="RI-ATK-1"))
    if wounds := creature.wounded("accuracy"):
        terms.append(Term(amount=-wounds, what="vital wounds", rule="RI-VITAL-4"))
    return (*terms, *modifiers(creature, "accuracy"), *tired(creature))


def speed_of(state: State, creature: Creature, mode: str = "land") -> int:
    """Return the feet *creature* may move in one movement, 0 where it may not move at all."""
    if creature.has("immobilized"):
        return 0
    speed = creature.sheet.speed(mode)
    if not speed:
        return 0
    speed -= 5 * creature.wounded("speed")
    speed += total(modifiers(creature, "speed"))
    return max(0, slow(state, creature, speed))


@enforces(RI_MOVE_5)
def slow(state: State, creature: Creature, speed: int) -> int:
    """Return *speed*, halved once for each reason: lying prone, being slowed, squeezing by the profile."""
    slowing = dict.fromkeys([kind.name for kind in kinds_on(creature) if kind.halves_speed])
    squeezes = creature.has("squeezing") and state.profile.squeeze_halves_speed
    return halved(speed, len(slowing) + squeezes)


def speed_on_its_feet(state: State, creature: Creature, mode: str = "land") -> int:
    """Return the feet *creature* may move in one movement once it has got up."""
    lying = tuple([c for c in creature.conditions if c.name != "prone"])
    return speed_of(state, changed(creature, conditions=lying), mode)


def risen(state: State, creature: Creature, mode: str = "land") -> int:
    """Return the feet that getting up costs."""
    return -(-speed_on_its_feet(state, creature, mode) // 10) * 5


def hands_free(creature: Creature) -> int:
    """Return how many hands of *creature* hold nothing and nobody: neither a foe nor the reins."""
    reins = creature.mount is not None and not creature.budget.knees
    return creature.sheet.hands - len(creature.held) - creature.has("grappled") - reins


@enforces(RI_DMG_3)
def halved(amount: int, times: int = 1) -> int:
    """Return *amount* halved so many *times*."""
    return amount // (1 + times)


def dr_max(creature: Creature) -> int:
    """Return what the creature's damage resistance can rise to."""
    return halved(creature.sheet.dr_max, creature.wounded("half_dr"))
