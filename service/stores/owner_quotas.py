"""Store quotas of single owners; an owner without any has the quotas of the settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from service.log import SideStore

COLLECTION: Final = "quotas"


@dataclass(frozen=True)
class StorageQuotas:
    """How much one owner may store; 0 means unlimited."""

    encounters: int = 0
    commands: int = 0
    bytes: int = 0
    """Of requests, commits and envelopes, as stored."""

    @classmethod
    def of(cls, encounters: int, commands: int, megabytes: int) -> StorageQuotas:
        """Return the quotas of the settings, which give megabytes of 1,000,000 bytes."""
        return cls(encounters, commands, megabytes * 1_000_000)


@dataclass(frozen=True)
class OwnQuotas:
    """The quotas that an operator gave one owner; None: as in the settings."""

    encounters: int | None = None
    commands: int | None = None
    bytes: int | None = None

    def over(self, usual: StorageQuotas) -> StorageQuotas:
        """Return what counts: these quotas, and those of *usual* where there is none here."""
        return StorageQuotas(
            encounters=usual.encounters if self.encounters is None else self.encounters,
            commands=usual.commands if self.commands is None else self.commands,
            bytes=usual.bytes if self.bytes is None else self.bytes,
        )


NONE: Final = OwnQuotas()


def find(store: SideStore, owner: str) -> OwnQuotas:
    """Return the quotas that *owner* was given."""
    blob = store.record(COLLECTION, owner)
    return NONE if blob is None else OwnQuotas(**json.loads(blob))


def put(store: SideStore, owner: str, quotas: OwnQuotas) -> None:
    """Give *owner* these quotas in place of all earlier ones."""
    if quotas == NONE:
        store.drop_record(COLLECTION, owner)
    else:
        store.put_record(COLLECTION, owner, json.dumps(asdict(quotas)).encode())
