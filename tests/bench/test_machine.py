"""Figures name the interpreter's build, since the build alone moves them by 5 to 15 %."""

import platform

import pytest

from tests.bench.machine import build_of, described


@pytest.mark.parametrize(
    ("configured", "said"),
    [
        ("'--enable-optimizations' '--with-lto=full'", "built with PGO and LTO"),
        ("'--enable-shared' '--enable-optimizations'", "built with PGO"),
        ("'--prefix=/opt/python'", "built without PGO and LTO"),
        ("", "built without PGO and LTO"),
    ],
)
def test_a_build_is_named_by_what_makes_it_faster(configured: str, said: str) -> None:
    assert build_of(configured) == said


def test_a_run_names_its_interpreter() -> None:
    assert f"{platform.python_version()}, built with" in described()
