"""Have an accepted line of play taken up: the service says so in the line itself, once.

The old line's `continued` is the acceptance. What was withheld while the line was proposed is disclosed by a
command of the service. The command follows from the old line's record, so any process may append it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from service.log import NoSuchEncounter, bucket_of
from service.record.commit import Commit, Request, dump_request, load_commit
from service.rules.acceptance import AcceptLine
from service.rules.amendments import Continued
from service.rules.codec import to_data
from service.rules.messages import Actor
from service.rules.table import CLOCK, Table
from service.signals.doorbell import RING_MS
from service.usecases.services import Services

SCOPE: Final = "line"
"""To whom the idempotency keys of a new line's first requests belong."""
_LABEL: Final = b"rewound/line/1\x00accepted/"
_CONTINUED: Final = f'"{Continued.type}"'.encode()
_PAGE: Final = 50


def is_draft(services: Services, encounter: str) -> bool:
    """Tell whether an encounter is a line that was proposed and that nobody has accepted."""
    state: Table = services.folder.current(encounter).state
    if not state.draft or state.origin is None:
        return False
    return bool(services.folder.current(state.origin.proposed_in).state.continued != encounter)


def begin_accepted_line(services: Services, encounter: str, seconds: float = 0) -> None:
    """See that a line which was accepted is told so, and wait up to *seconds* for it; a draft stays one."""
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
    """Return the request that says it: the same whoever makes it."""
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
            "contests": to_data(accepted.contests),
        },
    )


def _ended(services: Services, parent: str) -> Commit:
    """Return the commit in which a line of play says that it goes on in another one."""
    upto = services.folder.current(parent).n
    while upto > 0:
        after = max(0, upto - _PAGE)
        for entry in reversed(services.log.commits(parent, after, upto - after)):
            if _CONTINUED in entry.raw:
                commit = load_commit(entry.raw)
                if any(event.get("type") == Continued.type for event in commit.events):
                    return commit
        upto = after
    raise LookupError(parent)


def seated_in(services: Services, encounter: str) -> str:
    """Return the line of play whose seats hold now, for *encounter* and every line it is connected with."""
    while True:
        state: Table = services.folder.current(encounter).state
        if state.continued is not None:
            try:
                after: Table = services.folder.current(state.continued).state
            except NoSuchEncounter:  # removed, or never taken in here
                return encounter
            if after.draft:  # accepted, and about to be told so
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
        notify_ms=RING_MS,
    )
    if submitted.must_notify:
        services.ring(bucket_of(encounter))
    return submitted.n
