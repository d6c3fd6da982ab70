"""Publish the keys that verify what this service signs."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call
from service.api.operations import Shape, operation

TAG: Final = "Service"


@operation("GET", "/v1/keys", "listKeys", TAG, answers={200: Shape("The keys.", "Keys")})
def list_keys(call: Call) -> Answer:
    """List the public keys with which checkpoints and certificates are verified."""
    return Answer({"keys": list(call.host.verifier_keys)})
