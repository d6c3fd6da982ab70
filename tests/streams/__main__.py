"""Cut a hundred streams two hundred times each: `make streams`."""

from __future__ import annotations

import sys
from time import monotonic

from tests.bench import servers
from tests.streams.crowd import Encounter, follow
from tests.streams.test_streams import BEGUN, playing

CLIENTS = 100
CUTS = 200
COMMANDS = 2_000


def main() -> int:
    """Follow, cut and count; 1 where anything was missed or told twice.

    The arguments are how many clients, and the seed; fewer clients are cut 50 times each.
    """
    clients, seed = (*map(int, sys.argv[1:]), *(CLIENTS, 1)[len(sys.argv) - 1 :])
    cuts, commands = (CUTS, COMMANDS) if clients == CLIENTS else (50, 500)
    with servers.store() as running, servers.service(running) as (port, key, _):
        encounter = Encounter.opened(port, key)
        began = monotonic()
        followed = follow(
            encounter, clients, cuts=cuts, seed=seed, play=playing(encounter, commands), patience_s=900
        )
    faults = followed.faults(BEGUN + commands)
    found, took = sum(len(each) for each in followed.told), monotonic() - began
    sys.stdout.write(
        f"seed {seed}: {clients} clients, {followed.cuts:,} cuts, {found:,} commits told in {took:.0f} s: "
        f"{len(faults)} gaps or repeats\n" + "".join(f"{each}\n" for each in faults)
    )
    return 1 if faults or followed.cuts < clients * cuts else 0


if __name__ == "__main__":
    sys.exit(main())
