"""A client for Rewound: tabletop combat that can be replayed and audited, over HTTP.

`Rewound` is a service, `Table` is one encounter as one seat sees it. Every request takes effect once, however
often the client sends it.
"""

from rewound_client.choices import values_of, with_lists
from rewound_client.client import Rewound
from rewound_client.encounter import Table
from rewound_client.errors import NotDone, Problem, Refused, RewoundError, Unreachable, VersionMismatch
from rewound_client.receipts import FalseReceipt, ReceiptFolder
from rewound_client.sealing import SealedChoice, sealed
from rewound_client.signing import OtherKey, SeatKey
from rewound_client.stream import StreamEvent
from rewound_client.transport import RetryPolicy

__all__ = [
    "FalseReceipt",
    "NotDone",
    "OtherKey",
    "Problem",
    "ReceiptFolder",
    "Refused",
    "RetryPolicy",
    "Rewound",
    "RewoundError",
    "SealedChoice",
    "SeatKey",
    "StreamEvent",
    "Table",
    "Unreachable",
    "VersionMismatch",
    "sealed",
    "values_of",
    "with_lists",
]
