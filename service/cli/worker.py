"""Worker: one worker process, in the place of this one, against servers that are there."""

from __future__ import annotations

import os
import sys

import click


@click.command("worker")
def command() -> None:
    """Run one worker until it is told to stop (SIGTERM, ctrl-C).

    It needs REWOUND_STREAMS_URL, REWOUND_QUEUE_URL and the API's key. `rewound serve` starts its own.
    """
    # The service does not import its workers: they are another program, which takes this one's place.
    os.execv(sys.executable, [sys.executable, "-m", "workers"])  # noqa: S606 - no shell is wanted
