"""Two public generators make TypeScript clients whose loop compiles strictly, without a cast, and plays.

The linters of the contract are here too, because they come from the same pins.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from rewound_client import Rewound
from tests.clients.conftest import ROOT, Host
from tests.clients.openings import openings
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


def ours(workshop: Path, source: str) -> None:
    """Compile *source* with the JavaScript client, installed as npm would link it; it becomes `ours/made`."""
    home = workshop / "ours"
    (home / "node_modules").mkdir(parents=True, exist_ok=True)
    link = home / "node_modules" / "rewound-client"
    if not link.exists():
        link.symlink_to(ROOT / "clients" / "javascript")
    (home / "package.json").write_text('{"type": "module"}', "utf-8")
    (home / "play.ts").write_text(source, "utf-8")
    settings = {**COMPILER, "module": "nodenext", "moduleResolution": "nodenext", "skipLibCheck": False}
    (home / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": settings, "files": ["play.ts"]}), "utf-8"
    )
    run(workshop / "node_modules" / "typescript" / "bin" / "tsc", "-p", "tsconfig.json", cwd=home)


def test_our_client_has_types_with_which_a_program_compiles_and_plays_both_books(
    workshop: Path, rewound: Rewound, host: Host
) -> None:
    source = (SOURCES / "rewound_client.ts").read_text("utf-8")
    assert not CASTS.search(source)
    ours(workshop, source)
    for edition, opening in openings().items():
        encounter = rewound.open(opening).encounter
        script = workshop / "ours" / "made" / "play.js"
        said = run(script, host.address, host.key, encounter, str(COMMANDS), cwd=workshop / "ours")
        last = json.loads(said.splitlines()[-1])
        assert (last["edition"], len(last["types"])) == (edition, COMMANDS)


@pytest.mark.parametrize(
    ("right", "wrong", "named"),
    [
        ("event.excess", "event.access", "access"),
        ('target: "nobody"', 'targt: "nobody"', "targt"),
        ("data.n,", "data.m,", "'m'"),
    ],
)
def test_a_misspelled_member_does_not_compile_with_our_client(
    workshop: Path, right: str, wrong: str, named: str
) -> None:
    source = (SOURCES / "rewound_client.ts").read_text("utf-8")
    assert right in source
    with pytest.raises(AssertionError, match=named):
        ours(workshop, source.replace(right, wrong))


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
