"""One service for all pages, and a checkout in which their commands are typed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from service.cli.local_service import LocalService, reserved_port
from service.settings import Settings
from service.stores import api_keys
from tests.docs.pages import ROOT, Block

PRINTED_ADDRESS = "http://127.0.0.1:8000"
"""What the pages call the service; the tests' own listens elsewhere."""

PATIENCE_S = 90
_BETWEEN = "\x1e"
_PATIENT = """curl() {
  case "$*" in
    *Prefer:*) command curl "$@" ;;
    *) command curl -H 'Prefer: wait=30' "$@" ;;
  esac
}"""
"""What a page says nothing of: a machine that stalls for two seconds makes no answer here a pending one."""
_REWOUND = """#!/bin/sh
exec "{python}" -c "from service.cli import main; main(prog_name='rewound')" "$@"
"""


@dataclass(frozen=True)
class Desk:
    """A place where the commands of a page work as they are printed."""

    home: Path
    url: str
    key: str
    environment: dict[str, str]

    def typed(self, page: list[Block]) -> dict[Block, str]:
        """Type the shell blocks of one page, in order, into one shell; what each printed.

        The first command that fails ends it, and fails.
        """
        missing = [tool for tool in ("bash", "curl") if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"what the pages type is not here: {', '.join(missing)}")
        parts = "".join(f"{block.text}\nprintf '\\036'\n" for block in page)
        script = f"set -euo pipefail\n{_PATIENT}\n" + parts.replace(PRINTED_ADDRESS, self.url)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return dict(zip(page, done.stdout.split(_BETWEEN), strict=False))

    def python(self, *arguments: str) -> str:
        """Run Python by itself, nothing of ours importable; what it printed."""
        done = subprocess.run(
            [sys.executable, "-I", "-S", *arguments],
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with reserved_port("127.0.0.1") as port:
        yield port


@pytest.fixture(scope="session")
def desk(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("checkout")
    data = home / ".rewound"
    settings = replace(
        Settings(),
        data_dir=data,
        key_file=data / "secret.key",
        signing_key_file=data / "signing.key",
        port=port,
        api_workers=1,
        log_level="error",
    )
    for name in ("clients", "docs", "examples", "README.md", "openapi.yaml"):
        (home / name).symlink_to(ROOT / name)
    program = home / ".venv" / "bin" / "rewound"
    program.parent.mkdir(parents=True)
    program.write_text(_REWOUND.format(python=sys.executable))
    program.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("REWOUND_")},
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    with LocalService(settings, print) as station:
        station.wait_until_ready()
        with closing(station.log()) as log:
            key, _ = api_keys.create(log, "docs", time.time())
        yield Desk(home, station.url, key, environment)
