"""Compare characters that an encounter took over with the commits that they were carried from.

An opening, an arrival or a hidden creature may bring a character as it stood in another encounter: what it
carries names the commit. Only that encounter's record can prove it. What an entry has beside the carried
character was written in by hand: that is allowed, and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from service.audit.evidence import Evidence
from service.audit.lines import folded_to
from service.audit.redecide import first_difference, short
from service.audit.report import Report
from service.audit.verdict import CARRY_FORGED, Finding, Verdict
from service.core.fold import Registry
from service.record.canonical import loads
from service.record.commit import load_commit
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.json_pointer import escaped, steps
from service.rules.kernel.messages import Refused
from service.rules.kernel.sealed import EVERYTHING, opened
from service.rules.kernel.sealed_data import fields_in, whole
from service.rules.ruleset import Ruleset, carried
from service.rules.table.carried import CarriedFrom

Data = Any

CARRIED: Final = "carried"
"""A finding: a character is what stood after the commit that it names."""
CARRIED_EARLY: Final = "carried_early"
"""A finding: the record goes on after that commit, and leaves the character otherwise."""
CARRY_UNPROVED: Final = "carry_unproved"
"""A finding: the record that a character comes from was not at hand, or is sealed from this reader."""
BY_HAND: Final = "by_hand"
"""A finding: something was written in beside a carried character."""

MOST_CARRIED: Final = 1000
_MEMBER: Final = "carried"
"""The member of an entry that has the carried character."""
_FROM: Final = "carried_from"


@dataclass(frozen=True, slots=True)
class CarriedEntry:
    """An entry with a carried character, in the commit *n* of the record that took it over."""

    n: int
    path: str
    """JSON pointer of the entry in the commit."""
    public: Data
    """As everybody reads it."""
    entry: Data
    """As the reader of this evidence may read it."""

    @property
    def origin(self) -> CarriedFrom:
        """The commit that it names; raises `Malformed`."""
        return from_data(CarriedFrom, self.entry[_MEMBER][_FROM])

    @property
    def creature(self) -> str:
        """The id that it had there."""
        return str(self.entry[_MEMBER]["character"]["sheet"]["id"])


def carried_entries(evidence: Evidence) -> Iterator[CarriedEntry]:
    """Yield each entry with a carried character in a sound record, as far as its reader may read them."""
    for raw in evidence.commits:
        commit = load_commit(raw)
        payloads = {
            index: loads(evidence.opened[commit.n, index].payload)
            for index, event in enumerate(commit.events)
            if (commit.n, index) in evidence.opened
        }
        fields = fields_in(payloads)
        for index, event in enumerate(commit.events):
            place = f"/events/{index}"
            if "sealed" not in event:
                yield from _within(event, fields.get(str(index)), commit.n, place)
                continue
            for inner, each in enumerate(payloads.get(index, {}).get("events", ())):
                found = fields.get(f"{index}/{inner}")
                for one in _within(each, found, commit.n, f"{place}/payload/events/{inner}"):
                    yield replace(one, public=None)


def _within(event: Data, fields: Mapping[str, Data] | None, n: int, place: str) -> Iterator[CarriedEntry]:
    opened_event = whole(event, fields, opened=True)
    for path, entry in _entries(opened_event, ""):
        yield CarriedEntry(n, place + path, _at(event, path), entry)


def _entries(data: Data, path: str) -> Iterator[tuple[str, Data]]:
    """Yield the pointer and the object of each entry with a carried character in *data*."""
    if isinstance(data, list):
        for i, item in enumerate(data):
            yield from _entries(item, f"{path}/{i}")
    elif isinstance(data, dict):
        here = data.get(_MEMBER)
        if isinstance(here, dict) and isinstance(here.get(_FROM), dict):
            yield path, data
            return
        for key, item in data.items():
            yield from _entries(item, f"{path}/{escaped(key)}")


def _at(data: Data, pointer: str) -> Data:
    """Return the value at *pointer*; None if it is missing or sealed."""
    for step in steps(pointer):
        if isinstance(data, dict) and "sealed" in data:
            return None
        if isinstance(data, list):
            data = data[int(step)] if int(step) < len(data) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return None if isinstance(data, dict) and "sealed" in data else data


# --- comparing ---------------------------------------------------------------------------------------


def with_carried(report: Report, child: Evidence, sources: Iterable[Evidence], registry: Registry) -> Report:
    """Return *report* on the sound record *child* with what its carried characters are found to be.

    *sources* are sound records of other encounters. A character that did not stand so after the commit that
    it names makes the verdict `carry_forged`; everything else is a finding.
    """
    known = {each.encounter: each for each in sources}
    written = _written(child, registry)
    findings: list[Finding] = []
    seen: list[Data] = []
    for each in carried_entries(child):
        if each.entry in seen or len(seen) >= MOST_CARRIED:
            continue
        seen.append(each.entry)
        try:
            findings += _compared(each, known, registry)
        except _Forged as forged:
            return replace(report, verdict=forged.verdict)
        findings += _by_hand(each, written)
    return replace(report, findings=(*report.findings, *findings))


def sources_of(evidence: Evidence) -> tuple[str, ...]:
    """Return the encounters that the carried characters of a sound record name, each once."""
    return tuple(dict.fromkeys(_origin(each).encounter for each in carried_entries(evidence)))


class _Forged(Exception):
    """A character did not stand so."""

    def __init__(self, each: CarriedEntry, detail: str, path: str = "") -> None:
        super().__init__(detail)
        self.verdict = Verdict(CARRY_FORGED, each.n, detail, path=f"{each.path}/{_MEMBER}{path}")


def _origin(each: CarriedEntry) -> CarriedFrom:
    try:
        return each.origin
    except Malformed:  # the rules have read the record, so this is never reached in a sound one
        return CarriedFrom(encounter="", n=0, hash="")


def _compared(each: CarriedEntry, known: Mapping[str, Evidence], registry: Registry) -> Iterator[Finding]:
    """Yield what comparing a carried character with its source finds; raises `_Forged`."""
    origin, name = _origin(each), each.creature
    where = f"commit {origin.n} of {origin.encounter}"
    source = known.get(origin.encounter)
    if source is None:
        yield Finding(CARRY_UNPROVED, f"{name} comes from {where}, whose record was not compared")
        return
    if not 1 <= origin.n <= len(source.commits):
        raise _Forged(each, f"{name} comes from {where}, which has {len(source.commits)} commits")
    if load_commit(source.commits[origin.n - 1]).hash != origin.hash:
        raise _Forged(each, f"{name} names another commit than {where}", f"/{_FROM}/hash")
    ruleset = registry.get(source.edition or "")
    if ruleset is None:
        yield Finding(CARRY_UNPROVED, f"this verifier has no rules of the edition of {where}")
        return
    then, withheld = _stood(source, ruleset, origin.n, name, origin)
    if withheld is not None:
        yield Finding(CARRY_UNPROVED, f"commit {withheld} of {origin.encounter} is sealed from this reader")
        return
    if then is None:
        raise _Forged(each, f"{name} could not be carried from {where}: it was not there, or combat ran")
    yield from _judged(each, then, where)
    yield from _since(source, ruleset, origin, name, then)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A creature as it could be carried after a commit."""

    public: Data
    whole: Data


def _stood(
    source: Evidence, ruleset: Ruleset[Any], n: int, creature: str, origin: CarriedFrom
) -> tuple[_Standing | None, int | None]:
    """Return how *creature* stood after commit *n*, or the commit that is sealed from this reader."""
    state, withheld = folded_to(source, ruleset, n)
    if state is None:
        return None, withheld
    try:
        public = to_data(carried(ruleset, state, creature, origin))
        everything = to_data(carried(ruleset, opened(state, (EVERYTHING,)), creature, origin))
    except Refused:
        return None, None
    return _Standing(public, everything), None


def _judged(each: CarriedEntry, then: _Standing, where: str) -> Iterator[Finding]:
    """Yield that a character is what stood there; raises `_Forged` if it is not."""
    found = each.entry[_MEMBER]
    wrong = _difference(then.whole, found)
    if wrong is None:
        yield Finding(CARRIED, f"{each.creature} is what stood after {where}")
        return
    path, stood, taken = wrong
    public = _at(each.public, f"/{_MEMBER}{path}") is not None and _at(then.public, path) is not None
    values = f" is {short(taken)} and was {short(stood)}" if public else " differs"
    raise _Forged(each, f"{each.creature} is not what stood after {where}: {path}{values}", path)


def _difference(stood: Data, taken: Data, pointer: str = "") -> tuple[str, Data, Data] | None:
    """Return the first difference, skipping what is sealed from the reader of either record."""
    if any(isinstance(value, dict) and "sealed" in value for value in (stood, taken)):
        return None
    if isinstance(stood, dict) and isinstance(taken, dict) and stood.keys() == taken.keys():
        pairs = [(key, stood[key], taken[key]) for key in sorted(stood)]
    elif isinstance(stood, list) and isinstance(taken, list) and len(stood) == len(taken):
        pairs = [(str(i), one, two) for i, (one, two) in enumerate(zip(stood, taken, strict=True))]
    else:
        return first_difference(stood, taken, pointer)
    found = (_difference(one, two, f"{pointer}/{escaped(key)}") for key, one, two in pairs)
    return next((each for each in found if each is not None), None)


def _since(
    source: Evidence, ruleset: Ruleset[Any], origin: CarriedFrom, creature: str, then: _Standing
) -> Iterator[Finding]:
    """Yield that the source's record goes on and leaves the character otherwise than it was carried."""
    last = len(source.commits)
    if last == origin.n:
        return
    now, withheld = _stood(source, ruleset, last, creature, origin)
    if withheld is not None or now is None or now.whole != then.whole:
        detail = (
            f"{creature} was carried from commit {origin.n} of {last}, and is not as commit {last} leaves it"
        )
        yield Finding(CARRIED_EARLY, detail)


def _written(child: Evidence, registry: Registry) -> tuple[str, ...]:
    """Return the members of an entry that replace what is carried, as the record's ruleset declares them."""
    ruleset = registry.get(child.edition or "")
    return () if ruleset is None or ruleset.carrying is None else ruleset.carrying.written


def _by_hand(each: CarriedEntry, written: Sequence[str]) -> Iterator[Finding]:
    """Yield what the host wrote in beside a carried character: the members *written*, and the sheet."""
    entry, character = each.entry, each.entry[_MEMBER]["character"]
    names = [name for name in written if entry.get(name) is not None]
    paths = [f"/{name}" for name in names if entry[name] != character.get(name)]
    sheets: tuple[Data, Data] = (character["sheet"], entry.get("sheet") or character["sheet"])
    if isinstance(sheets[0], dict) and isinstance(sheets[1], dict):
        paths += [f"/sheet/{key}" for key in sorted(sheets[1]) if sheets[1][key] != sheets[0].get(key)]
    if paths:
        yield Finding(BY_HAND, f"{each.creature}: written in by hand in commit {each.n}: {', '.join(paths)}")
