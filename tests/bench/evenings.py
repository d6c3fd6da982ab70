"""Measure how long a reader waits: thirty fights judged together, and one long fight whose seats sign all."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from service.record.commit import Request, SeatSignature
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import statement
from service.rules.registry import ruleset_of
from tests.audit.games import signed_throughout, written
from tests.bench import fights
from tests.bench.table import TURNS, Row, median, section
from tests.support.javascript_verifier import NODE, ROOT
from tests.support.recorded_fight import Record
from tests.support.tiny_table import SIGNER, eid

FIGHTS: Final = 30
COMMANDS: Final = 75
LONG: Final = 2_000
THIRTY: Final = "thirty fights, rewound verify"
SIGNED: Final = "2,000 signed commits, the verifier in JavaScript"
SECRET: Final = b"s" * 32
KEY: Final = public_key(SECRET).hex()
REWOUND: Final = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')", "verify")
VERIFIER: Final = (str(NODE), str(ROOT / "clients" / "javascript" / "verify.mjs"), "--without-rules")


_STARTS: Final = """
import os, sys, time
began = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
assert status == 0, sys.argv
print(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
"""


class SignedRecord(Record[Any]):
    """A fight of which the gm signs each command, once its seat has a key."""

    def signed(self, request: Request) -> Request:
        if not self.written or self.folded.state.seats["gm"].key is None:
            return request
        unsigned = SeatSignature(f"k-{len(self.written)}", 0, len(self.written), self.folded.hash, "")
        value = sign_bytes(statement(request, unsigned), SECRET).hex()
        return replace(request, signed=replace(unsigned, value=value))


def bundle_of(number: int, commands: int) -> bytes:
    """Return the bundle of a closed fight of so many commands, each signed by its seat."""
    record = SignedRecord(ruleset_of("heartrush@1"), number, encounter=eid(number))
    assert record.send("open", "gm", record.opening(fights.opening())) is None
    assert record.send("set_seat_key", "gm", {"seat": "gm", "key": KEY}) is None
    for command in (*fights.BEGIN, *islice(fights.engagements(), commands)):
        data = dict(command)
        refusal = record.send(data.pop("type"), "gm", data)
        assert refusal is None, refusal
    assert record.send("close", "gm", {"reason": "enough"}) is None
    return written(signed_throughout(record.evidence()))


class Used(NamedTuple):
    """What a command used."""

    wall_s: float
    cpu_s: float
    memory_mib: float


def used(*words: str) -> Used:
    """Return what a command used, which finds nothing wrong.

    A small process starts it: the memory of whoever starts a process counts as its own.
    """
    done = run(
        (sys.executable, "-S", "-c", _STARTS, *words), capture_output=True, text=True, cwd=ROOT, check=True
    )
    return Used(*map(float, done.stdout.split()[-3:]))


@section("An evening")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure each *times* times in turn and return the medians."""
    found: dict[str, list[Used]] = {}
    with TemporaryDirectory() as home:
        evening, long = Path(home) / "evening", Path(home) / "long.jsonl"
        evening.mkdir()
        for number in range(1, FIGHTS + 1):
            (evening / f"{number}.jsonl").write_bytes(bundle_of(number, COMMANDS))
        (evening / "keys.txt").write_text(f"{SIGNER.public.hex()}\n", "utf-8")
        long.write_bytes(bundle_of(1, LONG))
        held = (str(long), "--key", SIGNER.public.hex())
        work = {
            THIRTY: (*REWOUND, str(evening)),
            "thirty fights, the verifier in JavaScript": (*VERIFIER, str(evening)),
            "2,000 signed commits, rewound verify": (*REWOUND, *held),
            "2,000 signed commits, rewound verify --without-rules": (*REWOUND, *held, "--without-rules"),
            SIGNED: (*VERIFIER, *held),
        }
        for _ in range(times):
            for what, words in work.items():
                found.setdefault(what, []).append(used(*words))
    aims = {THIRTY: 6.0, SIGNED: 2.0}
    return [
        *(
            Row(what, median(each.wall_s for each in values), "s", aims.get(what), most=True)
            for what, values in found.items()
        ),
        *(Row(f"{what}: CPU", median(each.cpu_s for each in values), "s") for what, values in found.items()),
        *(
            Row(f"{what}: memory", median(each.memory_mib for each in values), "MiB")
            for what, values in found.items()
        ),
    ]
