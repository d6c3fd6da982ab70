"""Get the proofs of an encounter: audits with certificates, checkpoints, statistics, the bundle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from rewound_client import shapes
from rewound_client.place import Encounter


class Proved(Encounter):
    """Audits, checkpoints, dice statistics, the bundle, and removal."""

    def audit(self, first: int | None = None, last: int | None = None, *, wait_s: float = 60) -> shapes.Audit:
        """Audit the whole encounter, or decide rounds *first* to *last* again; return the ended audit.

        Raises `NotDone` after *wait_s* seconds.
        """
        asked = {"first_round": first, "last_round": last}
        data = {name: value for name, value in asked.items() if value is not None}
        return cast("shapes.Audit", self._job("/audits", data, "audit", wait_s))

    def audits(self) -> Iterator[shapes.Audit]:
        """Yield the encounter's audits, page by page."""
        yield from self._pages("/audits", "audits", {})

    def audited(self, audit: str) -> shapes.Audit:
        """Return one audit; it has a `certificate` when it is `done`."""
        return cast("shapes.Audit", self._get(f"/audits/{audit}"))

    def checkpoint(self) -> shapes.Checkpoint:
        """Have the head signed and return the checkpoint."""
        return cast("shapes.Checkpoint", self._done("POST", "/checkpoints"))

    def checkpoints(self) -> Iterator[shapes.Checkpoint]:
        """Yield the checkpoints so far, page by page."""
        yield from self._pages("/checkpoints", "checkpoints", {})

    def statistics(self) -> shapes.RollStatistics:
        """Return how often each type of die showed each face, with chi-square."""
        return cast("shapes.RollStatistics", self._get("/rolls/statistics"))

    def bundle(self) -> bytes:
        """Return the bundle: all evidence in one file, which anybody can audit without the service."""
        raw = self._transport.get(f"{self.path}/bundle")
        assert isinstance(raw, bytes), "a bundle is not a JSON document"
        return raw

    def remove(self, bundle: str) -> shapes.Removal:
        """Delete the closed encounter's record; *bundle* is the SHA-256 of its bundle, 64 hex digits."""
        return cast("shapes.Removal", self._done("POST", "/removal", {"bundle": bundle}))

    def removal(self) -> shapes.Removal:
        """Return what remains known of a removed encounter."""
        return cast("shapes.Removal", self._get("/removal"))
