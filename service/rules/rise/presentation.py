"""Show Rise to readers: a sentence for each event, in the order of a fight, and creatures as tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.rise.creature import Creature, creature_of, is_unconscious
from service.rules.rise.state import State
from service.rules.table.short_view import CreatureToken, ShownCondition, TokenStatus, legible

# --- sentences -----------------------------------------------------------------------------------------
# See `Ruleset.sentences`.

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
    "damage_taken": "{creature} takes {amount} damage, and loses {dr} resistance and {hp} hit points",
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
    "ability_done": "",
    "action_step_reached": "",
    "effect_recorded": "",
    "group_resolved": "",
    "groups_apart": "",
    "groups_scheduled": "",
    "plans_sealed": "",
    "sprints_asked": "",
    "swift_closed": "",
    "target_done": "",
    "round_started": "round {round} begins",
    "round_ended": "round {round} has ended",
    "ruling_made": "a ruling on {ruling_question}: {ruling_chosen}",
    "swift_declined": "",
    "effects_expired": "effects on {creatures} end",
    "recover_used": "{creature} recovers",
}


# --- tokens --------------------------------------------------------------------------------------------
# While groups act apart, a creature is shown as its own group's world has it, if the reader may read that
# world. Any other creature is shown as the reader's only world has it, and as the table has it for a reader
# of several worlds or of none.


def tokens(view: State) -> tuple[CreatureToken, ...]:
    """Return every creature of a seat's *view*, each once, those that are hidden last."""
    hidden = (unsealed(entry) for entry in view.hidden_creatures.values() if not is_closed(entry))
    return (
        *(_token(_shown(view, name)) for name in view.creatures),
        *(changed(_token(creature_of(entry)), hidden=True) for entry in hidden),
    )


def _shown(view: State, name: str) -> Creature:
    """Return the creature *name* as the world has it that shows it."""
    apart, group = view.apart, view.group_of(name)
    place = group if group in apart else apart[0] if len(apart) == 1 else None
    world = view if place is None else view.at(place)
    return world.creatures.get(name, view.creatures[name])


def _token(creature: Creature) -> CreatureToken:
    sheet = creature.sheet
    names = dict.fromkeys(condition.name for condition in creature.conditions)
    return CreatureToken(
        id=sheet.id,
        name=sheet.name,
        side=sheet.side,
        kind=sheet.kind,
        size=sheet.size,
        space=creature.space,
        position=creature.position,
        height_ft=creature.altitude,
        status=_status(creature),
        hp=legible(creature, "hp"),
        hp_max=legible(sheet, "hp_max"),
        conditions=tuple(ShownCondition(name=name) for name in names),
    )


def _status(creature: Creature) -> TokenStatus:
    if creature.dead:
        return "dead"
    if creature.defeated:
        return "gone"
    return "down" if creature.down or is_unconscious(creature) else "active"
