"""Describe what several resources answer with: outcomes of commands, events, rolls, problems.

What one resource alone answers with is described there, beside its operations. Objects whose members the
service chooses are closed; what a ruleset chooses (events, states, rolls' purposes) is open beyond what all
share.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.operations import ResponseSchema
from service.api.shapes import (
    HASH,
    NUMBER,
    OPEN,
    SEAT,
    TEXT,
    TRUTH,
    UUID,
    Schema,
    closed,
    component,
    listing,
    maybe,
    ref,
)

EVENT: Final = component(
    "Event",
    {
        "type": "object",
        "description": "One fact. Its further members depend on its type.",
        "properties": {
            "type": TEXT,
            "because": {
                **listing(TEXT),
                "description": "The rules, and ambiguity rulings, that made it true.",
            },
        },
        "required": ["type", "because"],
    },
)
ROLL: Final = component(
    "Roll",
    {
        "type": "object",
        "description": "One throw for one purpose; its name says how its faces are derived.",
        "properties": {
            "name": closed(
                "On one line of play a name stands for one throw.",
                epoch=NUMBER,
                lane=NUMBER,
                stream=TEXT,
                place=NUMBER,
            ),
            "purpose": OPEN,
            "dice": listing(
                closed("One die as thrown.", {"dropped": TRUTH}, role=TEXT, sides=NUMBER, face=NUMBER)
            ),
            "terms": listing(
                closed("A flat part of the total.", amount={"type": "integer"}, what=TEXT, rule=TEXT)
            ),
            "source": {"enum": ["seeded", "declared"]},
            "by": SEAT,
            "total": {"type": "integer"},
            "n": NUMBER,
        },
        "required": ["name", "purpose", "dice", "terms", "source", "total"],
        "additionalProperties": False,
    },
)
PROBLEM: Final = component(
    "Problem",
    {
        "type": "object",
        "description": "What went wrong (RFC 9457). `type` is the address of a page that explains it.",
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": TEXT,
            "status": {"type": "integer"},
            "detail": TEXT,
            "instance": {"type": "string", "format": "uri-reference"},
            "request_id": TEXT,
            "errors": listing(closed("One fault and its place.", pointer=TEXT, detail=TEXT)),
            "code": {"type": "string", "description": "Why the rules refuse a command; stable."},
            "rule": maybe({"type": "string", "description": "The rule that refuses."}),
            "n": NUMBER,
            "version": NUMBER,
            "removed": ref("Removal"),
            "dispute": ref("Dispute"),
        },
        "required": ["type", "title", "status", "detail", "instance", "request_id"],
        "additionalProperties": False,
    },
)
POINT: Final = component("Point", closed("An encounter after one of its commits.", encounter=UUID, n=NUMBER))
REFUSAL: Final = component(
    "Refusal", closed("Why a command was refused.", code=TEXT, detail=TEXT, rule=maybe(TEXT))
)
PROMPT: Final = component(
    "Prompt",
    closed(
        "An answer that is owed, or that may be given.",
        prompt={"type": "string", "description": "What answers it names this."},
        seat={
            **maybe(SEAT),
            "description": "Who owes it; null where you may know only which group does.",
        },
        accepts={**listing(TEXT), "description": "Types of commands that answer it."},
        creature=maybe(SEAT),
        optional={**TRUTH, "description": "Nobody is kept waiting by this seat alone."},
        wants={**listing(TEXT), "description": "Dice whose faces are asked for, as `role:dN`."},
    ),
)
OUTCOME: Final = component(
    "Outcome",
    closed(
        "What became of a command, as this seat may see it.",
        {
            "refusal": REFUSAL,
            "events": {**listing(EVENT), "description": "Public events, and those this seat may open."},
            "rolls": listing(ROLL),
            "prompts": {
                **listing(PROMPT),
                "description": "All that this seat may answer next, what keeps others waiting first.",
            },
            "version": NUMBER,
            "hash": HASH,
        },
        n={**NUMBER, "description": "The command's number."},
        outcome={"enum": ["pending", "accepted", "refused", "sealed", "quarantined"]},
    ),
)
PENDING: Final = ResponseSchema("The command is on the record and not yet decided.", OUTCOME)
"""The 202 of an operation that appends a command."""
OUTCOMES: Final = component(
    "Outcomes",
    closed(
        "What became of each command of an array, in order.",
        n={**NUMBER, "description": "The first command's number; the others follow it."},
        outcomes=listing(OUTCOME),
    ),
)
OUTCOME_OR_OUTCOMES: Final = component(
    "OutcomeOrOutcomes",
    {
        "description": "What became of a command, or of each of an array.",
        "anyOf": [OUTCOME, OUTCOMES],
    },
)
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
    "properties": {"from": listing(EVENT), "to": listing(EVENT)},
    "required": ["from", "to"],
    "additionalProperties": False,
}
BETWEEN: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "from": POINT,
        "to": POINT,
        "patch": {**_PATCH, "description": "From the one view to the other (RFC 6902)."},
        "events": _SIDES,
    }
)
