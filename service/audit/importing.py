"""Import a bundle into the store, after auditing all of it.

An imported encounter can be read, replayed and audited like any other. It accepts no commands because only
its own host has the secrets that decide them. A bundle that withholds something cannot be folded and is
refused. The host's signatures and keys are stored beside the record.

Laws. An import is identified by its history, not by its record's id: two histories with one id have two
addresses, so a false one cannot keep a true one out. A history that an accepted key signed is extended only
by commits that such a key signed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle, checkpoint
from service.audit.evidence import Evidence
from service.audit.fight import verify_fight
from service.audit.integrity import examine
from service.audit.progress import Progress
from service.audit.report import Report
from service.audit.signatures import signed_heads
from service.audit.signing import store_foreign_keys
from service.audit.verdict import UNSIGNED_FROM, VALID, VALID_IN_PART, VALID_TO_EPOCH, Counts, Fault, Verdict
from service.core.decide import landmarks
from service.core.fold import Registry
from service.core.summaries import summarized
from service.log import CommitWrite, Log
from service.record.commit import Commit, fold_commit, load_commit, load_request
from service.record.frontier import Frontier
from service.rules.ruleset import Ruleset
from service.stores import checkpoints, imports, removals
from service.stores.checkpoints import TreeHead
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.imports import BundleImport

_SCOPE: Final = "import"
_PAGE: Final = 64


class ImportRefused(Exception):
    """The bundle is not imported; the audit's report says why."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report.verdict))
        self.report = report


class WasRemoved(Exception):
    """The owner removed this history from the service."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} was removed")
        self.address = address


@dataclass(frozen=True)
class AcceptedBundle:
    """The accepted public keys, and whether to refuse a bundle that they have not signed to the end."""

    keys: tuple[bytes, ...] = ()
    is_required: bool = False


NO_BUNDLE: Final = AcceptedBundle()


@dataclass(frozen=True)
class ImportedBundle:
    """An imported bundle: its address, its content, and the audit's report."""

    address: str
    evidence: Evidence
    commits: Sequence[Commit]
    report: Report
    known: BundleImport


def take(
    log: Log,
    registry: Registry,
    owner: str,
    raw: bytes,
    accepted: AcceptedBundle = NO_BUNDLE,
    progress: Progress = lambda done, of: None,  # noqa: ARG005 - nobody listens
) -> ImportedBundle:
    """Import the bundle *raw* for *owner*, every line of play in it; raises `ImportRefused`, `WasRemoved`.

    Importing a bundle again completes an import that a crash interrupted, and may add accepted keys. It
    changes nothing else.
    """
    fight, report = _judged(registry, raw, accepted.keys, progress)
    importer = _Importer(log, registry, owner, accepted, report)
    played, lines = importer.address(fight[-1]), dict[str, str]()
    for evidence in fight[:-1]:
        lines[evidence.encounter] = importer.take(evidence, lines, played).address
    return importer.take(fight[-1], lines, None)


@dataclass(frozen=True)
class _Importer:
    """Imports the lines of play of one bundle for its owner."""

    log: Log
    registry: Registry
    owner: str
    accepted: AcceptedBundle
    report: Report

    def address(self, evidence: Evidence) -> str:
        """Return the address of a line; raises `WasRemoved`."""
        commits = [load_commit(text) for text in evidence.commits]
        signed = signed_size(evidence, commits, self.accepted.keys)
        return _place(self.log, EncounterIndex(self.log), self.owner, evidence.encounter, commits, signed)

    def take(self, evidence: Evidence, lines: Mapping[str, str], root: str | None) -> ImportedBundle:
        """Import one line; *lines* led to it. One that was taken back is found at its *root* alone."""
        log, owner, accepted = self.log, self.owner, self.accepted
        commits = [load_commit(text) for text in evidence.commits]
        signed = signed_size(evidence, commits, accepted.keys)
        if accepted.is_required and signed < len(commits):
            verdict = Verdict(
                UNSIGNED_FROM, signed + 1, "none of the given keys has signed this commit or a later one"
            )
            raise ImportRefused(replace(self.report, verdict=verdict))
        register, address = EncounterIndex(log), self.address(evidence)
        known = _known(log, address, evidence.encounter, commits, signed, accepted.keys)
        known = replace(known, lines=dict(lines))
        edition, title, at = commits[0].edition, _title(evidence), commits[0].at
        entry = EncounterEntry(address, owner, edition, title, at, root=root, imported=True)
        register.enter(entry)
        register.finish(address)
        imports.put(log, owner, address, known)
        store_foreign_keys(log, address, evidence.keys)
        for note in evidence.notes:
            read = checkpoint.parse(note)
            checkpoints.put(log, address, TreeHead(read.size, read.root.hex()), note)
        _store(log, self.registry, address, evidence, commits)
        return ImportedBundle(address, evidence, commits, self.report, known)


def _judged(
    registry: Registry, raw: bytes, accepted: tuple[bytes, ...], progress: Progress
) -> tuple[tuple[Evidence, ...], Report]:
    """Return the lines of the bundle *raw* and its audit's report; raises `ImportRefused`.

    The audit pins the *accepted* keys if they signed the whole bundle. Otherwise it pins no key, so that a
    bundle signed by others is imported as unsigned.
    """
    try:
        fight = bundle.read_fight(raw)
    except bundle.BadBundle as fault:
        raise ImportRefused(Report("", fault.verdict, Counts())) from fault
    pinned = tuple(replace(each, pinned=accepted) for each in fight)
    if accepted and all(map(_is_covered, pinned)):
        fight = pinned
    report = verify_fight(fight, registry, progress=progress)
    if report.verdict.extent not in (VALID, VALID_TO_EPOCH) and report.verdict.name != VALID_IN_PART:
        raise ImportRefused(report)
    return fight, report


def _is_covered(evidence: Evidence) -> bool:
    """Return whether the pinned keys signed all of *evidence* and its bytes are sound."""
    try:
        return examine(evidence).signed.size == len(evidence.commits)
    except Fault:
        return False


def signed_size(evidence: Evidence, commits: Sequence[Commit], accepted: Iterable[bytes]) -> int:
    """Return the size of the greatest head of *commits* that an *accepted* key signed, 0 if there is none."""
    pinned = tuple(accepted)
    if not pinned:
        return 0
    try:
        heads = signed_heads(replace(evidence, pinned=pinned)).points
    except Fault:
        return 0
    roots = {each.size: each.root for each in heads}
    frontier, signed = Frontier(), 0
    for commit in commits:
        frontier = frontier.append(bytes.fromhex(commit.hash))
        if roots.get(frontier.size) == frontier.root():
            signed = frontier.size
    return signed


# --- the address -------------------------------------------------------------------------------------


def _place(
    log: Log, register: EncounterIndex, owner: str, record: str, commits: Sequence[Commit], signed: int
) -> str:
    """Return the address for *commits*: that of the same history, or a free one; raises `WasRemoved`."""
    for address in dict.fromkeys((record, *imports.addresses(log, owner, record))):
        entry = register.find(address)
        if entry is None or entry.owner != owner:
            continue
        gone = removals.find(log, address)
        if gone is not None:
            if gone.size <= len(commits) and commits[gone.size - 1].hash == gone.hash:
                raise WasRemoved(address)
        elif entry.imported and _continues(log, address, commits, signed):
            return address
    if register.find(record) is None and log.head(record) is None:
        return record
    return imports.address_of(owner, record, commits[-1].hash)


def _continues(log: Log, address: str, commits: Sequence[Commit], signed: int) -> bool:
    """Return whether *commits* equal the history at *address*, are a prefix of it, or may extend it."""
    known = imports.find(log, address)
    stored = log.commits(address, 0, len(commits))
    if any(each.raw != commits[each.n - 1].raw for each in stored):
        return False
    is_trusted = known is not None and not known.is_unsigned
    is_signed = signed == len(commits)
    if known is not None and known.is_unsigned and is_signed and known.size > len(commits):
        return False  # a signed history is not imported as the prefix of an unsigned one
    return len(stored) == len(commits) or not is_trusted or is_signed


def _known(
    log: Log,
    address: str,
    record: str,
    commits: Sequence[Commit],
    signed: int,
    accepted: Iterable[bytes],
) -> BundleImport:
    """Return the import's record at *address*: its size and its signed size never decrease."""
    before = imports.find(log, address)
    keys = tuple(key.hex() for key in accepted) if signed else ()
    if before is None:
        return BundleImport(record, len(commits), signed, keys)
    if signed <= before.signed:
        signed, keys = before.signed, before.keys
    return BundleImport(record, max(before.size, len(commits)), signed, keys)


def _title(evidence: Evidence) -> str:
    """Return the title in the opening command: at its top level, or in its `opening`."""
    data = load_request(_present(evidence, 1)).data
    nested = data.get("opening")
    return str(data.get("title") or (nested.get("title") if isinstance(nested, dict) else "") or "")


# --- the store ---------------------------------------------------------------------------------------


def _store(log: Log, registry: Registry, address: str, evidence: Evidence, commits: Sequence[Commit]) -> None:
    """Write the commands and commits that are missing in the store, as deciding them would have."""
    head = log.head(address)
    after = 0 if head is None else head.folded
    ruleset: Ruleset[Any] = registry[commits[0].edition]
    state, frontier = ruleset.blank, Frontier()
    waiting: list[CommitWrite] = []
    for commit in commits:
        request = _present(evidence, commit.n)
        lying = {i: opened for (n, i), opened in _of(evidence, commit).items() if n == commit.n}
        payloads = {index: json.loads(opened.payload) for index, opened in lying.items()}
        before = state
        state = fold_commit(ruleset, before, commit, payloads, load_request(request).stops)
        frontier = frontier.append(bytes.fromhex(commit.hash))
        if commit.n <= after:
            continue
        log.append(
            address,
            request,
            scope=_SCOPE,
            key=str(commit.n),
            fingerprint=sha256(request).hexdigest(),
            create=commit.n == 1,
        )
        waiting.append(
            CommitWrite(
                n=commit.n,
                prev=commit.prev,
                hash=commit.hash,
                raw=commit.raw,
                request=request,
                frontier=frontier.to_bytes(),
                sealed=tuple((index, opened.stored) for index, opened in sorted(lying.items())),
                marks=landmarks(before, state, commit.n),
            )
        )
        is_page = len(waiting) == _PAGE or commit.n == len(commits)
        if not before.closed and (state.closed or is_page):
            waiting[-1] = summarized(waiting[-1], state, commit.at)
        if is_page:
            log.commit(address, *waiting)
            waiting = []


def _of(evidence: Evidence, commit: Commit) -> dict[tuple[int, int], Any]:
    places = ((commit.n, index) for index in range(len(commit.events)))
    return {place: evidence.opened[place] for place in places if place in evidence.opened}


def _present(evidence: Evidence, n: int) -> bytes:
    request = evidence.requests[n - 1]
    assert request is not None, "a bundle from which something is withheld was taken in"
    return request
