"""Describe contests and what the GM rules on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import (
    HASH,
    NUMBER,
    SEAT,
    TEXT,
    TIME,
    TRUTH,
    UUID,
    Schema,
    closed,
    listing,
    maybe,
    ref,
)

_CONTEST: Final = closed(
    "A contested moment, and how the contest ended.",
    {
        "n": {**NUMBER, "description": "The command that opened or answered it, after one that did."},
        "amendment": {**TEXT, "description": "The proposal that would answer it `as_ruled`."},
    },
    contest=TEXT,
    seat=SEAT,
    encounter={**UUID, "description": "The line of play in which the commit stands."},
    commit=NUMBER,
    event={**maybe(NUMBER), "description": "The event's index in the commit."},
    roll={**maybe(TEXT), "description": "The roll's name: `epoch/lane/stream#place`."},
    claim=TEXT,
    status={"enum": ["open", "upheld", "effects", "as_ruled"]},
    decision=TEXT,
    reason=TEXT,
    explanation={"type": "string", "description": "Where the moment is explained."},
)

_COMMAND: Final = closed(
    "A command of the proposed line, and what became of it.",
    {"refusal": ref("Refusal")},
    n=NUMBER,
    old={**maybe(NUMBER), "description": "The old command that it is; null where the ruling put it in."},
    source={**UUID, "description": "The encounter whose command it is."},
    seat=SEAT,
    type={**maybe(TEXT), "description": "null where what was commanded is still sealed."},
    outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
)

_POINT: Final = closed("An encounter after one of its commits.", encounter=UUID, n=NUMBER)

_PATCH: Final[Schema] = listing(
    {
        "type": "object",
        "description": "One operation of RFC 6902.",
        "properties": {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": TEXT,
            "from": TEXT,
            "value": {},
        },
        "required": ["op", "path"],
        "additionalProperties": False,
    }
)

_SIDES: Final[Schema] = {
    "type": "object",
    "description": "The events of each side since they parted, each with its commit's number.",
    "properties": {"from": listing(ref("Event")), "to": listing(ref("Event"))},
    "required": ["from", "to"],
    "additionalProperties": False,
}

_BETWEEN: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "from": ref("Point"),
        "to": ref("Point"),
        "patch": {**_PATCH, "description": "From the one view to the other (RFC 6902)."},
        "events": _SIDES,
    }
)

_DIFFERENCE: Final = closed(
    "How a proposed line differs from the one as played.",
    None,
    commands=listing(ref("TakenCommand")),
    gone={**listing(ref("TakenCommand")), "description": "Old answers whose prompt is gone."},
    left={**listing(NUMBER), "description": "Commands as played that the line does not take."},
    **_BETWEEN,
)

_AMENDMENT: Final = closed(
    "How the gm would continue from an earlier moment.",
    {"n": {**NUMBER, "description": "The command that proposed or ended it, after one that did."}},
    amendment=TEXT,
    kind={"enum": ["as_ruled", "undo", "redo"]},
    contest=maybe(TEXT),
    commit={**maybe(NUMBER), "description": "The first commit that is taken back."},
    line={**maybe(UUID), "description": "The earlier line in which that stands, where it is not this one."},
    decision=TEXT,
    reason=TEXT,
    version={**NUMBER, "description": "The version of the encounter that is compared."},
    encounter={**UUID, "description": "The line that is proposed; the gm may read it."},
    status={
        "enum": ["deciding", "ready", "accepted", "dropped", "void"],
        "description": "`void`: something was played before it was proposed, so it goes on from nowhere.",
    },
    difference=maybe(ref("AmendmentDifference")),
)

_FORK: Final = closed(
    "A what-if: its address, where it goes on from, and its first commit.",
    {"token": {**TEXT, "description": "Your token in it, where a seat's token asked."}},
    encounter=UUID,
    parent=UUID,
    at={**NUMBER, "description": "The last commit of its parent that stands in it."},
    expires={**TIME, "description": "When it is forgotten."},
    n={**NUMBER, "description": "Its last command so far: the last one given, or its opening."},
    outcome={
        "enum": ["pending", "accepted", "refused", "sealed", "quarantined"],
        "description": "What became of command `n`.",
    },
    outcomes={**listing(ref("Outcome")), "description": "What became of each command given, in order."},
    version={**NUMBER, "description": "How far it is folded."},
    hash={**maybe(HASH), "description": "The hash of commit `n`; null until that is decided."},
)

_LISTED_FORK: Final = closed(
    "A fork of this encounter.",
    encounter=UUID,
    parent=UUID,
    at={**maybe(NUMBER), "description": "The last commit of its parent that stands in it."},
    opened=TIME,
    expires={**TIME, "description": "When it is deleted."},
    made_by={**TEXT, "description": "The seat that made it."},
)

_PREVIEW: Final = closed(
    "Whether a command would be accepted now, as far as the seat that would send it can know.",
    {"refusal": ref("Refusal")},
    version=NUMBER,
    accepted=TRUTH,
)

RULINGS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Contest": _CONTEST,
        "TakenCommand": _COMMAND,
        "Point": _POINT,
        "AmendmentDifference": _DIFFERENCE,
        "Amendment": _AMENDMENT,
        "Difference": closed("The way from one point to another.", None, **_BETWEEN, next_cursor=maybe(TEXT)),
        "Preview": _PREVIEW,
        "Fork": _FORK,
        "ListedFork": _LISTED_FORK,
        "Forks": closed("The forks of an encounter.", forks=listing(ref("ListedFork"))),
        "Contests": closed("All contests of an encounter.", contests=listing(ref("Contest"))),
    }
)
