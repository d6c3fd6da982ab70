"""One credential's long reads take two threads at once; everybody else's find a free one."""

from __future__ import annotations

import asyncio

from service.api.loop.shares import Shares


async def _held(shares: Shares, holder: str, done: asyncio.Event, began: list[str]) -> None:
    async with shares.place(holder):
        began.append(holder)
        await done.wait()


def test_one_holder_has_its_share_and_others_begin_at_once() -> None:
    async def play() -> None:
        shares, done, began = Shares(2), asyncio.Event(), list[str]()
        greedy = [asyncio.create_task(_held(shares, "greedy", done, began)) for _ in range(20)]
        await asyncio.sleep(0)
        calm = asyncio.create_task(_held(shares, "calm", done, began))
        await asyncio.sleep(0)
        assert began == ["greedy", "greedy", "calm"]
        done.set()
        await asyncio.gather(*greedy, calm)
        assert began.count("greedy") == 20
        assert len(shares) == 0, "who holds nothing takes no memory"

    asyncio.run(play())


def test_who_leaves_while_waiting_leaves_nothing_behind() -> None:
    async def play() -> None:
        shares, done, began = Shares(1), asyncio.Event(), list[str]()
        first = asyncio.create_task(_held(shares, "one", done, began))
        second = asyncio.create_task(_held(shares, "one", done, began))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        done.set()
        await first
        third = asyncio.create_task(_held(shares, "one", done, began))
        await third
        assert began == ["one", "one"]
        assert len(shares) == 0

    asyncio.run(play())
