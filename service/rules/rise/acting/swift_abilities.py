"""The Swift abilities: what they do, and which part of it comes early."""

from __future__ import annotations

from typing import Final

from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import RECOVERS, Creature
from service.rules.rise.creatures.sheet import Ability, Effect, Until
from service.rules.rise.harm.numbers import dr_max
from service.rules.rise.state import State

RI_UNIV_TOTALDEF: Final = Rule(
    "RI-UNIV-TOTALDEF",
    "Total defense adds 2 to all defenses for the round, already against the attacks of the same phase.",
    (books.TIME.at("Swift Abilities"), books.ABILITIES.at("Total Defense")),
    settles=("C-28",),
)
RI_UNIV_RECOVER: Final = Rule(
    "RI-UNIV-RECOVER",
    "Recovering removes all conditions, restores damage resistance, and heals half the hit points.",
    books.ABILITIES.at("Recover"),
)
RI_SWIFT_6: Final = Rule(
    "RI-SWIFT-6",
    "Where only part of an ability is Swift, that part alone comes early, whatever becomes of the rest.",
    books.TIME.at("Swift Abilities"),
    settles=("C-29",),
)
RI_SWIFT_2: Final = Rule(
    "RI-SWIFT-2",
    "Swift abilities hurt nobody and make no attack rolls, except to set a number to beat.",
    books.TIME.at("Swift Abilities"),
    settles=("C-46",),
)

RECKLESS: Final = "reckless_attack"

UNIVERSAL: Final = ("total_defense", "recover", RECKLESS)


@enforces(RI_UNIV_TOTALDEF)
def total_defense(state: State) -> tuple[Effect, ...]:
    """Return the effects of total defense."""
    until: Until = "round" if state.house.total_defense_lasts == "round" else "phase"
    return (
        Effect(does="gain", condition="total_defense", modifiers={"defenses": 2}, until=until, swift=True),
    )


@enforces(RI_UNIV_RECOVER)
def recover(creature: Creature) -> tuple[Effect, ...]:
    """Return the effects of recovering."""
    unseen = "hp_max" in creature.gm_only or "dr_max" in creature.gm_only
    return (
        Effect(does="lose", condition="*", swift=True),
        Effect(does="heal_dr", amount=RECOVERS if unseen else dr_max(creature), swift=True),
        Effect(does="heal_hp", amount=RECOVERS if unseen else creature.sheet.hp_max // 2, swift=True),
    )


@enforces(RI_SWIFT_6)
def early(ability: Ability) -> tuple[Effect, ...]:
    """Return the effects of *ability* that come early."""
    if "swift" in ability.tags:
        return tuple([changed(effect, swift=True) for effect in ability.effects])
    return tuple([effect for effect in ability.effects if effect.swift])


def reckless(state: State, creature: Creature) -> tuple[Effect, ...]:
    """Return what a reckless attack does early: as its sheet says, or as the house does."""
    own = next((early(a) for a in creature.sheet.abilities if a.id == RECKLESS), ())
    lowered = "defenses" if state.house.reckless_lowers == "all" else "armor"
    return own or (
        Effect(does="gain", condition=RECKLESS, modifiers={lowered: -2}, until="phase", swift=True),
    )


def swift_ability(state: State, creature: Creature, id_: str) -> Ability | None:
    """Return what is Swift of an ability of *creature*, universal or its own."""
    if id_ == "total_defense":
        return Ability(id=id_, tags=("swift",), effects=total_defense(state))
    if id_ == "recover":
        return Ability(id=id_, tags=("swift",), effects=recover(creature), cost_fatigue=2)
    if id_ == RECKLESS:
        return Ability(id=id_, tags=("swift",), effects=reckless(state, creature))
    own = next((a for a in creature.sheet.abilities if a.id == id_ and early(a)), None)
    return changed(own, effects=early(own)) if own is not None else None


@enforces(RI_SWIFT_2)
def is_simple(ability: Ability) -> bool:
    """Tell whether the Swift part of *ability* deals no damage and rolls no attack."""
    if any(effect.does == "damage" for effect in early(ability)):
        return False
    if "swift" not in ability.tags:
        return ability.strike is None or all(effect.to == "self" for effect in early(ability))
    return ability.strike is None or "swift_roll_ok" in ability.tags
