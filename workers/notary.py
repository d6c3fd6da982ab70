"""Sign checkpoints beside the folding: when an epoch closes, on request, and at the start.

Nobody waits for a signature, so a lost wake-up only delays it: every start looks at all encounters that were
signed here before, and every fold that closes an epoch wakes the signer again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Final, NamedTuple

import structlog

from service.audit.notary import Disputed, Notary
from service.audit.signing import Signer, is_unvouched, publish
from service.log.errors import NoSuchEncounter, StoreFailure
from service.log.protocol import Log
from service.stores import checkpoints, imports
from service.stores.archive import entries
from service.stores.encounter_index import COLLECTION as REGISTERED
from workers.periodic import PeriodicThread

EVERY_S: Final = 2.0
"""How long a request for a checkpoint may wait if nobody rings."""

GAP_S: Final = 0.25
"""How long closed epochs wait, so that several are signed together."""

RECHECK_S: Final = 2.0
"""How often a disputed encounter is checked again, since its history may have been accepted."""

WHOLE_EVERY: Final = 1_000
"""Commits after which the whole tree is recomputed from the stored bytes."""

_RECENT: Final = 200
"""Newest encounters of the index that a start checks, besides all that were signed here."""

_PAGE: Final = 50

_logger: Final = structlog.get_logger()


class _ClosedEpoch(NamedTuple):
    """What to do for an encounter besides signing its closed epochs: recompute its tree, sign its head."""

    whole: bool = False
    head: bool = False


class CheckpointSigner(PeriodicThread):
    """One worker's thread that signs checkpoints; the threads that fold wake it and query it."""

    name = "notary"
    every_s = EVERY_S
    gap_s = GAP_S

    def __init__(self, log: Log, notary: Notary, signer: Callable[[], Signer], stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._notary = notary
        self._signer = signer
        self._closed_epochs: dict[str, _ClosedEpoch] = {}
        self._checked: set[str] = set()
        self._disputed: dict[str, float] = {}
        self._resumes: dict[str, int] = {}
        self._lock = Lock()
        self._has_started = False

    # --- for the threads that fold -------------------------------------------------------------------

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Note that the commits after *start* up to *n* are written.

        *closes*: an epoch ended. *is_closed*: the encounter is closed, so its head is signed at once.
        """
        whole = n // WHOLE_EVERY > start // WHOLE_EVERY
        if closes or is_closed or whole:
            with self._lock:
                before = self._closed_epochs.get(encounter, _ClosedEpoch())
                self._closed_epochs[encounter] = _ClosedEpoch(whole or before.whole, is_closed or before.head)
            self.ring()

    def may_fold(self, encounter: str) -> bool:
        """Return whether the store's history is the signed one; only the first call reads the store."""
        with self._lock:
            looked = self._disputed.get(encounter)
            if encounter in self._checked:
                return True
            if looked is not None and time.monotonic() - looked < RECHECK_S:
                return False
        try:
            resumes = self._notary.check(encounter)
        except Disputed as fault:
            self._note(fault)
            return False
        with self._lock:
            if resumes:
                self._resumes[encounter] = resumes
            self._checked.add(encounter)
            self._disputed.pop(encounter, None)
        return True

    def resumes(self, encounter: str) -> int:
        """Return the number of the command that accepted a history other than the signed one; 0 if none."""
        return self._resumes.get(encounter, 0)

    def recheck(self) -> None:
        """Check every encounter again before it may be folded."""
        with self._lock:
            self._checked.clear()

    # --- the thread ----------------------------------------------------------------------------------

    def look(self) -> None:
        """Sign what is due; the first look also compares the whole store with what was signed here."""
        if not self._has_started:
            signer = self._signer()
            publish(self._log, signer, time.time())
            if is_unvouched(self._log, signer):
                _logger.error(
                    "signing.unvouched_key",
                    public_key=signer.public.hex(),
                    mend="copy the key file of the other workers to this machine (REWOUND_SIGNING_KEY_FILE): "
                    "nobody who pinned their key believes this one",
                )
            self.catch_up()
            self._has_started = True
        self.work()

    def work(self) -> None:
        """Sign the encounters that were folded, and those with a requested checkpoint."""
        with self._lock:
            woken, self._closed_epochs = self._closed_epochs, {}
        left = self._sign_together([encounter for encounter, wake in woken.items() if wake == _ClosedEpoch()])
        for encounter, wake in woken.items():
            if wake != _ClosedEpoch() or encounter in left:
                self._sign(encounter, whole=wake.whole, head=wake.head)
        while found := checkpoints.asked(self._log, int(time.time() * 1000), _PAGE):
            for encounter, size in found:
                if self.stopping.is_set():
                    return
                self._answer(encounter, size)

    def _sign_together(self, encounters: list[str]) -> set[str]:
        """Sign the closed epochs of just folded encounters; return those that must be signed one by one."""
        try:
            signed, left = self._notary.sign_closed_together(encounters)
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - signing one by one finds the encounter at fault
            _logger.error("notary.failed", encounters=len(encounters), error=type(fault).__name__)  # noqa: TRY400 - ids only
            return set(encounters)
        for encounter, made in signed.items():
            for point in made:
                _logger.info("checkpoint.signed", encounter=encounter, size=point.size)
        return set(left)

    def catch_up(self) -> None:
        """Compare the whole store with what was signed here, and sign what is missing."""
        recent = [record.id for record in self._log.records(REGISTERED, None, _RECENT)]
        for encounter in dict.fromkeys([*self._notary.encounters(), *recent]):
            if self.stopping.is_set():
                return
            self._sign(encounter, whole=True)

    def _answer(self, encounter: str, size: int) -> None:
        latest = checkpoints.latest(self._log, encounter)
        if latest is None or latest.size < size:
            self._sign(encounter, head=True)
        checkpoints.answered(self._log, encounter, size)

    def _sign(self, encounter: str, *, whole: bool = False, head: bool = False) -> None:
        if imports.find(self._log, encounter) is not None:
            return  # the service that played it signs it
        if entries.find(self._log, encounter) is not None:
            return  # its head was signed before it was archived
        try:
            made = self._made(encounter, whole=whole, head=head)
        except Disputed as fault:
            self._note(fault)
            return
        except StoreFailure:
            raise
        except Exception as fault:  # noqa: BLE001 - one encounter's fault must not stop the others
            _logger.error("notary.failed", encounter=encounter, error=type(fault).__name__)  # noqa: TRY400 - ids only
            return
        for point in made:
            _logger.info("checkpoint.signed", encounter=encounter, size=point.size)

    def _made(self, encounter: str, *, whole: bool, head: bool) -> list[checkpoints.TreeHead]:
        """Sign and return the new checkpoints.

        Raises `Disputed`, also if the encounter was signed and is missing.
        """
        try:
            if whole:
                self._notary.recompute(encounter)
            return self._notary.sign_head(encounter) if head else self._notary.sign_closed(encounter)
        except NoSuchEncounter:
            self._notary.check_missing(encounter, time.time())
            return []

    def _note(self, fault: Disputed) -> None:
        dispute = fault.dispute
        with self._lock:
            is_known = dispute.encounter in self._disputed
            self._disputed[dispute.encounter] = time.monotonic()
            self._checked.discard(dispute.encounter)
        if not is_known:
            _logger.error(
                "encounter.disputed", encounter=dispute.encounter, why=dispute.why, signed=dispute.size
            )
