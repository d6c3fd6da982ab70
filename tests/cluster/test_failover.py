"""A primary dies, a slot moves, a node is new: no answered command is lost, and no answer is a fault."""

import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from service.log import KnownKey, NotDurable, OutcomeUnknown, StoreRefused, bucket_of, keys
from service.log.valkey import ValkeyLog
from service.log.valkey.queue import check_queue, queue_client
from service.log.valkey.routing import slot_of
from tests.cluster.load import Load
from tests.cluster.nodes import PRIMARIES, Cluster, Node, until


def test_a_primary_that_dies_under_load_loses_no_answered_command(cluster: Cluster) -> None:
    """In the replicated mode; the replica lags when its primary dies."""
    with (
        closing(ValkeyLog.connect(cluster.url, replicas=1)) as log,
        Load(log, clients=6, encounters=8) as load,
    ):
        load.until_more(200)
        primary, replica = cluster.nodes[0], cluster.nodes[PRIMARIES]
        replica.signal(signal.SIGSTOP)
        primary.ask("CLIENT", "KILL", "TYPE", "replica")  # or the system would deliver what it has taken
        time.sleep(0.3)
        primary.kill()
        replica.signal(signal.SIGCONT)
        killed = time.monotonic()
        until(replica.is_primary, "the replica takes over")
        primary.start()
        load.until_more(200)
        silence = load.longest_silence(killed)

    with closing(ValkeyLog.connect(cluster.url)) as log:
        found = load.check(log)
    assert (found.lost, found.doubled, found.gaps, load.other) == ([], [], [], [])
    assert found.answered > 400
    assert silence < 20


def test_a_slot_that_moves_under_load_is_followed(cluster: Cluster) -> None:
    with closing(ValkeyLog.connect(cluster.url)) as log, Load(log, clients=4, encounters=4) as load:
        load.until_more(100)
        for encounter in sorted(load.encounters)[:4]:
            slot = slot_of(keys.head(encounter))
            source = cluster.primary_of(slot)
            target = next(node for node in cluster.nodes[:PRIMARIES] if node is not source)
            cluster.move(slot, target, pause_s=0.02)
            assert cluster.primary_of(slot) is target
        load.until_more(100)
    with closing(ValkeyLog.connect(cluster.url)) as log:
        found = load.check(log)
    assert (found.lost, found.doubled, found.gaps, load.other) == ([], [], [], [])
    assert load.unknown == 0, "a slot that moves leaves nothing unknown"


def test_a_listener_notices_that_its_slot_has_moved(cluster: Cluster) -> None:
    bucket = bucket_of("e1")
    slot = slot_of(keys.appends(bucket))
    with closing(ValkeyLog.connect(cluster.url)) as log:
        with log.listen_commands((bucket,)) as wakes:
            source = cluster.primary_of(slot)
            cluster.move(slot, next(node for node in cluster.nodes[:PRIMARIES] if node is not source))
            with pytest.raises(Exception, match="ended a subscription"):
                wakes.get(30)
        with log.listen_commands((bucket,)) as wakes:
            log.notify("e1")
            assert wakes.get(30) is not None


def test_a_new_primary_gets_the_functions(cluster: Cluster, tmp_path: Path) -> None:
    new = Node(cluster.free_port(), tmp_path / "new")
    cluster.nodes.append(new)
    new.start()
    until(lambda: new.ask("PING"), "the new node answers")
    cluster.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", new.port)
    until(lambda: all(new.id in str(node.ask("CLUSTER", "NODES")) for node in cluster.nodes), "it is known")
    cluster.until_well()
    with closing(ValkeyLog.connect(cluster.url)) as log:
        log.append("e1", b"first", scope="s", key="1", fingerprint="f", create=True)
        cluster.move(slot_of(keys.head("e1")), new)

        assert log.append("e1", b"second", scope="s", key="2", fingerprint="f").n == 2
    assert cluster.primary_of(slot_of(keys.head("e1"))) is new


def test_without_its_replica_nothing_is_answered_in_the_replicated_mode(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.log.valkey.wire.REPLICA_MS", 200)
    with closing(ValkeyLog.connect(cluster.url, replicas=1)) as log:
        log.check_durable()
        primary = cluster.primary_of(slot_of(keys.head("e1")))
        replica = cluster.nodes[cluster.nodes.index(primary) + PRIMARIES]
        replica.signal(signal.SIGSTOP)

        for _ in range(2):  # a repeat is no answer either: it is written again, and waited for
            with pytest.raises(OutcomeUnknown, match="0 of 1 replicas"):
                log.append("e1", b"first", scope="s", key="1", fingerprint="f", create=True)
        with pytest.raises(OutcomeUnknown, match="0 of 1 replicas"):
            log.find_key("e1", "s", "1")
        replica.signal(signal.SIGCONT)

        assert log.append("e1", b"first", scope="s", key="1", fingerprint="f", create=True).replayed
        assert (log.find_key("e1", "s", "1"), log.find_key("e1", "s", "2")) == (KnownKey(1, "f"), None)
        replica.kill()
        until(lambda: "state=online" not in str(primary.ask("INFO", "replication")), "the replica is missed")
        with pytest.raises(NotDurable, match="0 replicas follow it, and REWOUND_REPLICAS asks for 1"):
            log.check_durable()


def test_a_queue_on_a_cluster_is_refused(cluster_url: str) -> None:
    with queue_client(cluster_url) as client, pytest.raises(StoreRefused, match="a server of its own"):
        check_queue(client)
