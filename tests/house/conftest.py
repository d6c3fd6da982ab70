"""Give the house's tests the tree they look at: its root, and the files Git knows in it."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tracked(root: Path) -> tuple[Path, ...]:
    """Yield the tracked files, relative to the root, in Git's order."""
    if not (root / ".git").exists():
        pytest.skip("an unpacked archive: only a clone knows which files are tracked")
    listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True)
    names = listing.stdout.decode().split("\0")
    return tuple(Path(name) for name in names if name and (root / name).is_file())
