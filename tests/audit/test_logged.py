"""Every lie that log and witnesses answer, told with the host's key and the source, and its verdict.

The host may sign what it likes: records, heads, logs. What it cannot do is get one witness to cosign two
histories of one log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from service.audit.evidence import Evidence, stored
from service.audit.fight import verify_fight
from service.audit.lines import AuditedLine
from service.audit.log_proof import make
from service.audit.log_writer import LogWriter
from service.audit.logged import LOGGED, judge_log
from service.audit.notary import Notary
from service.audit.report import Report
from service.audit.signing_memory import SigningMemory
from service.audit.verify import verify
from service.audit.witness_policy import read_policy
from service.log.memory import MemoryLog
from service.record.canonical import commit_hash, dumps
from service.record.log_entries import END, HEAD, LINE, OPENING, LogEntry
from service.rules.kernel.records import EMPTY
from service.stores.public_log import PublicLog
from tests.audit.evidence_of import closed, evidence_of, forged, kept, played, root_of
from tests.audit.games import signed_throughout
from tests.support.a_log import START, Witnesses, opening, policy_text
from tests.support.in_process_service import House
from tests.support.tiny_game import SHELF, TINY
from tests.support.tiny_table import SIGNER, Sitting

KEY = (SIGNER.public,)


@dataclass
class Host:
    """A host with the signing key, its store and its log; it may have several."""

    home: Path
    store: MemoryLog
    writer: LogWriter

    @classmethod
    def at(cls, home: Path, store: MemoryLog | None = None) -> Host:
        home.mkdir(exist_ok=True)
        kept_in = store or MemoryLog()
        memory = SigningMemory(home / "signing-memory.db")
        return cls(home, kept_in, LogWriter(PublicLog(kept_in), memory, lambda: SIGNER))

    def log(
        self, *fight: Evidence, opens: bool = True, instead: Mapping[int, LogEntry | None] = EMPTY
    ) -> None:
        """Put into the log what an honest service puts there about the lines of a fight.

        Entries are counted from 0; some are others *instead*, or left out.
        """
        entries = [entry for entry in entries_of(*fight) if opens or entry.kind != OPENING]
        self.propose([entry for at, each in enumerate(entries) if (entry := instead.get(at, each))])

    def propose(self, entries: Sequence[LogEntry]) -> None:
        self.writer.log.propose(entries)
        self.writer.write()

    def proof(self, *fight: Evidence) -> bytes:
        return make(self.writer.log, *(evidence.encounter for evidence in fight))


def entries_of(*fight: Evidence) -> list[LogEntry]:
    """Return what an honest service puts into the log about the lines of a fight."""
    entries: list[LogEntry] = []
    for evidence in fight:
        commits, first = evidence.commits, 1
        begun = AuditedLine.of(evidence).begun
        if begun is None:
            entries.append(LogEntry(OPENING, evidence.encounter, 1, root_of(commits[:1]).hex(), "ab" * 16))
        elif begun.accepted is not None:
            first = begun.accepted
            named = {"parent": begun.origin["parent"], "n": begun.n - 1, "head": begun.origin["hash"]}
            ruled_in = begun.origin["ruled_in"] or begun.origin["parent"]
            root = root_of(commits[:first]).hex()
            entries.append(LogEntry(LINE, evidence.encounter, first, root, **named, ruled_in=ruled_in))
        for n, raw in list(enumerate(commits, 1))[first - 1 :]:
            events = {each.get("type"): each for each in json.loads(raw)["events"]}
            if events.keys() & {"epoch_closed", "encounter_closed", "continued"}:
                kind = HEAD if "epoch_closed" in events else END
                later = events.get("continued", {}).get("encounter", "")
                root = root_of(commits[:n]).hex()
                entries.append(LogEntry(kind, evidence.encounter, n, root, continued_in=later))
    return entries


@pytest.fixture
def witnesses(tmp_path: Path) -> Witnesses:
    return Witnesses(tmp_path, ["ada", "ben"])


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host.at(tmp_path / "host")


def record(sitting: Sitting | None = None) -> Evidence:
    """Return a closed game, every close of it signed."""
    return replace(signed_throughout(evidence_of(sitting or closed())), pinned=KEY, seat="*")


def judged(
    fight: Evidence | Sequence[Evidence], proof: bytes, quorum: str = "all", delay_s: int = 86_400
) -> Report:
    """Return what a verifier without rules says under the policy of both witnesses."""
    text = policy_text(["ada", "ben"], quorum) if quorum != "none" else policy_text([], "")
    lines = [fight] if isinstance(fight, Evidence) else fight
    report = verify_fight(lines, SHELF, without_rules=True)
    assert report.verdict.is_sound, report.verdict
    return judge_log(report, lines, proof, read_policy(text.encode()), delay_s)


def test_an_honest_record_meets_the_policy_and_says_how_far(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()

    report = judged(evidence, host.proof(evidence))
    assert report.verdict.is_sound, report.verdict
    [finding] = [each for each in report.findings if each.name == LOGGED]
    assert "ada cosigned 3" in finding.detail
    assert "enough is met" in finding.detail


def test_what_the_service_itself_signs_is_what_a_verifier_demands(
    tmp_path: Path, witnesses: Witnesses
) -> None:
    sitting = closed()
    host = Host.at(tmp_path / "host", kept(sitting))
    Notary(host.store, host.writer.memory, lambda: SIGNER).sign_closed(sitting.encounter)
    evidence = record(sitting)
    host.propose(
        [LogEntry(OPENING, evidence.encounter, 1, commit_hash(evidence.commits[0]).hex(), "ab" * 16)]
    )
    witnesses.submitter(host.writer.log).submit()

    assert judged(evidence, host.proof(evidence)).verdict.is_sound


def test_a_second_history_is_contradicted_by_the_one_log(host: Host, witnesses: Witnesses) -> None:
    """The host shows the true fight to everybody, and another one, signed as well, to one player."""
    evidence = record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()
    other = record_of_another(evidence)

    assert verify(other, SHELF, without_rules=True).verdict.is_sound  # without the log nothing is wrong
    assert str(judged(other, host.proof(evidence)).verdict) == "log_contradicted(7)"


def record_of_another(evidence: Evidence) -> Evidence:
    """Return another history of the same encounter, signed by the host from its first close on."""

    def change(commit: dict[str, Any]) -> None:
        commit["events"][0]["amount"] = 99

    bare = replace(evidence, notes=(), keys=(), seat=None)
    return replace(signed_throughout(forged(bare, 3, change)), pinned=KEY)


def test_both_histories_in_one_log_are_found_by_each(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.log(evidence)
    host.log(record_of_another(evidence), opens=False)
    witnesses.submitter(host.writer.log).submit()

    for shown in (evidence, record_of_another(evidence)):
        assert judged(shown, host.proof(shown)).verdict.name == "log_contradicted"


def test_a_second_log_for_one_player_gets_no_cosignature(
    tmp_path: Path, host: Host, witnesses: Witnesses
) -> None:
    """The host keeps two logs of one name, each consistent: witnesses cosign the first that they see."""
    evidence = record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()
    secret = Host.at(tmp_path / "secret")
    other = record_of_another(evidence)
    secret.log(other)
    witnesses.submitter(secret.writer.log).submit()

    assert judged(other, secret.proof(other), "none").verdict.is_sound
    for quorum in ("all", "any"):
        assert str(judged(other, secret.proof(other), quorum).verdict) == "unwitnessed(1)"


def test_a_witness_that_is_down_leaves_a_policy_unmet_by_name(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.log(evidence)
    witnesses.down.add("ben")
    witnesses.submitter(host.writer.log).submit()

    report = judged(evidence, host.proof(evidence))
    assert str(report.verdict) == "unwitnessed(1)"
    assert "cosigned by ada" in report.verdict.detail
    report = judged(evidence, host.proof(evidence), "any")
    assert report.verdict.is_sound
    assert "ben cosigned none" in report.findings[-1].detail


def test_an_encounter_that_the_log_does_not_know_is_unlogged(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.propose([opening(1)])
    witnesses.submitter(host.writer.log).submit()
    assert str(judged(evidence, host.proof(evidence)).verdict) == "unlogged(1)"


def test_a_close_or_an_end_that_was_left_out_is_unlogged(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    root = commit_hash(evidence.commits[0]).hex()
    host.propose([LogEntry(OPENING, evidence.encounter, 1, root, "ab" * 16)])
    witnesses.submitter(host.writer.log).submit()
    assert str(judged(evidence, host.proof(evidence)).verdict) == "unlogged(7)"

    end = len(evidence.commits)
    host.propose([LogEntry("head", evidence.encounter, 7, root_of(evidence.commits[:7]).hex())])
    witnesses.submitter(host.writer.log).submit()
    assert str(judged(evidence, host.proof(evidence)).verdict) == f"unlogged({end})"


def test_the_end_of_a_fight_that_is_withheld_is_missed(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()
    whole = len(evidence.commits)
    shorter = played()
    assert len(shorter.written) < whole
    shown = replace(signed_throughout(evidence_of(shorter)), pinned=KEY)
    assert str(judged(shown, host.proof(shown)).verdict) == f"truncated({whole} to {whole})"


@pytest.mark.parametrize(
    ("at", "delay_s", "sound"), [("1999-01-02T03:04:05.000Z", 86_400, False), ("", 86_400, True)]
)
def test_a_fight_that_is_dated_back_is_misdated(
    host: Host, witnesses: Witnesses, at: str, delay_s: int, *, sound: bool
) -> None:
    evidence = redated(record(), at) if at else record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()

    assert str(judged(evidence, host.proof(evidence), "none").verdict) == "valid_without_rules"
    report = judged(evidence, host.proof(evidence), delay_s=delay_s)
    assert report.verdict.is_sound if sound else str(report.verdict) == "misdated(1)"


def redated(evidence: Evidence, at: str) -> Evidence:
    """Return *evidence* with another time in every commit, signed again."""
    commits: list[bytes] = []
    for raw in evidence.commits:
        data = json.loads(raw) | {"at": at}
        if commits:
            data["prev"] = commit_hash(commits[-1]).hex()
        commits.append(dumps(data))
    bare = replace(evidence, commits=commits, head=commit_hash(commits[-1]).hex(), notes=(), keys=())
    return replace(signed_throughout(bare), pinned=KEY)


def test_a_fight_that_is_dated_ahead_or_logged_too_late_is_misdated(host: Host, witnesses: Witnesses) -> None:
    evidence = record()
    host.log(evidence)
    witnesses.now = START + 3 * 86_400
    witnesses.submitter(host.writer.log).submit()
    assert str(judged(evidence, host.proof(evidence)).verdict) == "misdated(1)"
    assert judged(evidence, host.proof(evidence), delay_s=4 * 86_400).verdict.is_sound

    ahead = redated(evidence, "2030-01-01T00:00:00.000Z")
    other = Host.at(host.home.parent / "ahead")
    other.log(ahead)
    Witnesses(other.home, ["ada", "ben"]).submitter(other.writer.log).submit()
    assert str(judged(ahead, other.proof(ahead)).verdict) == "misdated(1)"


def test_a_running_fight_owes_what_is_older_than_the_delay(host: Host, witnesses: Witnesses) -> None:
    evidence = replace(signed_throughout(evidence_of(played())), pinned=KEY)
    root = commit_hash(evidence.commits[0]).hex()
    host.propose([LogEntry(OPENING, evidence.encounter, 1, root, "ab" * 16)])
    witnesses.submitter(host.writer.log).submit()
    assert judged(evidence, host.proof(evidence)).verdict.is_sound  # the close may still be on its way

    host.propose([opening(5)])
    witnesses.now = START + 3 * 86_400
    witnesses.submitter(host.writer.log).submit()
    assert str(judged(evidence, host.proof(evidence)).verdict) == "unlogged(7)"


# --- lines of play ---------------------------------------------------------------------------------------


@cache
def ruled_fight() -> tuple[Evidence, ...]:
    """Return the lines of a closed fight: a ruling repeats the close of a round, and an undo follows it."""
    with House() as house:
        first = house.open(TINY, {})
        house.send(first, "gm", "end_round")
        house.send(first, "gm", "add", amount=4)
        house.send(first, "gm", "end_round")
        house.send(first, "ada", "contest", commit=3, claim="five it should be")
        instead = [{"type": "add", "data": {"amount": 5}}]
        ruled = house.accept(
            first, house.proposed(first, "amend", contest="c1", decision="so it is", instead=instead)
        )
        house.send(ruled, "gm", "add", amount=1)
        last = len(house.commits(ruled))
        undone = house.accept(ruled, house.proposed(ruled, "undo", commit=last))
        house.send(undone, "gm", "close", reason="enough")
        fight = [stored(house.log, line) for line in (first, ruled, undone)]
        return tuple(replace(signed_throughout(each), pinned=KEY) for each in fight)


def now_of(fight: Sequence[Evidence]) -> int:
    """Return the time of the last commit, in seconds since 1970."""
    at = json.loads(fight[-1].commits[-1])["at"]
    return int(datetime.fromisoformat(at).timestamp()) + 1


ENTRIES = ("opening", "head", "head", "end", "line", "head", "end", "line", "end")
"""The kinds of what `ruled_fight` owes; the round that a ruling repeats closes as it is accepted."""


def test_a_fight_with_rulings_owes_each_line_and_each_close(host: Host, witnesses: Witnesses) -> None:
    fight = ruled_fight()
    host.log(*fight)
    witnesses.now = now_of(fight)
    witnesses.submitter(host.writer.log).submit()

    report = judged(fight, host.proof(fight[-1]))
    assert report.verdict.is_sound, report.verdict
    [finding] = [each for each in report.findings if each.name == LOGGED]
    assert finding.detail.startswith(f"{len(ENTRIES)} statements of ")
    assert tuple(each.kind for each in entries_of(*fight)) == ENTRIES


@pytest.mark.parametrize("left_out", range(len(ENTRIES)))
def test_whatever_a_line_owes_and_is_not_in_the_log_is_named(host: Host, left_out: int) -> None:
    """So a fight that goes on from one that nobody has cannot do without that one's opening."""
    fight = ruled_fight()
    host.log(*fight, instead={left_out: None})
    missing = entries_of(*fight)[left_out]

    assert str(judged(fight, host.proof(*fight), "none").verdict) == f"unlogged({missing.size})"


def test_a_fight_that_goes_on_from_one_that_the_log_does_not_know_is_unlogged(host: Host) -> None:
    fight = ruled_fight()
    known = [entry for entry in entries_of(*fight) if entry.encounter != fight[0].encounter]
    host.propose(known)

    verdict = judged(fight, host.proof(fight[-1]), "none").verdict
    taken_back = f"in the line {fight[0].encounter}, which was taken back: the opening is not in the log"
    assert (str(verdict), verdict.detail) == ("unlogged(1)", taken_back)


FALSE: tuple[tuple[int, dict[str, Any]], ...] = (
    (4, {"parent": "00000000-0000-4000-8000-000000000009"}),
    (4, {"n": 1}),
    (4, {"head": "ab" * 32}),
    (4, {"ruled_in": "00000000-0000-4000-8000-000000000009"}),
    (3, {"continued_in": "00000000-0000-4000-8000-000000000009"}),
    (3, {"continued_in": ""}),
    (6, {"continued_in": ""}),
    (8, {"continued_in": "00000000-0000-4000-8000-000000000009"}),
    (1, {"kind": END}),
)


@pytest.mark.parametrize(("at", "changed"), FALSE)
def test_an_entry_that_says_otherwise_than_the_record_contradicts_it(
    host: Host, at: int, changed: dict[str, Any]
) -> None:
    fight = ruled_fight()
    false = replace(entries_of(*fight)[at], **changed)
    host.log(*fight, instead={at: false})
    proof = host.proof(fight[-1])
    host.propose(entries_of(*fight))  # also if the log has the right one beside it

    for each in (proof, host.proof(fight[-1])):
        assert str(judged(fight, each, "none").verdict) == f"log_contradicted({false.size})"


def test_a_line_that_is_logged_as_an_opening_is_contradicted(host: Host) -> None:
    fight = ruled_fight()
    host.log(*fight)
    root = root_of(fight[0].commits[:1]).hex()
    host.propose([LogEntry(OPENING, fight[1].encounter, 1, root, "ab" * 16)])

    assert str(judged(fight, host.proof(fight[-1]), "none").verdict) == "log_contradicted(1)"


def test_the_end_of_a_line_stands_as_an_end_in_the_log(host: Host) -> None:
    fight = ruled_fight()
    ends = {at: replace(entry, kind=HEAD) for at, entry in enumerate(entries_of(*fight)) if entry.kind == END}
    host.log(*fight, instead=ends)

    assert str(judged(fight, host.proof(fight[-1]), "none").verdict) == f"unlogged({ends[3].size})"


def test_a_ruling_long_after_the_round_that_it_repeats_is_dated_rightly(
    host: Host, witnesses: Witnesses
) -> None:
    """What a line repeats has the time at which it was given first."""
    fight = ruled_fight()
    first, *rest = entries_of(*fight)
    host.propose([first])
    witnesses.now = now_of(fight)
    witnesses.submitter(host.writer.log).submit()
    host.propose(rest)
    witnesses.submitter(host.writer.log).submit()

    assert judged(fight, host.proof(fight[-1]), delay_s=5).verdict.is_sound


def test_an_entry_of_no_line_of_the_fight_is_a_bad_log_proof(host: Host) -> None:
    fight = ruled_fight()
    host.log(*fight)
    report = judged(fight[:1], host.proof(fight[0]), "none")
    assert report.verdict.is_sound, report.verdict
    report = verify_fight(fight[:1], SHELF, without_rules=True)
    whole = json.loads(host.proof(fight[-1])) | {"encounter": fight[0].encounter}
    found = judge_log(report, fight[:1], dumps(whole) + b"\n", None)
    assert found.verdict.name == "bad_log_proof"
    assert "which is not a line of this fight" in found.verdict.detail


def spoilt(name: str, proof: bytes) -> bytes:
    """Return a log proof with one thing wrong."""
    data: dict[str, Any] = json.loads(proof)
    entries, points = data["entries"], data["checkpoints"]
    changes: dict[str, Any] = {
        "not canonical": lambda: None,
        "another encounter": lambda: data.update(encounter="00000000-0000-4000-8000-000000000001"),
        "another format": lambda: data.update(format="rewound/log-proof/2"),
        "a member more": lambda: data.update(extra=1),
        "another index": lambda: entries[1].update(index=entries[1]["index"] + 1),
        "another root": lambda: entries[1].update(entry=entries[1]["entry"].replace('"size":7', '"size":6')),
        "a hash less": entries[1]["proof"].pop,
        "a false hash": lambda: entries[1]["proof"].__setitem__(0, "0" * 64),
        "entries swapped": entries.reverse,
        "another size": lambda: points[0].update(note=points[0]["note"].replace("/log\n", "/log\n1", 1)),
        "no checkpoint": points.clear,
        "the checkpoint twice": lambda: points.append(points[0]),
        "a proof of nothing": lambda: points[0].update(consistency=["0" * 64]),
    }
    changes[name]()
    return dumps(data) + (b"\n\n" if name == "not canonical" else b"\n")


SPOILT = (
    *(
        "not canonical",
        "another encounter",
        "another format",
        "a member more",
        "another index",
        "another root",
    ),
    *("a hash less", "a false hash", "entries swapped", "another size", "no checkpoint"),
    *("the checkpoint twice", "a proof of nothing"),
)


@pytest.mark.parametrize("name", SPOILT)
def test_a_log_proof_that_does_not_hold_is_named(host: Host, witnesses: Witnesses, name: str) -> None:
    evidence = record()
    host.log(evidence)
    witnesses.submitter(host.writer.log).submit()
    proof = host.proof(evidence)
    assert judged(evidence, proof).verdict.is_sound
    assert judged(evidence, spoilt(name, proof)).verdict.name == "bad_log_proof"


def test_a_log_of_another_key_is_not_accepted(host: Host) -> None:
    evidence = record()
    host.log(evidence)
    stranger = policy_text([], "", log_key=Witnesses(host.home, ["x"]).all["x"].verifier_key)
    with pytest.raises(ValueError, match="line 1"):
        read_policy(stranger.encode())  # a witness is no log
    report = verify_fight([evidence], SHELF, without_rules=True)
    no_policy = judge_log(report, [evidence], host.proof(evidence), None)
    assert no_policy.verdict.is_sound  # the record's own key, accepted from outside


def test_entries_are_proved_in_the_first_checkpoint_that_was_cosigned(
    host: Host, witnesses: Witnesses
) -> None:
    evidence = record()
    host.propose([opening(7)])
    host.log(evidence)
    submitter = witnesses.submitter(host.writer.log)
    submitter.submit()
    host.propose([opening(at) for at in range(20, 300)])
    witnesses.now = START + 5 * 86_400
    submitter.submit()

    data = json.loads(host.proof(evidence))
    assert [point["note"].split("\n")[1] for point in data["checkpoints"]] == ["4", "284"]
    assert judged(evidence, host.proof(evidence)).verdict.is_sound
    later = {**data, "checkpoints": data["checkpoints"][1:]}
    assert judged(evidence, dumps(later) + b"\n").verdict.name == "bad_log_proof"
