"""Send commands, read what became of them: the use cases behind the API's writing half.

Nothing is decided here. Inside a sealed scope a command is first checked on its seat's own view, so that an
ordinary mistake there leaves no trace; everywhere else the fold decides, and a refusal stands on the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from secrets import token_hex
from typing import Any, Final, NotRequired, TypedDict, Unpack

import orjson

from service.encounter.at_the_door import Given, check_array, check_each, check_line
from service.encounter.host import Host
from service.encounter.reading import views
from service.encounter.record.commit import (
    Batch,
    Commit,
    Request,
    command_of,
    dump_request,
    load_commit,
    load_request,
)
from service.encounter.record.envelopes import Opened, envelopes
from service.encounter.signals.doorbell import RING_MS
from service.encounter.stores.capacity import QuotaExceeded
from service.encounter.stores.disputes import Disputes
from service.log import Outcome, StoreFull, SubmitOptions, Submitted, Unavailable, bucket_of
from service.rules.chance import check_sealed
from service.rules.closing import CloseEncounter
from service.rules.codec import from_data
from service.rules.epochs import AcceptHistory
from service.rules.gm_only import knows_more
from service.rules.messages import Actor, Command, Refused
from service.rules.rulebook import refuser
from service.rules.ruleset import Refusal, check, needs_dice
from service.rules.table import Table
from service.steps import IN_POOL, Pause, Steps, in_thread, run

NONCE_BYTES: Final = 16


@dataclass(frozen=True)
class Once:
    """What makes a request happen once: whose key, the key, and what was asked with it."""

    scope: str
    key: str
    fingerprint: str


@dataclass(frozen=True)
class Sent:
    """A command on the record: its number, and whether an earlier request put it there."""

    n: int
    replayed: bool


def send(
    host: Host,
    encounter: str,
    actor: Actor,
    kind: type[Command[Any]],
    data: Mapping[str, Any],
    once: Once,
    expected: int | None = None,
) -> Steps[Sent]:
    """Append a command, which fits its schema, and see that somebody folds it.

    Raises what the log raises, and `Refused` at the door: inside a sealed scope where it is not legal on the
    seat's view, for a contest of what not everybody can see, and for accepting what nobody disputes.
    """
    if kind is AcceptHistory:
        yield IN_POOL  # it is noted after the append
    _check_at_the_door(host, encounter, actor, ((kind, data),), once)
    wanted = Wanted(kind.type, data, actor, now(host))
    sent = yield from appending(host, encounter, wanted, once, expected=expected)
    if kind is AcceptHistory:
        Disputes(host.log).accept(encounter, data, sent.n)
    return sent


def preview(
    host: Host, encounter: str, actor: Actor, kind: type[Command[Any]], data: Mapping[str, Any]
) -> tuple[int, Refusal | None]:
    """Return the version at which a command was tried, and why it would be refused, None if it would not be.

    Nothing is appended and nothing is decided: legality is judged on the seat's view, which knows no dice.
    """
    folded = host.folder.current(encounter)
    try:
        check_line(host, encounter)
        check_each(host, encounter, actor, ((kind, data),), lambda: folded.state, tells=False)
        command = from_data(kind, data, by=actor)
        check(folded.state, command)
        if needs_dice(folded.state, command):
            check_sealed(folded.state)
    except Refused as refused:
        rule = refused.rule or refuser(refused.__traceback__)
        return folded.n, Refusal(code=refused.code, detail=refused.detail, rule=rule)
    return folded.n, None


def send_all(
    host: Host,
    encounter: str,
    actor: Actor,
    commands: Sequence[Given],
    once: Once,
    *,
    expected: int | None = None,
    stop: bool = True,
) -> Steps[Sent]:
    """Append *commands* together, in order; with *stop* a refusal has the rest refused as `skipped`.

    Raises as `send` does: whatever is legal in a sealed scope must be so before the first of them.
    """
    check_array(commands)
    _check_at_the_door(host, encounter, actor, commands, once)
    batch, at = token_hex(NONCE_BYTES), now(host)
    told = [
        Wanted(kind.type, data, actor, at, Batch(batch, index, len(commands), stop))
        for index, (kind, data) in enumerate(commands)
    ]
    return (yield from appending(host, encounter, told[0], once, expected=expected, more=told[1:]))


def _check_at_the_door(
    host: Host,
    encounter: str,
    actor: Actor,
    commands: Sequence[Given],
    once: Once,
) -> None:
    """Raise `Refused` for what leaves no trace on the record; a repeat is not judged again."""
    try:
        check_line(host, encounter)
        kept = host.folder.kept(encounter) or host.folder.current(encounter)
        tells = len(commands) == 1 and knows_more(kept.state, actor)
        check_each(host, encounter, actor, commands, lambda: _settled(host, encounter), tells=tells)
    except Refused:
        if host.log.find_key(encounter, once.scope, once.key) is None:
            raise


def array_at(host: Host, encounter: str, n: int) -> int:
    """Return how many commands were sent together with command *n*, the first of them; 0 if it came alone."""
    request = requested(host, encounter, n)
    return request.batch.of if request is not None and request.batch is not None else 0


def _settled(host: Host, encounter: str) -> Table:
    """Return the state after all that was appended by now, unless that takes long."""
    head = host.log.head(encounter)
    if head is not None and head.appended != head.folded:
        host.outcomes.wait(encounter, head.appended, 1.0)
    state: Table = host.folder.current(encounter).state
    return state


class Imported(Exception):
    """Say that an encounter came in a bundle and takes no commands: its secrets are its own host's."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"{encounter} came in a bundle and takes no commands")
        self.encounter = encounter


@dataclass(frozen=True)
class Wanted:
    """What goes into a request beside its time and nonce."""

    type: str
    data: Mapping[str, Any]
    actor: Actor
    at: str
    batch: Batch | None = None


class AppendOptions(TypedDict):
    """What may be said of an append."""

    expected: NotRequired[int | None]
    create: NotRequired[bool]
    more: NotRequired[Sequence[Wanted]]
    """Requests behind the first."""
    secret: NotRequired[bytes]
    """It is kept with the request that opens an encounter, in the same step."""


def append(host: Host, encounter: str, told: Wanted, once: Once, **options: Unpack[AppendOptions]) -> Sent:
    """Append as `appending` does, in this thread."""
    return run(appending(host, encounter, told, once, **options))


def appending(
    host: Host, encounter: str, told: Wanted, once: Once, **options: Unpack[AppendOptions]
) -> Steps[Sent]:
    """Append a request for *told*, and more behind it, and see that somebody folds them."""
    more, create = options.get("more", ()), options.get("create", False)
    entry = host.register.find(encounter)
    if entry is not None and entry.imported:
        raise Imported(encounter)
    if entry is not None and told.type != CloseEncounter.type:  # closing is how room is made
        check_capacity(host, entry.owner, encounter, once, commands=1 + len(more))
    first, rest = _spelled(encounter, told), [_spelled(encounter, each) for each in more]
    submitted = yield _submission(
        host,
        encounter,
        first,
        scope=once.scope,
        key=once.key,
        fingerprint=once.fingerprint,
        expected=options.get("expected"),
        create=create,
        at_ms=int(host.clock() * 1000),
        ring_ms=RING_MS,
        more=rest,
        secret=options.get("secret", b""),
    )
    if entry is not None and not submitted.replayed:
        size = sum(map(len, (first, *rest)))
        host.capacity.appended(entry.owner, encounters=int(create), commands=1 + len(rest), size=size)
    if submitted.must_ring:
        yield in_thread(partial(host.ring, bucket_of(encounter)))
    return Sent(submitted.n, submitted.replayed)


def _submission(
    host: Host, encounter: str, request: bytes, **options: Unpack[SubmitOptions]
) -> Pause[Submitted]:
    """Return the wait for an append."""
    submit = partial(host.log.submit, encounter, request, **options)
    if host.on_loop is None:
        return in_thread(submit)
    return Pause(submit, partial(host.on_loop.submit, encounter, request, **options))


def check_capacity(
    host: Host, owner: str, encounter: str, once: Once, *, encounters: int = 0, commands: int = 1
) -> None:
    """Return if *owner* has room for as much; a repeat of what was appended is not judged.

    Raises `StoreFull` and `QuotaExceeded`.
    """
    try:
        host.capacity.check(owner, encounters=encounters, commands=commands)
    except (StoreFull, QuotaExceeded):
        if host.log.find_key(encounter, once.scope, once.key) is None:
            raise


def _spelled(encounter: str, told: Wanted) -> bytes:
    """Return the bytes of a request, with a nonce of its own."""
    return dump_request(
        Request(
            encounter=encounter,
            type=told.type,
            at=told.at,
            nonce=token_hex(NONCE_BYTES),
            actor=told.actor,
            data=told.data,
            batch=told.batch,
        )
    )


@dataclass(frozen=True)
class Became:
    """What became of command n, with what its reader needs of its envelopes."""

    commit: Commit
    lying: Mapping[int, Opened]
    reader: views.Reader
    told: bytes = b""
    """What the worker told whoever waits: the next prompt of the seat that sent the command."""

    @property
    def payloads(self) -> views.Payloads:
        """The payloads of the envelopes, by index."""
        return {index: lies.payload for index, lies in self.lying.items()}


def became(host: Host, encounter: str, seat: str, n: int) -> Became | None:
    """Return what became of command *n*; None if it is undecided."""
    heard = host.outcomes.wait(encounter, n, 0)
    return None if heard is None else heard_by(host, encounter, seat, heard)


def heard_by(host: Host, encounter: str, seat: str, heard: Outcome) -> Became:
    """Return a command that was *heard* of with what *seat* needs to read it."""
    return read(host, encounter, seat, load_commit(heard.raw), heard.told)


def read(host: Host, encounter: str, seat: str, commit: Commit, told: bytes = b"") -> Became:
    """Return *commit* with what *seat* needs to read it, and what was *told* beside it."""
    if not commit.has_envelopes:
        return Became(commit, {}, views.Reader(seat, views.NOTHING), told)
    lying = {at[1]: lies for at, lies in envelopes(host.log, encounter, commit.n - 1, commit.n).items()}
    if commit.lacks_any_of(lying):
        raise Unavailable(f"commit {commit.n} of {encounter} has lost its envelopes")
    head = host.folder.current(encounter, commit.n)
    return Became(commit, lying, views.Reader(seat, host.occasions.upto(encounter, head.n)), told)


def outcome(host: Host, encounter: str, seat: str, found: Became, *, sender: bool = False) -> views.Data:
    """Return what became of a command as *seat* may know it, with what it is asked next.

    Only the *sender* is answered with what the worker told beside the commit: it is meant for that seat.
    """
    data = views.outcome_data(found.commit, found.payloads, found.reader)
    if sender and found.told:
        told: views.Data = orjson.loads(found.told)
        return data | told
    state = host.folder.current(encounter, found.commit.n).state
    named = views.next_prompt(found.commit, found.payloads, found.reader)
    return data | views.asked_next(state, seat, named)


def requested(host: Host, encounter: str, n: int) -> Request | None:
    """Return request *n*, None if there is none."""
    return next((load_request(e.raw) for e in host.log.commands(encounter, n - 1, 1) if e.n == n), None)


def commanded(host: Host, encounter: str, n: int) -> Command[Any] | None:
    """Return command *n* as the rules know it, None if it makes no sense to them."""
    request = requested(host, encounter, n)
    return None if request is None else command_of(host.folder.current(encounter).ruleset, request)


def now(host: Host) -> str:
    """Return the time as requests carry it: RFC 3339, UTC, milliseconds."""
    return moment_of(host.clock())


def moment_of(seconds: float) -> str:
    """Return *seconds* since 1970 as the API tells a time."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
