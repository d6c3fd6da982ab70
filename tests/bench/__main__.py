"""Run every benchmark, or those named, and print the figures as Markdown: `make bench`."""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module

from service.collecting import collect_seldom
from tests.bench.machine import described
from tests.bench.table import QUICK, SECTIONS, markdown


def main(names: list[str]) -> int:
    """Measure the sections *names*, all of them if none is named; 2 where there is no such section."""
    for module in pkgutil.iter_modules([str(each) for each in sys.modules["tests.bench"].__path__]):
        if module.name not in ("__main__", "bare", "test_machine"):
            import_module(f"tests.bench.{module.name}")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        sys.stderr.write(f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}\n")
        return 2
    turns = "quick" if QUICK else "whole"
    sys.stdout.write(f"{described()}; durability: always, {turns} run\n\n")
    collect_seldom()  # as workers do
    for name in names or SECTIONS:
        title, rows = SECTIONS[name]
        sys.stdout.write(markdown(title, rows()) + "\n\n")
        sys.stdout.flush()
    sys.stdout.write(f"At the end: load {os.getloadavg()[0]:.1f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
