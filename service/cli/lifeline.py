"""Run a module of ours as long as whoever started it lives: `python -m service.cli.lifeline MODULE ARGS...`.

The starter holds the other end of standard input. When it dies, however it dies, the pipe ends and this
process is told to stop as by its operator; so nothing is ever left behind.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from threading import Thread
from typing import Final

MODULES: Final = ("gunicorn", "workers")
"""What may be run this way."""


def main() -> None:
    """Run the module named by the first argument, with the rest as its arguments."""
    module, *arguments = sys.argv[1:]
    if module not in MODULES:
        sys.exit(f"{module} is not one of {', '.join(MODULES)}")
    Thread(target=_stop_at_end, name="lifeline", daemon=True).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _stop_at_end() -> None:
    """Wait until nobody holds the other end of standard input any more, then stop this process."""
    own = os.getpid()
    while os.read(0, 1024):
        pass
    if os.getpid() == own:
        os.kill(own, signal.SIGTERM)


if __name__ == "__main__":
    main()
