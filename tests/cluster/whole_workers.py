"""Worker processes on a cluster: what `tests.workers` holds one server to."""

from tests.workers.test_processes import *  # noqa: F403 - the same tests with this package's hall
