"""Build the documentation site once for all processes of a run, if it is older than its sources."""

from __future__ import annotations

import fcntl
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SITE: Final = ROOT / "service" / "api" / "site"
INDEX: Final = SITE / "pages.json"


@cache
def built_site() -> Path:
    """Return the directory of the built site."""
    with (ROOT / "pyproject.toml").open() as lock:  # any file of the tree that all processes see
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", INDEX.relative_to(ROOT).as_posix()], cwd=ROOT, check=True)
    return SITE
