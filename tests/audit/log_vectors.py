"""Records with log proofs and policies, and the verdict of every verifier without rules.

`python -m tests.audit.log_vectors` writes them into `tests/vectors/public_log`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from service.audit import bundle
from service.audit.evidence import Evidence
from service.record.canonical import commit_hash, dumps
from service.record.log_entries import END, HEAD, LINE, OPENING, LogEntry
from tests.audit.bundle_vectors import HOME as BUNDLES
from tests.audit.evidence_of import closed, evidence_of, played, root_of
from tests.audit.games import signed_throughout
from tests.audit.test_logged import (
    KEY,
    SPOILT,
    Host,
    entries_of,
    now_of,
    record,
    record_of_another,
    redated,
    spoilt,
)
from tests.support.a_log import START, Witnesses, opening, policy_text
from tests.support.javascript_verifier import as_bundle
from tests.support.tiny_table import Sitting

HOME: Final = Path(__file__).parents[1] / "vectors" / "public_log"
TABLE: Final = HOME / "verdicts.json"
DAY_S: Final = 86_400
NAMES: Final = ("ada", "ben")


@dataclass(frozen=True)
class LogVector:
    """A record and what is held against it."""

    name: str
    evidence: Evidence | Sequence[Evidence]
    """One record, or every line of a fight."""
    proof: bytes
    verdict: str
    quorum: str = "all"
    delay_s: int = DAY_S

    @property
    def bundle(self) -> bytes:
        """The record as a bundle for the gm."""
        fight = [self.evidence] if isinstance(self.evidence, Evidence) else self.evidence
        raw = as_bundle(*(replace(line, seat="gm") for line in fight))
        assert raw is not None
        return raw

    @property
    def policy(self) -> str:
        """The policy's text."""
        return policy_text(NAMES, self.quorum) if self.quorum != "none" else policy_text([], "")


def vectors(home: Path) -> Iterator[LogVector]:  # noqa: PLR0915 - one story after the other
    """Yield every vector; logs and witnesses are kept in *home*."""
    held = "valid_without_rules"
    evidence = record()
    other = record_of_another(evidence)
    host, witnesses = Host.at(home / "host"), Witnesses(home, NAMES)
    host.propose([opening(3)])
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()
    host.propose([opening(at) for at in range(20, 320)])
    witnesses.now += 60
    witnesses.submitter(host.writer.log).submit()
    proof = host.proof(evidence)
    yield LogVector("right", evidence, proof, held)
    yield LogVector("right-any", evidence, proof, held, "any")
    yield LogVector("right-no-witnesses", evidence, proof, held, "none")
    yield LogVector("another-history", other, proof, "log_contradicted(7)")
    end = len(evidence.commits)
    shorter = replace(signed_throughout(evidence_of(played())), pinned=KEY)
    yield LogVector("end-withheld", shorter, proof, f"truncated({end} to {end})")
    yield LogVector("too-late", evidence, proof, "misdated(1)", delay_s=0)
    for name in SPOILT:
        yield LogVector(f"bad-{name.replace(' ', '-')}", evidence, spoilt(name, proof), "bad_log_proof")

    secret = Host.at(home / "secret")
    secret.propose([opening(4)])
    secret.log(other)
    witnesses.submitter(secret.writer.log).submit()
    yield LogVector("second-log", other, secret.proof(other), "unwitnessed(1)", "any")
    yield LogVector("second-log-unwatched", other, secret.proof(other), held, "none")

    alone = Host.at(home / "alone")
    alone.log(evidence)
    (home / "few").mkdir()
    Witnesses(home / "few", NAMES, down={"ben"}).submitter(alone.writer.log).submit()
    yield LogVector("one-witness-down", evidence, alone.proof(evidence), "unwitnessed(1)")
    yield LogVector("one-witness-is-enough", evidence, alone.proof(evidence), held, "any")

    none = Host.at(home / "none")
    none.propose([opening(5)])
    (home / "for-none").mkdir()
    Witnesses(home / "for-none", NAMES).submitter(none.writer.log).submit()
    yield LogVector("not-logged", evidence, none.proof(evidence), "unlogged(1)")

    started = Host.at(home / "started")
    root = commit_hash(evidence.commits[0]).hex()
    started.propose([LogEntry(OPENING, evidence.encounter, 1, root, "ab" * 16)])
    (home / "for-started").mkdir()
    watching = Witnesses(home / "for-started", NAMES)
    watching.submitter(started.writer.log).submit()
    yield LogVector("close-left-out", evidence, started.proof(evidence), "unlogged(7)")
    yield LogVector("running", shorter, started.proof(shorter), held)
    started.propose([opening(6)])
    watching.now = START + 3 * DAY_S
    watching.submitter(started.writer.log).submit()
    yield LogVector("running-and-late", shorter, started.proof(shorter), "unlogged(7)")

    for name, at in (("dated-back", "1999-01-02T03:04:05.000Z"), ("dated-ahead", "2030-01-01T00:00:00.000Z")):
        false = redated(evidence, at)
        liar = Host.at(home / name)
        liar.log(false)
        Witnesses(liar.home, NAMES).submitter(liar.writer.log).submit()
        yield LogVector(name, false, liar.proof(false), "misdated(1)")
    yield from of_a_loss(home)
    yield from of_lines(home)


def of_a_loss(home: Path) -> Iterator[LogVector]:
    """Yield a game that was lost and played again to the same number of commits, with what is logged."""
    lost, again = closed(), Sitting()
    again.requests, again.written = list(lost.requests[:6]), list(lost.written[:6])
    found = {"size": 10, "root": root_of([each.raw for each in lost.written]).hex()}
    again.do("accept_history", reason="the disk died", lost=found, epoch=2)
    again.do("roll")
    again.do("roll")
    again.do("close", reason="enough")
    evidence = record(again)
    before, after = entries_of(record(lost)), entries_of(evidence)
    for name, entries, verdict in (
        ("loss", [*before, *after[1:]], "valid_without_rules"),
        ("loss-not-logged-again", before, "unlogged(10)"),
    ):
        host = Host.at(home / name)
        host.propose(entries)
        Witnesses(host.home, NAMES).submitter(host.writer.log).submit()
        yield LogVector(name, evidence, host.proof(evidence), verdict)


def of_lines(home: Path) -> Iterator[LogVector]:
    """Yield fights that go on in other lines of play; logs and witnesses are kept in *home*."""
    held = "valid_without_rules"
    fight = bundle.read_fight((BUNDLES / "right-fight-with-rulings.jsonl").read_bytes(), pinned=KEY)
    entries = entries_of(*fight)
    kinds = [(entry.kind, entry.encounter) for entry in entries]
    first, ruled, undone, redone = (line.encounter for line in fight)
    at = {name: kinds.index(name) for name in kinds}
    stranger = "00000000-0000-4000-8000-000000000009"

    def logged(name: str, instead: Mapping[int, LogEntry | None]) -> bytes:
        host = Host.at(home / name)
        host.log(*fight, instead=instead)
        witnesses = Witnesses(host.home, NAMES)
        witnesses.now = now_of(fight)
        witnesses.submitter(host.writer.log).submit()
        return host.proof(*fight)

    def without(*names: tuple[str, str]) -> dict[int, LogEntry | None]:
        return {at[name]: None for name in names}

    def other(name: tuple[str, str], **changed: Any) -> dict[int, LogEntry | None]:
        return {at[name]: replace(entries[at[name]], **changed)}

    yield LogVector("lines", fight, logged("lines", {}), held)
    unknown = without(*(name for name in kinds if name[1] == first))
    stories: dict[str, tuple[dict[int, LogEntry | None], str]] = {
        "line-of-an-unknown-parent": (unknown, "unlogged(1)"),
        "line-without-its-entry": (without((LINE, ruled)), "unlogged(7)"),
        "line-of-an-undo-without-its-entry": (without((LINE, undone)), "unlogged(9)"),
        "line-left-without-an-end": (without((END, ruled)), "unlogged(10)"),
        "line-left-with-a-head-alone": (other((END, ruled), kind=HEAD), "unlogged(10)"),
        "line-of-another-parent": (other((LINE, redone), parent=stranger), "log_contradicted(10)"),
        "line-of-another-head": (other((LINE, redone), n=7), "log_contradicted(10)"),
        "line-ruled-elsewhere": (other((LINE, redone), ruled_in=stranger), "log_contradicted(10)"),
        "line-that-another-line-continues": (
            other((END, ruled), continued_in=stranger),
            "log_contradicted(10)",
        ),
        "line-that-ended-for-good": (other((END, ruled), continued_in=""), "log_contradicted(10)"),
    }
    for name, (instead, verdict) in stories.items():
        yield LogVector(name, fight, logged(name, instead), verdict)
    opened = LogEntry(OPENING, ruled, 1, root_of(fight[0].commits[:1]).hex(), "ab" * 16)
    extra = Host.at(home / "line-opened")
    extra.propose([*entries, opened])
    yield LogVector("line-opened-as-a-fight", fight, extra.proof(*fight), "log_contradicted(1)", "none")
    alone = json.loads(logged("entries-of-another-line", {})) | {"encounter": first}
    yield LogVector("bad-entries-of-another-line", fight[:1], dumps(alone) + b"\n", "bad_log_proof")

    evidence = record()
    early = Host.at(home / "ended-too-early")
    early.log(evidence, instead={1: replace(entries_of(evidence)[1], kind=END)})
    yield LogVector("ended-too-early", evidence, early.proof(evidence), "log_contradicted(7)", "none")


def main() -> None:
    """Write the files."""
    HOME.mkdir(exist_ok=True)
    table: list[dict[str, Any]] = []
    files: dict[bytes, str] = {}
    with tempfile.TemporaryDirectory() as home:
        for vector in vectors(Path(home)):
            row: dict[str, Any] = {"name": vector.name, "verdict": vector.verdict, "delay": vector.delay_s}
            for kind, raw in (
                ("bundle.jsonl", vector.bundle),
                ("log-proof", vector.proof),
                ("policy", vector.policy.encode()),
            ):
                file = files.setdefault(raw, f"{vector.name}.{kind}")
                (HOME / file).write_bytes(raw)
                row[kind.partition(".")[0]] = file
            table.append(row)
    rows = [json.dumps(row) for row in table]
    head = {"key": KEY[0].hex()}
    TABLE.write_text(json.dumps(head)[:-1] + ', "vectors": [\n' + ",\n".join(rows) + "\n]}\n", "utf-8")


if __name__ == "__main__":
    main()
