"""Audits: jobs that a worker runs; a client starts one and reads its job record."""

from __future__ import annotations

from functools import partial
from typing import Final

from service.api.answers import PROGRESS
from service.api.command_outcomes import idempotency_key, job_accepted, refuse_draft
from service.api.fields import IntegerField
from service.api.operations import AUDITORS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import strict
from service.api.shapes import NUMBER, OPEN, TEXT, TIME, UUID, closed, component, maybe, page
from service.api.waiting import ask
from service.log import bucket_of
from service.rules.kernel.meaning import number
from service.stores.jobs import AUDITS, Job
from service.usecases import reading

TAG: Final = "Audits"
AUDIT: Final = component(
    "Audit",
    closed(
        "An audit: every command is decided again and the bytes are compared.",
        {
            "verdict": TEXT,
            "progress": maybe(PROGRESS),
            "certificate": OPEN,
            "first_round": NUMBER,
            "last_round": NUMBER,
            "fault": TEXT,
        },
        audit=TEXT,
        encounter=UUID,
        status={"enum": ["pending", "running", "done", "failed"]},
        requested=TIME,
    ),
)
AUDIT_PAGE: Final = component("Audits", page("Audits, newest first.", "audits", AUDIT))
_PATH: Final = "/v1/encounters/{encounter}/audits"
_ROUND: Final = number("round", 1, 10**6)
AUDIT_REQUEST: Final = strict(
    "AuditRequest", {"first_round": IntegerField(_ROUND), "last_round": IntegerField(_ROUND)}
)


@operation(
    "POST",
    _PATH,
    "startAudit",
    TAG,
    roles=AUDITORS,
    body=AUDIT_REQUEST,
    answers={202: ResponseSchema("The audit is accepted; poll `Location`.", AUDIT)},
    is_keyed=True,
    problems=("command-refused", "too-many-audits"),
)
def start_audit(request: ApiRequest) -> ApiResponse:
    """Decide every command again, or those of some rounds, and compare with the stored record.

    The rounds are `first_round` to `last_round`. The answer is a job. Poll it until its status is `done`,
    then read the verdict and the certificate.
    """
    refuse_draft(request)
    first, last = request.data.get("first_round"), request.data.get("last_round")
    rounds = {span.round for span in reading.rounds(request.services, request.encounter)}
    for name, chosen in (("first_round", first), ("last_round", last)):
        if chosen is not None and chosen not in rounds:
            raise invalid((f"/{name}", "a round that has begun"))
    if first is not None and last is not None and first > last:
        raise invalid(("/last_round", f"not before round {first}"))
    wanted = {"first_round": first, "last_round": last, "verdict": None, "certificate": None}
    asked, bucket = idempotency_key(request, request.me.scope), bucket_of(request.encounter)
    job, replayed = ask(request, AUDITS, request.encounter, asked, wanted, bucket=bucket)
    at = request.below(f"/audits/{job['audit']}")
    return job_accepted(request, _shown(job), at, replayed=replayed)


@operation(
    "GET",
    _PATH,
    "listAudits",
    TAG,
    roles=AUDITORS,
    outlives=True,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: ResponseSchema("A page of audits.", AUDIT_PAGE)},
)
def list_audits(request: ApiRequest) -> ApiResponse:
    """List the audits of an encounter, newest first."""
    read = partial(AUDITS.listed, request.services.log, request.encounter)
    return newest_first(request, "audits", read, _shown)


@operation(
    "GET",
    _PATH + "/{audit}",
    "getAudit",
    TAG,
    roles=AUDITORS,
    outlives=True,
    answers={200: ResponseSchema("The audit.", AUDIT)},
)
def get_audit(request: ApiRequest) -> ApiResponse:
    """Get an audit: its progress, or its verdict and certificate."""
    job = AUDITS.find(request.services.log, request.encounter, request.path["audit"])
    if job is None:
        raise not_found()
    return ApiResponse(_shown(job))


def _shown(job: Job) -> Job:
    """Return a job as clients see it, without members that have no value yet."""
    return {name: value for name, value in AUDITS.shown(job).items() if value is not None}
