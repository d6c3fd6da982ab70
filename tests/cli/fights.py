"""Play the sample fight in a test, and ask for audits, over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewound_client import Rewound, Table
from service.audit.evidence import Evidence, evidence_once_signed
from service.cli.client import connect
from service.cli.local_service import LocalService, reserved_port
from service.cli.playing import ScriptTable, play, sit_down
from service.cli.script import ScriptedFight, sample
from service.settings import Settings
from service.stores import api_keys

PATIENCE_S = 30.0


@dataclass
class Service:
    """A running service, an API key, and its holder."""

    settings: Settings
    station: LocalService
    key: str
    owner: Rewound

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop every process of it, and start them again on the same data and port."""
        self.station.stop()
        try:
            yield
        finally:
            self.station = LocalService(self.settings, print)
            with ThreadPoolExecutor(1) as pool:  # the store is not waited for on a thread with an event loop
                pool.submit(self.station.start).result()
            self.station.wait_until_ready()

    def sit_down(self, fight: ScriptedFight) -> ScriptTable:
        """Open the encounter of *fight*."""
        return sit_down(self.owner, fight)

    def evidence(self, encounter: str) -> Evidence:
        """Return the stored bytes of an encounter with every envelope open, as a worker's audit has them."""
        with closing(self.station.log()) as log:
            return evidence_once_signed(log, encounter)


def begun(table: Table) -> Table:
    """Begin combat at a table of Heart Rush, and give priority; return the table."""
    table.send_all([{"type": "begin_combat", "unaware_side": "foes"}, {"type": "grant_priority"}])
    return table


@contextmanager
def served(home: Path) -> Iterator[Service]:
    """Run a service with its data in *home*, put together as `rewound serve` does: real processes."""
    with reserved_port("127.0.0.1") as port:
        settings = replace(
            Settings(),
            data_dir=home,
            key_file=home / "secret.key",
            signing_key_file=home / "signing.key",
            port=port,
            api_workers=1,
            log_level="error",
            anonymous_limit=0,  # tests of the page load its thirty files more often than anybody does
        )
        station = LocalService(settings, print)
        station.start()
        try:
            station.wait_until_ready()
            with closing(station.log()) as log:
                token, _ = api_keys.create(log, "tests", time.time())
            with connect(station.url, token) as owner:
                service = Service(settings, station, token, owner)
                try:
                    yield service
                finally:
                    station = service.station
        finally:
            station.stop()


def played(service: Service, form: str, *, seeded: bool) -> ScriptTable:
    """Return the table of the sample fight after its last step; every check of the script held."""
    fight = sample(form).seeded() if seeded else sample(form)
    table = service.sit_down(fight)
    for _ in play(table, fight, by_script=not seeded):
        pass
    return table


def closed(table: ScriptTable) -> ScriptTable:
    """Return the table after its encounter was closed."""
    table.gm.close()
    return table


def audited(table: ScriptTable, **asked: int) -> dict[str, Any]:
    """Return an audit that was asked for and done."""
    return dict(table.gm.audit(asked.get("first_round"), asked.get("last_round"), wait_s=PATIENCE_S))
