"""List what a request leaves behind, each with the most there may be of it: one table for every operation.

An operation that changes something has a row. It names the things that the request leaves in the store, or
says why it leaves nothing that grows. The contract says the limits of each operation; a test holds the table
to every operation of the contract, and to the text of each problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.api.waiting import MOST_BEFORE_SEATS, MOST_WAITING
from service.rules.contests.contests import MOST_OPEN
from service.rules.table.seats import MOST_SEATS
from service.stores import api_keys, webhooks
from service.stores.backlogs import OF_ENCOUNTER
from service.stores.jobs import KEPT
from service.usecases import forking


@dataclass(frozen=True)
class Limit:
    """The most of one kind of thing, and what answers a request for one more."""

    most: int
    things: str
    """What is limited, and whose they are, as a sentence goes on after the figure."""
    code: str
    """The problem, or the code of the refusal, that names the figure; empty if an older one makes room."""
    setting: str = ""
    """The setting that replaces the figure, if there is one."""

    def __str__(self) -> str:
        """Return the limit as the contract says it."""
        above = f", else `{self.code}`" if self.code else "; one more takes the oldest's place"
        usual = f", by default (`{self.setting}`)" if self.setting else ""
        return f"at most {self.most:,} {self.things}{usual}{above}"


_ENCOUNTERS: Final = Limit(10_000, "encounters of one owner", "quota-exceeded", "REWOUND_OWNER_ENCOUNTERS")
_COMMANDS: Final = Limit(
    2_000_000, "commands in all encounters of one owner", "quota-exceeded", "REWOUND_OWNER_COMMANDS"
)
_MEGABYTES: Final = Limit(
    4_096, "megabytes of requests, commits and lines of one owner", "quota-exceeded", "REWOUND_OWNER_MB"
)
_UNDECIDED: Final = Limit(OF_ENCOUNTER, "undecided commands of one encounter", "too-many-undecided")
_RECORD: Final = (_COMMANDS, _MEGABYTES, _UNDECIDED)
_SEATS: Final = Limit(MOST_SEATS, "seats of one encounter, closed ones too", "too_many_seats")
_KEYS: Final = (
    Limit(api_keys.MOST, "valid API keys of one owner", "too-many-api-keys"),
    Limit(api_keys.KEPT, "keys of one owner that have ended or expired", ""),
)


def _jobs(what: str, code: str, whose: str) -> tuple[Limit, ...]:
    return (
        Limit(MOST_WAITING, f"{what} of one owner that are not done", code),
        Limit(KEPT, f"{what} of one {whose} that are done", ""),
    )


NOTHING: Final = "it leaves nothing in the store"
LIMITS: Final[Mapping[str, tuple[Limit, ...] | str]] = {
    "openEncounter": (_ENCOUNTERS, *_RECORD, _SEATS),
    "removeEncounter": "a removal takes the place of its encounter",
    "openSeat": (_SEATS, *_RECORD),
    "changeSeat": _RECORD,
    "closeEncounter": _RECORD,
    "closeSeat": _RECORD,
    "shareSeat": "a link is signed and not stored",
    "issueToken": _RECORD,
    "sendCommand": _RECORD,
    "previewCommand": NOTHING,
    "signCheckpoint": "a head has one checkpoint",
    "issueTicket": "a ticket is signed and not stored; one that was used is remembered for a minute",
    "openContest": (Limit(MOST_OPEN, "open contests of one seat", "too_many_contests"), *_RECORD),
    "answerContest": _RECORD,
    "acceptAmendment": _RECORD,
    "dropAmendment": _RECORD,
    "undo": _RECORD,
    "redo": _RECORD,
    "forkEncounter": (
        Limit(forking.MOST, "forks of one owner's encounters", "too-many-forks"),
        Limit(forking.MOST_OF_A_SEAT, "forks that one seat has of one encounter", "too-many-forks"),
        _ENCOUNTERS,
        *_RECORD,
    ),
    "deleteFork": "it removes a fork",
    "importBundle": (*_jobs("imports", "too-many-imports", "owner"), _ENCOUNTERS, _MEGABYTES),
    "startAudit": (
        *_jobs("audits", "too-many-audits", "encounter"),
        Limit(MOST_BEFORE_SEATS, "audits of one owner before an auditor's seat adds one", "too-many-audits"),
    ),
    "startSimulation": _jobs("simulations", "too-many-simulations", "owner"),
    "createWebhook": (Limit(webhooks.MOST, "webhooks of one owner", "too-many-webhooks"),),
    "changeWebhook": "it changes a webhook",
    "endWebhook": "it removes a webhook",
    "retryDelivery": "it changes a delivery",
    "convertFile": NOTHING,
    "createApiKey": _KEYS,
    "rotateApiKey": _KEYS,
    "endApiKey": "it ends a key",
    "changeOwnerQuotas": "an owner has one set of quotas",
    "resetOwnerQuotas": "an owner has one set of quotas",
    "makeQrCode": NOTHING,
}
"""The limits of each operation that is not a GET, by its id, or why it has none."""


def sentence(operation: str) -> str:
    """Return the limits of *operation* as its description has them; empty if it has none.

    Those of the record are the same for every command, and only the descriptions of two operations have them.
    """
    limits = LIMITS.get(operation, "")
    if isinstance(limits, str):
        return ""
    own = [each for each in limits if each not in _RECORD or operation in ("openEncounter", "sendCommand")]
    return f"Limits: {'; '.join(map(str, own))}." if own else ""
