"""Turn states and commits into what one seat may see. No other module does.

Laws. Everything returned here was taken from the seat's own view. An envelope is open to its audience, and to
everybody from the commit whose event carries its occasion; nothing else opens it. State hashes are view
hashes.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeVar

import jsonpatch

from service.core.sentences import gaps_of, offer_sentence
from service.dice.values import Roll
from service.record.canonical import dumps
from service.record.commit import QUARANTINED, REFUSED, SEALED, Commit
from service.rules.kernel.codec import to_data
from service.rules.kernel.hints import fields_of, required_fields
from service.rules.kernel.messages import Awaited, Offer
from service.rules.kernel.meter import READING, Meter, TooMuchWork
from service.rules.kernel.sealed import Seats, audience_of, is_opened, opened, view
from service.rules.kernel.sealed_data import fields_in, whole
from service.rules.ruleset import Ruleset, asked, carried, offered_data, waiting
from service.rules.secrecy.worlds import SplitTable, with_differences
from service.rules.space.compact import Cells, StraightPaths
from service.rules.table.carried import CarriedFrom
from service.rules.table.table import GM, Table

S = TypeVar("S", bound=Table)

Data = dict[str, Any]
Payloads = Mapping[int, bytes]
"""The payloads of one commit's envelopes, by index, as stored."""

NOTHING: Final[Mapping[str, int]] = {}

_DEPTH: Final = 2
"""Levels of objects in which a patch ignores equal members; creatures are at the last one."""


# --- states ------------------------------------------------------------------------------------------


def state_data(state: Table, seat: Seats, occasions: Container[str] = ()) -> Data:
    """Return *state* as *seat* may see it, with the envelopes of *occasions* opened too.

    Of a world of a group that acts apart it has what differs from the state around it.
    """
    seen = view(opened(state, occasions), seat).current()
    data: Data = to_data(seen)
    return with_differences(seen, data) if isinstance(seen, SplitTable) else data


def creatures_data(ruleset: Ruleset[S], state: S, seat: Seats, occasions: Container[str] = ()) -> Data:
    """Return the creatures in the short form of all rulesets, and the part of the round, for *seat*.

    `acts` is whether the seat may see that a prompt waits for the creature.
    """
    seen = view(opened(state, occasions), seat).current()
    turns = {awaited.creature for awaited in waiting(seen)}
    tokens = [{**to_data(each), "acts": each.id in turns} for each in ruleset.tokens(seen)]
    return {"part": ruleset.part(seen), "creatures": tokens}


def creature_ids(ruleset: Ruleset[S], state: S, seat: Seats) -> list[str]:
    """Return the ids of the creatures that *seat* sees, in the order of the fight."""
    return [token.id for token in ruleset.tokens(view(state, seat))]


def places(ruleset: Ruleset[S], state: S, seat: Seats) -> dict[str, tuple[int, int]]:
    """Return where each creature is, by id, as *seat* may see it."""
    return {each.id: each.position for each in ruleset.tokens(view(state, seat).current())}


def map_data(ruleset: Ruleset[S], state: S, seat: Seats, occasions: Container[str] = ()) -> Data:
    """Return the map: its cells that are not plain ground, walls and doors, as *seat* may see them."""
    data: Data = to_data(ruleset.battle_map(view(opened(state, occasions), seat).current()))
    rows = [{"row": each["row"], **each["ground"]} for each in data["rows"]]
    return {**data, "rows": rows}


def carried_data(
    ruleset: Ruleset[S],
    state: S,
    creature: str,
    origin: CarriedFrom,
    seat: str,
    occasions: Container[str] = (),
) -> Data | None:
    """Return *creature* as it is carried from commit *origin*, as far as *seat* may see it.

    None if there is no such creature; raises `Refused` while it cannot be carried.
    """
    seen = view(opened(state, occasions), seat).current()
    if not seen.has_creature(creature):
        return None
    data: Data = to_data(carried(ruleset, seen, creature, origin))
    return data


def seen(state: S, seat: Seats, occasions: Container[str] = ()) -> S:
    """Return *state* as *seat* may see it, with the envelopes of *occasions* opened too."""
    return view(opened(state, occasions), seat).current()


def patch(one: Data, two: Data) -> list[Data]:
    """Return the RFC 6902 patch from the view *one* to the view *two*."""
    made: list[Data] = jsonpatch.make_patch(*_changed(one, two)).patch
    return made


def _changed(one: Data, two: Data, depth: int = _DEPTH) -> tuple[Data, Data]:
    """Return both without their equal members, down to *depth*, because jsonpatch compares slowly."""
    left, right = dict(one), dict(two)
    for name in one.keys() & two.keys():
        if dumps(one[name]) == dumps(two[name]):
            del left[name], right[name]
        elif depth and isinstance(one[name], dict) and isinstance(two[name], dict):
            left[name], right[name] = _changed(one[name], two[name], depth - 1)
    return left, right


def view_hash(data: Data) -> str:
    """Return the SHA-256, in hexadecimal digits, of a view that `state_data` returned."""
    return sha256(dumps(data)).hexdigest()


# --- prompts -----------------------------------------------------------------------------------------


def prompt_data(awaited: Awaited) -> Data:
    """Return a prompt as the API shows it."""
    data: Data = to_data(awaited)
    if not awaited.seals:
        del data["seals"]
    return data | {"seat": awaited.seat or None}


def prompts(state: Table, seat: str) -> list[Data]:
    """Return every open prompt that *seat* may see."""
    return [prompt_data(awaited) for awaited in waiting(view(state, seat))]


def offer_data(
    ruleset: Ruleset[Any],
    offer: Offer,
    near: tuple[int, int] | None = None,
    names: Mapping[str, str] | None = None,
) -> Data:
    """Return *offer* as `{command, choices}`: a command, and the values that some of its fields may have.

    With the *names* of creatures, by id (`sentences.names_for`), `text` says what it does, `gaps` which
    fields stand as `…` in it, `notes` what people write in its fields, and `passes` whether it does nothing.

    The command has of each choice what changes least: none, no, or the cell nearest to *near*, which is where
    its creature is; else the first value. A list of one value is no choice. Fields that it needs and that
    only people can write are missing; `asks` names them.
    """
    least = {name: to_data(_least(choice, near)) for name, choice in offer.choices.items()}
    command = {"type": offer.type, **offered_data(ruleset, offer), **least}
    choices = {
        name: choice
        for name, choice in offer.choices.items()
        if not isinstance(choice, tuple | list) or len(choice) > 1
    }
    kind: Any = ruleset.commands[offer.type]
    data: Data = {"command": command, "choices": to_data(choices)}
    if names is not None:
        fixed = {name: value for name, value in command.items() if name not in choices}
        data = {"text": offer_sentence(kind, fixed, names, ruleset.families, offer.about), **data}
        if gaps := gaps_of(kind, fixed):
            data["gaps"] = gaps
        if kind.passes:
            data["passes"] = True
    asks = [name for name in (*required_fields(fields_of(kind)), *offer.written) if name not in command]
    asks = list(dict.fromkeys(asks))
    if names is not None and (notes := {name: kind.notes[name] for name in asks if name in kind.notes}):
        data["notes"] = notes
    if offer.seals:
        data["seals"] = [offer_data(ruleset, each, near, names) for each in offer.seals]
    return {**data, "asks": asks} if asks else data


def _is_nothing(value: object) -> bool:
    """Return whether choosing *value* changes nothing."""
    return value is None or value is False or value in ((), "none")


def _is_cell(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(type(each) is int for each in value)  # noqa: PLR2004 - x and y


def _least(choice: Sequence[Any], near: tuple[int, int] | None) -> Any:  # noqa: ANN401 - of any field
    """Return the value of *choice* that changes least."""
    if isinstance(choice, StraightPaths):
        return min(choice, key=len)
    if near is not None and (isinstance(choice, Cells) or all(map(_is_cell, choice))):
        return min(choice, key=lambda cell: ((cell[0] - near[0]) ** 2 + (cell[1] - near[1]) ** 2, cell))
    if isinstance(choice, tuple | list):
        return next((each for each in choice if _is_nothing(each)), choice[0])
    return choice[0]


def asked_next(state: Table, seat: str, named: str | None) -> Data:
    """Return the prompts that *seat* may answer next; its options are listed for the same prompts.

    The prompt *named* by a sealed scope comes first, then the prompts that others wait for. There are none if
    to find them takes more work than a read may take.
    """
    try:
        with Meter(READING, is_lenient=True):
            every = [awaited for _, awaited in asked(state, seat)]
    except TooMuchWork:
        every = []
    mine = sorted(
        every,
        key=lambda awaited: (awaited.prompt != named, awaited.optional),
    )
    return {"prompts": [prompt_data(awaited) for awaited in mine]}


# --- commits -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A reader of a record: a seat, and the occasions that have come by the commit up to which it reads."""

    seat: Seats
    occasions: Mapping[str, int]

    def may_open(self, envelope: Mapping[str, Any]) -> bool:
        """Return whether an envelope in a commit's events is open to this reader."""
        is_of_audience = audience_of(self.seat).issubset(envelope["audience"])
        return is_of_audience or is_opened(envelope["opens"], self.occasions)


def open_indices(commit: Commit, reader: Reader) -> list[int]:
    """Return the places of the envelopes of *commit* that *reader* may open."""
    return [i for i, event in enumerate(commit.events) if "sealed" in event and reader.may_open(event)]


def outcome_data(commit: Commit, payloads: Payloads, reader: Reader) -> Data:
    """Return the outcome of a command, as far as *reader* may see it.

    It holds the public events, and at their places those of envelopes that are open to the reader. Inside a
    sealed scope the true outcome is shown only to a reader who may open its envelope; to others it is
    `sealed`.
    """
    data: Data = {"n": commit.n, "outcome": commit.outcome}
    events: list[Data] = []
    rolls = list(commit.rolls)
    inside: Data | None = None
    lying = {index: json.loads(payloads[index]) for index in open_indices(commit, reader)}
    fields = fields_in(lying)
    for index, event in enumerate(commit.events):
        if "sealed" not in event:
            events.append(whole(event, fields.get(str(index)), opened=True))
        elif index in lying:
            payload = lying[index]
            for inner, inner_event in enumerate(payload["events"]):
                events.append(whole(inner_event, fields.get(f"{index}/{inner}"), opened=True))
            rolls += payload["rolls"]
            inside = payload if "outcome" in payload else inside
    refusal = commit.refusal
    if commit.outcome == SEALED and inside is not None:
        data["outcome"] = inside["outcome"]
        refusal = inside.get("refusal")
    if refusal is not None:
        data["refusal"] = refusal
    data |= {"events": events, "rolls": [roll_data(roll) for roll in rolls]}
    return data | {"version": commit.n, "hash": commit.hash}


def may_read_request(commit: Commit, reader: Reader, actor: str) -> bool:
    """Return whether *reader* may see the command itself, which the seat *actor* sent.

    Its own seat may, the GM if it may open all of the commit, and everybody once nothing of it is sealed. A
    request reveals what it led to, so an envelope that is closed to the GM hides the request from the GM too.
    """
    if reader.seat == actor:
        return True
    sealed = [event for event in commit.events if "sealed" in event]
    if reader.seat == GM:
        return all(reader.may_open(event) for event in sealed)
    return all(is_opened(event["opens"], reader.occasions) for event in sealed)


def next_prompt(commit: Commit, payloads: Payloads, reader: Reader) -> str | None:
    """Return the prompt that the sealed scope of *commit* names next; None outside a sealed scope."""
    for index in open_indices(commit, reader) if commit.outcome == SEALED else ():
        prompt = json.loads(payloads[index]).get("prompt")
        if prompt is not None:
            return str(prompt)
    return None


def is_refused(outcome: Data) -> bool:
    """Return whether an outcome, as its reader sees it, changed nothing."""
    return outcome["outcome"] in (REFUSED, QUARANTINED)


def roll_data(roll: Mapping[str, Any]) -> Data:
    """Return a roll as the API shows it: as in the commit, with its total."""
    return {**roll, "total": Roll.from_data(roll).total}


def rolls_of(outcomes: Iterable[Data], creature: str | None) -> list[Data]:
    """Return the rolls of *outcomes*, or those that name *creature*, with their commits' numbers."""
    return [
        {**roll, "n": outcome["n"]}
        for outcome in outcomes
        for roll in outcome["rolls"]
        if creature is None or _names(roll, creature)
    ]


def _names(roll: Data, creature: str) -> bool:
    if roll["name"]["stream"].split("/")[0] == creature:
        return True
    return any(
        creature == said or (isinstance(said, list) and creature in said) for said in roll["purpose"].values()
    )
