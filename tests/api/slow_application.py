"""The application of an API process in which every read that computes is slow after its first time."""

from service import asgi
from service.api.loop import slow_reads
from service.api.loop.adapter import LoopApplication


def application() -> LoopApplication:
    """Return the application."""
    slow_reads.SLOW_S = -1.0  # type: ignore[misc]  # not by the clock
    return asgi.application()
