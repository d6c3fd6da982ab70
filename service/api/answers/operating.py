"""Describe what the service tells of itself: problems, audits, keys, health."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import (
    HASH,
    NUMBER,
    OPEN,
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
        "removed": ref("Removal"),
        "dispute": ref("Dispute"),
    },
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "additionalProperties": False,
}

_CHECKPOINT: Final = closed(
    "A signed head: how many commits there are, and the root of the tree over their hashes (RFC 9162).",
    {"note": {**TEXT, "description": "The signed note (C2SP tlog-checkpoint), once it is signed."}},
    encounter=UUID,
    size=NUMBER,
    root=maybe(HASH),
)

_AUDIT: Final[Schema] = closed(
    "An audit: everything is decided again and compared.",
    {"verdict": TEXT, "progress": OPEN, "certificate": OPEN, "from": NUMBER, "to": NUMBER, "fault": TEXT},
    audit=TEXT,
    encounter=UUID,
    status={"enum": ["pending", "running", "done", "failed"]},
    asked=TIME,
)

_NUMBERS: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}

_API_KEY: Final[dict[str, Schema]] = {
    "key": {"type": "string", "pattern": "^[0-9a-f]{12}$", "description": "Its id, which is no secret."},
    "name": TEXT,
    "scopes": listing({"enum": ["read", "write", "keys", "operator"]}),
    "state": {"enum": ["valid", "expired", "ended"]},
    "created": TIME,
    "expires": maybe(TIME),
    "follows": {**maybe(TEXT), "description": "The key whose place it took."},
}

OPERATING: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Problem": _PROBLEM,
        "ProblemTypes": closed(
            "Every problem the API answers with.",
            problems=listing(closed("A type of problem.", type=TEXT, status=NUMBER, title=TEXT, text=TEXT)),
        ),
        "Removal": closed(
            "What is left of an encounter that was removed.",
            encounter=UUID,
            at=TIME,
            by={"enum": ["owner", "retention"]},
            size={**NUMBER, "description": "How many commits it had."},
            hash={**HASH, "description": "The last one's."},
            bundle={**HASH, "description": "SHA-256 of the bundle that was had first."},
        ),
        "Checkpoint": _CHECKPOINT,
        "Checkpoints": page("Signed checkpoints, the latest first.", "checkpoints", ref("Checkpoint")),
        "ImportOf": closed(
            "What came in a bundle: which record it is, and how far an accepted key signed it.",
            record={**UUID, "description": "The id that it has where it was played."},
            unsigned={
                **TRUTH,
                "description": "Whether no accepted key signed the last commit: anybody may have written it.",
            },
            signed={
                **NUMBER,
                "description": "How many commits lie under a head that an accepted key signed.",
            },
            keys={**listing(HASH), "description": "The keys that were accepted."},
        ),
        "Import": closed(
            "A bundle that is taken in: how far it is, where it lies, or why it was refused.",
            {"progress": maybe(OPEN)},
            **{"import": TEXT},
            status={"enum": ["pending", "running", "done", "failed"]},
            asked=TIME,
            encounter={**maybe(UUID), "description": "The address at which it lies in this service."},
            verdict={**maybe(TEXT), "description": "What its audit found."},
            certificate=maybe(OPEN),
            imported=maybe(ref("ImportOf")),
            refusal=maybe(
                closed("Why it was not taken in.", code={**TEXT, "description": "A problem's."}, detail=TEXT)
            ),
        ),
        "Imports": page("Bundles that you sent, the newest first.", "imports", ref("Import")),
        "Audit": _AUDIT,
        "Audits": page("Audits, the newest first.", "audits", ref("Audit")),
        "Keys": closed(
            "Public keys that verify what this service signs.",
            keys=listing(
                closed(
                    "A key.",
                    {"rotation": {**TEXT, "description": "The note in which the key before it names it."}},
                    name=TEXT,
                    algorithm=TEXT,
                    public_key=HASH,
                    since=TIME,
                )
            ),
        ),
        "Simulation": closed(
            "An encounter played with bots: how far it is, and how each fight came out.",
            {"progress": maybe(OPEN), "fights": maybe(listing(ref("SimulatedFight"))), "fault": TEXT},
            simulation=TEXT,
            status={"enum": ["pending", "running", "done", "failed"]},
            asked=TIME,
            times=NUMBER,
            seed=TEXT,
            rounds=NUMBER,
            commands=NUMBER,
            winners=maybe(
                {**_NUMBERS, "description": "How many fights each side won; `nobody` is no side at all."}
            ),
        ),
        "SimulatedFight": closed(
            "How one fight came out.",
            fight=NUMBER,
            seed=TEXT,
            encounter=UUID,
            ended={
                "enum": [
                    *("one_side_stands", "nobody_stands", "combat_ended"),
                    *("rounds", "commands", "nobody_acts"),
                ]
            },
            winner=maybe(TEXT),
            rounds=NUMBER,
            commands=NUMBER,
            damage={**_NUMBERS, "description": "Hit points each creature lost, healing not counted back."},
            hp={"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        "ApiKey": closed("What is known of a key: never the key itself.", **_API_KEY),
        "ApiKeys": closed("All keys of your owner.", keys=listing(ref("ApiKey"))),
        "ApiKeyWithText": closed(
            "A key and its text. The text is shown here alone; a repeat of the request shows it again.",
            **_API_KEY,
            text=TEXT,
        ),
        "Live": closed("The process answers.", status={"enum": ["alive"]}),
        "Ready": closed(
            "Whether commands are taken, and what was looked at.",
            status={"enum": ["ready", "not_ready"]},
            mode={"enum": ["durable", "replicated", "memory"]},
            checks={"type": "object", "additionalProperties": TEXT},
        ),
    }
)
