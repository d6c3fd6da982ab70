"""A fight in the short form that all rulesets share: its creatures, commit by commit, and its map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from service.api.descriptions import record_text
from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.paging import CURSOR, paged, passed_on
from service.api.parameters import SEEN_BY
from service.api.problems import not_found
from service.api.record_schemas import members_of
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.resources.commits import AFTER, LIMIT, PAGE
from service.api.resources.states import LINE_OF, TAG, VERSION, requested_state
from service.api.shapes import NUMBER, SEAT, TEXT, TRUTH, closed, component, listing, page
from service.api.sheets import sheet_in_words
from service.core import creature_statistics, views
from service.core.fold import AnyFolded
from service.rules.kernel.codec import to_data
from service.rules.table.short_view import BattleMap, CreatureToken, Ground, MapRow
from service.steps import Steps
from service.usecases import reading

_PART: Final[dict[str, Any]] = {
    **TEXT,
    "description": "The part of the round that is played: in Rise the phase, `movement` or `action`, in "
    "Heart Rush `engagement` while one goes on; else empty.",
}
TOKEN: Final = component(
    "CreatureToken",
    closed(
        record_text(CreatureToken),
        **members_of(CreatureToken),
        acts={**TRUTH, "description": "Whether your seat may see that a prompt waits for it: its turn."},
    ),
)
TOKENS: Final = component(
    "CreatureTokens",
    closed(
        "All creatures, as your seat may see them.",
        line=LINE_OF,
        version=NUMBER,
        round=NUMBER,
        part=_PART,
        creatures=listing(TOKEN),
    ),
)
CHANGES: Final = component(
    "CreatureChanges",
    page(
        "What each commit changed of the creatures, in order.",
        "changes",
        closed(
            "The creatures that a commit changed.",
            n={**NUMBER, "description": "The number of the commit."},
            round=NUMBER,
            part=_PART,
            map={**TRUTH, "description": "Whether the map differs from the one before it."},
            creatures={
                **listing(TOKEN),
                "description": "The creatures that changed, as they are after it. The first item of a page "
                "has all creatures.",
            },
            gone={**listing(SEAT), "description": "The creatures that are not shown any more."},
        ),
    ),
)
_ROWS: Final[dict[str, Any]] = {
    **listing(closed(record_text(MapRow), row=members_of(MapRow)["row"], **members_of(Ground))),
    "description": "The rows, by row and column.",
}
BATTLE_MAP: Final = component(
    "BattleMap",
    closed(
        "The cells that are not plain ground at height 0, in rows of cells that are alike, and what is "
        "between cells, as your seat may see them.",
        line=LINE_OF,
        version=NUMBER,
        **{**members_of(BattleMap), "rows": _ROWS},
    ),
)

SHEET: Final = component(
    "CreatureSheet",
    closed(
        "The sheet of a creature in words, as your seat may read it.",
        line=LINE_OF,
        version=NUMBER,
        creature=SEAT,
        groups={
            "description": "The groups of the sheet, in reading order.",
            **listing(
                closed(
                    "What belongs together on the sheet.",
                    title=TEXT,
                    lines=listing(
                        closed(
                            "A line of the sheet.",
                            name={**TEXT, "description": "The field of the sheet."},
                            title={**TEXT, "description": "What the field is called."},
                            text={**TEXT, "description": "What it has, in words."},
                            note={
                                **TEXT,
                                "description": "What the field means; empty if its title says it.",
                            },
                        )
                    ),
                )
            ),
        },
    ),
)
_TALLY: Final[dict[str, Any]] = {
    "dealt": {**NUMBER, "description": "Damage that it caused: what was taken of it, by anybody."},
    "taken": {**NUMBER, "description": "Damage that it took."},
    "acts": {
        **NUMBER,
        "description": "How often it acted: in Heart Rush the abilities that it used, in Rise the actions "
        "that it paid.",
    },
}
STATISTICS: Final = component(
    "CreatureStatistics",
    closed(
        "What each creature did up to commit `version`, as far as your seat may read it.",
        line=LINE_OF,
        version=NUMBER,
        creatures=listing(
            closed(
                "A creature: all that it did, and each round in which it did something.",
                id=SEAT,
                **_TALLY,
                rounds=listing(
                    closed(
                        "A round.", round={**NUMBER, "description": "0 is before the first one."}, **_TALLY
                    )
                ),
            )
        ),
    ),
)
_STEP: Final = 500


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures",
    "listCreatures",
    TAG,
    roles=READERS,
    query=(VERSION, SEEN_BY),
    answers={200: ResponseSchema("The creatures.", TOKENS), 304: UNCHANGED},
    problems=("not-yet-folded",),
    may_wait=True,
)
def list_creatures(request: ApiRequest) -> Steps[ApiResponse]:
    """List every creature with its place, status, hit points and conditions, alike in all rulesets.

    It is a short form of the state, for tokens on a map and for a list of combatants: now, or after the
    commit `at`. In Rise, while groups act apart, each creature is shown once: as its own group has it, if
    your seat may see that.
    """
    folded, known, occasions = yield from requested_state(request)
    data = {
        "line": request.encounter,
        "version": folded.n,
        "round": folded.state.round,
        **views.creatures_data(folded.ruleset, folded.state, request.readers, occasions),
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures/{creature}/sheet",
    "getCreatureSheet",
    TAG,
    roles=READERS,
    query=(VERSION, SEEN_BY),
    answers={200: ResponseSchema("The sheet.", SHEET), 304: UNCHANGED},
    problems=("not-found", "not-yet-folded"),
    may_wait=True,
)
def get_creature_sheet(request: ApiRequest) -> Steps[ApiResponse]:
    """Get a creature's sheet in words: what it is made of, its weapons and armour, what it can do.

    It has what your seat may know. What every creature has, and what is sealed from your seat, is left out.
    """
    folded, known, occasions = yield from requested_state(request)
    creature = request.path["creature"]
    seen = views.seen(folded.state, request.readers, occasions)
    groups = sheet_in_words(folded.ruleset, seen, creature)
    if groups is None:
        raise not_found("there is no creature of this id with a sheet that your seat may read")
    data = {"line": request.encounter, "version": folded.n, "creature": creature, "groups": groups}
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures/changes",
    "listCreatureChanges",
    TAG,
    roles=READERS,
    query=(AFTER, CURSOR, LIMIT, SEEN_BY),
    answers={200: ResponseSchema("A page of changes.", CHANGES), 304: UNCHANGED},
)
def list_creature_changes(request: ApiRequest) -> ApiResponse:
    """List what each commit changed of the creatures, in the short form of `creatures`.

    It is for a map that goes back and forth in time: replace each creature that an item has, by its id, and
    drop those in `gone`. Each item shows what your seat could know at that commit.
    """
    if "cursor" in request.query:
        after, upto = read_cursor(request, 2)
    else:
        after, upto = request.query.get("after", 0), reading.head(request.services, request.encounter)
    last = min(upto, after + request.query.get("limit", PAGE))
    found = list(_changes(request, after, last))
    answer = paged(
        request,
        "changes",
        found,
        cursor(request, last, upto) if last < upto else None,
        passed_on(request, SEEN_BY),
    )
    answer.version = f"{after}-{last}-{upto}"
    return answer


@operation(
    "GET",
    "/v1/encounters/{encounter}/creatures/statistics",
    "getCreatureStatistics",
    TAG,
    roles=READERS,
    query=(VERSION, SEEN_BY),
    answers={200: ResponseSchema("The statistics.", STATISTICS), 304: UNCHANGED},
    problems=("not-yet-folded",),
    may_wait=True,
)
def get_creature_statistics(request: ApiRequest) -> Steps[ApiResponse]:
    """Count the damage that each creature dealt and took, and how often it acted, by rounds.

    Only events that your seat may read count: what is sealed from it counts when it is opened, also with
    `at`. Damage is in Heart Rush what is left after a shrug, in Rise all of it, with what resistance stops.
    What came before this line of play does not count.
    """
    newest = reading.head(request.services, request.encounter)
    folded, _, occasions = yield from requested_state(request)
    shown = views.creatures_data(folded.ruleset, folded.state, request.readers, occasions)["creatures"]
    found = creature_statistics.tallies(folded.ruleset.counted, _played(request, folded.n))
    # A ruleset may keep no records of creatures: then the creatures are those that the events name.
    creatures = [each["id"] for each in shown] or sorted(found)
    data = {
        "line": request.encounter,
        "version": folded.n,
        "creatures": [_tallied(each, found.get(each, {})) for each in creatures],
    }
    # A later commit may open what an earlier one sealed, so the tag names the newest one that could.
    return ApiResponse(data, version=f"{folded.n}-{max(newest, folded.n)}")


def _tallied(creature: str, rounds: Mapping[int, creature_statistics.Tally]) -> dict[str, Any]:
    return {
        "id": creature,
        **asdict(creature_statistics.whole(rounds)),
        "rounds": [{"round": number, **asdict(each)} for number, each in sorted(rounds.items())],
    }


def _played(request: ApiRequest, last: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the round and the events of each commit up to *last*, as the caller may read them."""
    spans = reading.rounds(request.services, request.encounter)
    number, n = 0, 0
    while n < last:
        for each in reading.page(request.services, request.encounter, request.readers, n, last, _STEP):
            n = each.commit.n
            while number < len(spans) and spans[number].first <= n:
                number += 1
            events = views.outcome_data(each.commit, each.payloads, each.reader)["events"]
            yield spans[number - 1].round if number else 0, events


def _changes(request: ApiRequest, after: int, last: int) -> Iterator[dict[str, Any]]:
    """Yield what each commit with *after* < n <= *last* changed; the first one has all creatures."""
    came = request.services.occasions.upto(request.encounter, last)
    before: dict[str, Any] = {}
    ground: Any = to_data(BattleMap())
    if last > after > 0:
        ground = _seen(request, request.services.folder.at(request.encounter, after), came)[1]
    for _, folded in request.services.folder.steps(request.encounter, after, last):
        seen, shown = _seen(request, folded, came)
        now = {each["id"]: each for each in seen["creatures"]}
        yield {
            "n": folded.n,
            "round": folded.state.round,
            "part": seen["part"],
            "map": shown != ground,
            "creatures": [each for name, each in now.items() if before.get(name) != each],
            "gone": [name for name in before if name not in now],
        }
        before, ground = now, shown


def _seen(request: ApiRequest, folded: AnyFolded, came: Mapping[str, int]) -> tuple[Any, Any]:
    """Return the creatures and the map as the caller's seat could know them at the folded commit."""
    opened = tuple(name for name, n in came.items() if n <= folded.n) if folded.state.closed else ()
    given = (folded.ruleset, folded.state, request.readers, opened)
    return views.creatures_data(*given), views.map_data(*given)


@operation(
    "GET",
    "/v1/encounters/{encounter}/map",
    "getMap",
    TAG,
    roles=READERS,
    query=(VERSION, SEEN_BY),
    answers={200: ResponseSchema("The map.", BATTLE_MAP), 304: UNCHANGED},
    problems=("not-yet-folded",),
    may_wait=True,
)
def get_map(request: ApiRequest) -> Steps[ApiResponse]:
    """Get the map, alike in all rulesets: cells that are not plain ground, by rows, walls and doors.

    It is as it is now, or after the commit `at`.
    """
    folded, known, occasions = yield from requested_state(request)
    data = {
        "line": request.encounter,
        "version": folded.n,
        **views.map_data(folded.ruleset, folded.state, request.readers, occasions),
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")
