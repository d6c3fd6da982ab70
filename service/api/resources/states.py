"""The state as a seat sees it, and the commands that the seat may send."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from service.api import parameters
from service.api.answers import PROMPT
from service.api.answers import STATE as EDITION_STATE
from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.parameters import SEEN_BY, Parameter
from service.api.problems import Problem, invalid
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import near
from service.api.shapes import (
    HASH,
    NUMBER,
    SEAT,
    TEXT,
    UUID,
    Schema,
    closed,
    component,
    listing,
    numbers,
    ref,
)
from service.core import views
from service.core.fold import AnyFolded
from service.core.sentences import names_for
from service.core.shared_lists import SharedLists
from service.core.unprompted import refused, unprompted
from service.rules.kernel.messages import Awaited
from service.rules.ruleset import legal, legal_types
from service.steps import Steps
from service.usecases import reading

TAG: Final = "State"
LINE_OF: Final = {**UUID, "description": "Its line of play; `version` is a number there."}
STATE: Final = component(
    "State",
    closed(
        "The state of the encounter after a commit, as this seat may see it.",
        line=LINE_OF,
        version=NUMBER,
        known=NUMBER,
        hash=HASH,
        view={**HASH, "description": "SHA-256 of the canonical JSON of `state`."},
        state=EDITION_STATE,
    ),
)
CELLS: Final = component(
    "Cells",
    closed(
        "Cells, in ranges of rows: each is y, the least x and the greatest x.",
        cells=listing(numbers(3)),
    ),
)
PATHS: Final = component(
    "StraightPaths",
    closed(
        "Straight paths from the cell `start`. Each range is a step along x and y, and the least and the "
        "greatest length: the path of length n has the n cells that follow `start`.",
        start=numbers(2),
        paths=listing(numbers(4)),
    ),
)
SHARED: Final = component(
    "SharedList",
    closed(
        "The values of `lists[list]` of the answer, in that order, without those in `but`.",
        {"but": {**listing({}), "description": "Values of the list that are none of this choice."}},
        list={**NUMBER, "description": "The place of the list in `lists`, from 0 on."},
    ),
)
CHOICE: Final = component(
    "Choice",
    {"description": "The values of a field: a list of them, a list of the answer, cells, or straight paths."}
    | {"anyOf": [listing({}), SHARED, CELLS, PATHS]},
)
_CHOICES: Final[Schema] = {
    "type": "object",
    "description": "Other values that fields of `command` may have, by field; every combination is accepted.",
    "additionalProperties": CHOICE,
}
_SAID: Final[Schema] = {
    **TEXT,
    "description": "With `?text=en`, what it does, such as `Engage the orc`; `…` stands for what is still to "
    "be chosen.",
}
_GAPS: Final[Schema] = {
    **listing(TEXT),
    "description": "With `?text=en`, the fields that stand as `…` in `text`, in their order.",
}
_PASSES: Final[Schema] = {
    "type": "boolean",
    "description": "With `?text=en`, true if it does nothing, or nothing more: it lets the moment go by.",
}
COMPLETE_OFFER: Final = component(
    "CompleteOffer",
    closed(
        "A legal command, or several that differ in their choices. Send `command` as it is, or with other "
        "values of `choices`.",
        {"text": _SAID, "gaps": _GAPS, "passes": _PASSES},
        command=ref("Command"),
        choices=_CHOICES,
    ),
)
OPEN_OFFER: Final = component(
    "OpenOffer",
    closed(
        "A legal command in which a person writes some fields: a text, a seed, the faces of thrown dice.",
        {
            "text": _SAID,
            "gaps": _GAPS,
            "notes": {
                "type": "object",
                "description": "With `?text=en`: what to write, by field of `asks`; else the schema says it.",
                "additionalProperties": TEXT,
            },
            "passes": _PASSES,
            "seals": {
                **listing(COMPLETE_OFFER),
                "description": "Of `seal_choice`: the commands to one of which its commitment commits.",
            },
        },
        command={
            "type": "object",
            "description": "The type, and the fields that are given.",
            "properties": {"type": TEXT, "creature": SEAT, "prompt": TEXT},
            "required": ["type"],
        },
        choices=_CHOICES,
        asks={**listing(TEXT), "description": "The fields that a person writes."},
    ),
)
OFFER: Final = component(
    "Offer",
    {
        "description": "A legal command. One with `asks` lacks fields that a person writes.",
        "anyOf": [OPEN_OFFER, COMPLETE_OFFER],
    },
)
"""The one that requires more comes first: some generated clients take the first that fits."""
NAME: Final = {**TEXT, "description": "What people call it, such as `Award experience`."}
REFUSED: Final = closed("Why a command is not legal now.", code=TEXT, detail=TEXT)
UNPROMPTED: Final = component(
    "UnpromptedCommand",
    closed(
        "A command that answers no prompt. Its schema is that of its type.",
        {
            "called": {
                "type": "object",
                "description": "What numbers in `choices` stand for, by field and by value.",
                "additionalProperties": {"type": "object", "additionalProperties": TEXT},
            }
        },
        heading={**TEXT, "description": "Where people look for it, such as `Creatures`."},
        name=NAME,
        text={**TEXT, "description": "What it does, in a sentence."},
        command=closed("The type.", type=TEXT),
        choices={**_CHOICES, "description": "The values that fields may have on this table, by field."},
        lists={
            "type": "object",
            "description": "What may be in fields that are lists, by field.",
            "additionalProperties": listing({}),
        },
        asks={**listing(TEXT), "description": "The fields that a person must write."},
        may_ask={**listing(TEXT), "description": "The fields that a person may leave out."},
        refusal={
            "anyOf": [REFUSED, {"type": "null"}],
            "description": "Why it is not legal now; null if it may be.",
        },
    ),
)
OPTION: Final = component(
    "Option",
    closed(
        "A prompt that this seat may answer, and the commands that answer it.",
        {
            "types": {
                **listing(TEXT),
                "description": "With `?view=short`, in place of `commands`: the types of these commands.",
            },
            "refused": {
                **listing(
                    closed("A command that is not legal now.", type=TEXT, name=NAME, code=TEXT, detail=TEXT)
                ),
                "description": "With `?view=full`: the commands that answer this prompt and are not legal "
                "now, each with the reason.",
            },
        },
        prompt=PROMPT,
        commands={**listing(OFFER), "description": "The commands; empty with `?view=short`."},
    ),
)
OPTIONS: Final = component(
    "Options",
    closed(
        "All legal commands of this seat.",
        {
            "unprompted": {
                **listing(UNPROMPTED),
                "description": "With `?view=full`: the commands that answer no prompt.",
            }
        },
        line=LINE_OF,
        version=NUMBER,
        seat=SEAT,
        options=listing(OPTION),
        lists={
            **listing(listing({})),
            "description": "Long lists of values, each once: a choice with `list` has the values of one.",
        },
    ),
)
_TYPES: Final = r"[a-z0-9_]{1,64}(,[a-z0-9_]{1,64}){0,49}"
VERSION: Final = Parameter("at", "The state after this commit.", kind="whole", least=1)


@operation(
    "GET",
    "/v1/encounters/{encounter}/state",
    "getState",
    TAG,
    roles=READERS,
    query=(
        VERSION,
        Parameter(
            "known", "With `at`: also show what was revealed up to this commit.", kind="whole", least=1
        ),
        Parameter("round", "The state at the end of this round.", kind="whole", least=1),
        Parameter("min_version", "Wait until this commit is folded.", kind="whole"),
        SEEN_BY,
    ),
    answers={200: ResponseSchema("The state.", STATE), 304: UNCHANGED},
    problems=("not-yet-folded",),
    may_wait=True,
)
def get_state(request: ApiRequest) -> Steps[ApiResponse]:
    """Get the state as your seat may see it: now, after a commit, or at the end of a round.

    A value that is sealed from your seat is replaced by `{"sealed": [audience]}`. With `at` you see what your
    seat could see then; with `known` also what was opened since, up to that commit.
    """
    folded, known, occasions = yield from requested_state(request)
    state = views.state_data(folded.state, request.readers, occasions)
    data = {
        "line": request.encounter,
        "version": folded.n,
        "known": known,
        "hash": folded.hash,
        "view": views.view_hash(state),
        "state": state,
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")


def requested_state(request: ApiRequest) -> Steps[tuple[AnyFolded, int, tuple[str, ...]]]:
    """Return the encounter at the requested commit, up to which commit it opens, and which occasions came.

    It reads the parameters `at`, `known`, `round` and `min_version`, as far as the operation has them.
    """
    head = yield from _head(request)
    return _folded(request, head)


def _folded(request: ApiRequest, head: int) -> tuple[AnyFolded, int, tuple[str, ...]]:
    """Return the encounter at the requested commit, which is not after *head*, as `requested_state` does."""
    at, known = _requested_range(request, head)
    folder = request.services.folder
    folded = folder.current(request.encounter, head) if at == head else folder.at(request.encounter, at)
    if folded.n < at:  # a failover lost the commit after it was published
        raise _not_yet(at, folded.n)
    known = max(known, folded.n)  # the folded state may be newer than the head
    may_differ = known > folded.n or folded.state.closed  # the state still seals what the close opened
    occasions = request.services.occasions.upto(request.encounter, known) if may_differ else {}
    opened = tuple(occasion for occasion, n in occasions.items() if n <= known)
    return folded, known, opened


def _head(request: ApiRequest) -> Steps[int]:
    """Return the number of the last folded commit, after waiting for `min_version`.

    Raises the problems `not-yet-folded` and `invalid`.
    """
    wanted: int = request.query.get("min_version", 0)
    head = request.services.log.head(request.encounter)
    folded = head.folded if head else 0
    appended = head.appended if head else 0
    if wanted > max(appended, 1):
        raise invalid(("?min_version", f"at most {appended}, the newest command"))
    if folded < wanted <= appended:
        heard = yield request.services.outcomes.pause(request.encounter, wanted, request.preference.seconds)
        folded = folded if heard is None else wanted
    if folded < max(wanted, 1):
        raise _not_yet(max(wanted, 1), folded)
    return folded


def _not_yet(wanted: int, folded: int) -> Problem:
    detail = f"commit {wanted} is not folded yet; the version is {folded}"
    return Problem("not-yet-folded", detail, headers={"Retry-After": "1"})


def _requested_range(request: ApiRequest, head: int) -> tuple[int, int]:
    """Return the commit of the requested state, and the commit up to which openings are included."""
    query = request.query
    if "at" in query and "round" in query:
        raise invalid(("?round", "either `at` or `round`"))
    at = query.get("at", head)
    if "round" in query:
        spans = reading.rounds(request.services, request.encounter)
        span = next((span for span in spans if span.round == query["round"]), None)
        if span is None:
            raise invalid(("?round", "a round that has begun"))
        at = span.last or head
    known = query.get("known", at)
    if at > head:
        raise invalid(("?at", f"at most {head}, the newest version"))
    if not at <= known <= head:
        raise invalid(("?known", f"from {at} to {head}"))
    return at, known


@operation(
    "GET",
    "/v1/encounters/{encounter}/options",
    "getOptions",
    TAG,
    roles=READERS,
    query=(
        Parameter("creature", "Only commands of this creature.", pattern=r"[a-z0-9][a-z0-9-]{0,23}"),
        Parameter("prompt", "Only commands that answer this prompt."),
        Parameter("types", "Only commands of these types: `move,strike`.", pattern=_TYPES),
        Parameter(
            "at", "What was legal after this commit, to compare with what was done.", kind="whole", least=1
        ),
        Parameter(
            "view",
            "`short`: of each prompt only the types of its commands; `full`: also the commands that answer "
            "no prompt, and why others are not legal now.",
            pattern="short|full",
        ),
        parameters.TEXT,
    ),
    answers={200: ResponseSchema("The options.", OPTIONS), 304: UNCHANGED},
)
def get_options(request: ApiRequest) -> ApiResponse:
    """List every command that is legal now for your seat, with the values of its fields.

    Send `command` as it is, or replace some of its fields by other values of `choices`; every combination is
    accepted. A long list of values is in `lists`, once, and choices name it. An offer with `asks` lacks
    fields that a person writes, such as the faces of thrown dice. With `?text=en`, `text` says what an offer
    does.

    A command that is not listed is refused, except those that answer no prompt. `?view=full` lists these in
    `unprompted`, with the values that are known for their fields, and why one is not legal now. `refused`
    says why a command that a prompt accepts is not offered.
    `GET /v1/rulesets/{edition}/commands` has the schema of each type.

    A seat with many creatures reads `?view=short` first, and then the options of the creature that somebody
    selects.
    """
    folded, _, _ = _folded(request, request.services.folder.current(request.encounter).n)
    seat = request.me.seat
    options: list[views.Data] = []
    creatures = views.creature_ids(folded.ruleset, folded.state, seat)
    creature = request.query.get("creature", creatures[0] if creatures else None)
    if creature is not None and creature not in creatures:
        raise invalid(("?creature", f"your seat sees no creature {creature}{near(creature, creatures)}"))
    lists = SharedLists(creatures)
    given = (folded.ruleset, folded.state, seat, _wanted(request))
    is_short, is_full = (request.query.get("view") == each for each in ("short", "full"))
    if is_short:
        for awaited, types in legal_types(*given):
            options.append({"prompt": views.prompt_data(awaited), "commands": [], "types": types})
    else:
        places = views.places(folded.ruleset, folded.state, seat)
        is_said = parameters.TEXT.name in request.query
        names = names_for(folded.ruleset, folded.state, seat) if is_said else None
        for awaited, offers in legal(*given):
            place = places.get(awaited.creature or "")
            commands = [
                lists.offer(views.offer_data(folded.ruleset, offer, place, names)) for offer in offers
            ]
            options.append({"prompt": views.prompt_data(awaited), "commands": commands})
            if is_full:
                offered = [offer.type for offer in offers]
                options[-1]["refused"] = refused(folded.ruleset, folded.state, seat, awaited, offered)
    data = {
        "line": request.encounter,
        "version": folded.n,
        "seat": seat,
        "options": options,
        "lists": lists.lists,
    }
    if is_full:
        data["unprompted"] = unprompted(folded.ruleset, folded.state, seat)
    return ApiResponse(data, version=str(folded.n))


def _wanted(request: ApiRequest) -> Callable[[Awaited], Iterable[str]]:
    """Return which commands of a prompt the query asks for; raises the problem `invalid`."""
    query, edition = request.query, request.me.edition
    known = request.inputs[edition].commands
    types = query["types"].split(",") if "types" in query else known
    unknown = next((name for name in types if name not in known), None)
    if unknown is not None:
        raise invalid(("?types", f"{unknown} is not a command of {edition}{near(unknown, known)}"))

    def wanted(awaited: Awaited) -> Iterable[str]:
        is_asked = awaited.creature == query.get("creature", awaited.creature)
        is_asked = is_asked and awaited.prompt == query.get("prompt", awaited.prompt)
        return [name for name in awaited.accepts if is_asked and name in types]

    return wanted
