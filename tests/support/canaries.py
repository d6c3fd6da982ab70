"""Look for secrets where none may be: in every encoding in which one might slip out."""

from __future__ import annotations

import json
from base64 import b32encode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from urllib.parse import quote_from_bytes

from service.dice.chain import epoch_key, seal
from service.record.canonical import eid_of
from service.stores.api_keys import SECRET_BYTES
from service.stores.secrets import EncounterSecrets

TOKEN_LETTERS = 43
"""Of url-safe base64 without padding, for 32 bytes."""


def spellings(secret: bytes) -> dict[str, bytes]:
    """Return *secret* as it might stand in text or bytes, by the name of the encoding."""
    numbers = list(secret)
    found = {
        "raw": secret,
        "reversed": secret[::-1],
        "hex": secret.hex().encode(),
        "HEX": secret.hex().upper().encode(),
        "base32": b32encode(secret).rstrip(b"="),
        "number": str(int.from_bytes(secret, "big")).encode(),
        "list": str(numbers).strip("[]").encode(),
        "json": json.dumps(numbers, separators=(",", ":")).strip("[]").encode(),
        "repr": repr(secret)[2:-1].encode(),
        "url": quote_from_bytes(secret).encode(),
    }
    for offset in range(3):  # inside something longer it may begin at any of three places
        whole = b64encode(bytes(offset) + secret)
        inner = whole[-(-offset * 8 // 6) :].rstrip(b"=")[:-1]
        found[f"base64+{offset}"] = inner
        found[f"url-safe base64+{offset}"] = inner.translate(bytes.maketrans(b"+/", b"-_"))
    assert urlsafe_b64encode(secret).startswith(found["url-safe base64+0"])
    return {name: text for name, text in found.items() if len(text) >= 16}


def hits(secrets: Mapping[str, bytes], places: Mapping[str, bytes]) -> list[str]:
    """Return each secret that stands in one of *places*, with where and in which encoding."""
    return [
        f"{name} in {place} as {encoding}"
        for name, secret in secrets.items()
        for encoding, text in spellings(secret).items()
        for place, content in places.items()
        if text in content
    ]


def of_token(token: str) -> bytes:
    """Return the secret part of *token*, whole: it is url-safe base64, so it may hold `_` and `-` itself."""
    front, secret = token[:-TOKEN_LETTERS], token[-TOKEN_LETTERS:]
    assert front.endswith("_"), token
    assert len(urlsafe_b64decode(secret + "=")) == SECRET_BYTES
    return secret.encode()


def of_dice(secrets: EncounterSecrets, epoch: int) -> dict[str, bytes]:
    """Return what gives away coming dice and envelopes while *epoch* is open."""
    eid = eid_of(secrets.encounter)
    sealed = seal(eid, [chain.anchor for chain in secrets.chains.values()], {})
    found = {"the envelope secret": secrets.envelope_secret}
    for lane, chain in secrets.chains.items():
        link = chain.link(epoch)
        found |= {
            f"the seed of lane {lane}": secrets.seeds[lane],
            f"the open link of lane {lane}": link,
            f"the open key of lane {lane}": epoch_key(link, sealed, eid, lane, epoch),
        }
    return found
