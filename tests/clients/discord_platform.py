"""A stand-in for Discord, from its public types: channels and interactions that refuse what Discord refuses.

A message has at most 2,000 characters and five rows; a menu has 25 rows of 100 characters; a form has five
fields. An interaction is answered once, then edited or followed up, and no form answers a form.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final, Self

import discord

LONGEST: Final = 2000
PATIENCE_S: Final = 60


def taken(text: str | None, view: Any = None) -> None:
    """Hold a message to what Discord takes."""
    assert text is None or 0 < len(text) <= LONGEST, f"a message of {len(text or '')} characters"
    if view is None:
        return
    rows = view.to_components()
    assert len(rows) <= 5, "a message has five rows"
    for part in (part for row in rows for part in row["components"]):
        if part["type"] == discord.ComponentType.select.value:
            assert 0 < len(part["options"]) <= 25
            assert len(part.get("placeholder", "")) <= 150
            for option in part["options"]:
                assert 0 < len(option["label"]) <= 100
                assert len(option.get("description", "")) <= 100
        else:
            assert 0 < len(part["label"]) <= 80


def asked(form: Any) -> None:
    """Hold a form to what Discord takes."""
    data = form.to_dict()
    assert 0 < len(data["title"]) <= 45
    assert 0 < len(data["components"]) <= 5, "a form has five fields"
    for (part,) in (row["components"] for row in data["components"]):
        assert 0 < len(part["label"]) <= 45
        assert len(part.get("placeholder") or "") <= 100


def refusal(status: int) -> discord.HTTPException:
    """Return what the library raises for an answer of Discord."""
    kinds = {403: discord.Forbidden, 404: discord.NotFound, 503: discord.DiscordServerError}
    kind = kinds.get(status, discord.HTTPException)
    return kind(SimpleNamespace(status=status, reason="refused"), f"answer {status}")  # type: ignore[arg-type]  # as much of it as is read


class Channel:
    """A channel, and what was posted there."""

    def __init__(self) -> None:
        self.posts: list[str] = []
        self.views: list[Any] = []
        self.failing: list[discord.HTTPException] = []
        self.tried = 0
        self._changed = asyncio.Event()

    async def send(self, text: str, view: Any = None) -> None:
        self.tried += 1
        self._changed.set()
        if self.failing:
            raise self.failing.pop(0)
        taken(text, view)
        self.posts.append(text)
        self.views.append(view)

    async def until(self, so: Any) -> None:
        """Wait until *so* holds of this channel."""
        async with asyncio.timeout(PATIENCE_S):
            while not so(self):
                self._changed.clear()
                await self._changed.wait()
                await asyncio.sleep(0)

    async def has(self, text: str) -> None:
        await self.until(lambda channel: any(text in post for post in channel.posts))


@dataclass
class Interaction:
    """Somebody used the bot: the texts, menu and form that only this person sees."""

    user: Any
    channel: Any
    id: int
    channel_id: int = 1
    text: str | None = None
    view: Any = None
    modal: Any = None
    more: list[str] = field(default_factory=list)
    """Texts that followed the first one."""
    is_form: bool = False
    is_answered: bool = False

    @property
    def response(self) -> Any:
        return SimpleNamespace(
            defer=self._defer, edit_message=self._show, send_modal=self._ask, is_done=lambda: self.is_answered
        )

    @property
    def followup(self) -> Any:
        return SimpleNamespace(send=self._send)

    def _answer(self) -> None:
        if self.is_answered:
            raise discord.InteractionResponded(self)  # type: ignore[arg-type]  # as much of it as is read
        self.is_answered = True

    async def _defer(self, **_: object) -> None:
        self._answer()
        await asyncio.sleep(0)

    async def _ask(self, modal: Any) -> None:
        assert not self.is_form, "no form answers a form"
        self._answer()
        asked(modal)
        self.modal = modal

    async def _send(self, text: str, *, ephemeral: bool, view: Any = None) -> None:
        assert self.is_answered, "a follow-up follows an answer"
        assert ephemeral, "others do not see a player's choices"
        taken(text, view)
        if self.text is not None:
            self.more.append(self.text)
        self.text, self.view = text, view

    async def _show(self, content: str | None = None, view: Any = None) -> None:
        self._answer()
        taken(content or self.text, view)
        self.text, self.view = content or self.text, view

    async def edit_original_response(self, content: str, view: Any = None) -> None:
        assert self.is_answered, "there is nothing to edit"
        taken(content, view)
        self.text, self.view = content, view

    # --- what the person does: each is an interaction of its own, with the same message ---

    def _again(self, *, is_form: bool = False) -> None:
        self.is_answered, self.is_form = False, is_form

    def menu(self, title: str) -> Any:
        assert self.view is not None, self.text
        return next(item for item in self.view.children if getattr(item, "placeholder", None) == title)

    def labels(self, title: str) -> list[str]:
        return [option.label for option in self.menu(title).options]

    async def choose(self, title: str, label: str) -> None:
        self._again()
        menu = self.menu(title)
        value = next(option.value for option in menu.options if option.label == label)
        menu._values = [value]  # noqa: SLF001 - the library sets it from Discord's message
        await menu.callback(self)

    async def press(self, label: str) -> None:
        self._again()
        await next(item for item in self.view.children if getattr(item, "label", "") == label).callback(self)

    async def fill(self, **fields: str) -> None:
        self._again(is_form=True)
        for name, text in fields.items():
            self.modal.inputs[name]._value = text  # noqa: SLF001 - the same
        await self.modal.on_submit(self)


class Wire:
    """A way to the service that can be cut and mended."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = ""
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._is_cut = False

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self.cut()
        self._server.close()

    def cut(self) -> None:
        self._is_cut = True
        for writer in [*self._open]:
            writer.close()

    def mend(self) -> None:
        self._is_cut = False

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.close()
            return
        there, away = await asyncio.open_connection("127.0.0.1", self.port)
        self._open |= {writer, away}
        await asyncio.gather(self._carry(reader, away), self._carry(there, writer))
        self._open -= {writer, away}

    @staticmethod
    async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except (ConnectionError, RuntimeError):
            pass
        finally:
            writer.close()
