"""Put a page with everything that it loads into one file, which opens from disk.

A browser loads no module from a folder on disk. So an import map has each module as a `data:` address, and
the imports in it are changed to the names in the map. The Content Security Policy of the file allows what is
in it by hash: the file loads nothing and sends nothing.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import Any, Final

_IMPORTED: Final = re.compile(r'(\bfrom|^import) "([./][^"]+)"', re.MULTILINE)
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT: Final = re.compile(r'<script type="module" src="[^"]+"></script>')
_PICTURE: Final = re.compile(r'(?<=(?:href|.src)=")(/docs/[^"]+\.svg)(?=")')
_FIRST: Final = '<meta charset="utf-8">\n'
"""What the policy follows: it must come before anything that it is about."""


def single_file(page: str, entry: str, content: Mapping[str, Any]) -> str:
    """Return the HTML of *page* with all that it loads, and the module *entry* in place of its own.

    The modules read *content* as JSON in the element `replayed`. Paths are those of the files of the pages.
    """
    modules = _modules_from(entry)
    imports = {name: _address("text/javascript", source) for name, source in modules.items()}
    import_map = json.dumps({"imports": imports})
    begin = f'import "{entry}";'
    data = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    scripts = (
        f'<script type="importmap">{import_map}</script>\n'
        f'<script type="application/json" id="replayed">{data}</script>\n'
        f'<script type="module">{begin}</script>'
    )
    text = _read(page)
    styles = [_read(_path_of(address, page)) for address in _STYLE.findall(text)]
    policy = (
        f"default-src 'none'; script-src {_allowed(import_map)} {_allowed(begin)} data:; "
        f"style-src {' '.join(map(_allowed, styles))}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    text = _STYLE.sub(lambda found: f"<style>{_read(_path_of(found[1], page))}</style>", text)
    text = _PICTURE.sub(lambda found: _address("image/svg+xml", _read(_path_of(found[1], page))), text)
    text = text.replace(_FIRST, f'{_FIRST}<meta http-equiv="Content-Security-Policy" content="{policy}">\n')
    return _SCRIPT.sub(lambda _: scripts, text)


def _modules_from(entry: str) -> dict[str, str]:
    """Return the sources of *entry* and of all that it imports, by path, with paths as their imports."""
    found: dict[str, str] = {}
    wanted = [entry]
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        source = _read(path)
        wanted += [_path_of(imported, path) for _, imported in _IMPORTED.findall(source)]
        found[path] = _with_paths(source, path)
    return found


def _with_paths(source: str, path: str) -> str:
    """Return the *source* of the module at *path*, with paths as its imports."""
    return _IMPORTED.sub(lambda each: f'{each[1]} "{_path_of(each[2], path)}"', source)


def _path_of(address: str, source: str) -> str:
    """Return the path of the file that *source* loads from *address*."""
    if address.startswith("/"):
        return address.removeprefix("/page/").removeprefix("/docs/")
    return normpath(join(dirname(source), address))


def _read(path: str) -> str:
    return files("service.api").joinpath("pages", *path.split("/")).read_text("utf-8")


def _address(media_type: str, text: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(text.encode()).decode()}"


def _allowed(text: str) -> str:
    """Return the source expression of a policy that allows *text* inline."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
