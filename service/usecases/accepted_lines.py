"""Open an accepted line of play: append, once, the service's command that ends its draft.

The old line's `continued` is the acceptance. The service's command discloses what the line withheld while it
was a proposal. The command is derived from the old line's record, so any process may append it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from service import tracing
from service.core.lineage import began
from service.log import NoSuchEncounter, bucket_of
from service.record.commit import Commit, Request, dump_request, load_commit
from service.record.subjects import CONTINUED, is_about
from service.rules.contests.acceptance import AcceptLine
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import changed
from service.rules.table.disputes import Contest
from service.rules.table.table import CLOCK, Table
from service.signals.doorbell import NOTIFY_MS
from service.usecases.services import Services

SCOPE: Final = "line"
"""The scope of the idempotency keys of a new line's first requests."""
_LABEL: Final = b"rewound/line/1\x00accepted/"
_PAGE: Final = 50


def is_draft(services: Services, encounter: str) -> bool:
    """Return whether an encounter is a proposed line that has not been accepted."""
    folded = services.folder.current(encounter)
    state: Table = folded.state
    if folded.n < began(services.log, encounter):  # its record ends with the line that it continues
        return True
    if not state.draft or state.origin is None:
        return False
    return bool(services.folder.current(state.origin.proposed_in).state.continued != encounter)


def begin_accepted_line(services: Services, encounter: str, seconds: float = 0) -> None:
    """Append `accept_line` to an accepted draft and wait up to *seconds* for its commit.

    Do nothing if the line is not a draft or was not accepted.
    """
    state: Table = services.folder.current(encounter).state
    if not state.draft or state.origin is None:
        return
    parent = state.origin.proposed_in
    accepted: Table = services.folder.current(parent).state
    if accepted.continued == encounter:
        n = put(
            services, encounter, "accepted", dump_request(_request(services, parent, encounter, accepted))
        )
        services.outcomes.wait(encounter, n, seconds)


def _request(services: Services, parent: str, encounter: str, accepted: Table) -> Request:
    """Return the request that opens the line, derived so that every process makes the same bytes."""
    end = _ended(services, parent)
    return Request(
        encounter=encounter,
        type=AcceptLine.type,
        at=end.at,
        nonce=sha256(_LABEL + encounter.encode()).hexdigest()[:32],
        actor=Actor(seat=CLOCK, role=CLOCK),
        data={
            "parent": parent,
            "seats": to_data(accepted.seats),
            "contests": to_data(_moved(services, encounter, accepted.contests)),
        },
    )


def _moved(services: Services, encounter: str, contests: Mapping[str, Contest]) -> Mapping[str, Contest]:
    """Return *contests*; those of commits that *encounter* has too are about this line from now on."""

    def is_there(contest: Contest) -> bool:
        then, now = (services.log.commits(line, contest.commit - 1, 1) for line in (contest.line, encounter))
        return bool(then) and then == now

    return {
        id_: changed(contest, line=encounter) if is_there(contest) else contest
        for id_, contest in contests.items()
    }


def _ended(services: Services, parent: str) -> Commit:
    """Return the commit of a line of play that names its continuation.

    Raises `LookupError` if the line does not continue.
    """
    upto = services.folder.current(parent).n
    while upto > 0:
        after = max(0, upto - _PAGE)
        for entry in reversed(services.log.commits(parent, after, upto - after)):
            if is_about(entry.raw, CONTINUED):
                return load_commit(entry.raw)
        upto = after
    raise LookupError(parent)


def seated_in(services: Services, encounter: str) -> str:
    """Return the line of play whose seats apply to *encounter* and to every line connected with it."""
    while True:
        state: Table = services.folder.current(encounter).state
        if state.continued is not None:
            try:
                after: Table = services.folder.current(state.continued).state
            except NoSuchEncounter:  # removed, or never imported here
                return encounter
            if after.draft:  # accepted, but `accept_line` is not folded yet
                return encounter
            encounter = state.continued
        elif state.draft and state.origin is not None:
            encounter = state.origin.proposed_in
        else:
            return encounter


def put(services: Services, encounter: str, key: str, raw: bytes, *, create: bool = False) -> int:
    """Append a request of the service to a line of play, once; return its number."""
    submitted = services.log.submit(
        encounter,
        raw,
        scope=SCOPE,
        key=key,
        fingerprint=sha256(raw).hexdigest(),
        create=create,
        at_ms=int(services.clock() * 1000),
        notify_ms=NOTIFY_MS,
        trace=tracing.current(),
    )
    if submitted.must_notify:
        services.ring(bucket_of(encounter))
    return submitted.n
