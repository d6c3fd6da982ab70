"""Find this machine's Chromium, and say how to get one."""

from __future__ import annotations

import os
import shutil
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HOW_TO_GET_ONE: Final = (
    "The tests of the page in a browser were left out, because this machine has no Chromium.\n"
    "To get one: apt-get install chromium (Debian, Ubuntu), dnf install chromium (Fedora), "
    "brew install --cask chromium (macOS); or set CHROMIUM to the path of one."
)


def chromium() -> str | None:
    """Return the path of this machine's Chromium, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
