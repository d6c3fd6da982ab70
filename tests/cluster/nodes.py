"""A real cluster on this machine: three primaries and three replicas, each a process of its own.

It is formed through the client library, as an operator would with the server's own tool.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import redis

from service.supervisor.server import binary
from tests.support import waiting

PRIMARIES: Final = 3
SLOTS: Final = 16_384
NODE_TIMEOUT_MS: Final = 2_000
"""After so long without an answer a node counts as down, and a replica takes its place."""


def free_ports(count: int) -> list[int]:
    """Return ports on which nobody listens, each with its cluster port 10,000 above it."""
    found: list[int] = []
    with contextlib.ExitStack() as held:
        while len(found) < count:
            line = held.enter_context(socket.socket())
            line.bind(("127.0.0.1", 0))
            port = line.getsockname()[1]
            if port < 55_000:
                found.append(port)
    return found


def until(claim: Callable[[], object], what: str, within_s: float = 60.0) -> None:
    """Wait until *claim* holds, whatever a store that is down answers meanwhile; fails with *what*."""
    waiting.until(claim, what, within_s, every_s=0.02, despite=(redis.RedisError,))


@dataclass
class Node:
    """One server of the cluster."""

    port: int
    directory: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self, *, is_cluster: bool = True) -> None:
        """Start it, on the data it has."""
        self.directory.mkdir(parents=True, exist_ok=True)
        bus = ("--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS))
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(binary(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.directory),
                    *("--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"),
                    *("--save", "", "--repl-diskless-sync-delay", "0"),
                    *(bus if is_cluster else ()),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def ask(self, *command: str | int) -> Any:
        """Send one command."""
        with closing(redis.Redis(port=self.port, socket_timeout=5, decode_responses=True)) as client:
            execute: Any = client.execute_command
            return execute(*command)

    def answers(self) -> bool:
        """Tell whether it answers; start it again if a connection of anybody's had its port for a moment."""
        if not self.is_alive():
            self.start()
        return bool(self.ask("PING"))

    @property
    def id(self) -> str:
        """Its name in the cluster."""
        return str(self.ask("CLUSTER", "MYID"))

    def is_primary(self) -> bool:
        """Tell whether it takes writes."""
        return bool(self.ask("ROLE")[0] == "master")

    def follows(self, primary: Node) -> bool:
        """Tell whether it is a replica of *primary* and has caught up."""
        role = self.ask("ROLE")
        return bool(role[0] == "slave" and role[2] == primary.port and role[3] == "connected")

    def kill(self) -> None:
        """Kill it; its data stay."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def is_alive(self) -> bool:
        """Tell whether its process runs."""
        return self.process is not None and self.process.poll() is None


class Cluster:
    """Six nodes; the first three are primaries at first, each with the replica three places further on."""

    def __init__(self, directory: Path, *, replicas: int = 1) -> None:
        count = PRIMARIES * (1 + replicas)
        self.nodes = [Node(port, directory / str(port)) for port in free_ports(count)]

    @property
    def url(self) -> str:
        """The address of one node, which is enough to find the others."""
        alive = next(node for node in self.nodes if node.is_alive())
        return f"redis://127.0.0.1:{alive.port}"

    def start(self) -> None:
        """Start the nodes and make them one cluster."""
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            until(node.answers, f"{node.port} answers")
        first, *others = self.nodes
        for place, node in enumerate(self.nodes[:PRIMARIES]):
            bounds = [SLOTS * (place + step) // PRIMARIES for step in (0, 1)]
            node.ask("CLUSTER", "ADDSLOTSRANGE", bounds[0], bounds[1] - 1)
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", place + 1)
        for node in others:
            first.ask("CLUSTER", "MEET", "127.0.0.1", node.port)
        count = len(self.nodes)
        for node in self.nodes:
            until(lambda node=node: len(self._known(node)) == count, "all nodes know each other")  # type: ignore[misc]  # bound now
        for place, node in enumerate(self.nodes[PRIMARIES:]):
            node.ask("CLUSTER", "REPLICATE", self.nodes[place % PRIMARIES].id)
        self.until_well()

    def until_well(self) -> None:
        """Wait until every living node sees all slots served and every replica follows its primary."""
        for node in filter(Node.is_alive, self.nodes):
            until(lambda node=node: self._is_well(node), f"the cluster is well for {node.port}")  # type: ignore[misc]  # bound now

    def primary_of(self, slot: int) -> Node:
        """Return the node that serves *slot*."""
        asked = next(node for node in self.nodes if node.is_alive())
        for first, last, primary, *_ in asked.ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == primary[1])
        raise AssertionError(f"nobody serves slot {slot}")

    @staticmethod
    def free_port() -> int:
        """Return a port for one more node."""
        return free_ports(1)[0]

    def empty(self) -> None:
        """Delete all keys."""
        for node in self.nodes:
            if node.is_alive() and node.is_primary():
                node.ask("FLUSHALL")

    def move(self, slot: int, target: Node, *, pause_s: float = 0.0) -> None:
        """Give *slot* to *target*, key by key, as the server's own tool does; *pause_s* after each."""
        source = self.primary_of(slot)
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 1):
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", *keys)
            time.sleep(pause_s)
        for node in (target, source, *self.nodes):
            if node.is_alive() and node.is_primary():
                node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)

    def stop(self) -> None:
        """Kill every node."""
        for node in self.nodes:
            if node.is_alive():
                node.kill()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _known(self, node: Node) -> list[str]:
        return [line for line in str(node.ask("CLUSTER", "NODES")).splitlines() if "handshake" not in line]

    def _is_well(self, node: Node) -> bool:
        role = node.ask("ROLE")
        return "cluster_state:ok" in str(node.ask("CLUSTER", "INFO")) and (
            role[0] == "master" or role[3] == "connected"
        )
