"""An environment of its own with the duel installed, and a service that runs there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from service.cli.local_service import reserved_port
from service.rules.kernel.records import EMPTY

ROOT: Final = Path(__file__).parents[2]
DUEL: Final = ROOT / "examples" / "duel"
BUILD: Final = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
COMMAND: Final = "from service.cli import main; main(prog_name='rewound')"
PATIENCE_S: Final = 100.0


@dataclass(frozen=True)
class Environment:
    """An environment, which uses the packages of this one and has the duel besides."""

    python: Path

    def command(self, *words: str | Path) -> list[str]:
        """Return the command line of `rewound` with *words*."""
        return [str(self.python), "-c", COMMAND, *map(str, words)]

    def rewound(self, *words: str | Path, status: int = 0, environment: Mapping[str, str] = EMPTY) -> str:
        """Run `rewound` with *words*; return its output."""
        done = subprocess.run(
            self.command(*words),
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + (done.stderr if status else "")


@dataclass(frozen=True)
class Running:
    """A service in the environment, and an API key of it."""

    url: str
    key: str


def made(home: Path, *packages: Path) -> Environment:
    """Return a new environment in *home* with *packages* installed."""
    venv.create(home, with_pip=False)
    place = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    ours = sysconfig.get_path("purelib")
    (place / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    for package in packages:
        tree = home / "sources" / package.name
        shutil.copytree(package, tree, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            *BUILD,
            "--target",
            str(place),
            "--upgrade",
            str(tree),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return Environment(home / "bin" / "python")


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return made(tmp_path_factory.mktemp("environment"), DUEL)


@pytest.fixture(scope="session")
def running(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run `rewound serve` in the environment."""
    home = tmp_path_factory.mktemp("data")
    out = home.with_suffix(".out")
    with reserved_port("127.0.0.1") as port, out.open("wb") as file:
        more = {"REWOUND_DATA_DIR": str(home), "REWOUND_LOG_LEVEL": "error"}
        process = subprocess.Popen(
            environment.command("serve", "--port", str(port)),
            env={**os.environ, **more},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            ends = time.monotonic() + PATIENCE_S
            while "Rewound serves" not in out.read_text("utf-8"):
                assert process.poll() is None, out.read_text("utf-8")
                assert time.monotonic() < ends, out.read_text("utf-8")
                time.sleep(0.05)
            key = environment.rewound("keys", "create", "tests", environment=more).split()[-1]
            yield Running(f"http://127.0.0.1:{port}", key)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
