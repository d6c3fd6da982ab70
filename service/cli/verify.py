"""Verify: audit a bundle with nothing but this program; no server, no network."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.progress import Progress

from service.audit import bundle
from service.audit.certificate import certificate, held_to_certificate
from service.audit.evidence import Receipt
from service.audit.lines import mismatch
from service.audit.notes import read_verifier_key
from service.audit.report import Report
from service.audit.signatures import accepted_keys
from service.audit.verdict import Counts, Finding
from service.audit.verify import verify
from service.cli.judging import print_report, status_of
from service.cli.terminal import Terminal, document, say
from service.rules.registry import REGISTRY

GOES_ON = "goes_on"

_EXITS = """
Exit status: 0 valid, valid_to_epoch, valid_as_opened; 3 malformed, 4 tampered, 5 truncated, 6 forked,
7 dice_invalid, 8 rules_changed, 9 not_deterministic, 10 state_mismatch, 11 unsigned_from,
12 valid_without_rules (0 with --without-rules), 13 valid_unsigned and its kin (0 with --unsigned), 14 empty,
15 unknown_edition, 16 not_a_bundle, 17 certificate_mismatch, 18 wrong_parent, 19 seam_broken, 20 seam_sealed;
1 and 2: there was nothing to judge.
"""


class _Receipt(click.ParamType[Receipt]):
    """A receipt: `N:HASH`, or a file with an answer of the service in it."""

    name = "N:HASH|FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Receipt:
        text = str(value)
        number, _, hash_ = text.partition(":")
        if not number.isdecimal() and Path(text).is_file():
            number, hash_ = _answered(Path(text).read_bytes())
        if not number.isdecimal() or int(number) < 1 or len(hash_) != 64:  # noqa: PLR2004 - a SHA-256
            self.fail(f"{value!r} is no receipt: a number, a colon and 64 hexadecimal digits", param, ctx)
        return Receipt(int(number), hash_.lower())


def _answered(raw: bytes) -> tuple[str, str]:
    """Return the number and hash that an answer tells, empty texts where it tells none."""
    try:
        data = json.loads(raw)
        return str(data["n"]), str(data["hash"])
    except (ValueError, KeyError, TypeError):
        return "", ""


class _Key(click.ParamType[bytes]):
    """A key to believe: 64 hexadecimal digits, as `GET /v1/keys` has it, or a verifier key's line."""

    name = "KEY"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        text = str(value)
        try:
            return bytes.fromhex(text) if len(text) == 64 else read_verifier_key(text)[1]  # noqa: PLR2004 - a key
        except ValueError:
            self.fail(f"{value!r} is no key: 64 hexadecimal digits, or a verifier key", param, ctx)


@click.command("verify", epilog=_EXITS)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--receipt",
    "receipts",
    type=_Receipt(),
    multiple=True,
    help="What you were told: a commit's number and hash, or a file with any answer to a command.",
)
@click.option(
    "--key",
    "keys",
    type=_Key(),
    multiple=True,
    help="A key you accept, from `GET /v1/keys`: it has signed to the end, and no other has.",
)
@click.option("--unsigned", is_flag=True, help="Do without a key: end with 0 although none was given.")
@click.option(
    "--without-rules", is_flag=True, help="Apply no rules, as a verifier that has none; end with 0."
)
@click.option(
    "--certificate",
    "paper",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A certificate, as canonical JSON: FILE must be the record that it speaks of.",
)
@click.option(
    "--parent",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The bundle of the encounter that FILE continues: FILE is compared with it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def command(  # noqa: PLR0913 - one for each thing that may be held against it
    ctx: click.Context,
    file: Path,
    receipts: tuple[Receipt, ...],
    keys: tuple[bytes, ...],
    paper: Path | None,
    parent: Path | None,
    *,
    unsigned: bool,
    without_rules: bool,
    as_json: bool,
) -> None:
    """Audit the bundle FILE, offline: bytes, signatures, dice, every decision again."""
    asked = _Asked(keys, without_rules=without_rules, quiet=as_json)
    raw = file.read_bytes()
    report = asked.judge(raw, receipts)
    if paper is not None and report.verdict.is_sound:
        report = held_to_certificate(report, paper.read_bytes(), accepted_keys(bundle.read(raw, pinned=keys)))
    if parent is not None and report.verdict.is_sound:
        report = asked.compare(report, parent.read_bytes(), raw)
    if as_json:
        say(document(certificate(report)))
    else:
        print_report(certificate(report), Terminal(highlight=False))
    ctx.exit(status_of(report.verdict.name, unsigned=unsigned, without_rules=without_rules))


@dataclass(frozen=True)
class _Asked:
    """How bundles are to be judged."""

    keys: tuple[bytes, ...]
    without_rules: bool
    quiet: bool

    def judge(self, raw: bytes, receipts: tuple[Receipt, ...] = ()) -> Report:
        """Return what an audit says of the bundle *raw*."""
        try:
            evidence = bundle.read(raw, receipts, self.keys)
        except bundle.BadBundle as fault:
            return Report("", fault.verdict, Counts())
        console = Terminal(stderr=True, quiet=self.quiet)
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task("Deciding every command again", total=evidence.count)
            return verify(
                evidence,
                REGISTRY,
                without_rules=self.without_rules,
                progress=lambda done, of: bar.update(task, completed=done, total=of),
            )

    def compare(self, report: Report, parent: bytes, child: bytes) -> Report:
        """Return *report*, or what is wrong with the parent, or with the seam between both."""
        before = self.judge(parent)
        if not before.verdict.is_sound:
            return before
        found = mismatch(bundle.read(parent), bundle.read(child), {} if self.without_rules else REGISTRY)
        if found is not None:
            return replace(report, verdict=found)
        told = Finding(GOES_ON, f"it continues {before.encounter} as it says")
        return replace(report, findings=(*report.findings, told))
