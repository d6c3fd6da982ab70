"""Forks: try something in a new encounter that continues from a commit of this one."""

from __future__ import annotations

from typing import Annotated, Any, Final

from service.api.answers import OUTCOME
from service.api.command_outcomes import (
    first_commit,
    idempotency_key,
    read_command,
    receipt_headers,
    refusal_problem,
)
from service.api.operations import READERS, ResponseSchema, operation
from service.api.problems import Problem, invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import raise_if_invalid, schema_of
from service.api.shapes import HASH, NUMBER, TEXT, TIME, UUID, closed, component, listing, maybe
from service.core import seams, views
from service.log import StoreFailure
from service.record.commit import load_commit
from service.rules.kernel.meaning import at_most
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import record
from service.rules.kernel.values import CommandLike, Ordinal
from service.rules.table.table import GM
from service.steps import Steps
from service.stores import forks, seat_tokens
from service.stores.encounter_index import EncounterEntry
from service.usecases import forking, reading, sending
from service.usecases.lines import are_of_one_game, chain
from service.usecases.preconditions import CommandInput

TAG: Final = "Forks"
FORK: Final = component(
    "Fork",
    closed(
        "A fork: its id, the commit that it continues from, and the outcomes of its first commands.",
        {"token": {**TEXT, "description": "Your token for the fork, if you sent a seat token."}},
        encounter=UUID,
        parent=UUID,
        at={**NUMBER, "description": "The last commit of the parent that is part of the fork."},
        expires={**TIME, "description": "When it is deleted."},
        n={
            **NUMBER,
            "description": "Its last command: the last of `commands`, or its opening.",
        },
        outcome={
            "enum": ["pending", "accepted", "refused", "sealed", "quarantined"],
            "description": "The outcome of command `n`.",
        },
        outcomes={**listing(OUTCOME), "description": "The outcomes of `commands`, in order."},
        version={**NUMBER, "description": "The number of its last commit."},
        hash={**maybe(HASH), "description": "The hash of commit `n`; null until it is decided."},
    ),
)
LISTED_FORK: Final = component(
    "ListedFork",
    closed(
        "A fork of this encounter.",
        encounter=UUID,
        parent=UUID,
        at={**maybe(NUMBER), "description": "The last commit of the parent that is part of the fork."},
        opened=TIME,
        expires={**TIME, "description": "When it is deleted."},
        made_by={**TEXT, "description": "The seat that made it."},
    ),
)
FORKS: Final = component("Forks", closed("The forks of an encounter.", forks=listing(LISTED_FORK)))
_PATH: Final = "/v1/encounters/{encounter}/forks"
MOST_COMMANDS: Final = 50


@record
class NewFork:
    """The commit to fork after, and the first commands of the fork."""

    at: Ordinal
    commands: Annotated[tuple[CommandLike, ...], at_most(MOST_COMMANDS)] = ()


NEW_FORK: Final = schema_of(NewFork)()


@operation(
    "POST",
    _PATH,
    "forkEncounter",
    TAG,
    has_secret=True,
    roles=READERS,
    body=NEW_FORK,
    waits=True,
    problems=("command-refused", "too-many-forks"),
    answers={
        201: ResponseSchema("The fork exists.", FORK),
        202: ResponseSchema("The fork is recorded, but not all of its commands are decided.", FORK),
    },
)
def fork_encounter(request: ApiRequest) -> Steps[ApiResponse]:
    """Fork the encounter: open a new one that continues from a commit of this one, with its own dice.

    You are the gm of the fork and act for everybody in it. `commands` are sent to it at once, as `POST
    …/commands` with `?continue_on_refusal=true` does; where that records nothing, there is no fork. Until
    this encounter is closed only its gm may fork it. You cannot fork where something is sealed from you
    (`sealed_here`). A fork changes nothing here. It is deleted when it `expires`, with every line that
    continues it. For a seat token you get a token of the fork.

    `n`, `outcome` and `hash` describe the last of `commands`, or the opening if there are none; `outcomes`
    has the outcome of each. A refused command leaves the fork unchanged.
    """
    newest = reading.head(request.services, request.encounter)
    at: int = request.data["at"]
    if not 1 <= at <= newest:
        raise invalid(("/at", f"from 1 to {newest}, the newest version"))
    commands = _commands(request)
    try:
        made = forking.fork(
            request.services,
            request.encounter,
            at,
            request.me.seat,
            request.me.role,
            commands,
            idempotency_key(request, request.me.scope),
        )
    except Refused as refused:
        raise refusal_problem(request, refused) from refused
    except forking.ForkExpired as gone:
        raise Problem("fork-expired", str(gone)) from gone
    except forking.TooManyForks as full:
        raise Problem("too-many-forks", str(full), members={"limit": full.most}) from full
    fork, n = made.entry.encounter, 1 + len(commands)
    data: dict[str, Any] = {"encounter": fork, "parent": request.encounter, "at": at, "n": n}
    data["expires"] = made.entry.expires
    if request.me.scope.startswith("seat:"):
        data["token"] = seat_tokens.token(request.services.service_key, fork, GM, 1)
    headers = receipt_headers(request, made.sent) | {"Location": f"/v1/encounters/{fork}"}
    try:
        return (yield from _opened(request, fork, n, data, headers))
    except StoreFailure:  # the fork is recorded already
        outcomes = [{"n": number, "outcome": "pending"} for number in range(2, n + 1)]
        data |= {"outcome": "pending", "outcomes": outcomes, "version": 0, "hash": None}
        return ApiResponse(data, 202, headers | {"Retry-After": "1"})


def _opened(
    request: ApiRequest, fork: str, n: int, data: dict[str, Any], headers: dict[str, str]
) -> Steps[ApiResponse]:
    """Wait for the *n* commands of a fork as long as the client prefers; return 201, or 202 if undecided."""
    last = yield request.services.outcomes.pause(fork, n, request.preference.seconds)
    yield from first_commit(request, fork, 0)
    outcomes = [_outcome(request, fork, number) for number in range(1, n + 1)]
    data |= {"outcome": outcomes[-1]["outcome"], "outcomes": outcomes[1:]}
    if last is None:
        data |= {"version": reading.head(request.services, fork), "hash": None}
        return ApiResponse(data, 202, headers | {"Retry-After": "1"})
    return ApiResponse(data | {"version": n, "hash": load_commit(last.raw).hash}, 201, headers)


def _outcome(request: ApiRequest, fork: str, n: int) -> views.Data:
    """Return the outcome of command *n* of a fork, as its gm may see it."""
    found = sending.result_of(request.services, fork, GM, n)
    return (
        {"n": n, "outcome": "pending"}
        if found is None
        else sending.result_data(request.services, fork, GM, found)
    )


@operation("GET", _PATH, "listForks", TAG, roles=READERS, answers={200: ResponseSchema("The forks.", FORKS)})
def list_forks(request: ApiRequest) -> ApiResponse:
    """List the forks of this encounter, newest first: the gm sees all, another seat its own."""
    services = request.services
    found = [
        fork
        for line in reversed(list(chain(services, services.encounters.root(request.encounter))))
        for fork in forks.of_parent(services.log, services.encounters, line)
    ]
    live = [each for each in found if forking.is_live(request.services, each)]
    return ApiResponse({"forks": [_shown(request, each) for each in live if _is_mine(request, each)]})


@operation(
    "DELETE",
    _PATH + "/{fork}",
    "deleteFork",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The deleted fork.", LISTED_FORK)},
)
def delete_fork(request: ApiRequest) -> ApiResponse:
    """Delete a fork now, with every line that continues it: the gm any fork, another seat its own.

    From now on its address answers 410 `fork-expired`, and it no longer counts towards the limits. The
    operation can be repeated.
    """
    fork = request.services.encounters.find(request.path["fork"])
    if fork is None or fork.parent is None or not _is_mine(request, fork):
        raise not_found()
    if not are_of_one_game(request.services, fork.parent, request.encounter):
        raise not_found()
    shown = _shown(request, fork)
    ended = fork if fork.has_expired(request.services.clock()) else forking.end(request.services, fork)
    return ApiResponse(shown | {"expires": ended.expires})


def _is_mine(request: ApiRequest, fork: EncounterEntry) -> bool:
    return request.me.role == GM or fork.made_by == request.me.seat


def _shown(request: ApiRequest, fork: EncounterEntry) -> dict[str, Any]:
    origin = seams.origin_of(request.services.log, fork.encounter)
    return {
        "encounter": fork.encounter,
        "parent": fork.parent,
        "at": origin["n"] if origin is not None else None,
        "opened": fork.opened,
        "expires": fork.expires,
        "made_by": fork.made_by,
    }


def _commands(request: ApiRequest) -> list[CommandInput]:
    """Return the first commands of the fork, each checked against its schema; raises `invalid`."""
    given = request.data.get("commands", ())
    if len(given) > MOST_COMMANDS:
        raise invalid(("/commands", f"at most {MOST_COMMANDS}"))
    made: list[CommandInput] = []
    found: list[tuple[str, str]] = []
    for index, each in enumerate(given):
        kind, data, wrong = read_command(request, each, f"/commands/{index}")
        found += wrong
        made.append((kind, data))
    raise_if_invalid(found)
    return made
