"""Suspend a restored encounter until its gm goes on with dice that nobody has seen.

What was played after a backup is lost with its dice, and the same dice would fall again for what is played
instead. Only a command of the gm moves the dice, because a host that moved them itself could choose them. So
each open encounter is in dispute until its gm accepts the history; commands that waited in the backup are set
aside.
"""

from __future__ import annotations

from service.log import Log
from service.stores.backups.restoring import RestoredEncounter
from service.stores.disputes import RESTORED, Dispute, Disputes


def suspend(log: Log, encounter: str, restored: RestoredEncounter, epochs: int, owner: str) -> Dispute:
    """Open the dispute of *encounter*; the dice of *epochs* epochs may have been seen.

    Repeating it changes nothing.
    """
    size, seen = restored.commits, restored.epoch + epochs - 1
    return Disputes(log).open(
        Dispute(encounter, RESTORED, size, restored.root, size, epoch=seen, owner=owner)
    )
