"""Contest moments of the record, and answer contests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from service.api.call import Answer, Call
from service.api.inputs import CONTEST_RULING, NEW_CONTEST
from service.api.operations import ACTORS, GM_ALONE, READERS, Shape, operation
from service.api.problems import invalid, not_found
from service.api.schemas import faults
from service.api.sending import judge, pending, send_checked
from service.encounter import play
from service.encounter.reading import views
from service.encounter.reading.contests import contest_data
from service.rules.amendments import Amend, AmendmentProposed
from service.rules.contests import OpenContest, Uphold
from service.steps import Steps

TAG: Final = "Contests"
_PATH: Final = "/v1/encounters/{encounter}/contests"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_PENDING: Final = Shape("The command is on the record and not yet decided.", "Outcome")
_RULING: Final = "gm_ruling"
_OF_EFFECTS: Final = ("kind", "subject", "effects")
_OF_AS_RULED: Final = ("instead",)


@operation(
    "POST",
    _PATH,
    "openContest",
    TAG,
    roles=ACTORS,
    body="NewContest",
    waits=True,
    problems=_PROBLEMS,
    answers={201: Shape("The contest.", "Contest"), 202: _PENDING},
)
def open_contest(call: Call) -> Steps[Answer]:
    """Contest a commit, an event in it, or a roll, with a claim.

    What can be contested is what everybody can see; what is sealed from anybody is refused as what does not
    exist is (`no_such_moment`). Play goes on until the gm answers.
    """
    judge(faults(NEW_CONTEST, call.data))
    sent = yield from send_checked(call, OpenContest, call.data)
    return (yield from pending(call, sent, _told(call, "contest_opened", 201)))


@operation(
    "GET",
    _PATH,
    "listContests",
    TAG,
    roles=READERS,
    answers={200: Shape("The contests.", "Contests"), 304: Shape("Nothing has changed.")},
)
def list_contests(call: Call) -> Answer:
    """List all contests, in the order they were opened."""
    folded = call.host.folder.current(call.encounter)
    found = [contest_data(folded.state, name) for name in folded.state.contests]
    return Answer({"contests": found}, version=str(folded.n))


@operation(
    "GET",
    _PATH + "/{contest}",
    "getContest",
    TAG,
    roles=READERS,
    answers={200: Shape("The contest.", "Contest"), 304: Shape("Nothing has changed.")},
)
def get_contest(call: Call) -> Answer:
    """Tell one contest, and how it ended."""
    folded = call.host.folder.current(call.encounter)
    data = contest_data(folded.state, call.path["contest"])
    if data is None:
        raise not_found()
    return Answer(data, version=str(folded.n))


@operation(
    "POST",
    _PATH + "/{contest}/ruling",
    "answerContest",
    TAG,
    roles=GM_ALONE,
    body="ContestRuling",
    waits=True,
    problems=_PROBLEMS,
    answers={201: Shape("The contest, answered.", "Contest"), 202: _PENDING},
)
def answer_contest(call: Call) -> Steps[Answer]:
    """Answer a contest: `upheld`, mended by `effects` that work from now on, or decided again `as_ruled`.

    With `upheld` the explanation of the moment is the ground. With `effects`, `kind`, `subject` and `effects`
    are those of the edition's `gm_ruling`, which is what is sent. With `as_ruled` the fight is decided again
    from the contested commit, with the commands in `instead` in its place; the answer names the `amendment`,
    which shows the difference and is still to be accepted.
    """
    judge(faults(CONTEST_RULING, call.data))
    answer = {"contest": call.path["contest"], "decision": call.data["decision"]}
    answer["reason"] = call.data.get("reason", "")
    ending = call.data["ending"]
    if ending == "effects":
        _without(call, ending, _OF_AS_RULED)
        sent = yield from _send_effects(call, answer)
    elif ending == "as_ruled":
        _without(call, ending, _OF_EFFECTS)
        sent = yield from send_checked(call, Amend, answer | {"instead": _instead(call)})
        return (yield from pending(call, sent, _told(call, AmendmentProposed.type, 201)))
    else:
        _without(call, ending, (*_OF_EFFECTS, *_OF_AS_RULED))
        sent = yield from send_checked(call, Uphold, answer)
    return (yield from pending(call, sent, _told(call, "contest_closed", 201)))


def _send_effects(call: Call, answer: dict[str, Any]) -> Steps[play.Sent]:
    """Append the edition's ruling with its effects."""
    schema = call.inputs[call.me.edition].commands.get(_RULING)
    if schema is None:
        raise invalid(("/ending", f"{call.me.edition} has no rulings with effects"))
    data = answer | {name: call.data[name] for name in _OF_EFFECTS if name in call.data}
    judge(faults(schema, {"type": _RULING, **data}))
    return (yield from send_checked(call, call.host.shelf[call.me.edition].commands[_RULING], data))


def _instead(call: Call) -> list[dict[str, Any]]:
    """Return the commands taken in place of the contested one, each held to its schema."""
    made = []
    for index, each in enumerate(call.data.get("instead", ())):
        told = dict(each) if isinstance(each, dict) else {}
        by = told.pop("by", "sender")
        type_, schema = call.inputs[call.me.edition].command(told.pop("type", None), f"/instead/{index}")
        if by not in ("sender", "gm"):
            raise invalid((f"/instead/{index}/by", "one of sender, gm"))
        found = faults(schema, {"type": type_, **told})
        judge([(f"/instead/{index}{pointer}", detail) for pointer, detail in found])
        made.append({"type": type_, "data": told, "by": by})
    return made


def _without(call: Call, ending: str, names: tuple[str, ...]) -> None:
    """Refuse members that belong to another ending: nothing that is sent goes without effect."""
    more = [name for name in names if name in call.data]
    if more:
        raise invalid((f"/{more[0]}", f"nothing: it does not belong to {ending}"))


def _told(call: Call, type_: str, status: int) -> Callable[[views.Data], Answer]:
    """Return how to answer a command that told of a contest: with the contest."""

    def answer(outcome: views.Data) -> Answer:
        name = next(event["contest"] for event in outcome["events"] if event["type"] == type_)
        state = call.host.folder.current(call.encounter, outcome["n"]).state
        data = contest_data(state, name)
        assert data is not None, "a contest that was told is there"
        if type_ == AmendmentProposed.type:
            data["amendment"] = state.amendment.id
        where = {"Location": f"/v1/encounters/{call.encounter}/contests/{name}"}
        return Answer(data | {"n": outcome["n"]}, status, where)

    return answer
