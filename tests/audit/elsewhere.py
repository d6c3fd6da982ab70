"""Make the same bundles in another interpreter, another order of hashes, another locale and time zone.

`python -m tests.audit.elsewhere DIRECTORY` writes them, and audits whatever other bundles lie there as well;
it prints one line for each: its name, the hash of its bytes, the verdict. Two runs differ in nothing.

`python -m tests.audit.elsewhere --pythons PYTHON...` (make pythons) has each of these interpreters do so in a
directory of its own and then audit those of all the others.
"""

from __future__ import annotations

import locale
import os
import random
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.audit.games import big_game, judged, tiny_game, written

ROOT: Final = Path(__file__).parents[2]
SURROUNDINGS: Final = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
    {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
)
"""Hash seeds, locales (one whose i has no dot in capitals) and time zones (two off the full hour)."""


MOST_S: Final = 300
"""Seconds of processor time that one interpreter may use."""


def made() -> dict[str, bytes]:
    """Return the bundles by name: two tiny games, one as a player has it, and a fight of each rulebook."""
    return {
        "tiny-1.jsonl": written(tiny_game(1)),
        "tiny-2-ada.jsonl": written(tiny_game(2), "ada"),
        "heartrush.jsonl": written(big_game(0)),
        "rise.jsonl": written(big_game(1)),
    }


def run(directory: Path) -> list[str]:
    """Write the bundles into *directory* and audit all that lie there; the lines that are printed."""
    for name, raw in made().items():
        (directory / name).write_bytes(raw)
    return [_line(path) for path in sorted(directory.glob("*.jsonl"))]


def _line(path: Path) -> str:
    raw = path.read_bytes()
    return f"{path.name} {sha256(raw).hexdigest()} {judged(raw)}"


def told_by(python: str, directory: Path, surroundings: dict[str, str]) -> list[str]:
    """Return what another process prints that does `run` in *directory*."""
    done = subprocess.run(
        [python, "-m", "tests.audit.elsewhere", str(directory)],
        cwd=ROOT,
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limited,
    )
    assert done.returncode == 0, f"{python} {surroundings}: {done.stdout}{done.stderr}"
    return done.stdout.splitlines()


def _limited() -> None:
    """End a process that has used more processor time than it may: it hangs, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S))


def compared(pythons: list[str]) -> list[str]:
    """Return every difference between the *pythons*, each in each of the surroundings."""
    wrong: list[str] = []
    first: list[str] | None = None
    with tempfile.TemporaryDirectory() as shared:
        for python in pythons:
            for number, surroundings in enumerate(SURROUNDINGS):
                found = told_by(python, Path(shared), surroundings)
                first = first or found
                sys.stdout.write(f"{python} ({number}): {len(found)} bundles\n")
                wrong += [f"{python} {surroundings}: {line}" for line in set(found) - set(first)]
    return wrong + [line for line in first or [] if not line.endswith(" valid_unsigned")]


def main() -> int:
    """Do what the arguments say."""
    with suppress(locale.Error):  # not every machine has every locale
        locale.setlocale(locale.LC_ALL, "")
    random.seed()
    if sys.argv[1] == "--pythons":
        wrong = compared(sys.argv[2:])
        sys.stdout.write("".join(f"{line}\n" for line in wrong or ["all alike"]))
        return 1 if wrong else 0
    sys.stdout.write("".join(f"{line}\n" for line in run(Path(sys.argv[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
