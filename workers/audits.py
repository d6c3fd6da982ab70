"""Run the requested audits: decide every command again, and store the verdict.

An audit does not read the encounter's secrets: salts are stored with the events that they seal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from threading import Event
from typing import Any, Final

import structlog

from service.audit.carrying import sources_of, with_carried
from service.audit.certificate import certificate, signed
from service.audit.evidence import Evidence, fight_of, stored
from service.audit.fight import verify_fight
from service.audit.integrity import examine
from service.audit.notary import Disputed
from service.audit.report import Report
from service.audit.signing import Signer, own_keys
from service.audit.verdict import Fault
from service.core.fold import Registry
from service.core.snapshot import folded_from
from service.log.errors import NoSuchEncounter, StoreFailure
from service.log.protocol import Log
from service.stores import imports
from service.stores.encounter_index import EncounterIndex
from service.stores.jobs import AUDITS, DONE, FAILED, Job
from workers.job_runner import JobProgress, JobRunner
from workers.job_turns import JobTurns
from workers.periodic import WorkerStopped

_logger: Final = structlog.get_logger()


MOST_SOURCES: Final = 50
"""The most encounters with which one audit compares carried characters."""


class Auditor(JobRunner):
    """Runs audits, and signs their certificates."""

    kind = AUDITS

    def __init__(  # noqa: PLR0913 - what a certificate is made with
        self,
        log: Log,
        registry: Registry,
        *,
        worker: str,
        stopping: Event,
        signer: Callable[[], Signer] | None = None,
        durability: str | None = None,
        sign: Callable[[str], object] | None = None,
        turns: JobTurns | None = None,
    ) -> None:
        """Audit the records in *log* with the rules in *registry*; *sign* signs a head before its audit."""
        super().__init__(log, worker=worker, stopping=stopping, turns=turns)
        self._registry = registry
        self._signer = signer
        self._durability = durability
        self._sign = sign

    def do(self, job: Job) -> None:
        """Run one audit and store its result."""
        started = time.monotonic()
        encounter, audit = job["encounter"], job["audit"]
        progress = JobProgress(self, job)
        try:
            evidence = self._evidence(encounter, progress)
            fight = (*self._earlier(encounter), evidence)
            report = verify_fight(fight, self._registry, span=self._span(job), progress=progress)
            if report.verdict.is_sound:
                sources = self._sources(encounter, evidence)
                report = with_carried(report, evidence, sources, self._registry)
        except (StoreFailure, WorkerStopped):
            raise
        except Exception as fault:  # noqa: BLE001 - the job reports any fault to its sender
            _logger.error("audit.failed", encounter=encounter, audit=audit, error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._finish(
                job | {"status": FAILED, "fault": f"the audit could not be done: {type(fault).__name__}"}
            )
            return
        verdict = str(report.verdict)
        self._finish(job | {"status": DONE, "verdict": verdict, "certificate": self._certificate(report)})
        ms = round((time.monotonic() - started) * 1000, 1)
        _logger.info("audit.done", encounter=encounter, audit=audit, verdict=report.verdict.name, ms=ms)

    def _certificate(self, report: Report) -> dict[str, Any]:
        data = certificate(report, durability=self._durability)
        return data if self._signer is None else signed(data, self._signer())

    def _finish(self, job: Job) -> None:
        progress = self.progress(**(job.get("progress") or {}))
        self.close(job | {"progress": progress})

    # --- evidence ------------------------------------------------------------------------------------

    def _evidence(self, encounter: str, progress: JobProgress) -> Evidence:
        """Sign the head and return the stored evidence, with the keys of this service pinned.

        For an imported bundle, the pinned keys are those that were accepted at its import.
        """
        head = self.log.head(encounter)
        progress(0, head.folded if head is not None else 0)
        taken = imports.find(self.log, encounter)
        if taken is not None:
            pinned = () if taken.is_unsigned else tuple(bytes.fromhex(key) for key in taken.keys)
        else:
            self._sign_head(encounter)
            pinned = own_keys(self.log, encounter)
        return self._with_claim(replace(stored(self.log, encounter, progress), pinned=pinned), encounter)

    def _earlier(self, encounter: str) -> Iterator[Evidence]:
        """Yield the evidence of the lines of play that led to *encounter*, the first one first."""
        taken = imports.find(self.log, encounter)
        for line in fight_of(self.log, encounter)[:-1]:
            if taken is None:
                self._sign_head(line)  # it may have ended a moment ago
            keys = own_keys(self.log, line) if taken is None else tuple(map(bytes.fromhex, taken.keys))
            yield replace(
                stored(self.log, line), pinned=() if taken is not None and taken.is_unsigned else keys
            )

    def _sources(self, encounter: str, evidence: Evidence) -> list[Evidence]:
        """Return the records that characters were carried from: the same owner's whose bytes are sound.

        Another owner's record is not compared, because what differs would reveal what it says.
        """
        index, found = EncounterIndex(self.log), []
        mine = index.find(encounter)
        for source in sources_of(evidence)[:MOST_SOURCES]:
            theirs = index.find(source)
            if mine is None or theirs is None or theirs.owner != mine.owner or theirs.imported:
                continue
            self._sign_head(source)
            with suppress(Fault, NoSuchEncounter):  # the audit of that encounter says what is wrong with it
                record = replace(stored(self.log, source), pinned=own_keys(self.log, source))
                examine(record)
                found.append(record)
        return found

    def _sign_head(self, encounter: str) -> None:
        if self._sign is not None:
            with suppress(Disputed, NoSuchEncounter):  # the audit reports the fault
                self._sign(encounter)

    def _with_claim(self, evidence: Evidence, encounter: str) -> Evidence:
        """Add the stored state if this release has its rules; the audit compares it with the commits."""
        cached = self.log.state(encounter)
        if cached is None or not 0 < cached.n <= evidence.count:
            return evidence
        ruleset = self._registry.get(evidence.edition or "")
        folded = None if ruleset is None else folded_from(encounter, ruleset, cached)
        return evidence if folded is None else replace(evidence, claimed=(folded.n, folded.state))

    def _span(self, job: Job) -> tuple[int, int] | None:
        """Return the first and last commit of the requested rounds; None for all commits."""
        if job["first_round"] is None and job["last_round"] is None:
            return None
        marks = self.log.marks(job["encounter"])
        head = self.log.head(job["encounter"])
        last = head.folded if head is not None else 0
        first = int(marks[f"round/{job['first_round']}"]) if job["first_round"] is not None else 1
        after = marks.get(f"round/{job['last_round'] + 1}") if job["last_round"] is not None else None
        return first, int(after) if after is not None else last
