"""Append commands for the operations that do, and answer what became of them: one way for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from service.api.call import Answer, Call
from service.api.problems import Problem
from service.api.schemas import faults
from service.encounter import play
from service.encounter.at_the_door import Given
from service.encounter.lines.accepting import is_draft
from service.encounter.reading import views
from service.encounter.record.commit import ACCEPTED, QUARANTINED, Commit, load_commit
from service.log import Outcome, StoreFailure
from service.rules.messages import Actor, Command, Refused
from service.rules.rulebook import refuser
from service.steps import Steps, settle


def read_command(
    call: Call, data: object, at: str = ""
) -> tuple[type[Command[Any]], dict[str, Any], list[tuple[str, str]]]:
    """Return the kind of a command, what it is given, and what is wrong with that (pointer, detail)."""
    told = data if isinstance(data, dict) else {}
    type_, schema = call.inputs[call.me.edition].command(told.get("type"), at)
    found = [(at + pointer, detail) for pointer, detail in faults(schema, told)]
    given = {name: value for name, value in told.items() if name != "type"}
    return call.host.shelf[call.me.edition].commands[type_], given, found


def once(call: Call, scope: str) -> play.Once:
    """Return what makes the request happen once for the owner *scope* of its key."""
    asked = call.repeatable
    return play.Once(scope=scope, key=asked.key, fingerprint=asked.fingerprint)


def send_checked(
    call: Call, kind: type[Command[Any]], data: Mapping[str, Any], *, expected: int | None = None
) -> Steps[play.Sent]:
    """Append a command that fits its schema; a refusal at the door becomes its problem."""
    wanted = call.expected if expected is None else expected
    actor = Actor(seat=call.me.seat, role=call.me.role)
    try:
        return (
            yield from play.send(
                call.host, call.encounter, actor, kind, data, once(call, call.me.scope), expected=wanted
            )
        )
    except Refused as refused:
        raise refused_at_the_door(call, refused) from refused


def refused_at_the_door(call: Call, refused: Refused) -> Problem:
    """Return the problem of a refusal that leaves no trace on the record."""
    rule = refused.rule or refuser(refused.__traceback__)
    problem = _refusal(refused.code, refused.detail, rule, _key_header(call))
    if refused.code == "encounter_continued":
        problem.members["encounter"] = call.host.folder.current(call.encounter).state.continued
    return problem


def refuse_draft(call: Call) -> None:
    """Raise the problem of a line that is only proposed: nothing is signed of it until it is accepted."""
    if is_draft(call.host, call.encounter):
        detail = "the line is proposed, not accepted: nothing is signed of it"
        raise Problem("command-refused", detail, members={"code": "line_not_accepted", "rule": None})


def send_array(call: Call, commands: Sequence[Given], *, stop: bool) -> Steps[play.Sent]:
    """Append commands that fit their schemas together; a refusal at the door becomes its problem."""
    actor = Actor(seat=call.me.seat, role=call.me.role)
    asked = once(call, call.me.scope)
    try:
        return (
            yield from play.send_all(
                call.host, call.encounter, actor, commands, asked, expected=call.expected, stop=stop
            )
        )
    except Refused as refused:
        raise refused_at_the_door(call, refused) from refused


def pending_array(call: Call, sent: play.Sent, count: int) -> Steps[Answer]:
    """Wait for the outcomes of *count* commands from *sent* on, as long as the client prefers.

    They are on the record: a store that fails from here on makes them pending, never failed.
    """
    try:
        yield call.host.outcomes.pause(
            call.encounter, sent.n + count - 1, call.preference.seconds, asked=not sent.replayed
        )
        answer = yield from settle(partial(outcomes, call, sent.n, count, sender=True))
    except StoreFailure:
        answer = _undecided(call, sent.n, {"outcomes": _pending(sent.n, sent.n + count)})
    answer.headers = after(call, sent) | answer.headers
    return answer


def outcomes(call: Call, n: int, count: int, *, sender: bool = False) -> Answer:
    """Answer what became of the *count* commands of an array, as far as it is decided."""
    host, encounter, seat = call.host, call.encounter, call.me.seat
    told: list[views.Data] = []
    for number in range(n, n + count):
        found = play.became(host, encounter, seat, number)
        if found is None:
            return _undecided(call, n, {"outcomes": told + _pending(number, n + count)})
        told.append(play.outcome(host, encounter, seat, found, sender=sender))
    return Answer({"n": n, "outcomes": told}, version=str(n + count - 1))


def pending(
    call: Call, sent: play.Sent, answer: Callable[[views.Data], Answer] | None = None
) -> Steps[Answer]:
    """Wait for the outcome of *sent* as long as the client prefers, and answer it (through *answer*).

    It is on the record: a store that fails from here on makes it pending, never failed.
    """
    headers = after(call, sent)
    try:
        return (yield from _decided(call, sent, headers, answer))
    except StoreFailure:
        made = _undecided(call, sent.n, {"outcome": "pending"})
        made.headers |= headers
        return made


def _pending(first: int, end: int) -> list[views.Data]:
    return [{"n": n, "outcome": "pending"} for n in range(first, end)]


def _undecided(call: Call, n: int, told: views.Data) -> Answer:
    """Answer that commands from *n* on are on the record, and where to ask what becomes of them."""
    return Answer({"n": n, **told}, 202, {"Location": address(call, n), "Retry-After": "1"})


def _decided(
    call: Call, sent: play.Sent, headers: dict[str, str], answer: Callable[[views.Data], Answer] | None
) -> Steps[Answer]:
    heard = yield call.host.outcomes.pause(
        call.encounter, sent.n, call.preference.seconds, asked=not sent.replayed
    )
    if heard is None:
        made = _undecided(call, sent.n, {"outcome": "pending"})
        made.headers |= headers
        return made
    outcome = yield from settle(partial(_outcome, call, heard))
    if outcome["outcome"] == "quarantined":
        members = {"n": sent.n}
        raise Problem(
            "command-quarantined", "deciding it failed three times", members=members, headers=headers
        )
    if "refusal" in outcome:
        why = outcome["refusal"]
        raise _refusal(why["code"], why["detail"], why["rule"], headers, sent.n)
    made = (yield from settle(partial(answer, outcome))) if answer else Answer(outcome)
    made.headers |= headers
    made.version = str(outcome["n"])
    return made


def _outcome(call: Call, heard: Outcome) -> views.Data:
    """Return what the sender of a command is answered once the command is decided."""
    found = play.heard_by(call.host, call.encounter, call.me.seat, heard)
    return play.outcome(call.host, call.encounter, call.me.seat, found, sender=True)


def first_commit(call: Call, encounter: str, seconds: float) -> Steps[Commit | None]:
    """Return the commit that opened *encounter*, None if there is none within *seconds*.

    Raises the problem of what happened instead. The opening is on the record: where the store fails from
    here on it is undecided, never failed.
    """
    try:
        heard = yield call.host.outcomes.pause(encounter, 1, seconds)
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


def after(call: Call, sent: play.Sent) -> dict[str, str]:
    """Return the headers of an answer to a request that appended *sent*."""
    headers = _key_header(call)
    if sent.replayed:
        headers["Idempotency-Replayed"] = "true"
    if call.preference.applied:
        headers["Preference-Applied"] = call.preference.applied
    return headers


def under_way(call: Call, job: Mapping[str, Any], where: str, *, replayed: bool) -> Answer:
    """Answer a request that asked for a job: what it is now, and *where* to ask how far it is."""
    headers = _key_header(call) | {"Location": where, "Retry-After": "1"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return Answer(job, 202, headers)


def _key_header(call: Call) -> dict[str, str]:
    return {"Idempotency-Key": f'"{call.repeatable.key}"'}


def _refusal(
    code: str, detail: str, rule: str | None, headers: Mapping[str, str], n: int | None = None
) -> Problem:
    members: dict[str, Any] = {"code": code, "rule": rule}
    if n is not None:
        members["n"] = n
    return Problem("command-refused", detail, members=members, headers=headers)


def address(call: Call, n: int) -> str:
    """Return where command *n* is asked for."""
    return f"/v1/encounters/{call.encounter}/commands/{n}"
