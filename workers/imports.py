"""Import uploaded bundles: audit each, and write it into the store if it is sound."""

from __future__ import annotations

from threading import Event
from typing import Final

import structlog

from service.audit.certificate import certificate
from service.audit.importing import AcceptedBundle, ImportedBundle, ImportRefused, WasRemoved, take
from service.core.fold import Registry
from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.stores.imports import BUNDLES
from service.stores.jobs import DONE, FAILED, IMPORTS, Job
from workers.job_runner import JobProgress, JobRunner
from workers.job_turns import JobTurns
from workers.periodic import WorkerStopped

_logger: Final = structlog.get_logger()


class Importer(JobRunner):
    """Imports bundles."""

    kind = IMPORTS

    def __init__(
        self,
        log: Log,
        registry: Registry,
        *,
        worker: str,
        stopping: Event,
        durability: str | None = None,
        turns: JobTurns | None = None,
    ) -> None:
        super().__init__(log, worker=worker, stopping=stopping, turns=turns)
        self._registry = registry
        self._durability = durability

    def do(self, job: Job) -> None:
        """Import one bundle, or store the reason for its refusal."""
        raw = self.log.record(BUNDLES, job["bundle"])
        if raw is None:  # a worker died here, during the import or after it
            refusal = _refusal("bundle-refused", "the file is no longer stored; upload it again")
            self._finish(job, status=FAILED, refusal=refusal)
            return
        accepted = AcceptedBundle(tuple(bytes.fromhex(key) for key in job["keys"]), job["required"])
        try:
            taken = take(self.log, self._registry, job["owner"], raw, accepted, JobProgress(self, job))
        except (StoreFailure, WorkerStopped):
            raise
        except ImportRefused as why:
            verdict = why.report.verdict
            detail = f"{verdict}: {verdict.detail}" if verdict.detail else str(verdict)
            refusal = _refusal("bundle-refused", detail)
            self._finish(job, status=FAILED, verdict=str(verdict), refusal=refusal)
        except WasRemoved as why:
            refusal = _refusal("encounter-removed", "you removed this encounter; it cannot be imported")
            self._finish(job, status=FAILED, encounter=why.address, refusal=refusal)
        except Exception as fault:  # noqa: BLE001 - the job reports any fault to its sender
            _logger.error("import.failed", job=job["bundle"], error=type(fault).__name__)  # noqa: TRY400 - ids only
            refusal = _refusal("internal-error", f"the import failed: {type(fault).__name__}")
            self._finish(job, status=FAILED, refusal=refusal)
        else:
            self._finish(job, status=DONE, **self._result(taken))
            _logger.info("bundle.imported", encounter=taken.address, commits=len(taken.commits))

    def _result(self, taken: ImportedBundle) -> Job:
        return {
            "encounter": taken.address,
            "verdict": str(taken.report.verdict),
            "certificate": certificate(taken.report, durability=self._durability),
            "imported": taken.known.shown,
        }

    def _finish(self, job: Job, **result: object) -> None:
        progress = self.progress(**(job.get("progress") or {}))
        self.close(job | {"progress": progress} | result)
        self.log.drop_record(BUNDLES, job["bundle"])


def _refusal(code: str, detail: str) -> dict[str, str]:
    return {"code": code, "detail": detail}
