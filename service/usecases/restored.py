"""Suspend a restored encounter until its gm goes on with dice that nobody has seen.

What was played after a backup is lost with its dice, and the same dice would fall again for what is played
instead. Only a command of the gm moves the dice, because a host that moved them itself could choose them. So
each open encounter is in dispute until its gm accepts the history; commands that waited in the backup are set
aside.
"""

from __future__ import annotations

from service.log import Log
from service.stores.backups.restoring import RestoredEncounter
from service.stores.disputes import RESTORED, Dispute, Disputes, LostLine


def suspend(
    log: Log,
    encounter: str,
    restored: RestoredEncounter,
    seen: int,
    owner: str,
    lines: tuple[LostLine, ...] = (),
) -> Dispute:
    """Open the dispute of *encounter*; the dice of the epochs up to *seen* may have been seen.

    *lines* of its fight were signed and are lost with what was played. Repeating it changes nothing.
    """
    size, root = restored.commits, restored.root
    return Disputes(log).open(
        Dispute(encounter, RESTORED, size, root, size, epoch=seen, owner=owner, lines=lines)
    )
