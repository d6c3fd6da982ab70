"""What a seat signs when it sends a command, and whether its signature is true.

A statement (`rewound/request/1`) contains the seat, the command, the idempotency key, and the newest commit
that the seat had seen. So the host cannot change the command, take it twice, or take it into another
history. The bytes are specified in docs/format-record.md.
"""

from __future__ import annotations

from typing import Final

from service.record.canonical import dumps
from service.record.commit import Request, SeatSignature
from service.record.ed25519 import SIGNATURE, is_signed
from service.rules.kernel.hexadecimal import is_hex

LABEL: Final = b"rewound/request/1\x00"


def statement(request: Request, signed: SeatSignature) -> bytes:
    """Return the bytes that the seat of *request* signs."""
    return LABEL + dumps(
        {
            "encounter": request.encounter,
            "seat": request.actor.seat,
            "type": request.type,
            "data": request.data,
            "key": signed.key,
            "index": signed.index,
            "head": {"n": signed.n, "hash": signed.hash},
        }
    )


def is_signed_by(request: Request, key: str) -> bool:
    """Return whether *request* has a true signature by the public *key*, given as 64 hexadecimal digits."""
    signed = request.signed
    if signed is None:
        return False
    if not is_hex(key) or not is_hex(signed.value, SIGNATURE):
        return False
    return is_signed(statement(request, signed), bytes.fromhex(signed.value), bytes.fromhex(key))
