"""The signing memory: one open file for all threads of a process, whatever other processes do with it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from service.audit.signing_memory import RememberedHead, SigningMemory

COUNT = 10

OTHER = """
import sys
from pathlib import Path
from service.audit.signing_memory import RememberedHead, SigningMemory

signing_memory = SigningMemory(Path(sys.argv[1]))
for line in sys.stdin:
    size = int(line)
    signing_memory.remember(RememberedHead("e", size, bytes([size]) * 32, "theirs"))
    print(signing_memory.seen("e").size, *signing_memory.encounters(), flush=True)
"""

FORKING = """
import os, sys
from pathlib import Path
from threading import Event, Thread
from service.audit.signing_memory import RememberedHead, SigningMemory

signing_memory = SigningMemory(Path(sys.argv[1]))
count, begun, stop = int(sys.argv[2]), Event(), Event()

def write():
    n = 0
    while not stop.wait(0.001):
        n += 1
        signing_memory.remember(RememberedHead("busy", n, b"r" * 32, ""))
        begun.set()

thread = Thread(target=write)
thread.start()
begun.wait()
for n in range(1, count + 1):
    child = os.fork()
    if child == 0:
        signing_memory.remember(RememberedHead(f"child-{n}", n, b"r" * 32, ""))
        os._exit(0 if signing_memory.seen(f"child-{n}") is not None else 1)
    assert os.waitpid(child, 0)[1] == 0
    signing_memory.remember(RememberedHead(f"parent-{n}", n, b"r" * 32, ""))
stop.set()
thread.join()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "signing-memory.db"


@pytest.fixture
def signing_memory(file: Path) -> Iterator[SigningMemory]:
    made = SigningMemory(file)
    yield made
    made.close()


def seen(encounter: str, size: int) -> RememberedHead:
    return RememberedHead(encounter, size, bytes([size % 256]) * 32, f"note {size}")


def test_a_file_is_opened_once_and_closed(
    signing_memory: SigningMemory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    connect = sqlite3.connect

    def opening(*told: Any, **how: Any) -> sqlite3.Connection:
        opened.append(told)
        made: sqlite3.Connection = connect(*told, **how)
        return made

    monkeypatch.setattr(sqlite3, "connect", opening)

    for size in range(1, 5):
        signing_memory.remember(seen("e", size))
    assert opened == []
    signing_memory.close()
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "signing-memory.db"
    ]  # no log is left beside it
    assert signing_memory.seen("e") == seen("e", 4)
    assert len(opened) == 1


def test_what_every_thread_remembers_stands(signing_memory: SigningMemory) -> None:
    def remember(name: str) -> None:
        for size in range(1, COUNT + 1):
            signing_memory.remember(seen(name, size))
            signing_memory.remember(seen("all", size))

    names = [f"thread-{n}" for n in range(4)]
    threads = [Thread(target=remember, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert signing_memory.encounters() == ["all", *names]
    assert [signing_memory.seen(name) for name in signing_memory.encounters()] == [
        seen(name, COUNT) for name in ("all", *names)
    ]


def test_two_processes_on_one_file_see_what_the_other_remembers(
    signing_memory: SigningMemory, file: Path
) -> None:
    signing_memory.remember(seen("ours", 1))
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None

        def told(size: int) -> list[str]:
            assert other.stdin is not None
            assert other.stdout is not None
            other.stdin.write(f"{size}\n")
            other.stdin.flush()
            return other.stdout.readline().split()

        assert told(2) == ["2", "e", "ours"]
        assert signing_memory.seen("e") == RememberedHead("e", 2, bytes([2]) * 32, "theirs")
        signing_memory.remember(seen("e", 5))
        assert told(3) == ["5", "e", "ours"]  # less was signed than is remembered
        signing_memory.forget("ours")
        assert told(6) == ["6", "e"]
        other.stdin.close()
        assert other.wait(20) == 0
    assert signing_memory.seen("e") == RememberedHead("e", 6, bytes([6]) * 32, "theirs")


def test_nothing_is_lost_or_damaged_by_forks_amid_the_writing_of_a_thread(file: Path) -> None:
    subprocess.run([sys.executable, "-c", FORKING, file, "4"], check=True, timeout=60)

    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()
    made = SigningMemory(file)
    assert {f"{who}-{n}" for who in ("child", "parent") for n in range(1, 5)} < set(made.encounters())
    made.close()


def test_a_file_with_the_former_name_is_taken_over(file: Path) -> None:
    made = SigningMemory(file.with_name("witness.db"))
    made.remember(seen("e", 3))
    made.close()
    after = SigningMemory(file)
    assert after.seen("e") == seen("e", 3)
    after.close()
    assert not file.with_name("witness.db").exists()
