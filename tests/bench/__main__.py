"""Run every benchmark and print its figures as Markdown: `make bench`."""

from __future__ import annotations

import platform
import sys

from service.collecting import collect_seldom
from tests.bench import audits, core, over_http, rise, thirty, waiting
from tests.bench.table import markdown


def main() -> None:
    """Measure, print, and say on what machine."""
    sys.stdout.write(f"{platform.platform()}, Python {platform.python_version()}, durability: always\n\n")
    collect_seldom()  # as workers do
    sys.stdout.write(markdown("One process", core.rows()) + "\n\n")
    sys.stdout.write(markdown("Proof", audits.rows()) + "\n\n")
    sys.stdout.write(markdown("Thirty creatures", thirty.rows()) + "\n\n")
    sys.stdout.write(markdown("Forty creatures", rise.rows()) + "\n\n")
    sys.stdout.flush()
    sys.stdout.write(markdown("Over HTTP", over_http.rows()) + "\n\n")
    sys.stdout.flush()
    sys.stdout.write(markdown("Waiting", waiting.rows()) + "\n")


main()
