"""Print what an audit found, and say it in an exit status.

0: sound (`valid`, `valid_to_epoch`, `valid_as_opened`). Otherwise each verdict has its own, so that a script
can branch on it; 1 and 2 are left to faults that are no verdict (a file that is not there, a wrong option).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from service.audit import verdict as v

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
    }
)
"""The exit status of each verdict."""


def print_report(report: Mapping[str, Any], console: Console) -> None:
    """Print a certificate, as an audit spells it."""
    verdict, counts = report["verdict"], report["counts"]
    colour = "green" if verdict["name"] in v.SOUND else "red"
    console.print(f"\n[bold {colour}]{escape(verdict['text'])}[/]  {escape(verdict['meaning'])}")
    if "detail" in verdict:
        console.print(f"  {escape(verdict['detail'])}")
    for line in _lines(report, counts):
        console.print(f"  [dim]{escape(line)}[/]")


def _lines(report: Mapping[str, Any], counts: Mapping[str, int]) -> list[str]:
    log, rules, decided = report["log"], report["ruleset"], report["decided"]
    lines = [f"encounter  {report['encounter']}"]
    if log["head"] is not None:
        lines.append(f"record     {log['size']} commits, head {log['head'][:16]}…, root {log['root'][:16]}…")
    points = log["checkpoints"]
    if points["size"] is not None:
        believed = "the key you gave" if points["key_was_given"] else "a key that the bundle tells itself"
        lines.append(f"signed     {points['size']} commits, by {believed}")
    if log["receipts"]:
        lines.append(f"receipts   {log['receipts']} hold")
    if rules["edition"] is not None:
        now = f", decided again by {rules['now'][:16]}…" if rules["now"] else ""
        then = f" {rules['then'][:16]}…" if rules["then"] else ""
        lines.append(f"rules      {rules['edition']}{then}{now}")
    if decided is not None:
        refused = f", {counts['refused']} of them refused" if counts["refused"] else ""
        lines.append(f"decided    commits {decided['from']} to {decided['to']}{refused}")
    lines.append(
        f"dice       {counts['rolls_checked']} rolls proved, {counts['rolls_unverified']} of an open epoch, "
        f"{counts['rolls_declared']} thrown by hand ({counts['faces_declared']} faces)"
    )
    lines += [f"           {said}" for said in report["dice"]["says"]]
    if report["rulings"]:
        lines.append(f"rulings    {len(report['rulings'])}")
    if counts["envelopes"]:
        lines.append(f"envelopes  {counts['envelopes_opened']} of {counts['envelopes']} opened")
    if counts["requests_withheld"]:
        lines.append(f"withheld   {counts['requests_withheld']} requests")
    if counts["quarantined"]:
        lines.append(f"quarantine {counts['quarantined']} commands that no worker survived")
    return lines + [f"finding    {found['name']}: {found['detail']}" for found in report["findings"]]
