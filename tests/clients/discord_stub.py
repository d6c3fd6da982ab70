"""As much of `discord.py` as the bot touches: decorators that change nothing, people who type commands."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock


def _unchanged(*_: object, **__: object) -> Callable[[Any], Any]:
    return lambda decorated: decorated


def _of_a_server(made: Any) -> Any:
    made.guild_only = True
    return made


class Client:
    """Keeps what it was made with."""

    def __init__(self, **how: object) -> None:
        self.how = how


class Tree:
    """Notes the commands."""

    def __init__(self, _: object) -> None:
        self.commands: dict[str, Any] = {}

    def command(self, **_: object) -> Callable[[Any], Any]:
        def noted(made: Any) -> Any:
            self.commands[made.__name__] = made
            return made

        return noted


@dataclass
class Interaction:
    """Somebody typed a command: what they were told, and what the channel was."""

    user: Any
    channel: Any
    channel_id: int = 1
    id: int = 77
    told: list[str] = field(default_factory=list)

    @property
    def response(self) -> Any:
        return SimpleNamespace(defer=self._nothing)

    @property
    def followup(self) -> Any:
        return SimpleNamespace(send=self._send)

    async def _nothing(self, **_: object) -> None:
        await asyncio.sleep(0)

    async def _send(self, text: str, **how: object) -> None:
        assert how == {"ephemeral": True}
        self.told.append(text)


class Channel:
    """A channel: what stands in it, and whether that is as much as is *awaited*."""

    def __init__(self, awaited: int) -> None:
        self.posts: list[str] = []
        self.awaited = awaited
        self.full = asyncio.Event()

    async def send(self, text: str) -> None:
        self.posts.append(text)
        if len(self.posts) == self.awaited:
            self.full.set()


@contextmanager
def installed() -> Iterator[None]:
    """Let `import discord` find this."""
    commands = ModuleType("discord.app_commands")
    commands.__dict__.update(
        CommandTree=Tree, guild_only=lambda: _of_a_server, default_permissions=_unchanged
    )
    made = ModuleType("discord")
    made.__dict__.update(
        Client=Client,
        Interaction=Interaction,
        Member=SimpleNamespace,
        Intents=SimpleNamespace(default=lambda: "intents"),
        AllowedMentions=SimpleNamespace(none=lambda: "nobody"),
        app_commands=commands,
    )
    with mock.patch.dict(sys.modules, {"discord": made, "discord.app_commands": commands}):
        yield
