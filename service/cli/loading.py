"""Show a store's progress while it reads its log: a bar on a terminal, otherwise a line every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from service.cli.terminal import Terminal
from service.log.valkey.loading import LoadProgress, megabytes

LINE_EVERY_S: Final = 10.0


class LoadingDisplay:
    """Shows the progress of a store that a command waits for; nothing if the store serves at once."""

    def __init__(self, say: Callable[[str], None], console: Console | None = None) -> None:
        self._say = say
        self._console = console or Terminal(stderr=True, highlight=False)
        self._shown: float | None = None
        self._is_size_unknown = False
        self._bar: tuple[Progress, TaskID] | None = None

    def __call__(self, progress: LoadProgress) -> None:
        """Show *progress*."""
        if not progress.total_bytes and not self._is_size_unknown:
            self._is_size_unknown = True  # the store may not know the size yet
            return
        now = time.monotonic()
        if self._shown is None:
            size = f" of {megabytes(progress.total_bytes)}" if progress.total_bytes else ""
            self._say(f"the store reads its log{size} before it serves")
            self._shown = now
        if not progress.total_bytes:
            return
        if self._console.is_terminal:
            self._draw(progress)
        elif now - self._shown >= LINE_EVERY_S:
            self._shown = now
            self._say(f"the store is not ready: {progress}")

    def finish(self) -> None:
        """Stop the bar."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def _draw(self, progress: LoadProgress) -> None:
        if self._bar is None:
            columns = (
                TextColumn("Reading the log"),
                BarColumn(),
                DownloadColumn(),
                TextColumn("about {task.fields[eta_s]} s left"),
            )
            bar = Progress(*columns, console=self._console)
            self._bar = bar, bar.add_task("", total=progress.total_bytes, eta_s=progress.eta_s)
            bar.start()
        bar, task = self._bar
        bar.update(task, completed=progress.loaded_bytes, total=progress.total_bytes, eta_s=progress.eta_s)
