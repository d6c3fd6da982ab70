"""Judge the fights of an evening together: bundles, and the files that people keep beside them.

Files are told apart by their content, whatever their names: bundles, receipts and answers, certificates and
log proofs. Text files have the names of `TEXTS`. A fight that should be there and is not is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.audit import certificate, log_proof, receipts
from service.audit.bundle import FORMAT as BUNDLE
from service.audit.bundle import SEAT
from service.audit.held import Held, judge
from service.audit.notes import BadNote, read_verifier_key
from service.audit.report import Report
from service.audit.verdict import MISSING, Counts, Verdict
from service.audit.witness_policy import BadPolicy, read_policy
from service.core.fold import Registry
from service.record.canonical import NotCanonical, loads, read_strictly
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


class BadEvening(ValueError):
    """A text file of an evening has a line that is not valid."""


@dataclass
class Evening:
    """The files of an evening, by what they are."""

    bundles: dict[str, bytes] = field(default_factory=dict)
    """By the name of the file."""
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
    title: str = ""
    sides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of creatures by side; empty if the opening is withheld."""
    note: str = ""


def read_evening(files: Mapping[str, bytes]) -> Evening:
    """Return what *files* are, by their names and content; raises `BadEvening`."""
    found = Evening()
    for name, raw in sorted(files.items()):
        base = name.rpartition("/")[2]
        if base in TEXTS:
            _take_text(found, base, raw)
        elif _is_bundle(raw):
            found.bundles[name] = raw
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
    seen: dict[str, str] = {}
    for name, raw in evening.bundles.items():
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
        note = f"the same encounter as {seen[encounter]}" if encounter in seen else ""
        if evening.expected and evening.expected.keys().isdisjoint(every):
            note = note or "it is not in the list"
        for line in every:
            seen.setdefault(line, name)
        opening = _opening_of(raw)
        title = _title(opening) or evening.expected.get(encounter, "")
        yield Fight(name, judge(raw, whole, registry), title, _sides(opening), note)
    for encounter, why in _missed(evening, seen):
        verdict = Verdict(MISSING, detail=why)
        yield Fight("", Report(encounter, verdict, Counts()), evening.expected.get(encounter, ""))


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
    """Return the ids of the lines of play in a bundle, the encounter's own first."""
    lines = [each for each in raw.split(b"\n") if each.startswith(b'{"encounter":')]
    return [str(each.get("encounter", "")) for each in (_header(raw), *map(_header, lines))]


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
        try:
            read_policy(raw)
        except BadPolicy as fault:
            raise BadEvening(f"{name}: {fault}") from fault
        found.policy = raw
        return
    try:
        lines = raw.decode().splitlines()
    except UnicodeDecodeError as fault:
        raise BadEvening(f"{name} is not UTF-8") from fault
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and not words[0].startswith("#") and not _take_line(found, name, words):
            raise BadEvening(f"{name}, line {number}: {EXPECTED[name]}")


EXPECTED: Final[Mapping[str, str]] = {
    KEYS: "a key of 64 hexadecimal digits, or a verifier key",
    SEAT_KEYS: "SEAT:KEY, or an encounter and SEAT:KEY",
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
    if len(words) == 1:
        found.seat_keys[seat] = key_text
        return True
    found.own_seat_keys.setdefault(words[0], {})[seat] = key_text
    return _UUID.fullmatch(words[0]) is not None


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
