"""Every lie that a vector tells: who tells it, what is held against it, and what both verifiers say.

`python -m tests.audit.lies` writes tests/vectors/LIES.md from the vectors' own tables; a test compares,
and asks each vector that is not sound for its row.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from service.audit.evidence import Receipt
from service.audit.held import Held, judge
from service.audit.verdict import NOT_DETERMINISTIC, RULES_CHANGED, Verdict
from service.audit.witness_policy import NONE, read_policy
from tests.audit.bundle_vectors import HOME, TABLE
from tests.audit.game_lies import GAME_LIES
from tests.audit.games import RULES
from tests.audit.line_lies import FIGHT_LIES
from tests.audit.log_vectors import HOME as LOG_HOME
from tests.audit.log_vectors import TABLE as LOG_TABLE

PAGE: Final = Path(__file__).parents[1] / "vectors" / "LIES.md"

ANYBODY, HOST, PLAYER, SIGNER = "anybody with the file", "the host", "a player or gm", "the host, as a signer"
BOTH: Final = "the host and the gm together"
ROLES: Final = (ANYBODY, HOST, SIGNER, PLAYER, BOTH)

LIES: Final[dict[str, tuple[str, str]]] = {
    **{lie.name: (lie.role, lie.says) for lie in GAME_LIES},
    **{f"signed-{lie.name}": (BOTH, lie.says) for lie in FIGHT_LIES},
    "not-a-bundle-empty-file": (ANYBODY, "give an empty file"),
    "not-a-bundle-page": (ANYBODY, "give a page in place of a bundle"),
    "not-a-bundle-trailer-first": (ANYBODY, "put the trailer first"),
    "not-a-bundle-other-format": (ANYBODY, "name another format"),
    "not-a-bundle-first-line-unended": (ANYBODY, "give a header alone, without its end"),
    "not-a-bundle-byte-order-mark": (ANYBODY, "put a byte order mark first, which some readers skip"),
    "malformed-header-member": (ANYBODY, "add a member to the header"),
    "malformed-unknown-kind": (ANYBODY, "add a line of a kind that some readers skip"),
    "malformed-space": (ANYBODY, "spell a line in another way"),
    "malformed-duplicate-member": (ANYBODY, "give a member twice, so that two readers take different ones"),
    "malformed-float": (ANYBODY, "write a number as a float"),
    "malformed-trailer-negative": (ANYBODY, "count fewer checkpoints than none"),
    "malformed-in-a-later-line": (ANYBODY, "rename what a line of the file holds, behind a ruling"),
    "malformed-number-too-large": (ANYBODY, "write a number that readers round"),
    "malformed-header-edition": (ANYBODY, "name another edition in the header"),
    "malformed-withheld-though-open": (ANYBODY, "withhold a request that the seat may read"),
    "malformed-opened-missing": (ANYBODY, "take out what a seal holds"),
    "malformed-opened-twice": (ANYBODY, "open a seal twice"),
    "malformed-opened-index": (ANYBODY, "open a seal that does not exist"),
    "malformed-checkpoint-missing": (ANYBODY, "take out a signed head, and count one less"),
    "malformed-checkpoint-uncounted": (ANYBODY, "take out a signed head"),
    "malformed-key-without-checkpoint": (ANYBODY, "take out all signed heads, and leave the key"),
    "malformed-commit-member": (ANYBODY, "add a member to a commit"),
    "malformed-refusal-rule": (ANYBODY, "give a refusal a rule of another type"),
    "malformed-lane-2": (ANYBODY, "throw dice in a lane that cannot exist"),
    "malformed-30-february": (ANYBODY, "date a command on the 30th of February"),
    "malformed-unassigned-in-unicode-14": (PLAYER, "write text that two verifiers read differently"),
    "malformed-not-nfc": (PLAYER, "write text that is not in its normal form"),
    "tampered-commit": (ANYBODY, "change a commit"),
    "tampered-requests-swapped": (ANYBODY, "swap two requests"),
    "tampered-salt": (ANYBODY, "change the salt of a seal"),
    "tampered-commit-empty": (ANYBODY, "empty a commit"),
    "tampered-trailer-head": (ANYBODY, "change the head"),
    "tampered-trailer-count": (ANYBODY, "count fewer commits than there are"),
    "tampered-first-has-a-predecessor": (ANYBODY, "let commit 1 continue something"),
    "tampered-rewritten-below-a-head": (
        ANYBODY,
        "rewrite the record below a signed head, with every hash",
    ),
    "tampered-signature": (ANYBODY, "change a signature"),
    "tampered-another-encounters-head": (ANYBODY, "take a head of another encounter"),
    "tampered-key-that-is-not-accepted": (ANYBODY, "sign the record with a key of one's own"),
    "tampered-no-commits-and-a-head": (ANYBODY, "give no commits and a head"),
    "tampered-loss-that-nobody-signed": (ANYBODY, "declare signed commits lost, and rewrite them"),
    "tampered-receipt": (ANYBODY, "rewrite what a receipt pins"),
    "empty": (ANYBODY, "give a record without commits"),
    "truncated-no-trailer": (ANYBODY, "cut the file off"),
    "truncated-last-line-unended": (ANYBODY, "cut the file off inside its last line"),
    "truncated-below-a-head": (ANYBODY, "leave out the end, with all hashes made to fit"),
    "truncated-receipt-beyond": (HOST, "leave out what a receipt pins"),
    "forked": (SIGNER, "sign two histories"),
    "truncated-two-roots-beyond-the-end": (SIGNER, "sign two histories, and show neither's end"),
    "unsigned-no-heads": (ANYBODY, "make a whole fight up, and sign nothing"),
    "unsigned-running-no-heads": (ANYBODY, "make a running fight up, and sign nothing"),
    "unsigned-end": (ANYBODY, "make the end of a closed fight up, behind the last signed head"),
    "unsigned-end-no-key": (ANYBODY, "the same, for a reader without a key"),
    "unsigned-close-of-an-epoch": (ANYBODY, "make the end of a round up"),
    "unsigned-older-key-alone": (SIGNER, "sign with an older key alone"),
    "unsigned-loss": (HOST, "declare a loss that no signed head covers"),
    "unsigned-behind-a-loss": (HOST, "go on behind a loss without signing"),
    "dice-face": (HOST, "change a die"),
    "dice-link": (HOST, "disclose another link"),
    "dice-seed": (HOST, "replace the seed of a seat"),
    "dice-waived-and-not-listed": (HOST, "waive the seed of a seat that adds none"),
    "certificate-changed": (ANYBODY, "change a certificate"),
    "certificate-renamed": (ANYBODY, "rename the key of a certificate"),
    "certificate-other-name": (SIGNER, "sign a certificate in another service's name"),
    "certificate-other-key": (ANYBODY, "sign a certificate with a key of one's own"),
    "certificate-other-record": (SIGNER, "show a certificate of another record"),
    "certificate-member-twice": (ANYBODY, "give a member of a certificate twice"),
    "certificate-float": (ANYBODY, "spell a number of a certificate as a float"),
    "certificate-unsigned": (ANYBODY, "show a certificate that nobody signed"),
    "certificate-other-count": (SIGNER, "certify that nothing was set aside"),
    "certificate-other-proposals": (SIGNER, "certify fewer proposed rulings than there were"),
    "certificate-other-decisions": (SIGNER, "certify decisions that nobody made, or leave one out"),
    "certificate-other-dice": (SIGNER, "certify that seats added seeds"),
    "statement-missing": (HOST, "invent a command of a seat with a key"),
    "statement-of-another-command": (HOST, "change a command that a seat signed"),
    "statement-of-another-encounter": (HOST, "take a signed command into another encounter"),
    "statement-on-another-history": (HOST, "take a signed command into a history that the seat has not seen"),
    "statement-on-itself": (HOST, "let a command be signed on a commit that comes later"),
    "statement-of-the-gm-missing": (HOST, "invent a command of a gm with a key"),
    "statement-avoided-by-a-second-gm": (HOST, "speak as the gm from another seat"),
    "refusal-of-a-signed-command": (HOST, "refuse a signed command as not signed"),
    "refusal-of-a-seat-without-a-key": (HOST, "refuse a command as not signed of a seat without a key"),
    "refusal-by-a-key-of-the-hosts-own": (HOST, "give a seat another key, and refuse what it signs"),
    "statement-by-a-key-of-the-hosts-own": (HOST, "give a seat another key, and speak for it"),
    "statement-before-the-key-was-set": (HOST, "speak for a seat, and leave its key out"),
    "declared-that-nobody-declared": (HOST, "call a roll of the service one that people threw"),
    "declared-of-other-faces": (HOST, "record other faces than people declared"),
    "declared-of-another-seat": (HOST, "let another seat have thrown"),
    "declared-in-another-command": (HOST, "declare faces in the name of a seat that sent something else"),
    "declared-that-were-sent-otherwise": (HOST, "declare other faces than the seat sent"),
    "late-commits-beyond-the-bound": (HOST, "hold a signed command back, and decide others first"),
    "late-decisions-beyond-the-bound": (HOST, "hold a signed command back until a decision is made"),
    "dice-moved-after-the-signature": (HOST, "move the dice before a command that is signed already"),
    "dice-moved-long-after-the-signature": (HOST, "hold a signed command back until the dice have moved"),
    "clock-plays-as-it-accepts-a-line": (HOST, "play in the name of the service, as if a line were accepted"),
    "clock-plays": (HOST, "play, or move dice, in the name of the service"),
    "receipt-of-another-outcome": (SIGNER, "answer one thing and record another"),
    "receipt-of-another-request": (SIGNER, "answer one command and record another"),
    "receipt-beyond-the-end": (HOST, "leave out a command that it answered"),
    "receipt-of-another-key": (PLAYER, "accuse a host with a receipt that another key signed"),
    "receipt-of-another-encounter": (PLAYER, "accuse a host with a receipt of another encounter"),
    "receipt-changed": (PLAYER, "accuse a host with a receipt that was changed"),
    "receipt-path-cut": (PLAYER, "accuse a host with a receipt whose path was cut"),
    "receipt-float": (PLAYER, "accuse a host with a receipt that readers read differently"),
    "quarantine-disputed-without-a-loss": (HOST, "set a command aside as disputed, without a loss"),
    "quarantine-without-a-cause": (HOST, "set a command aside and say nothing"),
    "quarantine-of-an-accepted-command": (HOST, "accept a command and call it set aside"),
    "quarantine-of-an-unknown-cause": (HOST, "set a command aside for a cause that does not exist"),
    "quarantine-of-another-code": (HOST, "set a command aside and name no code"),
    "quarantine-with-a-number": (HOST, "give a cause of another type"),
    "quarantine-with-another-member": (HOST, "add a member to a cause"),
    "fight-forged-lost": (ANYBODY, "decide a finished fight otherwise, with the dice that it disclosed"),
    "fight-forged-no-heads": (ANYBODY, "the same, without its signed heads"),
    "fight-forged-tail": (ANYBODY, "decide the end of a finished fight otherwise"),
    "fight-forged-mixed": (ANYBODY, "the same, with dice that seats seeded"),
    "fight-forged-loss-declared": (ANYBODY, "the same, and declare the true end lost"),
    "fight-text-of-another-unicode": (PLAYER, "write text of a later Unicode"),
    "question-header-with-a-space": (ANYBODY, "spell the header in another way"),
    "question-command-before-the-trailer": (ANYBODY, "add a command without its commit"),
    "question-opened-index-after-commits": (ANYBODY, "hide a wrong commit behind a wrong seal"),
    "question-prev-in-capitals": (ANYBODY, "spell a hash in capitals"),
    "question-request-of-63-digits": (ANYBODY, "cut a hash short"),
    "question-epoch-text": (ANYBODY, "give an epoch of another type"),
    "question-payload-without-rolls": (HOST, "seal something without its rolls"),
    "question-rolls-without-dice": (HOST, "throw dice that were never published"),
    "question-29-february-of-1900": (HOST, "date a command on a day that was not"),
    "question-checkpoint-of-an-origin-with-a-plus": (
        SIGNER,
        "sign under a name that readers take apart",
    ),
    "question-no-commits-a-count-and-a-false-head": (ANYBODY, "give a count, a head and no commits"),
    "line-not-accepted": (HOST, "show a line of play that nobody accepted"),
    "line-invented-before-the-acceptance": (HOST, "invent a command in a new line, before it is accepted"),
    "line-invented-among-the-repeated": (HOST, "invent a command among those that a new line repeats"),
    "line-invented-and-planned": (HOST, "invent a command of a new line, and plan it"),
    "line-other-words": (HOST, "change a command that a new line repeats"),
    "line-other-seat": (HOST, "let another seat send what a new line repeats"),
    "line-left-out": (HOST, "leave out a command that a new line repeats"),
    "line-other-ruling": (HOST, "put another ruling into a new line"),
    "line-other-head": (HOST, "accept another head of a new line"),
    "line-keys-of-seats": (HOST, "change the keys of seats as a new line is accepted"),
    "line-accepted-otherwise": (HOST, "accept another head of a new line than the gm signed"),
    "line-undone-otherwise": (HOST, "undo something else than the gm asked for"),
    "line-ruled-otherwise": (HOST, "rule where the gm asked for an undo"),
    "invented-a-key": (HOST, "give a seat a key in a commit of another command"),
    "invented-a-key-removed": (HOST, "take a seat's key away in a commit of another command"),
    "invented-a-commitment": (HOST, "send a seed in the name of a seat"),
    "invented-a-waiver": (HOST, "waive a seat's seed in a commit of another command"),
    "invented-an-epoch": (HOST, "move the dice in a commit of another command"),
    "invented-faces": (HOST, "declare faces in a commit of another command"),
    "invented-a-choice": (HOST, "seal a choice in the name of a seat"),
    "invented-an-opening": (HOST, "open a choice in the name of a seat"),
    "opened-twice": (HOST, "open the fight a second time, with other keys"),
    "line-without-what-a-later-one-opens": (ANYBODY, "take out what a later line opens"),
    "line-whose-opening-is-malformed": (ANYBODY, "spoil the commit with which a later line opens a seal"),
    "line-of-an-encounter-that-is-no-uuid": (
        HOST,
        "name an encounter so that readers cannot compute with it",
    ),
    "line-of-other-seeds": (HOST, "replace a seat's seed where a new line begins"),
    "line-never-continued": (HOST, "show a new line that the old one does not name"),
    "line-begun-anywhere": (HOST, "begin a line in the middle of one, so that nobody signs"),
    "line-begun-at-the-opening": (HOST, "begin a line at the opening"),
    "line-accepted-anywhere": (HOST, "accept a line where none is proposed"),
    "line-of-no-parent": (ANYBODY, "give a line a parent that is not in the file"),
    "line-twice": (ANYBODY, "give a line twice"),
    "log another-history": (HOST, "show another history than the public log has"),
    "log end-withheld": (HOST, "withhold the end of a fight"),
    "log too-late": (HOST, "log a fight later than the reader allows"),
    "log bad-not-canonical": (HOST, "spell a log proof in another way"),
    "log bad-another-encounter": (HOST, "show a log proof of another encounter"),
    "log bad-another-format": (HOST, "name another format of a log proof"),
    "log bad-a-member-more": (HOST, "add a member to a log proof"),
    "log bad-another-index": (HOST, "prove an entry at another index"),
    "log bad-another-root": (HOST, "change an entry of the log"),
    "log bad-a-hash-less": (HOST, "cut a proof short"),
    "log bad-a-false-hash": (HOST, "change a hash of a proof"),
    "log bad-entries-swapped": (HOST, "swap entries of the log"),
    "log bad-another-size": (HOST, "change the size of an entry"),
    "log bad-no-checkpoint": (HOST, "show entries without a checkpoint"),
    "log bad-the-checkpoint-twice": (HOST, "show a checkpoint twice"),
    "log bad-a-proof-of-nothing": (HOST, "prove that the first checkpoint extends nothing"),
    "log second-log": (HOST, "keep a second log of the same name"),
    "log loss-not-logged-again": (
        HOST,
        "let the log's entries of a lost history stand for those of another one",
    ),
    "log one-witness-down": (HOST, "get the cosignature of one witness where all are asked for"),
    "log not-logged": (HOST, "play a fight that the log does not know"),
    "log close-left-out": (HOST, "leave the close of a round out of the log"),
    "log running-and-late": (HOST, "log the rounds of a running fight too late"),
    "log line-of-an-unknown-parent": (HOST, "let a fight go on from one that nobody has"),
    "log line-without-its-entry": (HOST, "keep the line that a ruling began out of the log"),
    "log line-of-an-undo-without-its-entry": (HOST, "keep an undo out of the log"),
    "log line-left-without-an-end": (HOST, "leave out of the log that a line was taken back"),
    "log line-left-with-a-head-alone": (HOST, "log the end of a line as a close"),
    "log line-of-another-parent": (HOST, "log another parent of a line"),
    "log line-of-another-head": (HOST, "log that a line goes on from another commit"),
    "log line-ruled-elsewhere": (HOST, "log that a line was ruled in another one"),
    "log line-that-another-line-continues": (HOST, "log that another line goes on from a line"),
    "log line-that-ended-for-good": (HOST, "log that a line ended for good, and go on from it"),
    "log line-opened-as-a-fight": (HOST, "log a line of play as a fight of its own"),
    "log bad-entries-of-another-line": (HOST, "show entries of a line that is not in the file"),
    "log ended-too-early": (HOST, "log the end of a fight that goes on, so that nobody counts it as open"),
    "log dated-back": (HOST, "date a fight back"),
    "log dated-ahead": (HOST, "date a fight ahead"),
}
"""Who tells the lie of each vector, and what it is."""

UNSEEN: Final[tuple[tuple[str, str], ...]] = (
    ("The host invents a command of a seat that has no key.", "right-unsigned"),
    (
        "The host makes a fight up with its key; no player has a key, receipt or witness.",
        "right-closed",
    ),
    (
        "The host says that its workers died (`--repeat-killed` repeats it).",
        "quarantine-killed",
    ),
    (
        "The host hides a command beside a seal until the end; `valid_as_opened` says from where on.",
        "signed-command-hidden",
    ),
    (
        "The gm moves the dice before a seat signs; the report and the seat see it.",
        "dice-moved-before-the-signature",
    ),
    (
        "A certificate names another verifier; the report says that.",
        "certificate-other-verifier",
    ),
    ("The host keeps a second log, and the policy asks for no witness.", "log second-log-unwatched"),
    ("The host delays a command, and no policy bounds that.", "late-within-the-bound"),
    ("The host leaves a command out that it never answered.", ""),
    ("The host chooses the seed in mode `server` before commit 1, or knows coming dice.", ""),
    ("Somebody at the table throws real dice falsely (`declared_sides`).", ""),
    ("All witnesses that you trust help the host.", ""),
)
"""What stays unseen, with a vector that is sound although it may be one; empty if no file can show it."""


@dataclass(frozen=True)
class Row:
    """One row of the page."""

    name: str
    role: str
    lie: str
    held: str
    without: str
    with_rules: str


def rows() -> Iterator[Row]:
    """Yield a row for each vector that is not sound, in the order of the tables."""
    for vector in json.loads(TABLE.read_text("utf-8")):
        name = vector["name"]
        if not vector["verdict"].startswith("valid"):
            yield Row(name, *LIES[name], _held(vector), vector["verdict"], _with_rules(vector))
    told = json.loads(LOG_TABLE.read_text("utf-8"))
    for vector in told["vectors"]:
        name = f"log {vector['name']}"
        if not vector["verdict"].startswith("valid"):
            yield Row(name, *LIES[name], _policy(vector), vector["verdict"], _logged(vector, told["key"]))


def _held(vector: dict[str, Any]) -> str:
    names = {
        "keys": "the host's key",
        "seat_keys": "the seat's key",
        "policy": "a policy",
        "receipts": "a receipt",
        "receipt": "a signed receipt",
        "certificate": "it",
    }
    return ", ".join(text for name, text in names.items() if vector.get(name)) or "nothing"


def _policy(vector: dict[str, Any]) -> str:
    policy = read_policy((LOG_HOME / vector["policy"]).read_bytes())
    if policy.quorum == NONE:
        return "the host's key, the log"
    needed = policy.groups[policy.quorum].needed
    return f"the host's key, the log, {'one witness' if needed == 1 else 'both witnesses'}"


def _with_rules(vector: dict[str, Any]) -> str:
    held = Held(
        keys=tuple(map(bytes.fromhex, vector["keys"])),
        seat_keys=dict(each.split(":") for each in vector.get("seat_keys", ())),
        receipts=tuple(
            Receipt(int(n), hash_)
            for n, _, hash_ in (each.partition(":") for each in vector.get("receipts", ()))
        ),
        policy=read_policy((HOME / vector["policy"]).read_bytes()) if "policy" in vector else None,
        signed_receipts=tuple((HOME / vector[name]).read_bytes() for name in ("receipt",) if name in vector),
        certificate=(HOME / vector["certificate"]).read_bytes() if "certificate" in vector else None,
    )
    return _steady(judge((HOME / vector["file"]).read_bytes(), held, RULES).verdict)


def _steady(verdict: Verdict) -> str:
    """Return a verdict as this build gives it of a record of this build, whichever one made the vector."""
    return str(replace(verdict, name=NOT_DETERMINISTIC) if verdict.name == RULES_CHANGED else verdict)


def _logged(vector: dict[str, Any], key: str) -> str:
    held = Held(
        keys=(bytes.fromhex(key),),
        log_proof=(LOG_HOME / vector["log-proof"]).read_bytes(),
        policy=read_policy((LOG_HOME / vector["policy"]).read_bytes()),
        delay_s=vector["delay"],
    )
    return _steady(judge((LOG_HOME / vector["bundle"]).read_bytes(), held, RULES).verdict)


HEAD: Final = """# Lies, and what a verifier says of them

For players and auditors: each line is a lie that a file of the [vectors](README.md) tells,
with everything made to fit as well as the liar can. `python -m tests.audit.lies` writes this page from what
both verifiers say; a test keeps every line true. [Guarantees](../../docs/guarantees.md) says what is
promised, and what a host can try beyond a file.

*Held against it* is what the reader has beside the file. The verdict without rules is that of both verifiers.
With the rules it is that of `rewound verify`, where the rules of the game are at hand (`rules_changed`
for `not_deterministic` if the vector is of another build).

"""


def page() -> str:
    """Return the page."""
    every = list(rows())
    parts = [HEAD]
    for role in ROLES:
        mine = [row for row in every if row.role == role]
        lines = [
            f"| {row.lie} | {row.held} | `{row.without}` | {_same(row)} | `{row.name}` |" for row in mine
        ]
        parts.append(
            f"## {role[0].upper()}{role[1:]} tries to\n\n"
            "| lie | held against it | without rules | with the rules | vector |\n|---|---|---|---|---|\n"
            + "\n".join(lines)
            + "\n\n"
        )
    parts.append("## What stays unseen\n\n")
    for text, vector in UNSEEN:
        shown = f" `{vector}` is sound." if vector else ""
        parts.append(f"- {text}{shown}\n")
    return "".join(parts)


def _same(row: Row) -> str:
    return "the same" if row.without == row.with_rules else f"`{row.with_rules}`"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")
    sys.stdout.write(f"{sum(1 for _ in rows())} lies\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
