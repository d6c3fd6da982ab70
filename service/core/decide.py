"""Decide one request: turn its bytes and the state before it into the bytes of its commit.

Nothing here reads a clock, draws random numbers or knows which game is played. The same bytes, state and
secrets give the same commit, in a worker and in an audit. A stored request that cannot be read is refused as
`malformed`: numbers are dense, so every request gets its commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from service.core.commit_layout import CommitLayout
from service.dice.chain import DiceExhausted, envelope_commitment
from service.dice.source import Dice
from service.log.values import ZERO_HASH, CommitWrite
from service.record.canonical import NotCanonical, commit_hash, dumps, eid_of, request_digest
from service.record.commit import (
    ACCEPTED,
    QUARANTINED,
    REFUSED,
    SEALED,
    VERSION,
    Request,
    command_of,
    load_request,
)
from service.record.envelopes import StoredEnvelope
from service.record.frontier import Frontier
from service.record.quarantine import Quarantine
from service.record.statements import is_signed_by
from service.rules.contests.acceptance import taking
from service.rules.contests.amendments import noted
from service.rules.contests.continuing import BeginLine, SealedValues
from service.rules.kernel.codec import Malformed, to_data
from service.rules.kernel.messages import Fact, Private, Rolled, Scope
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance
from service.rules.rolls.epochs import MovedDice, dice_moved
from service.rules.ruleset import Decision, Refusal, Ruleset, decide, fold, waiting
from service.rules.table.lines import Origin
from service.rules.table.seats import TABLE_SIGN_1
from service.rules.table.table import Table

S = TypeVar("S", bound=Table)

BEGUN: Final = "begun"
"""The mark with the number of a line's first own commit; an encounter that continues none has no mark."""
MALFORMED: Final = "malformed"
UNSIGNED: Final = "not_signed"


class DecisionSecrets(Protocol):
    """The secrets that a decision needs and the record does not disclose yet."""

    def dice_for(self, table: Table) -> Dice:
        """Return the dice of the encounter as it is before the command."""
        ...

    def salt(self, request: bytes, n: int, index: int) -> bytes:
        """Return the salt of the envelope at *index* of commit *n*; *request* is the request's digest."""
        ...


@record
class FoldedState(Generic[S]):
    """An encounter folded up to commit *n*; valid only while the record has commit *n* with this hash."""

    encounter: str
    ruleset: Ruleset[S]
    n: int
    hash: str
    frontier: Frontier
    state: S

    def followed(self, leaf: bytes, state: S) -> FoldedState[S]:
        """Return the encounter after one more commit, with the hash *leaf* and the new *state*."""
        return changed(self, n=self.n + 1, hash=leaf.hex(), frontier=self.frontier.append(leaf), state=state)


@record
class DecidedCommit(Generic[S]):
    """A commit to be stored: its bytes, its envelopes by index, its marks."""

    n: int
    raw: bytes
    hash: str
    sealed: tuple[tuple[int, StoredEnvelope], ...]
    marks: Mapping[str, bytes]
    at: str
    """Its time, as its bytes have it."""
    folded: FoldedState[S]
    """The encounter after the commit."""
    events: Sequence[Mapping[str, Any]] = ()
    """Its events, as its bytes have them."""
    seat: str = ""
    """The sender's seat; empty if the request cannot be read."""
    owed: str | None = None
    """The prompt that the seat still owes in the sealed scope of its command."""
    asks_next: bool = True
    """Whether the answer to the sender has its next prompts: in an array that of the last command alone."""

    @property
    def state(self) -> S:
        """The state after the commit."""
        return self.folded.state

    @property
    def envelope_payloads(self) -> tuple[tuple[int, bytes], ...]:
        """What is sealed as the store keeps it: salt and payload, by index."""
        return tuple((index, envelope.stored) for index, envelope in self.sealed)

    def write_after(
        self, previous: str, request: bytes, next_prompt: bytes = b"", process: str = ""
    ) -> CommitWrite:
        """Return this commit as the store writes it, after the commit with the hash *previous*.

        *request* is the stored request that the commit decides.
        *next_prompt* is published with the commit to *process*, or to every process if *process* is empty.
        """
        return CommitWrite(
            n=self.n,
            prev=previous,
            hash=self.hash,
            raw=self.raw,
            request=request,
            frontier=self.folded.frontier.to_bytes(),
            sealed=self.envelope_payloads,
            marks=self.marks,
            next_prompt=next_prompt,
            process=process,
        )


KeptSeals = Callable[[Origin], tuple[SealedValues, ...]]


def no_sealed_values(origin: Origin) -> tuple[SealedValues, ...]:  # noqa: ARG001 - nothing is sealed anywhere
    """Return no sealed values."""
    return ()


def unfolded(encounter: str, ruleset: Ruleset[S]) -> FoldedState[S]:
    """Return an encounter before its first commit."""
    return FoldedState(
        encounter=encounter, ruleset=ruleset, n=0, hash=ZERO_HASH, frontier=Frontier(), state=ruleset.blank
    )


def decide_request(
    ruleset: Ruleset[S],
    folded: FoldedState[S],
    raw_request: bytes,
    n: int,
    secrets: DecisionSecrets,
    kept: KeptSeals = no_sealed_values,
) -> DecidedCommit[S]:
    """Decide request *n* on the encounter as folded before it.

    *kept* returns the sealed values of the state with which a line of play begins.

    An exception that leaves here is a programming error in the rules; the worker counts it.
    """
    folded = _taking(folded, n)
    state = folded.state
    try:
        request = load_request(raw_request)
    except NotCanonical as fault:
        return _refused(folded, raw_request, n, at="", refusal=_malformed(str(fault)), stops=None)
    if request.encounter != folded.encounter:
        detail = f"the request is to {request.encounter}"
        return _refused(
            folded, raw_request, n, at=request.at, refusal=_malformed(detail), stops=request.stops
        )
    if not _is_signed(state, request):
        refusal = Refusal(
            code=UNSIGNED,
            detail=f"{request.actor.seat} has a key, and the command is not signed by it",
            rule=TABLE_SIGN_1.id,
        )
        return _refused(folded, raw_request, n, at=request.at, refusal=refusal, stops=request.stops)
    try:
        command = command_of(ruleset, request)
    except Malformed as fault:
        return _refused(
            folded, raw_request, n, at=request.at, refusal=_malformed(str(fault)), stops=request.stops
        )
    if command is None:
        detail = f"{ruleset.edition} has no command {request.type}"
        return _refused(
            folded, raw_request, n, at=request.at, refusal=_malformed(detail), stops=request.stops
        )
    dice = secrets.dice_for(state)
    if request.signed is not None and request.signed.n < state.dice_moved_in and not state.draft:
        dice = MovedDice(dice, request.signed.n, state.dice_moved_in)
    try:
        decision = decide(state, command.completed(kept), Chance(dice), request.stops)
    except DiceExhausted as fault:
        refusal = Refusal(code=fault.code, detail=fault.detail, rule=None)
        after = changed(state, stopped=request.stops) if request.stops else state
        decision = Decision(state=after, refusal=refusal, scope=command.scope(state))
    return _write(_CommitDraft(folded, raw_request, n, secrets), request, decision)


def _taking(folded: FoldedState[S], n: int) -> FoldedState[S]:
    state = taking(folded.state, n)
    return folded if state is folded.state else changed(folded, state=state)


def quarantine_request(
    folded: FoldedState[S], raw_request: bytes, n: int, quarantine: Quarantine
) -> DecidedCommit[S]:
    """Return the commit of a request that is not decided: nothing happened, and its batch stops.

    *quarantine* says why (`service.record.quarantine.because`).
    """
    folded = _taking(folded, n)
    try:
        request = load_request(raw_request)
        at, stops = request.at, request.stops
    except NotCanonical:
        at, stops = "", None
    state = changed(folded.state, stopped=stops) if stops else folded.state
    draft: _CommitDraft[S] = _CommitDraft(folded, raw_request, n, None)
    return draft.written(state, at, QUARANTINED, quarantine=quarantine)


class _CommitDraft(Generic[S]):
    """A commit in the making: what it continues, and its envelopes."""

    def __init__(
        self, folded: FoldedState[S], raw_request: bytes, n: int, secrets: DecisionSecrets | None
    ) -> None:
        assert n == folded.n + 1, f"commit {n} cannot follow commit {folded.n}"
        self.folded = folded
        self.n = n
        self.secrets = secrets
        self.digest = request_digest(raw_request)
        self.sealed: list[tuple[int, StoredEnvelope]] = []
        self.seat = ""
        self.owed: str | None = None
        self.asks_next = True

    def envelope(self, index: int, scope: Scope, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry in `events` for *payload*; add the payload with its salt to `sealed`."""
        assert self.secrets is not None, "only a decision seals"
        raw = dumps(payload)
        salt = self.secrets.salt(self.digest, self.n, index)
        self.sealed.append((index, StoredEnvelope(raw, salt)))
        commitment = envelope_commitment(eid_of(self.folded.encounter), salt, raw)
        return {"sealed": commitment.hex(), "audience": list(scope.audience), "opens": scope.opens}

    def written(
        self,
        state: S,
        at: str,
        outcome: str,
        events: Sequence[Mapping[str, Any]] = (),
        rolls: Sequence[Mapping[str, Any]] = (),
        refusal: Refusal | None = None,
        quarantine: Quarantine | None = None,
    ) -> DecidedCommit[S]:
        """Return the finished commit."""
        folded = self.folded
        body: dict[str, Any] = {
            "v": VERSION,
            "encounter": folded.encounter,
            "n": self.n,
            "prev": folded.hash,
            "at": at,
            "edition": folded.ruleset.edition,
            "epoch": state.epoch,
            "request": self.digest.hex(),
            "outcome": outcome,
            "events": events,
            "rolls": rolls,
        }
        if refusal is not None:
            body["refusal"] = to_data(refusal)
        if quarantine is not None:
            body["quarantine"] = quarantine
        raw = dumps(body)
        leaf = commit_hash(raw)
        after = folded.followed(leaf, state)
        return DecidedCommit(
            n=self.n,
            raw=raw,
            hash=after.hash,
            sealed=tuple(self.sealed),
            marks=landmarks(folded.state, state, self.n),
            at=at,
            folded=after,
            events=events,
            seat=self.seat,
            owed=self.owed,
            asks_next=self.asks_next,
        )


def _write(draft: _CommitDraft[S], request: Request, decision: Decision[S]) -> DecidedCommit[S]:
    """Return the commit of a decision: its open facts, and its envelopes by audience and occasion."""
    spelled = CommitLayout(decision.facts, decision.scope)
    owed = None
    if decision.scope is not None:
        truth = REFUSED if decision.refusal else ACCEPTED
        payload = spelled.payload(decision.scope)
        payload |= {"type": request.type, "outcome": truth}
        owed = payload["prompt"] = _still_owed(decision.state, request, decision.scope)
        if decision.refusal is not None:
            payload["refusal"] = to_data(decision.refusal)
    events = spelled.events
    for index, (scope, payload) in spelled.envelopes.items():
        events[index] = draft.envelope(index, scope, payload)
    state = decision.state
    if spelled.reordered is not None:
        state = fold(draft.folded.state, spelled.reordered)
    state = noted(draft.folded.state, state, plays=any(map(_plays, decision.facts)))
    state = dice_moved(state, events, draft.n)
    open_refusal = None if decision.outcome == SEALED else decision.refusal
    draft.seat, draft.owed = request.actor.seat, owed
    draft.asks_next = request.batch is None or request.batch.is_end
    return draft.written(state, request.at, decision.outcome, events, spelled.rolls, open_refusal)


def _plays(fact: Fact[S]) -> bool:
    """Return whether a fact changes the fight: any roll, and any event with `plays`."""
    event = fact.event if isinstance(fact, Private) else fact
    return isinstance(event, Rolled) or event.plays


def _malformed(detail: str) -> Refusal:
    return Refusal(code=MALFORMED, detail=detail, rule=None)


def _is_signed(state: Table, request: Request) -> bool:
    """Return whether *request* is signed as its seat demands.

    The service begins a proposed line, and repeats commands in it; who may do that is judged by the proposal.
    """
    if state.draft or request.type == BeginLine.type:
        return True
    seat = state.seats.get(request.actor.seat)
    return seat is None or seat.key is None or is_signed_by(request, seat.key)


def _refused(
    folded: FoldedState[S], raw_request: bytes, n: int, *, at: str, refusal: Refusal, stops: str | None
) -> DecidedCommit[S]:
    state = changed(folded.state, stopped=stops) if stops else folded.state
    draft: _CommitDraft[S] = _CommitDraft(folded, raw_request, n, None)
    return draft.written(state, at, REFUSED, refusal=refusal)


def _still_owed(state: Table, request: Request, scope: Scope) -> str | None:
    """Return the next prompt in *scope* at which the seat owes the same kind of answer, or None."""
    inside = scope.opens.rpartition("/")[0] + "/"
    for awaited in waiting(state):
        if (
            awaited.seat == request.actor.seat
            and request.type in awaited.accepts
            and awaited.prompt.startswith(inside)
        ):
            return awaited.prompt
    return None


def landmarks(before: Table, after: Table, n: int) -> dict[str, bytes]:
    """Return a mark for each round or line that began and each epoch that closed in commit *n*."""
    if (
        before.round == after.round
        and before.epoch == after.epoch
        and before.undisclosed_epochs == after.undisclosed_epochs
        and before.encounter in ("", after.encounter)
    ):
        return {}
    rounds = {f"round/{r}": b"%d" % n for r in range(before.round + 1, after.round + 1)}
    if before.encounter not in ("", after.encounter):
        rounds |= {BEGUN: b"%d" % n}
    if after.draft:  # a draft discloses nothing
        return rounds
    epochs = {
        f"epoch/{e}": b"%d" % n for e in (*before.undisclosed_epochs, *range(before.epoch, after.epoch))
    }
    return rounds | epochs
