"""Hold a run to the promises: the nemesis' checker, and what only an observer of the store can see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.core.decide import decide_request, quarantine_request, unfolded
from service.core.fold import Folder
from service.log import ALL_BUCKETS, Log, bucket_of
from service.record.commit import load_commit
from service.stores.secrets import EncounterSecrets
from tests.nemesis import violations
from tests.nemesis.checker import check, hash_of
from tests.nemesis.final import Logged, Shown
from tests.nemesis.history import Entry
from tests.simulation.client import PATIENCE_S, SCOPE, Book, Table, view_of
from tests.simulation.server import Server
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import KEY

EVER: Final = 2**53
_MOST: Final = 10_000
_MISSING: Final = 404
"""A status that an encounter has until it is opened again."""

NOTICED_S: Final = 5.0
"""After a failover every process has made its connections anew by then, also one whose line was cut."""

WAIT_S: Final = 2.0
"""How long a command of one owner waits at most, however much another sends, while a worker lives."""

AFTER_END_S: Final = 10.0
"""The same after a worker was killed."""

LATE: Final = "made to wait by another owner"
NOT_FOLDED: Final = "never folded"
LEFT_DIRTY: Final = "marked dirty for ever"
HANGS: Final = "never ends"
CRASHED: Final = "a thread of the product ended"


@dataclass(frozen=True, order=True)
class Broken:
    """One broken promise."""

    name: str
    encounter: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


def judge(
    log: Log,
    tables: Sequence[Table],
    book: Book,
    live: dict[str, tuple[int, str]],
    lost_at: float,
    lost: Mapping[tuple[str, int], float],
) -> list[Broken]:
    """Return every promise that was broken.

    *live* is what an API process shows in the end. What was answered before *lost_at* counts as unknown: a
    failover to a replica that nobody waited for may have lost it, which is not promised. Nor is what others
    read before the replica had it: *lost* says when a failover took each commit back.
    """
    history = _forgiven(book.entries, lost_at)
    history = [entry for entry in history if not _is_taken_back(entry, lost)]
    found = [Broken(*each) for each in book.broken]
    shown: dict[str, Shown] = {}
    read = {(entry["encounter"], entry["version"]) for entry in history if entry["do"] == "read"}
    for table in tables:
        if table.id and log.head(table.id) is not None:
            shown[table.id], more = _shown(log, table, live, {n for id_, n in read if id_ == table.id})
            found += more
    for violation in check(history, shown):
        if violation.name != violations.STREAM_SHORT:  # no stream is read here
            found.append(Broken(violation.name, violation.encounter, violation.text))
    return sorted(set(found))


def _forgiven(history: list[Entry], lost_at: float) -> list[Entry]:
    """Return *history* with what was asked before all had noticed the loss answered by nobody."""
    if lost_at < 0:
        return history
    until = lost_at + NOTICED_S
    begun = {entry["op"]: entry["t"] for entry in history if entry["do"] == "invoke"}
    kept: list[Entry] = []
    for entry in history:
        if entry["do"] in {"ok", "fail", "unknown"} and (
            begun[entry["op"]] <= until or entry.get("status") == _MISSING
        ):
            kept.append({"t": entry["t"], "do": "unknown", "op": entry["op"], "why": "lost"})
        elif entry["do"] not in {"asked", "read", "odd"} or entry["t"] - PATIENCE_S > until:
            kept.append(entry)
    return kept


def _is_taken_back(entry: Entry, lost: Mapping[tuple[str, int], float]) -> bool:
    """Tell whether *entry* is a read, begun before a failover, of a commit that it took back."""
    if entry["do"] != "read":
        return False
    return bool(entry["began"] <= lost.get((entry["encounter"], entry["version"]), -1.0))


def _shown(
    log: Log, table: Table, live: dict[str, tuple[int, str]], read: set[int]
) -> tuple[Shown, list[Broken]]:
    """Return the encounter as the store has it, and what is wrong with it as no client can see."""
    encounter = table.id
    found: list[Broken] = []
    head = log.head(encounter)
    assert head is not None
    if head.folded != head.appended:
        found.append(Broken(NOT_FOLDED, encounter, f"{head.folded} of {head.appended} are folded"))
    commands = log.commands(encounter, 0, _MOST)
    commits = log.commits(encounter, 0, _MOST)
    entries = tuple(
        Logged(commit.n, command.raw, commit.raw) for command, commit in zip(commands, commits, strict=False)
    )
    replayed: dict[int, str] = {}
    verdict, state = "valid", "equal"
    try:
        folder = Folder(log, SHELF)
        folded = unfolded(encounter, TINY)
        for _, folded in folder.steps(encounter, 0, len(commits)):
            if folded.n in read or folded.n == len(commits):
                replayed[folded.n] = view_of(folded.state)
        kept = folder.current(encounter)
        if (kept.n, kept.hash, kept.state) != (folded.n, folded.hash, folded.state):
            state = "different"
        if (head.folded, head.hash) != (folded.n, folded.hash):
            verdict = "the head is not the last commit"
    except Exception as fault:  # noqa: BLE001 - whatever a broken record does to the fold
        verdict = f"{type(fault).__name__}: {fault}"
    if verdict == "valid":
        verdict = _decided_again(log, encounter, entries)
    keys = {key: _place(log, encounter, key) for key in table.sent if not key.startswith("open")}
    pages = tuple((each.n, hash_of(each.commit)) for each in entries)
    shown = Shown(
        encounter, entries, pages, live.get(encounter, (0, "")), replayed, verdict, verdict, state, keys
    )
    return shown, found


def _place(log: Log, encounter: str, key: str) -> int | None:
    known = log.find_key(encounter, SCOPE, key)
    return None if known is None else known.n


def _decided_again(log: Log, encounter: str, entries: Sequence[Logged]) -> str:
    """Decide every command again: the same bytes, but for what was put away."""
    blob = log.secret(encounter)
    if blob is None:
        return "no secret"
    secrets = EncounterSecrets.decrypt(encounter, blob, (KEY,))
    folded: Any = unfolded(encounter, TINY)
    for each in entries:
        quarantine = load_commit(each.commit).quarantine
        if quarantine is not None:
            written = quarantine_request(folded, each.request, each.n, quarantine)
        else:
            written = decide_request(TINY, folded, each.request, each.n, secrets)
        if written.raw != each.commit:
            return f"commit {each.n} is decided otherwise"
        folded = written.folded
    return "valid"


def late(server: Server, encounters: Iterable[str], ended_at: Sequence[float]) -> list[Broken]:
    """Return what waited too long in *encounters*, where another owner sent more than a worker decides.

    *ended_at* says when workers were killed or ended.
    """
    found: list[Broken] = []
    for (encounter, n), since in sorted(server.appended.items()):
        if encounter in encounters:
            until = server.stood.get((encounter, n), float("inf"))
            most = AFTER_END_S if any(since - AFTER_END_S <= at <= until for at in ended_at) else WAIT_S
            if until - since > most:
                found.append(Broken(LATE, encounter, f"{n} waited {until - since:.1f} s"))
    return found


def left_behind(log: Log, encounters: Iterable[str]) -> list[Broken]:
    """Return what waits although nobody will come."""
    found = [
        Broken(LEFT_DIRTY, encounter, f"in bucket {bucket_of(encounter)}")
        for encounter in log.dirty(ALL_BUCKETS, EVER)
    ]
    for encounter in encounters:
        head = log.head(encounter)
        if head is not None and head.folded != head.appended:
            found.append(Broken(NOT_FOLDED, encounter, f"{head.folded} of {head.appended} are folded"))
    return found
