"""Authenticate and authorize requests: read the token, find the seat, check the role.

Laws. A missing or invalid token gets 401. An encounter without access gets the same 404 as one that does not
exist. An expired fork gets 410 from the moment it expires, whether or not it is deleted yet. A role that may
not call the operation gets 403. The owner's API key has the gm's seat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Final, NoReturn

from service.api.operations import KEY, TICKET, Operation
from service.api.parameters import LINE
from service.api.principals import Principal, SeatAccess
from service.api.problems import Problem, missing, not_found, removed
from service.api.quotas import RequestQuotas
from service.api.request import ApiRequest, read_key
from service.caches import RecentCache
from service.log import NoSuchEncounter, Outcome
from service.record.subjects import GOES_ON, is_about
from service.rules.table.table import GM
from service.stores import api_keys, seat_tokens, share_links, tickets
from service.stores.encounter_index import EncounterEntry
from service.usecases.accepted_lines import is_draft, seated_in
from service.usecases.lines import PlayedLines, are_of_one_game
from service.usecases.services import Services

CHALLENGE: Final = 'Bearer realm="rewound"'
_BEARER: Final = "bearer "
_BEARER_ALONE: Final = "send Authorization: Bearer with an API key or a seat token"
_NO_KEY: Final = (
    "this API key is not valid; rewound keys list names those of this service, rewound keys create makes one"
)


def bearer(sent: str) -> str | None:
    """Return the credential in a field `Authorization`, however it is spelled; None of another scheme."""
    return sent[len(_BEARER) :].strip() if sent.lower().startswith(_BEARER) else None


class Authenticator:
    """Checks credentials, and caches valid seat tokens until a seat of their encounter may have changed."""

    def __init__(self, services: Services, quotas: RequestQuotas, size: int = 10_000) -> None:
        self._host = services
        self._quotas = quotas
        self._lines = PlayedLines(services)
        self._seats: RecentCache[tuple[str, str], Principal] = RecentCache(size)
        self._forgotten = 0
        """The number of invalidations of the cache; a result from before the last one is not cached."""
        self._lock = Lock()
        self._owners: RecentCache[str, str] = RecentCache(size)
        """The owner of each credential that was admitted lately: a key's, or that of a token's encounter."""
        services.outcomes.on_admission(self._hear)
        services.outcomes.on_resubscribed(self._forget_all)

    def admit(self, operation: Operation, request: ApiRequest) -> None:
        """Set the caller of *request* to *operation* and, inside an encounter, its seat.

        Raises the problems `unauthenticated`, `forbidden`, `not-found`, `too-many-requests`, `fork-expired`,
        `encounter-removed` and `encounter-missing`.
        """
        if operation.is_public:
            if not operation.is_probe:
                request.response_headers |= self._quotas.take_anonymous(request.sender)
            return
        caller = self._principal(operation, request)
        if request.caller is None:  # a request is counted once, even if it starts again in the pool
            request.response_headers |= self._quotas.take(
                caller.name, caller.key.owner if caller.key else None
            )
        request.caller = caller
        if operation.is_inside:
            request.line = self._line_of(request, caller)
            if LINE.name in request.given and request.given[LINE.name][0] != request.line:
                raise not_found()
            request.seat = self._seat(operation, caller, request.line)
        elif caller.key is None:
            raise Problem("forbidden", "this operation needs an API key, not a seat token")
        _check(operation, caller, request.seat)
        self._note_owner(caller, request)
        request.may_go_on = partial(self._readmits, operation, caller)

    def owner_of(self, sent: str) -> str | None:
        """Return the owner whose credential *sent* is; None if this process has not admitted it lately."""
        return self._owners.get(sent)

    def _note_owner(self, caller: Principal, request: ApiRequest) -> None:
        sent = bearer(request.headers.get("authorization", ""))
        if not sent or self._owners.get(sent) is not None:
            return
        if caller.key is not None:
            self._owners.put(sent, caller.key.owner)
            return
        entry = self._host.encounters.find(request.address)
        if entry is not None:
            self._owners.put(sent, entry.owner)

    def _redeem(self, request: ApiRequest, text: str) -> Principal:
        """Use up the ticket *text* and return its principal; raises the problem `unauthenticated`."""
        services = self._host
        ticket = tickets.redeem(services.log, services.service_key, text, services.clock())
        if ticket is None or ticket.encounter != request.address:
            _challenge("this ticket is not valid or was already used", "invalid_token")
        if ticket.seat is not None:
            root = services.encounters.root(request.address)
            token = seat_tokens.token(services.service_key, root, ticket.seat, ticket.number)
            claim = seat_tokens.SeatTokenClaim(root, ticket.seat, token)
            return self._believe(claim, self._line(claim, request))
        key = api_keys.known(services.log, ticket.key or "")
        if key is None or not key.is_valid(services.clock()):
            _challenge("the API key of this ticket is not valid", "invalid_token")
        return Principal(key=key)

    def _readmits(self, operation: Operation, caller: Principal) -> bool:
        """Return whether *caller* is still authorized, according to the store."""
        if caller.key is not None:
            key = api_keys.known(self._host.log, caller.key.id)
            return key is not None and key.is_valid(self._host.clock())
        assert caller.claim is not None, "a caller has a key or a seat"
        assert caller.line is not None, "a seat is authenticated in a line of play"
        if caller.expires is not None and self._host.clock() >= caller.expires:
            return False
        try:
            return self._believe(caller.claim, caller.line).role in operation.roles
        except Problem:
            return False

    def _principal(self, operation: Operation, request: ApiRequest) -> Principal:
        """Return the principal of the token, or of the ticket if the operation takes one.

        Counts a failure as a guess from the sender's address.
        """
        sent = request.headers.get("authorization")
        given = request.given.get(TICKET.name)
        if given and TICKET not in operation.query:
            given = None
        try:
            if sent is None and given:
                return self._redeem(request, given[0])
            return self._identify(sent, request)
        except Problem:
            if sent is not None or given:
                self._quotas.guessed(request.sender)
            raise

    def _identify(self, sent: str | None, request: ApiRequest) -> Principal:
        if sent is None:
            _challenge(_BEARER_ALONE)
        text = bearer(sent)
        if text is None:
            _challenge(f"{_BEARER_ALONE}; only the Bearer scheme is supported", "invalid_request")
        if share_links.is_one(text):
            link = share_links.read(self._host.service_key, text, self._host.clock())
            if link is None:
                _challenge("this share link is not valid, or not any more", "invalid_token")
            return replace(self._seated(link.claim(self._host.service_key), request), expires=link.expires)
        claim = seat_tokens.claim(text)
        if claim is None:
            key = self._host.keys.find(text)
            return Principal(key=key) if key else _challenge(_NO_KEY, "invalid_token")
        return self._seated(claim, request)

    def _seated(self, claim: seat_tokens.SeatTokenClaim, request: ApiRequest) -> Principal:
        """Return the principal of a seat's token; raises the problem `unauthenticated`."""
        line = self._line(claim, request)
        known = self._seats.get((claim.text, line)) if self._host.outcomes.is_active else None
        return known or self._believe(claim, line)

    def _line(self, claim: seat_tokens.SeatTokenClaim, request: ApiRequest) -> str:
        """Return the line of play in which to check a token: the requested one if it is of the same game."""
        encounter = request.path.get("encounter")
        if encounter is not None and self._host.encounters.root(encounter) == claim.encounter:
            return self._requested_line(request, f"seat:{claim.seat}")
        return claim.encounter

    def _line_of(self, request: ApiRequest, caller: Principal) -> str:
        """Return the line of play that *request* of *caller* is about."""
        encounter = request.address
        if not _ID.fullmatch(encounter):
            raise not_found("an encounter's id is a UUID in lower case, as POST /v1/encounters answers it")
        if caller.key is None:
            is_its_own = caller.claim is not None and (
                self._host.encounters.root(encounter) == caller.claim.encounter
            )
            return caller.line if is_its_own and caller.line is not None else encounter
        entry = self._host.encounters.find(encounter)
        if entry is None or entry.owner != caller.key.owner:  # `_seat` refuses it
            return encounter
        return self._requested_line(request, f"key:{caller.key.owner}")

    def _requested_line(self, request: ApiRequest, scope: str) -> str:
        """Return the line that the query names, or the one that is played at the requested address.

        A repeat with an idempotency key that is known in *scope* is about the line in which it took effect.
        Raises the problem `bad-request`.
        """
        given = request.given.get(LINE.name)
        if given is not None:  # of another game: then the caller's own is authenticated, and gets 404
            return given[0] if are_of_one_game(self._host, given[0], request.address) else request.address
        *ended, played = self._lines.of(request.address)
        sent = request.headers.get("idempotency-key")
        if not ended or sent is None:
            return played
        key = read_key(sent)
        for line in ended:
            if self._host.log.find_key(line, scope, key) is not None:
                return line
        return played

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
            if self._forgotten == forgotten:
                self._seats.put((claim.text, line), caller)
        return caller

    def _believe_of_removed(self, claim: seat_tokens.SeatTokenClaim, line: str) -> Principal:
        """Return the principal of a removed or missing encounter's token, so that it can be answered so."""
        gone, lost = self._host.removals.of(line), self._host.missing.of(line)
        if lost is not None and claim.was_issued(self._host.service_key):
            return Principal(claim=claim, role=None, line=line)
        if gone is None or not claim.is_true(self._host.service_key, gone.seat(claim.seat)):
            _challenge("this seat token is not valid", "invalid_token")
        return Principal(claim=claim, role=gone.seats[claim.seat][0], line=line)

    def _seat(self, operation: Operation, caller: Principal, encounter: str) -> SeatAccess:
        known = self._host.encounters.find(encounter)
        if known is None:
            self._raise_if_lost(caller, encounter)
            raise not_found()
        if caller.key is not None:
            if known.owner != caller.key.owner:
                raise not_found()
            self._check_retained(operation, known)
            return SeatAccess(encounter, known.edition, GM, GM, f"key:{caller.key.owner}")
        claim = caller.claim
        if claim is None or caller.line != encounter or caller.role is None:
            self._raise_if_lost(caller, encounter)
            raise not_found()
        self._check_retained(operation, known)
        return SeatAccess(encounter, known.edition, claim.seat, caller.role, f"seat:{claim.seat}")

    def _raise_if_lost(self, caller: Principal, encounter: str) -> None:
        """Raise `encounter-missing` to the owner and the seats of an encounter that the store has lost."""
        lost = self._host.missing.of(encounter)
        if lost is None:
            return
        is_owner = caller.key is not None and lost.owner == caller.key.owner
        if is_owner or (caller.claim is not None and caller.role is None and caller.line == encounter):
            raise missing(lost.public_data)

    def _check_retained(self, operation: Operation, entry: EncounterEntry) -> None:
        gone = None if operation.outlives else self._host.removals.of(entry.encounter)
        if gone is not None:
            raise removed(gone.public_data)
        if entry.has_expired(self._host.clock()):
            raise Problem("fork-expired", f"the fork expired at {entry.expires}")
        lost = None if operation.outlives else self._host.missing.of(entry.encounter)
        if lost is not None:
            raise missing(lost.public_data)

    def _hear(self, outcome: Outcome) -> None:
        """Drop the seats that a commit may change from the cache; all of them if a line of play continues."""
        goes_on = is_about(outcome.raw, GOES_ON)
        with self._lock:
            self._forgotten += 1
            self._seats.drop_all(
                lambda _, caller: goes_on or outcome.encounter in (caller.line, caller.seated_in)
            )

    def _forget_all(self) -> None:
        """Clear the cache: the subscription to commits was interrupted, so a change may have been missed."""
        with self._lock:
            self._forgotten += 1
            self._seats.drop_all()


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
