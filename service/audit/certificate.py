"""Spell what an audit found as a document, sign it, and read one that somebody signed.

A certificate says what was checked, by which code and up to where. It never says "fair" alone. The signature
is Ed25519 over `rewound/certificate/1`, a zero byte and the canonical JSON of the document without its member
`signature`, by the key that also signs the encounter's checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final

from service.audit import notes
from service.audit.notes import BadNote
from service.audit.report import Report
from service.audit.signing import Signer, name_of
from service.audit.verdict import MEANING
from service.encounter.record.canonical import dumps
from service.encounter.record.digest import package_digest

Data = dict[str, Any]

FORMAT: Final = "rewound/certificate/1"
_LABEL: Final = FORMAT.encode() + b"\0"
_NAME: Final = "rewound"
_CODE: Final = ("service.audit", "service.encounter", "service.rules", "service.dice")
"""What decides a verdict: the verifier's digest covers it."""

MODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "server": "the host drew the seed alone: it could choose it before commit 1, and knew every die",
        "mixed": "host and seats drew the seed together: nobody could choose it while one seat was honest;"
        " the host knew every die once it was sealed",
    }
)
"""What each mode of the dice leaves possible, in words."""

MOVED: Final = "dice were moved, by command or by a ruling: those that followed were others, see `advances`"
UNMOVED: Final = "the host could not change the dice after the first commit: no epoch was ended by command"
DECLARED: Final = "faces that people threw are told, not proved"
OPEN: Final = "dice of epochs that nobody has disclosed are told, not proved yet"
UNKNOWN: Final = "nothing is known of the dice"


def certificate(report: Report, *, durability: str | None = None) -> Data:
    """Return *report* as a certificate that nobody has signed; *durability* is the store's mode, if known."""
    return {
        "format": FORMAT,
        "encounter": report.encounter,
        "verdict": _verdict(report),
        "log": _log(report),
        "ruleset": {"edition": report.edition, "then": report.digest_then, "now": report.digest_now},
        "dice": _dice(report),
        "decided": None if report.decided is None else {"from": report.decided[0], "to": report.decided[1]},
        "live_state": report.live_state,
        "counts": report.counts.to_data(),
        "rulings": list(report.history.rulings),
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
            "believed": len(points),
            "passed_over": report.signed.passed_over,
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
        "says": _says(report),
        "lanes": []
        if setup is None
        else [{"lane": lane.lane, "epochs": lane.n, "anchor": lane.anchor} for lane in setup.lanes],
        "disclosed": [
            {"lane": lane, "epoch": epoch, "link": link.hex()}
            for (lane, epoch), link in sorted(links.items())
        ],
        "seats": [] if setup is None else list(setup.seats),
        "advances": list(report.history.advances),
        "waived": list(report.history.waivers),
    }


def _says(report: Report) -> list[str]:
    """Return in words what is known of the dice, what was possible, and what is not proved."""
    if report.setup is None:
        return [UNKNOWN]
    counts = report.counts
    said = [MODES.get(report.setup.mode, UNKNOWN), MOVED if report.history.advances else UNMOVED]
    said += [DECLARED] if counts.rolls_declared else []
    return said + ([OPEN] if counts.rolls_unverified else [])


# --- signing -----------------------------------------------------------------------------------------


def signed(data: Mapping[str, Any], signer: Signer) -> Data:
    """Return the certificate *data* with the signature of *signer*."""
    signature = notes.sign_bytes(_message(data), signer.secret).hex()
    name = name_of(signer.origin, data["encounter"])
    return {**data, "signature": {"name": name, "public_key": signer.public.hex(), "value": signature}}


def verify(data: Mapping[str, Any], public: bytes) -> Mapping[str, Any]:
    """Return the certificate *data* if the raw *public* key signed it; raises `BadNote`."""
    given = data.get("signature")
    if not isinstance(given, Mapping) or given.keys() != {"name", "public_key", "value"}:
        raise BadNote("the certificate is not signed")
    if given["public_key"] != public.hex():
        raise BadNote(f"it was signed by {given['public_key']}")
    try:
        value = bytes.fromhex(given["value"])
    except (TypeError, ValueError) as fault:
        raise BadNote("the signature is no hexadecimal text") from fault
    if not notes.is_signed(_message(data), value, public):
        raise BadNote("the signature is false")
    return data


def _message(data: Mapping[str, Any]) -> bytes:
    return _LABEL + dumps({name: value for name, value in data.items() if name != "signature"})
