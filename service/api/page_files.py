"""The files of the pages, as pages load them."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Final

AS_WRITTEN: Final = "verifier"
"""The folder whose modules are loaded with their comments: people read them before they trust them."""
COMMENT: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)$", re.DOTALL | re.MULTILINE)
"""A comment that has its lines for itself; no text of a module looks like one."""


def page_file(path: str) -> bytes:
    """Return the file at *path* below the pages, a module without comments."""
    folder, *_ = path.split("/")
    raw = files("service.api").joinpath("pages", *path.split("/")).read_bytes()
    if path.endswith(".mjs") and folder != AS_WRITTEN:
        return without_comments(raw.decode()).encode()
    return raw


def without_comments(module: str) -> str:
    """Return a *module* without the comments between its statements; each statement keeps its line.

    A third of what a page loads would be comments.
    """
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), module)
