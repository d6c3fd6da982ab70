"""Log what clients did and learned, outside the system under test: one JSON object a line, appended only.

| `do` | members beside `t`, seconds of the harness's own clock |
|---|---|
| `invoke` | `op`, `client`, `key`, `kind`, `encounter`, `seat`, `commands`, `if_match` |
| `ok` | `op`, `encounter`, `n`, `outcomes`: the attempt is acknowledged at `n`, with what is decided by now |
| `fail` | `op`, `status`, `code`: the service said that nothing was changed, or nothing was sent |
| `unknown` | `op`, `why`: the answer never came, or said that nobody knows |
| `asked` | `key`, `encounter`, `n`: what `GET …/commands?key=` told; `n` is null for 404 |
| `read` | `client`, `encounter`, `asked`, `version`, `view`: a state, and the `min_version` asked for |
| `told` | `client`, `encounter`, `connection`, `n`, `hash`: a commit of a stream |
| `odd` | `path`, `status`, `code`: a read was answered with what no reader should be told |
| `act` | `act`, `what`, `process`, `kills`, `when`, `in_flight`: a fault begins |
| `over` | `act`: the fault is lifted; recovery is measured from here |
| `note` | `text`, and what else belongs to it |
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Condition
from time import monotonic
from typing import Any, Final

Entry = dict[str, Any]

ENDS: Final = frozenset({"ok", "fail", "unknown"})


class History:
    """One file that any number of threads append to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a", encoding="utf-8")
        self._changed = Condition()
        self._next_op = 0
        self._in_flight: set[int] = set()
        self._counts: dict[str, int] = {}

    def invoke(self, **told: object) -> int:
        """Note that an attempt begins, and return its number."""
        with self._changed:
            self._next_op += 1
            self._in_flight.add(self._next_op)
            self._write("invoke", {"op": self._next_op, **told})
            return self._next_op

    def note(self, do: str, **told: object) -> None:
        """Append an entry."""
        with self._changed:
            if do in ENDS:
                self._in_flight.discard(int(str(told["op"])))
            self._write(do, told)

    def _write(self, do: str, told: dict[str, object]) -> None:
        self._file.write(json.dumps({"t": round(monotonic(), 4), "do": do, **told}) + "\n")
        self._file.flush()
        self._counts[do] = self._counts.get(do, 0) + 1
        self._changed.notify_all()

    @property
    def in_flight(self) -> int:
        """How many attempts wait for their answer."""
        with self._changed:
            return len(self._in_flight)

    def count(self, do: str) -> int:
        """Return how many entries of a kind there are."""
        with self._changed:
            return self._counts.get(do, 0)

    def wait_for(self, do: str, seconds: float) -> bool:
        """Wait until another entry of this kind is made; whether one was."""
        with self._changed:
            before = self._counts.get(do, 0)
            return self._changed.wait_for(lambda: self._counts.get(do, 0) > before, seconds)

    def wait_for_flight(self, seconds: float) -> bool:
        """Wait until an attempt is in flight; whether one is."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._in_flight), seconds)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of a history."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
