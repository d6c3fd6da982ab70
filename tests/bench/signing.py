"""Measure what signatures cost: receipts, the statement of a seat, the public log, a witness.

The public log is one for all encounters: its cost is that of an entry (an opening, a close or an end), of
which a round of commands has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from service.audit.log_proof import make
from service.audit.log_writer import LogWriter
from service.audit.receipts import sign_receipts
from service.audit.signing_memory import SigningMemory
from service.log.memory import MemoryLog
from service.log.values import CommitWrite
from service.record.commit import Request, SeatSignature
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import is_signed_by, statement
from service.rules.kernel.messages import Actor
from service.stores.public_log import PublicLog
from tests.bench.table import TURNS, Row, median, section
from tests.support.a_log import Witnesses, opening
from tests.support.tiny_table import SIGNER

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"
SECRET = bytes(range(32))
HASH = sha256(b"commit").hexdigest()
COUNT = 1_000
GROWN = 10_000
"""Entries that the public log has before it is measured."""
ENTRIES = 256
PROOFS = 50
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
    measured = [
        Row(
            what, median(values), "µs of CPU a command", 50 if what.endswith("4 at once") else None, most=True
        )
        for what, values in found.items()
    ]
    logged: dict[str, list[float]] = {}
    for _ in range(times):
        for what, value in _of_the_log():
            logged.setdefault(what, []).append(value)
    return [*measured, *(Row(what, median(values), "µs of CPU") for what, values in logged.items())]


def _of_the_log() -> Iterator[tuple[str, float]]:
    """Yield what an entry of the public log costs, alone and among many, and what a witness costs."""
    with TemporaryDirectory() as home, closing(MemoryLog()) as store:
        writer = LogWriter(PublicLog(store), SigningMemory(Path(home) / "signing-memory.db"), lambda: SIGNER)
        writer.log.propose([opening(at) for at in range(GROWN)])
        writer.write()
        yield "an entry of the public log, alone, signed", _entries(writer, GROWN, 1)
        yield "an entry of the public log, among 64", _entries(writer, 2 * GROWN, 64)
        witness = Witnesses(Path(home), ["ada"])
        writer.log.propose([opening(3 * GROWN)])
        writer.write()
        began = process_time()
        witness.submitter(writer.log).submit()
        yield "a checkpoint, submitted, cosigned, published", (process_time() - began) * 1e6
        encounter = opening(1).encounter
        began = process_time()
        for _ in range(PROOFS):
            make(writer.log, encounter)
        yield "a log proof, made", (process_time() - began) / PROOFS * 1e6


def _entries(writer: LogWriter, first: int, together: int) -> float:
    """Return the microseconds of CPU an entry, proposed and signed so many at once."""
    began = process_time()
    for at in range(first, first + ENTRIES, together):
        writer.log.propose([opening(each) for each in range(at, at + together)])
        writer.write()
    return (process_time() - began) / ENTRIES * 1e6
