"""Identify the code that decides by one hash: the digest of a ruleset's sources.

It is SHA-256 over sorted lines `path NUL sha256(file) LF` of the ruleset's packages and everything they
import from the rules and the dice, directly or not. Two processes with the same digest decide alike; if a
commit comes out differently under the same digest, the decision was not deterministic.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final

from service.rules.ruleset import Ruleset

SHARED: Final = ("service.rules", "service.dice")
"""What a ruleset may import beside itself; the standard library is allowed too, and not in the digest."""

_STATEMENT: Final = re.compile(
    r"\n[ \t]*(?:"
    r"from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|(?:\\\n|[^\n#])*)"  # an import of names
    r"|import[ \t]+((?:\\\n|[^\n#])*))"  # an import of modules
)
"""A statement and the end of the line before it: `^` would be tried at each character."""
_NOISE: Final = re.compile(r"#[^\n]*|[()\\]")
"""What may stand between the names of a statement: comments, parentheses, ends of lines."""
_INSIDE: Final = re.compile(r"[;:][ \t]*(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b)")
"""An import behind another statement in its line."""


def _computed_once(digest: Callable[[tuple[str, ...]], str]) -> Callable[[tuple[str, ...]], str]:
    """Return *digest* with cached results; concurrent callers wait for one computation.

    `functools.cache` would let each of them read and parse every source.
    """
    known: dict[tuple[str, ...], str] = {}
    lock = Lock()

    @wraps(digest)
    def find(packages: tuple[str, ...]) -> str:
        found = known.get(packages)
        if found is None:
            with lock:
                found = known.get(packages) or known.setdefault(packages, digest(packages))
        return found

    return find


def ruleset_digest(ruleset: Ruleset[Any]) -> str:
    """Return the digest of *ruleset*, in hexadecimal digits."""
    return sources_digest(ruleset.packages)


@_computed_once
def package_digest(packages: tuple[str, ...]) -> str:
    """Return the digest of whole *packages* of this program: lines as above, without their imports."""
    return _lines_digest(
        {found[0]: found[1] for name in packages for module in _modules(name) if (found := _source(module))}
    )


@_computed_once
def sources_digest(packages: tuple[str, ...]) -> str:
    """Return the digest of *packages* and what they import; read from disk once per process."""
    files: dict[str, bytes] = {}
    waiting = [name for package in packages for name in _modules(package)]
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        found = None if module in seen else _source(module)
        seen.add(module)
        if found is None:
            continue
        path, raw = found
        files[path] = raw
        waiting += (name for name in _imported(raw) if name.startswith((*SHARED, *packages)))
        waiting += _parents(module)
    return _lines_digest(files)


def _lines_digest(files: Mapping[str, bytes]) -> str:
    lines = (f"{path}\0{sha256(raw).hexdigest()}\n" for path, raw in sorted(files.items()))
    return sha256("".join(lines).encode()).hexdigest()


def _modules(package: str) -> Iterator[str]:
    """Yield *package* and every module below it."""
    yield package
    spec = find_spec(package)
    assert spec is not None, f"there is no package {package}"
    for directory in spec.submodule_search_locations or ():
        root = Path(directory)
        for file in root.rglob("*.py"):
            inside = file.relative_to(root).with_suffix("").parts
            yield ".".join((package, *(part for part in inside if part != "__init__")))


def _parents(module: str) -> list[str]:
    """Return the packages that are executed when *module* is imported."""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(2, len(parts))]


def _source(module: str) -> tuple[str, bytes] | None:
    """Return the path of *module* below its root, and its source; None if it is not a module with a file."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return None  # `from x import y` names a function as often as a module
    if spec is None or spec.origin is None or not spec.has_location:
        return None
    path = module.replace(".", "/")
    return path + ("/__init__.py" if spec.submodule_search_locations else ".py"), Path(
        spec.origin
    ).read_bytes()


@cache
def _imported(raw: bytes) -> tuple[str, ...]:
    """Return every name that an import statement of *raw* may refer to, as a dotted path.

    Statements are found by their first words, because a syntax tree of every source costs a second. A line of
    a string that reads as an import counts as one, which adds a file to the digest and never leaves one out.
    """
    text = raw.decode()
    if _INSIDE.search(text):
        return _imported_by_tree(text)
    found: list[str] = []
    for statement in _STATEMENT.finditer(f"\n{text}"):
        module, names, plain = statement.groups()
        listed = _NOISE.sub(" ", names if module else plain).split(",")
        named = [words[0] for words in map(str.split, listed) if words]
        found += [f"{module}.{name}" for name in named] if module else named
        if module:
            found.append(module)
    return tuple(found)


def _imported_by_tree(text: str) -> tuple[str, ...]:
    """Do as `_imported`, for a source with an import behind another statement in its line."""
    found: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(found)
