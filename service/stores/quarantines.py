"""Name commands that were set aside because no worker could decide them, for metrics and the operator.

A record's id is `<encounter>/<n>`; the number of the newest one says how many there ever were.
"""

from __future__ import annotations

from typing import Final

from service.log import SideStore

COLLECTION: Final = "quarantined"


def count(store: SideStore) -> int:
    """Return how many commands were ever set aside."""
    newest = store.records(COLLECTION, None, 1)
    return newest[0].number if newest else 0
