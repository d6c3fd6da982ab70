"""Derive how a line of play begins that continues the record of another one from an earlier commit.

Laws. Everything here is derived from the old line's record and the proposal in it, so a second computation
gives the same result. A request holds nothing sealed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Protocol

from service.core.fold import Folder
from service.core.lineage import PAGE, began, beginning_request, ends_redoing, entries, levels, undone
from service.core.seams import beginning
from service.dice.values import RollName
from service.log import Log
from service.record.canonical import dumps, eid_of
from service.record.commit import Commit, load_commit
from service.record.digest import ruleset_digest
from service.record.envelopes import envelopes
from service.record.ids import uuid8
from service.record.occasions import Occasions
from service.record.subjects import LINE_BEGUN, LINKS, PROPOSED, events_about, is_about
from service.rules.contests.amendments import AmendmentDetailed
from service.rules.contests.continuing import LINE_OWN, SealedValues, SealedValuesInherited, split_sealed
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.records import Sealed, changed
from service.rules.kernel.sealed import is_opened, places_of_sealed
from service.rules.table.disputes import Amendment
from service.rules.table.lines import FORK, Line, Logged, Origin
from service.rules.table.table import Table

_LABEL: Final = b"rewound/line/1\x00"
Scope = tuple[tuple[str, ...], str]


class ContinuationReader(Protocol):
    """Reads a record: the services of a process, or a worker."""

    @property
    def log(self) -> Log:
        """The record."""
        ...

    @property
    def folder(self) -> Folder:
        """Its folded states."""
        ...

    @property
    def occasions(self) -> Occasions:
        """The occasions that have opened its envelopes."""
        ...


@dataclass(frozen=True)
class Proposal:
    """A proposal on the record: the amendment, and the commit that contains it."""

    parent: str
    n: int
    amendment: Amendment

    @property
    def encounter(self) -> str:
        """The id of the proposed line."""
        return line_id(self.parent, self.amendment.id)


def line_id(parent: str, amendment: str) -> str:
    """Return the UUID (version 8) of the encounter that *amendment* of *parent* begins."""
    return uuid8(sha256(_LABEL + eid_of(parent) + amendment.encode("ascii")).digest())


def proposal(log: Log, parent: str, amendment: str) -> Proposal | None:
    """Return the latest proposal of *parent* with the id *amendment*; None if there is none."""
    head = log.head(parent)
    upto = head.folded if head else 0
    first = began(log, parent)
    while upto >= first:
        after = max(first - 1, upto - PAGE)
        for entry in reversed(log.commits(parent, after, upto - after)):
            for event in events_about(entry.raw, PROPOSED).values():
                if event["amendment"] == amendment:
                    return Proposal(parent, entry.n, _amendment(log, parent, entry.n, event))
        upto = after
    return None


def proposals(log: Log, parent: str) -> Iterator[Proposal]:
    """Yield every proposal of a line of play, the first one first."""
    head = log.head(parent)
    for entry in entries(log.commits, parent, began(log, parent) - 1, head.folded if head else 0):
        for event in events_about(entry.raw, PROPOSED).values():
            yield Proposal(parent, entry.n, _amendment(log, parent, entry.n, event))


def _amendment(log: Log, parent: str, n: int, event: Mapping[str, Any]) -> Amendment:
    """Return the proposal in *event* of commit *n*, with the payload of its envelope."""
    fields = {name: value for name, value in event.items() if name not in ("type", "because", "amendment")}
    if event["kind"] == "as_ruled":
        payloads = [json.loads(envelope.payload) for envelope in envelopes(log, parent, n - 1, n).values()]
        fields["instead"] = next(
            detailed["instead"]
            for payload in payloads
            for detailed in payload["events"]
            if detailed["type"] == AmendmentDetailed.type
        )
    return from_data(Amendment, {"id": event["amendment"], **fields})


# --- the state it begins with ----------------------------------------------------------------------------


@dataclass(frozen=True)
class LineStart:
    """How a line begins: its whole state, and the links that the old line has disclosed."""

    state: Table
    links: tuple[dict[str, Any], ...]

    def kept(self) -> tuple[SealedValues, ...]:
        """Return the sealed values of the members that the line has of its own."""
        return split_sealed(self.state, LINE_OWN)[1]


def line_start(reading: ContinuationReader, found: Proposal) -> LineStart:
    """Return how the line of a proposal begins."""
    amendment = found.amendment
    parent, n, upto = starting_point(reading, found)
    before = reading.folder.at(parent, n)
    now = reading.folder.at(found.parent, found.n).state
    origin = Origin(
        parent=parent,
        n=n,
        hash=before.hash,
        upto=upto,
        kind=amendment.kind,
        amendment=amendment.id,
        ruled_in=found.parent if found.parent != parent else "",
        levels=levels(reading, found.parent, found.n, amendment.kind),
    )
    state: Table = changed(
        before.state,
        encounter=found.encounter,
        digest=ruleset_digest(before.ruleset),
        dice=changed(before.state.dice, chain=before.state.dice.chain or before.state.encounter),
        # A draft judges each command by the seats at the time when it was given, and discloses nothing. Its
        # acceptance sets the seats of the old line's end, so that no old token becomes valid.
        draft=True,
        undisclosed_epochs=(),
        # Seeds are never taken back: a person who saw one must not choose another against it.
        sealing=now.sealing,
        contests=_answered(now, amendment),
        amendment=None,
        amendments=now.amendments,
        amendments_dropped=now.amendments_dropped,
        last_exposed_epoch=amendment.epoch,
        stopped=None,
        origin=origin,
        line=_line(reading, found, before.state, now.line),
    )
    return LineStart(state=state, links=tuple(_links(reading.log, found.parent, found.n)))


def is_void(reading: ContinuationReader, found: Proposal) -> bool:
    """Return whether a proposal has no starting point because play continued before it was made."""
    return found.amendment.kind == "redo" and ends_redoing(reading, found.parent, found.n)


def starting_point(reading: ContinuationReader, found: Proposal) -> tuple[str, int, int]:
    """Return the line whose record a proposal continues, the commit, and the line's last commit then."""
    if found.amendment.kind == "redo":
        part = undone(reading, found.parent)[0]
        return part.line, part.last, part.last
    return found.parent, found.amendment.commit - 1, found.n


def inherited_occasions(reading: ContinuationReader, parent: str, n: int, state: Table) -> tuple[str, ...]:
    """Return the occasions of values sealed in *state* that had come by commit *n* of *parent*."""
    came = {occasion for occasion, at in reading.occasions.upto(parent, n).items() if at <= n}
    sealed = {each.opens for _, each in places_of_sealed(state)}
    return tuple(sorted(opens for opens in sealed if is_opened(opens, came)))


def _answered(now: Table, amendment: Amendment) -> Mapping[str, Any]:
    """Return the contests as they will be when the proposal is accepted."""
    if amendment.contest is None:
        return now.contests
    contest = changed(
        now.contests[amendment.contest],
        status="as_ruled",
        decision=amendment.decision,
        reason=amendment.reason,
    )
    return {**now.contests, amendment.contest: contest}


def _line(reading: ContinuationReader, found: Proposal, state: Table, now: Line | None) -> Line:
    """Return the rolls that were seen beyond the starting point, and the epochs that were gone through.

    Seen are those of the commits that are taken back, and those that the lines in between had seen: *now* is
    what the line that a redo leaves has of them.
    """
    parent, n, upto = starting_point(reading, found)
    commits = [load_commit(entry.raw) for entry in entries(reading.log.commits, parent, n, upto)]
    earlier = [state.line, *_lines_begun_in(reading, parent, commits)]
    before = [each for each in (*earlier, now) if each is not None]
    old: dict[str, tuple[Logged, ...]] = {}
    for line in before:
        for name, rolls_ in line.old_rolls.items():
            known = old.get(name, ())
            old[name] = (*known, *(roll for roll in rolls_ if roll not in known))
    hidden: dict[Scope, dict[str, tuple[Logged, ...]]] = {}
    lying = envelopes(reading.log, parent, n, upto) if commits else {}
    came = {occasion for occasion, at in reading.occasions.upto(parent, upto).items() if at <= upto}
    for commit in commits:
        _note(old, commit.rolls)
        for index, event in enumerate(commit.events):
            if "sealed" not in event:
                continue
            rolls = json.loads(lying[commit.n, index].payload)["rolls"]
            if is_opened(event["opens"], came):
                _note(old, rolls)
            elif rolls:
                _note(hidden.setdefault((tuple(event["audience"]), event["opens"]), {}), rolls)
    sealed = [part for line in before for part in line.sealed_rolls]
    sealed += [_sealed(who, when, hidden[who, when]) for who, when in sorted(hidden)]
    epochs = {state.epoch, *(commit.epoch for commit in commits)}
    later = {epoch for line in before for epoch in line.old_epochs if epoch > state.epoch}
    new = {epoch for line in before for epoch in line.new_epochs}
    return Line(
        old_rolls=old,
        sealed_rolls=tuple({dumps(to_data(part)): part for part in sealed}.values()),
        old_epochs=tuple(sorted(epochs | later)),
        new_epochs=(*sorted(new), found.amendment.epoch),
    )


def _lines_begun_in(
    reading: ContinuationReader, parent: str, commits: Iterable[Commit]
) -> Iterator[Line | None]:
    """Yield what each line that began in *commits* of the record of *parent* had seen of other lines."""
    for commit in commits:
        if is_about(commit.raw, LINE_BEGUN):
            yield reading.folder.at(parent, commit.n).state.line


def _sealed(
    audience: tuple[str, ...], opens: str, rolls: Mapping[str, tuple[Logged, ...]]
) -> Sealed[Mapping[str, tuple[Logged, ...]]]:
    return Sealed(audience=audience, opens=opens, value=rolls)


def _note(known: dict[str, tuple[Logged, ...]], rolls: Iterable[Mapping[str, Any]]) -> None:
    """Add *rolls* to those logged under their names; a roll that gained dice is logged a second time."""
    for roll in rolls:
        name = str(RollName.from_data(roll["name"]))
        purpose = {key: tuple(v) if isinstance(v, list) else v for key, v in roll["purpose"].items()}
        logged = Logged(purpose=purpose, sides=tuple(die["sides"] for die in roll["dice"]))
        if logged not in known.get(name, ()):
            known[name] = (*known.get(name, ()), logged)


def _links(log: Log, parent: str, upto: int) -> Iterator[dict[str, Any]]:
    """Yield the last link that the old line disclosed of each lane; earlier links are derived from it."""
    last: dict[int, dict[str, Any]] = {}
    for entry in entries(log.commits, parent, 0, upto):
        for event in events_about(entry.raw, LINKS).values():
            if event["epoch"] >= last.get(event["lane"], event)["epoch"]:
                last[event["lane"]] = event
    for lane in sorted(last):
        yield {name: last[lane][name] for name in ("lane", "epoch", "link")}


def sealed_values(reading: ContinuationReader, origin: Origin) -> tuple[SealedValues, ...]:
    """Return the sealed values that a line from *origin* has of its own where it begins."""
    found = proposal(reading.log, origin.proposed_in, origin.amendment)
    return line_start(reading, found).kept() if found is not None else ()


def sealed_values_in(commit: Commit, payloads: Mapping[int, Mapping[str, Any]]) -> tuple[SealedValues, ...]:
    """Return the sealed values in the first commit of a line or fork; *payloads* are by index."""
    return tuple(
        SealedValues(
            audience=tuple(event["audience"]),
            opens=event["opens"],
            values=inner["values"],
            orders=inner["orders"],
        )
        for index, event in enumerate(commit.events)
        for inner in payloads.get(index, {}).get("events", ())
        if inner["type"] == SealedValuesInherited.type
    )


def inherits(log: Log, encounter: str) -> str | None:
    """Return the encounter whose dice chain *encounter* uses; None if it has its own."""
    request = beginning_request(log, encounter)
    if request is None or request.data["origin"]["kind"] == FORK:
        return None
    return str(request.data["origin"]["parent"])


def throws_dice(log: Log, encounter: str) -> bool:
    """Return whether this store has the seeds of *encounter*: its own, or those of the line that it replaced.

    A line that is only proposed has none, and neither has an imported encounter.
    """
    seen = set()
    while log.secret(encounter) is None:
        parent = inherits(log, encounter) if beginning(log, encounter) is not None else None
        if parent is None or parent in seen:
            return False
        seen.add(encounter)
        encounter = parent
    return True
