"""Play a fight as an aggregate of `eventsourcing`, kept in memory; print commands a second of CPU."""

# The library is no part of the project, so its types are not there.
# mypy: ignore-errors

from __future__ import annotations

import json
import os
import random
import sys
from time import process_time

os.environ["AGGREGATE_CACHE_MAXSIZE"] = "100"  # as our worker, it keeps what it has just decided

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

COUNT = int(sys.argv[1])
NAMES = ("pia", "orc", "ash", "bat")


class Fight(Aggregate):
    """Four creatures and their hit points."""

    @event("Opened")
    def __init__(self) -> None:
        """Open the fight."""
        self.hp = dict.fromkeys(NAMES, 100_000)

    @event("Attacked")
    def attack(self, target: str, faces: list[int]) -> None:
        """Take the damage that was rolled from *target*."""
        self.hp[target] -= sum(faces)


app: Application = Application()
fight = Fight()
app.save(fight)
dice = random.Random(7)
began = process_time()
for n in range(COUNT):
    kept: Fight = app.repository.get(fight.id)
    kept.attack(NAMES[n % 4], [dice.randint(1, 6), dice.randint(1, 6)])
    app.save(kept)
json.dump(COUNT / (process_time() - began), sys.stdout)
