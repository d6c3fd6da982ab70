"""Schemas of answers that several resources share: outcomes of commands, events, rolls, problems.

The schema of a single resource's answer is beside its operations. Objects whose members the service defines
are closed. The schemas of what a ruleset defines (events, states) are in `view_schemas.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.operations import ResponseSchema
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
    component,
    listing,
    maybe,
    ref,
)

RECEIPT: Final = component(
    "Receipt",
    {
        **closed(
            "What the service signs about a command, for its sender: keep it, and `rewound verify --receipt` "
            "compares a record with it. It is in an answer that waited for the outcome.",
            format={"const": "rewound/receipt/1", "description": "The format."},
            encounter={**UUID, "description": "The line of play."},
            n={**NUMBER, "description": "The command's number."},
            request={**HASH, "description": "The digest of the request."},
            prev={**HASH, "description": "The hash of the commit that it continues."},
            hash={**HASH, "description": "The hash of its commit."},
            batch=closed(
                "Its place among the receipts under one signature.",
                index={**NUMBER, "description": "Its index, from 0."},
                size={**NUMBER, "description": "The number of receipts."},
                path={**listing(HASH), "description": "The path from it to the signed root (RFC 9162)."},
            ),
            key={**HASH, "description": "The public key that signed."},
            signature={**TEXT, "description": "The signature: Ed25519, 128 hexadecimal digits."},
        )
    },
)
BLANK_STATE: Final = component(
    "BlankState",
    {
        "type": "object",
        "description": "The state before commit 1: like that of its edition, except that `edition` is empty.",
        "properties": {"edition": {"const": "", "description": "Empty: no commit has named the edition."}},
        "required": ["edition"],
    },
)
EVENT: Final = ref("Event")
"""An event of any edition; `openapi.document` adds the component."""
STATE: Final = ref("EditionState")
"""A state of any edition; `openapi.document` adds the component."""
_SCALAR: Final[Schema] = {"type": ["string", "integer", "boolean", "null"]}
_PURPOSE: Final[Schema] = {"anyOf": [_SCALAR, listing(_SCALAR)]}
_THROW: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "name": closed(
            "The roll's name, which is unique within a line of play.",
            epoch=NUMBER,
            lane=NUMBER,
            stream=TEXT,
            place=NUMBER,
        ),
        "purpose": {
            "type": "object",
            "description": "Who rolls, against whom, with what and in which step.",
            "additionalProperties": _PURPOSE,
        },
        "dice": listing(closed("One thrown die.", {"dropped": TRUTH}, role=TEXT, sides=NUMBER, face=NUMBER)),
        "terms": listing(
            closed("A flat modifier of the total.", amount={"type": "integer"}, what=TEXT, rule=TEXT)
        ),
        "source": {"enum": ["seeded", "declared"]},
    }
)
ROLL: Final = component(
    "Roll",
    closed(
        "One throw for one purpose. Its faces are derived from its name.",
        {"by": SEAT, "n": NUMBER},
        **_THROW,
        total={"type": "integer"},
    ),
)
THROW: Final = component(
    "Throw", closed("A roll as states and events contain it, without its total.", {"by": SEAT}, **_THROW)
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
            "errors": listing(closed("One fault and where it is.", pointer=TEXT, detail=TEXT)),
            "faults": {
                **listing(TEXT),
                "description": "The faults of a file, each with its place there.",
            },
            "code": {"type": "string", "description": "A stable reason why the rules refuse a command."},
            "rule": maybe({"type": "string", "description": "The id of the rule that refuses."}),
            "options": {
                "type": "string",
                "format": "uri-reference",
                "description": "The address that lists what the rules allow this seat now.",
            },
            "n": NUMBER,
            "version": NUMBER,
            "line": {
                "type": "string",
                "format": "uuid",
                "description": "The line of play in which the encounter continues.",
            },
            "quota": {"type": "string", "description": "What is limited."},
            "used": {**NUMBER, "description": "How much of the quota is used."},
            "limit": {**NUMBER, "description": "The quota."},
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
PROGRESS: Final = component(
    "JobProgress",
    closed(
        "How far the worker of a job is.",
        {"done": NUMBER, "of": NUMBER},
        worker=TEXT,
        updated={**TIME, "description": "When the worker last reported; a job without reports is restarted."},
    ),
)
PROMPT: Final = component(
    "Prompt",
    closed(
        "A question that waits for a seat; a seat owes an answer or may give one.",
        {
            "seals": {
                **listing(TEXT),
                "description": "If the seat seals its choice: the types of commands that it may be.",
            }
        },
        prompt={"type": "string", "description": "Its id; a command that answers it carries this id."},
        seat={
            **maybe(SEAT),
            "description": "The seat that owes the answer; null if you may know only its group.",
        },
        accepts={**listing(TEXT), "description": "The types of commands that answer it."},
        creature=maybe(SEAT),
        optional={**TRUTH, "description": "True if play does not wait for this seat alone."},
        wants={**listing(TEXT), "description": "The dice whose faces must be declared, as `role:dN`."},
    ),
)
OUTCOME: Final = component(
    "Outcome",
    closed(
        "The outcome of a command, as this seat may see it.",
        {
            "refusal": REFUSAL,
            "events": {
                **listing(EVENT),
                "description": "The public events, and the sealed ones that this seat may read.",
            },
            "rolls": listing(ROLL),
            "text": {
                **listing(TEXT),
                "description": "With `?text=en`: a sentence for each event that this seat may read.",
            },
            "prompts": {
                **listing(PROMPT),
                "description": "The prompts that this seat may answer next, required ones first. In an array "
                "the last outcome alone has them.",
            },
            "version": NUMBER,
            "hash": HASH,
            "receipt": {
                **RECEIPT,
                "description": "What the service signed about the command, for its sender.",
            },
        },
        n={**NUMBER, "description": "The command's number."},
        outcome={"enum": ["pending", "accepted", "refused", "sealed", "quarantined"]},
    ),
)
PENDING_OUTCOME: Final = component(
    "PendingOutcome",
    closed(
        "A command that is recorded but not yet decided.",
        n={**NUMBER, "description": "The command's number."},
        outcome={"enum": ["pending"]},
    ),
)
PENDING: Final = ResponseSchema("It is recorded, but not yet decided.", PENDING_OUTCOME)
"""The 202 of an operation that appends a command."""
OUTCOMES: Final = component(
    "Outcomes",
    closed(
        "The outcomes of an array of commands, in order.",
        n={**NUMBER, "description": "The first command's number; the others have the next numbers."},
        outcomes=listing(OUTCOME),
    ),
)
OUTCOME_OR_OUTCOMES: Final = component(
    "OutcomeOrOutcomes",
    {
        "description": "The outcome of a command, or the outcomes of an array.",
        "anyOf": [OUTCOME, OUTCOMES],
    },
)
PATCH: Final[Schema] = listing(
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
NUMBERED_EVENT: Final = component(
    "NumberedEvent",
    closed(
        "An event, with the number of its commit.",
        n={**NUMBER, "description": "The number of its commit."},
        event={**EVENT, "description": "The event."},
    ),
)
EVENTS: Final = component(
    "EventsOfBoth",
    closed(
        "With `?events=true`: the events of each side since the common commit, each with its number.",
        start={**listing(NUMBERED_EVENT), "description": "Those of where it begins."},
        end={**listing(NUMBERED_EVENT), "description": "Those of where it ends."},
    ),
)
BETWEEN: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "start": {**POINT, "description": "Where it begins."},
        "end": {**POINT, "description": "Where it ends."},
        "patch": {**PATCH, "description": "The patch from one view to the other (RFC 6902)."},
    }
)
