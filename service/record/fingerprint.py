"""Fingerprint requests, to distinguish a repeat from another request with the same idempotency key."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from service.record.canonical import dumps


def fingerprint(method: str, target: str, query: str, body: bytes) -> str:
    """Return the SHA-256, in hexadecimal digits, of a request whose body is canonical JSON."""
    return sha256(b"\n".join((method.encode(), target.encode(), query.encode(), body))).hexdigest()


def command_fingerprint(encounter: str, type_: str, data: Mapping[str, Any]) -> str:
    """Return the fingerprint of a request that sends this one command."""
    body = dumps({"type": type_, **data})
    return fingerprint("POST", f"/v1/encounters/{encounter}/commands", "", body)
