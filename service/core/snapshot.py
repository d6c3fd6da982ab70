"""Serialize a folded state and read it back, so that a cold process need not fold from commit 1.

A snapshot is never evidence. It is used only if its bytes are intact, its ruleset digest is today's and its
hash is that of commit n; otherwise it is ignored.
"""

from __future__ import annotations

import json
import zlib
from hashlib import sha256
from typing import Any, Final, TypeVar

from service.core.decide import FoldedState
from service.log.values import CachedState
from service.record.digest import ruleset_digest
from service.record.frontier import Frontier
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table

S = TypeVar("S", bound=Table)

_CHECK_BYTES: Final = 32
_LEVEL: Final = 1
"""Compression: the fastest level, which still shrinks a state to a tenth."""


def snapshot_of(folded: FoldedState[Any]) -> CachedState:
    """Return the snapshot of *folded*."""
    data = {"frontier": folded.frontier.to_bytes().hex(), "state": to_data(folded.state)}
    # Not canonical JSON, which sorts names: rules iterate over mappings in insertion order.
    body = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)
    blob = sha256(body).digest() + body
    return CachedState(folded.n, folded.hash, ruleset_digest(folded.ruleset), blob)


def folded_from(encounter: str, ruleset: Ruleset[S], cached: CachedState) -> FoldedState[S] | None:
    """Return the state in *cached*; None if it is damaged or of other rules. The caller checks its hash."""
    if cached.ruleset_digest != ruleset_digest(ruleset):
        return None
    check, body = cached.blob[:_CHECK_BYTES], cached.blob[_CHECK_BYTES:]
    if sha256(body).digest() != check:
        return None
    try:
        data = json.loads(zlib.decompress(body))
        frontier = Frontier.from_bytes(bytes.fromhex(data["frontier"]))
        state = from_data(type(ruleset.blank), data["state"], families=ruleset.families)
    except (Malformed, KeyError, ValueError, zlib.error):  # another shape, written by another release
        return None
    return FoldedState(
        encounter=encounter,
        ruleset=ruleset,
        n=cached.n,
        hash=cached.hash,
        frontier=frontier,
        state=state,
    )
