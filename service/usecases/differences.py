"""Compare two points of play as a seat sees them: a patch between the views, and the events between.

Both points are in one encounter, or in an encounter and a line or fork that continues it. The patch is RFC
6902 over the seat's views, so it reveals nothing that the views do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.core import views
from service.core.lineage import history
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
        "from": {"encounter": before.encounter, "n": before.n},
        "to": {"encounter": after.encounter, "n": after.n},
        "patch": views.patch(one, two),
    }
    if not limit:
        return data, None
    sides = (max(0, before.n - apart[0]), max(0, after.n - apart[1]))
    upto = min(sum(sides), skip + limit)
    first = (min(skip, sides[0]), min(upto, sides[0]))
    second = (max(0, skip - sides[0]), max(0, upto - sides[0]))
    data["events"] = {
        "from": _events(services, before.encounter, apart[0] + first[0], apart[0] + first[1], seat),
        "to": _events(services, after.encounter, apart[1] + second[0], apart[1] + second[1], seat),
    }
    return data, upto if upto < sum(sides) else None


def parting(services: Services, before: DiffEnd, after: DiffEnd) -> tuple[int, int]:
    """Return the last common commit as each side numbers it; raise `LookupError` if there is none."""
    if before.encounter == after.encounter:
        common = min(before.n, after.n)
        return common, common
    origin = services.folder.at(after.encounter, 1).state.origin
    if origin is not None and origin.parent == before.encounter:
        return min(origin.n, before.n), 1
    origin = services.folder.at(before.encounter, 1).state.origin
    if origin is not None and origin.parent == after.encounter:
        return 1, min(origin.n, after.n)
    lived = {part.line: part.last for part in history(services, before.encounter, before.n)}
    for part in history(services, after.encounter, after.n):
        if part.line in lived:
            common = min(part.last, lived[part.line])
            return common if part.line == before.encounter else 1, 1
    raise LookupError(after.encounter)


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
