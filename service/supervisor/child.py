"""Run a module while its supervisor lives: `python -m service.supervisor.child MODULE ARGS...`.

Standard input is the lifeline. This process imports what the module needs and forks; the child runs the
module. A child that was killed is forked again from here, which takes a moment and not the seconds of a
start. With any other end of the child this process ends likewise, and its supervisor decides what follows.

The process leads its own process group, which ends with it. It has one thread, because what is forked from a
process with several may find a lock taken for ever.
"""

from __future__ import annotations

import gc
import os
import runpy
import select
import signal
import sys
import time
from importlib import import_module
from types import FrameType
from typing import Final, NoReturn

import structlog

from service.lifeline import end_with_parent
from service.logs import write_json_lines

MODULES: Final = {
    "gunicorn": ("gunicorn.app.wsgiapp", "service.rulesets", "service.asgi"),
    "workers": ("service.rulesets", "workers.run"),
}
"""The modules that may be run this way, each with what is imported before the fork."""

WARM: Final = "warm"
"""What an imported module may have: a function that computes beforehand what each of its processes needs."""

WELL_AFTER_S: Final = 10.0
"""A child that lived so long is forked again at once."""

SHORT_LIVES: Final = 3
"""After so many shorter lives one after the other this process ends, too."""

_LIFELINE: Final = 0
_LOOK_S: Final = 1.0
_STOPS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_logger: Final = structlog.get_logger()


class Forker:
    """Forks a process of one module, again and again."""

    def __init__(self, module: str, arguments: list[str]) -> None:
        self._module = module
        self._arguments = arguments
        self._child = 0
        self._is_stopping = False
        self._woken, self._waking = os.pipe()
        for end in (self._woken, self._waking):
            os.set_blocking(end, False)

    def run(self) -> int:
        """Run the module until it ends; return its exit status, 128 + n after signal n."""
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only has to wake `select`
        for number in _STOPS:
            signal.signal(number, self._pass_on)
        short_lives = 0
        while True:
            began = time.monotonic()
            status = self._live()
            if not os.WIFSIGNALED(status) or self._is_stopping:
                return _exit_status(status)
            short_lives = 0 if time.monotonic() - began > WELL_AFTER_S else short_lives + 1
            if short_lives >= SHORT_LIVES:
                return _exit_status(status)
            _logger.warning("process.killed", module=self._module, signal=os.WTERMSIG(status))

    def _live(self) -> int:
        """Fork, and return the status with which the child ended."""
        reading, writing = os.pipe()  # the kernel closes the writing end when this process dies
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)  # one that comes now waits until both can take it
        self._child = os.fork()
        if self._child == 0:
            os.close(writing)
            self._begin(reading)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        os.close(reading)
        try:
            while True:
                ended, status = os.waitpid(self._child, os.WNOHANG)
                if ended:
                    return status
                self._wait()
        finally:
            self._child = 0
            os.close(writing)

    def _begin(self, lifeline: int) -> NoReturn:
        """Run the module, in the child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in _STOPS:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        for end in (self._woken, self._waking):
            os.close(end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        end_with_parent(lifeline)
        sys.argv = [self._module, *self._arguments]
        runpy.run_module(self._module, run_name="__main__", alter_sys=True)
        sys.exit(0)

    def _wait(self) -> None:
        """Wait for a signal, for the end of the lifeline or for `_LOOK_S`."""
        readable, _, _ = select.select([_LIFELINE, self._woken], [], [], _LOOK_S)
        if self._woken in readable:
            os.read(self._woken, 1024)
        if _LIFELINE in readable and not os.read(_LIFELINE, 1024):
            os.killpg(os.getpgrp(), signal.SIGKILL)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        """Pass a signal to stop on to the child."""
        self._is_stopping = True
        if self._child:
            os.kill(self._child, number)


def _exit_status(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def warm(module: str) -> None:
    """Import what *module* needs, and compute what its processes would; they say what fails here."""
    gc.disable()  # imports leave a hundredth of it behind, and each collection takes a tenth of a start
    for name in MODULES[module]:
        try:
            compute = getattr(import_module(name), WARM, None)
            if compute is not None:
                compute()
        except Exception:  # noqa: BLE001 - the child says it, in its own words
            break
    gc.freeze()  # so that no collection, here or in a child, walks it and copies its pages
    gc.enable()


def main() -> None:
    """Run the module named by the first argument, with the rest as its arguments."""
    module, *arguments = sys.argv[1:]
    if module not in MODULES:
        sys.exit(f"{module} is not one of {', '.join(MODULES)}")
    write_json_lines("warning")
    warm(module)
    sys.exit(Forker(module, arguments).run())


if __name__ == "__main__":
    main()
