"""Compare a line of play with its parent at the seam: commit, state, dice and commands.

An audit of one line starts from the state in its first commit. Only the parent's record can prove that state.
Both records must be sound on their own; this module compares them. If an undo reached into an earlier line,
that line proves the state, and the line in which the undo was ruled proves the acceptance.
"""

from __future__ import annotations

from typing import Any, Final

from service.audit.evidence import Evidence
from service.audit.verdict import SEAM_BROKEN, SEAM_SEALED, UNKNOWN_EDITION, WRONG_PARENT, Verdict
from service.core.fold import Registry
from service.record.canonical import loads
from service.record.commit import Commit, fold_commit, load_commit, load_request
from service.rules.contests.amendments import Continued
from service.rules.contests.continuing import Forked, LineBegun, split_sealed
from service.rules.kernel.codec import to_data
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table

ITS_OWN: Final = (
    "encounter",
    "digest",
    "dice",
    "origin",
    "line",
    "dice_moved_in",
    "last_exposed_epoch",
    "amendment",
    "amendments",
    "amendments_dropped",
    "draft",
    "undisclosed_epochs",
    "seats_by_command",
    "contests",
    "seats",
    "sealing",
    "redirected_streams",
    "rolls_in_other_epochs",
    "sealed_places",
    "stopped",
)
"""Members of a state that differ between lines of play, or are compared separately."""


def mismatch(parent: Evidence, child: Evidence, registry: Registry) -> Verdict | None:
    """Return the verdict on the seam at which *child* continues *parent*, None if it is sound.

    State that is sealed from the reader cannot be compared: `seam_sealed`, only if nothing else is wrong.
    """
    begun = _begun(child)
    if begun is None:
        return Verdict(WRONG_PARENT, 1, "it does not continue another encounter")
    origin = begun["origin"]
    ruled_in = origin.get("ruled_in") or origin["parent"]
    if parent.encounter == ruled_in != origin["parent"]:
        return _accepted(parent, child)
    if origin["parent"] != parent.encounter:
        return Verdict(WRONG_PARENT, 1, f"it continues {origin['parent']}, not {parent.encounter}")
    is_ruled = begun["type"] != Forked.type and ruled_in == parent.encounter
    n = origin["n"]
    if not 1 <= n <= len(parent.commits):
        return Verdict(SEAM_BROKEN, 1, f"the parent has no commit {n} to continue from")
    if load_commit(parent.commits[n - 1]).hash != origin["hash"]:
        return Verdict(SEAM_BROKEN, 1, f"commit {n} of the parent is not the one it continues from")
    found = (
        _dice(parent, begun)
        or _commands(parent, child, begun)
        or (_accepted(parent, child) if is_ruled else None)
    )
    return found or _state(parent, n, begun, registry)


def _begun(child: Evidence) -> dict[str, Any] | None:
    events = load_commit(child.commits[0]).events if child.commits else []
    return next((e for e in events if e.get("type") in (LineBegun.type, Forked.type)), None)


def _dice(parent: Evidence, begun: dict[str, Any]) -> Verdict | None:
    """Compare the dice: a fork has its own, every other line has its parent's."""
    if begun["type"] == Forked.type:
        return None
    first = load_commit(parent.commits[0]).events
    setup = next((event["dice"] for event in first if "dice" in event), None)
    chain = (setup or {}).get("chain") or parent.encounter
    if setup is None or begun["dice"] != {**setup, "chain": chain}:
        return Verdict(SEAM_BROKEN, 1, "its dice are not those of its parent")
    return None


def _state(parent: Evidence, n: int, begun: dict[str, Any], registry: Registry) -> Verdict | None:
    """Compare the child's first state with the parent's after commit *n*.

    A commit of the parent that is sealed from the reader prevents this: `seam_sealed`.
    """
    edition = load_commit(parent.commits[0]).edition
    ruleset = registry.get(edition)
    if ruleset is None:
        return Verdict(UNKNOWN_EDITION, 1, f"this verifier has no rules of the edition {edition}")
    state, sealed = folded_to(parent, ruleset, n)
    if state is None:
        return Verdict(SEAM_SEALED, sealed, f"commit {sealed} of the parent is sealed from this reader")
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


def _payloads(parent: Evidence, commit: Commit) -> dict[int, Any] | None:
    found = {}
    for index, event in enumerate(commit.events):
        if "sealed" in event:
            opened = parent.opened.get((commit.n, index))
            if opened is None:
                return None
            found[index] = loads(opened.payload)
    return found


def _commands(parent: Evidence, child: Evidence, begun: dict[str, Any]) -> Verdict | None:
    """Compare the commands that the child took over with the parent's."""
    if begun["source"] != parent.encounter:
        return None  # a redo takes commands of an earlier line
    for number, old in enumerate(begun["plan"], 2):
        now = child.requests[number - 1] if number <= len(child.requests) else None
        then = parent.requests[old - 1] if 1 <= old <= len(parent.requests) else None
        if old == 0 or now is None or then is None:
            continue
        one, two = load_request(then), load_request(now)
        given = {name: value for name, value in one.data.items() if name != "contest"}
        if (one.type, one.at, one.actor, given) != (two.type, two.at, two.actor, two.data):
            detail = f"its command {number} differs from command {old} of the parent"
            return Verdict(SEAM_BROKEN, number, detail)
    return None


def _accepted(parent: Evidence, child: Evidence) -> Verdict | None:
    """Check that the parent's last commit names *child* as its continuation, by commit number and hash."""
    continued = [
        e for raw in parent.commits[-1:] for e in load_commit(raw).events if e.get("type") == Continued.type
    ]
    if not continued:
        return Verdict(SEAM_BROKEN, 1, "its parent has not accepted it")
    head = continued[0]["head"]
    if continued[0]["encounter"] != child.encounter or head["n"] > len(child.commits):
        return Verdict(SEAM_BROKEN, 1, "its parent is continued by another line")
    if load_commit(child.commits[head["n"] - 1]).hash != head["hash"]:
        return Verdict(SEAM_BROKEN, head["n"], f"commit {head['n']} is not the one that its parent accepted")
    return None
