"""Show text on the terminal so that no text of a stranger can act there: the one way out of every command.

A bundle or an answer of a service may hold escape sequences, line breaks and overrides of direction. They are
shown as JSON escapes them. `tests/house` holds that no other module of the command line prints by itself.
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
    """A console whose text does nothing but stand there; line breaks are those of its caller."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of *renderable*, each with its text in plain sight."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(plain(segment.text, keep=_LINES), segment.style)


class Failure(click.ClickException):
    """A command cannot do what was asked; the message may quote a stranger's file.

    Its *lines* are shown as such only where all of it is our own.
    """

    def __init__(self, message: str, *, lines: bool = False) -> None:
        super().__init__(message)
        self._keep = _LINES if lines else ""

    def format_message(self) -> str:
        """Return the message in plain sight."""
        return plain(self.message, keep=self._keep)


def escape(text: object) -> str:
    """Return a stranger's *text* for a place in rich's markup: one line, in plain sight, no markup."""
    return markup.escape(plain(text))


def say(text: str, *, err: bool = False) -> None:
    """Print lines of *text*; what they quote is in plain sight."""
    click.echo(plain(text, keep=_LINES), err=err)


def document(data: Any) -> str:  # noqa: ANN401 - JSON
    """Return *data* as JSON to be read by people, every hidden character escaped."""
    return plain(json.dumps(data, indent=2, ensure_ascii=False), keep=_LINES)
