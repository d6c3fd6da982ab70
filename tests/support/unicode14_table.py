"""Write the tables of Unicode 14.0: the assigned code points for both verifiers, and a file for other ones.

Run it as `python -m tests.support.unicode14_table`.

It is read from the tables of a Python 3.11, whose `unicodedata` is of that version; no other is believed.
"""

from __future__ import annotations

import json
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
VECTOR: Final = ROOT / "tests/vectors/unicode14.json"
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


def normal_forms() -> dict[str, dict[str, object]]:
    """Return what NFC needs: combining classes, canonical decompositions, and those that are not composed."""
    points = [chr(point) for point in range(sys.maxunicode + 1)]
    apart = {
        c: unicodedata.decomposition(c) for c in points if unicodedata.decomposition(c)[:1] not in ("", "<")
    }
    return {
        "combining": {f"{ord(c):x}": unicodedata.combining(c) for c in points if unicodedata.combining(c)},
        "decompositions": {f"{ord(c):x}": to.lower() for c, to in apart.items()},
        "not_composed": {
            f"{ord(c):x}": True
            for c in apart
            if unicodedata.normalize("NFC", unicodedata.normalize("NFD", c)) != c
        },
    }


def document() -> str:
    """Return the file for verifiers in other languages."""
    lines = {name: json.dumps(value, separators=(",", ":")) for name, value in normal_forms().items()}
    body = ",\n".join(f'"{name}":{value}' for name, value in lines.items())
    return f'{{"version":"{VERSION}",\n"runs":"{table().replace(chr(10), " ").strip()}",\n{body}}}\n'


def main() -> None:
    """Write the tables into the files."""
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, {VERSION} is expected")
    for path in BEGIN:
        text = path.read_text()
        path.write_text(text.replace(BEGIN[path] + held(path), BEGIN[path] + table()))
    VECTOR.write_text(document())


if __name__ == "__main__":
    main()
