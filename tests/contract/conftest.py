"""Serve the API in this process, as the tests of the API do."""

from tests.api.conftest import api, host, log, owner, worker

__all__ = ["api", "host", "log", "owner", "worker"]
