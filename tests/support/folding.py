"""Fold an encounter to its end at once, as no worker does that has others to serve."""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Final

from service.log import CommandNotification
from workers.fold import CommandFolder
from workers.turns import Turn, TurnTime

LONG_S: Final = 3_600.0


def fold_whole(
    folding: CommandFolder, encounter: str, go_on: Callable[[], bool] = lambda: True, turn_s: float = LONG_S
) -> int:
    """Fold page after page while *go_on* holds and a command waits; return the number of commits."""
    total = 0
    while go_on():
        commits = folding.fold_page(encounter, TurnTime(turn_s))
        if commits is None:
            break
        total += commits
    return total


def turns_of(notifications: Iterable[CommandNotification], turn_s: float = LONG_S) -> list[Turn]:
    """Return a turn for each encounter of *notifications*."""
    found: dict[str, Turn] = {}
    for encounter, mine in groupby(notifications, lambda each: each.encounter):
        found.setdefault(encounter, Turn(encounter, TurnTime(turn_s))).notified.extend(mine)
    return list(found.values())
