"""The programs that read our files as an operator's do; each says how to get it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"
SCHEMAS: Final = ROOT / ".venv" / "manifests" / "bin" / "kubernetes-validate"
PACKAGES: Final = {
    "promtool": "apt install prometheus",
    "nginx": "apt install nginx-light",
    "caddy": "apt install caddy",
    "kubectl": "https://kubernetes.io/docs/tasks/tools, or any kustomize",
    str(SCHEMAS): "make manifests, which installs it by hash",
}


class MissingError(Exception):
    """A program is not there; the text says how to get it."""


def tool(name: str) -> str:
    """Return the path of a program; raises `MissingError`."""
    found = shutil.which(name)
    if found is None:
        raise MissingError(f"{Path(name).name} is missing: {PACKAGES[name]}")
    return found


def run(command: Sequence[str | Path], *, given: str | None = None) -> str:
    """Run a program to its end and return what it prints; fail with all of it."""
    made = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, f"{command[0]}: {made.stdout}{made.stderr}"
    return made.stdout
