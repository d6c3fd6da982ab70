"""Print to the terminal so that untrusted text cannot control it. All output of commands goes through here.

A bundle or a response may contain escape sequences, line breaks and direction overrides. They are shown as
JSON escapes. A test in `tests/house` checks that no other module of the command line prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click
from rich import markup
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from service.record.text import plain

_LINES = "\n"


class Terminal(Console):
    """A console that escapes control characters in text; only its caller's line breaks remain."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of *renderable* with escaped text."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(plain(segment.text, keep=_LINES), segment.style)


class Failure(click.ClickException):
    """The command failed; the message may quote untrusted text.

    Set *lines* to keep line breaks, only if the whole message is trusted.
    """

    def __init__(self, message: str, *, lines: bool = False) -> None:
        super().__init__(message)
        self._keep = _LINES if lines else ""

    def format_message(self) -> str:
        """Return the escaped message."""
        return plain(self.message, keep=self._keep)


def escape(text: object) -> str:
    """Return untrusted *text* for use in rich's markup: one line, without control characters or markup."""
    return markup.escape(plain(text))


def say(text: str, *, err: bool = False) -> None:
    """Print *text* with escaped control characters; line breaks remain."""
    click.echo(plain(text, keep=_LINES), err=err)


def document(data: Any) -> str:  # noqa: ANN401 - JSON
    """Return *data* as indented JSON with every hidden character escaped."""
    return plain(json.dumps(data, indent=2, ensure_ascii=False), keep=_LINES)
