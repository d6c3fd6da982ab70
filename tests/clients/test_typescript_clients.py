"""Two public generators make TypeScript clients whose loop compiles strictly, without a cast, and plays.

The linters of the contract are here too, because they come from the same pins.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host
from tests.support.node_tools import installed, run

pytestmark = [pytest.mark.slow, pytest.mark.overnight, pytest.mark.timeout(600)]

SOURCES: Final = ROOT / "tests" / "clients" / "typescript"
SCRIPTS: Final = ("openapi_fetch", "hey_api")
CASTS: Final = re.compile(r"\bas (?!const\b)\w|<any>|: any\b|@ts-")
COMMANDS: Final = 8
COMPILER: Final = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2022",
    "lib": ["es2022", "dom", "dom.iterable"],
    "module": "commonjs",
    "moduleResolution": "node10",
    "esModuleInterop": True,
    "types": [],
    "outDir": "made",
}
HEY: Final = {
    "input": "openapi.yaml",
    "output": "hey",
    "plugins": ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    "logs": {"level": "silent"},
}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory with the contract, the sources and both generated clients."""
    home = tmp_path_factory.mktemp("typescript")
    modules = installed() / "node_modules"
    (home / "node_modules").symlink_to(modules)
    shutil.copy(ROOT / "openapi.yaml", home)
    for name in SCRIPTS:
        shutil.copy(SOURCES / f"{name}.ts", home)
    (home / "hey.config.json").write_text(json.dumps(HEY), "utf-8")
    run(modules / "openapi-typescript" / "bin" / "cli.js", "openapi.yaml", "-o", "schema.d.ts", cwd=home)
    run(modules / "@hey-api" / "openapi-ts" / "bin" / "run.js", "-f", "hey.config.json", cwd=home)
    return home


def compiled(home: Path, name: str) -> None:
    """Compile *name* strictly; fails with the compiler's words."""
    settings = {"compilerOptions": COMPILER, "files": [f"{name}.ts"]}
    (home / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    run(home / "node_modules" / "typescript" / "bin" / "tsc", "-p", "tsconfig.json", cwd=home)


def sides() -> list[dict[str, Any]]:
    """Give two creatures that differ between the books in nothing that an opening needs."""
    return [
        {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes"}},
    ]


def openings() -> dict[str, dict[str, Any]]:
    """Give an opening of each book."""
    rise = {"edition": "rise@1", "creatures": sides()}
    heartrush = {"edition": "heartrush@1", "creatures": sides(), "sides": ["heroes", "foes"]}
    return {"heartrush@1": {**heartrush, "player_side": "heroes"}, "rise@1": rise}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_loop_compiles_without_a_cast_and_plays_both_books(
    workshop: Path, rewound: Rewound, host: Host, name: str
) -> None:
    assert not CASTS.search((SOURCES / f"{name}.ts").read_text("utf-8"))
    compiled(workshop, name)
    for edition, opening in openings().items():
        encounter = rewound.open(opening).encounter
        script = workshop / "made" / f"{name}.js"
        told = run(script, host.address, host.key, encounter, str(COMMANDS), cwd=workshop)
        last = json.loads(told.splitlines()[-1])
        assert last["edition"] == edition
        assert len(last["types"]) == COMMANDS, told


def test_a_misspelled_member_does_not_compile(workshop: Path) -> None:
    """The types say something: a wrong name is found."""
    text = (SOURCES / "openapi_fetch.ts").read_text("utf-8")
    (workshop / "wrong.ts").write_text(text.replace("event.excess", "event.access"), "utf-8")
    with pytest.raises(AssertionError, match="access"):
        compiled(workshop, "wrong")


def test_redocly_finds_nothing(workshop: Path) -> None:
    (workshop / "redocly.yaml").write_text("extends: [recommended]\n", "utf-8")
    cli = workshop / "node_modules" / "@redocly" / "cli" / "bin" / "cli.js"
    said = run(cli, "lint", "openapi.yaml", "--config", "redocly.yaml", "--format", "json", cwd=workshop)
    found = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert found["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, said[:4000]


def test_spectral_finds_nothing(workshop: Path) -> None:
    (workshop / "spectral.yaml").write_text('extends: ["spectral:oas"]\n', "utf-8")
    cli = workshop / "node_modules" / "@stoplight" / "spectral-cli" / "dist" / "index.js"
    said = run(cli, "lint", "openapi.yaml", "-r", "spectral.yaml", "-F", "hint", cwd=workshop)
    assert "No results" in said, said[:4000]
