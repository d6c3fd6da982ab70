"""Write the table of code points that Unicode 14.0 assigns, for both verifiers.

Run it as `python -m tests.support.unicode14_table`.

It is read from the tables of a Python 3.11, whose `unicodedata` is of that version; no other is believed.
"""

from __future__ import annotations

import sys
import unicodedata
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import Final

VERSION: Final = "14.0.0"
ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = ROOT / "service/record/unicode14.py"
JAVASCRIPT: Final = ROOT / "service/api/pages/verifier/unicode14.mjs"
BEGIN: Final = {PYTHON: 'RUNS: Final = """\n', JAVASCRIPT: "const RUNS = `\n"}
END: Final = {PYTHON: '"""\n', JAVASCRIPT: "`;\n"}


def runs() -> list[int]:
    """Return in turn how many code points from 0 on are assigned, and how many after those are not."""
    every = (unicodedata.category(chr(point)) != "Cn" for point in range(sys.maxunicode + 1))
    return [sum(1 for _ in run) for _, run in groupby(every)]


def table() -> str:
    """Return the runs as both files hold them: hexadecimal, in lines."""
    return "\n".join(wrap(" ".join(f"{run:x}" for run in runs()), 108)) + "\n"


def held(path: Path) -> str:
    """Return the table that stands in *path*."""
    return path.read_text().partition(BEGIN[path])[2].partition(END[path])[0]


def main() -> None:
    """Write the table into both files."""
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, {VERSION} is expected")
    for path in BEGIN:
        text = path.read_text()
        path.write_text(text.replace(BEGIN[path] + held(path), BEGIN[path] + table()))


if __name__ == "__main__":
    main()
