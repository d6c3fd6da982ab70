"""Make two builds of the service: a copy of its sources, and one that differs in what an upgrade may change.

The second one has other functions in the store under the next number, another digest of `heartrush@1`,
another form of snapshots, and an edition that the first one lacks. It also has two planted faults, so that
their alerts can be read: `GET /v1/usage` fails, and the added ruleset raises an exception at one command.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
COPIED: Final = ("service", "workers", "clients/python/rewound_client")
DUEL: Final = "examples/duel/rewound_duel.py"
POINTS: Final = "[rewound.rulesets]\nduel = rewound_duel:DUEL\n"
METADATA: Final = "Metadata-Version: 2.1\nName: rewound-duel\nVersion: 1.0.0\n"
CRASHES: Final = "parry"
"""The choice of a duel at which the second build raises an exception."""


@dataclass(frozen=True)
class Build:
    """One build: its name, and the directory of its sources."""

    name: str
    directory: Path

    @property
    def paths(self) -> list[str]:
        """The directories from which Python imports this build, before all others."""
        return [str(self.directory), str(self.directory / "clients" / "python")]


def this_build(directory: Path) -> Build:
    """Copy this tree's build into *directory*: nobody edits it while it runs."""
    for name in COPIED:
        shutil.copytree(ROOT / name, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Build("A", directory)


def changed_build(directory: Path) -> Build:
    """Write the second build into *directory*."""
    this_build(directory)
    shutil.copy2(ROOT / DUEL, directory)
    added = directory / "rewound_duel-1.0.0.dist-info"
    added.mkdir()
    (added / "METADATA").write_text(METADATA, "utf-8")
    (added / "entry_points.txt").write_text(POINTS, "utf-8")
    _change_functions(directory / "service" / "log" / "valkey")
    _change(directory / "service" / "core" / "snapshot.py", '"frontier"', '"edge"', times=2)
    _add(directory / "service" / "rules" / "heartrush" / "__init__.py", "# another revision of this file\n")
    _change(
        directory / "service" / "api" / "resources" / "owners.py",
        "    return _usage(request, request.caller.key.owner)",
        '    raise RuntimeError("planted")',
    )
    _change(
        directory / "rewound_duel.py",
        "        moves = {name: kit.unsealed(move) for name, move in state.moves.items()}\n",
        "        moves = {name: kit.unsealed(move) for name, move in state.moves.items()}\n"
        f'        assert "{CRASHES}" not in moves.values(), "planted"\n',
    )
    return Build("B", directory)


def _change_functions(valkey: Path) -> None:
    """Give the store's functions the next number, and let one write a field more."""
    library = valkey / "library.py"
    found = re.search(r'LIBRARY = "rewound_(\d+)"', library.read_text("utf-8"))
    assert found, "the library's number"
    before, after = f"rewound_{found[1]}", f"rewound_{int(found[1]) + 1}"
    _change(library, before, after)
    functions = valkey / "functions" / "rewound.lua"
    written = "redis.call('HSET', head, 'appended', last, 'bytes', bytes, 'run', run())"
    _change(functions, written, written.replace("'run'", "'build', 'B', 'run'"))
    functions.write_text(functions.read_text("utf-8").replace(before, after), "utf-8")


def _change(file: Path, before: str, after: str, times: int = 1) -> None:
    text = file.read_text("utf-8")
    assert text.count(before) == times, f"{file.name} has changed: {before}"
    file.write_text(text.replace(before, after), "utf-8")


def _add(file: Path, text: str) -> None:
    file.write_text(file.read_text("utf-8") + text, "utf-8")
