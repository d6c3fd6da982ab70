"""Schemas of what answers about encounters share: status, winner, origin, import and dispute."""

from __future__ import annotations

from typing import Final

from service.api.shapes import HASH, NUMBER, TEXT, TRUTH, UUID, Schema, closed, component, listing, maybe
from service.core import summaries

IMPORT_OF: Final = component(
    "ImportOf",
    closed(
        "The origin of an imported encounter, and how much of it an accepted key signed.",
        record={**UUID, "description": "Its id in the service where it was played."},
        unsigned={
            **TRUTH,
            "description": "Whether no accepted key signed the last commit, so that its author is unknown.",
        },
        signed={
            **NUMBER,
            "description": "The number of commits under a head that an accepted key signed.",
        },
        keys={**listing(HASH), "description": "The accepted keys."},
    ),
)
DISPUTE: Final = component(
    "Dispute",
    closed(
        "A contradiction between what was signed and what is stored, or a history restored from a backup.",
        why={"enum": ["rolled_back", "forked", "altered", "missing", "restored"]},
        text=TEXT,
        lost=closed("The signed checkpoint.", size=NUMBER, root=HASH),
        epoch={**NUMBER, "description": "The last dice epoch whose dice may have been seen."},
        folded={**NUMBER, "description": "The number of commits in the store."},
    ),
)
ORIGIN: Final = component(
    "Origin",
    closed(
        "The commit of another encounter that this encounter continues from.",
        parent=UUID,
        n=NUMBER,
        hash=HASH,
        kind={"enum": ["as_ruled", "undo", "redo", "fork"]},
        levels={**NUMBER, "description": "The number of undos that can be redone from its beginning."},
    ),
)
STATUS: Final = component(
    "EncounterStatus",
    {
        "enum": list(summaries.STATUSES),
        "description": "`open`; `over`: the fight has ended, but the encounter is not closed; `closed`: it "
        "takes no more commands; `continued`: a line of play that another one continues.",
    },
)
WINNER: Final[Schema] = {
    **maybe(TEXT),
    "description": "Who won, a side or a creature; null if nobody did, or if the fight is not over.",
}
ORIGIN_MEMBERS: Final = ("parent", "n", "hash", "kind", "levels")
