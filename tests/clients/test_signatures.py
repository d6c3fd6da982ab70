"""The verifier in JavaScript takes signatures as true that the equation takes, whoever computes it."""

from __future__ import annotations

import json
import random

from service.record.ed25519 import is_signed, public_key, sign_bytes
from tests.support.javascript_verifier import node

ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19


def cases() -> list[tuple[bytes, bytes, bytes]]:
    """Return keys, messages and signatures: true ones, changed ones, and those at the edges."""
    rng = random.Random(8032)
    found = []
    for n in range(60):
        secret, message = rng.randbytes(32), rng.randbytes(n * 7)
        key, value = public_key(secret), sign_bytes(message, secret)
        greater = (int.from_bytes(value[32:], "little") + ORDER).to_bytes(32, "little")
        at = rng.randrange(64)
        found += [
            (key, message, value),
            (key, message + b"x", value),
            (key, message, value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]),
            (key, message, value[:32] + greater),
            (public_key(rng.randbytes(32)), message, value),
        ]
    edges = [0, 1, 2, PRIME - 1, PRIME, PRIME + 1, 2**255 - 1]
    keys = [(y + (sign << 255)).to_bytes(32, "little") for y in edges for sign in (0, 1)]
    rests = [0, 1, ORDER - 1, ORDER]
    found += [(key, b"m", r + s.to_bytes(32, "little")) for key in keys for r in keys[:6] for s in rests]
    return found


def test_every_way_to_verify_a_signature_says_the_same() -> None:
    drawn = cases()
    said = json.loads(
        node("tests/clients/signatures.mjs", told=json.dumps([[p.hex() for p in c] for c in drawn]))
    )
    ours = [is_signed(message, value, key) for key, message, value in drawn]

    assert said["native"] == said["computed"] == said["browser"] == ours
    assert (sum(ours) >= 60, said["after"]) == (True, ours[:3])
    assert said["heard"][-1][1] == len({*drawn})
