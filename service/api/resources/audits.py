"""Ask for audits, and read what they found: the work is a worker's, the job record is the meeting point."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call, cursor, read_cursor
from service.api.inputs import AUDIT_REQUEST
from service.api.operations import AUDITORS, Shape, operation
from service.api.paging import CURSOR, PAGE, PAGE_LIMIT, paged
from service.api.problems import invalid, not_found
from service.api.schemas import faults
from service.api.sending import judge, once, refuse_draft, under_way
from service.api.waiting import ask
from service.encounter.reading import records
from service.encounter.stores.jobs import AUDITS, Job
from service.log import bucket_of

TAG: Final = "Audits"
_PATH: Final = "/v1/encounters/{encounter}/audits"


@operation(
    "POST",
    _PATH,
    "startAudit",
    TAG,
    roles=AUDITORS,
    body="AuditRequest",
    answers={202: Shape("The audit is under way; `Location` tells where to ask.", "Audit")},
    problems=(
        "not-strict-json",
        "body-too-large",
        "request-timeout",
        "unsupported-media-type",
        "idempotency-key-reused",
        "command-refused",
        "too-many-audits",
    ),
)
def start_audit(call: Call) -> Answer:
    """Decide everything again, or rounds `from` to `to`, and compare with what is stored.

    The answer is a job: ask for it until its status is `done`, then read the verdict and the certificate.
    """
    judge(faults(AUDIT_REQUEST, call.data))
    refuse_draft(call)
    first, last = call.data.get("from"), call.data.get("to")
    rounds = {span.round for span in records.rounds(call.host, call.encounter)}
    for name, number in (("from", first), ("to", last)):
        if number is not None and number not in rounds:
            raise invalid((f"/{name}", "a round that has begun"))
    if first is not None and last is not None and first > last:
        raise invalid(("/to", f"not before round {first}"))
    wanted = {"from": first, "to": last, "verdict": None, "certificate": None}
    asked, bucket = once(call, call.me.scope), bucket_of(call.encounter)
    job, replayed = ask(call, AUDITS, call.encounter, asked, wanted, bucket=bucket)
    at = f"/v1/encounters/{call.encounter}/audits/{job['audit']}"
    return under_way(call, _shown(job), at, replayed=replayed)


@operation(
    "GET",
    _PATH,
    "listAudits",
    TAG,
    roles=AUDITORS,
    outlives=True,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: Shape("A page of audits.", "Audits")},
)
def list_audits(call: Call) -> Answer:
    """List the audits of an encounter, the newest first."""
    before = read_cursor(call.query["cursor"], 1)[0] if "cursor" in call.query else None
    limit = call.query.get("limit", PAGE)
    found = AUDITS.listed(call.host.log, call.encounter, before, limit)
    data = [_shown(job) for _, job in found]
    return paged(call, "audits", data, cursor(found[-1][0]) if len(found) == limit else None)


@operation(
    "GET",
    _PATH + "/{audit}",
    "getAudit",
    TAG,
    roles=AUDITORS,
    outlives=True,
    answers={200: Shape("The audit.", "Audit")},
)
def get_audit(call: Call) -> Answer:
    """Tell how far an audit is, and what it found."""
    job = AUDITS.find(call.host.log, call.encounter, call.path["audit"])
    if job is None:
        raise not_found()
    return Answer(_shown(job))


def _shown(job: Job) -> Job:
    """Return a job as clients see it: nothing that is not known yet."""
    return {name: value for name, value in AUDITS.shown(job).items() if value is not None}
