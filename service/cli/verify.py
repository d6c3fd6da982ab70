"""Verify: audit a bundle with nothing but this program; no server, no network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.evidence import Receipt
from service.audit.lines import mismatch
from service.audit.notes import read_verifier_key
from service.audit.report import Report
from service.audit.verdict import MALFORMED, TAMPERED, Counts, Finding, Verdict
from service.audit.verify import verify
from service.cli.judging import STATUS, print_report
from service.rules.shelf import SHELF

GOES_ON = "goes_on"

_EXITS = """
Exit status: 0 sound (valid, valid_to_epoch, valid_as_opened), 3 malformed, 4 tampered, 5 truncated, 6 forked,
7 dice_invalid, 8 rules_changed, 9 not_deterministic, 10 state_mismatch; 1 and 2: there was nothing to judge.
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
    help="A key you believe, from `GET /v1/keys`: no other may have signed.",
)
@click.option(
    "--parent",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The bundle of the encounter from which FILE goes on: FILE is held to it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    receipts: tuple[Receipt, ...],
    keys: tuple[bytes, ...],
    parent: Path | None,
    *,
    as_json: bool,
) -> None:
    """Audit the bundle FILE, offline: bytes, dice, every decision again."""
    report = _judge(file.read_bytes(), receipts, keys, quiet=as_json)
    if parent is not None and report.verdict.is_sound:
        report = _held_to(report, parent.read_bytes(), file.read_bytes(), quiet=as_json)
    if as_json:
        click.echo(json.dumps(certificate(report), indent=2, ensure_ascii=False))
    else:
        print_report(certificate(report), Console(highlight=False))
    ctx.exit(STATUS[report.verdict.name])


def _held_to(report: Report, parent: bytes, child: bytes, *, quiet: bool) -> Report:
    """Return *report*, or what is wrong with the encounter from which its own goes on, or with the seam."""
    before = _judge(parent, (), (), quiet=quiet)
    if not before.verdict.is_sound:
        return before
    found = mismatch(bundle.read(parent), bundle.read(child), SHELF)
    if found is None:
        told = Finding(GOES_ON, f"it goes on from {before.encounter} as it says")
        return replace(report, findings=(*report.findings, told))
    return replace(report, verdict=Verdict(TAMPERED, 1, found))


def _judge(raw: bytes, receipts: tuple[Receipt, ...], keys: tuple[bytes, ...], *, quiet: bool) -> Report:
    try:
        evidence = bundle.read(raw, receipts, keys)
    except bundle.BadBundle as fault:
        return Report("", Verdict(MALFORMED, fault.n, str(fault)), Counts())
    console = Console(stderr=True, quiet=quiet)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Deciding every command again", total=evidence.count)
        return verify(evidence, SHELF, progress=lambda done, of: bar.update(task, completed=done, total=of))
