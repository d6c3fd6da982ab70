"""Write files that are generated from the code, or check them; both need a checkout, not a wheel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from service.cli.terminal import Failure, say


def in_checkout() -> Path:
    """Return the root of the checkout that this code runs from; raises `Failure` if there is none."""
    root = Path(__file__).parents[2]
    if not (root / "pyproject.toml").is_file():
        raise Failure("this is an installed package; generated files need a checkout")
    return root


def settle(files: Mapping[Path, str], *, check: bool, by: str) -> None:
    """Write *files*, or with *check* raise `Failure` if one of them is out of date."""
    stale = [path for path, text in files.items() if _text(path) != text]
    if not check:
        for path in stale:
            path.write_text(files[path], "utf-8")
            say(f"{path.name} written")
    elif stale:
        names = ", ".join(path.name for path in stale)
        raise Failure(f"{names} is out of date: run {by}")


def _text(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None
