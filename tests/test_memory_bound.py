"""A process fails by an exception at its bound of memory, and goes on."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from service.api.serving import as_problem

USED = """
import resource, sys
from service.memory_bound import bound_memory
{before}
bound_memory({megabytes})
try:
    held = bytearray(900 << 20)
    print("had", len(held) >> 20)
except MemoryError:
    print("none")
print(len(bytearray(50 << 20)) >> 20)
"""
LOWER = "resource.setrlimit(resource.RLIMIT_DATA, (600 << 20, resource.RLIM_INFINITY))"


@pytest.mark.parametrize(
    ("megabytes", "before", "said"),
    [
        (700, "", ["none", "50"]),
        (0, "", ["had 900", "50"]),
        (2_000, "", ["had 900", "50"]),
        (2_000, LOWER, ["none", "50"]),
    ],
)
def test_past_its_bound_a_process_gets_an_exception_and_goes_on(
    megabytes: int, before: str, said: list[str]
) -> None:
    code = USED.format(megabytes=megabytes, before=before)
    done: Any = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == said


def test_a_request_without_memory_is_answered_as_one_to_try_again() -> None:
    problem = as_problem(MemoryError(), "r")
    assert (problem.kind.code, problem.kind.status, problem.headers) == (
        "out-of-memory",
        503,
        {"Retry-After": "1"},
    )
