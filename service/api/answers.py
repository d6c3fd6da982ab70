"""Describe what the API answers: one component per shape, as JSON Schema.

The OpenAPI document is made from these, and the tests hold every answer to them. Objects that the service
spells itself are closed; what a ruleset spells (events, states, rolls' purposes) is open beyond what all
share.
"""

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
_PROBLEM: Final[Schema] = {
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
    },
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "additionalProperties": False,
}

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

_PROMPT: Final = closed(
    "An answer that is owed, or that may be given.",
    prompt={"type": "string", "description": "What answers it names this."},
    seat=SEAT,
    accepts={**listing(TEXT), "description": "Types of commands that answer it."},
    creature=maybe(SEAT),
    optional={**TRUTH, "description": "Nobody is kept waiting by this seat alone."},
    wants={**listing(TEXT), "description": "Dice whose faces are asked for, as `role:dN`."},
)

_REFUSAL: Final = closed("Why a command was refused.", code=TEXT, detail=TEXT, rule=maybe(TEXT))

_OUTCOME: Final[Schema] = closed(
    "What became of a command, as this seat may see it.",
    {
        "refusal": ref("Refusal"),
        "events": {**listing(ref("Event")), "description": "Public events, and those this seat may open."},
        "rolls": listing(ref("Roll")),
        "prompt": {**maybe(ref("Prompt")), "description": "What this seat is asked next, if anything."},
        "version": NUMBER,
        "hash": HASH,
    },
    n={**NUMBER, "description": "The command's number."},
    outcome={"enum": ["pending", "accepted", "refused", "sealed", "quarantined"]},
)

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

_SEAT_MEMBERS: Final[dict[str, Schema]] = {
    "seat": SEAT,
    "role": {"enum": ["gm", "player", "observer", "auditor"]},
    "creatures": listing(SEAT),
    "tokens": {**NUMBER, "description": "How many tokens were issued for it so far."},
    "closed": TRUTH,
}

_ROUND_MEMBERS: Final[dict[str, Schema]] = {
    "round": NUMBER,
    "first": {**NUMBER, "description": "The commit in which the round begins."},
    "last": {**maybe(NUMBER), "description": "The commit with which it ends; null while it is running."},
}

_AUDIT: Final[Schema] = closed(
    "An audit: everything is decided again and compared.",
    {"verdict": TEXT, "progress": OPEN, "certificate": OPEN, "from": NUMBER, "to": NUMBER, "fault": TEXT},
    audit=TEXT,
    encounter=UUID,
    status={"enum": ["pending", "running", "done", "failed"]},
    asked=TIME,
)

_RULE: Final = closed(
    "A rule: its statement in our words and where the books have it.",
    id=TEXT,
    statement=TEXT,
    source=TEXT,
    settles={**listing(TEXT), "description": "Ambiguities of the books that it decides."},
)

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

COMPONENTS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Problem": _PROBLEM,
        "Event": _EVENT,
        "Roll": _ROLL,
        "Prompt": _PROMPT,
        "Refusal": _REFUSAL,
        "Outcome": _OUTCOME,
        "OpenedEnvelope": _OPENED,
        "Commit": _COMMIT,
        "Rule": _RULE,
        "Encounter": closed(
            "An encounter in short.",
            encounter=UUID,
            edition=TEXT,
            title=TEXT,
            opened=TIME,
            version={**NUMBER, "description": "The number of the last commit."},
            appended={**NUMBER, "description": "The last command; above `version` while some wait."},
            hash=HASH,
            round=NUMBER,
            epoch=NUMBER,
            closed=TRUTH,
            waiting={**listing(ref("Prompt")), "description": "Whose move it is."},
        ),
        "OpenedEncounter": closed(
            "The new encounter: its address and its first commit.",
            encounter=UUID,
            n=NUMBER,
            outcome={"enum": ["pending", "accepted"]},
            version=NUMBER,
            hash=maybe(HASH),
        ),
        "Encounters": page(
            "Your encounters, the newest first.",
            "encounters",
            closed(
                "An encounter of yours.",
                encounter=UUID,
                edition=TEXT,
                title=TEXT,
                opened=TIME,
            ),
        ),
        "Seat": closed("Who may act, and for which creatures.", **_SEAT_MEMBERS),
        "Seats": closed("All seats, the closed ones too.", seats=listing(ref("Seat"))),
        "SeatWithToken": closed(
            "A seat and its token. The token is shown here alone; a repeat of the request shows it again.",
            **_SEAT_MEMBERS,
            token=TEXT,
            n=NUMBER,
        ),
        "State": closed(
            "The encounter as this seat sees it after a commit.",
            version=NUMBER,
            known=NUMBER,
            hash=HASH,
            view={**HASH, "description": "SHA-256 of the canonical JSON of `state`."},
            state=OPEN,
        ),
        "Options": closed(
            "Everything this seat may do now.",
            version=NUMBER,
            seat=SEAT,
            options=listing(ref("Option")),
            schemas={
                "type": "object",
                "description": "JSON Schema of each type's parameters.",
                "additionalProperties": OPEN,
            },
        ),
        "Option": closed(
            "An answer this seat owes or may give, and the commands that give it.",
            prompt=ref("Prompt"),
            commands=listing(ref("Offer")),
        ),
        "Offer": closed(
            "A command that is legal now: `given` as it is, with any value listed of each of `choices`.",
            type=TEXT,
            creature=maybe(SEAT),
            prompt=maybe(TEXT),
            given=OPEN,
            choices={"type": "object", "additionalProperties": {"type": "array"}},
        ),
        "Commits": page("Commits in order.", "commits", ref("Commit")),
        "Round": closed("A round and its commits.", **_ROUND_MEMBERS, commits=listing(ref("Commit"))),
        "Rounds": closed("All rounds that began.", rounds=listing(closed("A round.", **_ROUND_MEMBERS))),
        "Replay": closed(
            "A round from the stored record: each commit with the state before and after it.",
            **_ROUND_MEMBERS,
            frames=listing(
                closed(
                    "One commit and what it changed.",
                    commit=ref("Commit"),
                    outcome=ref("Outcome"),
                    before=OPEN,
                    after=OPEN,
                )
            ),
        ),
        "Rolls": page("Rolls in order; `n` names each one's commit.", "rolls", ref("Roll")),
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
        "Audit": _AUDIT,
        "Audits": page("Audits, the newest first.", "audits", ref("Audit")),
        "Ruleset": closed(
            "An edition of a rulebook.",
            edition=TEXT,
            title=TEXT,
            digest=HASH,
            commands=listing(TEXT),
            events=listing(TEXT),
            options=listing(
                closed(
                    "A choice of the house rules; the first value is the default.",
                    {"bounds": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}},
                    key=TEXT,
                    values={"type": "array"},
                    settles=TEXT,
                    text=TEXT,
                )
            ),
            rules=listing(ref("Rule")),
        ),
        "Rulesets": closed("All editions.", rulesets=listing(closed("One.", edition=TEXT, title=TEXT))),
        "CommandTypes": closed(
            "The commands of an edition, each with the JSON Schema of its parameters.",
            edition=TEXT,
            commands=listing(closed("A type of command.", type=TEXT, text=TEXT, schema=OPEN)),
        ),
        "Keys": closed(
            "Public keys that verify what this service signs.",
            keys=listing(closed("A key.", name=TEXT, algorithm=TEXT, public_key=TEXT)),
        ),
        "Live": closed("The process answers.", status={"enum": ["alive"]}),
        "Ready": closed(
            "Whether commands are taken, and what was looked at.",
            status={"enum": ["ready", "not_ready"]},
            mode={"enum": ["durable", "memory"]},
            checks={"type": "object", "additionalProperties": TEXT},
        ),
        "ProblemTypes": closed(
            "Every problem the API answers with.",
            problems=listing(closed("A type of problem.", type=TEXT, status=NUMBER, title=TEXT, text=TEXT)),
        ),
    }
)
