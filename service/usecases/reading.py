"""Read the record for a seat: pages of commits, rounds, and the proofs of envelopes the seat may open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.core import sentences, views
from service.log import NoSuchEncounter, StoreUnavailable
from service.record.commit import Commit, load_commit
from service.record.envelopes import Place, StoredEnvelope, envelopes
from service.rules.kernel.sealed import Seats
from service.rules.table.disputes import Contest
from service.usecases.sending import CommandResult
from service.usecases.services import Services

_ROUND = "round/"


@dataclass(frozen=True)
class RoundSpan:
    """A round: the first and last commit. The last is None while the round is running."""

    round: int
    first: int
    last: int | None


def head(services: Services, encounter: str) -> int:
    """Return the number of the last folded commit; raise `NoSuchEncounter`."""
    found = services.log.head(encounter)
    if found is None:
        raise NoSuchEncounter(encounter)
    return found.folded


def rounds(services: Services, encounter: str) -> list[RoundSpan]:
    """Return the rounds that have begun, in order."""
    began = sorted(
        (int(name.removeprefix(_ROUND)), int(n))
        for name, n in services.log.marks(encounter).items()
        if name.startswith(_ROUND)
    )
    ends = [*(n for _, n in began[1:]), None]
    return [RoundSpan(number, first, last) for (number, first), last in zip(began, ends, strict=False)]


def page(
    services: Services, encounter: str, seat: Seats, after: int, upto: int, limit: int
) -> list[CommandResult]:
    """Return up to *limit* commits with *after* < n <= *upto*, each with what *seat* needs to read it."""
    entries = services.log.commits(encounter, after, min(limit, upto - after)) if upto > after else []
    return read_all(services, encounter, seat, [load_commit(entry.raw) for entry in entries])


def read_all(
    services: Services, encounter: str, seat: Seats, commits: Sequence[Commit]
) -> list[CommandResult]:
    """Return consecutive *commits*, each with what *seat* needs to read it.

    Raises `StoreUnavailable` if the store has lost envelopes of a commit.
    """
    sealed = [commit.n for commit in commits if commit.has_envelopes]
    envelopes_at: dict[int, dict[int, StoredEnvelope]] = {}
    occasions = views.NOTHING
    if sealed:
        for (n, index), envelope in envelopes(services.log, encounter, sealed[0] - 1, sealed[-1]).items():
            envelopes_at.setdefault(n, {})[index] = envelope
        for commit in commits:
            if commit.has_envelopes and commit.lacks_any_of(envelopes_at.get(commit.n, {})):
                raise StoreUnavailable(f"commit {commit.n} of {encounter}: the store has lost its envelopes")
        occasions = services.occasions.upto(encounter, head(services, encounter))
    reader = views.Reader(seat, occasions)
    return [CommandResult(commit, envelopes_at.get(commit.n, {}), reader) for commit in commits]


@dataclass(frozen=True)
class StreamedCommit:
    """A commit in a stream: with what was open to the seat at that commit, and nothing opened later."""

    result: CommandResult
    revealed: dict[Place, StoredEnvelope]
    """Envelopes of earlier commits that this one opened to the seat."""


def streamed_commits(
    services: Services, encounter: str, seat: str, commits: Sequence[Commit]
) -> list[StreamedCommit]:
    """Return consecutive *commits* as streamed to *seat*; the result does not depend on the present."""
    found = []
    for each in read_all(services, encounter, seat, commits):
        came = each.reader.occasions
        by_then = views.Reader(seat, {name: n for name, n in came.items() if n <= each.commit.n})
        revealed = _revealed(services, encounter, seat, each.commit)
        found.append(StreamedCommit(replace(each, reader=by_then), revealed))
    return found


def _revealed(services: Services, encounter: str, seat: str, commit: Commit) -> dict[Place, StoredEnvelope]:
    opened = services.occasions.opened_by(encounter, commit)
    places = [each.place for each in opened if f"seat:{seat}" not in each.audience]
    if not places:
        return {}
    envelopes_at = envelopes(services.log, encounter, places[0][0] - 1, places[-1][0])
    return {place: envelopes_at[place] for place in places}


def spoken(
    services: Services, encounter: str, seat: Seats, found: Sequence[CommandResult]
) -> list[list[str]]:
    """Return for each commit of *found* the sentences about its events that *seat* may read."""
    folded = services.folder.current(encounter)
    speech = sentences.speech_of(folded.ruleset)
    names = sentences.names_for(folded.ruleset, folded.state, seat)
    outcomes = (views.outcome_data(each.commit, each.payloads, each.reader) for each in found)
    return [sentences.spoken(outcome["events"], names, speech) for outcome in outcomes]


def contested_text(services: Services, contest: Contest, seat: Seats) -> list[str]:
    """Return what the contested commit did: a sentence for each event that *seat* may read."""
    found = page(services, contest.line, seat, contest.commit - 1, contest.commit, 1)
    (text,) = spoken(services, contest.line, seat, found)
    return text


def streamed_data(item: StreamedCommit) -> views.Data:
    """Return a commit as stream data: as a page showed it at that commit, and the envelopes it revealed."""
    revealed = [{"n": n, **_envelope_data(index, envelope)} for (n, index), envelope in item.revealed.items()]
    return commit_data(item.result) | {"revealed": revealed}


def commit_data(found: CommandResult) -> views.Data:
    """Return a commit as stored, with the envelopes its reader may open and the salts that prove them."""
    commit = found.commit
    return {
        "n": commit.n,
        "hash": commit.hash,
        "commit": commit.raw.decode(),
        "opened": _opened(found),
    }


def _opened(found: CommandResult) -> list[views.Data]:
    return [
        _envelope_data(index, found.envelopes[index])
        for index in views.open_indices(found.commit, found.reader)
    ]


def _envelope_data(index: int, envelope: StoredEnvelope) -> views.Data:
    return {"index": index, "payload": envelope.payload.decode(), "salt": envelope.salt.hex()}
