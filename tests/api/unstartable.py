"""Applications that the server loads and that do not start: each way in which ASGI lets one fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from service.api.loop.sockets import SocketLimits

WHY = "no listener for outcomes"

Message = dict[str, Any]


class Unstartable:
    """An application whose start fails: told to the server, or raised."""

    limits = SocketLimits(sockets=8, address_sockets=8, head_s=1, body_s=1)

    def __init__(self, *, is_told: bool) -> None:
        self._is_told = is_told

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        assert scope["type"] == "lifespan", "it serves nothing"
        await receive()
        if not self._is_told:
            raise RuntimeError(WHY)
        await send({"type": "lifespan.startup.failed", "message": WHY})


def told() -> Unstartable:
    return Unstartable(is_told=True)


def raised() -> Unstartable:
    return Unstartable(is_told=False)
