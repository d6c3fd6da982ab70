"""Measure what signatures cost a command: the receipt, alone and in a batch, and the statement of a seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from time import process_time

from service.audit.receipts import sign_receipts
from service.log.values import CommitWrite
from service.record.commit import Request, SeatSignature
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import is_signed_by, statement
from service.rules.kernel.messages import Actor
from tests.bench.table import TURNS, Row, median, section

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"
SECRET = bytes(range(32))
HASH = sha256(b"commit").hexdigest()
COUNT = 1_000
WRITE = CommitWrite(1, HASH, HASH, b"x" * 600, b"y" * 300)


def microseconds(work: Callable[[], object], commands: int) -> float:
    """Return the microseconds of CPU a command that *work*, which is for so many, takes."""
    work()
    turns = max(1, COUNT // commands)
    began = process_time()
    for _ in range(turns):
        work()
    return (process_time() - began) / (turns * commands) * 1e6


@section("Signatures")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure each *times* times in turn and return the medians."""
    said = Request(ENCOUNTER, "choose_stance", "", "", Actor(seat="ada", role="player"), {"creature": "pia"})
    unsigned = SeatSignature("k-1", 0, 7, HASH, "")
    signed = replace(unsigned, value=sign_bytes(statement(said, unsigned), SECRET).hex())
    request, key = replace(said, signed=signed), public_key(SECRET).hex()
    message = b"z" * 80
    batches = {size: [(ENCOUNTER, WRITE)] * size for size in (1, 4, 16, 64)}
    found: dict[str, list[float]] = {}

    def note(what: str, work: Callable[[], object], commands: int = 1) -> None:
        found.setdefault(what, []).append(microseconds(work, commands))

    for _ in range(times):
        note("one signature, bare", lambda: sign_bytes(message, SECRET))
        for size, batch in batches.items():
            note(f"receipts, {size} at once", lambda batch=batch: sign_receipts(batch, SECRET), size)  # type: ignore[misc]  # a default's type is not inferred
        note("a seat's statement, verified", lambda: is_signed_by(request, key))
    return [
        Row(
            what, median(values), "µs of CPU a command", 50 if what.endswith("4 at once") else None, most=True
        )
        for what, values in found.items()
    ]
