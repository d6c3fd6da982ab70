"""Describe what is played: encounters, seats, states, options, outcomes of commands."""

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
_PROMPT: Final = closed(
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
)

_REFUSAL: Final = closed("Why a command was refused.", code=TEXT, detail=TEXT, rule=maybe(TEXT))

_DISPUTE: Final = closed(
    "A signed history that is not the stored one.",
    why={"enum": ["rolled_back", "forked", "altered", "missing"]},
    text=TEXT,
    lost=closed("What was signed.", size=NUMBER, root=HASH),
    epoch={**NUMBER, "description": "The last epoch that was open in it."},
    folded={**NUMBER, "description": "How many commits the store has."},
)

_OUTCOME: Final[Schema] = closed(
    "What became of a command, as this seat may see it.",
    {
        "refusal": ref("Refusal"),
        "events": {**listing(ref("Event")), "description": "Public events, and those this seat may open."},
        "rolls": listing(ref("Roll")),
        "prompts": {
            **listing(ref("Prompt")),
            "description": "All that this seat may answer next, what keeps others waiting first.",
        },
        "version": NUMBER,
        "hash": HASH,
    },
    n={**NUMBER, "description": "The command's number."},
    outcome={"enum": ["pending", "accepted", "refused", "sealed", "quarantined"]},
)

_SEAT_MEMBERS: Final[dict[str, Schema]] = {
    "seat": SEAT,
    "role": {"enum": ["gm", "player", "observer", "auditor"]},
    "creatures": listing(SEAT),
    "tokens": {**NUMBER, "description": "How many tokens were issued for it so far."},
    "closed": TRUTH,
}

PLAY: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Refusal": _REFUSAL,
        "Dispute": _DISPUTE,
        "Prompt": _PROMPT,
        "Outcome": _OUTCOME,
        "Outcomes": closed(
            "What became of each command of an array, in order.",
            n={**NUMBER, "description": "The first command's number; the others follow it."},
            outcomes=listing(ref("Outcome")),
        ),
        "OutcomeOrOutcomes": {
            "description": "What became of a command, or of each of an array.",
            "anyOf": [ref("Outcome"), ref("Outcomes")],
        },
        "Encounter": closed(
            "An encounter in short.",
            encounter=UUID,
            edition=TEXT,
            title=TEXT,
            opened=TIME,
            version={**NUMBER, "description": "The number of the last commit; 0 before the first."},
            appended={**NUMBER, "description": "The last command; above `version` while some wait."},
            hash=HASH,
            round=NUMBER,
            epoch=NUMBER,
            closed=TRUTH,
            status={
                "enum": ["open", "over", "closed"],
                "description": "`over` once the fight has been played to its end.",
            },
            dispute={
                **maybe(ref("Dispute")),
                "description": "Why it is not played on, until somebody accepts it.",
            },
            waiting={**listing(ref("Prompt")), "description": "Whose move it is."},
            continued={**maybe(UUID), "description": "The line in which it goes on."},
            as_played={**maybe(UUID), "description": "The line that was asked for, if this one took over."},
            imported={
                **maybe(ref("ImportOf")),
                "description": "What is known of its origin, if it came in a bundle.",
            },
            origin=maybe(ref("Origin")),
            expires={**maybe(TIME), "description": "When a fork, or what goes on from it, is deleted."},
        ),
        "Origin": closed(
            "The moment from which it goes on: a commit of another encounter.",
            parent=UUID,
            n=NUMBER,
            hash=HASH,
            kind={"enum": ["as_ruled", "undo", "redo", "fork"]},
            levels={**NUMBER, "description": "How many undos can be taken again from its beginning."},
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
                imported=maybe(ref("ImportOf")),
                origin={
                    **maybe(ref("Origin")),
                    "description": "Where it goes on from, if it is a fork or a line.",
                },
                expires={**maybe(TIME), "description": "When a fork, or what goes on from it, is deleted."},
                made_by={**maybe(SEAT), "description": "The seat of its parent that made a fork."},
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
            choices={"type": "object", "additionalProperties": {"type": "array", "items": {}}},
        ),
    }
)
