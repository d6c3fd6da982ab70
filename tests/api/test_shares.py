"""One credential's long reads take two threads at once; everybody else's find a free one."""

from __future__ import annotations

import asyncio

import pytest

from service.api.app import create_app
from service.api.exchange import RequestHead
from service.api.loop import adapter
from service.api.loop.adapter import LoopApplication
from service.api.loop.shares import Shares
from service.api.loop.sockets import SocketLimits
from service.steps import Pause
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, Table


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


async def _nothing() -> None:
    return None


def _no_body(_limit: int) -> Pause[bytes]:
    raise AssertionError("it is a read")


async def _places_at_once(application: LoopApplication, sent: list[str]) -> list[str]:
    """Return which of the fields `Authorization` have a place while nobody gives one back."""
    done, held = asyncio.Event(), list[str]()

    async def hold(field: str) -> None:
        asked = RequestHead("GET", "/", "", {}, {"authorization": field}, "::1", 0, _no_body)
        async with application._place(asked):  # noqa: SLF001 - below the sockets
            held.append(field)
            await done.wait()

    tasks = [asyncio.create_task(hold(field)) for field in sent]
    for _ in range(20):
        await asyncio.sleep(0)
    begun = list(held)
    done.set()
    await asyncio.gather(*tasks)
    return begun


@pytest.mark.parametrize(
    "spelled", ["bearer {}", "BEARER {}", "Bearer  {}", "Bearer   {} ", "bEaReR {}", "Bearer {}"]
)
def test_a_credential_has_its_share_however_it_is_spelled(services: Services, spelled: str) -> None:
    application = LoopApplication(create_app(services), SocketLimits(), beside=_nothing)
    sent = [spelled.format("rw_a")] * 2 + [each.format("rw_a") for each in ("bearer  {}", "Bearer {}")]

    held = asyncio.run(_places_at_once(application, [*sent, "Bearer rw_b"]))

    assert held == [*sent[: adapter.READERS_EACH], "Bearer rw_b"]


def test_all_credentials_of_one_owner_have_a_share_together(services: Services, table: Table) -> None:
    app = create_app(services)
    application = LoopApplication(app, SocketLimits(), beside=_nothing)
    owner = str(table.gm.token).split("_")[1]
    keys = [api_keys.create(services.log, f"k{n}", 0, owner=owner)[0] for n in range(4)]
    mine = [*keys, str(table.ada.token), str(table.bo.token)]
    other, _ = api_keys.create(services.log, "other", 0)
    for token in (*mine, other):
        path = table.at if token.startswith("rs_") else "/v1/encounters"
        assert Api(app, token)("GET", path).status_code == 200

    held = asyncio.run(_places_at_once(application, [f"Bearer {token}" for token in (*mine, *mine, other)]))

    assert len(held) == adapter.READERS_OF_OWNER + 1
    assert held[-1] == f"Bearer {other}"
