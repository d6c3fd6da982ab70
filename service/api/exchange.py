"""Say how a request that is served on the event loop gets its body, and where it is told so."""

from __future__ import annotations

from typing import Final, Protocol

from service.steps import Pause

ON_LOOP: Final = "rewound.exchange"
"""Where the WSGI environment of a request on the loop has its `Exchange`; requests in threads have none."""


class Exchange(Protocol):
    """One request on the loop, and the connection that it came on."""

    def body(self, limit: int) -> Pause[bytes]:
        """Return the wait for the whole body.

        Raises `RequestEntityTooLarge` past *limit* bytes, and the problem `request-timeout`.
        """
        ...
