"""Do everything that an operator does, on one machine, under play: `make rehearsal`.

The services of `deploy/compose.yaml` run as processes. Fights of both books are played while the service is
backed up, killed, upgraded to another build and rolled back, its keys and passwords are changed, its disk is
filled, and every alert is brought about and read. Then all processes are killed and the backup is restored
elsewhere. In the end the history of every client is compared with the record, and every encounter is audited.
`STEPS="late disk"` does these alone. Exit status 0: every step did what it has to.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from tests.rehearsal.steps import STEPS, Rehearsal


def main() -> int:
    """Run it; its directory is kept if anything is wrong."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the processes end with it
    wanted = os.environ.get("STEPS", "").split() or STEPS
    unknown = set(wanted) - set(STEPS)
    if unknown:
        sys.stderr.write(f"STEPS: no such step: {', '.join(sorted(unknown))}; there are: {' '.join(STEPS)}\n")
        return 2
    if "restore" in wanted:
        wanted = [*wanted, "backup"]
    directory = Path(tempfile.mkdtemp(prefix="rewound-rehearsal-"))
    try:
        Rehearsal(directory, _say, [name for name in STEPS if name in wanted]).go()
    except Exception:  # noqa: BLE001 - whatever a step raises ends the rehearsal
        sys.stdout.write(f"{traceback.format_exc()}\nThe logs are in {directory}\n")
        return 1
    shutil.rmtree(directory, ignore_errors=True)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
