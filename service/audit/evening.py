"""Judge the fights of an evening together: bundles, and the files that people keep beside them.

Files are told apart by their content, whatever their names: bundles, receipts and answers, certificates and
log proofs. Text files have the names of `TEXTS`, and count only where the reader put them, not in a folder
that somebody handed in. A fight that should be there and is not is missed, and two histories of one fight are
found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.audit import certificate, log_proof, receipts
from service.audit.bundle import FORMAT as BUNDLE
from service.audit.bundle import SEAT, read_fight
from service.audit.held import Held, judge
from service.audit.history import claimed_losses
from service.audit.notes import BadNote, read_verifier_key
from service.audit.report import Report
from service.audit.verdict import FORKED, MISSING, Counts, Verdict
from service.audit.witness_policy import BadPolicy, read_policy
from service.core.fold import Registry
from service.record.canonical import NotCanonical, loads, read_strictly
from service.record.commit import load_commit
from service.rules.kernel.hexadecimal import is_hex

KEYS: Final = "keys.txt"
SEAT_KEYS: Final = "seat-keys.txt"
POLICY: Final = "policy.txt"
FIGHTS: Final = "fights.txt"
TEXTS: Final = (KEYS, SEAT_KEYS, POLICY, FIGHTS)
"""The host's keys, keys of seats, a policy, and the list of fights that should be there."""

NO_PROOF: Final = b""
"""What stands for a missing log proof if a policy asks for one: it does not hold."""

_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


_WORDS: Final = re.compile("[^ \t]+")


class BadEvening(ValueError):
    """A text file of an evening is there twice, or has a line that is not valid."""


@dataclass
class Evening:
    """The files of an evening, by what they are."""

    bundles: list[tuple[str, bytes]] = field(default_factory=list)
    """With the names of the files."""
    receipts: dict[str, list[bytes]] = field(default_factory=dict)
    """Signed receipts by encounter."""
    certificates: dict[str, bytes] = field(default_factory=dict)
    proofs: dict[str, bytes] = field(default_factory=dict)
    keys: tuple[bytes, ...] = ()
    seat_keys: dict[str, str] = field(default_factory=dict)
    """For every fight."""
    own_seat_keys: dict[str, dict[str, str]] = field(default_factory=dict)
    """For one fight, by encounter."""
    policy: bytes | None = None
    expected: dict[str, str] = field(default_factory=dict)
    """The fights that should be there, by encounter, with the text of their line."""
    unread: list[str] = field(default_factory=list)
    """Files that are nothing of this."""


@dataclass(frozen=True)
class Fight:
    """A fight of an evening, judged."""

    file: str
    """Empty if it is missing."""
    report: Report
    encounter: str = ""
    """The encounter that its file names, or that is missing."""
    title: str = ""
    sides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of creatures by side; empty if the opening is withheld."""
    note: str = ""


def read_evening(files: Iterable[tuple[str, bytes]]) -> Evening:
    """Return what *files* are, by their names and content; raises `BadEvening`."""
    found = Evening()
    for name, raw in sorted(files, key=lambda file: file[0]):
        if name in TEXTS:
            _take_text(found, name, raw)
        elif name.rpartition("/")[2] in TEXTS:
            found.unread.append(name)
        elif _is_bundle(raw):
            found.bundles.append((name, raw))
        elif not _take_json(found, raw):
            found.unread.append(name)
    return found


def judge_evening(evening: Evening, held: Held, registry: Registry) -> Iterator[Fight]:
    """Yield each fight of *evening*, judged against its files and what is *held* against all of them.

    Fights that are missing come last.
    """
    policy = None if evening.policy is None else read_policy(evening.policy)
    wanted = held.policy or policy
    asks_log = wanted is not None and wanted.asks_log
    seen: dict[str, tuple[str, bytes | None]] = {}
    for name, raw in evening.bundles:
        encounter, *later = _lines_of(raw)
        every = (encounter, *later)
        whole = replace(
            held,
            keys=(*held.keys, *evening.keys),
            seat_keys={
                **evening.seat_keys,
                **evening.own_seat_keys.get(encounter, {}),
                **held.seat_keys,
            },
            signed_receipts=(
                *held.signed_receipts,
                *(receipt for line in every for receipt in evening.receipts.get(line, ())),
            ),
            certificate=_last(evening.certificates, every),
            log_proof=_last(evening.proofs, every) or (NO_PROOF if asks_log else None),
            policy=wanted,
        )
        note = f"the same encounter as {seen[encounter][0]}" if encounter in seen else ""
        if evening.expected and evening.expected.keys().isdisjoint(every):
            note = note or "it is not in the list"
        report = judge(raw, whole, registry)
        if report.verdict.is_sound:
            earlier = dict(seen[line] for line in every if line in seen)
            report = _held_to(report, raw, earlier)
        for line in every:
            seen.setdefault(line, (name, raw if report.verdict.is_sound else None))
        opening = _opening_of(raw)
        title = _title(opening) or evening.expected.get(encounter, "")
        yield Fight(name, report, encounter, title, _sides(opening), note)
    for encounter, why in _missed(evening, seen):
        report = Report(encounter, Verdict(MISSING, detail=why), Counts())
        yield Fight("", report, encounter, evening.expected.get(encounter, ""))


def _held_to(report: Report, raw: bytes, earlier: Mapping[str, bytes | None]) -> Report:
    """Return *report*, or that a sound file of its fight has another history than *raw*."""
    for name, other in earlier.items():
        n = None if other is None else _parted(raw, other)
        if n is not None:
            detail = f"commit {n} is another one than in {name}"
            return replace(report, verdict=Verdict(FORKED, n, detail))
    return report


def _parted(one: bytes, two: bytes) -> int | None:
    """Return the first commit at which two sound files differ in a line of play that both have.

    None if there is none. What a record says was lost may differ.
    """
    lines = {each.encounter: each for each in read_fight(one)}
    for other in read_fight(two):
        mine = lines.get(other.encounter)
        pairs = () if mine is None else enumerate(zip(mine.commits, other.commits, strict=False), 1)
        n = next((n for n, (a, b) in pairs if a != b), None)
        if mine is None or n is None:
            continue
        records = ([load_commit(raw) for raw in each.commits] for each in (mine, other))
        if not any(loss.first <= n <= loss.size for record in records for loss in claimed_losses(record)):
            return n
    return None


def _last(files: Mapping[str, bytes], lines: Iterable[str]) -> bytes | None:
    """Return the file of the last of *lines* that has one; None if none has."""
    return next((files[line] for line in reversed(tuple(lines)) if line in files), None)


def _missed(evening: Evening, seen: Iterable[str]) -> Iterator[tuple[str, str]]:
    told = (
        ("it should be there", evening.expected),
        ("a receipt names it", evening.receipts),
        ("a certificate names it", evening.certificates),
        ("a log proof names it", evening.proofs),
    )
    missed: dict[str, str] = {}
    for why, encounters in told:
        for encounter in encounters:
            if encounter not in set(seen):
                missed.setdefault(encounter, why)
    yield from missed.items()


# --- files -------------------------------------------------------------------------------------------


def _is_bundle(raw: bytes) -> bool:
    return _header(raw).get("format") == BUNDLE


def _header(raw: bytes) -> Mapping[str, Any]:
    try:
        data = read_strictly(raw.partition(b"\n")[0])
    except NotCanonical:
        return {}
    return data if isinstance(data, dict) else {}


def _lines_of(raw: bytes) -> list[str]:
    """Return the ids of the lines of play in a bundle, the encounter's own first; a cut line is none."""
    lines = [each for each in raw.split(b"\n")[:-1] if each.startswith(b'{"encounter":')]
    named = [each.get("encounter") for each in (_header(raw), *map(_header, lines))]
    return [each if isinstance(each, str) else "" for each in named]


def _take_json(found: Evening, raw: bytes) -> bool:
    """Enter a receipt, an answer, a certificate or a log proof; return whether it is one."""
    try:
        data = loads(raw)
    except NotCanonical:
        return False
    if not isinstance(data, dict):
        return False
    kind, encounter = data.get("format"), data.get("encounter")
    if isinstance(encounter, str) and kind == receipts.FORMAT:
        found.receipts.setdefault(encounter, []).append(raw)
    elif isinstance(encounter, str) and kind == certificate.FORMAT:
        found.certificates[encounter] = raw
    elif isinstance(encounter, str) and kind == log_proof.FORMAT:
        found.proofs[encounter] = raw
    else:
        return kind is None and _take_answer(found, data)
    return True


def _take_answer(found: Evening, data: Mapping[str, Any]) -> bool:
    named = [(_named(raw), raw) for raw in receipts.receipts_in(data)]
    for encounter, raw in named:
        found.receipts.setdefault(encounter, []).append(raw)
    return bool(named)


def _named(receipt: bytes) -> str:
    data = loads(receipt)
    encounter = data.get("encounter") if isinstance(data, dict) else None
    return encounter if isinstance(encounter, str) else ""


def _take_text(found: Evening, name: str, raw: bytes) -> None:
    if name == POLICY:
        if found.policy is not None:
            raise BadEvening(f"{name}: there are two")
        try:
            read_policy(raw)
        except BadPolicy as fault:
            raise BadEvening(f"{name}: {fault}") from fault
        found.policy = raw
        return
    try:
        text = raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        raise BadEvening(f"{name} is not UTF-8") from fault
    for number, line in enumerate(text.split("\n"), 1):
        words = _WORDS.findall(line.removesuffix("\r"))
        if words and not words[0].startswith("#") and not _take_line(found, name, words):
            raise BadEvening(f"{name}, line {number}: {EXPECTED[name]}")


EXPECTED: Final[Mapping[str, str]] = {
    KEYS: "a key of 64 hexadecimal digits, or a verifier key",
    SEAT_KEYS: "SEAT:KEY, or an encounter and SEAT:KEY, each seat once",
    FIGHTS: "an encounter, and what you like",
}


def _take_line(found: Evening, name: str, words: list[str]) -> bool:
    if name == FIGHTS:
        found.expected[words[0]] = " ".join(words[1:])
        return _UUID.fullmatch(words[0]) is not None
    if name == KEYS:
        key = _key(words[0])
        found.keys = found.keys if key is None else (*found.keys, key)
        return key is not None and len(words) == 1
    seat, _, key_text = words[-1].partition(":")
    if len(words) > 2 or not SEAT.fullmatch(seat) or not is_hex(key_text):  # noqa: PLR2004 - encounter and key
        return False
    known = found.seat_keys if len(words) == 1 else found.own_seat_keys.setdefault(words[0], {})
    is_one = known.setdefault(seat, key_text) == key_text
    return is_one and (len(words) == 1 or _UUID.fullmatch(words[0]) is not None)


def _key(text: str) -> bytes | None:
    if is_hex(text):
        return bytes.fromhex(text)
    try:
        return read_verifier_key(text)[1]
    except BadNote:
        return None


# --- who fought --------------------------------------------------------------------------------------


def _opening_of(raw: bytes) -> Mapping[str, Any]:
    """Return the opening in request 1; empty if it is withheld, or no opening."""
    line = raw.split(b"\n", 2)[1:2]
    try:
        request = loads(read_strictly(line[0])["bytes"].encode()) if line else {}
    except (NotCanonical, KeyError, TypeError, AttributeError):
        return {}
    data = request.get("data") if isinstance(request, dict) else None
    opening = data.get("opening") if isinstance(data, dict) else None
    return opening if isinstance(opening, dict) else {}


def _title(opening: Mapping[str, Any]) -> str:
    title = opening.get("title")
    return title if isinstance(title, str) else ""


def _sides(opening: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    creatures = opening.get("creatures")
    for each in creatures if isinstance(creatures, list) else ():
        sheet = each.get("sheet") if isinstance(each, dict) else None
        side, name = (sheet.get("side"), sheet.get("name")) if isinstance(sheet, dict) else (None, None)
        if isinstance(side, str) and isinstance(name, str):
            found[side] = (*found.get(side, ()), name)
    return found
