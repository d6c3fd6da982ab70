"""Archive one encounter, or bring it back, and be killed at one step: before it, or once it is done."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, cast

from service.key_files import Keyring
from service.log.valkey import ValkeyLog
from service.stores.archive.container import keys_of
from service.stores.archive.storage import DirectoryStorage
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import KEY
from workers.archiving import Archiver


class Dying:
    """Something at whose call of *step* the process is killed."""

    def __init__(self, inner: object, step: str, *, before: bool) -> None:
        self._inner = inner
        self._step = step
        self._before = before

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return partial(self._die, found) if name == self._step else found

    def _die(self, call: Callable[..., object], *arguments: object) -> None:
        if not self._before:
            call(*arguments)
        signal.raise_signal(signal.SIGKILL)


def main() -> None:
    url, directory, move, encounter, when, step = sys.argv[1:]
    before = when == "before"
    log = ValkeyLog.connect(url)
    log._wire = cast("Any", Dying(log._wire, step, before=before))  # noqa: SLF001 - its steps are those of a restoring
    working = Archiver(
        cast("Any", Dying(log, step, before=before)),
        SHELF,
        cast("Any", Dying(DirectoryStorage(Path(directory)), step, before=before)),
        keys_of(Keyring.of(KEY)),
        0.0,
        Event(),
    )
    {"archive": working.archive, "bring_back": working.bring_back}[move](encounter)


if __name__ == "__main__":
    main()
