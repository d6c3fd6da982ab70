"""Show Heart Rush to readers: a sentence for each event, creatures as tokens, and the map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from service.rules.heartrush.body.possessions import lantern_cells, lanterns, load
from service.rules.heartrush.creatures.sheet import Water, side_of
from service.rules.heartrush.creatures.size_and_bonds import slots
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.rolls import light_at
from service.rules.heartrush.table.entries import creature_of
from service.rules.heartrush.timing.engagement import EngagementFrame
from service.rules.kernel.messages import Sentence
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed, unsealed
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
    rows_of,
)

# --- statistics ----------------------------------------------------------------------------------------

COUNTED: Final = Counted(
    acts={"ability_used": "creature"},
    harms={"damage_applied": Harm(declared="damage_pending", key="damage")},
)
"""An act is each ability that is used; damage counts as it is taken, shrugged off or not."""

# --- sentences -----------------------------------------------------------------------------------------
# See `Ruleset.sentences`.

SENTENCES: Final[Mapping[str, Sentence]] = {
    "combat_began": "combat begins",
    "rush_gained": "[rush: {gains}]",
    "priority_granted": "the {side} have priority",
    "priority_passed": "priority passes to the {side}",
    "round_started": "round {round} begins",
    "round_ran_out": "{passes} passes in a row: the round is over",
    "round_ended": "round {round} has ended",
    "ability_used": {
        "paid=action": "{creature} uses {ability}, for its action",
        "paid=rush": "{creature} uses {ability}, for a rush point",
        "": "{creature} uses {ability}",
    },
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
    "shrugged": "{creature} shrugs it off: {before} becomes {after}, the heart die a {heart_die}",
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
    "exchange_settled": {
        "hit=False": "nobody is hit: only the higher roll hits",
        "": "",
    },
    "declaration_made": "",
    "instant_declared": "{item_creature} answers with {item_ability}",
    "instant_resolved": "",
    "window_opened": "there is time for an answer ({trigger})",
    "window_closed": "",
    "movement_begun": "{creature} begins to move",
    "movement_planned": "",
    "movement_ended": "",
    "attack_due": "",
    "condition_gained": "{creature} is affected by {condition} (level {levels})",
    "conditions_faded": "conditions fade to {levels}",
    "push_earned": "{creature} may push {target}",
    "push_chosen": "{creature} pushes {target} by {feet} ft",
    "push_begun": "",
    "pushed": "{creature} is pushed to {path}",
    "push_stopped": "{blocker} stops {creature}",
    "collision": "{creature} collides with {blocker}: {mover_damage} and {blocker_damage} damage",
    "collision_shared": "",
    "push_done": "",
    "breath_lost": "{creature} cannot hold its breath any more",
    "direction_chosen": "{creature} pushes towards {direction}",
    "followed": "{creature} follows",
    "companion_lost": "{creature} does not come along",
    "opening_contested": "it is open who begins: a die decides",
    "opening_roll": "the die shows {face}",
    "turn_order_set": "the order of turns: {order}",
    "turn_started": "the turn of {creature} begins",
    "turn_ended": "{creature} ends its turn",
    "turn_delayed": "{creature} delays its turn until after {after}",
    "initiative_rolled": "{creature} has an initiative of {total}",
    "surprise_ruled": {
        "surprised=True": "the gm rules that {creature} is surprised",
        "": "the gm rules that {creature} is not surprised",
    },
    "unaware_ruled": "the gm rules that the {side} are unaware",
    "nobody_can_act": "no creature can act",
    "round_ending": "",
    "round_settled": "",
    "upkeep_taken": "{creature}: {what} at the end of the round",
    "combat_ending": "combat is about to end: {reason}",
    "combat_ended": "combat is over: {reason}",
    "clock_advanced": "{seconds} seconds pass",
    "days_passed": "{creature} enters as it stood {seconds} seconds before, after {nights} nights of rest",
    "window_passed": "{creature} does not answer",
    "all_passed": "No answer from {creatures}",
    "deed_begun": "",
    "deed_declared": "{creature} is about to use {ability}",
    "deed_said": "(for its own seat: it says how its deed goes)",
    "deed_in_vain": "it comes to nothing: {reason}",
    "use_declared": "",
    "use_numbered": "",
    "use_begins": "",
    "operation_taken": "",
    "ability_resolved": "",
    "ability_ruled": {
        "accepted=True": "the gm allows the ability",
        "": "the gm does not allow the ability",
    },
    "ability_contested": {
        "mine={theirs}": "{creature} loses against {against}: both have {mine}, a tie goes against the user",
        "": "{creature} contests it against {against}: {mine} against {theirs}, and the higher one wins",
    },
    "ability_fizzled": "{ability} of {creature} has no effect: {reason}",
    "instant_fizzled": "{ability} of {creature} has no effect: {reason}",
    "timing_assumed": "",
    "cost_paid": "{creature} pays for {ability}: {rush} rush",
    "spell_cast": "{creature} casts {spell}",
    "save_made": {
        "success=True": "{creature} saves",
        "": "{creature} fails its save",
    },
    "effects_begun": "",
    "effect_taken": "",
    "effects_done": "",
    "effect_laid": "{effect_ability} of {effect_source} takes hold",
    "effect_triggered": "a lasting effect acts on the attack",
    "effect_ended": {
        "reason=used": "a lasting effect is used up",
        "reason=ran_out": "the time of a lasting effect is over",
        "reason=attacked": "a lasting effect ends, because of an attack",
        "reason=replaced": "a lasting effect gives way to the same one, laid again",
        "": "a lasting effect is ended",
    },
    "pool_spent": "{dice} dice of a lasting effect are spent",
    "bonus_laid": "destiny adds {bonus} to the next check of {creature}",
    "penalty_laid": "{creature} has a penalty: {penalty}",
    "roll_changed": "the {which} roll of {creature} is {rolled_total} now",
    "roll_voided": "the {which} roll does not count",
    "damage_changed": "the damage changes from {before} to {after}",
    "defense_kept": "",
    "attack_chosen": "",
    "attacker_chosen": "{attacker} strikes next",
    "sidestep_taken": "{creature} sidesteps",
    "early_sidestep_taken": "{creature} sidesteps before the attack",
    "exposed": {
        "exposed=True": "{creature} is open to opportunity attacks",
        "": "{creature} is no longer open to opportunity attacks",
    },
    "follow_up_made": "{creature} follows up against {target} with {weapon}",
    "follow_up_forgone": "{creature} does not follow up",
    "cantrip_hit": "the cantrip of {creature} hits {target}",
    "brought_landed": "",
    "offensive_begun": "{creature} tries {offensive_what} on {target}",
    "offensive_resolved": {
        "won=True": "{creature} tries {offensive_what} on {target}, and wins",
        "": "{creature} tries {offensive_what} on {target}, and loses",
    },
    "offensive_landed": "",
    "offensive_action_fizzled": "the attempt of {creature} on {target} has no effect: {reason}",
    "offensives_over": "",
    "grapple_tried": "{creature} tries to grapple {target}",
    "climb_tried": "{creature} tries to climb {target}",
    "break_free_tried": "{creature} tries to break free of {against}",
    "shake_off_tried": "{creature} tries to shake off {climbers}",
    "defense_ability_chosen": "{creature} resists with {ability}",
    "contest_rolled": "{creature} rolls {ability} with {total}",
    "contest_half_known": "the contest stands at {total}",
    "contest_over": {
        "won=True": "{creature} wins the contest",
        "tied=True": "{creature} rolls no higher, and loses the contest: a tie goes against who tries",
        "": "{creature} loses the contest",
    },
    "freed": "{creature} is free",
    "climbed_on": "{creature} climbs on {mount}",
    "came_off": "{creature} comes off: {reason}",
    "captive_followed": "{captive} is dragged along by {creature}",
    "companion_hurt": "{creature} is hurt by the push",
    "hinder_begun": "{creature} stands in the way of {target}",
    "hindered": "{creature} hinders {target}",
    "crush_begun": "{creature} falls on {target} ({dice} dice)",
    "crushed": "{creature} crushes {target}",
    "condition_eased": "{condition} of {creature} eases by {levels}",
    "condition_lost": "{creature} is free of {condition}",
    "help_given": "{creature} helps {target}",
    "help_spent": "",
    "called_out": "{creature} calls out: {words}",
    "action_given": "{creature} has another action",
    "armed": "{creature} holds {weapon}",
    "object_handled": "{creature} handles an object: {verb}[ {item}]",
    "weapon_landed": "{weapon} of {creature} lies at {position} as {thing}",
    "thing_dropped": "{creature} drops {item}, which lies there as {thing}",
    "thing_taken": "{creature} picks up {thing}, and calls it {item}",
    "lantern_turned": {
        "out=True": "{creature} puts its lantern out",
        "": "{creature} lights its lantern",
    },
    "standing_set": "{creature} answers in advance: {standing}",
    "standing_changed": "",
    "check_asked": "{creature} checks {ability}: {what}",
    "check_rolled": "{creature} rolls {total}",
    "check_rerolled": "{creature} rolls again: {total}",
    "check_needs_choice": "",
    "check_chosen": "{creature} chooses {choice}",
    "check_resolved": {
        "success=True": "the check of {creature} succeeds with {total}",
        "": "the check of {creature} fails with {total}",
    },
    "check_failed": "{creature} fails the check",
    "complication_described": "a complication: {text}",
    "trial_begun": "",
    "trial_decided": "",
    "opposed_begun": "{creature} and {against} roll against each other: {what}",
    "opposed_half_known": "",
    "opposed_decided": {
        "won=True": "{creature} wins with {mine} against {theirs} of {against}",
        "mine={theirs}": "{creature} loses: both have {mine}, and a tie goes against who tries",
        "": "{creature} loses with {mine} against {theirs} of {against}",
    },
    "adjudication_asked": "the gm is asked: {text}[, against {against}]",
    "ruling_requested": "{creature} asks for a ruling: {text}",
    "gm_ruling_recorded": "a ruling of the gm: {decision}",
    "choice_asked": "",
    "chosen": "{creature} chooses {option}",
    "hiding_allowed": "{creature} may try to hide (difficulty {cn})",
    "hiding_tried": "{creature} tries to hide",
    "hid": "{creature} is hidden from {hidden_from}",
    "hidden_ruled": "the gm rules that {creature} is hidden from {hidden_from}",
    "climb_asked": "",
    "climb_checked": {
        "success=True": "{creature} climbs",
        "": "{creature} fails to climb",
    },
    "grip_asked": "",
    "grip_tested": {
        "held=True": "{creature} tests its grip, and holds on",
        "": "{creature} tests its grip, and lets go",
    },
    "fell": "{creature} falls {feet} ft",
    "went_under": "{creature} is under water",
    "came_up": "{creature} comes up and breathes",
    "time_begun": "{seconds} s begin to pass",
    "time_harmed": "",
    "time_taken": "",
    "landed": "{creature} lands after {feet} ft: {damage} damage",
    "breath_asked": "",
    "breath_held": "{creature} holds its breath for {rounds} rounds",
    "breath_spent": "{creature} has breath for {left} more rounds",
    "breathed": "{creature} breathes again",
    "suffocates": "{creature} suffocates",
    "strain_over": "",
    "fire_caught": "{creature} catches fire (level {levels})",
    "burned": "{creature} burns",
    "drenched": "{creature} is drenched",
    "scenery_changed": "the gm changes the scenery",
    "terrain_set": "the gm changes the terrain to {terrain}",
    "weapon_coated": "{creature} coats {weapon} with {poison}",
    "coat_scraped": "{creature} scrapes the coat off {weapon}",
    "poison_struck": "{poison} from {weapon} of {source} gets into {creature}",
    "poison_taken": "",
    "potion_drunk": "{creature} drinks a potion",
    "potion_worked": "the potion of {creature} works",
    "healed": {
        "gained={amount}": "{creature} heals {amount}: {hp} hit points",
        "gained=0": "{creature} heals nothing of {amount}: it can have no more than its {hp} hit points now",
        "": "{creature} heals {gained} of {amount}: {hp} hit points, and it can have no more now",
    },
    "restored": "{creature} is restored to {hp} hit points",
    "hp_set": "the gm sets the hit points of {creature} to {hp}",
    "heart_die_set": "the heart die of {creature} is a {heart_die}",
    "heart_die_grew": "the heart die of {creature} grows to a {heart_die}",
    "heart_recharged": "{abilities} of {creature} can be used again",
    "wound_described": "the wound of {creature}: {description}",
    "treatment_begun": "{healer} treats the wounds of {patient}",
    "treatment_done": "",
    "wound_treated": {
        "relief=0": "{healer} treats {creature} with {total}: no wound eases",
        "": "{healer} treats {creature} with {total}: its wounds ease by {relief}",
    },
    "wounds_eased": {
        "relief=0": "no wound of {creature} eases",
        "": "wounds of {creature} ease by {relief}",
    },
    "steady_begun": "{creature} steadies itself against {passion}",
    "steady_tried": {
        "calm=True": "{creature} steadies itself",
        "": "{creature} fails to steady itself",
    },
    "woke": "{creature} wakes",
    "rest_begun": "{sleepers} rest",
    "night_over": "the night is over",
    "meditation_begun": "{creature} meditates",
    "rested": {
        "success=True": "{creature} has rested",
        "": "{creature} has rested in vain",
    },
    "xp_awarded": "{creature} gains {amount} experience: {reason}",
    "xp_spent": "{creature} spends {price} experience on {purchase_kind}",
    "destiny_gained": "{creature} gains {points} destiny",
    "option_set": "the option {option} is {value} now",
    "creature_added": "{entry_sheet_name} joins",
    "creature_left": "{creature} leaves",
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
            ShownCondition(name=name, level=condition.level, since=condition.since)
            for name, condition in creature.conditions.items()
        ),
        load=None if is_closed(vars(sheet)["shield"]) else load(creature),
        capacity=None if is_closed(vars(sheet)["might"]) else slots(sheet),
    )


# --- the map -------------------------------------------------------------------------------------------


def part(view: State) -> str:
    """Return `engagement` while one goes on in a seat's *view*."""
    return (
        EngagementFrame.kind if any(isinstance(each, EngagementFrame) for each in view.stacks.table) else ""
    )


def battle_map(view: State) -> BattleMap:
    """Return the map of a seat's *view*."""
    edges = edges_of(view.walls, view.scenery.ledges)
    return BattleMap(rows=map_rows(view), edges=edges, light=view.scenery.ambient)


def map_rows(view: State) -> tuple[MapRow, ...]:
    """Return the cells of a seat's *view* that are not plain, bright ground, by rows."""
    scenery = view.scenery
    listed = {*view.terrain, *scenery.light, *scenery.water, *scenery.heights, *_lantern_cells(view)}
    return rows_of(
        (
            cell,
            Ground(
                terrain=view.terrain.get(key, "normal"),
                light=light_at(view, cell),
                water=_depth(scenery.water.get(key)),
                height_ft=scenery.heights.get(key, 0),
            ),
        )
        for cell, key in sorted((_cell(key), key) for key in listed)
    )


def _lantern_cells(view: State) -> Iterator[str]:
    """Yield the cells that are brighter for a lantern near them."""
    if view.scenery.ambient == "bright" and not view.scenery.light:
        return
    for bearer in lanterns(view):
        yield from (f"{x},{y}" for x, y in lantern_cells(view, bearer))


def _depth(water: Water | None) -> str | None:
    if water is None:
        return None
    who = "nobody stands in it" if water.stands_from is None else f"{water.stands_from} creatures stand in it"
    return f"{who}, heads are under it" if water.submerged else who


def _cell(key: str) -> tuple[int, int]:
    x, y = key.split(",")
    return int(x), int(y)
