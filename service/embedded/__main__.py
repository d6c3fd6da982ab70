"""Run the supervisor: `python -m service.embedded DIRECTORY`; see `supervisor`."""

import logging
import sys
from pathlib import Path

from service.embedded.errors import EmbeddedFailure
from service.embedded.place import prepare
from service.embedded.supervisor import Supervisor, say_once


def main() -> int:
    """Keep a server in the directory named by the first argument."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    try:
        place = prepare(Path(sys.argv[1]))
    except EmbeddedFailure as error:
        say_once(f"failed {error}")
        return 1
    return Supervisor(place, sys.stdin.fileno(), say_once).run()


if __name__ == "__main__":
    sys.exit(main())
