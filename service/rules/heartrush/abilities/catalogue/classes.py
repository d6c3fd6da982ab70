"""The sample abilities of classes: minor ones that cost rush, majors with a pool, and what is always on."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.abilities.ability_effects import (
    Drag,
    EaseConditions,
    HealHeart,
    KnockDown,
    Lay,
    LayPool,
)
from service.rules.heartrush.abilities.effect_kinds import Die, GainCondition, LoseCondition, Push
from service.rules.heartrush.abilities.requirements import AtZero, Holding, Plays, Wields
from service.rules.heartrush.operations.operations import Contest, Do
from service.rules.heartrush.sheets.abilities import Ability, Param
from service.rules.heartrush.sheets.modifiers import (
    Bar,
    Explode,
    FreeStrikes,
    KeepPriority,
    Riposte,
    RollBonus,
)

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
        Param(name="to", kind="cell", when={"option": "drag"}),
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
