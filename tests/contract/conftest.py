"""Serve the API in this process, as the tests of the API do."""

from tests.api.conftest import api, log, owner, services, worker

__all__ = ["api", "log", "owner", "services", "worker"]
