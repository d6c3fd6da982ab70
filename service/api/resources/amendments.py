"""Continue otherwise from an earlier moment: undo, redo, what the gm rules; shown before it is accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from service.api.call import Answer, Call
from service.api.inputs import ACCEPTANCE, NEW_REDO, NEW_UNDO
from service.api.operations import GM_ALONE, Shape, operation
from service.api.problems import not_found
from service.api.schemas import faults
from service.api.sending import judge, pending, refused_at_the_door, send_checked
from service.encounter.lines import accepting, amending, continuing
from service.encounter.reading import views
from service.rules.amendments import AcceptAmendment, DropAmendment, Redo, Undo
from service.rules.messages import Refused
from service.steps import Steps

TAG: Final = "Amendments"
_PATH: Final = "/v1/encounters/{encounter}"
_ONE: Final = _PATH + "/amendments/{amendment}"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_PENDING: Final = Shape("The command is on the record and not yet decided.", "Outcome")
_PROPOSED: Final = Shape("The proposal, with how its line differs once that is decided.", "Amendment")


@operation(
    "POST",
    _PATH + "/undo",
    "undo",
    TAG,
    roles=GM_ALONE,
    body="NewUndo",
    waits=True,
    problems=_PROBLEMS,
    answers={201: _PROPOSED, 202: _PENDING},
)
def undo(call: Call) -> Steps[Answer]:
    """Propose to take back everything from a commit on.

    Nothing changes until the proposal is accepted. Dice that were thrown stay: who does the same again throws
    the same.
    """
    judge(faults(NEW_UNDO, call.data))
    return (yield from pending(call, (yield from send_checked(call, Undo, call.data)), told_proposal(call)))


@operation(
    "POST",
    _PATH + "/redo",
    "redo",
    TAG,
    roles=GM_ALONE,
    body="NewRedo",
    waits=True,
    problems=_PROBLEMS,
    answers={201: _PROPOSED, 202: _PENDING},
)
def redo(call: Call) -> Steps[Answer]:
    """Propose to take again what an undo has taken back, with the same dice."""
    judge(faults(NEW_REDO, call.data))
    return (yield from pending(call, (yield from send_checked(call, Redo, call.data)), told_proposal(call)))


@operation("GET", _ONE, "getAmendment", TAG, roles=GM_ALONE, answers={200: _PROPOSED})
def get_amendment(call: Call) -> Answer:
    """Tell how a proposed line differs from the one as played.

    `commands` lists every old command with what became of it, `gone` those that are refused now because what
    they answered is not asked any more, `left` those that are not taken. `patch` (RFC 6902) leads from the
    state as played to the proposed one.
    """
    return Answer(_shown(call, call.path["amendment"]))


@operation(
    "POST",
    _ONE + "/accept",
    "acceptAmendment",
    TAG,
    roles=GM_ALONE,
    body="Acceptance",
    waits=True,
    problems=_PROBLEMS,
    answers={200: Shape("Accepted: the encounter goes on in the other line.", "Amendment"), 202: _PENDING},
)
def accept_amendment(call: Call) -> Steps[Answer]:
    """Accept a proposal: the encounter goes on in its line, and this one stays as it was played.

    `version` is the one that was compared; if anything has happened since, nothing is accepted. Seat tokens
    keep working: they open the new line too.
    """
    judge(faults(ACCEPTANCE, call.data))
    name = call.path["amendment"]
    try:
        data = amending.acceptance(call.host, call.encounter, name, call.data["version"])
    except Refused as refused:
        raise refused_at_the_door(call, refused) from refused
    sent = yield from send_checked(call, AcceptAmendment, data)
    return (yield from pending(call, sent, _accepted(call, data)))


@operation(
    "DELETE",
    _ONE,
    "dropAmendment",
    TAG,
    roles=GM_ALONE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: Shape("It is dropped.", "Amendment"), 202: _PENDING},
)
def drop_amendment(call: Call) -> Steps[Answer]:
    """Drop a proposal: the line as played goes on."""
    name = call.path["amendment"]
    sent = yield from send_checked(call, DropAmendment, {"amendment": name})
    return (yield from pending(call, sent, lambda _outcome: Answer(_shown(call, name))))


def told_proposal(call: Call) -> Callable[[views.Data], Answer]:
    """Return how to answer a command that proposed: with the proposal."""

    def answer(outcome: views.Data) -> Answer:
        name = next(e["amendment"] for e in outcome["events"] if e["type"] == "amendment_proposed")
        data = _shown(call, name) | {"n": outcome["n"]}
        return Answer(data, 201, {"Location": f"/v1/encounters/{call.encounter}/amendments/{name}"})

    return answer


def _accepted(call: Call, data: Mapping[str, Any]) -> Callable[[views.Data], Answer]:
    def answer(outcome: views.Data) -> Answer:
        entry = call.host.register.find(data["encounter"])
        assert entry is not None, "a line that is accepted has an entry"
        call.host.register.show(entry)
        accepting.take_up(call.host, data["encounter"], call.preference.seconds)
        link = f'</v1/encounters/{data["encounter"]}>; rel="successor-version"'
        return Answer(_shown(call, data["amendment"]) | {"n": outcome["n"]}, 200, {"Link": link})

    return answer


def _shown(call: Call, name: str) -> views.Data:
    found = continuing.proposal(call.host.log, call.encounter, name)
    if found is None:
        raise not_found()
    drafted = amending.draft(call.host, found, call.preference.seconds)
    return amending.shown(call.host, drafted)
