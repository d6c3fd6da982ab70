"""Give an encounter as one file that proves itself, and take such a file in."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import Final

from werkzeug.http import parse_options_header

from service.api.operations import BUNDLE_LIMIT, KEY_HOLDERS, Parameter, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE, PAGE_LIMIT, paged
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.sending import idempotency_key, job_accepted
from service.api.shapes import OPEN, TEXT, TIME, UUID, closed, component, maybe, page, ref
from service.api.waiting import ask
from service.audit import bundle
from service.audit.evidence import evidence_once_signed
from service.stores.imports import BUNDLES
from service.stores.jobs import IMPORTS, PENDING, RUNNING

TAG: Final = "Audits"
IMPORT: Final = component(
    "Import",
    closed(
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
)
IMPORT_PAGE: Final = component("Imports", page("Bundles that you sent, the newest first.", "imports", IMPORT))
MEDIA_TYPE: Final = "application/jsonl"
_KEYS: Final = re.compile(r"[0-9a-f]{64}(,[0-9a-f]{64}){0,15}")


@operation(
    "GET",
    "/v1/encounters/{encounter}/bundle",
    "getBundle",
    TAG,
    roles=("gm", "player", "auditor"),
    answers={
        200: ResponseSchema("The bundle.", None, MEDIA_TYPE, headers=("Content-Disposition", "Repr-Digest"))
    },
)
def get_bundle(request: ApiRequest) -> ApiResponse:
    """Give the encounter as a bundle: what your seat may see, in one file that anybody can audit offline."""
    lines = bundle.write(evidence_once_signed(request.services.log, request.encounter), request.me.seat)
    raw = b"".join(lines)
    name = f'attachment; filename="{request.encounter}.jsonl"'
    digest = f"sha-256=:{b64encode(sha256(raw).digest()).decode()}:"
    return ApiResponse(
        raw=raw, media_type=MEDIA_TYPE, headers={"Content-Disposition": name, "Repr-Digest": digest}
    )


@operation(
    "POST",
    "/v1/bundles",
    "importBundle",
    TAG,
    roles=KEY_HOLDERS,
    raw_body=MEDIA_TYPE,
    limit=BUNDLE_LIMIT,
    query=(
        Parameter(
            "key",
            "A public key that must have signed the last commit, 64 hexadecimal digits; several with commas.",
            pattern=_KEYS.pattern,
        ),
    ),
    answers={202: ResponseSchema("A worker takes it in; `Location` tells where to ask.", IMPORT)},
    is_keyed=True,
    problems=("bundle-refused", "store-full", "quota-exceeded", "too-many-imports"),
)
def import_bundle(request: ApiRequest) -> ApiResponse:
    """Take in a bundle: a worker audits it, and refuses it whole unless it is sound and nothing is withheld.

    The answer is a job: ask for it until its status is `done` or `failed`. What was taken in lies at the
    address that its `encounter` names; it can be read, replayed and audited, and takes no commands. It is
    `unsigned`, for everybody to see, unless an accepted key signed its last commit: one of the service's
    settings, or one that `key` names. With `key`, a bundle that these keys did not sign whole is refused.
    """
    kind, _ = parse_options_header(request.headers.get("Content-Type", ""))
    if kind != MEDIA_TYPE:
        raise Problem("unsupported-media-type", f"send Content-Type: {MEDIA_TYPE}")
    if not bundle.is_begun(request.body):
        raise Problem(
            "bundle-refused", "it does not begin with a bundle's header", members={"code": "malformed"}
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
        services.log.drop_record(BUNDLES, job["import"])
    return job_accepted(request, IMPORTS.shown(job), f"/v1/bundles/{job['import']}", replayed=replayed)


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
    """List the bundles that you sent, the newest first."""
    before = read_cursor(request.query["cursor"], 1)[0] if "cursor" in request.query else None
    limit = request.query.get("limit", PAGE)
    found = IMPORTS.listed(request.services.log, _owner(request), before, limit)
    data = [IMPORTS.shown(job) for _, job in found]
    return paged(request, "imports", data, cursor(found[-1][0]) if len(found) == limit else None)


@operation(
    "GET",
    "/v1/bundles/{import}",
    "getImport",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The import.", IMPORT)},
)
def get_import(request: ApiRequest) -> ApiResponse:
    """Tell how far an import is, where it lies once it is `done`, and why it was refused if it `failed`."""
    job = IMPORTS.find(request.services.log, _owner(request), request.path["import"])
    if job is None:
        raise not_found()
    return ApiResponse(IMPORTS.shown(job))


def _owner(request: ApiRequest) -> str:
    assert request.caller is not None
    assert request.caller.key is not None
    return request.caller.key.owner
