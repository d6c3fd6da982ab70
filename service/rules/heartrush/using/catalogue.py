"""Ship the sample abilities of classes, spells and talents, and list the definitions that a fight has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush.body.operations import Adjudicate, Contest, Do
from service.rules.heartrush.creatures.abilities import (
    Ability,
    Aura,
    Bar,
    Curse,
    Explode,
    Extremes,
    FreeStrikes,
    FullHeart,
    HalfDefense,
    KeepPriority,
    LargerDie,
    MoreSidesteps,
    Param,
    Riposte,
    RollBonus,
    Shove,
    Spell,
)
from service.rules.heartrush.creatures.sheet import Sheet
from service.rules.heartrush.effects.effects import (
    Die,
    EarlySidestep,
    EaseConditions,
    GainCondition,
    HealHeart,
    KnockDown,
    Lay,
    LayPool,
    LoseCondition,
    Soak,
)
from service.rules.heartrush.effects.effects_of_place import Drag, Push
from service.rules.heartrush.effects.uses import (
    AtZero,
    Behind,
    Engaged,
    Holding,
    InStance,
    NoDamage,
    Plays,
    Wields,
)
from service.rules.heartrush.engaging.riders import Redirect

# --- abilities of classes ------------------------------------------------------------------------------
# Minor ones that cost rush, majors with a pool, and what is always on.

IN_THE_THICK_OF_IT: Final = Ability(
    id="in-the-thick-of-it",
    name="In the Thick of It",
    text="+1 to attack and defense rolls for each adjacent enemy.",
    tags=("passive",),
    always=(RollBonus(rolls=("attack", "defense"), flat=1, per="adjacent_enemy"),),
)

CRIPPLING_BLOWS: Final = Ability(
    id="crippling-blows",
    name="Crippling Blows",
    text="After damage with a heavy melee weapon: no sidestep and a knockdown, or 10 ft away.",
    tags=("minor", "instant"),
    trigger=("damage_applied",),
    params=(Param(name="option", kind="choice", choices=("beat_down", "smash")),),
    requires=(Plays(role="hitter"), Wields(size_class="heavy", attack_type="melee")),
    effects=(
        Do(
            effect=Lay(creature="hurt", modifier=Bar(what=("sidestep",)), lasts="round"),
            when={"option": "beat_down"},
        ),
        Do(effect=KnockDown(creature="hurt"), when={"option": "beat_down"}),
        Do(effect=Push(creature="hurt", feet=10), when={"option": "smash"}),
    ),
)

SENTINEL: Final = Ability(
    id="sentinel",
    name="Sentinel",
    text="A sidestep does not stop your opportunity attacks, and they cost nothing.",
    tags=("passive",),
    always=(FreeStrikes(),),
)

BRUTAL_ATTACKS: Final = Ability(
    id="brutal-attacks",
    name="Brutal Attacks",
    text="Each kept attack die at its most adds another of its size, again and again.",
    tags=("passive",),
    always=(Explode(),),
)

CRY_OF_DEFIANCE: Final = Ability(
    id="cry-of-defiance",
    name="Cry of Defiance",
    text="Clear a condition, or take a level off each, or heal the highest face of your largest heart die.",
    tags=("minor", "instant"),
    params=(
        Param(name="option", kind="choice", choices=("clear", "ease", "heal")),
        Param(name="condition", kind="condition", when={"option": "clear"}),
    ),
    effects=(
        Do(effect=LoseCondition(creature="self", condition="$condition"), when={"option": "clear"}),
        Do(effect=EaseConditions(creature="self"), when={"option": "ease"}),
        Do(effect=HealHeart(creature="self"), when={"option": "heal"}),
    ),
)

VIOLENT_DEFENSE: Final = Ability(
    id="violent-defense",
    name="Violent Defense",
    text="Until round end add your weapon die to defense; what it has over an attack hurts the attacker.",
    tags=("minor", "instant"),
    effects=(
        Do(effect=Lay(creature="self", modifier=RollBonus(rolls=("defense",), weapon_dice=1), lasts="round")),
        Do(effect=Lay(creature="self", modifier=Riposte(), lasts="round")),
    ),
)

EXECUTE: Final = Ability(
    id="execute",
    name="Execute",
    text="Damage of yours that brings its target to 0 or less kills it.",
    tags=("minor", "instant"),
    trigger=("damage_applied",),
    requires=(Plays(role="hitter"), AtZero(who="hurt")),
    effects=(Do(effect=Die(creature="hurt")),),
)

LIGHTNING_REFLEXES: Final = Ability(
    id="lightning-reflexes",
    name="Lightning Reflexes",
    text="This round your side keeps priority after your own abilities.",
    tags=("minor", "instant"),
    effects=(Do(effect=Lay(creature="self", modifier=KeepPriority(), lasts="round")),),
)

I_DONT_THINK_SO: Final = Ability(
    id="i-dont-think-so",
    name="I Don't Think So",
    text="A grapple check on whom you hold: drag it, silence it, fall with it, or a level of a condition.",
    tags=("minor",),
    params=(
        Param(
            name="option",
            kind="choice",
            choices=("drag", "silence", "prone", "weakened", "off_balanced", "dazed"),
        ),
        Param(name="to", kind="cell", within_ft=5, when={"option": "drag"}),
    ),
    requires=(Holding(),),
    effects=(
        Contest(ability="might", against="held", what="grapple", size_counts=True),
        Do(effect=Drag(creature="held", to="$to"), when={"option": "drag"}, if_won=True),
        Do(
            effect=Lay(creature="held", modifier=Bar(what=("speak",)), lasts="round"),
            when={"option": "silence"},
            if_won=True,
        ),
        Do(effect=GainCondition(creature="held", condition="prone"), when={"option": "prone"}, if_won=True),
        Do(effect=GainCondition(creature="self", condition="prone"), when={"option": "prone"}, if_won=True),
        *(
            Do(effect=GainCondition(creature="held", condition=key), when={"option": key}, if_won=True)
            for key in ("weakened", "off_balanced", "dazed")
        ),
    ),
)

ETERNAL_FORTITUDE: Final = Ability(
    id="eternal-fortitude",
    name="Eternal Fortitude",
    text="A pool of 2d6 for each rush: add any number of them to defense rolls before seeing them.",
    tags=("major", "instant"),
    rush_extra=True,
    effects=(Do(effect=LayPool(creature="self", sides=6, each=2)),),
)

CLASS_ABILITIES: Final = (
    IN_THE_THICK_OF_IT,
    CRIPPLING_BLOWS,
    SENTINEL,
    BRUTAL_ATTACKS,
    CRY_OF_DEFIANCE,
    VIOLENT_DEFENSE,
    EXECUTE,
    LIGHTNING_REFLEXES,
    I_DONT_THINK_SO,
    ETERNAL_FORTITUDE,
)


# --- spells --------------------------------------------------------------------------------------------
# One that is an instant, one that is not, and one that is kept up.

FORCE_STRIKE: Final = Spell(
    id="force-strike",
    name="Force Strike",
    text="Your next attack pushes its target 15 ft.",
    elements=("force",),
    instant=True,
    effects=(Do(effect=Lay(creature="self", modifier=Shove(feet=15), lasts="next_attack")),),
)

COLD_SNAP: Final = Spell(
    id="cold-snap",
    name="Cold Snap",
    text="For a minute, chosen creatures within 45 ft have a level of restrained, two if they are wet.",
    elements=("water",),
    params=(Param(name="chosen", kind="creatures", side="other", within_ft=45),),
    effects=(Do(effect=Soak(creature="$chosen", lasts="minute")),),
)

AURA_OF_IGNITION: Final = Spell(
    id="aura-of-ignition",
    name="Aura of Ignition",
    text="For up to a minute every other creature next to you catches fire as a round begins.",
    elements=("fire",),
    instant=True,
    ongoing=True,
    effects=(
        Do(effect=Lay(creature="self", modifier=Aura(condition="burning", within_ft=5), lasts="minute")),
    ),
)

SPELLS: Final = (FORCE_STRIKE, COLD_SNAP, AURA_OF_IGNITION)


# --- talents -------------------------------------------------------------------------------------------
# One heart, major, weekly or monthly use each, or always on.

AGILE: Final = Ability(
    id="agile",
    name="Agile",
    text="The agility stance grants two sidesteps.",
    tags=("passive",),
    talent="combat",
    always=(MoreSidesteps(),),
)

BATTLESCREECH: Final = Ability(
    id="battlescreech",
    name="Battlescreech",
    text="Chosen creatures within 30 ft have D2 on their next attack or defense roll.",
    tags=("heart", "quick"),
    talent="combat",
    params=(Param(name="chosen", kind="creatures", side="other", within_ft=30),),
    effects=(
        Do(
            effect=Lay(
                creature="$chosen",
                modifier=RollBonus(rolls=("attack", "defense"), levels=-2),
                lasts="next_roll",
            )
        ),
    ),
)

TARGET_THE_WEAKNESS: Final = Ability(
    id="target-the-weakness",
    name="Target the Weakness",
    text="Before stances, name one and a creature: attacks on it with that stance ignore half its defense.",
    tags=("heart", "instant"),
    talent="combat",
    trigger=("joining_closed",),
    params=(
        Param(name="stance", kind="stance"),
        Param(name="creature", kind="creature", side="enemy", engaged=True),
    ),
    requires=(Engaged(),),
    effects=(
        Do(effect=Lay(creature="$creature", modifier=HalfDefense(stance="$stance"), lasts="engagement")),
    ),
)

BAITED_ATTACK: Final = Ability(
    id="baited-attack",
    name="Baited Attack",
    text="An attack on you that does no damage deals its roll to a creature behind you instead.",
    tags=("heart", "instant"),
    talent="combat",
    trigger=("rolls_known",),
    params=(Param(name="creature", kind="creature", side="other", within_ft=5),),
    requires=(Plays(role="defender"), NoDamage(), Behind(param="creature")),
    effects=(Do(effect=Redirect(creature="$creature")),),
)

TUMBLE: Final = Ability(
    id="tumble",
    name="Tumble",
    text="Take the sidestep of the agility stance before the cunning step.",
    tags=("major", "instant"),
    talent="combat",
    trigger=("stances_revealed",),
    params=(Param(name="to", kind="cell"),),
    requires=(InStance(stances=("agility",)),),
    effects=(Do(effect=EarlySidestep(creature="self", to="$to")),),
)

ADRENALINE_SPIKE: Final = Ability(
    id="adrenaline-spike",
    name="Adrenaline Spike",
    text="One ability die is a size larger for one roll, up to d12.",
    tags=("major", "quick"),
    talent="combat",
    params=(Param(name="ability", kind="ability"),),
    effects=(Do(effect=Lay(creature="self", modifier=LargerDie(ability="$ability"), lasts="next_roll")),),
)

CURSEWEAVER: Final = Ability(
    id="curseweaver",
    name="Curseweaver",
    text="A creature within 45 ft takes 1d6 when it attacks you or those you choose, until the next curse.",
    tags=("weekly", "instant"),
    talent="combat",
    params=(
        Param(name="creature", kind="creature", side="enemy", within_ft=45),
        Param(name="guarded", kind="creatures", side="ally", least=0, optional=True),
    ),
    effects=(
        Do(
            effect=Lay(
                creature="$creature",
                modifier=Curse(count=1, sides=6, within_ft=45, guarded=("self", "$guarded")),
                lasts="until_reused",
            )
        ),
    ),
)

HYPNOTIC_TUNE: Final = Ability(
    id="hypnotic-tune",
    name="Hypnotic Tune",
    text="While you play this round, listeners within 120 ft neither move nor act, unless they are attacked.",
    tags=("weekly", "quick", "full_action"),
    talent="combat",
    params=(Param(name="listeners", kind="creatures", side="other", within_ft=120),),
    effects=(
        Do(
            effect=Lay(
                creature="$listeners",
                modifier=Bar(what=("move", "act"), until_attacked=True, within_ft=120),
                lasts="round",
            )
        ),
    ),
)

DEORIC_ENDURANCE: Final = Ability(
    id="deoric-endurance",
    name="Deoric Endurance",
    text="For one minute you roll your largest heart die.",
    tags=("monthly", "instant"),
    talent="combat",
    effects=(Do(effect=Lay(creature="self", modifier=FullHeart(), lasts="minute")),),
)

ORACLE: Final = Ability(
    id="oracle",
    name="Oracle",
    text="Another creature's next roll counts as its most, for a complication; the GM has one of yours.",
    tags=("monthly", "quick", "full_action"),
    talent="combat",
    params=(Param(name="creature", kind="creature", side="other"),),
    effects=(
        Do(effect=Lay(creature="$creature", modifier=Extremes(end="most"), lasts="next_roll")),
        Adjudicate(
            question="Which complication comes of it, and which roll of the oracle's shows its least?"
        ),
    ),
)

TALENTS: Final = (
    AGILE,
    BATTLESCREECH,
    TARGET_THE_WEAKNESS,
    BAITED_ATTACK,
    TUMBLE,
    ADRENALINE_SPIKE,
    CURSEWEAVER,
    HYPNOTIC_TUNE,
    DEORIC_ENDURANCE,
    ORACLE,
)


# --- the catalogue -------------------------------------------------------------------------------------
# A fight knows what its sheets name: from the opening's own definitions first, then from this catalogue.

CATALOGUE: Final[Mapping[str, Ability | Spell]] = MappingProxyType(
    {definition.id: definition for definition in (*CLASS_ABILITIES, *TALENTS, *SPELLS)}
)


def defined(name: str, own: Mapping[str, Ability | Spell]) -> Ability | Spell | None:
    """Return the definition of this id: the fight's *own*, or the shipped one."""
    return own.get(name, CATALOGUE.get(name))


def named(sheets: Iterable[Sheet], own: Iterable[Ability | Spell]) -> Mapping[str, Ability | Spell]:
    """Return *own*, and the shipped definitions of everything that *sheets* name, in their order."""
    found = {definition.id: definition for definition in own}
    names = (name for sheet in sheets for name in (*sheet.abilities, *sheet.growth.spells))
    return {**found, **{name: CATALOGUE[name] for name in names if name in CATALOGUE}}
