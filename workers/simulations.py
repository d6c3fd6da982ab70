"""Run the requested simulations, and store the results of their fights."""

from __future__ import annotations

from collections import Counter
from threading import Event
from typing import Final

import structlog

from service.core.fold import Registry
from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.simulation.fights import FightLimits, play
from service.stores.jobs import DONE, FAILED, SIMULATIONS, Job
from workers.job_runner import JobProgress, JobRunner
from workers.job_turns import JobTurns
from workers.periodic import WorkerStopped

_logger: Final = structlog.get_logger()


class Simulator(JobRunner):
    """Runs simulations."""

    kind = SIMULATIONS

    def __init__(
        self,
        log: Log,
        registry: Registry,
        *,
        worker: str,
        stopping: Event,
        turns: JobTurns | None = None,
    ) -> None:
        super().__init__(log, worker=worker, stopping=stopping, turns=turns)
        self._editions = registry

    def do(self, job: Job) -> None:
        """Play every fight of one job and store the results."""
        progress, times = JobProgress(self, job), job["times"]
        limits = FightLimits(rounds=job["rounds"], commands=job["commands"])
        fights = []
        try:
            for number in range(times):
                seed = f"{job['seed']}/{number}"
                tick = lambda done=number: progress(done, times)  # noqa: E731 - bound to this fight's number
                fights.append(
                    {"fight": number, **play(self._editions, job["opening"], seed, limits, tick).data()}
                )
        except (StoreFailure, WorkerStopped):
            raise
        except Exception as fault:  # noqa: BLE001 - the job reports any fault to its sender
            _logger.error("simulation.failed", simulation=job["simulation"], error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._finish(job | {"status": FAILED, "fault": f"it could not be played: {type(fault).__name__}"})
            return
        winners = Counter(fight["winner"] or "nobody" for fight in fights)
        self._finish(job | {"status": DONE, "fights": fights, "winners": dict(sorted(winners.items()))})

    def _finish(self, job: Job) -> None:
        progress = self.progress(done=len(job.get("fights") or ()), of=job["times"])
        self.close(job | {"progress": progress})
