"""Read the record for a seat: pages of commits, rounds, and the proofs of envelopes the seat may open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.encounter.host import Host
from service.encounter.play import Became
from service.encounter.reading import views
from service.encounter.record.commit import Commit, load_commit
from service.encounter.record.envelopes import Opened, Place, envelopes
from service.log import NoSuchEncounter, Unavailable

_ROUND = "round/"


@dataclass(frozen=True)
class Span:
    """A round: the commits it begins and ends with. The last is None while it is running."""

    round: int
    first: int
    last: int | None


def head(host: Host, encounter: str) -> int:
    """Return the number of the last folded commit; raises `NoSuchEncounter`."""
    found = host.log.head(encounter)
    if found is None:
        raise NoSuchEncounter(encounter)
    return found.folded


def rounds(host: Host, encounter: str) -> list[Span]:
    """Return the rounds that have begun, in order."""
    began = sorted(
        (int(name.removeprefix(_ROUND)), int(n))
        for name, n in host.log.marks(encounter).items()
        if name.startswith(_ROUND)
    )
    ends = [*(n for _, n in began[1:]), None]
    return [Span(number, first, last) for (number, first), last in zip(began, ends, strict=False)]


def page(host: Host, encounter: str, seat: str, after: int, upto: int, limit: int) -> list[Became]:
    """Return up to *limit* commits with *after* < n <= *upto*, with what *seat* needs to read them."""
    entries = host.log.commits(encounter, after, min(limit, upto - after)) if upto > after else []
    return read_all(host, encounter, seat, [load_commit(entry.raw) for entry in entries])


def read_all(host: Host, encounter: str, seat: str, commits: Sequence[Commit]) -> list[Became]:
    """Return *commits*, which follow each other, with what *seat* needs to read them."""
    sealed = [commit.n for commit in commits if commit.has_envelopes]
    lying: dict[int, dict[int, Opened]] = {}
    occasions = views.NOTHING
    if sealed:
        for (n, index), lies in envelopes(host.log, encounter, sealed[0] - 1, sealed[-1]).items():
            lying.setdefault(n, {})[index] = lies
        for commit in commits:
            if commit.has_envelopes and commit.lacks_any_of(lying.get(commit.n, {})):
                raise Unavailable(f"commit {commit.n} of {encounter} has lost its envelopes")
        occasions = host.occasions.upto(encounter, head(host, encounter))
    reader = views.Reader(seat, occasions)
    return [Became(commit, lying.get(commit.n, {}), reader) for commit in commits]


@dataclass(frozen=True)
class Told:
    """A commit as it is told while play goes on: with what was open to the seat by then, and not since."""

    became: Became
    revealed: dict[Place, Opened]
    """Envelopes of earlier commits that this one opened to the seat."""


def tell(host: Host, encounter: str, seat: str, commits: Sequence[Commit]) -> list[Told]:
    """Return *commits*, which follow each other, as *seat* was told them: the same whenever they are told."""
    found = []
    for each in read_all(host, encounter, seat, commits):
        came = each.reader.occasions
        by_then = views.Reader(seat, {name: n for name, n in came.items() if n <= each.commit.n})
        revealed = _revealed(host, encounter, seat, each.commit)
        found.append(Told(replace(each, reader=by_then), revealed))
    return found


def _revealed(host: Host, encounter: str, seat: str, commit: Commit) -> dict[Place, Opened]:
    opened = host.occasions.opened_by(encounter, commit)
    places = [each.place for each in opened if f"seat:{seat}" not in each.audience]
    if not places:
        return {}
    lying = envelopes(host.log, encounter, places[0][0] - 1, places[-1][0])
    return {place: lying[place] for place in places}


def told_data(told: Told) -> views.Data:
    """Return a commit as a stream tells it: as the pages told it then, and what it revealed."""
    revealed = [{"n": n, **_lies(index, lies)} for (n, index), lies in told.revealed.items()]
    return commit_data(told.became) | {"revealed": revealed}


def commit_data(found: Became) -> views.Data:
    """Return a commit as stored, with the envelopes its reader may open and the salts that prove them."""
    commit = found.commit
    return {
        "n": commit.n,
        "hash": commit.hash,
        "commit": commit.raw.decode(),
        "opened": _opened(found),
    }


def _opened(found: Became) -> list[views.Data]:
    return [_lies(index, found.lying[index]) for index in views.open_indices(found.commit, found.reader)]


def _lies(index: int, lies: Opened) -> views.Data:
    return {"index": index, "payload": lies.payload.decode(), "salt": lies.salt.hex()}
