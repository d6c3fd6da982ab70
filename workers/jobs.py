"""Run only the allowed functions as RQ jobs.

RQ resolves dotted names in job data, so anybody who can write to its server could call any function of this
process. Our jobs know a few names only, and ignore callbacks, webhooks, retries and results in job data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rq.job import Job

Function = Callable[..., object]


class FunctionNotAllowed(Exception):
    """A job names a function that is not allowed. The name is untrusted text, so the message omits it."""

    def __init__(self, job: str) -> None:
        super().__init__(f"job {job} names a function that is not allowed")


def allowing(functions: Mapping[str, Function]) -> type[Job]:
    """Return a class of RQ jobs that can call only *functions*, by their names in job data."""

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
