"""Compare two points of play as a seat sees them: a patch from view to view, and the events between.

Both points lie in one encounter, or in an encounter and the line or what-if that goes on from it. The patch
is RFC 6902 over the seat's views, so it tells nothing that the views do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import jsonpatch

from service.encounter.host import Host
from service.encounter.lines.lived import history
from service.encounter.reading import records, views

OWN: Final = (
    "encounter",
    "digest",
    "line",
    "origin",
    "dice",
    "spent",
    "astray",
    "strays",
    "places",
    "amendments",
    "amendments_dropped",
    "draft",
    "due",
    "seated",
)
"""Members of a view that say which line of play it is, not how things stand in it."""


@dataclass(frozen=True)
class Point:
    """An encounter after one of its commits."""

    encounter: str
    n: int


def between(host: Host, before: Point, after: Point, seat: str) -> views.Data:
    """Return the way from *before* to *after*: the patch, and the events of each side since they parted."""
    one, two = _view(host, before, seat), _view(host, after, seat)
    if before.encounter != after.encounter:
        one, two = _without_own(one), _without_own(two)
    apart = parting(host, before, after)
    patch: list[dict[str, Any]] = jsonpatch.make_patch(one, two).patch
    return {
        "from": {"encounter": before.encounter, "n": before.n},
        "to": {"encounter": after.encounter, "n": after.n},
        "patch": patch,
        "events": {
            "from": _events(host, before, apart[0], seat),
            "to": _events(host, after, apart[1], seat),
        },
    }


def parting(host: Host, before: Point, after: Point) -> tuple[int, int]:
    """Return the last commit of each side that both have in common; raises `LookupError` if there is none."""
    if before.encounter == after.encounter:
        common = min(before.n, after.n)
        return common, common
    origin = host.folder.at(after.encounter, 1).state.origin
    if origin is not None and origin.parent == before.encounter:
        return min(origin.n, before.n), 1
    origin = host.folder.at(before.encounter, 1).state.origin
    if origin is not None and origin.parent == after.encounter:
        return 1, min(origin.n, after.n)
    lived = {part.line: part.last for part in history(host, before.encounter, before.n)}
    for part in history(host, after.encounter, after.n):
        if part.line in lived:
            common = min(part.last, lived[part.line])
            return common if part.line == before.encounter else 1, 1
    raise LookupError(after.encounter)


def _view(host: Host, point: Point, seat: str) -> views.Data:
    return views.state_data(host.folder.at(point.encounter, point.n).state, seat)


def _without_own(view: views.Data) -> views.Data:
    return {name: value for name, value in view.items() if name not in OWN}


def _events(host: Host, point: Point, after: int, seat: str) -> list[views.Data]:
    """Return the events of *point*'s encounter after its commit *after*, each with its number."""
    found: list[views.Data] = []
    while after < point.n:
        page = records.page(host, point.encounter, seat, after, point.n, 100)
        for each in page:
            outcome = views.outcome_data(each.commit, each.payloads, each.reader)
            found += [{"n": each.commit.n, **event} for event in outcome["events"]]
        after = page[-1].commit.n
    return found
