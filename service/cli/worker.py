"""Worker: replace this process by one worker, for running servers."""

from __future__ import annotations

import os
import sys

import click


@click.command("worker")
def command() -> None:
    """Run one worker until SIGTERM or ctrl-C.

    It needs REWOUND_STREAMS_URL, REWOUND_QUEUE_URL, and the API's secret key in REWOUND_SECRET_KEY or in the
    file REWOUND_KEY_FILE. `rewound serve` starts its own workers.
    """
    # The service does not import its workers; they are another program, which replaces this process.
    os.execv(sys.executable, [sys.executable, "-m", "workers"])  # noqa: S606 - no shell is wanted
