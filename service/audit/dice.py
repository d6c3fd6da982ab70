"""Prove the dice: derive every face that a disclosed link determines, and compare it with the record.

No secret is needed: anchors, links and seeds are in the commits. Nobody can derive a die of an epoch that is
still open, so such a die is taken from the record and counted as unverified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from service.audit.choices import Choices
from service.audit.contents import Payloads, RollPlace, events_of, place_of, rolls_of, spelled
from service.audit.declared import DeclaredDice
from service.audit.evidence import Evidence
from service.audit.progress import DICE, Progress, part, unheard
from service.audit.sealing import anchors_of, sealed_with, unhex
from service.audit.verdict import DICE_INVALID, MALFORMED, Counts, Fault, Verdict
from service.dice.encoding import ALGORITHM
from service.dice.errors import DiceError
from service.dice.source import DisclosedDice, FalseLink, NotDisclosed
from service.record.canonical import eid_of
from service.record.commit import ACCEPTED, Commit, load_commit, load_request
from service.rules.contests.continuing import LinkInherited
from service.rules.kernel.codec import Malformed, from_data
from service.rules.rolls.closing import EncounterClosed, EpochClosed, LaneDisclosed
from service.rules.table.table import MIXED, SERVER, DiceSetup


class NotRecorded(Exception):
    """Deciding again asks for dice that are neither disclosed nor recorded."""


class Proof:
    """The dice of an encounter, as far as its record proves them."""

    def __init__(
        self,
        dice: DisclosedDice | None,
        epochs: Mapping[int, int],
        links: Mapping[tuple[int, int], bytes] = MappingProxyType({}),
        sealed: int | None = None,
    ) -> None:
        self.dice = dice
        self.sealed = sealed
        """The number of the commit that sealed the dice; no die is thrown before it."""
        self._known: dict[tuple[RollPlace, tuple[int, ...]], tuple[int, ...]] = {}
        self.last_links = {(lane, epoch): links[lane, epoch] for lane, epoch in epochs.items() if epoch}
        """The last disclosed link of each lane that has one; it determines all earlier ones."""
        self.epochs = epochs
        """The last disclosed epoch of each lane; 0 if there is none yet."""

    def has_dice(self, n: int, place: RollPlace) -> bool:
        """Return whether commit *n* could throw this roll: its lane is published and the dice were sealed."""
        return place[1] in self.epochs and self.sealed is not None and self.sealed <= n

    def faces(self, place: RollPlace, sides: Sequence[int]) -> tuple[int, ...] | None:
        """Return the faces that the disclosed links determine, None if no link does yet."""
        if self.dice is None:
            return None
        asked = (place, tuple(sides))
        found = self._known.get(asked)
        if found is None:  # deciding again asks for the rolls that `prove` derived
            epoch, lane, stream, number = place
            try:
                found = self._known[asked] = self.dice.faces(lane, epoch, stream, number, sides)
            except NotDisclosed:
                return None
        return found


class LoggedDiceSource:
    """The dice for deciding one commit again: proved faces, otherwise the faces that the commit recorded."""

    def __init__(self, proof: Proof, rolls: Mapping[RollPlace, Mapping[str, Any]]) -> None:
        self._proof = proof
        self._rolls = rolls

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces of a roll; raises `NotRecorded`."""
        at = (epoch, lane, stream, place)
        proved = self._proof.faces(at, sides)
        if proved is not None:
            return proved
        # A roll that gains dice is requested in steps; each request is a prefix of the recorded dice.
        dice = self._rolls.get(at, {}).get("dice", ())[: len(sides)]
        if [die["sides"] for die in dice] != list(sides):
            raise NotRecorded(spelled(at))
        return tuple(die["face"] for die in dice)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a disclosed link; raises `NotRecorded`."""
        if self._proof.dice is None:
            raise NotRecorded(f"link {epoch} of lane {lane}")
        try:
            return self._proof.dice.link(lane, epoch)
        except NotDisclosed as fault:
            raise NotRecorded(f"link {epoch} of lane {lane}") from fault


def prove(
    evidence: Evidence,
    commits: Sequence[Commit],
    payloads: Payloads,
    counts: Counts,
    progress: Progress = unheard,
) -> Proof:
    """Return the dice that the record proves, after checking every derivable or declared face.

    Raises `Fault`.
    """
    proof, declared = _proof(evidence, commits, payloads), DeclaredDice()
    proved = part(progress, len(commits), DICE)
    for commit in commits:
        proved(commit.n)
        declared.take(commit, payloads)
        for roll in rolls_of(commit, payloads):
            declared.check(commit.n, roll)
            _check(proof, commit.n, roll, counts)
    return proof


def setup_of(evidence: Evidence, commits: Sequence[Commit]) -> DiceSetup | None:
    """Return the dice setup that commit 1 published, None if no encounter was opened; raises `Fault`."""
    if not commits or commits[0].outcome != ACCEPTED:
        return None
    first = evidence.requests[0]
    try:
        policy = load_request(first).data.get("dice") if first is not None else _announced(evidence)
        setup = None if policy is None else from_data(DiceSetup, policy)
        if setup is not None:
            _check_setup(setup)
    except ValueError as fault:  # `Malformed`, `NotCanonical` and `BadParameter` are
        raise Fault(Verdict(MALFORMED, 1, f"the setup of the dice: {fault}")) from fault
    return setup


def _check_setup(setup: DiceSetup) -> None:
    """Raise `ValueError` if *setup* names an unknown algorithm or mode, or is malformed."""
    if setup.algorithm != ALGORITHM:
        raise Malformed("/algorithm", ALGORITHM)
    if setup.mode not in (SERVER, MIXED):
        raise Malformed("/mode", f"{SERVER} or {MIXED}")
    if setup.chain is not None:
        eid_of(setup.chain)
    if len({anchor.lane for anchor in anchors_of(setup)}) != len(setup.lanes):
        raise Malformed("/lanes", "each lane once")


def _announced(evidence: Evidence) -> object:
    """Return the dice setup from the events of commit 1, for a withheld request; None if there is none."""
    events = load_commit(evidence.commits[0]).events if evidence.commits else ()
    return next((event["dice"] for event in events if "dice" in event), None)


def _proof(evidence: Evidence, commits: Sequence[Commit], payloads: Payloads) -> Proof:
    setup = setup_of(evidence, commits)
    if setup is None:
        return Proof(None, {})
    eid = eid_of(setup.chain or commits[0].encounter)
    sealed = sealed_with(eid, setup, commits)
    found = _links(evidence, commits, payloads, {lane.lane: lane.n for lane in setup.lanes})
    links = {place: link for place, (_, link) in found.items()}
    anchors = anchors_of(setup)
    try:
        dice = DisclosedDice(eid, sealed.salt, anchors, links)
    except FalseLink as fault:
        n, _ = found[fault.lane, fault.epoch]
        detail = f"the link of lane {fault.lane} for epoch {fault.epoch} does not lead to the anchor"
        raise Fault(Verdict(DICE_INVALID, n, detail)) from fault
    choices = Choices(eid)
    for commit in commits:
        choices.take(events_of(commit, payloads), commit.n)
    epochs = {a.lane: max((e for lane, e in links if lane == a.lane), default=0) for a in anchors}
    return Proof(dice, epochs, links, sealed.n)


def _links(
    evidence: Evidence,
    commits: Sequence[Commit],
    payloads: Payloads,
    lengths: Mapping[int, int],
) -> dict[tuple[int, int], tuple[int | None, bytes]]:
    """Return every link by lane and epoch, with its commit's number; None for a link beside the commits."""
    found: dict[tuple[int, int], tuple[int | None, bytes]] = {}
    stated = [
        (link_at, commit.n)
        for commit in commits
        for event in events_of(commit, payloads)
        if (link_at := _disclosed_link(event, commit.n, lengths)) is not None
    ]
    for (place, link), n in (*stated, *((link_at, None) for link_at in evidence.links.items())):
        if found.setdefault(place, (n, link))[1] != link:
            detail = f"lane {place[0]} has two links for epoch {place[1]}"
            raise Fault(Verdict(DICE_INVALID, n, detail))
    return found


def _disclosed_link(
    event: Mapping[str, Any], n: int, lengths: Mapping[int, int]
) -> tuple[tuple[int, int], bytes] | None:
    """Return the link that *event* discloses, if any. A seed is the link of the last epoch."""
    try:
        if event["type"] in (EpochClosed.type, LinkInherited.type):
            place = (event["lane"], event["epoch"])
            if not all(type(number) is int for number in place):
                raise Malformed("", "a lane and an epoch")
            return place, unhex(event["link"])
        if event["type"] in (EncounterClosed.type, LaneDisclosed.type):
            lane = event["lane"]
            if type(lane) is not int:
                raise Malformed("/lane", "a lane")
            return (lane, lengths.get(lane, 0)), unhex(event["seed"])
    except (KeyError, ValueError, TypeError) as fault:
        raise Fault(Verdict(MALFORMED, n, f"{event['type']} discloses no link")) from fault
    return None


def _check(proof: Proof, n: int, roll: Mapping[str, Any], counts: Counts) -> None:
    dice = roll["dice"]
    if roll["source"] == "declared":
        counts.rolls_declared += 1
        counts.faces_declared += len(dice)
        return
    place = place_of(roll)
    recorded = tuple(die["face"] for die in dice)
    if not proof.has_dice(n, place):
        detail = "the published and sealed dice do not include this roll"
        raise Fault(Verdict(DICE_INVALID, n, detail, roll=spelled(place)))
    try:
        proved = proof.faces(place, [die["sides"] for die in dice])
    except DiceError as fault:
        raise Fault(Verdict(DICE_INVALID, n, str(fault), roll=spelled(place))) from fault
    if proved is None:
        counts.rolls_unverified += 1
    elif proved != recorded:
        detail = f"the record has {list(recorded)}, and the disclosed link gives {list(proved)}"
        raise Fault(Verdict(DICE_INVALID, n, detail, roll=spelled(place)))
    else:
        counts.rolls_checked += 1
