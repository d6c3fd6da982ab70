"""Fail over again and again under load: `python -m tests.cluster [COUNT [SEED]] [--durable]`.

Each time a primary is cut off from its replica and killed, and comes back as a replica. In the replicated
mode no answered command may be lost; with `--durable` what is lost is counted. Prints how long no client had
an answer. Exit status 1 where a promise fell.
"""

from __future__ import annotations

import random
import signal
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from service.log.valkey import ValkeyLog
from tests.cluster.load import Load
from tests.cluster.nodes import Cluster, until

LAG_S = 0.3
"""How long the primary goes on without its replica before it dies."""


def fail_over(cluster: Cluster, load: Load, chance: random.Random) -> float:
    """Kill a primary whose replica lags, wait until all is well; return the longest silence (s)."""
    primary = chance.choice([node for node in cluster.nodes if node.is_primary()])
    replica = next(node for node in cluster.nodes if node.follows(primary))
    replica.signal(signal.SIGSTOP)
    primary.ask("CLIENT", "KILL", "TYPE", "replica")  # or the system would still deliver what it has taken
    time.sleep(LAG_S)
    primary.kill()
    killed = time.monotonic()
    replica.signal(signal.SIGCONT)
    until(replica.is_primary, "the replica takes over")
    primary.start()  # in the replicated mode its successor answers nothing before
    load.until_more(100)
    silence = load.longest_silence(killed)
    until(lambda: primary.follows(replica), "the old primary follows")
    cluster.until_well()
    return silence


def run(count: int, seed: int, *, replicas: int) -> bool:
    """Fail over *count* times; whether every promise held."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as directory, Cluster(Path(directory)) as cluster:
        log = ValkeyLog.connect(cluster.url, replicas=replicas)
        with closing(log), Load(log, clients=6, encounters=24) as load:
            load.until_more(200)
            silences = [fail_over(cluster, load, chance) for _ in range(count)]
        with closing(ValkeyLog.connect(cluster.url)) as log:
            found = load.check(log)
    mode = "replicated" if replicas else "durable"
    parts = (
        f"{mode}, seed {seed}: {count} failovers, {found.answered} commands answered",
        f"{len(found.lost)} of them lost, {len(found.doubled)} doubled, {len(found.gaps)} with gaps",
        f"{load.unknown} unknown and {load.unavailable} unavailable, all settled; other faults: {load.other}",
        f"seconds until the next answer: median {statistics.median(silences):.1f}, worst {max(silences):.1f}",
    )
    sys.stdout.write("; ".join(parts) + "\n")
    is_lossless = not found.lost and not found.gaps
    return (is_lossless or not replicas) and not found.doubled and not load.other


def main() -> int:
    """Run what the command line asks for."""
    counts = [int(word) for word in sys.argv[1:] if not word.startswith("--")]
    count, seed = (counts + [20, random.randrange(10**6)][len(counts) :])[:2]
    return 0 if run(count, seed, replicas=0 if "--durable" in sys.argv else 1) else 1


if __name__ == "__main__":
    sys.exit(main())
