"""Let a restored encounter go on with dice that nobody has seen.

What was played after a backup is lost with its dice, and the same dice would fall again for whatever is
played instead. So the service's own `advance_epoch` commands are appended to each open encounter, before
anybody else can play. Commands that waited in the backup stand before them and fall as they fell before.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from service.log import Log
from service.record.commit import Batch, Request, dump_request
from service.record.timestamps import timestamp_of
from service.rules.kernel.messages import Actor
from service.rules.rolls.epochs import AdvanceEpoch
from service.rules.table.table import CLOCK
from service.signals.doorbell import NOTIFY_MS

SCOPE: Final = "restore"
"""The scope of the idempotency keys of these commands."""
_LABEL: Final = b"rewound/restore/1\x00"


def advance_dice(log: Log, encounter: str, backup: str, epochs: int, now: float) -> None:
    """Append commands that advance *encounter* by *epochs*, once for each *backup*.

    A worker folds them. *now* is in seconds since 1970. Raises what the log raises.
    """
    nonce = sha256(_LABEL + f"{backup}\x00{encounter}".encode()).hexdigest()[:32]
    first, *more = [
        dump_request(
            Request(
                encounter=encounter,
                type=AdvanceEpoch.type,
                at=timestamp_of(now),
                nonce=nonce,
                actor=Actor(seat=CLOCK, role=CLOCK),
                data={"reason": f"restored from {backup}: later play is lost, and its dice may be known"},
                batch=Batch(nonce, index, epochs, stop=False),
            )
        )
        for index in range(epochs)
    ]
    log.submit(
        encounter,
        first,
        scope=SCOPE,
        key=backup,
        fingerprint=sha256(backup.encode()).hexdigest(),
        at_ms=int(now * 1000),
        notify_ms=NOTIFY_MS,
        more=more,
    )
