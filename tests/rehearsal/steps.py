"""The steps of the rehearsal, in the order in which an operator meets them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any, Final

from service.audit.report import EQUAL, NOT_COMPARED
from tests.cluster.nodes import until
from tests.nemesis import history as histories
from tests.nemesis import showing
from tests.nemesis.checker import check
from tests.nemesis.clients import Fight, Table
from tests.nemesis.disk import mounted
from tests.nemesis.history import History
from tests.nemesis.http import HOST
from tests.nemesis.run import versions_read
from tests.nemesis.sender import Scene
from tests.nemesis.tree import Process
from tests.rehearsal.builds import CRASHES, changed_build, this_build
from tests.rehearsal.topology import APIS, STORES, WORKERS, Topology, make_secrets
from tests.rehearsal.watch import Watch
from tests.support.webhook_receiver import NETWORK, Receiver, receiver
from workers.groups import SETTLE_S

BOOKS: Final = ("heartrush@1", "rise@1")
DUEL: Final = {
    "edition": "duel@1",
    "fighters": ["ann", "bo"],
    "seats": [{"seat": "ann", "creatures": ["ann"]}, {"seat": "bo", "creatures": ["bo"]}],
}
STREAMS: Final = 12
"""Streams that one API process may keep open here; two processes serve one address."""
STEPS: Final = ("backup", "kill", "upgrade", "keys", "late", "disk", "limits", "restore")
OF_WITNESSES: Final = (
    "RewoundPublicLogDisputed",
    "RewoundPublicLogLate",
    "RewoundWitnessContradicts",
    "RewoundWitnessAway",
)
"""Not brought about here, because the topology has no witness; `tests/api/test_alerts.py` does it."""
FULL_S: Final = 20.0
LOG: Final = 6_000_000
"""The size of the log from which an eighth of it takes longer to fill than two scrapes."""
BLOCK: Final = 16_384
EXT4_KEEPS: Final = 4_096
"""Blocks that ext4 counts as free, and keeps for itself (`reserved_clusters`)."""
LATE_S: Final = 2_000.0


class Store:
    """The log's server as the disk's faults look for it."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology

    def of(self, role: str) -> list[Process]:
        """Return the process of the server."""
        process = self._topology.parts["streams"].process
        return [] if process is None else [Process(process.pid, os.getpid(), role)]


@dataclass
class Rehearsal:
    """One rehearsal in a directory of its own."""

    directory: Path
    say: Callable[[str], None]
    steps: Sequence[str] = STEPS
    began: float = field(default_factory=time.monotonic)
    scenes: list[Scene] = field(default_factory=list)
    closed_before: set[str] = field(default_factory=set)
    """Encounters that were closed before the last change of builds. Their stored state may be another
    build's, which no audit compares."""

    def go(self) -> None:
        """Deploy and play, do the steps, and judge all of it in the end."""
        steps = {
            "backup": self._back_up,
            "kill": self._kill,
            "upgrade": self._upgrade,
            "keys": self._change_keys,
            "late": self._run_late,
            "disk": self._fill_the_disk,
            "limits": self._use_up,
        }
        with ExitStack() as stack:
            self._begin(stack)
            stack.callback(self._end_play)  # players that go on would keep the process
            self._load()
            for name, step in steps.items():
                if name in self.steps:
                    step()
            self._judge()
            if "restore" in self.steps:
                self._lose_everything(stack)
            missing = set(self.watch.rules) - self.watch.seen - set(OF_WITNESSES)
            self._line(
                "alerts", f"{len(self.watch.seen)} of {len(self.watch.rules)} were brought about and read"
            )
            assert not missing or set(self.steps) < set(STEPS), f"not read: {sorted(missing)}"
        self._line("end", f"everything held: {', '.join(self.steps)}")

    def _line(self, what: str, text: str) -> None:
        self.say(f"{time.monotonic() - self.began:6.0f} s  {what:<10} {text}")

    def _alert(self, name: str, *, holds: bool = True, within_s: float = 240.0) -> None:
        took = self.watch.until(name, holds=holds, within_s=within_s)
        self._line("alert", f"{name} {'holds' if holds else 'ends'} ({took:.0f} s)")

    # --- deploy ------------------------------------------------------------------------------------------

    def _begin(self, stack: ExitStack) -> None:
        disk = self.disk = stack.enter_context(mounted(self.directory))
        self.hook: Receiver = stack.enter_context(receiver())
        clock = self.directory / "clock"
        clock.write_text("0", "ascii")
        self.clock = clock
        self.a, self.b = (
            this_build(self.directory / "build-a"),
            changed_build(self.directory / "build-b"),
        )
        volumes = {"streams": disk.home, "backups": self.directory / "backups"}
        extra = {
            "REWOUND_API_STREAMS": str(STREAMS),
            "REWOUND_RATE_LIMIT": "0",
            "REWOUND_OWNER_RATE_LIMIT": "0",
            "REWOUND_WEBHOOK_NETWORKS": NETWORK,
        }
        first = self.a if "upgrade" in self.steps else self.b  # later steps use what the new build has
        secrets = self.directory / "secrets"
        make_secrets(secrets)
        self.topology = Topology(self.directory / "one", first, secrets, clock, volumes=volumes, extra=extra)
        stack.enter_context(self.topology)
        self.topology.up()
        self.key = self.old_key = self.topology.operate("keys", "create", "table", service="api")
        self.operator = self.topology.operate("keys", "create", "watch", "--operator", service="api")
        self._line("deploy", f"compose's services as processes, the streams on {disk.kind}")
        found = json.loads(self.topology.operate("doctor", "--json"))
        faults = [each for each in found if each["state"] == "fault"]
        assert not faults, faults
        warnings = [each["what"] for each in found if each["state"] == "warning"]
        self._line("doctor", f"{len(found)} findings, no fault; warnings: {', '.join(warnings) or 'none'}")
        self.watch = stack.enter_context(Watch(self.topology.ports[APIS[0]], self.operator))
        assert self.watch.firing() == set(), self.watch.firing()

    def reader(self, api: str = APIS[0], key: str = "") -> showing.Reader:
        """Return who asks an API process."""
        return showing.Reader(self.topology.ports[api], key or self.key)

    def _load(self) -> None:
        self.history = History(self.directory / "history.jsonl")
        self.scenes = [
            Scene(self.history, self.topology.ports[api], self.key, f"rehearsal-{api}") for api in APIS
        ]
        self.tables = [
            Table(scene, f"t{i}-{book[0]}", book) for i, scene in enumerate(self.scenes) for book in BOOKS
        ]
        for table in self.tables:
            table.start()
        until(lambda: all(table.fight is not None for table in self.tables), "play begins", 300)
        hook = self.reader().ask("POST", "/v1/webhooks", {"url": self.hook.url}, ok=(201,))
        self.hook_secret = hook.data["secret"]
        self._goes_on("load", f"{len(self.tables)} tables of both books play through two API processes")

    def _goes_on(self, what: str, text: str, more: int = 8) -> None:
        """Wait until each scene has acknowledged something new, and say so."""
        before = [sum(scene.acked.values()) for scene in self.scenes]
        ends = time.monotonic() + 300
        for scene, had in zip(self.scenes, before, strict=True):
            while sum(scene.acked.values()) < had + more:
                assert time.monotonic() < ends, f"{what}: play does not go on"
                time.sleep(0.1)
        self._line(what, f"{text}; {self.history.count('ok')} requests acknowledged")

    # --- back up, kill -----------------------------------------------------------------------------------

    def _back_up(self) -> None:
        made = self.topology.operate(
            "backup", "--to", str(self.topology.volume("backups")), "--encrypt", "--keep", "3"
        )
        self._goes_on("backup", made)

    def _kill(self) -> None:
        self.watch.mark()
        for name in (*WORKERS, *WORKERS):
            self.topology.kill(name)
            self.topology.until_back(name)
        self._alert("RewoundWorkersRestart")
        for _ in range(6):
            self._kill_one_process_of(APIS[0])
        self._alert("RewoundApiRestarts")
        self.topology.stop("streams")
        self._alert("RewoundStoreDown")
        self.topology.start("streams")
        self._alert("RewoundStoreDown", holds=False)
        self.topology.stop(APIS[0])
        self._alert("RewoundDown")
        self.topology.start(APIS[0])
        self._alert("RewoundDown", holds=False)
        for name in (*APIS, *WORKERS, "queue", "streams"):
            self.topology.kill(name)
        for name in (*APIS, *WORKERS, "queue", "streams"):
            self.topology.until_back(name)
        self._goes_on("kill", "everything was killed one by one and at once, and came back by itself")

    def _kill_one_process_of(self, api: str) -> None:
        """Kill one of gunicorn's processes."""
        started = self.watch.value("rewound_api_starts_total")
        serve = self.topology.parts[api].process
        assert serve is not None
        (master,) = (pid for pid in _children(serve.pid) if b"gunicorn" in _line_of(pid))
        os.kill(_children(master)[0], signal.SIGKILL)
        until(lambda: self.watch.value("rewound_api_starts_total") > started, "another process starts")

    # --- upgrade and roll back ---------------------------------------------------------------------------

    def _upgrade(self) -> None:
        self.topology.restart(WORKERS[0], build=self.b)
        self.topology.restart(APIS[0], build=self.b)
        libraries = self._libraries()
        assert len(libraries) == 2, libraries
        self._goes_on(
            "upgrade", f"one worker and one API of each build, functions {' and '.join(libraries)}", 40
        )
        old, new = WORKERS[1], WORKERS[0]
        for stopped, build in ((old, "new"), (new, "old"), (old, "new")):
            self.topology.stop(stopped)
            self._goes_on("upgrade", f"the {build} build alone decides the open encounters", 20)
            self.topology.start(stopped, self.a if stopped == old else self.b)
            self.topology.until_well(stopped)
        self.topology.roll(self.b)
        self._goes_on("upgrade", "all parts are the new build", 20)
        duel = Duel(self.reader(APIS[1]))
        self._line("upgrade", "an encounter of an edition that only the new build has is open")
        self.watch.mark()
        duel.choose("ann", CRASHES)
        duel.choose("bo", "cut")  # its decision raises an exception, three times
        self._alert("RewoundQuarantine")
        self.reader().ask("GET", "/v1/usage", ok=(500,))
        self._alert("RewoundServerErrors")
        other = Duel(self.reader(APIS[1]))
        other.choose("ann", "cut")
        self.topology.stop(*WORKERS)
        waiting = other.choose("bo", "thrust")
        self.topology.roll(self.a)
        self._goes_on("roll back", "all parts are the old build again", 40)
        answer = self.reader().ask("GET", other.at, ok=(503,))
        self._line(
            "roll back", f"the encounter of the new edition is answered {answer.status} {_code(answer)}"
        )
        self.topology.roll(self.b)
        self.topology.build = self.b
        fights = [fight for table in self.tables for fight in table.fights]
        self.closed_before = {fight.encounter for fight in fights if fight.closed.is_set()}
        outcome = other.outcome(waiting)
        assert outcome == "accepted", outcome
        self._goes_on("upgrade", f"the new build again; a command of its edition that waited: {outcome}", 20)

    def _libraries(self) -> list[str]:
        found: Any = self.topology.ask("streams", "FUNCTION", "LIST")
        return sorted(re.findall(r"rewound_\d+\b(?!_)", repr(found)))

    # --- keys and passwords ------------------------------------------------------------------------------

    def _change_keys(self) -> None:
        before = self.topology.operate("keys", "signing", service="worker")
        public = self.topology.operate("keys", "rotate", service="worker")
        after = self.topology.operate("keys", "signing", service="worker")
        assert public in after
        assert public not in before
        self._goes_on("keys", "the signing key is rotated, while both workers run")

        id_ = self.key.split("_")[1]
        made = self.reader().ask("POST", f"/v1/api-keys/{id_}/rotation", {"overlap_s": 3_600}, ok=(201,)).data
        self.key = made["text"]
        self.reader().ask("GET", "/v1/encounters")
        for scene in self.scenes:
            scene.key = self.key
        self._goes_on("keys", "the API key is rotated; the old one is valid for an hour more")

        for step in ("add", "use", "reseal", "drop"):
            printed = self.topology.operate("keys", "secret", step)
            if step != "reseal":
                (given,) = re.findall(r"^REWOUND_SECRET_KEY=(\S+)$", printed, re.MULTILINE)
                (self.topology.secrets / "secret-key").write_text(given, "ascii")
                self.topology.roll()
            self._goes_on("keys", f"secret key: {step}")
        self._back_up()  # an older backup needs the key that was dropped

        make_secrets(self.topology.secrets, "change")
        self.topology.restart(*STORES)  # both passwords are valid
        self.topology.roll()
        make_secrets(self.topology.secrets, "finish")
        self.topology.restart(*STORES)
        self._goes_on("keys", "all passwords of both stores are changed")

    # --- what is late, full or used up -------------------------------------------------------------------

    def _run_late(self) -> None:
        table = self.tables[0]
        assert table.fight is not None
        self.hook.answer = lambda _: 500
        self._goes_on("late", "the receiver of webhooks fails", 20)
        self.topology.stop(*WORKERS)
        self._alert("RewoundNoWorker")
        self.reader().ask("POST", f"{table.fight.at}/audits", {})
        self._alert("RewoundFoldLate")
        self.clock.write_text(str(LATE_S), "ascii")
        late = Watch(self.topology.ports[APIS[1]], self.operator)
        with late:
            for name in ("RewoundJobsLate", "RewoundWebhooksLate"):
                took = late.until(name, holds=True)
                self.watch.seen.add(name)
                self._line("alert", f"{name} holds ({took:.0f} s), by a clock that is ahead")
        self.clock.write_text("0", "ascii")
        self.hook.answer = lambda _: 200
        for name in WORKERS:
            self.topology.start(name)
        self._alert("RewoundNoWorker", holds=False)
        self._alert("RewoundFoldLate", holds=False)
        self._goes_on("late", "the workers are back, and what waited is decided")

    def _fill_the_disk(self) -> None:
        before = self.history.count("ok")
        if self.disk.kind != "limit":
            with self._little_room():
                self.topology.ask("streams", "BGREWRITEAOF")
                self._alert("RewoundStoreNotRewritten")
            self.topology.until_well("streams")
            self.topology.ask("streams", "BGREWRITEAOF")
            self._alert("RewoundStoreNotRewritten", holds=False)
        filling = Thread(target=self.disk.fill, args=(Store(self.topology), FULL_S), daemon=True)
        filling.start()  # the server ends itself, and is started again and again
        self._alert("RewoundStoreDown")
        refused = sum(entry["do"] == "fail" for entry in histories.read(self.history.path))
        filling.join()
        self.topology.until_well("streams")
        self._alert("RewoundStoreDown", holds=False)
        self._goes_on("disk", f"the disk was full ({before} acknowledged before, {refused} refused in all)")

    @contextmanager
    def _little_room(self) -> Iterator[None]:
        """Leave the disk room for what is appended in a few seconds, and none for the log a second time."""
        until(lambda: self._log_bytes() > LOG, "the log is large enough to be seen failing", 900)
        log = self._log_bytes()
        ballast = self.disk.home.parent / "most-of-it"
        try:
            with ballast.open("wb", buffering=0) as file:  # bit by bit: the disk must never be full here
                os.posix_fallocate(file.fileno(), 0, max(1, self._room() - 16_000_000))
                file.seek(0, os.SEEK_END)
                while self._room() > min(log // 8, 1_000_000) + BLOCK:
                    file.write(b"\0" * BLOCK)
            yield
        finally:
            ballast.unlink(missing_ok=True)

    def _log_bytes(self) -> int:
        return sum(each.stat().st_size for each in self.disk.home.rglob("*.aof"))

    def _room(self) -> int:
        """Return the bytes that can still be written to the disk."""
        found = os.statvfs(self.disk.home.parent)
        kept = EXT4_KEEPS if self.disk.kind == "ext4" else 0
        return (found.f_bfree - kept) * found.f_bsize

    def _use_up(self) -> None:
        admin = self.topology.admin("streams")
        used = int(dict(admin.info("memory"))["used_memory"])
        limit = admin.config_get("maxmemory")["maxmemory"]
        admin.config_set("maxmemory", int(used * 1.18))
        self._alert("RewoundStoreNearlyFull")
        admin.config_set("maxmemory", str(limit))
        self._alert("RewoundStoreNearlyFull", holds=False)

        self.watch.mark()
        small = self.topology.operate("keys", "create", "small", service="api")
        self.topology.operate("owners", "quotas", small.split("_")[1], "--encounters", "1")
        reader = self.reader(key=small)
        reader.ask("POST", "/v1/encounters", DUEL, ok=(201,))
        until(
            lambda: reader.ask("POST", "/v1/encounters", DUEL, ok=(201, 507)).status == 507,
            "the quota is kept",
        )
        self._alert("RewoundRefusals")

        with ExitStack() as open_streams:
            for fight in (table.fight for table in self.tables):
                assert fight is not None
                for _ in range(STREAMS):
                    open_streams.enter_context(self._stream(fight))
            self._alert("RewoundStreamsNearlyFull")
        self._alert("RewoundStreamsNearlyFull", holds=False)

    @contextmanager
    def _stream(self, fight: Fight) -> Iterator[None]:
        """Keep one stream open at the first API process."""
        with socket.create_connection((HOST, self.topology.ports[APIS[0]]), timeout=5) as line:
            line.sendall(
                f"GET {fight.at}/commits HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n"
                f"Authorization: Bearer {self.key}\r\n\r\n".encode()
            )
            yield

    # --- the end -----------------------------------------------------------------------------------------

    def _end_play(self) -> None:
        for scene in self.scenes:
            scene.over.set()

    def _judge(self) -> None:
        """Let every client come to its end, and compare what each received with the record."""
        self._end_play()
        until(lambda: not any(table.is_playing for table in self.tables), "players come to their end", 300)
        reader = self.reader()
        for table in self.tables:
            for fight in table.fights:
                until(fight.closed.is_set, f"{fight.encounter} is closed", 60)
                table.follow_to(fight, reader.ask("GET", fight.at).data["appended"])
        left = [name for table in self.tables for name in table.join(60)]
        assert not left, left
        self.history.close()
        time.sleep(3 * SETTLE_S)  # then the workers have stored the state of each, which audits compare
        history = list(histories.read(self.history.path))
        played = {fight.encounter for table in self.tables for fight in table.fights}
        shown = showing.shown(reader, {}, versions_read(history), played)
        for encounter in self.closed_before & shown.keys():
            if shown[encounter].live_state == NOT_COMPARED:
                shown[encounter] = replace(shown[encounter], live_state=EQUAL)
        violations = check(history, shown)
        assert not violations, f"{len(violations)} violations, as {violations[:3]}"
        commits = sum(len(each.log) for each in shown.values())
        audits = sorted({each.audit for each in shown.values()})
        self._line(
            "judge", f"{len(shown)} encounters, {commits} commits, no violation, audits: {', '.join(audits)}"
        )
        ends = time.monotonic() + 300
        while missed := self._undelivered():
            assert time.monotonic() < ends, f"commits that the webhook did not get: {missed[:5]}"
            time.sleep(5)
        self._line("judge", f"{len(self.hook.came)} attempts at webhooks, every commit came, signed")
        broken = [
            line
            for name in (*WORKERS, *APIS)
            for line in self.topology.parts[name].said().splitlines()
            if b'"thread.failed"' in line or b'"loop.failed"' in line
        ]
        assert not broken, broken[:3]

    def _undelivered(self) -> list[tuple[str, int]]:
        """Return the commits that the webhook did not take; each that it took has a valid signature."""
        delivered: dict[str, set[int]] = defaultdict(set)
        for each in self.hook.signed(self.hook_secret):
            delivered[each["data"]["encounter"]].add(each["data"]["n"])
        assert delivered
        return sorted((name, n) for name, ns in delivered.items() for n in set(range(min(ns), max(ns))) - ns)

    def _lose_everything(self, stack: ExitStack) -> None:
        """Kill all, and restore the newest backup elsewhere, with the keys and the newest signing memory."""
        one = self.topology
        one.crash()
        two = Topology(
            self.directory / "two",
            one.build,
            one.secrets,
            self.clock,
            volumes={"backups": one.volume("backups")},
            extra=one.extra,
        )
        for volume in ("workers", "signing-memory"):
            shutil.copytree(one.volume(volume), two.volume(volume), dirs_exist_ok=True)
        stack.enter_context(two)
        for name in STORES:
            two.start(name)
            two.until_well(name)
        self._line("restore", two.operate("restore", "--from", str(two.volume("backups")), "--check"))
        printed = two.operate("restore", "--from", str(two.volume("backups"))).splitlines()
        lost = [line for line in printed if line.startswith("lost")]
        for line in printed:
            self._line("restore", line)
        for name in (*WORKERS, *APIS):
            two.start(name)
        for name in (*WORKERS, *APIS):
            two.until_well(name)
        self.topology = two
        watch = stack.enter_context(Watch(two.ports[APIS[0]], self.operator))
        watch.seen, self.watch = self.watch.seen, watch
        self._alert("RewoundDispute")
        reader = self.reader(key=self.old_key)
        names = [line.split()[1].rstrip(":") for line in lost]
        for encounter in names:
            at = f"/v1/encounters/{encounter}"
            dispute = reader.ask("GET", at).data["dispute"]
            accept = {"type": "accept_history", "reason": "the machine is lost", "lost": dispute["lost"]}
            sent = {**accept, "epoch": dispute["epoch"]}
            reader.ask("POST", f"{at}/commands", sent, ok=(200, 201))
        missing = sum(line.startswith("missing") for line in printed)
        until(
            lambda: self.watch.value("rewound_disputes_open") == missing,
            f"{missing} disputes are left, about encounters that the backup does not have",
            240,
        )
        verdicts = {
            encounter: self._played_and_audited(reader, encounter) for encounter in reader.encounters()
        }
        assert set(verdicts.values()) == {"valid"}, verdicts
        self._line(
            "restore",
            f"{len(names)} losses accepted, {missing} missing, {len(verdicts)} played on, all audits valid",
        )

    @staticmethod
    def _played_and_audited(reader: showing.Reader, encounter: str) -> str:
        at = f"/v1/encounters/{encounter}"
        about = reader.ask("GET", at).data
        if not about["closed"]:
            if about["edition"] != DUEL["edition"]:
                roll = {"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"}
                answer = reader.ask("POST", f"{at}/commands", roll, ok=(200, 201)).data
                assert answer["outcome"] == "accepted", answer
            reader.ask("DELETE", f"{at}?reason=rehearsed", ok=(200, 201, 202))
        return str(reader.audited(encounter)["verdict"]["name"])


class Duel:
    """An encounter of `duel@1`, and its two fighters."""

    def __init__(self, reader: showing.Reader) -> None:
        self._reader = reader
        self.at = f"/v1/encounters/{reader.ask('POST', '/v1/encounters', DUEL, ok=(201,)).data['encounter']}"
        self._tokens = {
            seat: reader.ask("POST", f"{self.at}/seats/{seat}/token", {}, ok=(200, 201)).data["token"]
            for seat in ("ann", "bo")
        }

    def choose(self, fighter: str, move: str) -> int:
        """Choose a move, and return the command's number."""
        data = {"type": "choose", "creature": fighter, "move": move}
        path = f"{self.at}/commands"
        answer = self._reader.ask("POST", path, data, token=self._tokens[fighter], ok=(200, 201, 202, 409))
        return int(answer.data["n"])

    def outcome(self, n: int) -> str:
        """Return what was decided about command *n*, once it is."""
        path = f"{self.at}/commands/{n}"
        until(lambda: self._reader.ask("GET", path).data.get("outcome"), f"command {n} is decided", 300)
        return str(self._reader.ask("GET", path).data["outcome"])


def _code(answer: Any) -> str:
    return str(answer.data.get("type", "")).removeprefix("/problems/")


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(each) for each in text.split()]


def _line_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
