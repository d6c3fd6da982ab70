"""Check what a seat may contest.

Laws. A seat can contest what everybody can see: a commit, an open event in it, an open roll. Nothing sealed
from anybody can be named, because the contest itself is public. A refusal does not reveal whether something
sealed exists: it is the same as for something that does not exist.
"""

from __future__ import annotations

import json
from typing import Final

from service.core import views
from service.dice.values import RollName
from service.record.commit import Commit, load_commit
from service.record.envelopes import envelopes
from service.rules.kernel.messages import Refused
from service.usecases.services import Services

RULE: Final = "TABLE-CONTEST-1"


def check_moment(
    services: Services, encounter: str, commit: int, event: int | None, roll: str | None
) -> None:
    """Raise `Refused` unless everybody can see the commit, and the event and roll if given."""
    newest = services.folder.current(encounter).n
    if commit > newest:
        raise Refused("no_such_moment", f"there is no commit {commit}: the newest is {newest}", RULE)
    if not _is_there(services, encounter, commit, event, roll):
        raise Refused("no_such_moment", "there is no such commit, event or roll that everybody can see", RULE)


def _is_there(services: Services, encounter: str, n: int, event: int | None, roll: str | None) -> bool:
    entries = services.log.commits(encounter, n - 1, 1) if n > 0 else []
    if not entries or entries[0].n != n:
        return False
    commit = load_commit(entries[0].raw)
    head = services.folder.current(encounter, n)
    reader = views.Reader("", services.occasions.upto(encounter, head.n))
    if event is not None and not _is_open(commit, event, reader):
        return False
    return roll is None or roll in _rolls(services, encounter, commit, reader)


def _is_open(commit: Commit, index: int, reader: views.Reader) -> bool:
    if not 0 <= index < len(commit.events):
        return False
    event = commit.events[index]
    return "sealed" not in event or reader.may_open(event)


def _rolls(services: Services, encounter: str, commit: Commit, reader: views.Reader) -> set[str]:
    """Return the names of the rolls of *commit* that everybody may see."""
    rolls = list(commit.rolls)
    opened = views.open_indices(commit, reader)
    if opened:
        lying = envelopes(services.log, encounter, commit.n - 1, commit.n)
        for index in opened:
            rolls += json.loads(lying[commit.n, index].payload)["rolls"]
    return {str(RollName.from_data(roll["name"])) for roll in rolls}
