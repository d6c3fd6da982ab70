"""Verify: audit a bundle offline, without a server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click
from rich.progress import Progress

from service.audit import bundle
from service.audit.carrying import with_carried
from service.audit.certificate import certificate, check_against_certificate
from service.audit.evidence import Evidence, Receipt
from service.audit.fight import verify_fight, with_parent
from service.audit.held import Held
from service.audit.lines import fork_fault, parent_of
from service.audit.logged import DELAY_S, judge_log
from service.audit.notes import read_verifier_key
from service.audit.receipts import read_receipt_file
from service.audit.report import Report
from service.audit.signatures import accepted_keys
from service.audit.unseen import hold_to_bound
from service.audit.verdict import VALID_IN_PART, Counts, Finding
from service.audit.witness_policy import BadPolicy, Policy, read_policy
from service.cli import evening
from service.cli.every_ruleset import every_ruleset
from service.cli.judging import print_report, status_of
from service.cli.terminal import Terminal, document, say
from service.rules.kernel.hexadecimal import is_hex

GOES_ON = "goes_on"
_UNSIGNED_RECEIPT: Final = re.compile("([1-9][0-9]{0,14}):([0-9a-fA-F]{64})")

_ONE: Final = "several fights take certificates, log proofs and the like from their directory"

_EXITS = """
Exit status: 0 valid, valid_to_epoch, valid_as_opened; 3 malformed, 4 tampered, 5 truncated, 6 forked,
7 dice_invalid, 8 rules_changed, 9 not_deterministic, 10 state_mismatch, 11 unsigned_from,
12 valid_without_rules (0 with --without-rules), 13 valid_unsigned and the like (0 with --unsigned), 14 empty,
15 unknown_edition, 16 not_a_bundle, 17 certificate_mismatch, 18 wrong_parent, 19 seam_broken, 20 seam_sealed,
21 carry_forged, 22 forged_command, 23 receipt_mismatch, 24 false_quarantine, 25 dice_moved,
26 not_accepted, 27 valid_in_part, 28 false_refusal, 30 bad_log_proof, 31 log_contradicted, 32 unlogged,
33 unwitnessed, 34 misdated, 35 outdated; 40 missing (of several fights);
1 and 2: an error without a verdict.
"""


class _Receipt(click.ParamType["Receipt | tuple[bytes, ...]"]):
    """A receipt: `N:HASH`, or a file with a response of the service, which may have signed ones."""

    name = "N:HASH|FILE"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Receipt | tuple[bytes, ...]:
        text = str(value)
        unsigned = _UNSIGNED_RECEIPT.fullmatch(text)
        if unsigned is not None:
            return Receipt(int(unsigned[1]), unsigned[2].lower())
        if not Path(text).is_file():
            self.fail(f"{value!r} is not a receipt: a number, a colon and 64 hexadecimal digits", param, ctx)
        signed, receipt = read_receipt_file(Path(text).read_bytes())
        return tuple(signed) if receipt is None else receipt


class _Key(click.ParamType[bytes]):
    """A trusted public key: 64 hexadecimal digits, as in `GET /v1/keys`, or a verifier key's line."""

    name = "KEY"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        text = str(value)
        try:
            return bytes.fromhex(text) if is_hex(text) else read_verifier_key(text)[1]
        except ValueError:
            self.fail(f"{value!r} is not a key: 64 hexadecimal digits, or a verifier key", param, ctx)


class _SeatKey(click.ParamType[tuple[str, str]]):
    """A seat and its public key."""

    name = "SEAT:KEY"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        seat, _, key = str(value).partition(":")
        if not bundle.SEAT.fullmatch(seat) or not is_hex(key):
            self.fail(f"{value!r} is not a seat, a colon and 64 hexadecimal digits", param, ctx)
        return seat, key


class _PolicyFile(click.ParamType[Policy]):
    """A file with a policy (C2SP tlog-policy)."""

    name = "FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Policy:
        try:
            return read_policy(Path(str(value)).read_bytes())
        except (OSError, BadPolicy) as fault:
            self.fail(f"{value}: {fault}", param, ctx)


@click.command("verify", epilog=_EXITS)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--receipt",
    "receipts",
    type=_Receipt(),
    multiple=True,
    help="A receipt: a commit's number and hash, or a file with any response to a command, or with the "
    "receipt that the service signed in it.",
)
@click.option(
    "--key",
    "keys",
    type=_Key(),
    multiple=True,
    help="A public key that you trust. It must have signed the last commit, and no other key may have signed "
    "any.",
)
@click.option(
    "--seat-key",
    "seat_keys",
    type=_SeatKey(),
    multiple=True,
    help="A seat and its public key that you know from elsewhere: each command of the seat must be signed by "
    "it, whatever key the record says.",
)
@click.option(
    "--repeat-killed",
    is_flag=True,
    help="Decide also commands that are said to have ended the workers that decided them. They may end this "
    "program.",
)
@click.option("--unsigned", is_flag=True, help="Exit with 0 even if no key was given.")
@click.option(
    "--without-rules",
    is_flag=True,
    help="Check bytes, signatures and dice only; exit with 0 if they are sound.",
)
@click.option(
    "--certificate",
    "paper",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A certificate, as canonical JSON; FILE must be the record that it certifies.",
)
@click.option(
    "--parent",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The bundle of the encounter that FILE, a fork, continues; FILE is compared with it.",
)
@click.option(
    "--carried-from",
    "sources",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="The bundle of an encounter that characters come from. Each is audited, and what FILE carries "
    "is compared with the commits that it names; so is what these files carry.",
)
@click.option(
    "--log",
    "log_proof",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A log proof, as `GET …/log-proof` answers it; FILE is held to the public log.",
)
@click.option(
    "--policy",
    type=_PolicyFile(),
    help="A policy file: the logs and witnesses that you trust, and how many are enough (needs --log); how "
    "much may come between what a seat had seen and its command.",
)
@click.option(
    "--delay",
    "delay_s",
    type=click.IntRange(0),
    default=DELAY_S,
    show_default=True,
    help="Seconds after a commit's time within which the witnesses must have seen it.",
)
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Of several fights: a directory that follows the public log (`rewound log follow`). Each encounter "
    "that --owner opened there should be among the files.",
)
@click.option("--owner", help="The owner's pseudonym in the public log: 32 hexadecimal digits.")
@click.option("--line", help="Judge this line of play, one that was taken back, with those that led to it.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one for each option
    ctx: click.Context,
    paths: tuple[Path, ...],
    receipts: tuple[Receipt | tuple[bytes, ...], ...],
    keys: tuple[bytes, ...],
    seat_keys: tuple[tuple[str, str], ...],
    paper: Path | None,
    parent: Path | None,
    sources: tuple[Path, ...],
    log_proof: Path | None,
    policy: Policy | None,
    delay_s: int,
    mirror: Path | None,
    owner: str | None,
    line: str | None,
    *,
    repeat_killed: bool,
    unsigned: bool,
    without_rules: bool,
    as_json: bool,
) -> None:
    """Audit bundles offline: their bytes, signatures and dice, and every decision again.

    One file is reported in full. Several, or a directory, are the fights of an evening: a table with one
    status, the first that is not 0. What lies in the directory is used by what it is: receipts, answers,
    certificates, log proofs, and `keys.txt`, `seat-keys.txt`, `policy.txt` and `fights.txt`, the list of
    fights that should be there.
    """
    if len({seat for seat, _ in seat_keys}) < len(set(seat_keys)):
        raise click.UsageError("--seat-key names one key for a seat: a seat whose key was replaced has none")
    if (mirror is None) != (owner is None):
        raise click.UsageError("--mirror and --owner name the fights that should be there: give both")
    if len(paths) > 1 or paths[0].is_dir() or mirror is not None:
        if any((paper, parent, sources, log_proof)):
            raise click.UsageError(_ONE)
        held = Held(
            keys=keys,
            seat_keys=dict(seat_keys),
            receipts=tuple(each for each in receipts if isinstance(each, Receipt)),
            signed_receipts=tuple(one for each in receipts if isinstance(each, tuple) for one in each),
            policy=policy,
            delay_s=delay_s,
            without_rules=without_rules,
            repeats_killed=repeat_killed,
        )
        expected = {} if mirror is None or owner is None else evening.openings_of(mirror, owner)
        ctx.exit(evening.report(paths, held, expected, unsigned=unsigned, as_json=as_json))
    (file,) = paths
    if policy is not None and policy.asks_log and log_proof is None:
        raise click.UsageError("--policy says how --log is judged: give both")
    asked = _AuditOptions(
        keys, dict(seat_keys), without_rules=without_rules, repeats_killed=repeat_killed, quiet=as_json
    )
    asked = replace(asked, line=line)
    raw = evening.content(file)
    signed = [one for each in receipts if isinstance(each, tuple) for one in each]
    report = asked.judge(raw, [each for each in receipts if isinstance(each, Receipt)], signed)
    if paper is not None and report.verdict.is_sound:
        report = check_against_certificate(
            report, paper.read_bytes(), accepted_keys(bundle.read(raw, pinned=keys))
        )
    if parent is not None and (report.verdict.is_sound or report.verdict.name == VALID_IN_PART):
        report = asked.compare(report, parent.read_bytes(), raw)
    if report.verdict.is_sound:
        report = asked.follow(report, raw, [each.read_bytes() for each in sources])
    report = asked.hold(report, raw, log_proof, policy, delay_s)
    if as_json:
        say(document(certificate(report)))
    else:
        print_report(certificate(report), Terminal(highlight=False))
    ctx.exit(status_of(report.verdict.name, unsigned=unsigned, without_rules=without_rules))


@dataclass(frozen=True)
class _AuditOptions:
    """The options of an audit."""

    keys: tuple[bytes, ...]
    seat_keys: Mapping[str, str]
    without_rules: bool
    repeats_killed: bool
    quiet: bool
    line: str | None = None
    """The line of play to judge, with those that led to it; None for the whole fight."""

    def judge(self, raw: bytes, receipts: Sequence[Receipt] = (), signed: Sequence[bytes] = ()) -> Report:
        """Audit the bundle *raw* and return the report."""
        try:
            read = bundle.read_fight(raw, receipts, self.keys, signed)
            fight = tuple(replace(each, seat_keys=self.seat_keys) for each in self.upto(read))
        except bundle.BadBundle as fault:
            return Report("", fault.verdict, Counts())
        console = Terminal(stderr=True, quiet=self.quiet)
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task("Deciding every command again", total=fight[-1].count)
            return verify_fight(
                fight,
                every_ruleset(),
                without_rules=self.without_rules,
                repeats_killed=self.repeats_killed,
                progress=lambda done, of: bar.update(task, completed=done, total=of),
            )

    def upto(self, fight: Sequence[Evidence]) -> Sequence[Evidence]:
        """Return the lines of play up to the one that is asked for; raises `UsageError` if there is none."""
        if self.line is None:
            return fight
        for number, each in enumerate(fight, 1):
            if each.encounter == self.line:
                return fight[:number]
        known = ", ".join(each.encounter for each in fight)
        raise click.UsageError(f"the file has no line {self.line}; it has {known}")

    def hold(
        self, report: Report, raw: bytes, proof: Path | None, policy: Policy | None, delay_s: int
    ) -> Report:
        """Return *report* with what a log proof in *proof* and *policy* say of the sound record *raw*."""
        if proof is not None and report.verdict.is_sound:
            fight = self.upto(bundle.read_fight(raw, pinned=self.keys))
            report = judge_log(report, fight, proof.read_bytes(), policy, delay_s)
        if policy is not None and policy.unseen is not None and report.verdict.is_sound:
            report = hold_to_bound(report, policy.unseen)
        return report

    def follow(self, report: Report, raw: bytes, sources: Sequence[bytes]) -> Report:
        """Return *report* with what the carried characters of its record and of *sources* are found to be."""
        registry = {} if self.without_rules else every_ruleset()
        for source in sources:
            judged = self.judge(source)
            if not judged.verdict.is_sound:
                return judged
        known = [bundle.read(source) for source in sources]
        for evidence in known:
            found = with_carried(report, evidence, known, registry)
            if not found.verdict.is_sound:
                detail = f"in {evidence.encounter}: {found.verdict.detail}"
                return replace(report, verdict=replace(found.verdict, detail=detail))
            report = found
        return with_carried(report, bundle.read(raw), known, registry)

    def compare(self, report: Report, parent: bytes, child: bytes) -> Report:
        """Return *report* of a fork with the finding that the seam holds, or a report of what is wrong."""
        before = replace(self, line=None).judge(parent)
        if not before.verdict.is_sound:
            return before
        registry = {} if self.without_rules else every_ruleset()
        fork = bundle.read_fight(child)[0]
        lines = bundle.read_fight(parent)
        named = parent_of(fork)
        found = fork_fault(
            next((each for each in lines if each.encounter == named), lines[-1]), fork, registry
        )
        if found is not None:
            return replace(report, verdict=found)
        finding = Finding(GOES_ON, f"it continues {named}, and the seam is sound")
        return with_parent(replace(report, findings=(*report.findings, finding)))
