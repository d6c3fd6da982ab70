"""Measure what the past of a long encounter costs: states, differences and rounds of 100,000 commits.

The record is written to a store directly, without workers. CPU time is that of the reading process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from random import Random
from threading import Event
from time import process_time
from typing import Any

from service.api.app import create_app
from service.core.decide import FoldedState, decide_request, unfolded
from service.key_files import Keyring
from service.log import Log
from service.log.valkey import ValkeyLog
from service.record.intervals import SCHEDULE
from service.rules.registry import REGISTRY
from service.stores import api_keys
from service.stores.encounter_index import EncounterEntry
from service.stores.secrets import EncounterSecrets
from service.usecases.services import Services, make_services
from tests.api.client import Api
from tests.bench import core, fights, servers
from tests.bench.table import QUICK, Row, median, section
from workers.snapshots import SnapshotWriter

COMMITS = 20_000 if QUICK else 100_000
BEHIND = 10_000
AIM_MS = 60
_PAGE = 500
_EPOCHS = 65_536
_KEY = bytes(range(32))


def write(log: Log, count: int) -> None:
    """Write an encounter of *count* commits, as playing leaves it."""
    secrets = EncounterSecrets.create(core.ENCOUNTER, epochs=_EPOCHS)
    folded: FoldedState[Any] = unfolded(core.ENCOUNTER, core.RULESET)
    requests = [*core.opened(secrets, fights.opening(apart=2))]
    requests += [core._request(command) for command in islice(fights.simple(), count - len(requests))]  # noqa: SLF001 - the same requests
    for start in range(0, count, _PAGE):
        page = requests[start : start + _PAGE]
        known = {"scope": "s", "key": str(start), "fingerprint": "f"}
        bell = {"at_ms": 0, "notify_ms": 1}
        log.submit(core.ENCOUNTER, page[0], **known, **bell, create=not start, more=page[1:])  # type: ignore[arg-type]  # as spelled
        folds = []
        for raw in page:
            written = decide_request(core.RULESET, folded, raw, folded.n + 1, secrets)
            folds.append(written.write_after(folded.hash, raw))
            folded = written.folded
        log.commit(core.ENCOUNTER, *folds)


def milliseconds(ask: Callable[[], object]) -> float:
    """Return the CPU time that *ask* takes here."""
    began = process_time()
    ask()
    return (process_time() - began) * 1e3


class Reading:
    """An API process that reads the encounter for the first time, again and again."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._token, key = api_keys.create(log, "bench", time.time())
        self.at = f"/v1/encounters/{core.ENCOUNTER}"
        with closing(self._host().outcomes) as _:
            entry = EncounterEntry(
                core.ENCOUNTER, key.owner, core.RULESET.edition, "", "2026-01-02T00:00:00.000Z"
            )
            self._host().encounters.enter(entry)

    def _host(self) -> Services:
        return make_services(
            self._log, REGISTRY, ring=lambda _: None, clock=time.time, keys=Keyring.of(_KEY), mode="durable"
        )

    def cost(self, path: str, prepare: Callable[[Services], object] = lambda _: None) -> tuple[float, int]:
        """Return the CPU milliseconds and the bytes of a cold `GET`."""
        host = self._host()
        with closing(host.outcomes):
            api = Api(create_app(host), self._token)
            api.get("/v1/rulesets")  # what a process does once
            prepare(host)
            answers: list[bytes] = []
            took = milliseconds(lambda: answers.append(api("GET", self.at + path).data))
        return took, len(answers[0])


@section("The past")
def rows(count: int = COMMITS, times: int = 9) -> list[Row | str]:
    """Measure everything *times* times and return the medians."""
    random = Random(1)
    with servers.store() as running, closing(ValkeyLog.connect(running.url)) as log:
        write(log, count)
        (bare,) = log.sizes([core.ENCOUNTER])
        log.set_due(SCHEDULE, [core.ENCOUNTER], 0, reschedule=False)
        SnapshotWriter(log, REGISTRY, Event()).look()
        (kept,) = log.sizes([core.ENCOUNTER])
        reading = Reading(log)
        anywhere = [reading.cost(f"/state?at={random.randint(1, count)}")[0] for _ in range(times)]

        def fall_behind(host: Services) -> None:
            host.folder.keep(host.folder.at(core.ENCOUNTER, count - BEHIND))

        behind = [reading.cost("/state", fall_behind)[0] for _ in range(times)]
        diffs = [reading.cost(f"/diff?start=10&end={count - 5}&events=true") for _ in range(times)]
        replays = [reading.cost(f"/rounds/{count // 20}/replay") for _ in range(times)]
    return [
        Row(f"GET state, {BEHIND:,} commits behind", median(behind), "ms of CPU", AIM_MS, most=True),
        Row(f"GET state?at= anywhere in {count:,}", median(anywhere), "ms of CPU", AIM_MS, most=True),
        Row("the slowest of those", max(anywhere), "ms of CPU", AIM_MS, most=True),
        Row(
            f"GET diff over {count:,}, a page",
            median([ms for ms, _ in diffs]),
            "ms of CPU",
            2 * AIM_MS,
            most=True,
        ),
        Row("its size", diffs[0][1], "bytes"),
        Row("GET replay of a round", median([ms for ms, _ in replays]), "ms of CPU"),
        Row("its size", replays[0][1], "bytes"),
        Row("snapshots and occasions", (kept.bytes - bare.bytes) / count, "bytes/command"),
    ]
