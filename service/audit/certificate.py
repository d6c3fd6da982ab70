"""Write, sign and read certificates: an audit's result as a document.

A certificate states what was checked, by which code and up to where. It never says only "fair". The signature
is Ed25519 over `rewound/certificate/1`, a zero byte and the canonical JSON of the document without the member
`value` of its `signature`. The key is the one that signs the encounter's checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final

from service.audit import notes
from service.audit.decisions import EPOCH, LOSS
from service.audit.notes import BadNote
from service.audit.report import Report
from service.audit.signing import Signer, name_of
from service.audit.verdict import CERTIFICATE_MISMATCH, MEANING, Finding, Verdict
from service.record.canonical import NotCanonical, dumps, read_strictly
from service.record.digest import package_digest
from service.record.ed25519 import SIGNATURE, is_signed, sign_bytes
from service.rules.kernel.hexadecimal import is_hex

Data = dict[str, Any]

FORMAT: Final = "rewound/certificate/1"
_LABEL: Final = FORMAT.encode() + b"\0"
_NAME: Final = "rewound"
_CODE: Final = ("service.audit", "service.core", "service.record", "service.rules", "service.dice")
"""The packages that decide a verdict; the verifier's digest covers them."""

MEMBERS: Final = frozenset(
    (
        "format",
        "encounter",
        "verdict",
        "log",
        "ruleset",
        "dice",
        "decided",
        "live_state",
        "counts",
        "lines",
        "decisions",
        "unseen",
        "seat_keys",
        "seats",
        "abandoned_before",
        "durability",
        "findings",
        "verifier",
        "signature",
    )
)
"""Exactly the members of a signed certificate."""

CERTIFIED: Final = "certified"

COMPARED: Final = (
    *("ruleset.edition", "dice.algorithm", "dice.mode", "dice.lanes", "dice.seats", "abandoned_before"),
    *("counts.commits", "counts.refused", "counts.quarantined", "counts.proposals"),
    *("counts.proposals_dropped", "counts.envelopes"),
)
"""Members that every reader of a record computes alike; those of its log are compared first."""

LISTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "decisions": ("n", "kind", "seat", "event", "quarantine"),
        "seat_keys": ("seat", "key", "n", "by"),
    }
)
"""Lists that are compared entry by entry, with the members that every reader computes alike."""

BELIEVED: Final = (
    *("log.checkpoints", "log.receipts", "ruleset.recorded", "ruleset.recomputed"),
    *("dice.statements", "dice.disclosed", "counts.decided", "counts.commands_signed"),
    *("counts.envelopes_opened", "counts.requests_withheld", "counts.rolls_checked"),
    *("counts.rolls_unverified", "counts.rolls_declared", "counts.faces_declared"),
    *("decided", "lines", "live_state", "durability", "findings", "seats", "unseen", "verifier"),
)
"""Members that depend on what the signer read, and with what."""

MODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "server": "the host drew the seed alone, so it could choose it before commit 1, and knew every die",
        "mixed": "host and seats drew the seed together, so nobody could choose it if one seat was honest;"
        " the host knew every die once the dice were sealed",
    }
)
"""What each dice mode leaves possible, as a sentence."""

MOVED: Final = "a command or a ruling changed which dice followed; `decisions` lists each of them"
UNMOVED: Final = (
    "the host could not change the dice after the first commit, because no command ended an epoch"
)
DECLARED: Final = "faces that people threw are recorded, and cannot be proved"
OPEN: Final = "dice of epochs that are not disclosed yet are recorded, and not proved yet"
UNKNOWN: Final = "nothing is known about the dice"


def certificate(report: Report, *, durability: str | None = None) -> Data:
    """Return *report* as an unsigned certificate; *durability* is the store's mode, if known."""
    return {
        "format": FORMAT,
        "encounter": report.encounter,
        "verdict": _verdict(report),
        "log": _log(report),
        "ruleset": {
            "edition": report.edition,
            "recorded": report.digest_recorded,
            "recomputed": report.digest_recomputed,
        },
        "dice": _dice(report),
        "decided": None if report.decided is None else {"from": report.decided[0], "to": report.decided[1]},
        "live_state": report.live_state,
        "counts": report.counts.to_data(),
        "lines": [
            {
                "line": each.line,
                "n": each.n,
                "kind": each.kind,
                "by": each.by,
                "decision": each.decision,
                "parent": each.parent,
                "took_back": None if each.took_back is None else list(each.took_back),
                "drawn_anew": each.drawn_anew,
            }
            for each in report.lines
        ],
        "decisions": list(report.decisions),
        "unseen": list(report.unseen),
        "seat_keys": list(report.seat_keys),
        "seats": None if report.seats is None else list(report.seats),
        "abandoned_before": None if report.setup is None else report.setup.abandoned_before,
        "durability": durability,
        "findings": [{"name": found.name, "detail": found.detail} for found in report.findings],
        "verifier": {"name": _NAME, "version": version(_NAME), "digest": package_digest(_CODE)},
    }


def _verdict(report: Report) -> Data:
    verdict = report.verdict
    return {
        "name": verdict.name,
        "text": str(verdict),
        "meaning": MEANING[verdict.name],
        **{
            key: value
            for key in ("n", "to", "path", "roll", "detail")
            if (value := getattr(verdict, key)) not in (None, "")
        },
    }


def _log(report: Report) -> Data:
    points = report.signed.points
    greatest = max(points, key=lambda point: point.size, default=None)
    return {
        "size": report.counts.commits,
        "head": report.head,
        "root": report.root,
        "checkpoints": {
            "accepted": len(points),
            "ignored": report.signed.ignored,
            "lost": report.signed.lost,
            "size": None if greatest is None else greatest.size,
            "root": None if greatest is None else greatest.root.hex(),
            "key": report.signed.key,
            "key_was_given": report.key_was_given,
        },
        "receipts": report.receipts,
    }


def _dice(report: Report) -> Data:
    setup = report.setup
    links = report.links or {}
    return {
        "algorithm": None if setup is None else setup.algorithm,
        "mode": None if setup is None else setup.mode,
        "statements": _statements(report),
        "lanes": []
        if setup is None
        else [{"lane": lane.lane, "epochs": lane.n, "anchor": lane.anchor} for lane in setup.lanes],
        "disclosed": [
            {"lane": lane, "epoch": epoch, "link": link.hex()}
            for (lane, epoch), link in sorted(links.items())
        ],
        "seats": [] if setup is None else list(setup.seats),
    }


def _is_moved(report: Report) -> bool:
    return any(each["kind"] in (EPOCH, LOSS) for each in report.decisions)


def _statements(report: Report) -> list[str]:
    """Return sentences about the dice: what was possible, and what is not proved."""
    if report.setup is None:
        return [UNKNOWN]
    counts = report.counts
    statements = [MODES.get(report.setup.mode, UNKNOWN), MOVED if _is_moved(report) else UNMOVED]
    statements += [DECLARED] if counts.rolls_declared else []
    return statements + ([OPEN] if counts.rolls_unverified else [])


# --- signing -----------------------------------------------------------------------------------------


def signed(data: Mapping[str, Any], signer: Signer) -> Data:
    """Return the certificate *data* with the signature of *signer*."""
    signature = {"name": name_of(signer.origin, data["encounter"]), "public_key": signer.public.hex()}
    unsealed = {**data, "signature": signature}
    value = sign_bytes(_message(unsealed), signer.secret).hex()
    return {**unsealed, "signature": {**signature, "value": value}}


def _message(data: Mapping[str, Any]) -> bytes:
    """Return the signed bytes: the label, then every member except the signature's own value."""
    signature = {name: value for name, value in data["signature"].items() if name != "value"}
    return _LABEL + dumps({**data, "signature": signature})


# --- reading -----------------------------------------------------------------------------------------


def read(raw: bytes) -> Data:
    """Return the certificate in *raw*, which is canonical JSON with a valid signature; raises `BadNote`.

    One line feed may follow. Does not judge whether the key is accepted.
    """
    try:
        data = read_strictly(raw.removesuffix(b"\n"))
    except NotCanonical as fault:
        raise BadNote(f"it is not canonical JSON: {fault}") from fault
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadNote(f"it is not of the format {FORMAT}")
    if data.keys() == MEMBERS - {"signature"}:
        raise BadNote("it is not signed")
    if data.keys() != MEMBERS:
        raise BadNote("its members are not those of a certificate")
    signature = data["signature"]
    if not isinstance(signature, dict) or signature.keys() != {"name", "public_key", "value"}:
        raise BadNote("its signature must have a name, a public_key and a value")
    if not (is_hex(signature["public_key"]) and is_hex(signature["value"], SIGNATURE)):
        raise BadNote("its signature must have lower-case hexadecimal digits")
    public, value = bytes.fromhex(signature["public_key"]), bytes.fromhex(signature["value"])
    if not is_signed(_message(data), value, public):
        raise BadNote("its signature is invalid")
    return data


def check_against_certificate(report: Report, raw: bytes, keys: Mapping[bytes, str | None]) -> Report:
    """Return *report* with a `certified` finding, or with the verdict `certificate_mismatch`.

    *raw* is the certificate. *keys* maps each accepted key to the origin that the bundle gives it, or None.
    """
    try:
        data = read(raw)
        _check_signer(data["signature"], report.encounter, keys)
        _check_record(data, report)
    except BadNote as fault:
        return replace(report, verdict=Verdict(CERTIFICATE_MISMATCH, detail=str(fault)))
    verdict = data["verdict"].get("text") if isinstance(data["verdict"], dict) else None
    finding = Finding(
        CERTIFIED,
        f"signed by {data['signature']['name']}; equal to this record: {', '.join((*COMPARED, *LISTS))}; "
        f"on the signer's word: the verdict {verdict}, {', '.join(BELIEVED)}",
    )
    return replace(report, findings=(*report.findings, finding))


def _check_signer(signature: Mapping[str, str], encounter: str, keys: Mapping[bytes, str | None]) -> None:
    public, name = bytes.fromhex(signature["public_key"]), signature["name"]
    if public not in keys:
        raise BadNote(f"it was signed by {public.hex()}, which is not accepted")
    origin = keys[public]
    is_named = name == name_of(origin, encounter) if origin is not None else _is_name(name, encounter)
    if not is_named:
        raise BadNote("its key's name is not that of a key that signs this encounter")


def _is_name(name: object, encounter: str) -> bool:
    """Return whether *name* is the name of a key of *encounter*, with any origin."""
    if not isinstance(name, str) or not name.endswith(f"/{encounter}"):
        return False
    try:
        return notes.check_name(name.removesuffix(f"/{encounter}")) != ""
    except BadNote:
        return False


def _check_record(data: Data, report: Report) -> None:
    if data["encounter"] != report.encounter:
        raise BadNote("it is of another encounter")
    log, ours = data["log"], _log(report)
    is_ours = isinstance(log, dict) and all(
        type(log.get(name)) is type(ours[name]) and log[name] == ours[name]
        for name in ("size", "head", "root")
    )
    if not is_ours:
        raise BadNote("it is of another record, because its size, head or root differs")
    found = _difference(data, certificate(report))
    if found is not None:
        raise BadNote(f"its {found} is not that of this record")


def _difference(theirs: Data, ours: Data) -> str | None:
    """Return the first compared member that differs; what this reader cannot know is null in *ours*."""
    for name in COMPARED:
        one, two = _at(theirs, name), _at(ours, name)
        if two is not None and not _is_equal(one, two):
            return name
    for name, members in LISTS.items():
        one, two = theirs[name], ours[name]
        if not isinstance(one, list) or len(one) != len(two):
            return name
        for their, our in zip(one, two, strict=True):
            if not isinstance(their, dict) or their.keys() != our.keys():
                return name
            known = [each for each in members if our.get(each) is not None]
            if not all(_is_equal(their[each], our[each]) for each in known):
                return name
    return None


def _at(data: Data, name: str) -> object:
    holder: Any = data
    for step in name.split("."):
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder


def _is_equal(one: object, two: object) -> bool:
    """Return whether two values are spelled alike, so that true is not 1."""
    return dumps(one) == dumps(two)
