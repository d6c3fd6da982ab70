"""Give an encounter as one file that proves itself, and take such a file in."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final

from service.api.call import Answer, Call
from service.api.operations import BUNDLE_LIMIT, Shape, operation
from service.api.problems import Problem
from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.evidence import stored
from service.audit.importing import AlreadyHere, NotTaken, ask

TAG: Final = "Audits"
MEDIA_TYPE: Final = "application/jsonl"


@operation(
    "GET",
    "/v1/encounters/{encounter}/bundle",
    "getBundle",
    TAG,
    answers={200: Shape("The bundle.", None, MEDIA_TYPE)},
)
def get_bundle(call: Call) -> Answer:
    """Give the encounter as a bundle: what your seat may see, in one file that anybody can audit offline."""
    lines = bundle.write(stored(call.host.log, call.encounter), call.me.seat)
    raw = b"".join(lines)
    name = f'attachment; filename="{call.encounter}.jsonl"'
    digest = f"sha-256=:{b64encode(sha256(raw).digest()).decode()}:"
    return Answer(
        raw=raw, media_type=MEDIA_TYPE, headers={"Content-Disposition": name, "Repr-Digest": digest}
    )


@operation(
    "POST",
    "/v1/bundles",
    "importBundle",
    TAG,
    raw_body=MEDIA_TYPE,
    limit=BUNDLE_LIMIT,
    answers={
        201: Shape("It is taken in.", "ImportedBundle"),
        200: Shape("It was taken in before.", "ImportedBundle"),
        202: Shape("It was audited, and a worker takes it in.", "ImportedBundle"),
    },
    problems=(
        "bundle-refused",
        "encounter-exists",
        "unsupported-media-type",
        "body-too-large",
        "request-timeout",
    ),
)
def import_bundle(call: Call) -> Answer:
    """Take in a bundle: it is audited first, and refused whole unless it is sound and nothing is withheld.

    What was taken in can be read, replayed and audited, and takes no commands.
    """
    if call.headers.get("Content-Type", "").partition(";")[0].strip() != MEDIA_TYPE:
        raise Problem("unsupported-media-type", f"send Content-Type: {MEDIA_TYPE}")
    assert call.caller is not None
    assert call.caller.key is not None
    try:
        found = ask(call.host, call.caller.key.owner, call.body)
    except NotTaken as fault:
        verdict = fault.report.verdict
        detail = f"{verdict}: {verdict.detail}" if verdict.detail else str(verdict)
        raise Problem("bundle-refused", detail, members={"code": verdict.name}) from fault
    except AlreadyHere as fault:
        raise Problem("encounter-exists", str(fault)) from fault
    data = {
        "encounter": found.encounter,
        "edition": found.report.edition,
        "version": len(found.commits),
        "hash": found.report.head,
        "certificate": certificate(found.report, durability=call.host.mode),
    }
    headers = {"Location": f"/v1/encounters/{found.encounter}"}
    if found.here == len(found.commits):
        return Answer(data, 200, headers)
    is_in = call.host.outcomes.wait(found.encounter, len(found.commits), call.preference.seconds) is not None
    return Answer(data, 201 if is_in else 202, headers if is_in else headers | {"Retry-After": "1"})
