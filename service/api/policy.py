"""Say who may do what: one entry per operation, or the tests fail.

Who stands outside an encounter gets the same 404 as for one that does not exist; who stands inside and may
not do this gets 403. What a role may do *within* a command (whose creature, which ruling) the rules decide,
on the record. The owner's API key acts as the gm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Scope = Literal["read", "write", "keys", "operator"]
ANYONE: Final = "anyone"
KEY: Final = "key"
"""An API key, whatever it owns."""

READERS: Final = ("gm", "player", "observer", "auditor")
ACTORS: Final = ("gm", "player")
GM: Final = ("gm",)
AUDITORS: Final = ("gm", "auditor")


@dataclass(frozen=True)
class Rule:
    """Which roles reach an operation, and which scope an API key needs for it."""

    roles: tuple[str, ...]
    scope: Scope = "read"
    outlives: bool = False
    """Whether it also answers of an encounter that was removed."""
    is_probe: bool = False
    """Whether machines ask it how the process fares: such requests are not counted."""

    @property
    def is_public(self) -> bool:
        """Tell whether it asks for no credentials at all."""
        return ANYONE in self.roles

    @property
    def is_inside(self) -> bool:
        """Tell whether it acts within one encounter."""
        return not self.is_public and KEY not in self.roles


_PUBLIC: Final = Rule((ANYONE,))
_PROBE: Final = Rule((ANYONE,), is_probe=True)
_READ: Final = Rule(READERS)
_READ_EVER: Final = Rule(READERS, outlives=True)

POLICY: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "openEncounter": Rule((KEY,), "write"),
        "listEncounters": Rule((KEY,)),
        "getEncounter": _READ,
        "closeEncounter": Rule(GM, "write"),
        "removeEncounter": Rule(GM, "write", outlives=True),
        "getRemoval": _READ_EVER,
        "openSeat": Rule(GM, "write"),
        "listSeats": _READ,
        "getSeat": _READ,
        "changeSeat": Rule(GM, "write"),
        "closeSeat": Rule(GM, "write"),
        "issueToken": Rule(GM, "write"),
        "sendCommand": Rule(ACTORS, "write"),
        "findCommand": Rule(ACTORS),
        "getCommand": _READ,
        "getState": _READ,
        "getOptions": _READ,
        "listCommits": _READ,
        "issueTicket": _READ,
        "explainCommit": _READ,
        "listRounds": _READ,
        "getRound": _READ,
        "replayRound": _READ,
        "listRolls": _READ,
        "getRollStatistics": _READ,
        "openContest": Rule(ACTORS, "write"),
        "listContests": _READ,
        "getContest": _READ,
        "answerContest": Rule(GM, "write"),
        "forkEncounter": Rule(READERS, "write"),
        "listForks": Rule(READERS),
        "deleteFork": Rule(READERS, "write"),
        "getDiff": _READ,
        "previewCommand": Rule(ACTORS),
        "undo": Rule(GM, "write"),
        "redo": Rule(GM, "write"),
        "getAmendment": Rule(GM),
        "acceptAmendment": Rule(GM, "write"),
        "dropAmendment": Rule(GM, "write"),
        "listCheckpoints": _READ_EVER,
        "signCheckpoint": Rule(READERS, "write"),
        "getBundle": Rule(("gm", "player", "auditor")),
        "importBundle": Rule((KEY,), "write"),
        "listImports": Rule((KEY,)),
        "getImport": Rule((KEY,)),
        "startAudit": Rule(AUDITORS, "write"),
        "listAudits": Rule(AUDITORS, outlives=True),
        "getAudit": Rule(AUDITORS, outlives=True),
        "createWebhook": Rule((KEY,), "write"),
        "listWebhooks": Rule((KEY,)),
        "getWebhook": Rule((KEY,)),
        "changeWebhook": Rule((KEY,), "write"),
        "endWebhook": Rule((KEY,), "write"),
        "listDeliveries": Rule((KEY,)),
        "retryDelivery": Rule((KEY,), "write"),
        "startSimulation": Rule((KEY,), "write"),
        "getSimulation": Rule((KEY,)),
        "listApiKeys": Rule((KEY,), "keys"),
        "createApiKey": Rule((KEY,), "keys"),
        "rotateApiKey": Rule((KEY,), "keys"),
        "endApiKey": Rule((KEY,), "keys"),
        "listRulesets": _PUBLIC,
        "getRuleset": _PUBLIC,
        "listCommandTypes": _PUBLIC,
        "getRule": _PUBLIC,
        "listKeys": _PUBLIC,
        "getMetrics": Rule((KEY,), "operator"),
        "isAlive": _PROBE,
        "isReady": _PROBE,
        "getProblemType": _PUBLIC,
        "listProblemTypes": _PUBLIC,
        "getContract": _PUBLIC,
        "getContractAsJson": _PUBLIC,
        "getHome": _PUBLIC,
        "getDocumentation": _PUBLIC,
        "getDocumentationFile": _PUBLIC,
        "getVerifier": _PUBLIC,
        "getVerifierModule": _PUBLIC,
    }
)
