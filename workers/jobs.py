"""Run what is on the list and nothing else.

RQ resolves dotted names that stand in job data, so whoever can write to its server could have any function of
this process called. Our jobs know a handful of names; callbacks, webhooks, retries and results that job data
asks for are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rq.job import Job

Function = Callable[..., object]


class FunctionNotAllowed(Exception):
    """Say that a job names a function that is on no list; the name is a stranger's text, and not repeated."""

    def __init__(self, job: str) -> None:
        super().__init__(f"job {job} names a function that is not allowed")


def allowing(functions: Mapping[str, Function]) -> type[Job]:
    """Return a class of jobs that can call *functions*, by their names in job data, and nothing else."""

    class AllowedJob(Job):
        def restore(self, raw_data: Any) -> Any:  # noqa: ANN401 - as RQ declares it
            super().restore(raw_data)
            self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
            self.webhooks = []
            self.retries_left = self.repeats_left = None
            self._dependency_ids = []
            self.timeout = -1
            self.result_ttl = 0

        @property
        def func(self) -> Function:
            function = functions.get(self.func_name or "")
            if function is None or self.instance is not None:
                raise FunctionNotAllowed(self.id)
            return function

    return AllowedJob
