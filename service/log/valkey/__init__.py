"""The log in a Valkey or Redis server, or in a cluster of them."""

from service.log.valkey.log import ValkeyLog

__all__ = ["ValkeyLog"]
