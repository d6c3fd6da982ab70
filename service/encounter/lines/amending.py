"""Have a proposal decided in a line of its own, show how it differs, and let the GM accept it: the use cases.

Laws. The new line is an encounter like any other, whose requests are given to it once however often they are
put. Until the old line says `continued` nobody but the GM sees it and nobody acts in it, and it shows nothing
that the old line may still throw or reveal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from service.encounter.host import Host
from service.encounter.lines.accepting import put, take_up
from service.encounter.lines.continuing import Proposal, is_void, moment, proposal
from service.encounter.lines.retaking import opening, taken
from service.encounter.lines.sealed_here import check_nothing_sealed
from service.encounter.play import read
from service.encounter.reading import differences, views
from service.encounter.record.commit import Commit, dump_request, load_commit
from service.rules.messages import Refused
from service.rules.sealed import unsealed
from service.rules.table import GM

RULE: Final = "TABLE-AMEND-3"
OUTDATED: Final = "TABLE-AMEND-5"


@dataclass(frozen=True)
class Drafted:
    """A proposal whose line has its requests: how many of them, and how many are decided.

    One that is void has no line, and none of either.
    """

    proposal: Proposal
    appended: int
    folded: int

    @property
    def is_ready(self) -> bool:
        """Whether every command of the line is decided, so that it can be compared."""
        return self.appended > 0 and self.folded >= self.appended


def draft(host: Host, found: Proposal, seconds: float = 0) -> Drafted:
    """Give the line of a proposal its requests, once, and wait up to *seconds* for its last commit."""
    if is_void(host, found) or not _is_shown(host, found):
        return Drafted(found, 0, 0)
    at = _told_at(host, found)
    begin, commands = opening(host, found, at)
    entry = host.register.find(found.parent)
    assert entry is not None, "a proposal stands in an encounter that somebody owns"
    line = replace(entry, encounter=found.encounter, opened=at, root=entry.root or found.parent)
    host.register.enter(line, listed=False)
    head = host.log.head(found.encounter)
    requests = [begin, *(each.request for each in commands)]
    for number, request in enumerate(requests[head.appended if head else 0 :], head.appended if head else 0):
        put(host, found.encounter, str(number), dump_request(request), create=number == 0)
    count = len(requests)
    host.outcomes.wait(found.encounter, count, seconds)
    head = host.log.head(found.encounter)
    return Drafted(found, count, head.folded if head else 0)


def _is_shown(host: Host, found: Proposal) -> bool:
    """Tell whether a proposal may be decided: the door looked, and something may have been sealed since."""
    if found.amendment.kind != "as_ruled":
        return True
    try:
        check_nothing_sealed(host, found.parent, found.amendment.commit - 1, GM, RULE, upto=found.n)
    except Refused:
        return False
    return True


def _told_at(host: Host, found: Proposal) -> str:
    """Return when the proposal was made: the time at which its line begins."""
    return load_commit(host.log.commits(found.parent, found.n - 1, 1)[0].raw).at


# --- the difference --------------------------------------------------------------------------------------


def shown(host: Host, drafted: Drafted) -> views.Data:
    """Return a proposal as the GM sees it, with how its line differs once that is decided."""
    found = drafted.proposal
    amendment = found.amendment
    data: views.Data = {
        "amendment": amendment.id,
        "kind": amendment.kind,
        "contest": amendment.contest,
        "commit": amendment.commit or None,
        "line": amendment.line or None,
        "decision": amendment.decision,
        "reason": amendment.reason,
        "version": found.n,
        "encounter": found.encounter,
        "status": _status(host, found, drafted),
        "difference": None,
    }
    if drafted.is_ready:
        data["difference"] = _difference(host, drafted)
    return data


def _status(host: Host, found: Proposal, drafted: Drafted) -> str:
    state = host.folder.current(found.parent).state
    if state.continued == found.encounter:
        return "accepted"
    if state.amendment is None or state.amendment.id != found.amendment.id:
        return "dropped"
    if not drafted.appended:
        return "void"
    if state.closed or state.amendment.outdated:
        return "outdated"
    return "ready" if drafted.is_ready else "deciding"


def _difference(host: Host, drafted: Drafted) -> views.Data:
    """Return what became of each old command, and the way from the old line's end to the new one's."""
    found = drafted.proposal
    commands = list(_commands(host, drafted))
    between, _ = differences.between(
        host,
        differences.Point(found.parent, found.n),
        differences.Point(found.encounter, drafted.appended),
        GM,
    )
    return {
        "commands": commands,
        "gone": [each for each in commands if each["old"] and "refusal" in each],
        "left": _left(host, found),
        **between,
    }


def _commands(host: Host, drafted: Drafted) -> Iterator[views.Data]:
    """Yield each command of the new line: which old one it was, and what became of it now."""
    found = drafted.proposal
    source, commands = taken(host, found)
    for n, each in enumerate(commands, 2):
        became = read(host, found.encounter, GM, _commit(host, found.encounter, n))
        outcome = views.outcome_data(became.commit, became.payloads, became.reader)
        reads = views.may_read_request(became.commit, became.reader, each.request.actor.seat)
        data: views.Data = {
            "n": n,
            "old": each.old or None,
            "source": source,
            "seat": each.request.actor.seat,
            "type": each.request.type if reads else None,
            "outcome": outcome["outcome"],
        }
        if "refusal" in outcome:
            data["refusal"] = outcome["refusal"]
        yield data


def _commit(host: Host, encounter: str, n: int) -> Commit:
    return load_commit(host.log.commits(encounter, n - 1, 1)[0].raw)


def _left(host: Host, found: Proposal) -> list[int]:
    """Return the commands of the old line that the new one does not take."""
    source, commands = taken(host, found)
    line, n, last = moment(host, found)
    kept = {each.old for each in commands} if source == found.parent else set()
    return [number for number in range(n + 1, last + (line != found.parent)) if number not in kept]


# --- acceptance ------------------------------------------------------------------------------------------


def acceptance(host: Host, parent: str, amendment: str, version: int) -> dict[str, Any]:
    """Return the data of the command that accepts a proposal; raises `Refused` where it cannot be."""
    found = proposal(host.log, parent, amendment)
    if found is None:
        raise Refused("no_such_amendment", f"{amendment} is not proposed now", RULE)
    drafted = draft(host, found)
    if not drafted.appended:
        raise Refused("no_such_amendment", f"{amendment} is void: something was played before it", RULE)
    if not drafted.is_ready:
        raise Refused("amendment_undecided", f"{amendment} is still being decided", RULE)
    standing = host.folder.current(parent).state.amendment
    if version < found.n or (standing is not None and standing.id == amendment and standing.outdated):
        raise Refused("amendment_outdated", f"something was played since {amendment} was made", OUTDATED)
    head = {"n": drafted.appended, "hash": _commit(host, found.encounter, drafted.appended).hash}
    is_open = _is_open(host, found, drafted)
    return {
        "amendment": amendment,
        "version": version,
        "encounter": found.encounter,
        "head": head,
        "is_open": is_open,
    }


def _is_open(host: Host, found: Proposal, drafted: Drafted) -> bool:
    """Tell whether the line hides nothing of what is taken in place of the contested command."""
    instead = len(unsealed(found.amendment.instead))
    commits = host.log.commits(found.encounter, 1, instead) if instead else []
    sealed = any("sealed" in event for entry in commits for event in load_commit(entry.raw).events)
    return drafted.is_ready and not sealed


# --- where a line of play goes on ------------------------------------------------------------------------


def successor(host: Host, encounter: str) -> str:
    """Return the line in which *encounter* goes on, as far as lines were not removed; itself if it does not.

    What came in a bundle goes on where it was played: the ids that it names are of another service.
    """
    while True:
        entry = host.register.find(encounter)
        if entry is not None and entry.imported:
            return encounter
        after = host.folder.current(encounter).state.continued
        if after is None:
            take_up(host, encounter)
            return encounter
        if host.removals.of(after) is not None:
            return encounter
        encounter = after
