"""The sample talents: one heart, major, weekly or monthly use each, or always on."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.abilities.ability_effects import EarlySidestep, Lay
from service.rules.heartrush.abilities.requirements import Behind, Engaged, InStance, NoDamage, Plays
from service.rules.heartrush.abilities.roll_effects import Redirect
from service.rules.heartrush.operations.operations import Adjudicate, Do
from service.rules.heartrush.sheets.abilities import Ability, Param
from service.rules.heartrush.sheets.modifiers import (
    Bar,
    Curse,
    Extremes,
    FullHeart,
    HalfDefense,
    LargerDie,
    MoreSidesteps,
    RollBonus,
)

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
