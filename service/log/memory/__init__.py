"""The log in plain dictionaries, for tests, offline replay and benchmarks."""

from service.log.memory.log import MemoryLog

__all__ = ["MemoryLog"]
