"""Decide every command again with the code that decides commands in play, and compare bytes.

Only the host has the encounter's envelope secret, from which salts derive. But each opened envelope comes
with its salt, and both have been compared with the record. Deciding again uses these salts, so it must
produce exactly the commitments in the commit. It stops at a withheld request or a closed envelope; the result
names that commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from service.audit.contents import Payload, place_of, rolls_of
from service.audit.dice import LoggedDiceSource, NotRecorded, Proof
from service.audit.evidence import Evidence
from service.audit.integrity import Examined
from service.audit.progress import DECIDING, FOLDING, Progress, part
from service.audit.verdict import (
    FALSE_QUARANTINE,
    MALFORMED,
    NOT_DETERMINISTIC,
    RULES_CHANGED,
    STATE_MISMATCH,
    Counts,
    Fault,
    Finding,
    Verdict,
)
from service.core.continuation import sealed_values_in
from service.core.decide import DecidedCommit, FoldedState, decide_request, quarantine_request, unfolded
from service.dice.source import Dice
from service.record.canonical import NotCanonical, loads
from service.record.commit import ACCEPTED, Commit, fold_commit, load_request
from service.record.envelopes import Place, StoredEnvelope
from service.record.quarantine import DISPUTED, KILLED, Quarantine, because, code_digest, said_of
from service.rules.contests.continuing import SealedValues
from service.rules.kernel.codec import to_data
from service.rules.kernel.json_pointer import escaped
from service.rules.kernel.meter import TOO_MUCH_WORK
from service.rules.kernel.records import EMPTY, changed
from service.rules.ruleset import Ruleset
from service.rules.table.lines import Origin
from service.rules.table.table import Table

_NO_SALT: Final = bytes(32)
_ABSENT: Final = object()
CRASHES_HERE: Final = "crashes_here"
NOT_REPEATED: Final = "not_repeated"


@dataclass(frozen=True, slots=True)
class DiceLine:
    """How far deciding again went, and the state reached."""

    upto: int
    """The last commit that was decided again, or folded."""
    first: int
    withheld: int | None
    """The first command that this evidence does not suffice to decide; None if there is none."""
    state: Table


@dataclass(frozen=True, slots=True)
class _LentDice:
    """The secrets for deciding one commit again: recorded dice, and the salts of opened envelopes."""

    dice: Dice
    opened: Mapping[Place, StoredEnvelope]

    def dice_for(self, table: Table) -> Dice:  # noqa: ARG002 - the table's setup is not needed
        """Return the recorded dice."""
        return self.dice

    def salt(self, request: bytes, n: int, index: int) -> bytes:  # noqa: ARG002 - hosts derive it from this
        """Return the envelope's salt, or zeros if the record has no such envelope: the bytes then differ."""
        opened = self.opened.get((n, index))
        return opened.salt if opened is not None else _NO_SALT


def _not_kept(origin: Origin) -> tuple[SealedValues, ...]:  # noqa: ARG001 - nothing is disclosed
    raise NotRecorded("the sealed values of the line that it continues")


class Known:
    """What was decided again of the lines of one fight: the states at the commits where lines part."""

    def __init__(self, wanted: Iterable[bytes] = ()) -> None:
        """Keep the states after the commits with the bytes *wanted*."""
        self._wanted = frozenset(wanted)
        self._states: dict[bytes, FoldedState[Any]] = {}

    def keep(self, raw: bytes, folded: FoldedState[Any]) -> None:
        """Keep the state after the commit *raw*, if it is one that is wanted."""
        if raw in self._wanted:
            self._states.setdefault(raw, folded)

    def nearest(self, commits: Sequence[Commit]) -> FoldedState[Any] | None:
        """Return the last known state of a record whose bytes are *commits*; None if there is none."""
        found = (self._states[commit.raw] for commit in reversed(commits) if commit.raw in self._states)
        return next(found, None)


class Redecider:
    """Decides the commits of one encounter again."""

    def __init__(
        self, evidence: Evidence, examined: Examined, ruleset: Ruleset[Any], proof: Proof, then: str
    ) -> None:
        self._evidence = evidence
        self._commits = examined.commits
        self._ruleset = ruleset
        self._proof = proof
        self._then = then
        self._payloads = examined.payloads
        self.repeats_killed = False
        """Whether what is said to have ended its workers is decided too."""
        self.known = Known()
        self.findings: list[Finding] = []
        """Which commands that were set aside crash here too, and which could not be repeated."""

    def run(self, span: tuple[int, int], counts: Counts, digest: str, progress: Progress) -> DiceLine:
        """Decide the commits of *span* again, folding those before it; raises `Fault`.

        *digest* is that of the rules at hand.
        """
        first, last = span
        start = self.known.nearest(self._commits[:last]) if first == 1 else None
        folded = start or unfolded(self._commits[0].encounter, self._ruleset)
        counts.decided += folded.n
        state: Table = folded.state
        decided = part(progress, len(self._commits), DECIDING, last)
        for commit in self._commits[folded.n : last]:
            decided(commit.n)
            if self._is_withheld(commit):
                return DiceLine(commit.n - 1, first, commit.n, state)
            if commit.encounter != folded.encounter:  # a line of play begins
                folded = changed(folded, encounter=commit.encounter)
            if commit.n < first:
                folded = self._follow(folded, commit)
            else:
                folded = self._decide(folded, commit, digest)
                counts.decided += 1
            state = folded.state
            self.known.keep(commit.raw, folded)
            self._check_claim(commit.n, state)
        self._check_fold(folded.n, state, progress, start)
        return DiceLine(folded.n, first, None, state)

    # --- one commit ----------------------------------------------------------------------------------

    def _is_withheld(self, commit: Commit) -> bool:
        if self._evidence.requests[commit.n - 1] is None:
            return True
        lying = self._payloads_of(commit)
        return any("sealed" in event and index not in lying for index, event in enumerate(commit.events))

    def _decide(self, folded: FoldedState[Any], commit: Commit, digest: str) -> FoldedState[Any]:
        """Return the encounter after *commit*, which is decided again; raises `Fault` if it differs.

        A command that was stopped for its work may have thrown dice before. They are not recorded, so until
        they are disclosed it cannot be repeated.
        """
        raw = self._evidence.requests[commit.n - 1]
        assert raw is not None, "a withheld request was decided"
        try:
            written = self._written(folded, commit, raw)
        except NotRecorded as wanted:
            if self._is_stopped(commit):
                detail = f"command {commit.n} is said to take too much work; deciding it needs {wanted}"
                self._found(NOT_REPEATED, f"{detail}, which is not disclosed yet")
                return self._follow(folded, commit)
            raise self._differs(
                commit, digest, "/rolls", f"deciding it needs {wanted}, which is not recorded"
            ) from wanted
        except Exception as fault:
            raise self._differs(
                commit, digest, "", f"the rules fail: {type(fault).__name__}: {fault}"
            ) from fault
        if written.raw != commit.raw:
            path, detail = self._difference(written, commit)
            raise self._differs(commit, digest, path, detail)
        if commit.quarantine is not None and commit.quarantine["cause"] != DISPUTED:
            self._repeat(folded, commit, commit.quarantine, raw)
        return written.folded

    def _is_stopped(self, commit: Commit) -> bool:
        """Return whether *commit* says that its command was stopped for its work."""
        refusals = (commit.refusal, *[each.get("refusal") for each in self._payloads_of(commit).values()])
        return any(refusal is not None and refusal["code"] == TOO_MUCH_WORK for refusal in refusals)

    def _repeat(self, folded: FoldedState[Any], commit: Commit, said: Quarantine, raw: bytes) -> None:
        """Decide a command that was set aside, and note whether it crashes here too; raises `Fault` if not.

        What is said to have killed its workers is repeated on request alone: it might end this audit too.
        """
        n = commit.n
        if said["cause"] == KILLED and not self.repeats_killed:
            self._found(NOT_REPEATED, f"command {n} is said to have ended the workers that decided it")
            return
        lent = _LentDice(LoggedDiceSource(self._proof, {}), {})
        try:
            decide_request(self._ruleset, folded, raw, n, lent, _not_kept)
        except NotRecorded as wanted:
            self._found(NOT_REPEATED, f"deciding command {n} needs {wanted}, which is not disclosed yet")
        except Exception as error:  # noqa: BLE001 - the crash that was asked for
            here = said_of(because(said["cause"], self._ruleset, error))
            self._found(CRASHES_HERE, f"command {n}: {here}; the host says {said_of(said)}")
        else:
            detail = f"the host says {said_of(said)}, and deciding the command again raises nothing"
            if said["code"] != code_digest(self._ruleset):
                detail += f"; the host says that it was the code {said['code'][:16]}…, which is not this one"
                raise Fault(Verdict(RULES_CHANGED, n, detail))
            raise Fault(Verdict(FALSE_QUARANTINE, n, detail))

    def _found(self, name: str, detail: str) -> None:
        self.findings.append(Finding(name, detail))

    def _written(self, folded: FoldedState[Any], commit: Commit, raw: bytes) -> DecidedCommit[Any]:
        if commit.quarantine is not None:
            return quarantine_request(folded, raw, commit.n, commit.quarantine)
        lying = self._payloads_of(commit)
        rolls = {place_of(roll): roll for roll in rolls_of(commit, self._payloads)}
        lent = _LentDice(LoggedDiceSource(self._proof, rolls), self._evidence.opened)
        return decide_request(
            self._ruleset, folded, raw, commit.n, lent, lambda _origin: sealed_values_in(commit, lying)
        )

    def _follow(self, folded: FoldedState[Any], commit: Commit) -> FoldedState[Any]:
        """Return *folded* with *commit*, which is before the span, folded and not decided."""
        try:
            state = fold_commit(
                self._ruleset, folded.state, commit, self._payloads_of(commit), self._stops(commit)
            )
        except Exception as fault:
            detail = f"it cannot be folded: {type(fault).__name__}: {fault}"
            raise Fault(Verdict(MALFORMED, commit.n, detail)) from fault
        return folded.followed(bytes.fromhex(commit.hash), state)

    def _payloads_of(self, commit: Commit) -> Mapping[int, Payload]:
        return self._payloads.get(commit.n, EMPTY)

    def _stops(self, commit: Commit) -> str | None:
        if commit.outcome == ACCEPTED:  # a batch stops at a refusal, open or sealed
            return None
        raw = self._evidence.requests[commit.n - 1]
        try:
            return load_request(raw).stops if raw is not None else None
        except NotCanonical:
            return None

    # --- differences ---------------------------------------------------------------------------------

    def _differs(self, commit: Commit, digest: str, path: str, detail: str) -> Fault:
        if digest != self._then:
            detail = f"{detail}; played by {self._then[:16]}…, decided again by {digest[:16]}…"
            return Fault(Verdict(RULES_CHANGED, commit.n, detail, path=path or None))
        return Fault(Verdict(NOT_DETERMINISTIC, commit.n, detail, path=path or None))

    def _difference(self, written: DecidedCommit[Any], commit: Commit) -> tuple[str, str]:
        """Return the JSON pointer of the first difference, possibly into an envelope, and a detail."""
        found = first_difference(loads(commit.raw), loads(written.raw))
        assert found is not None, "other bytes of one value are not canonical"
        path, then, now = found
        made = dict(written.sealed)
        for index, payload in self._payloads_of(commit).items():
            if path == f"/events/{index}/sealed" and index in made:
                inside = first_difference(payload, loads(made[index].payload))
                if inside is not None:
                    path, then, now = f"/events/{index}/payload{inside[0]}", inside[1], inside[2]
        return path, f"the record has {short(then)}, and deciding again gives {short(now)}"

    # --- states --------------------------------------------------------------------------------------

    def _check_claim(self, n: int, state: Table) -> None:
        """Compare the claimed state, if it is that after commit *n*, with *state*; raises `Fault`."""
        if self._evidence.claimed is None or self._evidence.claimed[0] != n:
            return
        found = first_difference(to_data(self._evidence.claimed[1]), to_data(state))
        if found is not None:
            detail = f"the stored state of commit {n} has {short(found[1])}, the record {short(found[2])}"
            raise Fault(Verdict(STATE_MISMATCH, n, detail, path=found[0]))

    def _check_fold(
        self, upto: int, decided: Table, progress: Progress, start: FoldedState[Any] | None
    ) -> None:
        """Compare the fold of the commits, which all readers use, with the decided state; raises `Fault`."""
        state: Any = self._ruleset.blank if start is None else start.state
        folded = part(progress, len(self._commits), FOLDING, upto)
        for commit in self._commits[0 if start is None else start.n : upto]:
            folded(commit.n)
            state = fold_commit(self._ruleset, state, commit, self._payloads_of(commit), self._stops(commit))
        if state == decided:
            return
        found = first_difference(to_data(state), to_data(decided))
        if found is not None:
            detail = f"folding gives {short(found[1])}, and deciding gives {short(found[2])}"
            raise Fault(Verdict(STATE_MISMATCH, upto, detail, path=found[0]))


def first_difference(then: Any, now: Any, pointer: str = "") -> tuple[str, Any, Any] | None:  # noqa: ANN401 - JSON of any shape
    """Return the JSON pointer of the first difference and both values there; None if the values are equal."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = sorted(then.keys() | now.keys())
        pairs = [(key, then.get(key, _ABSENT), now.get(key, _ABSENT)) for key in keys]
    elif isinstance(then, list) and isinstance(now, list):
        pairs = [(str(i), one, two) for i, (one, two) in enumerate(zip_longest(then, now, fillvalue=_ABSENT))]
    else:
        same = type(then) is type(now) and then == now
        return None if same else (pointer, then, now)
    for key, one, two in pairs:
        found = first_difference(one, two, f"{pointer}/{escaped(key)}")
        if found is not None:
            return found
    return None


def short(value: object) -> str:
    """Return *value* as JSON in at most 80 characters."""
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"  # noqa: PLR2004 - a line's worth
