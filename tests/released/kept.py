"""What is kept of a release: golden bundles, vectors, and a store with fights under way, with its backup.

Every later build must read them: audit the bundles as the release did, give the vectors their verdicts, start
on the store, decide what was left undecided, and play on. `python -m tests.released` keeps the version of
this checkout in a directory of its name.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from rewound_client import Rewound, Table
from service.cli.client import connect
from service.cli.local_service import reserved_port
from service.cli.script import sample
from tests.audit.golden import HOME as GOLDEN
from tests.cli.test_backup import key_in
from tests.cli.test_backup_command import run as ran
from tests.cli.test_serve import Served
from tests.support.offers import DICE, spelled

HOME: Final = Path(__file__).parent
VECTORS: Final = Path(__file__).parents[1] / "vectors"
STORE: Final = "store.tar.gz"
BACKUP: Final = "backup"
FIGHTS: Final = "fights.json"
COMMANDS: Final = 40
"""Commands of each fight, about."""
NOT_KEPT: Final = ("*.sock", "*.lock", "*.pid", "__pycache__")
ROLL: Final = {"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"}


@dataclass
class KeptFight:
    """A fight of the kept store: whom its tokens speak for, and what each of its lines had."""

    book: str
    encounter: str
    tokens: dict[str, str]
    commits: list[str]
    """The hashes of the commits that stood, in order."""
    is_closed: bool = False
    undecided: int | None = None
    """The number of the command that was acknowledged and not decided."""


@dataclass
class KeptStore:
    """The fights of a kept store, and the owner's API key."""

    version: str
    key: str
    fights: list[KeptFight] = field(default_factory=list)


def keep(home: Path) -> None:
    """Keep this build's release in *home*, which must not exist."""
    home.mkdir(parents=True)
    shutil.copytree(GOLDEN, home / "golden")
    shutil.copytree(VECTORS, home / "vectors")
    keep_store(home)


def keep_store(home: Path) -> None:
    """Play fights in a new store, and keep it as a machine leaves it that loses power."""
    with TemporaryDirectory(prefix="rewound-kept-") as made:
        data = Path(made) / "data"
        kept = KeptStore(version("rewound"), key_in(data))
        with serving(data) as (served, url), connect(url, kept.key) as owner:
            kept.fights = list(_fights(owner))
            run(data, "backup", "--to", str(home / BACKUP))
            _leave_undecided(served, owner, kept.fights[-1])
            _kill(served)
        with tarfile.open(home / STORE, "w:gz") as packed:
            packed.add(data, "data", filter=_kept)
    (home / FIGHTS).write_text(json.dumps(asdict(kept), indent=1) + "\n", "utf-8")


def run(data: Path, *command: str) -> str:
    """Run a command of the program on *data*; return what it printed."""
    done = ran(data, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read_store(home: Path, data: Path) -> KeptStore:
    """Lay the kept store of *home* into *data*; return what it has."""
    with tarfile.open(home / STORE) as packed:
        packed.extractall(data.parent, filter="data")
    (data.parent / "data").rename(data)
    found = json.loads((home / FIGHTS).read_text("utf-8"))
    return KeptStore(found["version"], found["key"], [KeptFight(**each) for each in found["fights"]])


@contextmanager
def serving(data: Path) -> Iterator[tuple[Served, str]]:
    """Run `rewound serve` on *data*; yield it with its address. What still runs afterwards is killed."""
    with reserved_port("127.0.0.1") as port:
        served = Served(data, "--port", str(port))
        try:
            served.wait_for("Rewound serves")
            yield served, f"http://127.0.0.1:{port}"
        finally:
            if served.process.poll() is None:
                served.stop()


def _throws(offer: Mapping[str, Any]) -> bool:
    """Return whether a person throws the dice of the command that is offered."""
    return DICE in offer.get("asks", ())


def play_on(owner: Rewound, fight: KeptFight, commands: int, chance: Random) -> int:
    """Play *commands* by what is offered to the seats; return how many were accepted.

    A fight in which nobody may do anything ends the play before.
    """
    accepted = 0
    seats = _seats(owner, fight)
    for _ in range(commands):
        offered = [
            (table, offer)
            for table in seats
            for option in table.options()["options"]
            for offer in option["commands"]
            if not _throws(offer) and offer["command"]["type"] != "close"
        ]
        if not offered:
            break
        table, offer = chance.choice(offered)
        accepted += table.send(spelled(offer, chance))["outcome"] == "accepted"
    return accepted


def hashes(table: Table) -> list[str]:
    """Return the hashes of the commits that stand."""
    return [commit["hash"] for commit in table.commits()]


def _fights(owner: Rewound) -> Iterator[KeptFight]:
    """Play one fight that ends, one with an undo, and one that is left in the middle, of both books."""
    for book in ("heartrush", "rise"):
        for how in ("closed", "undone", "left"):
            table = owner.open({**sample(book=book).seeded().opening, "title": f"{book}, {how}"})
            tokens = {
                each["seat"]: table.issue_token(each["seat"])["token"]
                for each in table.seats()
                if each["seat"] != "gm"
            }
            fight = KeptFight(book, table.encounter, tokens, [])
            chance = Random(f"{book}/{how}")
            assert play_on(owner, fight, COMMANDS, chance) > 1
            if how == "undone":
                table.undo(len(hashes(table)) // 2, "the wrong weapon")
                play_on(owner, fight, COMMANDS // 4, chance)
            if how == "closed":
                table.close("enough")
                fight.is_closed = True
            fight.commits = hashes(table)
            yield fight


def _seats(owner: Rewound, fight: KeptFight) -> list[Table]:
    table = owner.encounter(fight.encounter)
    return [table, *(table.with_token(token) for token in fight.tokens.values())]


def _leave_undecided(served: Served, owner: Rewound, fight: KeptFight) -> None:
    """Stop the workers, and have a command acknowledged that none of them decides."""
    for pid in served.processes():
        with suppress(OSError):
            if b"\0workers\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGSTOP)
    outcome = owner.encounter(fight.encounter).send(ROLL, wait_s=0)
    assert outcome["outcome"] == "pending", outcome
    fight.undecided = outcome["n"]


def _kill(served: Served) -> None:
    served.process.kill()
    for pid in served.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    served.until(lambda: not served.processes())


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what belongs to processes, and whose file it is."""
    if any(Path(member.name).match(pattern) for pattern in NOT_KEPT):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member if member.isfile() or member.isdir() else None
