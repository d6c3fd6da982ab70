"""Ask what if: an encounter of its own that goes on from a moment of this one."""

from __future__ import annotations

from typing import Any, Final

from service.api.call import Answer, Call
from service.api.inputs import NEW_FORK
from service.api.operations import Shape, operation
from service.api.problems import Problem, invalid
from service.api.schemas import faults
from service.api.sending import after, check_opened, judge, once, read_command, refused_at_the_door
from service.encounter.at_the_door import Given
from service.encounter.lines import forking
from service.encounter.reading import records
from service.encounter.record.commit import load_commit
from service.encounter.stores import seats
from service.rules.messages import Refused
from service.rules.table import GM

TAG: Final = "Forks"
MOST_COMMANDS: Final = 50


@operation(
    "POST",
    "/v1/encounters/{encounter}/forks",
    "forkEncounter",
    TAG,
    body="NewFork",
    waits=True,
    problems=("command-refused",),
    answers={
        201: Shape("The fork exists.", "Fork"),
        202: Shape("Its opening is on its record and not yet decided.", "Fork"),
    },
)
def fork_encounter(call: Call) -> Answer:
    """Ask what if: open an encounter that goes on from this one after a commit, with dice of its own.

    You are its gm and command everybody in it; `commands` are given there at once, as `POST …/commands` with
    `?continue=true` would take them: what is refused at the door there is refused here, and then there is no
    fork. Before this encounter is closed only its gm may fork, and never where something is sealed from you
    (`sealed_here`). Nothing is ever written here. A fork is deleted when it `expires`, with all that went on
    from it. With a seat's token you get a token for the fork.
    """
    judge(faults(NEW_FORK, call.data))
    newest = records.head(call.host, call.encounter)
    at: int = call.data["at"]
    if not 1 <= at <= newest:
        raise invalid(("/at", f"from 1 to {newest}, the newest version"))
    commands = _commands(call)
    try:
        made = forking.fork(
            call.host, call.encounter, at, call.me.seat, call.me.role, commands, once(call, call.me.scope)
        )
    except Refused as refused:
        raise refused_at_the_door(call, refused) from refused
    except forking.Forgotten as gone:
        raise Problem("fork-expired", str(gone)) from gone
    fork = made.entry.encounter
    data: dict[str, Any] = {
        "encounter": fork,
        "parent": call.encounter,
        "at": at,
        "expires": made.entry.expires,
        "n": 1 + len(commands),
    }
    if call.me.scope.startswith("seat:"):
        data["token"] = seats.token(call.host.service_key, fork, GM, 1)
    headers = after(call, made.sent) | {"Location": f"/v1/encounters/{fork}"}
    heard = call.host.outcomes.wait(fork, 1, call.preference.seconds)
    if heard is None:
        data |= {"outcome": "pending", "version": 0, "hash": None}
        return Answer(data, 202, headers | {"Retry-After": "1"})
    commit = load_commit(heard.raw)
    check_opened(commit)
    return Answer(data | {"outcome": commit.outcome, "version": 1, "hash": commit.hash}, 201, headers)


def _commands(call: Call) -> list[Given]:
    """Return the commands given in the fork at once, each held to its schema."""
    given = call.data.get("commands", ())
    if len(given) > MOST_COMMANDS:
        raise invalid(("/commands", f"at most {MOST_COMMANDS}"))
    made: list[Given] = []
    found: list[tuple[str, str]] = []
    for index, each in enumerate(given):
        kind, data, wrong = read_command(call, each, f"/commands/{index}")
        found += wrong
        made.append((kind, data))
    judge(found)
    return made
