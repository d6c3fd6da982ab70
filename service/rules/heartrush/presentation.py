"""Show Heart Rush to readers: a sentence for each event, in the order of a fight, and creatures as tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.heartrush.opening import creature_of
from service.rules.heartrush.sheet import side_of
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.table.short_view import CreatureToken, ShownCondition, TokenStatus, legible

# --- sentences -----------------------------------------------------------------------------------------
# See `Ruleset.sentences`.

SENTENCES: Final[Mapping[str, str]] = {
    "combat_began": "combat begins",
    "rush_gained": "rush: {gains}",
    "priority_granted": "the {side} have priority",
    "priority_passed": "priority passes to the {side}",
    "round_started": "round {round} begins",
    "round_ran_out": "{passes} passes in a row: the round is over",
    "round_ended": "round {round} has ended",
    "ability_used": "{creature} uses {ability} (pays: {paid})",
    "moved": "{creature} moves {feet} ft ({how})",
    "engagement_declared": "{initiator} engages {target}: nobody has priority until it is resolved",
    "engagement_joined": "{creature} joins the engagement",
    "join_declined": "{creature} stays out",
    "joining_closed": "nobody else joins",
    "stance_committed": "{creature} has chosen a stance, in secret",
    "stance_chosen": "(for its own seat: {creature} chose {stance})",
    "stance_forced": "{creature} cannot choose a stance: {stance}",
    "stances_revealed": "the stances are revealed: {stances}",
    "step_started": "the {step} step begins",
    "step_ended": "the {step} step is over",
    "declared": "(for its own seat: {creature} declares {declaration})",
    "targets_revealed": "the declarations are revealed",
    "exchange_begun": "{attacker} attacks {defender} ({stance})",
    "attack_rolled": "{creature} attacks with {rolled_total}",
    "defense_rolled": "{creature} defends with {rolled_total}",
    "contested_rolled": "{creature} strikes back with {rolled_total}",
    "exchange_hit": "{by} hits {creature} by {excess}",
    "damage_pending": "{creature} is about to take {amount}",
    "damage_halved": "the defensive stance halves {before} to {after}",
    "shrugged": "{creature} shrugs it off: {before} becomes {after}, the heart die a d{heart_die}",
    "damage_applied": "{creature} takes {amount}: {hp} hit points left",
    "wound_marked": "{creature} is wounded (rank {rank})",
    "fell_to_zero": "{creature} falls to zero",
    "unconscious": "{creature} loses consciousness",
    "died": "{creature} dies",
    "mover_done": "{creature} has moved and struck",
    "sidestep_declined": "{creature} stays where it is",
    "attacks_over": "all attacks are done",
    "aftermath_over": "no push is left",
    "engagement_ended": "the engagement is over",
    "declined": "{creature} passes",
    "exchange_settled": "",
    "declaration_made": "",
    "instant_declared": "{item_creature} answers with {item_ability}",
    "instant_resolved": "",
    "window_opened": "{eligible} may answer",
    "window_closed": "",
    "movement_begun": "{creature} begins to move",
    "movement_planned": "",
    "movement_ended": "",
    "attack_due": "",
    "condition_gained": "{creature} is affected by {condition} (level {levels})",
    "conditions_faded": "conditions fade: {levels}",
    "push_earned": "{creature} may push {target}",
    "push_chosen": "{creature} pushes {target} by {feet} ft",
    "push_begun": "",
    "pushed": "{creature} is pushed to {path}",
    "push_stopped": "{blocker} stops {creature}",
    "collision": "{creature} collides with {blocker}: {mover_damage} and {blocker_damage} damage",
    "collision_shared": "",
    "push_done": "",
    "opening_contested": "{starter} wants to begin: a die decides",
    "opening_roll": "the die shows {face}",
}


# --- tokens --------------------------------------------------------------------------------------------

_STATUS: Final[dict[str, TokenStatus]] = {
    "active": "active",
    "unconscious": "down",
    "dead": "dead",
    "gone": "gone",
}


def tokens(view: State) -> tuple[CreatureToken, ...]:
    """Return every creature of a seat's *view*, those that are hidden last."""
    hidden = (unsealed(entry) for entry in view.hidden_creatures.values() if not is_closed(entry))
    return (
        *(_token(creature) for creature in view.creatures.values()),
        *(changed(_token(creature_of(entry)), hidden=True) for entry in hidden),
    )


def _token(creature: Creature) -> CreatureToken:
    sheet = creature.sheet
    return CreatureToken(
        id=sheet.id,
        name=sheet.name,
        side=sheet.side,
        kind=sheet.kind,
        size=sheet.size,
        space=side_of(sheet.size),
        position=creature.position,
        height_ft=0,
        status=_STATUS[creature.status],
        hp=legible(creature, "hp"),
        hp_max=legible(sheet, "hp_max"),
        conditions=tuple(
            ShownCondition(name=name, level=condition.level)
            for name, condition in creature.conditions.items()
        ),
    )
