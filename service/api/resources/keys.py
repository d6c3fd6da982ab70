"""The public keys that verify what this service signs."""

from __future__ import annotations

from typing import Final

from service.api.operations import PUBLIC, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, TEXT, TIME, closed, component, listing
from service.audit import signing
from service.record.timestamps import timestamp_of

TAG: Final = "Service"
KEYS: Final = component(
    "Keys",
    closed(
        "Public keys that verify what this service signs.",
        keys=listing(
            closed(
                "An API key, without its text.",
                {
                    "rotation": {
                        **TEXT,
                        "description": "A note of the previous key that names this key.",
                    }
                },
                name=TEXT,
                algorithm=TEXT,
                public_key=HASH,
                since=TIME,
            )
        ),
    ),
)


@operation("GET", "/v1/keys", "listKeys", TAG, roles=PUBLIC, answers={200: ResponseSchema("The keys.", KEYS)})
def list_keys(request: ApiRequest) -> ApiResponse:
    """List the public keys that verify checkpoints and certificates, oldest first.

    The key that signs for an encounter has the name `<name>/<encounter>`; its verifier key is derived from
    that name and `public_key`. `rotation` is a note, signed by the previous key, that names this key.
    """
    keys = [
        {
            "name": key.name,
            "algorithm": signing.ALGORITHM,
            "public_key": key.public,
            "since": timestamp_of(key.since),
            **({} if key.rotation is None else {"rotation": key.rotation}),
        }
        for key in signing.published(request.services.log)
    ]
    return ApiResponse({"keys": keys})
