"""Replay: narrate a fight round by round, from a bundle or from a script, without a service.

A bundle is narrated as it was recorded: each commit with the envelopes that its reader may open. A script is
decided in this process; its dice are declared, so it must contain the faces of every throw. `--out` writes a
page of a sound bundle that withholds nothing, for a browser without a service.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.importing import ImportRefused
from service.cli import script
from service.cli.every_ruleset import every_ruleset
from service.cli.judging import STATUS
from service.cli.narrator import Narrator
from service.cli.playing import NotAsWritten, difference
from service.cli.replay_page import page_of
from service.cli.terminal import Failure, Terminal, say
from service.core import views
from service.core.sentences import SHARED_SPEECH, speech_of
from service.record.commit import Commit, load_commit, load_request
from service.rules.kernel.rulebook import rules_in
from service.simulation.table import BadOpening, LocalTable

_ROUNDS = ("combat_began", "round_started")
_WITHHELD = "(withheld)"


@dataclass(frozen=True)
class ReplayedCommit:
    """One commit as it is narrated."""

    n: int
    seat: str
    type: str
    data: Mapping[str, Any]
    outcome: Mapping[str, Any]
    says: str = ""


@click.command("replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--form", help="Which form of a script to play (default: the first).")
@click.option(
    "--round", "only", type=click.IntRange(0), help="Narrate only this round; 0 is the part before round 1."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write one HTML file that replays the bundle FILE in a browser: map, log, timeline, proof.",
)
@click.pass_context
def command(ctx: click.Context, file: Path, form: str | None, only: int | None, out: Path | None) -> None:
    """Narrate the fight in FILE, a bundle or a script, round by round; `rewound verify` audits bundles."""
    raw = file.read_bytes()
    if out is not None:
        if form is not None or only is not None:
            raise click.UsageError("--out replays the whole fight: it goes without --form and --round")
        ctx.exit(_write_page(file.name, raw, out))
    try:
        edition, opening, story = _of_bundle(raw) if _is_bundle(raw) else _of_script(raw, form)
        teller = _narrator(edition, opening)
        teller.heading(str(opening.get("title") or file.name))
        round_ = last = 0
        for entry in story:
            began = next((e for e in entry.outcome.get("events", ()) if e["type"] in _ROUNDS), None)
            if only is None or only == round_:
                teller.narrate(entry.n, entry.seat, entry.type, entry.data, entry.outcome, entry.says)
            if began is not None:
                round_ = began.get("round", 1)
                last = max(last, round_)
        if only is not None and only > last:
            raise Failure(f"there is no round {only}: the last is {last}")
    except (bundle.BadBundle, script.BadScript, BadOpening, NotAsWritten) as fault:
        raise Failure(f"{file}: {fault}") from fault


def _write_page(name: str, raw: bytes, out: Path) -> int:
    """Write the page that replays the bundle *raw*, and return the exit status: 0, or that of the verdict."""
    if not _is_bundle(raw):
        raise Failure(f"{name} is not a bundle: a script has no record to replay and to prove")
    try:
        html, count = page_of(name, raw)
    except ImportRefused as fault:
        verdict = fault.report.verdict
        say(f"{name} is not replayed: {verdict} {verdict.detail}".rstrip() + "; nothing is written", err=True)
        return STATUS[verdict.name] or 1
    try:
        out.write_text(html, "utf-8")
    except OSError as fault:
        raise Failure(f"{out}: {fault.strerror}") from fault
    say(f"{count} commits written to {out}: open it in a browser", err=True)
    return 0


def _narrator(edition: str, opening: Mapping[str, Any]) -> Narrator:
    """Return the narrator of an encounter; of an unknown edition it shows no statement of a rule."""
    ruleset = every_ruleset().get(edition)
    statements = {} if ruleset is None else rules_in(ruleset.packages)
    return Narrator(
        Terminal(highlight=False),
        opening,
        {id_: rule.statement for id_, rule in statements.items()},
        SHARED_SPEECH if ruleset is None else speech_of(ruleset),
    )


def _is_bundle(raw: bytes) -> bool:
    """Return whether the first line is a bundle's header; any other file is read as a script."""
    try:
        first = json.loads(raw.partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and first.get("kind") == "header"


# --- a bundle -----------------------------------------------------------------------------------------


def _of_bundle(raw: bytes) -> tuple[str, Mapping[str, Any], Iterator[ReplayedCommit]]:
    evidence = bundle.read(raw)
    try:
        opening = load_request(evidence.requests[0] or b"").data if evidence.requests else {}
        commits = [load_commit(raw) for raw in evidence.commits]
    except ValueError as fault:
        raise bundle.BadBundle(0, 0, f"it cannot be read: {fault}; see rewound verify") from fault
    return str(opening.get("edition")), opening.get("opening", opening), _replayed(evidence, commits)


def _replayed(evidence: Evidence, commits: list[Commit]) -> Iterator[ReplayedCommit]:
    for commit, raw in zip(commits, evidence.requests, strict=True):
        request = None if raw is None else load_request(raw)
        payloads = {
            index: evidence.opened[commit.n, index].payload
            for index in range(len(commit.events))
            if (commit.n, index) in evidence.opened
        }
        outcome = views.outcome_data(commit, payloads, Holder.of(commit, payloads))
        if request is None:
            yield ReplayedCommit(commit.n, "?", _WITHHELD, {}, outcome)
        else:
            data = {} if commit.n == 1 else request.data
            yield ReplayedCommit(commit.n, request.actor.seat, request.type, data, outcome)


@dataclass(frozen=True)
class Holder(views.Reader):
    """A reader of exactly the given opened envelopes."""

    commitments: frozenset[str] = frozenset()

    @classmethod
    def of(cls, commit: Commit, payloads: Mapping[int, bytes]) -> Holder:
        """Return a reader of *payloads*, the opened envelopes of *commit* by event index."""
        return cls("", {}, frozenset(commit.events[index]["sealed"] for index in payloads))

    def may_open(self, envelope: Mapping[str, Any]) -> bool:
        """Return whether the envelope is open."""
        return envelope["sealed"] in self.commitments


# --- a script -----------------------------------------------------------------------------------------


def _of_script(raw: bytes, form: str | None) -> tuple[str, Mapping[str, Any], Iterator[ReplayedCommit]]:
    try:
        forms = script.read(raw.decode())
    except UnicodeDecodeError as fault:
        raise script.BadScript("neither a bundle nor a script") from fault
    name = form or next(iter(forms))
    if name not in forms:
        raise script.BadScript(f"there is no form {name}: {', '.join(forms)}")
    opening = forms[name].opening
    return str(opening.get("edition")), opening, _decide(forms[name])


def _decide(fight: script.ScriptedFight) -> Iterator[ReplayedCommit]:
    """Decide a script step by step and yield its commits; raises `NotAsWritten`."""
    table = LocalTable(every_ruleset(), fight.opening)
    yield _outcome_text("gm", "open", {}, *table.opened, says=fight.text)
    for step in fight.steps:
        if step.send is None:
            fault = difference(step.check, table.state_data())
            if fault is not None:
                raise NotAsWritten(f"{step.says} But {fault}")
            continue
        data = {name: value for name, value in step.send.items() if name != "type"}
        try:
            commit, payloads = table.send(step.seat, step.send["type"], data)
        except Exception as fault:  # a rulebook's own fault has any type
            place = f"{step.seat} sends {step.send['type']}: the rulebook fails at it"
            raise NotAsWritten(f"{place} ({type(fault).__name__}: {fault}). Please report it.") from fault
        entry = _outcome_text(step.seat, step.send["type"], data, commit, payloads, says=step.says)
        if "refusal" in entry.outcome:
            raise NotAsWritten(f"{step.seat} sends {entry.type}: {entry.outcome['refusal']['detail']}")
        yield entry


def _outcome_text(
    seat: str,
    type_: str,
    data: Mapping[str, Any],
    commit: Commit,
    payloads: Mapping[int, bytes],
    *,
    says: str,
) -> ReplayedCommit:
    outcome = views.outcome_data(commit, payloads, Holder.of(commit, payloads))
    return ReplayedCommit(commit.n, seat, type_, data, outcome, says)
