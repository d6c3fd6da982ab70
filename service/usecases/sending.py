"""Use cases behind the API's writing half: send commands, and read their outcomes.

Nothing is decided here. Inside a sealed scope a command is first checked on its seat's own view, so that an
ordinary mistake there leaves no trace. Everywhere else the fold decides, and the record holds the refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from os import urandom
from typing import Any, Final, NotRequired, TypedDict, Unpack

import orjson

from service import tracing
from service.core import views
from service.log import (
    Appended,
    IdempotencyKey,
    Outcome,
    StoreFull,
    StoreUnavailable,
    SubmitOptions,
    Submitted,
    TooManyUndecided,
    bucket_of,
)
from service.record.commit import (
    Batch,
    Commit,
    Request,
    SeatSignature,
    command_of,
    dump_request,
    load_commit,
    load_request,
)
from service.record.envelopes import StoredEnvelope, envelopes
from service.record.timestamps import timestamp_of
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Actor, Command, Refused, Way
from service.rules.kernel.sealed import view
from service.rules.rolls.chance import check_sealed
from service.rules.rolls.closing import CloseEncounter
from service.rules.ruleset import Refusal, check, needs_dice
from service.rules.secrecy.gm_only import knows_more
from service.rules.table.table import Table
from service.signals.doorbell import NOTIFY_MS
from service.steps import IN_POOL, Pause, Steps, in_thread, run
from service.stores.backlogs import OF_ENCOUNTER, OF_SEATS
from service.stores.capacity import QuotaExceeded
from service.usecases.preconditions import (
    PLAYER,
    CommandInput,
    check_array,
    check_each,
    check_line,
    check_own,
    check_signature,
    terms_of,
)
from service.usecases.refusals import TooManyRefusals
from service.usecases.services import Services

NONCE_BYTES: Final = 16


class SendTerms(TypedDict):
    """What a command may have beside its data."""

    expected: NotRequired[int | None]
    """The version that it requires."""
    signed: NotRequired[SeatSignature | None]


class SendAllTerms(TypedDict):
    """What an array of commands may have beside their data."""

    expected: NotRequired[int | None]
    """The version that it requires."""
    stop: NotRequired[bool]
    """Whether a refusal makes the rest refused as `skipped`; true by default."""
    signed: NotRequired[Sequence[SeatSignature | None]]


def send(
    services: Services,
    encounter: str,
    actor: Actor,
    kind: type[Command[Any]],
    data: Mapping[str, Any],
    once: IdempotencyKey,
    **terms: Unpack[SendTerms],
) -> Steps[Appended]:
    """Append a command, which fits its schema, and notify a worker that folds it.

    Raises what the log raises, and `Refused` if a precondition fails: inside a sealed scope if the command is
    illegal on the seat's view, for a contest of what not everybody can see, for accepting a history that
    is not in dispute, and if the seat has a key that has not signed the command.
    """
    signed = terms.get("signed")
    effect = terms_of(kind).effect
    if effect is not None or signed is not None:
        yield IN_POOL
    wanted = CommandDraft(kind.type, data, actor, now(services), signed=signed)
    _check_preconditions(services, encounter, actor, ((kind, data),), once, (wanted,))
    sent = yield from append_in_steps(services, encounter, wanted, once, expected=terms.get("expected"))
    if effect is not None:
        effect(services, encounter, data, sent.n)
    return sent


def preview(
    services: Services, encounter: str, actor: Actor, kind: type[Command[Any]], data: Mapping[str, Any]
) -> tuple[int, Refusal | None, Way | None]:
    """Return the version at which a command was tried, its refusal, None if it would be legal, and its way.

    Nothing is appended and nothing is decided: legality is judged on the seat's view, which knows no dice.
    """
    folded = services.folder.current(encounter)
    try:
        check_line(services, encounter)
        check_each(services, encounter, actor, ((kind, data),), lambda: folded.state, reveals=False)
        command = from_data(kind, data, families=folded.state.families, by=actor)
        check(folded.state, command)
        if needs_dice(folded.state, command):
            check_sealed(folded.state)
    except Refused as refused:
        return folded.n, Refusal(code=refused.code, detail=refused.detail, rule=refused.rule), None
    seen = view(folded.state, actor.seat)
    return folded.n, None, command.foresee(seen.at(command.place(seen)))


def send_all(
    services: Services,
    encounter: str,
    actor: Actor,
    commands: Sequence[CommandInput],
    once: IdempotencyKey,
    **terms: Unpack[SendAllTerms],
) -> Steps[Appended]:
    """Append *commands* together, in order; a refusal makes the rest refused as `skipped`.

    Raises as `send` does. A command in a sealed scope must be legal on what its seat knows when they are
    appended, and of what those before it do.
    """
    signed, stop = terms.get("signed", ()), terms.get("stop", True)
    check_array(commands)
    if any(signed):
        yield IN_POOL
    batch, at = urandom(NONCE_BYTES).hex(), now(services)
    drafts = [
        CommandDraft(kind.type, data, actor, at, Batch(batch, index, len(commands), stop), each)
        for index, ((kind, data), each) in enumerate(zip_longest(commands, signed))
    ]
    _check_preconditions(services, encounter, actor, commands, once, drafts)
    first, *more = drafts
    return (
        yield from append_in_steps(
            services, encounter, first, once, expected=terms.get("expected"), more=more
        )
    )


def _check_preconditions(
    services: Services,
    encounter: str,
    actor: Actor,
    commands: Sequence[CommandInput],
    once: IdempotencyKey,
    drafts: Sequence[CommandDraft],
) -> None:
    """Raise `Refused` if a precondition fails, unless the idempotency key is known: then it is a repeat."""
    try:
        check_line(services, encounter)
        kept = services.folder.kept(encounter) or services.folder.current(encounter)
        seat = kept.state.seats.get(actor.seat)
        for draft in drafts:
            if draft.signed is not None or (seat is not None and seat.key is not None):
                check_signature(services, kept.state, _request(encounter, draft))
        check_own(actor, commands, kept.state, lambda: _settled(services, encounter))
        reveals = len(commands) == 1 and knows_more(kept.state, actor)
        check_each(
            services, encounter, actor, commands, lambda: _settled(services, encounter), reveals=reveals
        )
    except Refused:
        if services.log.find_key(encounter, once.scope, once.key) is None:
            raise


def array_at(services: Services, encounter: str, n: int) -> int:
    """Return the size of the array that begins with command *n*; 0 if it was sent alone."""
    request = requested(services, encounter, n)
    return request.batch.of if request is not None and request.batch is not None else 0


def _settled(services: Services, encounter: str) -> Table:
    """Return the state after everything that is appended now, or after what is folded within a second."""
    head = services.log.head(encounter)
    if head is not None and head.appended != head.folded:
        services.outcomes.wait(encounter, head.appended, 1.0)
    state: Table = services.folder.current(encounter).state
    return state


class EncounterImported(Exception):
    """The encounter came in a bundle and takes no commands, because its secrets are on its own host."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"{encounter} came in a bundle and takes no commands")
        self.encounter = encounter


@dataclass(frozen=True)
class CommandDraft:
    """The content of a request, without encounter and nonce."""

    type: str
    data: Mapping[str, Any]
    actor: Actor
    at: str
    batch: Batch | None = None
    signed: SeatSignature | None = None


_NO_ROOM: Final = (StoreFull, QuotaExceeded, TooManyUndecided, TooManyRefusals)
"""The refusals for want of room."""


class SendOptions(TypedDict):
    """What an append may have beside its command."""

    expected: NotRequired[int | None]
    create: NotRequired[bool]
    more: NotRequired[Sequence[CommandDraft]]
    """Requests behind the first."""
    secret: NotRequired[bytes]
    """Stored with the request that opens an encounter, in the same step."""


def append(
    services: Services,
    encounter: str,
    draft: CommandDraft,
    once: IdempotencyKey,
    **options: Unpack[SendOptions],
) -> Appended:
    """Append as `append_in_steps` does, in this thread."""
    return run(append_in_steps(services, encounter, draft, once, **options))


def append_in_steps(
    services: Services,
    encounter: str,
    draft: CommandDraft,
    once: IdempotencyKey,
    **options: Unpack[SendOptions],
) -> Steps[Appended]:
    """Append requests and notify a worker.

    Raises `EncounterImported`, `TooManyRefusals`, `TooManyUndecided`, and as `check_capacity` and the log.
    """
    more, create = options.get("more", ()), options.get("create", False)
    entry = services.encounters.find(encounter)
    if entry is not None and entry.imported:
        raise EncounterImported(encounter)
    is_of_player = draft.actor.role == PLAYER
    try:
        if is_of_player:
            services.refusals.check(encounter, draft.actor.seat)
        if entry is not None:
            services.backlogs.check(entry.owner, 1 + len(more))
            if draft.type != CloseEncounter.type:  # closing makes room
                services.capacity.check(entry.owner, commands=1 + len(more))
    except _NO_ROOM:
        _raise_unless_repeated(services, encounter, once)
    first, rest = _spelled(encounter, draft), [_spelled(encounter, each) for each in more]
    submitted = yield _append_to_log(
        services,
        encounter,
        first,
        scope=once.scope,
        key=once.key,
        fingerprint=once.fingerprint,
        expected=options.get("expected"),
        create=create,
        at_ms=int(services.clock() * 1000),
        notify_ms=NOTIFY_MS,
        more=rest,
        secret=options.get("secret", b""),
        most_undecided=OF_SEATS if is_of_player else OF_ENCOUNTER,
    )
    if entry is not None:
        services.backlogs.appended(entry.owner, encounter, submitted.undecided)
    if is_of_player and not submitted.replayed:
        services.refusals.sent(encounter, draft.actor.seat, submitted.n, 1 + len(rest))
    if entry is not None and not submitted.replayed:
        size = sum(map(len, (first, *rest)))
        services.capacity.appended(entry.owner, encounters=int(create), commands=1 + len(rest), size=size)
    if submitted.must_notify:
        yield in_thread(partial(services.ring, bucket_of(encounter)))
    return Appended(submitted.n, submitted.replayed)


def _append_to_log(
    services: Services, encounter: str, request: bytes, **options: Unpack[SubmitOptions]
) -> Pause[Submitted]:
    """Return a pause that appends a request to the log."""
    options["trace"] = tracing.current()
    submit = partial(services.log.submit, encounter, request, **options)
    if services.on_loop is None:
        return in_thread(submit)
    return Pause(submit, partial(services.on_loop.submit, encounter, request, **options))


def check_capacity(
    services: Services,
    owner: str,
    encounter: str,
    once: IdempotencyKey,
    *,
    encounters: int = 0,
    commands: int = 1,
) -> None:
    """Return if *owner* has room or repeats a known key; raise `StoreFull` or `QuotaExceeded` otherwise."""
    try:
        services.capacity.check(owner, encounters=encounters, commands=commands)
    except _NO_ROOM:
        _raise_unless_repeated(services, encounter, once)


def _raise_unless_repeated(services: Services, encounter: str, once: IdempotencyKey) -> None:
    """Raise the refusal for want of room again, unless the key is known: then nothing is appended."""
    if services.log.find_key(encounter, once.scope, once.key) is None:
        raise  # noqa: PLE0704 - it is called where one was caught


def _spelled(encounter: str, draft: CommandDraft) -> bytes:
    """Return the bytes of a request, with a new nonce."""
    return dump_request(_request(encounter, draft))


def _request(encounter: str, draft: CommandDraft) -> Request:
    return Request(
        encounter=encounter,
        type=draft.type,
        at=draft.at,
        nonce=urandom(NONCE_BYTES).hex(),
        actor=draft.actor,
        data=draft.data,
        batch=draft.batch,
        signed=draft.signed,
    )


@dataclass(frozen=True)
class CommandResult:
    """A decided command: its commit, the commit's envelopes, and the reader to whom some are open."""

    commit: Commit
    envelopes: Mapping[int, StoredEnvelope]
    reader: views.Reader
    next_prompt: bytes = b""
    """What the worker published beside the commit: the next prompt of the seat that sent the command."""

    @property
    def payloads(self) -> views.Payloads:
        """The payloads of the envelopes, by index."""
        return {index: envelope.payload for index, envelope in self.envelopes.items()}


def result_of(services: Services, encounter: str, seat: str, n: int) -> CommandResult | None:
    """Return the result of command *n*; None if it is undecided."""
    heard = services.outcomes.wait(encounter, n, 0)
    return None if heard is None else result_from(services, encounter, seat, heard)


def result_from(services: Services, encounter: str, seat: str, heard: Outcome) -> CommandResult:
    """Return a command that was *heard* of with what *seat* needs to read it."""
    return read(services, encounter, seat, load_commit(heard.raw), heard.next_prompt)


def read(services: Services, encounter: str, seat: str, commit: Commit, prompt: bytes = b"") -> CommandResult:
    """Return *commit* with what *seat* needs to read it, and with the next *prompt* of its sender."""
    if not commit.has_envelopes:
        return CommandResult(commit, {}, views.Reader(seat, views.NOTHING), prompt)
    sealed = {at[1]: each for at, each in envelopes(services.log, encounter, commit.n - 1, commit.n).items()}
    if commit.lacks_any_of(sealed):
        raise StoreUnavailable(f"commit {commit.n} of {encounter}: the store has lost its envelopes")
    head = services.folder.current(encounter, commit.n)
    return CommandResult(
        commit, sealed, views.Reader(seat, services.occasions.upto(encounter, head.n)), prompt
    )


def result_data(
    services: Services,
    encounter: str,
    seat: str,
    found: CommandResult,
    *,
    sender: bool = False,
    asks_next: bool = True,
) -> views.Data:
    """Return the outcome of a command as *seat* may see it, with the seat's next prompts if *asks_next*.

    Only the *sender* receives what the worker published beside the commit, because it is made for that seat.
    """
    data = views.outcome_data(found.commit, found.payloads, found.reader)
    asked: views.Data = orjson.loads(found.next_prompt) if sender and found.next_prompt else {}
    if not asks_next:
        return data | {name: value for name, value in asked.items() if name == "receipt"}
    if asked:
        return data | asked
    state = services.folder.current(encounter, found.commit.n).state
    named = views.next_prompt(found.commit, found.payloads, found.reader)
    return data | views.asked_next(state, seat, named)


def requested(services: Services, encounter: str, n: int) -> Request | None:
    """Return request *n*; None if there is none."""
    return next((load_request(e.raw) for e in services.log.commands(encounter, n - 1, 1) if e.n == n), None)


def commanded(services: Services, encounter: str, n: int) -> Command[Any] | None:
    """Return command *n* as the rules know it; None if the rules cannot read it."""
    request = requested(services, encounter, n)
    return None if request is None else command_of(services.folder.current(encounter).ruleset, request)


def now(services: Services) -> str:
    """Return the time as requests carry it: RFC 3339, UTC, milliseconds."""
    return timestamp_of(services.clock())
