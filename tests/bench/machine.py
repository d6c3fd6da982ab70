"""Name what a run of benchmarks was measured on: system, processors, and the build of the interpreter."""

from __future__ import annotations

import os
import platform
import sysconfig
from typing import Final

_FLAGS: Final = {"--enable-optimizations": "PGO", "--with-lto": "LTO"}
"""The options of Python's `configure` that make it faster, each by the name that a figure has beside it."""


def build_of(configured: str) -> str:
    """Return how an interpreter was built, given the arguments of its `configure` (`CONFIG_ARGS`)."""
    found = [name for flag, name in _FLAGS.items() if flag in configured]
    return f"built with {' and '.join(found)}" if found else "built without PGO and LTO"


def described() -> str:
    """Return one line: system, processors, load, interpreter and its build."""
    build = build_of(str(sysconfig.get_config_var("CONFIG_ARGS") or ""))
    return (
        f"{platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, {build}, {platform.python_compiler()}"
    )
