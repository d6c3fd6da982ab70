"""Find the line of play that an encounter's address stands for, and the lines that it had before.

An encounter keeps its address when an undo, a redo or a ruling is accepted: from then on the address stands
for the line in which it continues. A line that ended or is only proposed is read by its own id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Final, Literal

from service.caches import RecentCache
from service.core.continuation import line_id
from service.log import NoSuchEncounter, Outcome
from service.record.subjects import GOES_ON, is_about
from service.rules.table.table import Table
from service.stores import imports
from service.usecases.accepted_lines import begin_accepted_line
from service.usecases.services import Services

SIZE: Final = 50_000


def chain(services: Services, encounter: str) -> Iterator[str]:
    """Yield *encounter* and the accepted lines that continue it, in order.

    A removed line ends the chain before it. An imported encounter is alone, because the ids that it names
    belong to another service.
    """
    while True:
        yield encounter
        entry = services.encounters.find(encounter)
        if entry is None or entry.imported or services.removals.of(encounter) is not None:
            return
        try:
            after = services.folder.current(encounter).state.continued
        except NoSuchEncounter:
            return
        if after is None:
            begin_accepted_line(services, encounter)
            return
        if services.removals.of(after) is not None:
            return
        encounter = after


def are_of_one_game(services: Services, one: str, other: str) -> bool:
    """Return whether two encounters are lines of play of the same game, proposed or accepted."""
    return services.encounters.root(one) == services.encounters.root(other)


@dataclass(frozen=True)
class GameLine:
    """One line of play of a game."""

    encounter: str
    status: Literal["played", "ended", "proposed", "dropped"]
    amendment: str | None
    """The proposal that began it; None for the first line."""


def lines_of(services: Services, encounter: str, *, with_proposals: bool) -> Iterator[GameLine]:
    """Yield the accepted lines of a game in order, each followed by its proposals that were not accepted."""
    taken = imports.find(services.log, encounter)
    lines = chain(services, services.encounters.root(encounter))
    accepted = list(lines) if taken is None else [*taken.lines.values(), encounter]
    began: str | None = None
    for line in accepted:
        yield GameLine(line, "played" if line == accepted[-1] else "ended", began)
        state: Table = services.folder.current(line).state
        for name in (f"a{number}" for number in range(1, state.amendments + 1)):
            proposed = line_id(line, name)
            if proposed in accepted:
                began = name
            elif with_proposals and services.encounters.find(proposed) is not None:
                stands = state.amendment is not None and state.amendment.id == name
                yield GameLine(proposed, "proposed" if stands else "dropped", name)


class PlayedLines:
    """The lines of each address; they are cached until some encounter continues in another line."""

    def __init__(self, services: Services, size: int = SIZE) -> None:
        self._host = services
        self._lines: RecentCache[str, tuple[str, ...]] = RecentCache(size)
        self._forgotten = 0
        """The number of invalidations; a result from before the last one is not cached."""
        self._lock = Lock()
        services.outcomes.on_admission(self._hear)
        services.outcomes.on_resubscribed(self._forget_all)

    def of(self, encounter: str) -> tuple[str, ...]:
        """Return *encounter* and the accepted lines that continue it; the last one is played."""
        known = self._lines.get(encounter) if self._host.outcomes.is_active else None
        if known is not None and (len(known) == 1 or self._host.removals.of(known[-1]) is None):
            return known
        forgotten = self._forgotten
        found = tuple(chain(self._host, encounter))
        with self._lock:
            if self._forgotten == forgotten:
                self._lines.put(encounter, found)
        return found

    def _hear(self, outcome: Outcome) -> None:
        if is_about(outcome.raw, GOES_ON):
            self._forget_all()

    def _forget_all(self) -> None:
        with self._lock:
            self._forgotten += 1
            self._lines.drop_all()
