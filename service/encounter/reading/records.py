"""Read the record for a seat: pages of commits, rounds, and the proofs of envelopes the seat may open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.encounter.host import Host
from service.encounter.play import Became
from service.encounter.reading import views
from service.encounter.record.commit import Commit, load_commit
from service.encounter.record.envelopes import Opened, envelopes
from service.log import NoSuchEncounter

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
        occasions = host.occasions.upto(encounter, head(host, encounter))
    reader = views.Reader(seat, occasions)
    return [Became(commit, lying.get(commit.n, {}), reader) for commit in commits]


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
    return [
        {
            "index": index,
            "payload": found.lying[index].payload.decode(),
            "salt": found.lying[index].salt.hex(),
        }
        for index in views.open_indices(found.commit, found.reader)
    ]
