"""Run it: a service, its clients, what goes wrong, what is shown in the end, and the judgement."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from service.cli.local_service import reserved_port
from tests.nemesis import history as histories
from tests.nemesis import measures, showing
from tests.nemesis.checker import check, requests_of
from tests.nemesis.clients import Table
from tests.nemesis.disk import mounted
from tests.nemesis.faults import Nemesis
from tests.nemesis.greedy import Greedy
from tests.nemesis.history import Entry, History
from tests.nemesis.http import HOST
from tests.nemesis.sender import Scene
from tests.nemesis.servers import Servers
from tests.nemesis.tree import Tree
from tests.nemesis.violations import Violation

BOOKS: Final = ("heartrush@1", "rise@1")
READY_S: Final = 120.0
JOIN_S: Final = 60.0
BACK_S: Final = 60.0
"""After so long without an answer the service does not come back by itself."""
IN_FLIGHT_SHARE: Final = 0.5
"""A run in which fewer of the kills met a request in flight shows nothing."""
KEYS_ASKED: Final = 1_000
"""How many keys of acknowledged requests are asked for again in the end, beside all others."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What is run."""

    kills: int
    seed: str
    tables: int = 6
    acts: Sequence[str] = ()
    """What goes wrong, in order, instead of what the seed brings."""
    longest_s: float = 4.0
    disk: bool = True
    """Whether the data get a disk of their own, which can be full."""
    rests_s: tuple[float, float] = (0.1, 0.8)
    on_cluster: bool = False
    """Whether the streams lie on a cluster of three primaries, in the mode `replicated`."""


@dataclass
class Outcome:
    """What came of a run."""

    plan: Plan
    directory: Path
    disk: str = ""
    history: list[Entry] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What is wrong and no violation of the record: the service did not come back, left something behind."""
    kills: int = 0
    refused_starts: int = 0
    greedy: tuple[int, int] = (0, 0)
    """Commands of the greedy owner that were taken, and its arrays that were refused."""
    commits: int = 0
    encounters: int = 0
    seconds: float = 0.0

    @property
    def recoveries(self) -> list[measures.Recovery]:
        """How the service came back, fault by fault."""
        return measures.recoveries(self.history)

    @property
    def waits(self) -> measures.Waits:
        """How long commands waited for their decision beside the greedy owner's."""
        return measures.waits(self.history)

    @property
    def is_void(self) -> bool:
        """Tell whether too few kills met a request in flight for the run to show anything."""
        kills = [each for each in self.recoveries if each.kills]
        met = sum(each.in_flight > 0 for each in kills)
        return self.kills < self.plan.kills or met < IN_FLIGHT_SHARE * len(kills)

    @property
    def is_good(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.violations and not self.faults


class Run:
    """One run in a directory of its own."""

    def __init__(self, plan: Plan, directory: Path, say: Say) -> None:
        self.plan = plan
        self.say = say
        self.outcome = Outcome(plan, directory)
        self.history = History(directory / "history.jsonl")

    def go(self) -> Outcome:
        """Run it, and judge it; nothing of it is left running."""
        began = time.monotonic()
        with ExitStack() as stack:
            port = stack.enter_context(reserved_port(HOST))
            own_disk = self.plan.disk and not self.plan.on_cluster
            disk = stack.enter_context(mounted(self.outcome.directory, own=own_disk))
            self.outcome.disk = disk.kind
            tree = Tree(disk.home, port, self.outcome.directory)
            servers = None
            if self.plan.on_cluster:
                servers = stack.enter_context(Servers(self.outcome.directory / "cluster"))
                tree.store = servers.settings
            stack.callback(tree.end)
            key = tree.run("keys", "create", "nemesis")
            tree.clock.write_text("0", "ascii")
            tree.start()
            reader = showing.Reader(port, key)
            reader.ask("GET", "/readyz")
            scene = Scene(self.history, port, key, self.plan.seed)
            stack.callback(scene.hurry.set)
            stack.callback(scene.over.set)
            tables = [Table(scene, f"t{i}", BOOKS[i % len(BOOKS)]) for i in range(self.plan.tables)]
            for table in tables:
                table.start()
            greedy = Greedy(scene, tree.run("keys", "create", "greedy"))
            greedy.thread.start()
            nemesis = Nemesis(tree, disk, self.history, Random(self.plan.seed), servers, self.plan.longest_s)
            self._until(lambda: all(table.fight is not None for table in tables), READY_S, "play begins")
            self._strike(nemesis, scene, greedy)
            self.outcome.greedy = (greedy.taken, greedy.refused)
            self._end(nemesis, scene, tables)
            self._judge(tree, scene, tables)
            self.outcome.refused_starts = tree.refused
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    # --- while it runs -------------------------------------------------------------------------------

    def _strike(self, nemesis: Nemesis, scene: Scene, greedy: Greedy) -> None:
        """Let things go wrong, each behind a burst of the greedy owner.

        It ends once there were kills enough, or if the service stays away.
        """
        chance = nemesis.chance
        planned = iter(self.plan.acts)
        scene.over.wait(1.0)
        while nemesis.kills < self.plan.kills or self.plan.acts:
            what = next(planned, "")
            if self.plan.acts and not what:
                break
            greedy.burst()
            scene.over.wait(0.3)
            nemesis.act(what)
            if nemesis.kills and not what and chance.random() < 0.2:
                continue  # the next one comes before the service is back
            if not self._is_back(scene):
                self.outcome.faults.append(f"no answer for {BACK_S:g} s after act {nemesis.acts}")
                nemesis.heal()
                nemesis.tree.restart()
                self.history.note("note", text="started again by hand")
                if not self._is_back(scene):
                    break
            scene.over.wait(chance.uniform(*self.plan.rests_s))
            self.say(f"{nemesis.kills} of {self.plan.kills} kills, {self.history.count('ok')} acknowledged")
        self.outcome.kills = nemesis.kills

    def _is_back(self, scene: Scene) -> bool:
        """Wait until two answers came that acknowledge something; whether they did."""
        ends = time.monotonic() + BACK_S
        left = 3
        while left and time.monotonic() < ends:
            left -= self.history.wait_for("ok", 1.0)
        return not left and not scene.over.is_set()

    def _end(self, nemesis: Nemesis, scene: Scene, tables: Sequence[Table]) -> None:
        """Let every client come to its end, and every stream to the end of its record."""
        nemesis.heal()
        scene.over.set()
        reader = showing.Reader(scene.port, scene.key)
        self._until(lambda: all(_has_left(table) for table in tables), 180, "players come to their end")
        for table in tables:
            for fight in table.fights:
                if not fight.closed.is_set():
                    self.outcome.faults.append(f"{fight.encounter} was not closed")
                    continue
                try:
                    last = reader.ask("GET", fight.at).data["appended"]
                except showing.NotShownError as fault:
                    self.outcome.faults.append(f"not shown once play was over: {fault}")
                    continue
                table.follow_to(fight, last)
        ends = time.monotonic() + JOIN_S
        waiting = [name for table in tables for name in table.join(ends - time.monotonic())]
        self.outcome.faults += [f"{name} did not come to its end" for name in waiting]

    def _until(self, holds: Callable[[], bool], seconds: float, what: str) -> None:
        ends = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > ends:
                self.outcome.faults.append(f"{what}: not within {seconds:g} s")
                return
            time.sleep(0.1)

    # --- afterwards ----------------------------------------------------------------------------------

    def _judge(self, tree: Tree, scene: Scene, tables: Sequence[Table]) -> None:
        """Stop it, start it, read everything, stop it again and see that nothing is left behind."""
        status = tree.stop()
        if status != 0:
            self.outcome.faults.append(f"serve ended with status {status} when it was stopped")
        self._none_left(tree)
        tree.start()
        self.history.close()
        self.outcome.history = history = list(histories.read(self.history.path))
        tokens = {fight.encounter: fight.tokens for table in tables for fight in table.fights}
        try:
            shown = showing.shown(
                showing.Reader(scene.port, scene.key), self._keys(history, tokens), versions_read(history)
            )
        except showing.NotShownError as fault:
            self.outcome.faults.append(f"not shown in the end: {fault}")
        else:
            self.outcome.violations = check(history, shown)
            self.outcome.encounters = len(shown)
            self.outcome.commits = sum(len(each.log) for each in shown.values())
        if tree.stop() != 0:
            self.outcome.faults.append("serve did not stop in the end")
        self._none_left(tree)

    def _none_left(self, tree: Tree) -> None:
        for process in tree.left_behind(15.0):
            self.outcome.faults.append(f"{process.role} was left behind")

    def _keys(self, history: Sequence[Entry], tokens: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        """Return the keys to ask for in the end, by encounter, each with the token of who used it."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        asked = [each for each in requests_of(history).values() if each.encounter and each.kind != "open"]
        sure = [each for each in asked if each.oks and not each.unknowns]
        some = Random(self.plan.seed).sample(sure, min(KEYS_ASKED, len(sure)))
        for request in [*some, *(each for each in asked if not each.oks or each.unknowns)]:
            token = tokens.get(request.encounter, {}).get(request.seat)
            if token is not None:
                found[request.encounter][request.key] = token
        return found


def _has_left(table: Table) -> bool:
    return all(fight.closed.is_set() for fight in table.fights) and not table.is_playing


def versions_read(history: Sequence[Entry]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for entry in history:
        if entry["do"] == "read":
            found[entry["encounter"]].add(entry["version"])
    return found


def run(plan: Plan, say: Say) -> Outcome:
    """Run *plan*; its directory is kept where anything is wrong, and removed otherwise."""
    directory = Path(tempfile.mkdtemp(prefix="rewound-nemesis-"))
    outcome = Run(plan, directory, say).go()
    if outcome.is_good and not outcome.is_void:
        shutil.rmtree(directory, ignore_errors=True)
    return outcome
