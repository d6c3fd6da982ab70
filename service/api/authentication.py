"""Let in whoever may come in: read the token, find the seat, ask the role table.

Laws. No token, or one that is none: 401. An encounter that is not yours: the 404 of one that does not exist.
A fork of yours whose time is over: 410, from that instant on, swept or not.
Inside, a role that may not do this: 403. The owner's API key sits on the gm's seat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final, NoReturn

from service.api.operations import KEY, TICKET, Operation
from service.api.problems import Problem, missing, not_found, removed
from service.api.quotas import RequestQuotas
from service.log import NoSuchEncounter, Outcome
from service.rules.table import GM
from service.signals.followed import GOES_ON, concerns_all
from service.stores import api_keys, seat_tokens, tickets
from service.stores.api_keys import ApiKey
from service.usecases.accepting import is_draft, seated_in

if TYPE_CHECKING:
    from service.api.request import ApiRequest
    from service.stores.encounter_index import EncounterEntry
    from service.usecases.services import Services

CHALLENGE: Final = 'Bearer realm="rewound"'
_BEARER: Final = "bearer "


@dataclass(frozen=True)
class Principal:
    """Whose token was sent: an API key's, or a seat's."""

    key: ApiKey | None = None
    claim: seat_tokens.SeatTokenClaim | None = None
    role: str | None = None
    """The role of the seat, where it is one's token."""
    line: str | None = None
    """The line of play that is asked."""
    seated_in: str | None = None
    """The line of play that says who sits at the table now: the one in which the encounter goes on."""

    @property
    def name(self) -> str:
        """Whose requests are counted together: a key's, or a seat's."""
        return f"{self.claim.encounter}/{self.claim.seat}" if self.claim else self.key.id if self.key else ""


@dataclass(frozen=True)
class SeatAccess:
    """A caller's place in one encounter."""

    encounter: str
    edition: str
    seat: str
    role: str
    scope: str
    """To whom idempotency keys belong: `key:<owner>` or `seat:<id>`."""


class Authenticator:
    """Remembers believed tokens until something happens to any seat of their encounter, or may have."""

    def __init__(self, services: Services, quotas: RequestQuotas, size: int = 10_000) -> None:
        self._host = services
        self._quotas = quotas
        self._size = size
        self._seats: dict[tuple[str, str], Principal] = {}
        self._forgotten = 0
        """How often seats were forgotten: what was looked up before is not remembered after."""
        self._lock = Lock()
        services.outcomes.on_each(self._hear)
        services.outcomes.on_again(self._forget_all)

    def admit(self, request: ApiRequest) -> None:
        """Give *call* its caller and, inside an encounter, its seat; raises the problem that keeps it out."""
        operation = request.operation
        if operation.is_public:
            if not operation.is_probe:
                request.told |= self._quotas.take_anonymous(request.address)
            return
        caller = self._known(request)
        if request.caller is None:  # it is counted once, also where the pool begins it anew
            request.told |= self._quotas.take(caller.name, caller.key.owner if caller.key else None)
        request.caller = caller
        if operation.is_inside:
            request.seat = self._seat(operation, caller, request.encounter)
        elif caller.key is None:
            raise Problem("forbidden", "an API key is needed here, and this is a seat's token")
        _check(operation, caller, request.seat)
        request.may_go_on = partial(self._readmits, operation, caller)

    def _redeem(self, encounter: str, text: str) -> Principal:
        """Return who was given the ticket *text*, which is worthless from now on."""
        services = self._host
        ticket = tickets.redeem(services.log, services.service_key, text, services.clock())
        if ticket is None or ticket.encounter != encounter:
            _challenge("this ticket is not valid, or was used", "invalid_token")
        if ticket.seat is not None:
            root = services.encounters.root(encounter)
            token = seat_tokens.token(services.service_key, root, ticket.seat, ticket.number)
            return self._believe(seat_tokens.SeatTokenClaim(root, ticket.seat, token), encounter)
        key = api_keys.known(services.log, ticket.key or "")
        if key is None or not key.is_valid(services.clock()):
            _challenge("the API key of this ticket is not valid", "invalid_token")
        return Principal(key=key)

    def _readmits(self, operation: Operation, caller: Principal) -> bool:
        """Tell whether *caller* would be let in again, as things are in the store now."""
        if caller.key is not None:
            key = api_keys.known(self._host.log, caller.key.id)
            return key is not None and key.is_valid(self._host.clock())
        assert caller.claim is not None, "a caller has a key or a seat"
        assert caller.line is not None, "a seat is believed in some line of play"
        try:
            return self._believe(caller.claim, caller.line).role in operation.roles
        except Problem:
            return False

    def _known(self, request: ApiRequest) -> Principal:
        """Return whose token was sent, or whose ticket where the operation takes one."""
        sent = request.headers.get("Authorization")
        given = request.given.get(TICKET.name) if TICKET in request.operation.query else None
        try:
            if sent is None and given:
                return self._redeem(request.encounter, given[0])
            return self._identify(sent, request.path.get("encounter"))
        except Problem:
            if sent is not None or given:
                self._quotas.guessed(request.address)
            raise

    def _identify(self, sent: str | None, encounter: str | None) -> Principal:
        if sent is None:
            _challenge("send Authorization: Bearer with an API key or a seat token")
        if not sent.lower().startswith(_BEARER):
            _challenge("only the Bearer scheme is understood", "invalid_request")
        text = sent[len(_BEARER) :].strip()
        claim = seat_tokens.claim(text)
        if claim is None:
            key = self._host.keys.find(text)
            return Principal(key=key) if key else _challenge("this API key is not valid", "invalid_token")
        line = self._line(claim, encounter)
        known = self._seats.get((text, line)) if self._host.outcomes.stands else None
        return known or self._believe(claim, line)

    def _line(self, claim: seat_tokens.SeatTokenClaim, encounter: str | None) -> str:
        """Return the line of play in which a token is asked for its seat: any that goes on from its own."""
        if encounter is not None and self._host.encounters.root(encounter) == claim.encounter:
            return encounter
        return claim.encounter

    def _believe(self, claim: seat_tokens.SeatTokenClaim, line: str) -> Principal:
        forgotten = self._forgotten
        try:
            newest = seated_in(self._host, line)
            table = self._host.folder.current(newest).state
        except NoSuchEncounter:
            return self._believe_of_removed(claim, line)
        seat = table.seats.get(claim.seat)
        if seat is None or not claim.is_true(self._host.service_key, seat):
            _challenge("this seat token is not valid", "invalid_token")
        if line != claim.encounter and seat.role != GM and is_draft(self._host, line):
            raise not_found()
        caller = Principal(claim=claim, role=seat.role, line=line, seated_in=newest)
        with self._lock:
            if len(self._seats) >= self._size:
                self._seats.clear()
            if self._forgotten == forgotten:
                self._seats[claim.text, line] = caller
        return caller

    def _believe_of_removed(self, claim: seat_tokens.SeatTokenClaim, line: str) -> Principal:
        """Return whose token it was, so that its seat is told what became of the encounter."""
        gone, lost = self._host.removals.of(line), self._host.missing.of(line)
        if lost is not None and claim.was_issued(self._host.service_key):
            return Principal(claim=claim, role=None, line=line)
        if gone is None or not claim.is_true(self._host.service_key, gone.seat(claim.seat)):
            _challenge("this seat token is not valid", "invalid_token")
        return Principal(claim=claim, role=gone.seats[claim.seat][0], line=line)

    def _seat(self, operation: Operation, caller: Principal, encounter: str) -> SeatAccess:
        if not _ID.fullmatch(encounter):
            raise not_found("an encounter's id is a UUID in lower case, as POST /v1/encounters answers it")
        known = self._host.encounters.find(encounter)
        if known is None:
            self._tell_lost(caller, encounter)
            raise not_found()
        if caller.key is not None:
            if known.owner != caller.key.owner:
                raise not_found()
            self._check_kept(operation, known)
            return SeatAccess(encounter, known.edition, GM, GM, f"key:{caller.key.owner}")
        claim = caller.claim
        if claim is None or caller.line != encounter or caller.role is None:
            self._tell_lost(caller, encounter)
            raise not_found()
        self._check_kept(operation, known)
        return SeatAccess(encounter, known.edition, claim.seat, caller.role, f"seat:{claim.seat}")

    def _tell_lost(self, caller: Principal, encounter: str) -> None:
        """Tell owner and seats of an encounter that was signed and is missing from the store."""
        lost = self._host.missing.of(encounter)
        if lost is None:
            return
        is_owner = caller.key is not None and lost.owner == caller.key.owner
        if is_owner or (caller.claim is not None and caller.role is None and caller.line == encounter):
            raise missing(lost.told)

    def _check_kept(self, operation: Operation, entry: EncounterEntry) -> None:
        gone = None if operation.outlives else self._host.removals.of(entry.encounter)
        if gone is not None:
            raise removed(gone.told)
        if entry.has_expired(self._host.clock()):
            raise Problem("fork-expired", f"it was kept until {entry.expires}")
        lost = None if operation.outlives else self._host.missing.of(entry.encounter)
        if lost is not None:
            raise missing(lost.told)

    def _hear(self, outcome: Outcome) -> None:
        """Forget the seats that a change is about; all of them where an encounter goes on in another line."""
        if not concerns_all(outcome.raw):
            return
        goes_on = any(trace in outcome.raw for trace in GOES_ON)
        with self._lock:
            self._forgotten += 1
            for place, caller in list(self._seats.items()):
                if goes_on or outcome.encounter in (caller.line, caller.seated_in):
                    del self._seats[place]

    def _forget_all(self) -> None:
        """Forget every seat: the subscription was cut, and a change may have been missed."""
        with self._lock:
            self._forgotten += 1
            self._seats.clear()


def _check(operation: Operation, caller: Principal, seat: SeatAccess | None) -> None:
    if caller.key is not None and operation.needed_scope not in caller.key.scopes:
        raise Problem("forbidden", f"the API key lacks the scope {operation.needed_scope}")
    role = seat.role if seat else KEY
    if role not in operation.roles:
        raise Problem("forbidden", f"the role {role} may not do this; {_listed(operation.roles)} may")


_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _listed(roles: Sequence[str]) -> str:
    return " and ".join((", ".join(roles[:-1]), roles[-1])) if len(roles) > 1 else roles[0]


def _challenge(detail: str, error: str | None = None) -> NoReturn:
    value = f'{CHALLENGE}, error="{error}"' if error else CHALLENGE
    raise Problem("unauthenticated", detail, headers={"WWW-Authenticate": value})
