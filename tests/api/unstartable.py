"""An application that the server loads and that does not start."""

from __future__ import annotations

from service.api.loop.sockets import SocketLimits

WHY = "no listener for outcomes"


class Unstartable:
    """An application whose start fails."""

    limits = SocketLimits(sockets=8, address_sockets=8, head_s=1, body_s=1)

    async def __call__(self, *_: object) -> None:
        raise AssertionError("it serves nothing")

    async def begin(self) -> None:
        raise RuntimeError(WHY)
