"""Bundles: export an encounter as one file that can be audited offline, and import such a file."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import partial
from hashlib import sha256
from typing import Final

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from service.api.answers import PROGRESS
from service.api.command_outcomes import idempotency_key, job_accepted
from service.api.operations import BUNDLE_LIMIT, KEY_HOLDERS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.parameters import LINE, Parameter
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import OPEN, TEXT, TIME, UUID, closed, component, maybe, page, ref
from service.api.waiting import ask
from service.audit import bundle
from service.audit.evidence import evidence_once_signed, stored_fight
from service.stores.imports import BUNDLES
from service.stores.jobs import IMPORTS, PENDING, RUNNING

TAG: Final = "Audits"
IMPORT: Final = component(
    "Import",
    closed(
        "The import of a bundle: its progress, the imported encounter, or the refusal.",
        {"progress": maybe(PROGRESS)},
        bundle=TEXT,
        status={"enum": ["pending", "running", "done", "failed"]},
        requested=TIME,
        encounter={**maybe(UUID), "description": "The id of the imported encounter in this service."},
        verdict={**maybe(TEXT), "description": "The verdict of its audit."},
        certificate=maybe(OPEN),
        imported=maybe(ref("ImportOf")),
        refusal=maybe(
            closed(
                "Why it was not imported.",
                code={**TEXT, "description": "The code of a problem type."},
                detail=TEXT,
            )
        ),
    ),
)
IMPORT_PAGE: Final = component("Imports", page("Your imports, newest first.", "imports", IMPORT))
MEDIA_TYPE: Final = "application/jsonl"
BYTES: Final = "application/octet-stream"
"""The form in which generators of clients read it: bytes."""
_KEYS: Final = re.compile(r"[0-9a-f]{64}(,[0-9a-f]{64}){0,15}")


@operation(
    "GET",
    "/v1/encounters/{encounter}/bundle",
    "getBundle",
    TAG,
    roles=("gm", "player", "auditor"),
    answers={
        200: ResponseSchema(
            "The bundle.", None, MEDIA_TYPE, (BYTES,), headers=("Content-Disposition", "Repr-Digest")
        )
    },
)
def get_bundle(request: ApiRequest) -> ApiResponse:
    """Download the whole fight as a bundle: what your seat may see, in one file that can be audited offline.

    It has the line of play that is played, and every one that a ruling, an undo or a redo took back, each
    commit once. With `?line=` it has that line alone, from the first commit of the fight on. The file is JSON
    Lines; a client that asks for `application/octet-stream` gets the same bytes under this name.
    """
    log, encounter = request.services.log, request.encounter
    is_part = LINE.name in request.given
    fight = [evidence_once_signed(log, encounter)] if is_part else stored_fight(log, encounter)
    raw = b"".join(bundle.write_fight(fight, request.me.seat))
    name = f'attachment; filename="{request.encounter}.jsonl"'
    digest = f"sha-256=:{b64encode(sha256(raw).digest()).decode()}:"
    wanted = parse_accept_header(request.headers.get("accept"), MIMEAccept)
    media_type = wanted.best_match((MEDIA_TYPE, BYTES), MEDIA_TYPE)
    more = {"Content-Disposition": name, "Repr-Digest": digest, "Vary": "Authorization, Accept"}
    return ApiResponse(raw=raw, media_type=media_type, headers=more)


@operation(
    "POST",
    "/v1/bundles",
    "importBundle",
    TAG,
    roles=KEY_HOLDERS,
    raw_body=(MEDIA_TYPE, BYTES),
    limit=BUNDLE_LIMIT,
    query=(
        Parameter(
            "key",
            "Public keys, one of which must have signed the last commit: 64 hexadecimal digits each, "
            "separated by commas.",
            pattern=_KEYS.pattern,
        ),
    ),
    answers={202: ResponseSchema("The import is accepted; poll `Location`.", IMPORT)},
    is_keyed=True,
    problems=("bundle-refused", "store-full", "quota-exceeded", "too-many-imports"),
)
def import_bundle(request: ApiRequest) -> ApiResponse:
    """Import a bundle: a worker audits it, and refuses it unless it is sound and withholds nothing.

    The answer is a job. Poll it until its status is `done` or `failed`. `encounter` is the id of the imported
    encounter, which can be read, replayed and audited but takes no commands. It is marked `unsigned`, visible
    to everybody, unless an accepted key signed its last commit: one in `key`, or else in the service's
    settings. With `key`, a bundle is refused that these keys did not sign up to its last commit.
    """
    kind, _ = parse_options_header(request.headers.get("content-type", ""))
    if kind not in (MEDIA_TYPE, BYTES):
        raise Problem("unsupported-media-type", f"send Content-Type: {MEDIA_TYPE}")
    if not bundle.is_begun(request.body):
        raise Problem(
            "bundle-refused", "the body does not begin with a bundle's header", members={"code": "malformed"}
        )
    owner, services = _owner(request), request.services
    keys = str(request.query["key"]).split(",") if "key" in request.query else []
    wanted = {
        "keys": keys or [key.hex() for key in services.accepted_keys],
        "required": bool(keys),
        "encounter": None,
        "verdict": None,
        "certificate": None,
        "imported": None,
        "refusal": None,
    }
    services.capacity.check(owner, encounters=1)
    job, replayed = ask(
        request, IMPORTS, owner, idempotency_key(request, owner), wanted, file=(BUNDLES, request.body)
    )
    if replayed and job["status"] not in (PENDING, RUNNING):
        services.log.drop_record(BUNDLES, job["bundle"])
    return job_accepted(request, IMPORTS.shown(job), f"/v1/bundles/{job['bundle']}", replayed=replayed)


@operation(
    "GET",
    "/v1/bundles",
    "listImports",
    TAG,
    roles=KEY_HOLDERS,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: ResponseSchema("A page of imports.", IMPORT_PAGE)},
)
def list_imports(request: ApiRequest) -> ApiResponse:
    """List your imports, newest first."""
    read = partial(IMPORTS.listed, request.services.log, _owner(request))
    return newest_first(request, "imports", read, IMPORTS.shown)


@operation(
    "GET",
    "/v1/bundles/{bundle}",
    "getImport",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The import.", IMPORT)},
)
def get_import(request: ApiRequest) -> ApiResponse:
    """Get an import: its progress, the encounter once it is `done`, or the refusal if it `failed`."""
    job = IMPORTS.find(request.services.log, _owner(request), request.path["bundle"])
    if job is None:
        raise not_found()
    return ApiResponse(IMPORTS.shown(job))


def _owner(request: ApiRequest) -> str:
    assert request.caller is not None
    assert request.caller.key is not None
    return request.caller.key.owner
