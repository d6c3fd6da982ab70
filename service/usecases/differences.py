"""Compare two points of play as a seat sees them: a patch between the views, and the events between.

Both points are in one encounter, or in an encounter and a line or fork that continues it. The patch is RFC
6902 over the seat's views, so it reveals nothing that the views do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.core import views
from service.usecases import reading
from service.usecases.services import Services

OWN: Final = (
    "encounter",
    "digest",
    "line",
    "origin",
    "dice",
    "dice_moved_in",
    "last_exposed_epoch",
    "redirected_streams",
    "rolls_in_other_epochs",
    "places",
    "amendment",
    "amendments",
    "amendments_dropped",
    "draft",
    "undisclosed_epochs",
    "seats_by_command",
)
"""Members of a view that identify the line of play, not the situation in it."""


@dataclass(frozen=True)
class DiffEnd:
    """A point of play: an encounter after commit *n*."""

    encounter: str
    n: int


def between(
    services: Services, before: DiffEnd, after: DiffEnd, seat: str, skip: int = 0, limit: int = 0
) -> tuple[views.Data, int | None]:
    """Return the difference of *before* and *after*: the patch, and each side's events since they diverged.

    The commits of *before*'s side come first, then those of *after*'s side. Events are listed of the *limit*
    commits that follow the first *skip*; none with a limit of 0. The second value is the *skip* of the next
    page, None on the last.
    """
    one, two = _view(services, before, seat), _view(services, after, seat)
    if before.encounter != after.encounter:
        one, two = _without_own(one), _without_own(two)
    apart = parting(services, before, after)
    data: views.Data = {
        "start": {"encounter": before.encounter, "n": before.n},
        "end": {"encounter": after.encounter, "n": after.n},
        "patch": views.patch(one, two),
    }
    if not limit:
        return data, None
    sides = (max(0, before.n - apart[0]), max(0, after.n - apart[1]))
    upto = min(sum(sides), skip + limit)
    first = (min(skip, sides[0]), min(upto, sides[0]))
    second = (max(0, skip - sides[0]), max(0, upto - sides[0]))
    data["events"] = {
        "start": _events(services, before.encounter, apart[0] + first[0], apart[0] + first[1], seat),
        "end": _events(services, after.encounter, apart[1] + second[0], apart[1] + second[1], seat),
    }
    return data, upto if upto < sum(sides) else None


def parting(services: Services, before: DiffEnd, after: DiffEnd) -> tuple[int, int]:
    """Return the last common commit as each side numbers it; raise `LookupError` if there is none.

    The lines of a game share their commits up to where they part. A fork numbers its own from 1.
    """
    if before.encounter == after.encounter:
        common = min(before.n, after.n)
        return common, common
    one, two = _forked_from(services, before), _forked_from(services, after)
    if two is not None and two.encounter == before.encounter:
        return min(two.n, before.n), 1
    if one is not None and one.encounter == after.encounter:
        return 1, min(one.n, after.n)
    common = _shared(services, before, after)
    if not common:
        raise LookupError(after.encounter)
    return common, common


def _forked_from(services: Services, point: DiffEnd) -> DiffEnd | None:
    origin = services.folder.at(point.encounter, 1).state.origin
    return None if origin is None else DiffEnd(origin.parent, origin.n)


def _shared(services: Services, one: DiffEnd, two: DiffEnd) -> int:
    """Return how many commits two records have in common: a hash covers every commit before it."""
    low, high = 0, min(one.n, two.n)
    while low < high:
        middle = (low + high + 1) // 2
        found = [services.log.commits(each.encounter, middle - 1, 1) for each in (one, two)]
        low, high = (middle, high) if found[0] and found[0] == found[1] else (low, middle - 1)
    return low


def _view(services: Services, point: DiffEnd, seat: str) -> views.Data:
    return views.state_data(services.folder.at(point.encounter, point.n).state, seat)


def _without_own(view: views.Data) -> views.Data:
    return {name: value for name, value in view.items() if name not in OWN}


def _events(services: Services, encounter: str, after: int, upto: int, seat: str) -> list[views.Data]:
    """Return the events of commits *after* < n <= *upto*, each with its commit's number."""
    found: list[views.Data] = []
    while after < upto:
        page = reading.page(services, encounter, seat, after, upto, 100)
        for each in page:
            outcome = views.outcome_data(each.commit, each.payloads, each.reader)
            found += [{"n": each.commit.n, "event": event} for event in outcome["events"]]
        after = page[-1].commit.n
    return found
