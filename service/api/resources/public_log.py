"""The public log: its checkpoint, its tiles and entries (C2SP tlog-tiles), and the proofs of an encounter."""

from __future__ import annotations

import re
from typing import Final

from service.api.operations import PUBLIC, READERS, ResponseSchema, operation
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, NUMBER, TEXT, UUID, closed, component, listing
from service.audit import log_proof
from service.audit.evidence import fight_of
from service.audit.tiles import ENTRIES, WIDTH
from service.stores.public_log import PublicLog

TAG: Final = "Public log"
TILE: Final = "application/octet-stream"
PLAIN: Final = "text/plain"
LOG_PROOF: Final = component(
    "LogProof",
    closed(
        "What the public log has of a fight, proved by signed checkpoints (rewound/log-proof/1).",
        format=TEXT,
        encounter=UUID,
        checkpoints={
            **listing(
                closed(
                    "A checkpoint of the log.",
                    note={
                        **TEXT,
                        "description": "The signed note, with cosignatures (C2SP tlog-checkpoint).",
                    },
                    consistency={
                        "type": "array",
                        "items": HASH,
                        "description": "The proof that it extends the one before.",
                    },
                )
            ),
            "description": "The checkpoints that cover the entries, by size.",
        },
        entries={
            **listing(
                closed(
                    "An entry of the log.",
                    index=NUMBER,
                    entry={**TEXT, "description": "Its exact bytes, canonical JSON."},
                    proof={
                        "type": "array",
                        "items": HASH,
                        "description": "The proof of inclusion in the first checkpoint that covers it.",
                    },
                )
            ),
            "description": "The entries of the encounter and of the lines of play that led to it, by index.",
        },
    ),
)

_TILE_PATH: Final = "/v1/log/tile/{level}/{first}"
_LEVEL: Final = re.compile(r"0|[1-9]|[1-5][0-9]|6[0-3]")
_NUMBER: Final = re.compile(r"(?:x[0-9]{3}/){0,2}[0-9]{3}(?:\.p/(?P<width>[1-9][0-9]{0,2}))?")
_LENGTH_BYTES: Final = 2
_FOR_EVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_A_MOMENT: Final = {"Cache-Control": "public, max-age=2"}


@operation(
    "GET",
    "/v1/log/checkpoint",
    "getLogCheckpoint",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The checkpoint.", None, PLAIN)},
    problems=("not-found",),
)
def get_log_checkpoint(request: ApiRequest) -> ApiResponse:
    """Get the latest signed checkpoint of the public log, with the cosignatures of its witnesses.

    `/v1/log` is the prefix of a log of C2SP tlog-tiles: `docs/format.md` has its entries.
    """
    latest = PublicLog(request.services.log).latest()
    if latest is None:
        raise not_found()
    return ApiResponse(raw=latest[1].encode(), media_type=f"{PLAIN}; charset=utf-8", headers=dict(_A_MOMENT))


@operation(
    "GET",
    _TILE_PATH,
    "getLogTile",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The tile.", None, TILE)},
    problems=("not-found",),
)
def get_log_tile(request: ApiRequest) -> ApiResponse:
    """Get a full tile of the first thousand: hashes of a `level`, or `entries`."""
    return _tile(request, request.path["first"])


@operation(
    "GET",
    f"{_TILE_PATH}/{{second}}",
    "getLogTileOfTwo",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The tile.", None, TILE)},
    problems=("not-found",),
)
def get_log_tile_of_two(request: ApiRequest) -> ApiResponse:
    """Get a partial tile of the first thousand (`000.p/7`), or a full one of a path with two parts."""
    return _tile(request, f"{request.path['first']}/{request.path['second']}")


@operation(
    "GET",
    f"{_TILE_PATH}/{{second}}/{{third}}",
    "getLogTileOfThree",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The tile.", None, TILE)},
    problems=("not-found",),
)
def get_log_tile_of_three(request: ApiRequest) -> ApiResponse:
    """Get a partial tile of a path with two parts (`x001/234.p/7`), or a full one of a path with three."""
    path = request.path
    return _tile(request, f"{path['first']}/{path['second']}/{path['third']}")


@operation(
    "GET",
    "/v1/encounters/{encounter}/log-proof",
    "getLogProof",
    "Audits",
    roles=READERS,
    outlives=True,
    answers={200: ResponseSchema("The log proof.", LOG_PROOF)},
)
def get_log_proof(request: ApiRequest) -> ApiResponse:
    """Get what the public log has of the encounter, with the proofs: a file for `rewound verify --log`.

    It has the entries of every line of play that led to where the encounter stands.
    """
    log = request.services.log
    raw = log_proof.make(PublicLog(log), *fight_of(log, request.encounter))
    return ApiResponse(raw=raw, media_type="application/json")


def _tile(request: ApiRequest, name: str) -> ApiResponse:
    """Return the tile called *name* of the level in the path, if a checkpoint covers it."""
    level, form = request.path["level"], _NUMBER.fullmatch(name)
    if form is None or not (level == ENTRIES or _LEVEL.fullmatch(level)):
        raise not_found()
    width = int(form["width"] or WIDTH)
    number = int("".join(re.findall(r"[0-9]{3}", name.partition(".")[0])))
    log = PublicLog(request.services.log)
    latest = log.latest()
    unit = WIDTH ** (0 if level == ENTRIES else int(level))
    is_width = width < WIDTH or form["width"] is None
    if latest is None or not is_width or number * WIDTH + width > latest[0] // unit:
        raise not_found()
    start = number * WIDTH
    if level == ENTRIES:
        entries = log.entries(start, start + width)
        raw = b"".join(len(entry).to_bytes(_LENGTH_BYTES, "big") + entry for entry in entries)
    else:
        raw = b"".join(log.tile(int(level), number, width))
    return ApiResponse(raw=raw, media_type=TILE, headers=dict(_FOR_EVER))
