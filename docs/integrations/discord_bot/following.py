"""Following: one task a channel posts every commit once, in order, whatever fails meanwhile."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import discord

from discord_bot.kept import Channel

LOG = logging.getLogger("rewound.discord")
SHORTEST_S = 1.0
LONGEST_S = 60.0
SAID_AFTER = 3
"""Attempts in a row that fail before the channel is told."""
SILENCE_S = 30.0
"""A stream that is silent for this long is opened again; heartbeats come every ten seconds."""
FINAL = (401, 403, 404, 410)
"""Refusals that do not change by themselves."""

Post = Callable[[str], Awaitable[None]]


class Ended(Exception):
    """Following cannot go on: the service refuses for good."""


class Follower:
    """Posts an encounter in a channel until it is stopped."""

    def __init__(self, address: str, followed: Channel, post: Post, moved: Callable[[], None]) -> None:
        self.address = address
        self.followed = followed
        self.post = post
        self.moved = moved
        """Called after each commit that was posted: the place is kept."""
        self.fault = ""
        """Why it does not follow now."""
        self._failures = 0
        self._is_unposted = False
        """Whether the last failure was one of posting, which an open stream does not mend."""
        self._is_told = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Return whether the task runs: it follows, or tries to."""
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Begin to follow, if it does not already."""
        if not self.is_alive:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """End the task."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            try:
                await self._follow()
            except (Ended, discord.Forbidden, discord.NotFound) as fault:
                self.fault = str(fault)
                await self._tell(f"Following ends: {fault}. `/watch` begins again.")
                return
            except Exception as fault:  # noqa: BLE001 - whatever it is, the next attempt may succeed
                await self._fail(fault)

    async def _fail(self, fault: Exception) -> None:
        LOG.warning("%s: %r", self.followed.encounter, fault)
        self._failures += 1
        self.fault = str(fault) or type(fault).__name__
        if self._failures == SAID_AFTER:
            text = f"Following is interrupted ({self.fault}). It is tried again until it succeeds."
            self._is_told = await self._tell(text)
        await asyncio.sleep(min(LONGEST_S, SHORTEST_S * 2 ** (self._failures - 1)))

    async def _succeed(self) -> None:
        self._failures, self.fault = 0, ""
        if self._is_told:
            self._is_told = not await self._tell("Following goes on.")

    async def _tell(self, text: str) -> bool:
        """Post a word of its own; return whether the channel took it."""
        try:
            await self.post(text)
        except Exception as fault:  # noqa: BLE001 - the channel may be what fails
            LOG.warning("%s: %r", self.followed.encounter, fault)
            return False
        return True

    async def _post(self, text: str) -> None:
        try:
            await self.post(text)
        except Exception:
            self._is_unposted = True
            raise
        self._is_unposted = False
        await self._succeed()

    async def _follow(self) -> None:
        """Post what one connection brings, until it ends."""
        async for event, data in self._events():
            if not self._is_unposted:
                await self._succeed()
            if event == "commit":
                if data["n"] <= self.followed.n:
                    continue
                if data["n"] > self.followed.n + 1:
                    raise ConnectionError("a commit is missing")
                if data["text"]:
                    await self._post(discord.utils.escape_markdown("\n".join(data["text"])))
                self._move(self.followed.line, data["n"])
            elif event == "reset":
                self._move(self.followed.line, data["version"])
            elif event == "continued":  # an undo: repeated commits are not announced again
                await self._post(f"The fight goes on from commit {data['origin']['n']}.")
                self._move(data["line"], data["n"])
                return
        raise ConnectionError("the stream ended")

    def _move(self, line: str, n: int) -> None:
        self.followed.line, self.followed.n = line, n
        self.moved()

    async def _events(self) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Yield the events of one connection after the last commit that was posted."""
        url = f"{self.address}/v1/encounters/{self.followed.encounter}/commits"
        query = {"text": "en", "line": self.followed.line, "after": str(self.followed.n)}
        headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {self.followed.observer}"}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=SILENCE_S, sock_read=SILENCE_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(url, params=query, headers=headers) as answer,
        ):
            if answer.status in FINAL:
                problem = await answer.json(content_type=None)
                raise Ended(f"{problem['title']}: {problem['detail']}")
            answer.raise_for_status()
            event, data = "", ""
            buffer = b""
            async for chunk in answer.content.iter_any():
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    name, _, value = line.decode().partition(": ")
                    if name == "event":
                        event = value
                    elif name == "data":
                        data += value
                    elif not line:
                        yield event, json.loads(data) if data else {}
                        event, data = "", ""
