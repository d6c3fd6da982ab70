"""Read what holds code to a ledger: lists of ids, the names of tests, the words that code spells out."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any


def read(path: Path) -> Any:
    """Return what a file of ids holds."""
    return json.loads(path.read_text("utf-8"))


@cache
def names_of_tests(tests: Path) -> tuple[str, ...]:
    """Return the names of all test functions of a folder."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(tests.rglob("test_*.py"))]
    names = (node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return tuple(name for name in names if name.startswith("test_"))


@cache
def words(package: Path) -> frozenset[str]:
    """Return every string that the code of a package spells out, also inside a longer one."""
    return frozenset(_words(package))


def _words(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
                yield node.value.partition(":")[0]


def is_tested(tests: Path, vector: str) -> bool:
    """Tell whether a test function of a folder is named by *vector*."""
    named = re.compile(f"_{vector.replace('-', '_')}(_|$)")
    return any(named.search(name) for name in names_of_tests(tests))
