"""Describe what is recorded: commits, envelopes, rolls, rounds, and why a commit says what it says."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import (
    HASH,
    NUMBER,
    OPEN,
    SEAT,
    TEXT,
    TIME,
    TRUTH,
    UUID,
    Schema,
    closed,
    listing,
    maybe,
    page,
    ref,
)

# One line per member reads as the table it is.
_EVENT: Final[Schema] = {
    "type": "object",
    "description": "One fact. Its further members depend on its type.",
    "properties": {
        "type": TEXT,
        "because": {**listing(TEXT), "description": "The rules, and ambiguity rulings, that made it true."},
    },
    "required": ["type", "because"],
}

_ROLL: Final[Schema] = {
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
}

_OPENED: Final = closed(
    "An envelope this seat may open: the payload's exact text and its salt prove the commitment.",
    index=NUMBER,
    payload=TEXT,
    salt=HASH,
)

_COMMIT: Final = closed(
    "A commit as stored, and what of it this seat may open.",
    n=NUMBER,
    hash=HASH,
    commit={"type": "string", "description": "Its exact text; `hash` is SHA-256 of a zero byte and it."},
    opened=listing(ref("OpenedEnvelope")),
)

_ROUND_MEMBERS: Final[dict[str, Schema]] = {
    "round": NUMBER,
    "first": {**NUMBER, "description": "The commit in which the round begins."},
    "last": {**maybe(NUMBER), "description": "The commit with which it ends; null while it is running."},
}

_WHY: Final = closed(
    "An event, the rules it came from, and the house's rulings on ambiguities that they used.",
    event=ref("Event"),
    rules=listing(ref("Rule")),
    rulings=listing(
        closed(
            "An ambiguity of the books and how it is settled here.",
            ambiguity=TEXT,
            option=maybe(TEXT),
            value={},
            text=TEXT,
        )
    ),
)

_DERIVATION: Final = closed(
    "How the faces follow from what was published; the keys are told once the roll's epoch is disclosed.",
    {"link": HASH, "key": HASH, "faces": listing(NUMBER)},
    algorithm=TEXT,
    disclosed=TRUTH,
    name=TEXT,
)

_STEP: Final = closed("A rule that took part, and how deep in the chain of calls.", rule=TEXT, depth=NUMBER)

_EXAMPLE: Final = """\
retry: 3000

id: 12
event: commit
data: {"n":12,"hash":"…","commit":"…","opened":[],"revealed":[]}

event: heartbeat
data: {"version":12,"view":"…"}

"""
_TOLD: Final = {
    "commit": "ToldCommit",
    "heartbeat": "Heartbeat",
    "reset": "Reset",
    "continued": "Continuation",
}

RECORD: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Event": _EVENT,
        "Roll": _ROLL,
        "OpenedEnvelope": _OPENED,
        "Commit": _COMMIT,
        "Commits": page("Commits in order.", "commits", ref("Commit")),
        "Round": closed(
            "A round and a page of its commits.",
            **_ROUND_MEMBERS,
            commits=listing(ref("Commit")),
            next_cursor=maybe(TEXT),
        ),
        "Rounds": page("Rounds that began, in order.", "rounds", closed("A round.", **_ROUND_MEMBERS)),
        "Replay": closed(
            "A page of a round from the stored record: a state, and commit by commit what became of it.",
            **_ROUND_MEMBERS,
            state={**OPEN, "description": "Before the first of these frames."},
            frames=listing(
                closed(
                    "One commit and what it changed.",
                    commit=ref("Commit"),
                    outcome=ref("Outcome"),
                    patch={
                        **listing(OPEN),
                        "description": "From the state before it to the state after it (RFC 6902).",
                    },
                )
            ),
            next_cursor=maybe(TEXT),
        ),
        "CommitStream": {
            "type": "string",
            "description": "Server-sent events. `id` is the commit's number; a browser sends the last one as "
            "`Last-Event-ID` when it comes back. `data` is JSON, by the event's name:",
            "x-event-data": {name: ref(shape) for name, shape in _TOLD.items()},
            "examples": [_EXAMPLE],
        },
        "RevealedEnvelope": closed(
            "An envelope of the earlier commit `n`, which a later one opened to you.",
            n=NUMBER,
            **_OPENED["properties"],
        ),
        "ToldCommit": closed(
            "A commit as your seat was told it when it was made, the same whenever it is told.",
            **_COMMIT["properties"],
            revealed={
                **listing(ref("RevealedEnvelope")),
                "description": "What this commit opened of earlier ones.",
            },
        ),
        "Heartbeat": closed(
            "You have every commit up to `version`; `view` is the hash of your seat's view there.",
            version=NUMBER,
            view=HASH,
        ),
        "Reset": closed("The position was unknown: the stream goes on after `version`.", version=NUMBER),
        "Continuation": closed(
            "The encounter goes on in another line of play; up to `n` that line repeats what was played.",
            encounter={**UUID, "description": "The line in which it goes on."},
            n={**NUMBER, "description": "Its commits after this one are new."},
            hash=HASH,
            ended=closed("The last commit of this line.", encounter=UUID, n=NUMBER, hash=HASH),
            origin=closed(
                "The last commit of earlier play that counts in the new line.",
                parent=UUID,
                n=NUMBER,
                hash=HASH,
                kind={"enum": ["as_ruled", "undo", "redo"]},
                levels={**NUMBER, "description": "How many undos can be taken again from its beginning."},
            ),
        ),
        "Ticket": closed("It opens one stream, once.", ticket=TEXT, expires=TIME),
        "Rolls": page("Rolls in order; `n` names each one's commit.", "rolls", ref("Roll")),
        "RollStatistics": closed(
            "What the dice showed up to a commit.",
            upto=NUMBER,
            dice=listing(
                closed(
                    "One type of die.",
                    sides=NUMBER,
                    source={"enum": ["seeded", "declared"]},
                    dice={**NUMBER, "description": "How many there were."},
                    faces={**listing(NUMBER), "description": "How often each face came up, from 1 on."},
                    chi_square={"type": "number", "minimum": 0},
                    p_value=maybe({"type": "number", "minimum": 0, "maximum": 1}),
                )
            ),
        ),
        "Explanation": closed(
            "Why a commit says what it says.",
            {"refusal": ref("Refusal"), "chain": listing(_STEP)},
            n=NUMBER,
            hash=HASH,
            type={**maybe(TEXT), "description": "The command's type, where this seat may know it."},
            outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
            events=listing(_WHY),
            rolls=listing(
                closed("A roll and how it came about.", roll=ref("Roll"), text=TEXT, derivation=_DERIVATION)
            ),
            rules=listing(ref("Rule")),
        ),
    }
)
