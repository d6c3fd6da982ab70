"""Check a ruleset: play its openings at random, and report each law that it breaks by the smallest case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.conformance.envelopes import Envelopes
from service.conformance.laws import LAWS, LawBroken
from service.conformance.listed import unenforced, unlisted
from service.conformance.play import Play, Sent
from service.conformance.taking_part import fired, named
from service.rules.kernel.declared import unsaid
from service.rules.kernel.messages import Fact
from service.rules.kernel.rulebook import rules_in
from service.rules.ruleset import Ruleset, records_sent

PLAYS: Final = 20
STEPS: Final = 60
_REPLAYS: Final = 40
"""The most replays in search of a smaller case."""


@dataclass(frozen=True)
class Violation:
    """A law that a ruleset breaks, and the smallest case that was found."""

    law: str
    detail: str
    seed: str = ""
    """The seed of the play; empty if the violation is of the ruleset as a whole."""
    commands: tuple[Sent, ...] = ()
    """The commands that lead there, after the opening."""

    def __str__(self) -> str:
        """Return the law, the detail and the commands, each on a line."""
        lines = [f"{self.law}: {LAWS[self.law]}", f"  {self.detail}"]
        if self.seed:
            lines.append(f"  after the opening and {len(self.commands)} commands (seed {self.seed})")
        return "\n".join([*lines, *(f"    {sent}" for sent in self.commands)])


@dataclass(frozen=True)
class ConformanceReport:
    """The result of a check."""

    violations: tuple[Violation, ...]
    plays: int
    ended: int
    """How many plays came to the end of the game."""
    commands: int


def check_ruleset(
    ruleset: Ruleset[Any],
    given: Sequence[Mapping[str, Any]],
    *,
    plays: int = PLAYS,
    steps: int = STEPS,
    tick: Callable[[], None] = lambda: None,
) -> ConformanceReport:
    """Play each of the openings *given* *plays* times with up to *steps* commands; return what is broken.

    *tick* is called after each play.
    """
    found: dict[str, Violation] = {}
    missing = unlisted(ruleset)
    if missing:
        found["listed"] = Violation("listed", f"not listed: {', '.join(missing)}")
    loose = tuple(unsaid(records_sent(ruleset), ruleset.families))
    if loose:
        found["bounded"] = Violation("bounded", "; ".join(loose))
    own = {*rules_in(ruleset.packages, shared=False), *unenforced(ruleset)}
    every = {*own, *rules_in(ruleset.packages)}
    every |= {ruling for rule in rules_in(ruleset.packages).values() for ruling in rule.settles}
    envelopes = Envelopes()
    part: set[str] = set()
    cited: set[str] = set()
    sent = ended = 0
    for opening in given:
        for number in range(plays):
            played = _Played(ruleset, opening, str(number))
            if part.issuperset(own):
                played.run(steps)
            else:  # watching every call takes several times as long
                part |= fired(partial(played.run, steps)) | played.cited
            envelopes.add(played.facts)
            cited |= played.cited
            sent += played.count
            ended += played.is_over
            violation = played.violation
            if violation is not None and _is_smaller(violation, found.get(violation.law)):
                found[violation.law] = violation
            tick()
    strangers = sorted(cited - every)
    if strangers:
        found["rules"] = Violation("rules", f"an event cites {strangers[0]}, which is not a rule")
    if envelopes.never_opened and "secrecy" not in found:
        found["secrecy"] = Violation("secrecy", envelopes.never_opened)
    silent = sorted(id_ for id_ in own if id_ not in part)
    if silent and not strangers:
        early = "; plays ended early, at the other laws" if found.keys() - {"listed"} else ""
        found["rules"] = Violation("rules", f"no play came to {', '.join(silent)}{early}")
    smallest = [_smaller(ruleset, given, found[law]) for law in LAWS if law in found]
    return ConformanceReport(tuple(smallest), plays * len(given), ended, sent)


class _Played:
    """One play, and what came of it."""

    def __init__(self, ruleset: Ruleset[Any], opening: Mapping[str, Any], seed: str) -> None:
        self._ruleset, self._opening, self._seed = ruleset, opening, seed
        self.violation: Violation | None = None
        self.cited: set[str] = set()
        self.facts: Sequence[Fact[Any]] = ()
        self.count = 0
        self.is_over = False

    def run(self, steps: int) -> None:
        play: Play | None = None
        try:
            play = Play(self._ruleset, self._opening, self._seed)
            play.run(steps)
        except LawBroken as broken:
            commands = () if play is None else tuple(play.sent)
            self.violation = Violation(broken.law, broken.detail, self._seed, commands)
        if play is not None:
            self.cited = named(play.facts) | play.refused_by
            self.facts = play.facts
            self.count = len(play.sent)
            self.is_over = bool(play.state.is_over)


def _is_smaller(one: Violation, other: Violation | None) -> bool:
    return other is None or len(one.commands) < len(other.commands)


def _smaller(ruleset: Ruleset[Any], given: Sequence[Mapping[str, Any]], violation: Violation) -> Violation:
    """Return *violation* by fewer commands, if the law is also broken without some of them."""
    left = _REPLAYS
    at = 0
    while violation.seed and at < len(violation.commands) and left > 0:
        left -= 1
        fewer = (*violation.commands[:at], *violation.commands[at + 1 :])
        again = next(
            (each for opening in given if (each := _replayed(ruleset, opening, violation, fewer))), None
        )
        if again is None:
            at += 1
        else:
            violation = again
    return violation


def _replayed(
    ruleset: Ruleset[Any], opening: Mapping[str, Any], violation: Violation, commands: Sequence[Sent]
) -> Violation | None:
    """Return the violation of the same law by *commands*, None if they break none."""
    play: Play | None = None
    try:
        play = Play(ruleset, opening, violation.seed)
        for sent in commands:
            play.look()
            play.send(sent)
        play.look()
    except LawBroken as broken:
        if broken.law == violation.law and play is not None:
            return Violation(broken.law, broken.detail, violation.seed, tuple(play.sent))
    return None
