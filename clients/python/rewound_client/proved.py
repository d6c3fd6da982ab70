"""Have an encounter proved: audits with their certificates, signed heads, the file that anybody can audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from rewound_client import shapes
from rewound_client.place import Encounter
from rewound_client.shapes import Json


class Proved(Encounter):
    """What an encounter can show for itself."""

    def audit(self, first: int | None = None, last: int | None = None, *, wait_s: float = 60) -> shapes.Audit:
        """Have everything, or rounds *first* to *last*, decided again; return the audit once it is done.

        Raises `NotDone` after *wait_s*.
        """
        asked = {"from": first, "to": last}
        data = {name: value for name, value in asked.items() if value is not None}
        return cast("shapes.Audit", self._job("/audits", data, "audit", wait_s))

    def audits(self) -> Iterator[shapes.Audit]:
        """Yield the audits that were asked for, page by page."""
        yield from self._pages("/audits", "audits", {})

    def audited(self, audit: str) -> shapes.Audit:
        """Return one audit; once it is `done` it has its `certificate`."""
        return cast("shapes.Audit", self._get(f"/audits/{audit}"))

    def checkpoint(self) -> Json:
        """Have the head signed and return that checkpoint."""
        return self._done("POST", "/checkpoints")

    def checkpoints(self) -> Iterator[Json]:
        """Yield the signed heads so far, page by page."""
        yield from self._pages("/checkpoints", "checkpoints", {})

    def statistics(self) -> Json:
        """Return how often each type of die showed what, with chi-square."""
        return self._get("/rolls/statistics")

    def bundle(self) -> bytes:
        """Return the encounter as one file that anybody can audit without the service."""
        raw = self._transport.get(f"{self.path}/bundle")
        assert isinstance(raw, bytes), "a bundle is no JSON document"
        return raw

    def remove(self, bundle: str) -> Json:
        """Have the closed encounter's record deleted; *bundle* is the SHA-256 of its bundle, 64 digits."""
        return self._done("POST", "/removal", {"bundle": bundle})

    def removal(self) -> Json:
        """Return what an encounter that was removed had been."""
        return self._get("/removal")
