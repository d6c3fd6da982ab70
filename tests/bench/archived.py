"""Measure what an archived command takes, and how fast encounters are packed and unpacked."""

from __future__ import annotations

from itertools import islice
from time import process_time

from service.log.values import StoredEncounter
from service.rules.heartrush import HEARTRUSH
from service.stores.archive.container import pack, unpack
from tests.bench import fights
from tests.bench.table import QUICK, Row, median, section
from tests.stores.archive.played import dumped, heartrush, rise, stamps
from tests.support.recorded_fight import Record

KEY = bytes(32)
SIMPLE = 2_000 if QUICK else 20_000
SEEDS = range(1) if QUICK else range(3)


def simple() -> StoredEncounter:
    """Return one long encounter of simple commands."""
    record = Record(HEARTRUSH, 1, epochs=SIMPLE)
    record.stamp = stamps(1)
    record.send("open", "gm", record.opening(fights.opening(apart=2)))
    for command in (*fights.BEGIN, *islice(fights.simple(), SIMPLE)):
        data = dict(command)
        record.send(data.pop("type"), "gm", data)
    return dumped(record, 1)


@section("Archive")
def rows() -> list[Row | str]:
    """Return bytes a command in a file, and commands packed and unpacked a second."""
    played = {
        f"{SIMPLE} simple commands": [simple()],
        "400 random commands of Heart Rush": [heartrush(seed, 400) for seed in SEEDS],
        "300 random commands of Rise": [rise(seed, 300) for seed in SEEDS],
    }
    found: list[Row | str] = []
    for what, encounters in played.items():
        files = [pack(each, KEY) for each in encounters]
        sizes = [len(raw) / len(each.commits) for each, raw in zip(encounters, files, strict=True)]
        stored = median(each.size / len(each.commits) for each in encounters)
        found.append(
            Row(
                f"{what}: file", median(sizes), f"bytes a command ({stored:.0f} in the store)", 120, most=True
            )
        )
    long = played[f"{SIMPLE} simple commands"][0]
    began = process_time()
    raw = pack(long, KEY)
    packed = process_time()
    unpack(long.encounter, raw, (KEY,))
    found.append(Row("packing, read again", len(long.commits) / (packed - began), "commands/s of one core"))
    found.append(Row("unpacking", len(long.commits) / (process_time() - packed), "commands/s of one core"))
    return found
