"""The files of the pages, as pages load them."""

from __future__ import annotations

import re
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import Final

AS_WRITTEN: Final = "verifier"
"""The folder whose modules are loaded with their comments: people read them before they trust them."""
COMMENT: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)$", re.DOTALL | re.MULTILINE)
"""A comment that has its lines for itself; no text of a module looks like one."""
_PAGES: Final = "/page/"
_ENTRY: Final = re.compile(rf'<script type="module" src="({_PAGES}[^"]+)"></script>')
_LOADED: Final = re.compile(r'(?:\bfrom |^import )"([./][^"]+)"', re.MULTILINE)
"""What a module imports before it runs; what it imports when somebody wants it is none of this."""


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


def page_with_preloads(path: str) -> bytes:
    """Return the page at *path*, which names every module that its own one needs before it runs.

    A browser finds an import only when it has read the module that has it. The links let it ask for all
    modules at once.
    """
    html = page_file(path).decode()
    entry = _ENTRY.search(html)
    if entry is None:
        return html.encode()
    links = "".join(f'<link rel="modulepreload" href="{each}">\n' for each in _imported_by(entry[1]))
    return html.replace(entry[0], f"{links}{entry[0]}").encode()


def _imported_by(entry: str) -> list[str]:
    """Return the addresses of the modules that *entry* imports, directly or not, the nearest ones first."""
    found = [entry]
    for address in found:
        source = page_file(address.removeprefix(_PAGES)).decode()
        every = [normpath(join(dirname(address), each)) for each in _LOADED.findall(source)]
        found += [each for each in dict.fromkeys(every) if each not in found]
    return found[1:]
