"""Say each event in one sentence, for the terminal and for answers with `?text=en`.

A sentence is made of an event as its reader sees it, and of the names that this reader knows: it says no more
than the event. `{name}` is a field of the event; a creature's id is replaced by its name. An event without a
pattern is shown as its type and fields, so none is left out. An empty pattern marks an event that others make
visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Final

from service.rules.kernel.records import EMPTY
from service.rules.kernel.sealed import Seats, view
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table

SHARED: Final[Mapping[str, str]] = {
    "encounter_opened": "the encounter is open, by {edition}",
    "seat_token_issued": "token {number} is issued for the seat {seat}",
    "seat_key_set": "{seat} signs its commands with the key {key}",
    "seat_key_removed": "{seat} no longer signs its commands",
    "dice_requested": "",
    "dice_declared": "",
    "epoch_closed": "the dice of epoch {epoch} are disclosed: link {link}",
    "seed_committed": "{seat} commits to a seed",
    "seed_waived": "{seat} adds no seed ({by})",
    "seed_revealed": "{seat} reveals its seed",
    "dice_sealed": "the dice are sealed",
    "seat_choice_committed": "{seat} seals a choice for {creature}",
    "seat_choice_opened": "{seat} opens its choice for {creature}",
    "seat_choice_voided": "the choice for {creature} counts as none: {detail}",
    "seat_choice_forfeited": "the gm declares the choice for {creature} forfeited: {reason}",
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
    "contest_opened": "{seat} contests commit {commit}: {claim}",
    "contest_closed": "contest {contest} is answered ({ending}): {decision}",
    "amendment_proposed": "the gm proposes {amendment} ({kind})",
    "amendment_detailed": "",
    "amendment_dropped": "the proposal {amendment} is dropped",
    "continued": "play goes on from an earlier commit, in another line of play",
    "line_begun": "play goes on from commit {origin_n} of the earlier line",
    "forked": "a what-if begins at commit {origin_n} of another encounter",
    "line_accepted": "",
    "link_inherited": "",
    "occasion_inherited": "",
    "sealed_values_inherited": "",
    "stream_redirected": "",
    "due_disclosed": "",
    "epoch_ended": "",
    "seat_opened": "the seat {seat} is opened ({role})",
    "seat_changed": "the seat {seat} has {creatures} now",
    "seat_closed": "the seat {seat} is closed",
    "sheet_shown": "the gm shows the sheet of {creature}",
}
"""The sentences of events that all rulesets share."""

_ARTICLES: Final = frozenset({"The", "A", "An", "His", "Her", "Its", "Their"})
_LONG: Final = 16
"""How many characters of a hash are shown."""
_HASHES: Final = ("link", "seed", "digest")
_NAME: Final = re.compile(r"[a-z]+(?:_[a-z]+)+")
"""A name of a ruleset for several words, such as `opportunity_attack`."""
_WORDS: Final[Mapping[bool | None, str]] = {True: "yes", False: "no", None: "nothing"}


def patterns_of(ruleset: Ruleset[Any]) -> Mapping[str, str]:
    """Return the patterns of a ruleset's events by type: those of all rulesets, its table's, its classes'."""
    own = {type_: event.sentence for type_, event in ruleset.events.items() if event.sentence}
    return {**SHARED, **ruleset.sentences, **own}


def names_for(ruleset: Ruleset[Any], state: Table, seat: Seats) -> Mapping[str, str]:
    """Return the names of the creatures that *seat* sees in *state*, by id, as a sentence contains them."""
    return {each.id: inside(each.name) for each in ruleset.tokens(view(state, seat).current())}


def inside(name: str) -> str:
    """Return *name* as a sentence contains it: "The undead orc" becomes "the undead orc"."""
    first, space, rest = name.partition(" ")
    return f"{first.lower()}{space}{rest}" if rest and first in _ARTICLES else name


def spoken(
    events: Iterable[Mapping[str, Any]], names: Mapping[str, str], patterns: Mapping[str, str]
) -> list[str]:
    """Return a sentence for each of *events* that is worth one; it begins with a capital."""
    found = (sentence(event, names, patterns) for event in events)
    return [f"{said[:1].upper()}{said[1:]}" for said in found if said]


def sentence(event: Mapping[str, Any], names: Mapping[str, str], patterns: Mapping[str, str] = EMPTY) -> str:
    """Return the sentence for *event*, empty if other events say it; *names* are creatures' names by id."""
    texts = {key: _value_text(key, value, names) for key, value in event.items()}
    inner = {f"{key}_{k}": _value_text(k, v, names) for key, value in event.items() for k, v in _parts(value)}
    pattern = patterns.get(event["type"])
    if pattern is None or not _fields(pattern) <= {*texts, *inner}:
        fields = " ".join(f"{key}={value}" for key, value in texts.items() if key not in ("type", "because"))
        return f"{event['type']} {fields}".strip()
    return pattern.format_map({**inner, **texts})


def _parts(value: Any) -> Iterable[tuple[str, Any]]:  # noqa: ANN401 - JSON
    """Yield the members of an object, and theirs, which patterns name after a `_`; none of another value."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield key, member
            yield from ((f"{key}_{inner}", each) for inner, each in _parts(member))


def _fields(pattern: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name}


def _value_text(key: str, value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        if "sealed" in value:  # a field that this reader may not open
            return _value_text(key, value["shown"], names) if "shown" in value else "?"
        kept = {k: v for k, v in value.items() if v not in (None, "", {}, [])}
        return ", ".join(f"{names.get(k, k)} {_value_text(k, v, names)}" for k, v in kept.items())
    if isinstance(value, list):
        return ", ".join(_value_text(key, item, names) for item in value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    text = str(value)
    if key in _HASHES:
        return text[:_LONG] + "…"
    return names.get(text) or (text.replace("_", " ") if _NAME.fullmatch(text) else text)
