"""The ruleset's digest: it counts what decides, wherever it stands, and changes with every byte of it."""

import inspect
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest

from service.record import digest
from service.record.digest import ruleset_digest, sources_digest
from tests.support.tiny_game import TINY

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a package of two modules that imports one module of the dice."""
    inside = tmp_path / "booklet"
    inside.mkdir()
    (inside / "__init__.py").write_text("from booklet.chapter import X\n")
    (inside / "chapter.py").write_text("import json\nfrom service.dice.errors import DiceError\nX = 1\n")
    (inside / "unused.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield inside
    for name in [name for name in sys.modules if name.partition(".")[0] == "booklet"]:
        del sys.modules[name]


def _digest() -> str:
    found: str = inspect.unwrap(sources_digest)(("booklet",))
    return found


def test_it_is_the_hash_of_paths_and_hashes(package: Path) -> None:
    files = {
        "booklet/__init__.py": package / "__init__.py",
        "booklet/chapter.py": package / "chapter.py",
        "booklet/unused.py": package / "unused.py",
        "service/dice/__init__.py": ROOT / "service/dice/__init__.py",
        "service/dice/errors.py": ROOT / "service/dice/errors.py",
    }
    lines = [f"{path}\0{sha256(file.read_bytes()).hexdigest()}\n" for path, file in sorted(files.items())]

    assert _digest() == sha256("".join(lines).encode()).hexdigest()


def test_it_changes_with_a_byte_a_name_or_a_new_file(package: Path) -> None:
    seen = [_digest()]
    (package / "chapter.py").write_text((package / "chapter.py").read_text() + "\n")
    seen.append(_digest())
    (package / "unused.py").rename(package / "other.py")
    seen.append(_digest())
    (package / "more.py").write_text("")
    seen.append(_digest())

    assert len(dict.fromkeys(seen)) == 4


def test_a_rulesets_digest_is_taken_once() -> None:
    assert ruleset_digest(TINY) is ruleset_digest(TINY)


def test_threads_that_ask_at_once_share_one_computation(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def _slowly(module: str) -> ModuleSpec | None:
        asked.append(module)
        time.sleep(0.01)
        return find_spec(module)

    monkeypatch.setattr(digest, "find_spec", _slowly)
    packages = (package.name, f"{package.name}.unused")  # no other test asks for these together

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(digest.sources_digest, [packages] * 16))

    assert len(frozenset(found)) == 1
    assert asked.count(f"{package.name}.chapter") <= 3, "one computation asks for it as often"


def test_imports_are_found_as_a_syntax_tree_has_them_in_every_source_of_the_program() -> None:
    for file in sorted((*(ROOT / "service").rglob("*.py"), *(ROOT / "workers").glob("*.py"))):
        by_tree = set(digest._imported_by_tree(file.read_text("utf-8")))  # noqa: SLF001 - the two ways compared
        found = set(digest._imported(file.read_bytes()))  # noqa: SLF001 - the two ways compared
        assert by_tree <= found, file
        assert not {name for name in found - by_tree if name.startswith("service.")}, file


@pytest.mark.parametrize(
    "source",
    [
        "import a.b, c as d  # import e\n",
        "from a import (\n    b,  # of the rules, and\n    c as d,\n)\n",
        "from a import b, \\\n    c\n",
        "def late():\n    from a import b\n    import c\n",
        "x = 1; import a; from b import c\n",
        "if x: import a\n",
        "from a import *\n",
        "try:\n\timport a\nexcept ImportError: import b\n",
    ],
)
def test_an_import_is_found_however_it_is_written(source: str) -> None:
    by_tree = set(digest._imported_by_tree(source))  # noqa: SLF001 - the two ways compared
    assert by_tree
    assert set(digest._imported(source.encode())) == by_tree  # noqa: SLF001 - the two ways compared
