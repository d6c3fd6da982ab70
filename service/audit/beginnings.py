"""Check where lines of play begin in a record: an event counts only where it may stand.

A record goes on in another line of play where a commit begins one: its first event is the public
`line_begun`, which names the commit before it. Behind the beginning stand the commands that it plans to
repeat, then its acceptance, or the beginning of another line. Anywhere else these events would switch off
what other commits are held to, so a record that has them there is malformed. Nothing is played behind the end
of a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from service.audit.verdict import FORGED_COMMAND, MALFORMED, Fault, Verdict
from service.core.continuation import line_id
from service.record.commit import ACCEPTED, SEALED, Commit
from service.rules.contests.acceptance import DueDisclosed, LineAccepted
from service.rules.contests.amendments import Continued
from service.rules.contests.continuing import Forked, LineBegun, LinkInherited
from service.rules.opening import EncounterOpened
from service.rules.rolls.closing import EncounterClosed, EpochClosed

AS_RULED: Final = "as_ruled"
REDO: Final = "redo"
_KINDS: Final = (AS_RULED, "undo", REDO)
_PLACED: Final = (
    *(LineBegun.type, LineAccepted.type, Forked.type, EncounterOpened.type),
    LinkInherited.type,
)
_INHERITING: Final = (LineBegun.type, Forked.type)
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {LineBegun.type: (LinkInherited.type,), LineAccepted.type: (EpochClosed.type, DueDisclosed.type)}
)
"""The types of public events that may stand behind these two, by theirs."""
_ENDING: Final = (EncounterClosed.type, Continued.type)
"""Types of events that end a record."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A line of play that begins in a record: its first commit, and what stands behind it."""

    line: str
    n: int
    """The number of its first commit."""
    origin: Mapping[str, Any]
    plan: tuple[int, ...]
    accepted: int | None
    """The number of the commit that accepts it; None if the record leaves it, or ends, before that."""

    @property
    def drafted(self) -> int:
        """The number of its last commit as it was proposed."""
        return self.n + len(self.plan)


def begun_by(commit: Commit) -> str | None:
    """Return the line of play that *commit* says it begins; None if it begins none."""
    event = commit.events[0] if commit.events else {}
    line = event.get("encounter") if event.get("type") == LineBegun.type else None
    return line if isinstance(line, str) else None


def beginnings(commits: Sequence[Commit]) -> list[Beginning]:
    """Return the lines of play that begin in the checked record *commits*, in order."""
    found = []
    starts = [commit.n for commit in commits if begun_by(commit) is not None]
    for n, after in pairwise([*starts, len(commits) + 1]):
        event = commits[n - 1].events[0]
        accepted = n + len(event["plan"]) + 1
        line = str(event["encounter"])
        found.append(
            Beginning(line, n, event["origin"], tuple(event["plan"]), accepted if accepted < after else None)
        )
    return found


def repeated(commits: Sequence[Commit]) -> frozenset[int]:
    """Return the numbers of the commits in the checked record *commits* that lines begin with and repeat.

    The earlier lines have what is repeated as it was given and signed.
    """
    return frozenset(n for begun in beginnings(commits) for n in range(begun.n, begun.drafted + 1))


def check_beginnings(commits: Sequence[Commit], payloads: Mapping[int, Mapping[int, Any]]) -> None:
    """Check that lines begin, and are accepted, only where they may; raises `Fault`."""
    drafted: int | None = None
    """The last commit of the line as it was proposed, while the record is not beyond it."""
    is_over = False
    for commit in commits:
        if is_over and commit.outcome in (ACCEPTED, SEALED):
            raise Fault(Verdict(FORGED_COMMAND, commit.n, "it is accepted behind the end of the record"))
        is_over = is_over or any(event.get("type") in _ENDING for event in commit.events)
        n, first = commit.n, commit.events[0] if commit.events else {}
        for index, event in _placed(commit, payloads.get(n, {})):
            is_first = index == 0 and event is first
            opens_here = event["type"] in (Forked.type, EncounterOpened.type) and n == 1
            line_here = event["type"] == LineBegun.type and n > 1 and _is_beginning(commits, commit, event)
            accepted_here = event["type"] == LineAccepted.type and drafted == n - 1
            inherits_here = event["type"] == LinkInherited.type and index > 0 and first["type"] in _INHERITING
            if not (is_first and (opens_here or line_here or accepted_here)) and not inherits_here:
                raise Fault(Verdict(MALFORMED, n, f"the event {event['type']} may not stand there"))
        if not _is_alone(commit):
            raise Fault(Verdict(MALFORMED, n, f"more stands beside the event {first['type']} than may"))
        if first.get("type") == LineBegun.type:
            drafted = n + len(first["plan"])
        elif drafted is not None and n > drafted:
            if first.get("type") != LineAccepted.type:
                raise Fault(Verdict(FORGED_COMMAND, n, "only the acceptance follows what a line repeats"))
            drafted = None


def _placed(
    commit: Commit, lying: Mapping[int, Mapping[str, Any]]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the events of *commit*, also those in opened envelopes, that have their place in a record."""
    for index, event in enumerate(commit.events):
        if event.get("type") in _PLACED:
            yield index, event
    for payload in lying.values():
        for event in payload["events"]:
            if event.get("type") in _PLACED:
                yield -1, event


def _is_alone(commit: Commit) -> bool:
    """Return whether only what belongs there stands behind the first event of *commit*, if that places it."""
    beside = _BESIDE.get(commit.events[0].get("type", "")) if commit.events else None
    others = [event["type"] for event in commit.events[1:] if "sealed" not in event]
    return beside is None or (not commit.rolls and all(type_ in beside for type_ in others))


def _is_beginning(commits: Sequence[Commit], commit: Commit, event: Mapping[str, Any]) -> bool:
    """Return whether *event* has the form of a beginning that continues the commit before it."""
    origin, plan = event.get("origin"), event.get("plan")
    if not (isinstance(origin, dict) and isinstance(plan, list) and isinstance(event.get("state"), dict)):
        return False
    texts = (origin.get(name) for name in ("parent", "hash", "amendment", "ruled_in"))
    return (
        all(isinstance(each, str) for each in texts)
        and origin.get("kind") in _KINDS
        and (type(origin.get("n")), type(origin.get("upto"))) == (int, int)
        and origin["n"] == commit.n - 1
        and origin["hash"] == commit.prev
        and (origin["ruled_in"] != "") == (origin["kind"] == REDO)
        and all(type(old) is int and old >= 0 for old in plan)
        and commit.encounter != commits[commit.n - 2].encounter
        and event.get("encounter") == commit.encounter
        and _is_named(commit.encounter, origin)
    )


def _is_named(line: str, origin: Mapping[str, Any]) -> bool:
    """Return whether the id of a line follows from its proposal, so that it begins one at most."""
    try:
        return line == line_id(origin["ruled_in"] or origin["parent"], origin["amendment"])
    except ValueError:  # `NotCanonical` and `UnicodeEncodeError` are
        return False
