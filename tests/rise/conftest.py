"""Serve the API to tests of Rise as its own tests do."""

from tests.api.conftest import api, host, log, owner, worker

__all__ = ["api", "host", "log", "owner", "worker"]
