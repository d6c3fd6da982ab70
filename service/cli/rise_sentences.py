"""One sentence for each event of Rise, as `sentences` has for Heart Rush."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    "combat_started": "combat begins with the {start_phase} phase",
    "creature_arriving": "{arrival_entry} is on its way",
    "phase_started": "the {phase} phase begins; the groups: {groups}",
    "planning_began": "each group plans its movements in secret: {groups}",
    "movement_planned": "(for its own group: {creature} plans {plan})",
    "movement_declared": "(for its own group: {creature} is going to {plan_ability}: {plan_targets})",
    "plans_revealed": "{group} reveals its plans",
    "movement_resolved": "all movements happen together",
    "phase_ended": "the {phase} phase is over",
    "swift_committed": "(for its own group: {creature} is committed to {ability})",
    "swift_resolved": "the Swift abilities of {groups} take effect, and stay sealed",
    "group_finished": "{group} is done; its actions stay sealed",
    "turn_began": "the turn of {creature} begins",
    "turn_ending": "{creature} is about to end its turn",
    "turn_ended": "{creature} ends its turn",
    "turn_passed": "{creature} passes its turn",
    "action_paid": "{creature} pays a {pay} action for {what}",
    "ability_used": "{assault_user} uses {assault_what} on {assault_targets}",
    "attack_rolled": "{attacker} attacks {target} with {total}: {outcome}",
    "damage_rolled": "{amount} {sort} damage to {target}",
    "damage_taken": "{creature} loses {dr} resistance and {hp} hit points",
    "damage_taken_unseen": "{creature} takes {amount} damage",
    "healed_unseen": "{creature} regains up to {amount} hit points",
    "resistance_recovered_unseen": "{creature} regains up to {amount} resistance",
    "defeated": "{creature} is {fate}; the credit goes to {credit}",
    "vital_wound_taken": "{creature} takes a vital wound: {wound}",
    "healed": "{creature} is healed and has {hp} hit points",
    "condition_gained": "{creature} is affected by {condition}",
    "condition_lost": "{creature} is free of {condition}",
    "fell_unconscious": "{creature} falls unconscious",
    "moved": "{creature} moves to {path} ({how})",
    "location_effect_ignored": "{creature} has moved already, and stays where it is",
    "initiative_rolled": "{creature} has an initiative of {total}",
    "conflict_found": "the movements of {creatures} conflict; they resolve in the order {order}",
    "group_announced": "{group} announces its actions, and everybody sees them",
    "phase_resolved": "everything takes effect at once",
    "nobody_can_act": "nobody can act",
    "combat_ended": "combat is over",
}

UNTOLD: Final = frozenset(
    {
        "ability_done",
        "action_step_reached",
        "effect_recorded",
        "group_resolved",
        "groups_apart",
        "groups_scheduled",
        "plans_sealed",
        "sprints_asked",
        "swift_closed",
        "target_done",
    }
)
"""Internal steps, which other events make visible."""
