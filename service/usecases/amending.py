"""Use cases of amendments: decide a proposal in its own line, show the difference, accept it.

Laws. The new line is an encounter like any other; its beginning is appended once, however often it is
submitted, and a worker puts the record before it and the repeated commands behind it. Until the old line
says `continued`, only the GM sees the new line and nobody acts in it. It shows nothing that the old line
may still throw or reveal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from service.core import views
from service.core.continuation import Proposal, is_void, proposal, starting_point
from service.core.continuation_plan import is_played, opening, planned
from service.core.lineage import entries
from service.core.sealed_check import check_nothing_sealed
from service.record.commit import Commit, dump_request, load_commit, load_request
from service.rules.contests.amendments import AcceptAmendment
from service.rules.kernel.messages import Refused
from service.rules.kernel.sealed import unsealed
from service.rules.table.table import GM
from service.usecases import differences
from service.usecases.accepted_lines import put
from service.usecases.reading import read_all
from service.usecases.services import Services

RULE: Final = "TABLE-AMEND-3"
OUTDATED: Final = "TABLE-AMEND-5"
_ALL: Final = 2**53


@dataclass(frozen=True)
class DraftLine:
    """A proposal and its line's progress: its last number as proposed, and the last one that is decided.

    A void proposal has no line; both numbers are 0, and `void` says why.
    """

    proposal: Proposal
    appended: int = 0
    folded: int = 0
    void: Refused | None = None

    @property
    def is_ready(self) -> bool:
        """Whether every command of the line is decided, so that it can be compared."""
        return self.appended > 0 and self.folded >= self.appended


def draft(services: Services, found: Proposal, seconds: float = 0) -> DraftLine:
    """Append the beginning of a proposal's line, once, and wait up to *seconds* for its last commit."""
    void = _void(services, found)
    if void is not None:
        return DraftLine(found, void=void)
    at = _proposed_at(services, found)
    begin, commands = opening(services, found, at)
    entry = services.encounters.find(found.parent)
    assert entry is not None, "a proposal belongs to an encounter that has an owner"
    line = replace(entry, encounter=found.encounter, opened=at, root=entry.root or found.parent)
    services.encounters.enter(line)
    count = starting_point(services, found)[1] + 1 + len(commands)
    head = services.log.head(found.encounter)
    if head is None or head.folded < count:  # a repeat notifies a worker again
        put(services, found.encounter, "0", dump_request(begin), create=head is None)
    services.outcomes.wait(found.encounter, count, seconds)
    head = services.log.head(found.encounter)
    return DraftLine(found, count, head.folded if head else 0)


def _void(services: Services, found: Proposal) -> Refused | None:
    """Return why a proposal has no line; None if it has one.

    The preconditions checked this too, but somebody may have played, or sealed something, since.
    """
    if is_void(services, found):
        return Refused("no_such_amendment", "play continued before it was made", RULE)
    if found.amendment.kind == "as_ruled":
        try:
            check_nothing_sealed(services, found.parent, found.amendment.commit - 1, GM, RULE, upto=found.n)
        except Refused as refused:
            return refused
    return None


def _proposed_at(services: Services, found: Proposal) -> str:
    """Return when the proposal was made; its line begins at that time."""
    return load_commit(services.log.commits(found.parent, found.n - 1, 1)[0].raw).at


# --- the difference --------------------------------------------------------------------------------------


def amendment_data(services: Services, drafted: DraftLine, *, with_events: bool = False) -> views.Data:
    """Return a proposal as the GM sees it, with the difference of its line once that is decided."""
    found = drafted.proposal
    amendment = found.amendment
    data: views.Data = {
        "amendment": amendment.id,
        "kind": amendment.kind,
        "contest": amendment.contest,
        "commit": amendment.commit or None,
        "decision": amendment.decision,
        "reason": amendment.reason,
        "version": found.n,
        "line": found.encounter,
        "status": _status(services, found, drafted),
        "difference": None,
        "acceptance": None,
    }
    if data["status"] == "ready":
        accept = _acceptance_of(services, drafted, found.n)
        data["acceptance"] = {"type": AcceptAmendment.type, **accept}
    if drafted.is_ready:
        data["difference"] = _difference(services, drafted, with_events=with_events)
    return data


def _status(services: Services, found: Proposal, drafted: DraftLine) -> str:
    state = services.folder.current(found.parent).state
    if state.continued == found.encounter:
        return "accepted"
    if state.amendment is None or state.amendment.id != found.amendment.id:
        return "dropped"
    if drafted.void is not None:
        return "void"
    if state.closed or state.amendment.outdated:
        return "outdated"
    return "ready" if drafted.is_ready else "deciding"


def _difference(services: Services, drafted: DraftLine, *, with_events: bool) -> views.Data:
    """Return the outcome of each old command, and the difference from the old line's end to the new one's."""
    found = drafted.proposal
    commands = list(_commands(services, drafted))
    between, _ = differences.between(
        services,
        differences.DiffEnd(found.parent, found.n),
        differences.DiffEnd(found.encounter, drafted.appended),
        GM,
        limit=_ALL if with_events else 0,
    )
    return {
        "commands": commands,
        "gone": [each for each in commands if each["old"] and "refusal" in each],
        "left": _left(services, found),
        **between,
    }


def _commands(services: Services, drafted: DraftLine) -> Iterator[views.Data]:
    """Yield each command of the new line: the old command that it repeats, and its outcome now."""
    found = drafted.proposal
    commands, begun = planned(services, found), starting_point(services, found)[1] + 1
    stored = entries(services.log.commits, found.encounter, begun, begun + len(commands))
    every = [load_commit(entry.raw) for entry in stored]
    for n, (each, became) in enumerate(
        zip(commands, read_all(services, found.encounter, GM, every), strict=True), begun + 1
    ):
        outcome = views.outcome_data(became.commit, became.payloads, became.reader)
        reads = views.may_read_request(became.commit, became.reader, each.request.actor.seat)
        data: views.Data = {
            "n": n,
            "old": each.old or None,
            "source": found.parent,
            "seat": each.request.actor.seat,
            "type": each.request.type if reads else None,
            "outcome": outcome["outcome"],
        }
        if "refusal" in outcome:
            data["refusal"] = outcome["refusal"]
        yield data


def _commit(services: Services, encounter: str, n: int) -> Commit:
    return load_commit(services.log.commits(encounter, n - 1, 1)[0].raw)


def _left(services: Services, found: Proposal) -> list[int]:
    """Return the numbers of the old line's played commands that the new line does not repeat."""
    line, n, last = starting_point(services, found)
    if line != found.parent:
        return []
    kept = {each.old for each in planned(services, found)}
    commands = entries(services.log.commands, line, n, last - 1)
    commits = entries(services.log.commits, line, n, last - 1)
    old = (
        (load_request(each.raw), load_commit(entry.raw))
        for each, entry in zip(commands, commits, strict=True)
    )
    return [commit.n for request, commit in old if commit.n not in kept and is_played(request, commit)]


# --- acceptance ------------------------------------------------------------------------------------------


def acceptance(services: Services, parent: str, amendment: str, version: int) -> dict[str, Any]:
    """Return the data of the command that accepts a proposal; raise `Refused` if it cannot be accepted."""
    found = proposal(services.log, parent, amendment)
    if found is None:
        raise Refused("no_such_amendment", f"{amendment} is not proposed now", RULE)
    drafted = draft(services, found)
    if drafted.void is not None:
        void = drafted.void
        raise Refused(void.code, f"{amendment} is void: {void.detail}", void.rule)
    if not drafted.is_ready:
        raise Refused("amendment_undecided", f"{amendment} is still being decided", RULE)
    standing = services.folder.current(parent).state.amendment
    if version < found.n or (standing is not None and standing.id == amendment and standing.outdated):
        raise Refused(
            "amendment_outdated",
            f"somebody has acted since {amendment} was proposed; propose it again",
            OUTDATED,
        )
    return _acceptance_of(services, drafted, version)


def _acceptance_of(services: Services, drafted: DraftLine, version: int) -> dict[str, Any]:
    """Return the data of the command that accepts a proposal whose line is decided."""
    found = drafted.proposal
    head = {"n": drafted.appended, "hash": _commit(services, found.encounter, drafted.appended).hash}
    is_open = _is_open(services, found, drafted)
    return {
        "amendment": found.amendment.id,
        "version": version,
        "encounter": found.encounter,
        "head": head,
        "is_open": is_open,
    }


def _is_open(services: Services, found: Proposal, drafted: DraftLine) -> bool:
    """Return whether the commands that replace the contested one are decided and sealed nothing."""
    instead = len(unsealed(found.amendment.instead))
    begun = starting_point(services, found)[1] + 1
    commits = services.log.commits(found.encounter, begun, instead) if instead else []
    sealed = any("sealed" in event for entry in commits for event in load_commit(entry.raw).events)
    return drafted.is_ready and not sealed
