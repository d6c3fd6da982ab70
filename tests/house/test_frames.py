"""Rules are named by value: one module reads frames and code objects of Python, and it decides nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Final

import pytest

import service
from service.rules.kernel.messages import Refused

HOME: Final = Path(*service.__path__)
READER: Final = "frames.py"
TYPES: Final = (FrameType, CodeType, GeneratorType, CoroutineType, AsyncGeneratorType)
NAMES: Final = frozenset(
    {name for kind in TYPES for name in vars(kind) if name.startswith(("ag_", "co_", "cr_", "f_", "gi_"))}
    | {"__code__", "tb_frame"}
    | {"_current_frames", "_getframe", "currentframe", "getprofile", "gettrace", "monitoring"}
    | {"setprofile", "settrace", "walk_stack", "walk_tb"}
)


def readings(source: str) -> Iterator[str]:
    """Yield each name in *source* with which a frame or a code object is read, and its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
                found = [name]
            case ast.ImportFrom(names=names):
                found = [each.name for each in names]
            case _:
                continue
        yield from (f"{node.lineno}: {name}" for name in found if name in NAMES)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("rules = BY_CODE[tale.gi_code]", "1: gi_code"),
        ("inner = tale\nwhile inner: inner = inner.gi_yieldfrom", "2: gi_yieldfrom"),
        ("key = home.__code__", "1: __code__"),
        ("import sys\nsys._getframe()", "2: _getframe"),
        ("sys.setprofile(watch)", "1: setprofile"),
        ("from inspect import currentframe", "1: currentframe"),
        ("found = getattr(frame, 'f_code')", "1: f_code"),
        ("while trace: trace.tb_frame", "1: tb_frame"),
    ],
)
def test_what_reads_a_frame_or_a_code_object_is_found(source: str, found: str) -> None:
    assert found in list(readings(source))


def test_one_module_reads_frames_and_code_objects() -> None:
    found = {
        str(path.relative_to(HOME)): read
        for path in HOME.rglob("*.py")
        if (read := list(readings(path.read_text("utf-8"))))
    }
    assert found.pop(READER)
    assert found == {}


def unnamed(source: str) -> Iterator[int]:
    """Yield the line of each refusal in *source* that marked code raises without its rule."""
    for home in ast.walk(ast.parse(source)):
        if isinstance(home, ast.FunctionDef | ast.ClassDef) and any(map(_marks, home.decorator_list)):
            for node in ast.walk(home):
                match node:
                    case ast.Call(func=ast.Name(id=Refused.__name__), args=[_, _], keywords=[]):
                        yield node.lineno


def _marks(decorator: ast.expr) -> bool:
    return "enforces(" in ast.unparse(decorator)


def test_a_refusal_that_names_no_rule_is_found() -> None:
    function = 'def may(it):\n    if it:\n        raise Refused("no", "never"{})\n'
    assert list(unnamed(f"@enforces(RULE)\n{function.format('')}")) == [4]
    assert list(unnamed(f"@enforces(RULE)\n{function.format(', RULE.id')}")) == []
    assert list(
        unnamed(f"@enforces(RULE)\nclass It:\n    {function.format('').replace(chr(10), chr(10) + '    ')}")
    ) == [5]
    assert list(unnamed(function.format(""))) == []


def test_code_that_enforces_a_rule_names_it_where_it_refuses() -> None:
    found = {
        str(path.relative_to(HOME)): lines
        for path in (HOME / "rules").rglob("*.py")
        if (lines := list(unnamed(path.read_text("utf-8"))))
    }
    assert found == {}
