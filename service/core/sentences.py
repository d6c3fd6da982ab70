"""Say each event and each offer in one sentence, for the terminal, the page and other readers.

A sentence is made of an event as its reader sees it, and of the names that this reader knows: it says no more
than the event. `{name}` is a field of the event. What a value means comes from the declaration of its field:
one that is declared a creature is replaced by the creature's name, and what people wrote stays as it is. An
event without a pattern is shown as its type and fields, so none is left out. An empty pattern marks an event
that others make visible.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from string import Formatter
from typing import Any, Final

from service.rules.kernel import hints
from service.rules.kernel.codec import to_data
from service.rules.kernel.families import NO_FAMILIES, Families
from service.rules.kernel.hints import Anything, Shape
from service.rules.kernel.messages import Command, Sentence
from service.rules.kernel.sealed import Seats, view
from service.rules.ruleset import Ruleset
from service.rules.shared import EVENTS
from service.rules.table.table import Table

SHARED: Final[Mapping[str, Sentence]] = {
    "encounter_opened": "the encounter is open, by {edition}",
    "seat_token_issued": "{seat} has a new link (token {number})",
    "seat_key_set": "{seat} signs its commands with the key {key}",
    "seat_key_removed": "{seat} no longer signs its commands",
    "dice_requested": "",
    "dice_withdrawn": "",
    "dice_declared": "",
    "epoch_closed": "the dice up to here can now be checked (epoch {epoch}, link {link})",
    "seed_committed": "{seat} adds a secret seed to the dice",
    "seed_waived": {
        "by=gm": "the gm lets {seat} add no seed to the dice[: {reason}]",
        "": "{seat} adds no seed to the dice[: {reason}]",
    },
    "seed_revealed": "{seat} shows its seed of the dice",
    "dice_sealed": "the dice are fixed before the fight",
    "seat_choice_committed": "{seat} seals a choice for {creature}",
    "seat_choice_opened": "{seat} opens its choice for {creature}",
    "seat_choice_voided": "the choice for {creature} counts as none: {detail}",
    "seat_choice_forfeited": "the gm declares the choice for {creature} forfeited: {reason}",
    "epoch_advanced": "{seat} has the coming dice changed (epoch {epoch}): {reason}",
    "screen_roll_announced": "the gm rolls behind the screen",
    "screen_roll_begun": "the gm rolls {dice} for {what}",
    "screen_rolled": "the total of the roll behind the screen is {total}",
    "screen_roll_shown": "the gm shows roll {roll} behind the screen",
    "creature_hidden": "(for the gm: a hidden creature: {entry})",
    "hidden_creature_moved": "(for the gm: hidden creature {hidden_creature} is at {position})",
    "hidden_creature_revealed": "{creature} is revealed",
    "hidden_creature_withdrawn": "hidden creature {hidden_creature} is withdrawn",
    "lane_disclosed": "the dice of lane {lane} can now be checked to the end (seed {seed})",
    "closing_begun": "the gm closes the encounter",
    "encounter_closed": "the fight has ended, and all its dice can be checked (seed {seed})",
    "contest_opened": "{seat} contests commit {commit}: {claim}",
    "contest_closed": "contest {contest} is answered ({ending}): {decision}",
    "amendment_proposed": {
        "kind=undo": "the gm proposes to take back commit {commit} and what follows it ({amendment})",
        "kind=redo": "the gm proposes to restore what was taken back ({amendment})",
        "": "the gm proposes to decide again from commit {commit} on ({amendment})[: {decision}]",
    },
    "amendment_detailed": "",
    "amendment_dropped": {
        "why=superseded": "the proposal {amendment} gives way to another one",
        "": "the gm drops the proposal {amendment}",
    },
    "continued": "play goes on from an earlier commit, in another line of play",
    "line_begun": "play goes on from commit {origin_n} of the earlier line",
    "forked": "a what-if begins at commit {origin_n} of another encounter",
    "line_accepted": "the proposal is accepted, and the fight goes on in it",
    "link_inherited": "",
    "occasion_inherited": "",
    "sealed_values_inherited": "",
    "stream_redirected": "(this roll differs from the earlier line, so its dice are others)",
    "due_disclosed": "",
    "epoch_ended": "",
    "seat_opened": "the seat {seat} is opened ({role})",
    "seat_changed": "the seat {seat} has {creatures} now",
    "seat_closed": "the seat {seat} is closed",
    "sheet_shown": "the gm shows the sheet of {creature}",
}
"""The sentences of events that all rulesets share."""

_ARTICLES: Final = frozenset({"The", "A", "An", "His", "Her", "Its", "Their"})
_LOWERED: Final = frozenset(each.lower() for each in _ARTICLES)
_LONG: Final = 16
"""How many characters of a hash are shown."""
_CREATURES: Final = frozenset({"creature"})
"""Kinds of fields that hold the id of a creature."""
_HASHES: Final = frozenset({"hexadecimal digits", "digest"})
_WRITTEN: Final = frozenset({"words"})
"""Kinds of fields that people wrote; what has a name may be of the rulebook too, as a condition is."""
_NAME: Final = re.compile(r"[a-z]+(?:_[a-z]+)+")
"""A name of a ruleset for several words, such as `opportunity_attack`."""
_WORDS: Final[Mapping[bool | None, str]] = {True: "yes", False: "no", None: "nothing"}
_UNKNOWN: Final = Anything()
OPEN: Final = "…"
"""Stands for what is still to be chosen."""
_BRACKETED: Final = re.compile(r"\[([^\[\]]*)\]")
_OF_PLACE: Final = ("type", "creature", "prompt")
"""Fields of a command that say where it answers; its reader knows that."""
_LEFT_OUT: Final[tuple[Any, ...]] = (None, False, "", [], {}, ())
"""Values of a field that a part of a pattern in brackets leaves unsaid."""

Fields = Mapping[str, Shape]


@dataclass(frozen=True, eq=False)
class Speech:
    """How events are said: a pattern for each type, and what each field of it means."""

    patterns: Mapping[str, Sentence]
    fields: Mapping[str, Fields]
    families: Families = NO_FAMILIES


def _fields_of(kind: Any) -> Fields:  # noqa: ANN401 - a record
    return {each.name: each.shape for each in hints.fields_of(kind)}


SHARED_SPEECH: Final = Speech(SHARED, {kind.type: _fields_of(kind) for kind in EVENTS})
"""How the events are said that all rulesets share."""


@cache
def speech_of(ruleset: Ruleset[Any]) -> Speech:
    """Return how the events of a ruleset are said: those of all rulesets, its table's, its classes'."""
    own = {type_: event.sentence for type_, event in ruleset.events.items() if event.sentence}
    fields = {type_: _fields_of(event) for type_, event in ruleset.events.items()}
    return Speech({**SHARED, **ruleset.sentences, **own}, fields, ruleset.families)


def names_for(ruleset: Ruleset[Any], state: Table, seat: Seats) -> Mapping[str, str]:
    """Return the names of the creatures that *seat* sees in *state*, by id, as a sentence contains them.

    Creatures of one name are told apart by numbers.
    """
    seen = {each.id: each.name for each in ruleset.tokens(view(state, seat).current())}
    return unique_names(seen)


def unique_names(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return *names* by id as sentences contain them; creatures of one name get numbers, in their order."""
    many = Counter(names.values())
    taken, numbers = {*names.values()}, Counter[str]()
    found: dict[str, str] = {}
    for id_, name in names.items():
        unique = name
        while many[name] > 1 and unique in taken:
            numbers[name] += 1
            unique = f"{name} {numbers[name]}"
        taken.add(unique)
        found[id_] = inside(unique)
    return found


def in_words(ruleset: Ruleset[Any], event: str, field: str, value: Any) -> str:  # noqa: ANN401 - a value of the field
    """Return *value* as the sentence of an *event* says its *field*."""
    speech = speech_of(ruleset)
    return _Saying({}, speech.families).text(to_data(value), speech.fields[event][field])


def inside(name: str) -> str:
    """Return *name* as a sentence contains it: "The undead orc" becomes "the undead orc"."""
    first, space, rest = name.partition(" ")
    return f"{first.lower()}{space}{rest}" if rest and first in _ARTICLES else name


def spoken(events: Iterable[Mapping[str, Any]], names: Mapping[str, str], speech: Speech) -> list[str]:
    """Return a sentence for each of *events* that is worth one; it begins with a capital or with a name."""
    proper = tuple(name for name in names.values() if name and name.partition(" ")[0] not in _LOWERED)
    found = (sentence(event, names, speech) for event in events)
    return [said if said.startswith(proper) else f"{said[:1].upper()}{said[1:]}" for said in found if said]


def sentence(event: Mapping[str, Any], names: Mapping[str, str], speech: Speech = SHARED_SPEECH) -> str:
    """Return the sentence for *event*, empty if other events say it; *names* are creatures' names by id."""
    shapes = speech.fields.get(event["type"], {})
    saying = _Saying(names, speech.families)
    parts = {key: (value, shapes.get(key, _UNKNOWN)) for key, value in event.items()}
    texts = {key: saying.text(value, shape) for key, (value, shape) in parts.items()}
    inner = {
        f"{key}_{name}": saying.text(member, of)
        for key, (value, shape) in parts.items()
        for name, member, of in saying.parts(value, shape)
    }
    known = speech.patterns.get(event["type"])
    pattern = None if known is None else _pattern_for(known, event)
    if pattern is None or not _named_in(pattern) <= {*texts, *inner}:
        fields = " ".join(f"{key}={value}" for key, value in texts.items() if key not in ("type", "because"))
        return f"{event['type']} {fields}".strip()
    return _filled(pattern, event, {**inner, **texts}.__getitem__)


# --- offers ------------------------------------------------------------------------------------------


def offer_sentence(
    kind: type[Command[Any]],
    given: Mapping[str, Any],
    names: Mapping[str, str],
    families: Families = NO_FAMILIES,
    about: Any = None,  # noqa: ANN401 - a record
) -> str:
    """Return what an offer of commands of *kind* does, as its creature's player reads it.

    *given* are the fields that the offer fixes. One that is still to be chosen or written stands as `…`.
    *about* is the record that the offer answers; a pattern names its fields after `about_`.
    """
    saying, shapes = _Saying(names, families), _fields_of(kind)
    if about is not None:
        answered = {f"about_{name}": value for name, value in to_data(about).items()}
        given = {**given, **answered}
        shapes = {**shapes, **{f"about_{name}": of for name, of in _fields_of(type(about)).items()}}
    pattern = _pattern_for(kind.sentence, given)
    if not pattern:
        fixed = {name: value for name, value in given.items() if name not in _OF_PLACE}
        shown = [
            name.replace("_", " ") if value is True else saying.text(value, shapes.get(name, _UNKNOWN))
            for name, value in fixed.items()
            if value not in _LEFT_OUT
        ]
        words = f"{kind.type[:1].upper()}{kind.type[1:].replace('_', ' ')}"
        return f"{words}: {', '.join(shown)}" if shown else words
    return saying.filled(pattern, given, shapes)


def name_of(kind: type[Command[Any]]) -> str:
    """Return what people call commands of *kind*: its sentence, with nothing chosen."""
    return offer_sentence(kind, {}, {})


def gaps_of(kind: type[Command[Any]], given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that stand as `…` in the sentence of an offer that fixes *given*, in order."""
    outside = "".join(_BRACKETED.split(_pattern_for(kind.sentence, given))[::2])
    named = (name for _, name, _, _ in Formatter().parse(outside) if name)
    return tuple(name for name in dict.fromkeys(named) if name in _fields_of(kind) and name not in given)


def forms_of(sentence: Sentence) -> tuple[str, ...]:
    """Return every pattern that *sentence* may take."""
    return (sentence,) if isinstance(sentence, str) else tuple(sentence.values())


def _pattern_for(sentence: Sentence, given: Mapping[str, Any]) -> str:
    if isinstance(sentence, str):
        return sentence
    for condition, pattern in sentence.items():
        name, _, value = condition.partition("=")
        other = value[1:-1] if value.startswith("{") else None
        if name in given and str(given[name]) == (value if other is None else str(given.get(other))):
            return pattern
    return sentence[""]


def _filled(pattern: str, given: Mapping[str, Any], text: Callable[[str], str]) -> str:
    """Return *pattern* with the text of each field that it names.

    A part in brackets falls away if a field in it says nothing; one that is just true stands there unsaid.
    """
    parts = []
    for index, part in enumerate(_BRACKETED.split(pattern)):
        names, said = _named_in(part), part
        if index % 2:
            if any(given.get(name) in _LEFT_OUT for name in names):
                continue
            flags = [name for name in names if given[name] is True]
            said = reduce(lambda left, name: left.replace(f"{{{name}}}", ""), flags, part)
        parts.append(said.format_map({name: text(name) for name in _named_in(said)}))
    return "".join(parts)


@cache
def _named_in(pattern: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(pattern) if name)


@dataclass(frozen=True)
class _Saying:
    """Turns values into text by what their fields mean, for a reader who knows *names*."""

    names: Mapping[str, str]
    families: Families

    def text(self, value: Any, shape: Shape) -> str:  # noqa: ANN401 - JSON
        """Return a value in words."""
        if isinstance(value, dict):
            if "sealed" in value:  # a field that this reader may not open
                return self.text(value["shown"], shape) if "shown" in value else "?"
            return self._object(value, shape)
        if isinstance(value, list):
            each = _items(shape, len(value))
            if not value:
                return "nobody" if hints.kind_in(shape) in _CREATURES else "nothing"
            return ", ".join(self._item(item, of) for item, of in zip(value, each, strict=True))
        if value is None or isinstance(value, bool):
            return _WORDS[value]
        return self._word(value, shape)

    def _item(self, value: Any, shape: Shape) -> str:  # noqa: ANN401 - JSON
        """Return an item of a list: one that is a list itself, such as a cell, in parentheses."""
        return f"({self.text(value, shape)})" if isinstance(value, list) else self.text(value, shape)

    def filled(self, pattern: str, given: Mapping[str, Any], shapes: Fields) -> str:
        """Return *pattern* with the fields that are *given*, and `…` for one that is missing."""

        def text(name: str) -> str:
            return self.text(given[name], shapes.get(name, _UNKNOWN)) if name in given else OPEN

        return _filled(pattern, given, text)

    def _object(self, value: Mapping[str, Any], shape: Shape) -> str:
        """Return the sentence of an object's record, else its names with values, or its fields' values."""
        kind = self._kind(value, shape)
        if kind is not None and (sentence := getattr(kind, "sentence", "")):
            return self.filled(_pattern_for(sentence, value), value, _fields_of(kind))
        kept = {name: each for name, each in value.items() if each not in (None, "", {}, [])}
        names = _way(shape, hints.Names)
        if isinstance(names, hints.Names):
            return ", ".join(self._named(name, each, names) for name, each in kept.items())
        fields = self._fields(value, shape)
        if not fields:
            return ", ".join(f"{name} {self.text(each, _UNKNOWN)}" for name, each in kept.items())
        return " ".join(self.text(each, fields.get(name, _UNKNOWN)) for name, each in kept.items())

    def _named(self, name: str, value: Any, names: hints.Names) -> str:  # noqa: ANN401 - JSON
        """Return a name with its value; a number comes first, since names of creatures end in numbers too."""
        called, text = self._word(name, names.key), self.text(value, names.each)
        is_creatures = _kind_of(names.key) in _CREATURES
        return f"{text} for {called}" if is_creatures and isinstance(value, int) else f"{called} {text}"

    def parts(self, value: Any, shape: Shape) -> Iterator[tuple[str, Any, Shape]]:  # noqa: ANN401 - JSON
        """Yield the members of an object, and theirs, which patterns name after a `_`; of others none."""
        if not isinstance(value, dict):
            return
        fields = self._fields(value, shape)
        names = _way(shape, hints.Names)
        each = names.each if isinstance(names, hints.Names) else _UNKNOWN
        for name, member in value.items():
            of = fields.get(name, each)
            yield name, member, of
            yield from ((f"{name}_{inner}", part, deep) for inner, part, deep in self.parts(member, of))

    def _fields(self, value: Mapping[str, Any], shape: Shape) -> Fields:
        """Return the fields of the record that an object is; none if it is not one, or of a kind unknown."""
        kind = self._kind(value, shape)
        return {} if kind is None else _fields_of(kind)

    def _kind(self, value: Mapping[str, Any], shape: Shape) -> Any:  # noqa: ANN401 - a record
        """Return the record that an object is; None if it is not one, or of a kind unknown."""
        record = _way(shape, hints.RecordObject)
        if isinstance(record, hints.RecordObject):
            return record.kind
        member = _way(shape, hints.Member)
        if isinstance(member, hints.Member):
            return self.families.members(member.head).get(str(value.get(member.tag)))
        return None

    def _word(self, value: str | int, shape: Shape) -> str:
        text = str(value)
        kind = _kind_of(shape)
        if isinstance(value, str) and kind in _CREATURES and text in self.names:
            return self.names[text]
        if kind in _HASHES:
            return text[:_LONG] + "…"
        if kind == "die sides":
            return f"d{text}"
        if kind == "condition":
            return self._condition(text)
        return text.replace("_", " ") if kind not in _WRITTEN and _NAME.fullmatch(text) else text

    def _condition(self, text: str) -> str:
        """Return a condition, of whom it comes, or every one: `fear`, `fear@orc`, `*`."""
        name, at, source = text.partition("@")
        words = "every condition" if name == "*" else name.replace("_", " ")
        return f"{words} of {self.names.get(source, source)}" if at else words


def _kind_of(shape: Shape) -> str:
    """Return the kind of a value of *shape*, or of the way in which it is one word; empty if it has none."""
    return _way(shape, hints.Scalar, hints.Choice).meaning.kind or shape.meaning.kind


def _way(shape: Shape, *kinds: type[Shape]) -> Shape:
    """Return the first alternative of *shape* that is one of *kinds*; *shape* itself if it has none."""
    if isinstance(shape, hints.SealedValue):
        return _way(shape.inner, *kinds)
    if isinstance(shape, hints.Alternatives):
        return next((way for each in shape.ways if isinstance(way := _way(each, *kinds), kinds)), shape)
    return shape


def _items(shape: Shape, count: int) -> Iterable[Shape]:
    """Return the shapes of the *count* items of a list."""
    found = _way(shape, hints.AnyList, hints.FixedList)
    if isinstance(found, hints.AnyList):
        return [found.each] * count
    if isinstance(found, hints.FixedList) and len(found.items) == count:
        return found.items
    return [_UNKNOWN] * count
