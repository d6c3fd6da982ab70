"""Keep a cluster of three primaries with a replica each, and a server for the queue, for a service to use.

The harness is their operator: it starts a server again that was killed.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Self

from tests.cluster.nodes import Cluster, Node, until


@dataclass
class Servers:
    """The servers of one run."""

    directory: Path
    cluster: Cluster = field(init=False)
    queue: Node = field(init=False)
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def settings(self) -> Mapping[str, str]:
        """How a service is told of them: in the mode `replicated`."""
        return {
            "REWOUND_STREAMS_URL": self.cluster.url,
            "REWOUND_QUEUE_URL": self.queue_url,
            "REWOUND_REPLICAS": "1",
        }

    @property
    def queue_url(self) -> str:
        """The address of the queue's server."""
        return f"redis://127.0.0.1:{self.queue.port}/0"

    def primary(self, chance: Random) -> Node:
        """Return a primary whose replica can take its place, once every one has such a replica."""
        nodes = self.cluster.nodes
        self.cluster.until_well()
        primaries = [node for node in nodes if node.is_primary()]
        for primary in primaries:
            until(lambda primary=primary: self._followed(primary), f"a replica follows {primary.port}")  # type: ignore[misc]  # bound now
        return chance.choice(primaries)

    def bring_back(self, node: Node) -> None:
        """Start a server that was killed; a primary once its replica has its place."""
        assert node.process is not None
        node.process.wait(30)
        if node is self.queue:
            node.start(is_cluster=False)
            return
        until(lambda: self._primaries() == len(self.cluster.nodes) // 2, "a replica takes over")
        node.start()

    def _primaries(self) -> int:
        return sum(node.is_alive() and node.is_primary() for node in self.cluster.nodes)

    def _followed(self, primary: Node) -> bool:
        return any(node.is_alive() and node.follows(primary) for node in self.cluster.nodes)

    def __enter__(self) -> Self:
        self.cluster = self._stack.enter_context(Cluster(self.directory))
        self.queue = Node(Cluster.free_port(), self.directory / "queue")
        self._stack.callback(self._end_queue)
        self.queue.start(is_cluster=False)
        until(lambda: self.queue.ask("PING"), "the queue's server answers")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _end_queue(self) -> None:
        if self.queue.is_alive():
            self.queue.kill()
