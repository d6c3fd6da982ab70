"""Fights whose numbers are all at their least, or all at their greatest, open, are played and audit valid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain
from random import Random
from threading import Event
from typing import Any
from unittest import mock

import pytest

from rewound_duel import DUEL
from service.conformance.check import check_ruleset
from service.rules.kernel.codec import to_data
from service.rules.kernel.hints import Alternatives, AnyList, RecordObject, Scalar, Shape, fields_of
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset
from service.stores.jobs import AUDITS
from service.usecases.openings import opening_faults
from tests.random_play.offered import BOOKS, Book, Play, serving
from tests.support.bounds import ENDS, End
from workers.audits import Auditor

COMMANDS = 60
LARGEST = 2**32
"""What no number of such a fight comes near: two million of them, added up, still fit into 53 bits.

The largest were 123,012 in Heart Rush, the clock, and 452,903 in Rise, the damage of one blow. What goes on
for longer than a fight has a bound in the rules: the clock stops at 10^11, and an epoch ends its dice.
"""


def _numbers(shape: Shape, data: Any) -> Iterator[tuple[Any, Any, Scalar]]:
    """Yield each number that *data* of *shape* has, or could have: its container, its place, its shape."""
    if isinstance(shape, Alternatives) and data is not None:
        yield from _numbers(shape.ways[0], data)
    elif isinstance(shape, AnyList):
        for item in data:
            yield from _numbers(shape.each, item)
    elif isinstance(shape, RecordObject):
        for field in fields_of(shape.kind):
            inner = field.shape.ways[0] if isinstance(field.shape, Alternatives) else field.shape
            if isinstance(inner, Scalar) and inner.kind is int:
                yield data, field.name, inner
            elif field.given and field.name in data:
                yield from _numbers(field.shape, data[field.name])


def at_bounds(ruleset: Ruleset[Any], opening: dict[str, Any], end: End) -> tuple[dict[str, Any], int]:
    """Return *opening* with each number of its sheets at *end* that the rules allow, and how many; a copy."""
    opening = deepcopy(opening)  # what openings are drawn from lies in many of them
    entry = next(each for each in fields_of(_opening_kind(ruleset)) if each.name == "creatures").shape
    assert isinstance(entry, AnyList)
    sheets = next(each for each in fields_of(entry.each.kind) if each.name == "sheet").shape  # type: ignore[attr-defined]  # a record
    given = {name: value for name, value in opening.items() if name != "edition"}
    count = 0
    for creature in given["creatures"]:
        for holder, name, shape in list(_numbers(sheets, creature.get("sheet"))):
            before = holder.get(name, ...)
            holder[name] = shape.meaning.least if end == "least" else shape.meaning.most
            if not opening_faults(ruleset, given):
                count += 1
            elif before is ...:
                del holder[name]
            else:
                holder[name] = before
    return opening, count


def _opening_kind(ruleset: Ruleset[Any]) -> Any:
    opening: Any = ruleset.opening
    shape = next(each for each in fields_of(opening) if each.name in ("opening", "creatures")).shape
    return shape.kind if isinstance(shape, RecordObject) else ruleset.opening


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("book", BOOKS)
def test_a_fight_at_the_bounds_is_played_and_audits_valid(book: str, end: End) -> None:
    ruleset = REGISTRY[f"{book}@1"]
    counts: list[int] = []

    def opening(random: Random) -> dict[str, Any]:
        made, count = at_bounds(ruleset, BOOKS[book].opening(random), end)
        counts.append(count)
        return made

    with serving() as (api, services):
        fight = Play(api, services, book, 3, budget=COMMANDS)
        drawn = Book(opening)
        with mock.patch("tests.random_play.offered.BOOKS", {book: drawn}):
            fight.play()
        closed = api("POST", f"{fight.at}/commands", {"type": "close", "reason": "enough"})
        assert closed.status_code == 200, closed.text
        job = json.loads(api("POST", f"{fight.at}/audits", {}).text)["audit"]
        Auditor(services.log, REGISTRY, worker="one", stopping=Event()).look()
        found = AUDITS.find(services.log, fight.id, job)
        assert found is not None
        assert found["verdict"] == "valid_unsigned", found  # this service has no key to sign with
        commits = [json.loads(entry.raw) for entry in services.log.commits(fight.id, 0, 10 * COMMANDS)]
        state = to_data(services.folder.current(fight.id).state)
    assert counts[0] > 20
    assert len(fight.sent) > 10
    reached = max(_magnitudes([state, [(commit["events"], commit["rolls"]) for commit in commits]]))
    assert (10_000 if end == "most" else 0) <= reached < LARGEST


def _magnitudes(data: Any) -> Iterator[int]:
    """Yield each whole number in *data*, without its sign."""
    if isinstance(data, dict):
        yield from chain.from_iterable(map(_magnitudes, data.values()))
    elif isinstance(data, list | tuple):
        yield from chain.from_iterable(map(_magnitudes, data))
    elif isinstance(data, int):
        yield abs(data)


@pytest.mark.parametrize("breath", DUEL.options["breath"].bounds or DUEL.options["breath"].values)
def test_a_duel_at_its_bounds_keeps_every_law(breath: int) -> None:
    opening = {"fighters": ["a", "b" * 24], "options": {"breath": breath}}
    assert check_ruleset(DUEL, [opening], plays=3, steps=40).violations == ()
