"""Verify: audit a bundle with nothing but this program; no server, no network."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from service.audit import bundle
from service.audit.evidence import Receipt
from service.audit.verdict import MALFORMED, Counts, Report, Verdict
from service.audit.verify import verify
from service.cli.judging import STATUS, print_report
from service.rules.shelf import SHELF

_EXITS = """
Exit status: 0 sound (valid, valid_to_epoch, valid_as_opened), 3 malformed, 4 tampered, 5 truncated, 6 forked,
7 dice_invalid, 8 rules_changed, 9 not_deterministic, 10 state_mismatch; 1 and 2: there was nothing to judge.
"""


class _Receipt(click.ParamType[Receipt]):
    """A receipt as it is written on the command line: `N:HASH`."""

    name = "N:HASH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Receipt:
        number, _, hash_ = str(value).partition(":")
        if not number.isdecimal() or int(number) < 1 or len(hash_) != 64:  # noqa: PLR2004 - a SHA-256
            self.fail(f"{value!r} is no receipt: a number, a colon and 64 hexadecimal digits", param, ctx)
        return Receipt(int(number), hash_.lower())


@click.command("verify", epilog=_EXITS)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--receipt",
    "receipts",
    type=_Receipt(),
    multiple=True,
    help="What you were told: a commit's number and hash, from any answer of the service.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def command(ctx: click.Context, file: Path, receipts: tuple[Receipt, ...], *, as_json: bool) -> None:
    """Audit the bundle FILE, offline: bytes, dice, every decision again."""
    report = _judge(file.read_bytes(), receipts, quiet=as_json)
    if as_json:
        click.echo(json.dumps(report.to_data(), indent=2, ensure_ascii=False))
    else:
        print_report(report.to_data(), Console(highlight=False))
    ctx.exit(STATUS[report.verdict.name])


def _judge(raw: bytes, receipts: tuple[Receipt, ...], *, quiet: bool) -> Report:
    try:
        evidence = bundle.read(raw, receipts)
    except bundle.BadBundle as fault:
        return Report("", Verdict(MALFORMED, fault.n, str(fault)), Counts())
    console = Console(stderr=True, quiet=quiet)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Deciding every command again", total=evidence.count)
        return verify(evidence, SHELF, progress=lambda done, of: bar.update(task, completed=done, total=of))
