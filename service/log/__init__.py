"""Keep encounters as numbered commands and numbered, chained commits.

`Log` says what a store does; `service.log.valkey` and `service.log.memory` do it.
"""

from service.log.errors import (
    KeyReused,
    LogError,
    NoSuchEncounter,
    NotDurable,
    Refusal,
    Stale,
    StoreFailure,
    StoreFull,
    Taken,
    Unavailable,
    Unknown,
    VersionConflict,
)
from service.log.protocol import Agendas, Doorbell, Listener, Log, Shelves, Streams
from service.log.values import (
    ZERO_HASH,
    Appended,
    CachedState,
    Entry,
    Fold,
    Head,
    Known,
    Outcome,
    Payload,
    Record,
    Submitted,
    Wake,
)

__all__ = [
    "ZERO_HASH",
    "Agendas",
    "Appended",
    "CachedState",
    "Doorbell",
    "Entry",
    "Fold",
    "Head",
    "KeyReused",
    "Known",
    "Listener",
    "Log",
    "LogError",
    "NoSuchEncounter",
    "NotDurable",
    "Outcome",
    "Payload",
    "Record",
    "Refusal",
    "Shelves",
    "Stale",
    "StoreFailure",
    "StoreFull",
    "Streams",
    "Submitted",
    "Taken",
    "Unavailable",
    "Unknown",
    "VersionConflict",
    "Wake",
]
