"""The process that keeps the server running for as long as somebody needs it, and no longer.

It is nobody's fork: `python -m service.embedded DIRECTORY`, with a lifeline and a mouth.
The lifeline is its standard input: when the other end closes, because its holder said so or died, it stops
the server and ends. The mouth is its standard output: one line, `ready` or `in_use ...` or `failed ...`, then
silence.
A server that ends unasked is started again, at once and then ever slower: out of disk is such an end, and
passes.
"""

import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from service.embedded.errors import DirectoryInUse, EmbeddedFailure, NotStarted
from service.embedded.orphan import wait_out
from service.embedded.place import Place, take
from service.embedded.server import Server, last_words
from service.log import NotDurable, StoreFailure
from service.log.durable import check_durable
from service.log.wire import Wire

_log = logging.getLogger("rewound.embedded")

STEP_S = 0.05
GRACE_S = 2.0  # how long a supervisor may need to notice that it is not needed any more
STOPPING_S = 60.0  # how long it may then take to stop its server
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
SOUND_S = 10.0  # a server that ran for so long was well: the next pause is short again
TRIES_TO_START = 3


class Supervisor:
    """One directory's supervisor; *say* tells the parent its one line."""

    def __init__(self, place: Place, lifeline: int, say: Callable[[str], None]) -> None:
        self._place = place
        self._lifeline = lifeline
        self._say = say
        self._asked_to_stop = False
        self._was_ready = False

    def run(self) -> int:
        """Keep the server until the lifeline closes or a signal comes; the process's exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        try:
            claim = self._claim()
        except DirectoryInUse as error:
            self._say(f"in_use {error}")
            return 1
        try:
            self._keep(claim)
        except EmbeddedFailure as error:
            _log.error("supervisor.failed %s", error)  # the mouth may be closed already
            self._say("failed " + str(error).replace("\n", " | "))
            return 1
        finally:
            os.close(claim)
        return 0

    def _claim(self) -> int:
        """Take the directory; a supervisor that is about to end is waited for, another is not."""
        started = time.monotonic()
        while (claim := take(self._place.supervisor_lock)) is None:
            holder, _, doing = self._place.supervisor_lock.read_text().partition(" ")
            patience = STOPPING_S if doing == "stopping" else GRACE_S
            if time.monotonic() - started > patience:
                raise DirectoryInUse(
                    f"{self._place.directory} is in use by process {holder or '?'}: stop it first"
                )
            time.sleep(STEP_S)
        self._write_down(claim, "serving")
        return claim

    def _keep(self, claim: int) -> None:
        """Start the server again and again until nobody needs it."""
        pause, tries = FIRST_PAUSE_S, 0
        while not self._must_stop():
            started = time.monotonic()
            server = Server(self._place, wait_out(self._place))
            try:
                self._watch(server)
            finally:
                if server.ended() is None:
                    self._write_down(claim, "stopping")
                    server.stop()
            if self._must_stop():
                return
            tries += 1
            if not self._was_ready and tries == TRIES_TO_START:
                raise NotStarted(f"the server ended {tries} times at its start: {last_words(self._place)}")
            if time.monotonic() - started > SOUND_S:
                pause = FIRST_PAUSE_S
            _log.error("server.ended code=%s again_in_s=%.1f", server.ended(), pause)
            self._pause(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _watch(self, server: Server) -> None:
        """Return when the server has ended or must; tell the parent when it first is ready."""
        if self._until_ready(server):
            _log.info("server.ready pid=%d directory=%s", server.pid, self._place.directory)
            if not self._was_ready:
                self._was_ready = True
                self._say("ready")
            while server.ended() is None and not self._must_stop(STEP_S):
                pass

    def _until_ready(self, server: Server) -> bool:
        """Wait until the server answers and is set as it must be; False if it ends first or must.

        It answers this while it reads its log; the application waits for the rest.
        """
        wire = Wire(self._place.url(), answer_s=1.0)
        try:
            while server.ended() is None and not self._must_stop(STEP_S / 5):
                try:
                    check_durable(wire)
                except StoreFailure:  # not listening yet
                    continue
                except NotDurable as error:
                    raise NotStarted(str(error)) from error
                return True
            return False
        finally:
            wire.close()

    def _pause(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and not self._must_stop(STEP_S):
            pass

    def _must_stop(self, wait_s: float = 0.0) -> bool:
        """Tell whether a signal came or the lifeline closed, after waiting up to *wait_s* for it."""
        if self._asked_to_stop:
            return True
        readable, _, _ = select.select([self._lifeline], [], [], wait_s)
        if readable and not os.read(self._lifeline, 1024):
            self._asked_to_stop = True
        return self._asked_to_stop

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._asked_to_stop = True

    def _write_down(self, claim: int, doing: str) -> None:
        """Write into the lock who holds it and what it is doing, for whoever waits."""
        os.ftruncate(claim, 0)
        os.pwrite(claim, f"{os.getpid()} {doing}".encode(), 0)


def say_once(line: str) -> None:
    """Say *line* to the parent and close the mouth: a pipe that nobody reads would fill and block us."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
