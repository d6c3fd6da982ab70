"""The sample spells: one that is an instant, one that is not, and one that is kept up."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.abilities.ability_effects import Lay, Soak
from service.rules.heartrush.operations.operations import Do
from service.rules.heartrush.sheets.abilities import Param, Spell
from service.rules.heartrush.sheets.modifiers import Aura, Shove

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
    text="Chosen creatures within 45 ft gain a level of restrained, two if they are wet.",
    elements=("water",),
    params=(Param(name="chosen", kind="creatures", side="other", within_ft=45),),
    effects=(Do(effect=Soak(creature="$chosen")),),
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
