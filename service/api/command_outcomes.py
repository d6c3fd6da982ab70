"""Append commands and return their outcomes, for all operations that append."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from service.api import parameters
from service.api.fields import kind_of
from service.api.problems import Problem, invalid
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import faults, near
from service.core import views
from service.core.fold import AnyFolded
from service.log import Appended, IdempotencyKey, Outcome, StoreFailure
from service.record.commit import ACCEPTED, QUARANTINED, Commit, load_commit
from service.rules.kernel.messages import Actor, Command, Refused
from service.rules.kernel.sealed import view
from service.steps import Steps, settle
from service.usecases import reading, sending
from service.usecases.accepted_lines import is_draft
from service.usecases.preconditions import NOT_OWN, CommandInput

_FEW: Final = 10
"""How many creatures a refusal names."""
_MISSING: Final = re.compile(r"there is no (creature|side|contest) (\S+)")
"""The detail of a refusal that names what does not exist."""


def read_command(
    request: ApiRequest, data: object, at: str = ""
) -> tuple[type[Command[Any]], dict[str, Any], list[tuple[str, str]]]:
    """Return a command's class, its fields, and their faults (JSON pointer, what was expected).

    *at* is the pointer of the command in the body. Raises `invalid` for an unknown command type.
    """
    members = data if isinstance(data, dict) else {}
    if data is not None and not isinstance(data, dict):
        raise invalid((at, f"a command, an object with a type, not {kind_of(data)}"))
    wrapped = {*members} & {"command", "commands"}
    if wrapped and "type" not in members:
        raise invalid((f"{at}/{wrapped.pop()}", "no such field: send what is in it as the whole body"))
    edition = request.me.edition
    type_, schema = request.inputs[edition].command(members.get("type"), at)
    found = [(at + pointer, detail) for pointer, detail in faults(schema, members)]
    given = {name: value for name, value in members.items() if name != "type"}
    return request.services.registry[edition].commands[type_], given, found


def idempotency_key(request: ApiRequest, scope: str) -> IdempotencyKey:
    """Return the idempotency key of *request* within *scope*."""
    asked = request.repeatable
    return IdempotencyKey(scope=scope, key=asked.key, fingerprint=asked.fingerprint)


def send_checked(
    request: ApiRequest,
    kind: type[Command[Any]],
    data: Mapping[str, Any],
    *,
    expected: int | None = None,
    step: str | None = None,
) -> Steps[Appended]:
    """Append a command that fits its schema; raises `command-refused` if a precondition fails.

    A request that appends a second command names its *step*, so that one idempotency key serves both.
    """
    wanted = request.expected if expected is None and step is None else expected
    me = request.me
    scope = me.scope if step is None else f"{me.scope}/{step}"
    actor = Actor(seat=me.seat, role=me.role)
    (signed,) = request.signatures(1, first=0 if step is None else 1)
    try:
        return (
            yield from sending.send(
                request.services,
                request.encounter,
                actor,
                kind,
                data,
                idempotency_key(request, scope),
                expected=wanted,
                signed=signed,
            )
        )
    except Refused as refused:
        raise (yield from settle(partial(refusal_problem, request, refused))) from refused


def refusal_problem(request: ApiRequest, refused: Refused) -> Problem:
    """Return the problem for a refusal that is not recorded; it may wait for the encounter's state."""
    detail = refused.detail + _hint(request, refused.code, refused.detail)
    problem = _refusal(request, refused.code, detail, refused.rule, _key_header(request))
    if refused.code == "encounter_continued":
        problem.members["line"] = request.services.folder.current(request.encounter).state.continued
    return problem


def refuse_draft(request: ApiRequest) -> None:
    """Raise `command-refused` for a line that is only proposed; it is not signed until it is accepted."""
    if is_draft(request.services, request.encounter):
        detail = "the line is proposed but not accepted, so it is not signed"
        raise Problem("command-refused", detail, members={"code": "line_not_accepted", "rule": None})


def send_array(request: ApiRequest, commands: Sequence[CommandInput], *, stop: bool) -> Steps[Appended]:
    """Append several commands together; raises `command-refused` if a precondition of one fails."""
    actor = Actor(seat=request.me.seat, role=request.me.role)
    asked = idempotency_key(request, request.me.scope)
    try:
        return (
            yield from sending.send_all(
                request.services,
                request.encounter,
                actor,
                commands,
                asked,
                expected=request.expected,
                stop=stop,
                signed=request.signatures(len(commands)),
            )
        )
    except Refused as refused:
        raise (yield from settle(partial(refusal_problem, request, refused))) from refused


def pending_array(request: ApiRequest, sent: Appended, count: int) -> Steps[ApiResponse]:
    """Wait for the outcomes of *count* commands from *sent* on, as long as the client prefers.

    The commands are recorded, so if the store fails from here on, they are pending and not failed.
    """
    try:
        yield request.services.outcomes.pause(
            request.encounter, sent.n + count - 1, request.preference.seconds, asked=not sent.replayed
        )
        answer = yield from settle(partial(outcomes, request, sent.n, count, sender=True))
    except StoreFailure:
        answer = _undecided(request, sent.n, {"outcomes": _pending(sent.n, sent.n + count)})
    answer.headers = receipt_headers(request, sent) | answer.headers
    return answer


def outcomes(request: ApiRequest, n: int, count: int, *, sender: bool = False) -> ApiResponse:
    """Return the outcomes of the *count* commands from *n* on; 202 if one is undecided.

    The last has the prompts that the seat may answer next: those before it would repeat them.
    """
    services, encounter, seat = request.services, request.encounter, request.me.seat
    decided: list[views.Data] = []
    for number in range(n, n + count):
        found = sending.result_of(services, encounter, seat, number)
        if found is None:
            return _undecided(request, n, {"outcomes": decided + _pending(number, n + count)})
        is_last = number == n + count - 1
        decided.append(outcome_data(request, found, sender=sender, asks_next=is_last))
    return ApiResponse({"n": n, "outcomes": decided}, version=str(n + count - 1))


def pending(
    request: ApiRequest, sent: Appended, answer: Callable[[views.Data], ApiResponse] | None = None
) -> Steps[ApiResponse]:
    """Wait for the outcome of *sent* as long as the client prefers, and return it (through *answer*).

    The command is recorded, so if the store fails from here on, it is pending and not failed. Raises the
    problems `command-refused` and `command-quarantined`.
    """
    headers = receipt_headers(request, sent)
    try:
        return (yield from _decided(request, sent, headers, answer))
    except StoreFailure:
        made = _undecided(request, sent.n, {"outcome": "pending"})
        made.headers |= headers
        return made


def _pending(first: int, end: int) -> list[views.Data]:
    return [{"n": n, "outcome": "pending"} for n in range(first, end)]


def _undecided(request: ApiRequest, n: int, body: views.Data) -> ApiResponse:
    """Return 202 for commands from *n* on that are recorded but undecided, with the address to poll."""
    return ApiResponse({"n": n, **body}, 202, {"Location": address(request, n), "Retry-After": "1"})


def _decided(
    request: ApiRequest,
    sent: Appended,
    headers: dict[str, str],
    answer: Callable[[views.Data], ApiResponse] | None,
) -> Steps[ApiResponse]:
    heard = yield request.services.outcomes.pause(
        request.encounter, sent.n, request.preference.seconds, asked=not sent.replayed
    )
    if heard is None:
        made = _undecided(request, sent.n, {"outcome": "pending"})
        made.headers |= headers
        return made
    outcome = yield from settle(partial(_outcome, request, heard))
    if outcome["outcome"] == "quarantined":
        members = {"n": sent.n}
        raise Problem(
            "command-quarantined", "deciding the command failed three times", members=members, headers=headers
        )
    if "refusal" in outcome:
        why = outcome["refusal"]
        hint = yield from settle(partial(_hint, request, why["code"], why["detail"]))
        raise _refusal(request, why["code"], why["detail"] + hint, why["rule"], headers, sent.n)
    made = (yield from settle(partial(answer, outcome))) if answer else ApiResponse(outcome)
    made.headers |= headers
    made.version = str(outcome["n"])
    return made


def _hint(request: ApiRequest, code: str, detail: str) -> str:
    """Return what the *detail* of a refusal with *code* does not say and the seat may know.

    For a creature, a side or a contest that does not exist, which the detail ends with, it is the closest
    match among those that the seat sees, or their list; for another seat's creature it is that seat.
    """
    missing = _MISSING.fullmatch(detail)
    if code not in NOT_OWN and not missing:
        return ""
    kind, name = missing.groups() if missing else ("creature", detail.rpartition(" ")[2])
    folded = request.services.folder.current(request.encounter)
    seen = _known(folded, request.me.seat, kind)
    if code == "not_your_creature":
        return f"; {folded.state.controller(name)} does" if name in seen else ""
    listed = f"; there are {', '.join(seen)}" if seen else f"; there are no {kind}s"
    return near(name, seen) or (listed if len(seen) <= _FEW else "")


def _known(folded: AnyFolded, seat: str, kind: str) -> list[str]:
    """Return the ids of the creatures, sides or contests that *seat* sees."""
    if kind == "contest":
        return [*folded.state.contests]
    tokens = folded.ruleset.tokens(view(folded.state, seat))
    return [each.id for each in tokens] if kind == "creature" else sorted({each.side for each in tokens})


def _outcome(request: ApiRequest, heard: Outcome) -> views.Data:
    """Return the outcome of a decided command for its sender."""
    found = sending.result_from(request.services, request.encounter, request.me.seat, heard)
    return outcome_data(request, found, sender=True)


def outcome_data(
    request: ApiRequest, found: sending.CommandResult, *, sender: bool = False, asks_next: bool = True
) -> views.Data:
    """Return the outcome of a command; with `?text=en` also what happened in sentences."""
    services, encounter, seat = request.services, request.encounter, request.me.seat
    data = sending.result_data(services, encounter, seat, found, sender=sender, asks_next=asks_next)
    if parameters.TEXT.name in request.query:
        (data["text"],) = reading.spoken(services, encounter, seat, [found])
    return data


def first_commit(
    request: ApiRequest, encounter: str, seconds: float, *, asked: bool = False
) -> Steps[Commit | None]:
    """Return the first commit of *encounter*, None if it is not decided within *seconds*.

    Set *asked* if this request has just appended its opening. Raises `command-quarantined` and
    `command-refused`. The opening is recorded, so if the store fails from here on, it is undecided and not
    failed.
    """
    try:
        heard = yield request.services.outcomes.pause(encounter, 1, seconds, asked=asked)
    except StoreFailure:
        return None
    if heard is None:
        return None
    commit = load_commit(heard.raw)
    if commit.outcome == QUARANTINED:
        raise Problem("command-quarantined", "deciding the opening failed three times", members={"n": 1})
    if commit.outcome != ACCEPTED:
        raise Problem("command-refused", "the opening was refused", members=commit.refusal or {})
    return commit


def receipt_headers(request: ApiRequest, sent: Appended) -> dict[str, str]:
    """Return the headers of the response to a request that appended *sent*."""
    headers = _key_header(request)
    if sent.replayed:
        headers["Idempotency-Replayed"] = "true"
    if request.preference.applied:
        headers["Preference-Applied"] = request.preference.applied
    return headers


def job_accepted(request: ApiRequest, job: Mapping[str, Any], where: str, *, replayed: bool) -> ApiResponse:
    """Return 202 with the state of *job*; *where* is the address to poll."""
    headers = _key_header(request) | {"Location": where, "Retry-After": "1"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return ApiResponse(job, 202, headers)


def _key_header(request: ApiRequest) -> dict[str, str]:
    return {"Idempotency-Key": f'"{request.repeatable.key}"'}


def _refusal(
    request: ApiRequest,
    code: str,
    detail: str,
    rule: str | None,
    headers: Mapping[str, str],
    n: int | None = None,
) -> Problem:
    members: dict[str, Any] = {"code": code, "rule": rule, "options": request.below("/options")}
    if n is not None:
        members["n"] = n
    return Problem("command-refused", detail, members=members, headers=headers)


def address(request: ApiRequest, n: int) -> str:
    """Return the address of command *n*."""
    return request.below(f"/commands/{n}")
