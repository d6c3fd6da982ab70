"""Put a page with everything that it loads into one file, which opens from disk.

A browser loads no module from a folder on disk. So the file has all modules in one compressed text, with the
imports in them changed to names, and a script that unpacks them into an import map of `data:` addresses. The
Content Security Policy of the file allows what is in it by hash, the import map too: the file loads nothing
and sends nothing.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping
from hashlib import sha256
from posixpath import dirname, join, normpath
from typing import Any, Final
from urllib.parse import quote

from service.api.page_files import page_file

_IMPORTED: Final = re.compile(r'(\bfrom |^import |\bawait import\()"([./][^"]+)"', re.MULTILINE)
"""What a module imports, at once or when it is wanted; what a comment names is no import."""
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
_SCRIPT: Final = re.compile(r'<script type="module" src="[^"]+"></script>')
_PICTURE: Final = re.compile(r'(?<=(?:href|.src)=")(/docs/[^"]+\.svg)(?=")')
_FIRST: Final = '<meta charset="utf-8">\n'
"""What the policy follows: it must come before anything that it is about."""


_LITERAL: Final = "!'()*"
"""What `encodeURIComponent` leaves as it is, and `quote` does not by itself."""
_UNPACK: Final = "shared/unpack.js"


def single_file(page: str, entry: str, content: Mapping[str, Any] | None) -> str:
    """Return the HTML of *page* with all that it loads, and the module *entry* in place of its own.

    The modules read *content* as JSON in the element `replayed`; who has none yet writes it there. Paths are
    those of the files of the pages.
    """
    modules = _modules_from(entry)
    imports = {name: f"data:text/javascript,{quote(source, _LITERAL)}" for name, source in modules.items()}
    import_map = json.dumps({"imports": imports}, separators=(",", ":"))
    begin, unpack = f'import "{entry}";', _read(_UNPACK)
    scripts = (
        '<script type="application/json" id="replayed">{}</script>\n'
        f'<script type="text/plain" id="packed">{_packed(modules, content, entry)}</script>\n'
        f"<script>{unpack}</script>"
    )
    text = _read(page)
    styles = [_read(_path_of(address, page)) for address in _STYLE.findall(text)]
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_allowed, (unpack, import_map, begin)))} data:; "
        f"style-src {' '.join(map(_allowed, styles))}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    text = _STYLE.sub(lambda found: f"<style>{_read(_path_of(found[1], page))}</style>", text)
    text = _PICTURE.sub(lambda found: _address("image/svg+xml", _read(_path_of(found[1], page))), text)
    text = text.replace(_FIRST, f'{_FIRST}<meta http-equiv="Content-Security-Policy" content="{policy}">\n')
    return _SCRIPT.sub("", text).replace("</body>", f"{scripts}\n</body>")


def unpacked(html: str) -> dict[str, Any]:
    """Return what a file has packed: its `modules` by name, its `content`, and the `entry`."""
    packed = html.partition('id="packed">')[2].partition("</script>")[0]
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found


def _packed(modules: Mapping[str, str], content: Mapping[str, Any] | None, entry: str) -> str:
    text = json.dumps({"modules": modules, "content": content, "entry": entry}, ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


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
    return _IMPORTED.sub(lambda each: f'{each[1]}"{_path_of(each[2], path)}"', source)


def _path_of(address: str, source: str) -> str:
    """Return the path of the file that *source* loads from *address*."""
    if address.startswith("/"):
        return address.removeprefix("/page/").removeprefix("/docs/")
    return normpath(join(dirname(source), address))


def _read(path: str) -> str:
    return page_file(path).decode()


def _address(media_type: str, text: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(text.encode()).decode()}"


def _allowed(text: str) -> str:
    """Return the source expression of a policy that allows *text* inline."""
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
