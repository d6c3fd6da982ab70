"""Print an audit's certificate, and map its verdict to an exit status.

0: nothing is wrong, an accepted key has signed it, and the rules were applied. Every other verdict has its
own status, so that a script can branch on it. 1 and 2 are for errors without a verdict, such as a missing
file or a wrong option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from service.audit import verdict as v
from service.audit.decisions import summary
from service.cli.terminal import escape
from service.record.text import plain

STATUS: Final[Mapping[str, int]] = MappingProxyType(
    {
        v.VALID: 0,
        v.VALID_TO_EPOCH: 0,
        v.VALID_AS_OPENED: 0,
        v.MALFORMED: 3,
        v.TAMPERED: 4,
        v.TRUNCATED: 5,
        v.FORKED: 6,
        v.DICE_INVALID: 7,
        v.RULES_CHANGED: 8,
        v.NOT_DETERMINISTIC: 9,
        v.STATE_MISMATCH: 10,
        v.UNSIGNED_FROM: 11,
        v.VALID_WITHOUT_RULES: 12,
        **dict.fromkeys(v.UNSIGNED, 13),
        v.EMPTY: 14,
        v.UNKNOWN_EDITION: 15,
        v.NOT_A_BUNDLE: 16,
        v.CERTIFICATE_MISMATCH: 17,
        v.WRONG_PARENT: 18,
        v.SEAM_BROKEN: 19,
        v.SEAM_SEALED: 20,
        v.CARRY_FORGED: 21,
        v.FORGED_COMMAND: 22,
        v.RECEIPT_MISMATCH: 23,
        v.FALSE_QUARANTINE: 24,
        v.DICE_MOVED: 25,
        v.FALSE_REFUSAL: 28,
        v.VALID_IN_PART: 27,
        v.NOT_ACCEPTED: 26,
        v.BAD_LOG_PROOF: 30,
        v.LOG_CONTRADICTED: 31,
        v.UNLOGGED: 32,
        v.UNWITNESSED: 33,
        v.MISDATED: 34,
        v.OUTDATED: 35,
        v.MISSING: 40,
    }
)
"""The exit status of each verdict without --unsigned and --without-rules."""

_INDENT: Final = 2
_NAME: Final = 11
"""Columns of a line's name, as in `dice       4 rolls proved`."""


def status_of(name: str, *, unsigned: bool = False, without_rules: bool = False) -> int:
    """Return the exit status of the verdict *name*, given the options --unsigned and --without-rules."""
    if unsigned and name in v.UNSIGNED:
        name = v.SIGNED[v.UNSIGNED.index(name)]
    if without_rules and name == v.VALID_WITHOUT_RULES:
        return 0
    return STATUS[name]


def print_report(report: Mapping[str, Any], console: Console) -> None:
    """Print the certificate *report*."""
    verdict, counts = report["verdict"], report["counts"]
    colour = "green" if verdict["name"] in v.SOUND else "red"
    console.print(f"\n[bold {colour}]{escape(verdict['text'])}[/]  {escape(verdict['meaning'])}")
    if "detail" in verdict:
        console.print(f"  {escape(verdict['detail'])}")
    if report["lines"]:
        console.print(f"  {escape(ruled(report['lines']))}")
    for line in _warnings(report, counts):
        console.print(_hanging(line, "bold yellow"))
    for line in _lines(report, counts):
        console.print(_hanging(line, "dim"))


WORDS: Final[Mapping[str, str]] = MappingProxyType({"as_ruled": "ruling", "undo": "undo", "redo": "redo"})


def ruled(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return in one sentence how the fight went on by rulings: how many, by whom, what they took back."""
    parts = []
    for each in lines:
        taken = each["took_back"]
        if taken is None:
            what = "took back nothing"
        elif taken[0] == taken[1]:
            what = f"took back #{taken[0]}"
        else:
            what = f"took back #{taken[0]} to #{taken[1]}"
        throws = "1 throw" if each["drawn_anew"] == 1 else f"{each['drawn_anew'] or 'no'} throws"
        anew = f", {'no throw' if not each['drawn_anew'] else throws} got other dice"
        parts.append(f"#{each['n']}, {WORDS[each['kind']]} by {each['by'] or 'somebody'}, {what}{anew}")
    count = f"{len(lines)} rulings" if len(lines) > 1 else "1 ruling"
    return f"{count} changed what stands: " + "; ".join(parts)


def _hanging(line: str, style: str) -> Table:
    """Return *line* so that what does not fit is continued below its text, not below its name."""
    found = Table.grid()
    found.add_column(width=_INDENT + _NAME, no_wrap=True, style=style)
    found.add_column(style=style)
    found.add_row(Text(" " * _INDENT + plain(line[:_NAME])), Text(plain(line[_NAME:])))
    return found


def _warnings(report: Mapping[str, Any], counts: Mapping[str, int]) -> list[str]:
    """Return what a reader must know first: what people decided, whose keys spoke, and what is unsigned."""
    found = [f"{kind:{_NAME}}{line}" for kind, line in summary(report["decisions"])]
    found += _key_lines(report["seat_keys"])
    late = max(report["unseen"], key=lambda each: (each["decisions"] > 0, each["commits"]), default=None)
    if late is not None:
        among = f", {late['decisions']} of them decisions" if late["decisions"] else ""
        found.append(
            f"unseen     {len(report['unseen'])} commands were decided after commits that their seats had "
            f"not seen; {late['seat']} had not seen {late['commits']} before commit {late['n']}{among}"
        )
    signed = report["log"]["checkpoints"]["size"]
    if signed is not None and signed < counts["commits"]:
        found.append(
            f"unsigned   commits {signed + 1} to {counts['commits']} are not signed: "
            "anybody may have written them once the fight was over"
        )
    return found


def _key_lines(keys: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each seat about its keys, and one that asks for those that were not given."""
    by_seat: dict[str, list[Mapping[str, Any]]] = {}
    for each in keys:
        by_seat.setdefault(each["seat"], []).append(each)
    found = []
    for seat, its in sorted(by_seat.items()):
        spoke = [
            f"{each['key'][:8]}… from commit {each['n']} on, set by {each['by'] or 'a withheld command'}, "
            f"signed {each['commands']}"
            for each in its
        ]
        found.append(f"keys       {seat}: {'; '.join(spoke)}")
    asked = sorted({each["seat"] for each in keys} - {each["seat"] for each in keys if each["given"]})
    if asked:
        found.append(
            f"           only the record says that these keys are those of {', '.join(asked)}: "
            "give --seat-key SEAT:KEY for each that you know"
        )
    return found


def _lines(report: Mapping[str, Any], counts: Mapping[str, int]) -> list[str]:
    log, rules, decided = report["log"], report["ruleset"], report["decided"]
    lines = [f"encounter  {report['encounter']}"]
    if log["head"] is not None:
        lines.append(f"record     {log['size']} commits, head {log['head'][:16]}…, root {log['root'][:16]}…")
    lines += _signed(log)
    if log["receipts"]:
        lines.append(f"receipts   {log['receipts']} hold")
    if rules["edition"] is not None:
        now = f", decided again by {rules['recomputed'][:16]}…" if rules["recomputed"] else ""
        then = f" {rules['recorded'][:16]}…" if rules["recorded"] else ""
        lines.append(f"rules      {rules['edition']}{then}{now}")
    if decided is not None:
        refused = f", {counts['refused']} of them refused" if counts["refused"] else ""
        lines.append(f"decided    commits {decided['from']} to {decided['to']}{refused}")
    lines.append(
        f"dice       {counts['rolls_checked']} rolls proved, {counts['rolls_unverified']} of an open epoch, "
        f"{counts['rolls_declared']} thrown by hand ({counts['faces_declared']} faces)"
    )
    lines += [f"           {said}" for said in report["dice"]["statements"]]
    if counts["envelopes"]:
        lines.append(f"envelopes  {counts['envelopes_opened']} of {counts['envelopes']} opened")
    if counts["commands_signed"]:
        lines.append(f"seats      {counts['commands_signed']} commands signed by their seats")
    if counts["requests_withheld"]:
        lines.append(f"withheld   {counts['requests_withheld']} requests")
    return lines + [f"finding    {found['name']}: {found['detail']}" for found in report["findings"]]


def _signed(log: Mapping[str, Any]) -> list[str]:
    """Return lines that say how far the record is signed, and by whom."""
    points = log["checkpoints"]
    if log["head"] is None:
        return []
    if points["size"] is None:
        return ["signed     by nobody"]
    by = (
        "a key you gave"
        if points["key_was_given"]
        else "a key that only the bundle names: give --key for one that you know"
    )
    behind = log["size"] - points["size"]
    rest = f"; the {behind} later ones are not signed yet" if behind else ""
    lines = [f"signed     {points['size']} of {log['size']} commits, by {by}{rest}"]
    if points["lost"]:
        lines.append(f"lost       {points['lost']} signed heads of a history that was lost")
    return lines
