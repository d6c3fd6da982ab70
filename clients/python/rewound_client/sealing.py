"""Seal choices: commit to a choice that the service cannot read, and open it once all have committed."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

_LABEL: Final = b"rewound/dice/1/choice\x00"


@dataclass(frozen=True)
class SealedChoice:
    """A choice that a seat has sealed. Keep it until it is opened: nobody else can open it."""

    creature: str
    prompt: str
    choice: Mapping[str, Any]
    """The command that was chosen: its type and its fields."""
    salt: str
    """32 random bytes in hexadecimal digits."""

    def commitment(self, encounter: str, seat: str) -> str:
        """Return what *seat* publishes of the choice in *encounter*, in hexadecimal digits.

        *encounter* is the id that the dice are made with: the member `chain` of the state's `dice` if it is
        set, else the id of the encounter.
        """
        spelled = json.dumps(self.choice, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        where = b"".join(
            len(part).to_bytes(2, "big") + part for part in (seat.encode(), self.prompt.encode())
        )
        return sha256(
            _LABEL + UUID(encounter).bytes + where + bytes.fromhex(self.salt) + spelled.encode()
        ).hexdigest()

    @property
    def opening(self) -> dict[str, Any]:
        """The command that opens the choice."""
        return {
            "type": "open_choice",
            "creature": self.creature,
            "prompt": self.prompt,
            "choice": dict(self.choice),
            "salt": self.salt,
        }


def sealed(prompt: Mapping[str, Any], choice: Mapping[str, Any]) -> SealedChoice:
    """Return *choice*, one of the `seals` of an offer for *prompt*, with a new salt."""
    return SealedChoice(
        creature=prompt["creature"], prompt=prompt["prompt"], choice=choice, salt=secrets.token_hex(32)
    )
