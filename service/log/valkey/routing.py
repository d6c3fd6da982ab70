"""Use the nodes of a cluster as if they were one server; one server is a cluster of one.

Laws. Nothing is sent twice that may have been done. What a node did *not* do (it has given the slot away, is
moving it, is not yet a primary) is sent again to the slot's current owner, until `PATIENCE_S` is over; what
was sent and not answered is `OutcomeUnknown` at once. The commands of one call go to all their nodes
together, and to each node in their order.

redis-py's own cluster client retries what it cannot know to be undone, so only its slot function is used.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakSet

from redis import exceptions
from redis.crc import key_slot

from service.log.errors import (
    CommandRefused,
    FunctionsLost,
    LogError,
    NotPermitted,
    StoreFailure,
    StoreUnavailable,
)
from service.log.valkey.wire import (
    ANSWER_S,
    DID_NOTHING,
    Command,
    Exchange,
    Reply,
    Wire,
    raise_translated,
)

SLOTS: Final = 16_384
PATIENCE_S: Final = 8.0
"""Seconds for which a command waits for a node that serves its slot: a failover takes some seconds."""

_PAUSE_S: Final = 0.05
_NO_FUNCTION: Final = "Function not found"

_Item = tuple[int, Command]
"""A command and its place in the call."""


@lru_cache(maxsize=65_536)
def slot_of(key: str) -> int:
    """Return the slot of a key or a sharded channel."""
    return key_slot(key.encode())


def key_of(command: Command) -> str:
    """Return the first key, or the channel, that a command names."""
    return str(command[3] if command[0] == "FCALL" else command[1])


@dataclass(frozen=True, slots=True)
class _Map:
    """The owner of each slot, as one node of the cluster reported."""

    owners: tuple[str | None, ...]
    """The address of the primary of each slot."""
    primaries: frozenset[str]
    replicas: frozenset[str]


class Router(Exchange):
    """Sends each command to the node that has its key; thread-safe.

    *prepare* is called with every primary before its first use. A change is answered once *replicas* of its
    node's replicas have it.
    """

    def __init__(
        self,
        url: str,
        *,
        answer_s: float = ANSWER_S,
        patience_s: float = PATIENCE_S,
        replicas: int = 0,
        prepare: Callable[[Wire], None] = lambda _: None,
    ) -> None:
        self._seed_url = url
        self._answer_s = answer_s
        self._patience_s = patience_s
        self.wanted_replicas = replicas
        """The number of replicas that must have a change before it is answered."""
        self.prepare = prepare
        self._seed = self._wire(url)
        self.url = self._seed.url
        self.closed = 0
        """How often all connections were closed; a change shows a caller that its connection is closed."""
        self.subscribers: WeakSet[Any] = WeakSet()
        """Subscribers to interrupt when all connections are closed."""
        self._lock = Lock()
        self._wires: dict[str, Wire] = {}
        self._prepared: set[str] = set()
        self._map: _Map | None = None
        self._is_cluster: bool | None = None

    # --- what a caller asks ------------------------------------------------------------------------------

    def node_of(self, key: str) -> Wire:
        """Return the wire to the primary that has *key* by the current map; raise `StoreUnavailable`."""
        return self._owner(slot_of(key)) if self.is_cluster() else self._seed

    def by_slot(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Split *names* of keys or channels into groups that one command may name together."""
        if not self.is_cluster():
            return [names] if names else []
        by_slot: dict[int, list[str]] = defaultdict(list)
        for name in names:
            by_slot[slot_of(name)].append(name)
        return list(by_slot.values())

    def is_cluster(self) -> bool:
        """Return whether the server is in a cluster; the first call asks and may raise `StoreUnavailable`."""
        if self._is_cluster is None:
            try:
                self.refresh()
            except NotPermitted as error:  # a user of a single server need not be allowed to ask
                if not isinstance(error.__cause__, exceptions.NoPermissionError):
                    raise
                self._is_cluster = False
            except CommandRefused as error:
                if "cluster support disabled" not in str(error):
                    raise
                self._is_cluster = False
            else:
                self._is_cluster = True
        return self._is_cluster

    def primaries(self) -> list[Wire]:
        """Return a wire to each primary; a single server is one."""
        if not self.is_cluster():
            return [self._seed]
        assert self._map is not None
        return [self._wire_to(address) for address in sorted(self._map.primaries)]

    def replicas(self) -> list[Wire]:
        """Return a wire to each replica that the cluster counts."""
        if not self.is_cluster():
            return []
        assert self._map is not None
        return [self._wire_to(address) for address in sorted(self._map.replicas)]

    def wires_to(self, addresses: Sequence[str]) -> list[Wire]:
        """Return a wire to each of *addresses*, with the user and the password of this one."""
        return [self._wire_to(address) for address in addresses]

    def close(self) -> None:
        """Close all connections, even those in use; the next call opens new ones."""
        self.closed += 1  # first: a caller that finds its connection closed reads the reason here
        for wire in (self._seed, *self._wires.values()):
            wire.close()
        for subscriber in tuple(self.subscribers):
            subscriber.interrupt()

    # --- the map of slots --------------------------------------------------------------------------------

    def refresh_if_cluster(self) -> None:
        """Read the map of slots again if there is more than one server."""
        if self._is_cluster:
            self.refresh()

    def refresh(self) -> None:
        """Read the map of slots again; raise `StoreUnavailable` if no node answers."""
        failure: StoreFailure | None = None
        for wire in (*self._wires.values(), self._seed):
            try:
                found = self._parse(wire.read("CLUSTER", "SLOTS"))
            except StoreFailure as fault:
                failure = fault
                continue
            self._map = found
            for address in found.primaries - self._prepared:
                self._prepare(address)
            return
        assert failure is not None, "the seed was asked"
        raise failure

    def _prepare(self, address: str) -> None:
        """Prepare a primary that is new here."""
        try:
            self.prepare(self._wire_to(address))
        except LogError:
            return  # it is down, or this user may not prepare it: another process will
        self._prepared.add(address)

    def _parse(self, ranges: Reply) -> _Map:
        owners: list[str | None] = [None] * SLOTS
        replicas: set[str] = set()
        for first, last, primary, *others in ranges:
            address = self._address(primary)
            owners[first : last + 1] = [address] * (last + 1 - first)
            replicas |= {self._address(each) for each in others}
        primaries = frozenset(address for address in owners if address is not None)
        return _Map(tuple(owners), primaries, frozenset(replicas) - primaries)

    def _address(self, node: Reply) -> str:
        """Return host:port; a node that does not know its own address is the one that was asked."""
        host, port = node[0], node[1]
        return f"{host.decode() if host else urlsplit(self._seed_url).hostname}:{port}"

    def _owner(self, slot: int) -> Wire:
        assert self._map is not None, "a cluster is known by its map"
        address = self._map.owners[slot]
        if address is None:
            raise StoreUnavailable(f"{self.url} does not serve: no node has slot {slot}")
        return self._wire_to(address)

    def _wire_to(self, address: str) -> Wire:
        wire = self._wires.get(address)
        if wire is None:
            with self._lock:
                wire = self._wires.get(address) or self._wire(self._url_of(address))
                self._wires = {**self._wires, address: wire}  # others iterate over the old one
        return wire

    def _wire(self, url: str) -> Wire:
        return Wire(url, answer_s=self._answer_s, replicas=self.wanted_replicas)

    def _url_of(self, address: str) -> str:
        parts = urlsplit(self._seed_url)
        user, at, _ = parts.netloc.rpartition("@")
        scheme = "redis" if parts.scheme == "unix" else parts.scheme
        return urlunsplit((scheme, f"{user}{at}{address}", "", parts.query, ""))

    # --- sending -----------------------------------------------------------------------------------------

    def _exchange(self, commands: Sequence[Command], *, changes: bool) -> list[Reply]:
        if not self.is_cluster():
            return self._exchange_with_one(commands, changes=changes)
        call = _Call(self, commands, changes=changes)
        ends = time.monotonic() + self._patience_s
        while faults := call.go_on():
            if time.monotonic() > ends:
                raise_translated(faults[0], self.url, changes=False)
            self._learn(faults)
        return call.replies

    def _exchange_with_one(self, commands: Sequence[Command], *, changes: bool) -> list[Reply]:
        """Send *commands* to the only server, after its functions were installed again if it lost them."""
        send = self._seed.change_all if changes else self._seed.read_all
        try:
            return send(commands)
        except FunctionsLost:
            with suppress(LogError):  # this user may not install them: another process will
                self.prepare(self._seed)
            if len(commands) > 1:  # others of them may have been done
                raise
        return send(commands)

    def _learn(self, faults: Sequence[Exception]) -> None:
        """Prepare another attempt at what was not done."""
        if not all(isinstance(fault, exceptions.MovedError) for fault in faults):
            time.sleep(_PAUSE_S)
        try:
            self.refresh()
        except StoreFailure:
            time.sleep(_PAUSE_S)

    def ask(self, redirect: exceptions.AskError, command: Command, *, changes: bool) -> Reply:
        """Send this command alone to the node to which its slot is being moved."""
        address = f"{redirect.host}:{redirect.port}"
        if address not in self._prepared:
            self._prepare(address)
        wire = self._wire_to(address)
        try:
            line = wire.send((("ASKING",), command), changes=changes)
            return wire.receive(line, 2, changes=changes)[1]
        except StoreUnavailable as fault:
            return fault


class _Call:
    """The commands of one call, until each is answered."""

    def __init__(self, router: Router, commands: Sequence[Command], *, changes: bool) -> None:
        self._router = router
        self._changes = changes
        self._undone: list[_Item] = list(enumerate(commands))
        self._faults: list[Exception] = []
        self.replies: list[Reply] = [None] * len(commands)

    def go_on(self) -> list[Exception]:
        """Send the commands that are not done to all nodes at once; return the faults of those that failed.

        Raises for the first command that failed finally.
        """
        items, self._undone, self._faults = self._undone, [], []
        failure: Exception | None = None
        sent: list[tuple[Wire, list[_Item], Any]] = []
        for wire, mine in self._by_node(items):
            try:
                line = wire.send([command for _, command in mine], changes=self._changes)
                sent.append((wire, mine, line))
            except StoreUnavailable as fault:
                self._leave(mine, fault)
            except StoreFailure as fault:
                failure = failure or fault
        for wire, mine, line in sent:  # read all, or a later call would take their replies for its own
            try:
                answers = wire.receive(line, len(mine), changes=self._changes)
                failure = failure or self._take(mine, answers)
            except StoreUnavailable as fault:
                self._leave(mine, fault)
            except StoreFailure as fault:
                failure = failure or fault
        if failure is not None:
            raise_translated(failure, self._router.url, changes=self._changes)
        return self._faults

    def _by_node(self, items: Sequence[_Item]) -> list[tuple[Wire, list[_Item]]]:
        by_node: dict[Wire, list[_Item]] = {}
        for item in items:
            try:
                by_node.setdefault(self._router.node_of(key_of(item[1])), []).append(item)
            except StoreUnavailable as fault:
                self._leave([item], fault)
        return list(by_node.items())

    def _take(self, items: Sequence[_Item], answers: Sequence[Reply]) -> Exception | None:
        """Store the replies; return the first error of a command that failed finally."""
        failure: Exception | None = None
        for (place, command), first in zip(items, answers, strict=True):
            is_redirect = isinstance(first, exceptions.AskError) and not isinstance(
                first, exceptions.MovedError
            )
            answer = self._router.ask(first, command, changes=self._changes) if is_redirect else first
            if _is_undone(answer):
                self._leave([(place, command)], answer)
            elif isinstance(answer, Exception):
                failure = failure or answer
            else:
                self.replies[place] = answer
        return failure

    def _leave(self, items: Sequence[_Item], fault: Exception) -> None:
        """Record that none of *items* was done."""
        self._undone += items
        self._undone.sort(key=lambda item: item[0])
        self._faults.append(fault)


def _is_undone(answer: Reply) -> bool:
    """Return whether a node's reply means that it did nothing and another attempt may succeed."""
    return isinstance(answer, (*DID_NOTHING, exceptions.AskError, StoreUnavailable)) or (
        isinstance(answer, exceptions.ResponseError) and _NO_FUNCTION in str(answer)
    )
