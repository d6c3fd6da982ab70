"""Fold slow encounters in the process beside the worker: one page after the other, the owners in turn.

An encounter is slow for a minute after its commands took `SLOW_S` of a processor on average. The worker
leaves it to the other process, where a long decision delays slow encounters alone. They talk in lines of
JSON: the worker names an encounter to fold or to settle, the process answers with the result. It has a
state of its own for each, and folds like another worker: the store's compare-and-set is the only safety.

Laws. The worker asks for one page at a time. A process that was killed says so once it is there again, and
the page is asked for anew. Only the worker signs: the answer says which commits were written.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from queue import Empty, SimpleQueue
from socket import socket
from threading import Event, Thread
from typing import Any, Final

import structlog

from service.caches import SlowKeys
from service.log.errors import NoSuchEncounter, StoreFailure
from workers.fold import CommandFolder
from workers.heartbeat import HangWatch
from workers.snapshots import SnapshotWriter
from workers.turns import Turns, TurnTime

PAGE_S: Final = 0.05
"""Seconds of the processor for one page, if its first command takes less."""

FOLD, SETTLE = "fold", "settle"

_STARTED: Final = "started"
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class PageAsked:
    """What the worker asks for: to fold a page of an encounter, or to settle it."""

    what: str
    encounter: str
    resumes: int = 0
    """The number of the command that accepted a history other than the signed one; 0 if none."""


@dataclass
class PageFolded:
    """The result of a page."""

    encounter: str
    what: str = FOLD
    commits: int | None = None
    """The number of commits; None if no command was waiting."""
    is_slow: bool = False
    """Whether its commands were slow."""
    has_failed: bool = False
    """Whether the encounter cannot be folded now."""
    is_lost: bool = False
    """Whether the process was killed, and the page is asked for again."""
    is_down: bool = False
    """Whether the store could not be reached."""
    written: list[dict[str, Any]] = field(default_factory=list)
    """The arguments of `FoldObserver.folded`, in order."""


class SlowEncounters:
    """The slow encounters of one worker. One thread asks and takes answers; `listen` runs in another."""

    def __init__(self, channel: socket, owner_of: Callable[[str], str]) -> None:
        """Fold by the process at the other end of *channel*; *owner_of* is as in `Turns`."""
        self._channel = channel
        self._slow: SlowKeys[str] = SlowKeys(time.monotonic)
        self._turns = Turns(owner_of)
        self._round: deque[str] = deque()
        self._settling: dict[str, None] = {}
        self._asked: PageAsked | None = None
        self._answers: SimpleQueue[PageFolded | None] = SimpleQueue()

    def __contains__(self, encounter: str) -> bool:
        """Return whether *encounter* waits for a page, or is being folded."""
        is_asked = self._asked is not None and self._asked.encounter == encounter
        return is_asked or encounter in self._turns or encounter in self._round

    def has(self, encounter: str) -> bool:
        """Return whether *encounter* is slow."""
        return encounter in self._slow

    def add(self, encounter: str) -> None:
        """Take *encounter* as slow from now on."""
        self._slow.add(encounter)

    def read(self, encounter: str) -> None:
        """Let *encounter* wait for a page."""
        self._turns.read(encounter)

    def settle(self, encounter: str) -> None:
        """Let *encounter* be settled once nothing else is asked for."""
        self._settling[encounter] = None

    def drop(self, which: Callable[[str], bool] = lambda _encounter: True) -> None:
        """Forget what waits of every encounter for which *which* returns True."""
        self._turns.drop(which)
        self._round = deque(each for each in self._round if not which(each))
        self._settling = {each: None for each in self._settling if not which(each)}

    def next(self) -> str | None:
        """Return the encounter whose page is next, which waits no longer; None while one is asked for."""
        if self._asked is not None:
            return None
        if not self._round:
            self._round.extend(turn.encounter for turn in self._turns.take())
        return self._round.popleft() if self._round else None

    def ask(self, encounter: str, resumes: int) -> None:
        """Ask for a page of *encounter*."""
        self._ask(PageAsked(FOLD, encounter, resumes))

    def ask_to_settle(self) -> None:
        """Ask to settle the next encounter, if there is one and nothing is asked for."""
        if self._asked is None and self._settling:
            encounter = next(iter(self._settling))
            del self._settling[encounter]
            self._ask(PageAsked(SETTLE, encounter))

    def answers(self) -> list[PageFolded]:
        """Return the answers that have come."""
        found: list[PageFolded] = []
        try:
            while True:
                answer = self._answers.get_nowait()
                if answer is None:
                    found.extend(self._begin_again())
                    continue
                if self._asked is not None and self._asked.encounter == answer.encounter:
                    self._asked = None
                found.append(answer)
        except Empty:
            return found

    def _begin_again(self) -> Iterator[PageFolded]:
        """Ask again, because the process that was asked is dead; what it wrote may be unsigned."""
        if self._asked is None:
            return
        encounter = self._asked.encounter
        written = {"encounter": encounter, "start": 0, "n": 0, "closes": True, "is_closed": True}
        self._ask(self._asked)
        yield PageFolded(encounter, self._asked.what, written=[written], is_lost=True)

    def _ask(self, asked: PageAsked) -> None:
        self._asked = asked
        self._channel.sendall(json.dumps(asdict(asked)).encode() + b"\n")

    # --- another thread ----------------------------------------------------------------------------------

    def listen(self, heard: Callable[[], object]) -> None:
        """Take the answers of the process, and call *heard* for each, until the channel is shut."""
        with self._channel.makefile("rb") as lines:
            for line in lines:
                try:
                    said = json.loads(line)
                    answer = None if said == _STARTED else PageFolded(**said)
                except (ValueError, TypeError):
                    continue  # it was killed while it wrote
                self._answers.put(answer)
                heard()


class WrittenCommits:
    """Collects what a fold reports, for the worker that signs; permits what the worker asks for."""

    def __init__(self) -> None:
        self._resumes = 0
        self._written: list[dict[str, Any]] = []

    def begin(self, resumes: int) -> None:
        """Begin a page of an encounter that resumes with the command *resumes*."""
        self._resumes = resumes
        self._written = []

    @property
    def written(self) -> list[dict[str, Any]]:
        """The reported commits of the page."""
        return self._written

    def may_fold(self, encounter: str) -> bool:  # noqa: ARG002 - as `FoldObserver` has it
        """Return True, because the worker asks for no other encounter."""
        return True

    def resumes(self, encounter: str) -> int:  # noqa: ARG002 - as `FoldObserver` has it
        """Return the number that the worker gave."""
        return self._resumes

    def recheck(self) -> None:
        """Do nothing, because the worker checks."""

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Note the commits for the answer."""
        self._written.append(
            {"encounter": encounter, "start": start, "n": n, "closes": closes, "is_closed": is_closed}
        )


def fold_asked(
    channel: socket,
    folding: CommandFolder,
    written: WrittenCommits,
    snapshots: SnapshotWriter,
    hangs: HangWatch,
    stopping: Event,
) -> None:
    """Fold what the worker at the other end of *channel* asks for, until it ends."""
    threads = [Thread(target=each.run, name=each.name, daemon=True) for each in (snapshots, hangs)]
    for thread in threads:
        thread.start()
    channel.sendall(b"\n" + json.dumps(_STARTED).encode() + b"\n")  # the line before may have no end
    with channel.makefile("rb") as lines:
        for line in lines:
            try:
                asked = PageAsked(**json.loads(line))
            except (ValueError, TypeError):
                continue  # the process before this one read the line's beginning
            answer = _answer(asked, folding, written)
            try:
                channel.sendall(json.dumps(asdict(answer)).encode() + b"\n")
            except OSError:
                break  # the worker has ended
    stopping.set()
    snapshots.ring()
    for thread in threads:
        thread.join()


def _answer(asked: PageAsked, folding: CommandFolder, written: WrittenCommits) -> PageFolded:
    written.begin(asked.resumes)
    answer = PageFolded(asked.encounter, asked.what)
    try:
        if asked.what == SETTLE:
            folding.settle(asked.encounter)
        else:
            answer.commits = folding.fold_page(asked.encounter, TurnTime(PAGE_S))
    except NoSuchEncounter:
        pass  # it was marked dirty, and nothing was appended
    except StoreFailure:
        answer.is_down = True
    except Exception as fault:  # noqa: BLE001 - as in the worker: one encounter must not delay the others
        _logger.error("fold.failed", encounter=asked.encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only
        answer.has_failed = True
    answer.written = written.written
    answer.is_slow = asked.encounter in folding.take_slow()
    return answer
