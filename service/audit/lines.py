"""Compare a line of play with those that it continues: where it left them, what it repeats, its acceptance.

The record of a line has the commits that it continues, so its chain proves these. The rest of the earlier
lines proves that a proposal was made, what it repeats, and that this line was accepted as it stood. All
records must be sound on their own; this module compares them. With the rules, and with everything opened,
the beginning of a line is derived again from the earlier line, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from service.audit.beginnings import AS_RULED, REDO, Beginning, beginnings
from service.audit.dice import setup_of
from service.audit.evidence import Evidence
from service.audit.requests import read_request
from service.audit.sealing import sealing_after
from service.audit.seat_keys import keys_at_end, keys_of_seats
from service.audit.verdict import SEAM_BROKEN, UNKNOWN_EDITION, WRONG_PARENT, Verdict
from service.core.continuation import proposal
from service.core.continuation_plan import NOT_REPEATED, opening
from service.core.decide import BEGUN
from service.core.fold import Folder, Registry
from service.log import Payload, StoredEncounter
from service.log.memory import MemoryLog
from service.record.canonical import dumps, loads
from service.record.commit import ACCEPTED, SEALED, Commit, Request, dump_request, fold_commit, load_commit
from service.record.occasions import Occasions
from service.rules.contests.amendments import (
    AcceptAmendment,
    Amend,
    AmendmentDropped,
    AmendmentProposed,
    Continued,
    Redo,
    Undo,
)
from service.rules.contests.contests import ContestOpened
from service.rules.contests.continuing import LINE_OWN, Forked, split_sealed
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import EMPTY
from service.rules.ruleset import Ruleset
from service.rules.table.table import CLOCK, GM, MIXED, Table

ITS_OWN: Final = (
    *(*LINE_OWN, "dice_moved_in", "redirected_streams", "rolls_in_other_epochs", "sealed_places", "seats"),
)
"""Members of a state in which a line or a fork differs from what it continues, or that are compared apart."""


@dataclass(frozen=True)
class AuditedLine:
    """A line of play: its record, which is sound on its own."""

    evidence: Evidence
    commits: Sequence[Commit]
    begun: Beginning | None
    """Where it begins in its record; None for the first line of a fight."""

    @classmethod
    def of(cls, evidence: Evidence, commits: Sequence[Commit] | None = None) -> AuditedLine:
        """Return the line of *evidence*."""
        read = [load_commit(raw) for raw in evidence.commits] if commits is None else commits
        begun = [each for each in beginnings(read) if each.line == evidence.encounter]
        return cls(evidence, read, begun[-1] if begun else None)

    def request(self, n: int) -> Request | None:
        """Return the request of commit *n*; None if it is withheld or none."""
        raw = self.evidence.requests[n - 1] if 1 <= n <= len(self.evidence.requests) else None
        return None if raw is None else read_request(raw)

    @property
    def is_open(self) -> bool:
        """Whether nothing is withheld or sealed in its evidence."""
        sealed = sum("sealed" in event for commit in self.commits for event in commit.events)
        return None not in self.evidence.requests and len(self.evidence.opened) == sealed


class _Broken(Exception):
    """The seam does not hold at commit *n*."""

    def __init__(self, n: int, detail: str) -> None:
        super().__init__(detail)
        self.verdict = Verdict(SEAM_BROKEN, n, detail)


def seam_fault(
    line: AuditedLine,
    parent: AuditedLine,
    ruled: AuditedLine,
    lines: Mapping[str, AuditedLine],
    again: OpenLines | None = None,
) -> Verdict | None:
    """Return what is wrong where *line* continues *parent* by a ruling in *ruled*; None if nothing is.

    *lines* are those above it in the file. With *again*, in which every one of them is, its beginning is
    derived from these once more.
    """
    assert line.begun is not None, "the first line of a fight continues none"
    begun = line.begun
    try:
        _check_above((parent, ruled), begun, lines)
        _check_left(line, parent, begun)
        proposed = _proposed(ruled, begun)
        _check_redone(begun, lines)
        _check_plan(line, parent, begun, proposed)
        _check_seeds(line, begun, ruled.commits[:proposed])
        _check_accepted(line, ruled, begun)
        if again is not None:
            _compare(line, begun, again, ruled)
    except _Broken as broken:
        return broken.verdict
    return None


def _check_above(earlier: Sequence[AuditedLine], begun: Beginning, lines: Mapping[str, AuditedLine]) -> None:
    if any(each.evidence.encounter not in lines for each in earlier):
        raise _Broken(begun.n, "it stands above what it continues")


def _check_left(line: AuditedLine, parent: AuditedLine, begun: Beginning) -> None:
    n = begun.n - 1
    if n > len(parent.commits) or parent.commits[n - 1].hash != line.commits[n - 1].hash:
        raise _Broken(begun.n, f"commit {n} of {parent.evidence.encounter} is not the one that it continues")


def _proposed(ruled: AuditedLine, begun: Beginning) -> int:
    """Return the number of the commit that proposed a line; raises `_Broken`."""
    found = [
        (commit.n, event)
        for commit in ruled.commits
        for event in commit.events
        if event.get("type") == AmendmentProposed.type and event.get("amendment") == begun.origin["amendment"]
    ]
    if not found:
        raise _Broken(begun.n, "nobody proposed it")
    n, event = found[-1]
    if event.get("kind") != begun.origin["kind"]:
        raise _Broken(begun.n, f"it was proposed as {event.get('kind')}")
    sent = ruled.request(n)
    if sent is not None and not _proposes(sent, event):
        raise _Broken(begun.n, f"commit {n} does not propose what its seat sent")
    if event["kind"] != REDO and (event.get("commit"), n) != (begun.n, begun.origin["upto"]):
        raise _Broken(begun.n, f"commit {n} proposed to continue before commit {event.get('commit')}")
    if event["kind"] == AS_RULED and _contested(ruled.commits[:n], event.get("contest")) != begun.n:
        raise _Broken(begun.n, f"commit {n} answers a contest of another commit")
    if any(_drops(event, begun) for commit in ruled.commits[n:] for event in commit.events):
        raise _Broken(begun.n, f"what commit {n} proposed was dropped")
    return n


def _contested(commits: Sequence[Commit], contest: object) -> object:
    """Return the commit that a contest is about, None if nobody opened it in *commits*."""
    opened = (event for commit in reversed(commits) for event in commit.events)
    named = (ContestOpened.type, contest if isinstance(contest, str) else "")
    return next((e.get("commit") for e in opened if (e.get("type"), e.get("contest")) == named), None)


def _drops(event: Mapping[str, Any], begun: Beginning) -> bool:
    named = (event.get("type"), event.get("amendment"))
    return named == (AmendmentDropped.type, begun.origin["amendment"])


def _check_redone(begun: Beginning, lines: Mapping[str, AuditedLine]) -> None:
    """Check that a redo restores what the last undo took back that no redo has restored; raises `_Broken`."""
    if begun.origin["kind"] != REDO:
        return
    steps: list[Mapping[str, Any]] = []
    at: str = begun.origin["ruled_in"]
    while at in lines and len(steps) < len(lines):
        origin = _undoing(lines[at])
        if origin is None:
            break
        steps.append(origin)
        at = origin["ruled_in"] or origin["parent"]
    else:
        return  # what it restores is not in the file
    restored: list[tuple[str, int]] = []
    for step in reversed(steps):
        undone = (str(step["parent"]), step["upto"] - 1)
        restored = restored[1:] if step["kind"] == REDO else [undone, *restored[: step["levels"] - 1]]
    said = begun.origin
    if restored[:1] != [(said["parent"], said["n"])] or said["upto"] != said["n"]:
        raise _Broken(begun.n, "it does not go on from what the last undo took back")


def _undoing(line: AuditedLine) -> Mapping[str, Any] | None:
    """Return the origin of a line that an undo or a redo began, if another redo could follow it."""
    origin = None if line.begun is None else line.begun.origin
    levels = None if origin is None else origin.get("levels")
    return origin if type(levels) is int and levels > 0 else None


def _check_seeds(line: AuditedLine, begun: Beginning, before: Sequence[Commit]) -> None:
    """Check that a line goes on with the seeds that the seats have sent in the commits *before*."""
    setup = setup_of(line.evidence, line.commits)
    if setup is None or setup.mode != MIXED:
        return
    sealing = line.commits[begun.n - 1].events[0]["state"].get("sealing")
    if not _is_same(sealing, sealing_after(before)):
        raise _Broken(begun.n, "it goes on with other seeds than the seats sent")


def _proposes(request: Request, event: Mapping[str, Any]) -> bool:
    """Return whether *event* says what a command proposed."""
    kind = {Amend.type: "as_ruled", Undo.type: "undo", Redo.type: "redo"}.get(request.type)
    is_there = request.type != Undo.type or _is_same(request.data.get("commit"), event.get("commit"))
    return kind == event.get("kind") and is_there


def _is_same(one: object, other: object) -> bool:
    """Return whether two values have one spelling: `true` is not 1."""
    return dumps(one) == dumps(other)


def _check_plan(line: AuditedLine, parent: AuditedLine, begun: Beginning, proposed: int) -> None:
    """Check that a line repeats what its ruling says, as it was given, and nothing else; raises `_Broken`."""
    if begun.origin["kind"] != AS_RULED:
        if begun.plan:
            raise _Broken(begun.n, "an undo or a redo repeats no command")
        return
    ruling = parent.request(proposed)
    instead = ruling.data.get("instead") if ruling is not None else None
    added = len(begun.plan) - len([old for old in begun.plan if old])
    is_read = ruling is None or (isinstance(instead, list) and len(instead) == added)
    if begun.plan[:added] != (0,) * added or not is_read:
        raise _Broken(begun.n, "it adds other commands than its ruling")
    for i, said in enumerate(instead if isinstance(instead, list) else ()):
        _check_added(line, parent, begun, i, said)
    _check_repeated(line, parent, begun, added, proposed)


def _check_added(line: AuditedLine, parent: AuditedLine, begun: Beginning, i: int, said: object) -> None:
    now, then = line.request(begun.n + 1 + i), parent.request(begun.n)
    if now is None or then is None:
        return
    ruled = said if isinstance(said, dict) else {}
    is_theirs = ruled.get("by", "sender") == "sender" and then.actor.seat != CLOCK
    is_by = now.actor == (then.actor if is_theirs else Actor(seat=GM, role=GM))
    wanted = [ruled.get("type"), ruled.get("data"), then.at]
    if not is_by or not _is_same([now.type, now.data, now.at], wanted):
        raise _Broken(begun.n + 1 + i, "it is not the command that the ruling put there")


def _check_repeated(
    line: AuditedLine, parent: AuditedLine, begun: Beginning, added: int, proposed: int
) -> None:
    known = {old: begun.n + 1 + i for i, old in enumerate(begun.plan) if old}
    if len(known) != len(begun.plan) - added or list(known) != sorted(known):
        raise _Broken(begun.n, "it repeats commands twice or out of order")
    for old, n in known.items():
        if not begun.n < old < proposed:
            raise _Broken(n, f"it repeats command {old}, which was not taken back")
    for commit in parent.commits[begun.n : proposed - 1]:
        then, counts = parent.request(commit.n), commit.outcome in (ACCEPTED, SEALED)
        is_play = then is None or then.type not in NOT_REPEATED
        if commit.n not in known:
            if counts and then is not None and is_play:
                raise _Broken(begun.n, f"it leaves out command {commit.n}")
            continue
        now = line.request(known[commit.n])
        is_same = then is None or now is None or _is_same(_repeated(then), _given(now))
        if not (counts and is_play and is_same):
            raise _Broken(known[commit.n], f"it is not command {commit.n} as it was given")


def _given(request: Request) -> dict[str, Any]:
    """Return a command without the line of play that it was sent to."""
    return {name: value for name, value in loads(dump_request(request)).items() if name != "encounter"}


def _repeated(request: Request) -> Mapping[str, Any]:
    """Return how a command is repeated: without its array, and without the contest that it answered."""
    data = {name: value for name, value in request.data.items() if name != "contest"}
    return _given(replace(request, data=data, batch=None))


def _check_accepted(line: AuditedLine, ruled: AuditedLine, begun: Beginning) -> None:
    """Check that the line in which it was ruled ends with its acceptance, by hash; raises `_Broken`."""
    ended, said = next(_continued(ruled.commits), (0, None))
    if said is None:
        raise _Broken(begun.n, "its parent has not accepted it")
    sent = ruled.request(ended)
    if sent is not None and not _accepts(sent, said):
        raise _Broken(begun.n, f"commit {ended} does not accept what its seat sent")
    if said.get("encounter") != line.evidence.encounter or said.get("amendment") != begun.origin["amendment"]:
        raise _Broken(begun.n, "its parent is continued by another line")
    named, drafted = said.get("head"), begun.drafted
    head = named if isinstance(named, dict) and drafted <= len(line.commits) else {}
    if (head.get("n"), head.get("hash")) != (drafted, line.commits[min(drafted, len(line.commits)) - 1].hash):
        raise _Broken(drafted, f"commit {drafted} is not the one that its parent accepted")
    if begun.accepted is None:
        return
    accepted = line.commits[begun.accepted - 1]
    request = line.request(begun.accepted)
    if request is not None and request.actor.role != CLOCK:
        raise _Broken(begun.accepted, "the service alone says that a line is accepted")
    if keys_of_seats(accepted.events[0].get("seats")) != keys_at_end(ruled.commits):
        raise _Broken(begun.accepted, "its seats have other keys than they had in its parent")


def _accepts(request: Request, event: Mapping[str, Any]) -> bool:
    """Return whether *event* says what a command accepted, which its seat has signed if it has a key."""
    names = ("encounter", "amendment", "head")
    is_same = all(_is_same(request.data.get(name), event.get(name)) for name in names)
    return request.type == AcceptAmendment.type and is_same


def _continued(commits: Sequence[Commit]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the event with which a record ends, if it does, and its commit; only refused ones may follow."""
    for commit in reversed(commits):
        yield from ((commit.n, event) for event in commit.events if event.get("type") == Continued.type)
        if commit.outcome in (ACCEPTED, SEALED):
            return


# --- with the rules --------------------------------------------------------------------------------------


class OpenLines:
    """Lines of play of which nothing is sealed or withheld, read and folded from their evidence."""

    def __init__(self, registry: Registry) -> None:
        self.log = MemoryLog()
        self.folder = Folder(self.log, registry, asks=False)
        self.occasions = Occasions(self.log)

    def with_(self, line: AuditedLine) -> OpenLines | None:
        """Return the lines with one more; None if something of it is sealed or withheld."""
        if not line.is_open:
            return None
        evidence = line.evidence
        self.log.restore(
            StoredEncounter(
                encounter=evidence.encounter,
                hash=evidence.head,
                frontier=b"",
                commands=[raw or b"" for raw in evidence.requests],
                commits=list(evidence.commits),
                sealed=[Payload(*place, each.stored) for place, each in sorted(evidence.opened.items())],
                keys={},
                marks={} if line.begun is None else {BEGUN: b"%d" % line.begun.n},
                derived={},
            )
        )
        return self


def _compare(line: AuditedLine, begun: Beginning, again: OpenLines, ruled: AuditedLine) -> None:
    """Derive the beginning of a line, and what it repeats, from the earlier lines again; raises `_Broken`."""
    said = line.request(begun.n)
    found = proposal(again.log, ruled.evidence.encounter, begun.origin["amendment"])
    if said is None or found is None:
        return
    first, repeated = opening(again, found, said.at)
    mine, theirs = loads(dump_request(first)), loads(dump_request(said))
    for data in (mine["data"], theirs["data"]):  # another build gives the same line
        data["digest"] = data["state"]["digest"] = ""
    if not _is_same(mine, theirs):
        pairs = ((name, value, theirs["data"].get(name)) for name, value in mine["data"].items())
        name = next((name for name, value, other in pairs if not _is_same(value, other)), "")
        raise _Broken(begun.n, f"it does not begin as its parent leaves it: {name}")
    for n, each in enumerate(repeated, begun.n + 1):
        if dump_request(each.request) != line.evidence.requests[n - 1]:
            raise _Broken(n, f"it is not command {each.old} as it was given")


# --- a fork and what it continues ------------------------------------------------------------------------


def parent_of(fork: Evidence) -> str | None:
    """Return the line that *fork* continues; None if it is no fork."""
    events = load_commit(fork.commits[0]).events if fork.commits else []
    begun = next((each for each in events if each.get("type") == Forked.type), None)
    return None if begun is None else str(begun["origin"]["parent"])


def fork_fault(parent: Evidence, fork: Evidence, registry: Registry) -> Verdict | None:
    """Return what is wrong where *fork* continues *parent*; None if nothing is."""
    events = load_commit(fork.commits[0]).events if fork.commits else []
    begun = next((each for each in events if each.get("type") == Forked.type), None)
    if begun is None:
        return Verdict(WRONG_PARENT, 1, "it does not continue another encounter")
    origin, commits = begun["origin"], [load_commit(raw) for raw in parent.commits]
    if origin["parent"] != parent.encounter:
        return Verdict(WRONG_PARENT, 1, f"it continues {origin['parent']}, not {parent.encounter}")
    n = origin["n"]
    if not 1 <= n <= len(commits) or commits[n - 1].hash != origin["hash"]:
        return Verdict(SEAM_BROKEN, 1, f"commit {n} of the parent is not the one it continues from")
    return _state_fault(parent, commits, n, begun, registry)


def _state_fault(
    parent: Evidence, commits: Sequence[Commit], n: int, begun: Mapping[str, Any], registry: Registry
) -> Verdict | None:
    ruleset = registry.get(commits[0].edition)
    if ruleset is None:
        return Verdict(UNKNOWN_EDITION, 1, f"this verifier has no rules of the edition {commits[0].edition}")
    state, sealed = folded_to(parent, ruleset, n)
    if state is None:
        return Verdict("seam_sealed", sealed, f"commit {sealed} of the parent is sealed from this reader")
    known = split_sealed(state)[0].data
    for name, value in begun["state"].items():
        if name not in ITS_OWN and to_data(value) != known.get(name):
            detail = f"its state differs from that of commit {n} of the parent"
            return Verdict(SEAM_BROKEN, 1, detail, path=f"/{name}")
    return None


def folded_to(evidence: Evidence, ruleset: Ruleset[Any], n: int) -> tuple[Table | None, int | None]:
    """Return the state after commit *n* of a sound record, or the first commit sealed from its reader."""
    state: Table = ruleset.blank
    for raw in evidence.commits[:n]:
        commit = load_commit(raw)
        payloads = _payloads(evidence, commit)
        if payloads is None:
            return None, commit.n
        state = fold_commit(ruleset, state, commit, payloads)
    return state, None


def _payloads(parent: Evidence, commit: Commit) -> Mapping[int, Any] | None:
    found = {}
    for index, event in enumerate(commit.events):
        if "sealed" in event:
            opened = parent.opened.get((commit.n, index))
            if opened is None:
                return None
            found[index] = loads(opened.payload)
    return found or EMPTY
