"""One sentence for each event of Heart Rush.

The table is in the order of a fight. `{name}` is a field of the event; a creature's id is replaced by its
name. An event without a sentence is shown as its type and fields, so no event is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import Any, Final

from service.cli import rise_sentences
from service.rules.kernel.records import EMPTY

SENTENCES: Final[Mapping[str, str]] = {
    "encounter_opened": "the encounter is open, by {edition}",
    "seat_token_issued": "token {number} is issued for the seat {seat}",
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
    "declaration_made": "{creature} has declared, in secret",
    "declared": "(for its own seat: {creature} declares {declaration})",
    "targets_revealed": "the declarations are revealed",
    "exchange_begun": "{attacker} attacks {defender} ({stance})",
    "attack_rolled": "{creature} attacks with {total}",
    "defense_rolled": "{creature} defends with {total}",
    "contested_rolled": "{creature} strikes back with {total}",
    "exchange_hit": "{by} hits {creature} by {excess}",
    "exchange_settled": "the attack is over",
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
    "dice_requested": "{owner} is asked to throw for {stream}",
    "dice_declared": "{seat} threw {faces}",
    "epoch_closed": "the dice of epoch {epoch} are disclosed: link {link}",
    "seed_committed": "{seat} commits to a seed",
    "seed_waived": "{seat} adds no seed ({by})",
    "seed_revealed": "{seat} reveals its seed",
    "dice_sealed": "the dice are sealed",
    "epoch_advanced": "{seat} advances to epoch {epoch}: {reason}",
    "screen_roll_announced": "the gm rolls behind the screen",
    "screen_roll_begun": "the gm rolls {dice} for {what}",
    "screen_rolled": "the total of the roll behind the screen is {total}",
    "screen_roll_shown": "the gm shows roll {roll} behind the screen",
    "creature_hidden": "(for the gm: a hidden creature: {entry})",
    "hidden_creature_moved": "(for the gm: hidden creature {hidden_creature} is at {position})",
    "hidden_creature_revealed": "{creature} is revealed",
    "hidden_creature_withdrawn": "hidden creature {hidden_creature} is withdrawn",
    "lane_disclosed": "the seed of lane {lane} is disclosed: {seed}",
    "closing_begun": "the gm closes the encounter",
    "encounter_closed": "the seed of all dice is disclosed: {seed}",
}

UNTOLD: Final = rise_sentences.UNTOLD | {
    "dice_requested",
    "dice_declared",
    "exchange_settled",
    "declaration_made",
}
"""Events that are not shown, because the dice or later events say the same."""

_LONG: Final = 16
"""How many characters of a hash are shown."""
_HASHES: Final = ("link", "seed", "digest")


def sentence(event: Mapping[str, Any], names: Mapping[str, str], own: Mapping[str, str] = EMPTY) -> str:
    """Return the sentence for *event*; *names* maps creatures' ids to their names.

    *own* are the patterns of the event's ruleset, by type.
    """
    texts = {key: _value_text(key, value, names) for key, value in event.items()}
    inner = {f"{key}_{k}": _value_text(k, v, names) for key, value in event.items() for k, v in _parts(value)}
    known = _known(event["type"], own)
    pattern = next((each for each in known if _fields(each) <= {*texts, *inner}), None)
    if pattern is None:
        fields = " ".join(f"{key}={value}" for key, value in texts.items() if key not in ("type", "because"))
        return f"{event['type']} {fields}".strip()
    return pattern.format_map({**inner, **texts})


def _known(type_: str, own: Mapping[str, str]) -> Iterator[str]:
    """Yield the patterns of this type, since rulesets may use one type for different events."""
    for book in (own, SENTENCES, rise_sentences.SENTENCES):
        if type_ in book:
            yield book[type_]


def _parts(value: Any) -> Iterable[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Return the members of an object, which patterns name after a `_`; nothing for other values."""
    return value.items() if isinstance(value, dict) else ()


def _fields(pattern: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name}


def _value_text(key: str, value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if v not in (None, "", {}, [])}
        return ", ".join(f"{names.get(k, k)} {_value_text(k, v, names)}" for k, v in kept.items())
    if isinstance(value, list):
        return ", ".join(_value_text(key, item, names) for item in value)
    text = str(value)
    return text[:_LONG] + "…" if key in _HASHES else names.get(text, text)
