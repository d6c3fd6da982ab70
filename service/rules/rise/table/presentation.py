"""Show Rise to readers: a sentence for each event, creatures as tokens, and the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.kernel.messages import Sentence
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.rise.creatures.creature import Creature, creature_of
from service.rules.rise.creatures.state import State
from service.rules.space.grid import Row, overlaid
from service.rules.table.counted import Counted, Harm
from service.rules.table.short_view import (
    BattleMap,
    CreatureToken,
    Ground,
    MapRow,
    ShownCondition,
    TokenStatus,
    edges_of,
    legible,
)

# --- statistics ----------------------------------------------------------------------------------------

COUNTED: Final = Counted(acts={"action_paid": "creature"}, harms={"damage_taken": Harm()})
"""An act is each action that is paid for, of any sort; damage counts before resistance stops it."""

# --- sentences -----------------------------------------------------------------------------------------
# See `Ruleset.sentences`.

SENTENCES: Final[Mapping[str, Sentence]] = {
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
    "defeated": "{creature} is {fate}[; the credit goes to {credit}]",
    "vital_wound_taken": "{creature} takes a vital wound (roll {wound_result}, effect {wound_effect})",
    "healed": "{creature} is healed and has {hp} hit points",
    "condition_gained": "{creature} is affected by {condition_name}",
    "condition_lost": "{creature} is free of {condition}",
    "fell_unconscious": "{creature} falls unconscious",
    "moved": {
        "how=self": "{creature} moves to {path}",
        "": "{creature} moves to {path} ({how})",
    },
    "location_effect_ignored": "{creature} has moved already, and stays where it is",
    "initiative_rolled": {
        "again=True": "a tie is rolled again: {creature} has an initiative of {total}",
        "": "{creature} has an initiative of {total}",
    },
    "movement_stopped": "{creature} comes no farther[: {by} is in its way]; it does not enter {lost}",
    "conflict_found": "the movements of {creatures} conflict; they resolve in the order {order}",
    "group_announced": "{group} announces its actions, and everybody sees them",
    "phase_resolved": "everything takes effect at once",
    "nobody_can_act": "nobody can act",
    "combat_ended": "combat is over[: {reason}]",
    "ability_done": "",
    "action_step_reached": "",
    "effect_recorded": "",
    "group_resolved": "",
    "groups_apart": "",
    "groups_scheduled": "",
    "plans_sealed": "",
    "plans_opening": "all plans are sealed; each seat opens its own",
    "sprints_asked": "",
    "swift_closed": "",
    "target_done": "",
    "round_started": "round {round} begins",
    "round_ended": "round {round} has ended",
    "ruling_made": "a ruling on {ruling_question}: {ruling_chosen}",
    "swift_declined": "{creature} uses no Swift ability",
    "effects_expired": "effects on {creatures} end",
    "recover_used": "{creature} recovers",
    "combat_continued": "the gm lets combat go on",
    "round_forced": "the gm forces the next round",
    "pause_wanted": "the gm wants a pause in this round",
    "paused": "play pauses",
    "pause_ended": "play goes on",
    "question_closed": "",
    "ruling_requested": "the gm is asked: {question}",
    "gm_ruling_recorded": "a ruling of the gm: {decision}",
    "correction_taken": "",
    "ability_learned": "{creature} learns {ability_id}",
    "ability_forgotten": "{creature} loses the ability {ability}",
    "attitude_set": "{creature} regards {toward} as {attitude}",
    "attitudes_set": "",
    "groups_set": "the groups: {groups}",
    "group_left": "{group} has no seat left, and does nothing more in this phase",
    "group_resumed": "",
    "readers_changed": "",
    "initiative_answered": {
        "exerts=True": "{creature} exerts itself for initiative",
        "": "{creature} does not exert itself for initiative",
    },
    "initiative_rerolled": "{creature} rolls initiative again: {total}",
    "initiative_shown": "",
    "exertion_used": "{creature} exerts itself",
    "exertion_rolled": "{creature} rolls again by exertion",
    "roll_kept": "{creature} keeps its roll",
    "fatigue_gained": "{creature} gains {levels} fatigue: {cause}",
    "plan_withdrawn": "(for its own group: {creature} withdraws its plan)",
    "plans_collide": "the plans of {creatures} collide",
    "movements_made": "",
    "movement_spent": "{creature} spends {feet} ft of movement",
    "sprint_answered": {
        "accepted=True": "{creature} sprints in answer",
        "": "{creature} does not sprint in answer",
    },
    "stepped_aside": {
        "accepted=True": "{creature} steps aside for {user}",
        "": "{creature} does not step aside for {user}",
    },
    "squeezing_judged": "{creatures} squeeze together",
    "block_checked": {
        "blocked=True": "{blocker} blocks {creature}",
        "": "{blocker} fails to block {creature}",
    },
    "rush_began": "{user} rushes at {targets}",
    "rushed_through": "{user} rushes through {passed}",
    "rush_attacks": "",
    "rush_done": "",
    "reactions_set_off": "",
    "reaction_came": "",
    "reactions_done": "",
    "mounted": "{creature} mounts {mount}",
    "mount_bolted": "{creature} bolts",
    "ride_asked": "",
    "ride_rolled": "{creature} rides with {total}",
    "ride_checked": {
        "success=True": "{creature} controls {mount}",
        "": "{creature} fails to control {mount}",
    },
    "ride_dropped": "{creature} rides nobody any more",
    "ride_exerted": "{creature} exerts itself to ride",
    "took_off": "{creature} takes off to {altitude} ft",
    "mid_air": "{creature} is in the air",
    "depth_reached": "{creature} is so badly hurt that {depth} vital wounds follow",
    "fell": "{creature} falls {feet} ft",
    "attack_judged": "",
    "attack_postponed": "",
    "cover_struck": "{attacker} strikes the cover of {target}: {outcome}",
    "delayed_set": "{owner} prepares {delayed_ability}",
    "delayed_fired": "the prepared {ability} of {owner} takes effect on {targets}",
    "delayed_lapsed": "the prepared {ability} of {owner} lapses",
    "free_ability_came": "{creature} uses {ability} in the course of its movement",
    "swift_followed": "{creature} goes on with {ability}",
    "sustained": "{creature} sustains {name}",
    "zone_made": "a zone begins: {placed}",
    "zones_ended": "zones end: {ended}",
    "items_taken": "",
    "deed_tried": "{creature} tries something: {deed_deed}",
    "deeds_announced": "",
    "deeds_ordered": "",
    "deed_ruled": "the gm judges what {creature} tries ({deed}): {decision}",
    "deed_rolled": "{creature} rolls {total} for its deed",
    "deed_exerted": "{creature} exerts itself for its deed",
    "deed_judged": {
        "success=True": "{creature} succeeds: {deed}",
        "success=False": "{creature} fails: {deed}",
        "": "{creature} has tried: {deed}",
    },
    "deeds_judged": "",
    "object_manipulated": "{creature} handles an object: {what}[ {item}]",
    "order_wanted": "{seat} chooses the order of its creatures",
    "resistance_recovered": "{creature} regains resistance: {dr}",
    "hit_points_reset": "the hit points of {creatures} are reset",
    "wound_treated": "a vital wound of {creature} is treated",
    "rested": "{creature} has rested ({rest})",
    "days_passed": "{creature} enters as it stood {nights} days before, with a long rest on each",
    "woke": "{creature} wakes",
    "died": "{creature} dies: {cause}",
    "creature_added": "{entry_sheet_name} joins",
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
    began: dict[str, int] = {}
    for condition in creature.conditions:
        began[condition.name] = min(condition.since, began.get(condition.name, condition.since))
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
        conditions=tuple(ShownCondition(name=name, since=since) for name, since in began.items()),
    )


def _status(creature: Creature) -> TokenStatus:
    if creature.dead:
        return "dead"
    if creature.defeated:
        return "gone"
    return "down" if creature.down or creature.is_unconscious else "active"


# --- the map -------------------------------------------------------------------------------------------


def part(view: State) -> str:
    """Return the phase that a seat's *view* shows, empty between them."""
    return view.phase


def battle_map(view: State) -> BattleMap:
    """Return the map of a seat's *view*."""
    return BattleMap(rows=map_rows(view), edges=edges_of(view.walls))


def map_rows(view: State) -> tuple[MapRow, ...]:
    """Return the cells of a seat's *view* that are not plain ground, by rows."""
    worlds = [view, *(view.at(group) for group in view.apart)]
    zones = dict.fromkeys(placed for world in worlds for placed in world.zones)
    layers: list[tuple[Row, tuple[str, str]]] = []
    for key, kind in view.terrain.items():
        x, y = key.split(",")
        layers.append(((int(y), int(x), int(x)), ("terrain", kind)))
    for placed in zones:
        layers += [(row, ("zone", placed.zone.kind)) for row in placed.rows()]
    return tuple(MapRow(row=row, ground=_ground(on)) for row, on in overlaid(layers))


def _ground(on: tuple[tuple[str, str], ...]) -> Ground:
    terrain = next((kind for what, kind in on if what == "terrain"), "normal")
    return Ground(terrain=terrain, zones=tuple([kind for what, kind in on if what == "zone"]))
