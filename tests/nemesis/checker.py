"""Judge a run: a pure function of the history and of what the service shows in the end.

Every violation has a name, the promise that it breaks (`docs/guarantees.md`) and a text that names the place.
A number on the record belongs to the one key that sent it; everything follows from this map of claims.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from tests.nemesis.final import SOUND_AUDITS, Shown
from tests.nemesis.history import Entry
from tests.nemesis.violations import (
    AHEAD,
    ANSWER,
    AUDIT,
    BACK,
    BUNDLE,
    CHAIN,
    CONTESTED,
    DOUBLED,
    FAILED,
    GAP,
    IF_MATCH,
    INVENTED,
    LOST,
    MISSING,
    MOVED,
    OTHER,
    STATE,
    STRANGE,
    STRANGER,
    STREAM_GAP,
    STREAM_OTHER,
    STREAM_REPEAT,
    STREAM_SHORT,
    TORN,
    UNSETTLED,
    Violation,
)

CLOCK: Final = "clock"
"""The role of commands that the service sends by itself."""

MAY_FAIL: Final = frozenset(
    {
        *("never sent", "version-mismatch", "store-unavailable", "store-loading", "store-full"),
        *("too-many-requests", "request-timeout", "command-refused"),
    }
)
"""Codes with which a well-formed request may fail; each says that nothing was changed."""


INTERNAL: Final = "internal-error"
"""What nobody should ever be told, although the client goes on as with every unknown."""


@dataclass
class Request:
    """All attempts with one idempotency key."""

    key: str
    kind: str
    encounter: str
    seat: str
    commands: Sequence[Mapping[str, Any]]
    if_match: int | None
    oks: list[Entry] = field(default_factory=list)
    fails: list[Entry] = field(default_factory=list)
    unknowns: list[Entry] = field(default_factory=list)
    open: int = 0
    """Attempts whose end was never noted."""

    @property
    def n(self) -> int | None:
        """The number at which it was first acknowledged."""
        return int(self.oks[0]["n"]) if self.oks else None


def requests_of(history: Iterable[Entry]) -> dict[str, Request]:
    """Collect the attempts by key."""
    found: dict[str, Request] = {}
    by_op: dict[int, Request] = {}
    for entry in history:
        if entry["do"] == "invoke":
            names = ("key", "kind", "encounter", "seat", "commands", "if_match")
            request = found.setdefault(entry["key"], Request(**{name: entry[name] for name in names}))
            by_op[entry["op"]] = request
            request.open += 1
        elif entry["do"] in ("ok", "fail", "unknown"):
            request = by_op[entry["op"]]
            request.open -= 1
            if entry["do"] == "ok":
                request.oks.append(entry)
                request.encounter = request.encounter or entry["encounter"]
            elif entry["do"] == "fail":
                request.fails.append(entry)
            else:
                request.unknowns.append(entry)
    return found


def check(history: Sequence[Entry], shown: Mapping[str, Shown]) -> list[Violation]:
    """Return everything that breaks a promise."""
    requests = requests_of(history)
    by_encounter: dict[str, list[Request]] = defaultdict(list)
    for request in requests.values():
        by_encounter[request.encounter].append(request)
    seen: dict[str, list[Entry]] = defaultdict(list)
    for entry in history:
        if entry["do"] in ("asked", "read", "told"):
            seen[entry["encounter"]].append(entry)
    found = [*_encounters(requests.values(), shown), *_answers(requests.values())]
    found += [_odd(entry) for entry in history if entry["do"] == "odd"]
    for encounter, each in shown.items():
        found += _Encounter(each, by_encounter[encounter]).violations()
        found += _asked(seen[encounter], each, requests)
        found += _reads(seen[encounter], each)
        found += _streams(seen[encounter], each)
    return sorted(set(found))


def _encounters(requests: Iterable[Request], shown: Mapping[str, Shown]) -> Iterator[Violation]:
    opened = {ok["encounter"] for request in requests if request.kind == "open" for ok in request.oks}
    for encounter in opened - set(shown):
        yield Violation(MISSING, encounter, "its opening was acknowledged")
    for encounter in set(shown) - opened:
        yield Violation(STRANGER, encounter, "no opening of it was acknowledged")


def _answers(requests: Iterable[Request]) -> Iterator[Violation]:
    for request in requests:
        where = request.encounter or "?"
        numbers = {ok["n"] for ok in request.oks}
        homes = {ok["encounter"] for ok in request.oks}
        if len(numbers) > 1 or len(homes) > 1:
            yield Violation(MOVED, where, f"key {request.key} was told {sorted(numbers)} in {sorted(homes)}")
        if (request.unknowns or request.open) and not request.oks and not _is_refused(request):
            yield Violation(UNSETTLED, where, f"key {request.key}, {len(request.unknowns)} unknown")
        for fail in request.fails:
            if fail["code"] not in MAY_FAIL:
                yield Violation(STRANGE, where, f"key {request.key}: {fail['status']} {fail['code']}")
        for unknown in request.unknowns:
            if unknown["why"] == INTERNAL:
                yield Violation(STRANGE, where, f"key {request.key}: {unknown['why']}")


def _odd(entry: Entry) -> Violation:
    return Violation(STRANGE, "?", f"{entry['path']}: {entry['status']} {entry['code']}")


def _is_refused(request: Request) -> bool:
    """Tell whether the last word is that nothing happened, and not only that nobody could be asked."""
    return any(400 <= fail["status"] < 500 and fail["status"] not in (408, 429) for fail in request.fails)


class _Encounter:
    """One encounter: its record, and those who claim its numbers."""

    def __init__(self, shown: Shown, requests: Sequence[Request]) -> None:
        self.shown = shown
        self.id = shown.encounter
        self.requests = requests
        self.log = {logged.n: logged for logged in shown.log}
        self.spoken = {n: json.loads(logged.request) for n, logged in self.log.items()}
        self.hashes = {n: hash_of(logged.commit) for n, logged in self.log.items()}
        self.claims: dict[int, list[tuple[Request, int]]] = defaultdict(list)

    def violations(self) -> Iterator[Violation]:
        """Yield what is wrong with it."""
        yield from self._record()
        for request in self.requests:
            yield from self._request(request)
        yield from self._claims()
        yield from self._arrays()
        yield from self._states()
        if self.shown.bundle not in SOUND_AUDITS:
            yield self._broken(BUNDLE, self.shown.bundle)
        if self.shown.audit not in SOUND_AUDITS or self.shown.live_state != "equal":
            yield self._broken(AUDIT, f"{self.shown.audit}, live state {self.shown.live_state}")

    def _broken(self, name: str, text: str) -> Violation:
        return Violation(name, self.id, text)

    def _record(self) -> Iterator[Violation]:
        """Hold the record to itself: dense, chained, each commit of its own request."""
        numbers = [logged.n for logged in self.shown.log]
        if numbers != list(range(1, len(numbers) + 1)):
            yield self._broken(GAP, _first_gap(numbers))
        before = "0" * 64
        for logged in self.shown.log:
            commit = json.loads(logged.commit)
            if commit["prev"] != before or commit["n"] != logged.n:
                yield self._broken(CHAIN, f"commit {logged.n} does not follow the one before it")
            if commit["request"] != sha256(logged.request).hexdigest():
                yield self._broken(TORN, f"commit {logged.n} is that of another request")
            before = hash_of(logged.commit)
        pages = [(logged.n, hash_of(logged.commit)) for logged in self.shown.log]
        if list(self.shown.pages) != pages:
            yield self._broken(CHAIN, "the pages of commits are not those of the bundle")

    def _request(self, request: Request) -> Iterator[Violation]:
        """Hold one key to the record: where it was acknowledged, or said to have failed."""
        asked = self.shown.keys.get(request.key)
        n = request.n
        if n is None:
            if asked is not None and not request.unknowns and not request.open:
                yield self._broken(FAILED, f"key {request.key} stands at {asked}")
            if asked is not None:
                self._claim(request, asked)
            return
        if request.key in self.shown.keys and asked != n:
            yield self._broken(MOVED, f"key {request.key} was acknowledged at {n} and is told {asked} now")
        self._claim(request, n)
        for i, command in enumerate(request.commands):
            yield from self._command(request, n + i, command)
        for ok in request.oks:
            for outcome in ok["outcomes"]:
                yield from self._outcome(request, outcome)
        if request.if_match is not None and n != request.if_match + 1:
            yield self._broken(IF_MATCH, f"key {request.key} named {request.if_match} and stands at {n}")

    def _claim(self, request: Request, n: int) -> None:
        for i in range(len(request.commands)):
            self.claims[n + i].append((request, i))

    def _command(self, request: Request, n: int, command: Mapping[str, Any]) -> Iterator[Violation]:
        said = self.spoken.get(n)
        if said is None:
            yield self._broken(LOST, f"key {request.key} was acknowledged at {n} of {len(self.log)}")
        elif not _is(said, command, request.seat):
            yield self._broken(
                OTHER, f"key {request.key}, {command['type']} at {n}, where {said['type']} stands"
            )

    def _outcome(self, request: Request, outcome: Mapping[str, Any]) -> Iterator[Violation]:
        n, found = outcome["n"], outcome.get("hash")
        if found is not None and n in self.hashes and found != self.hashes[n]:
            yield self._broken(ANSWER, f"key {request.key} was told {found[:16]}… of {n}")

    def _claims(self) -> Iterator[Violation]:
        known = {_words(self.spoken[n]) for n in self.claims if n in self.spoken}
        for n, said in self.spoken.items():
            claims = self.claims.get(n, [])
            if len(claims) > 1:
                keys = sorted(request.key for request, _ in claims)
                yield self._broken(CONTESTED, f"{n} is claimed by {', '.join(keys)}")
            if not claims and said["actor"]["role"] != CLOCK:
                name = DOUBLED if _words(said) in known else INVENTED
                yield self._broken(name, f"{said['type']} at {n} was acknowledged to nobody")

    def _arrays(self) -> Iterator[Violation]:
        """Hold every array to be whole and in order: one after the other, each with its place."""
        places: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for n, said in self.spoken.items():
            if said["batch"] is not None:
                batch = said["batch"]
                places[batch["id"]].append((n, batch["index"], batch["of"]))
        for found in places.values():
            first, _, of = found[0]
            if found != [(first + i, i, of) for i in range(of)]:
                yield self._broken(
                    TORN, f"an array of {of} at {first}: {len(found)} of it are there, or out of order"
                )

    def _states(self) -> Iterator[Violation]:
        version, view = self.shown.live
        if version != len(self.log):
            yield self._broken(STATE, f"the state is of {version}, the record ends at {len(self.log)}")
        elif self.shown.replayed.get(version) != view:
            yield self._broken(STATE, f"the state of {version} is not what the commits give")


def _asked(history: Iterable[Entry], shown: Shown, requests: Mapping[str, Request]) -> Iterator[Violation]:
    """Hold what a key was told on the way to what it is told in the end."""
    for entry in history:
        if entry["do"] == "asked" and entry["n"] is not None:
            request = requests[entry["key"]]
            now = shown.keys.get(request.key, request.n)
            if entry["n"] != now:
                text = f"key {request.key} was settled at {entry['n']} and stands at {now}"
                yield Violation(MOVED, shown.encounter, text)


def _reads(history: Iterable[Entry], shown: Shown) -> Iterator[Violation]:
    """Hold each read to what was asked, to the client's reads before it, and to the replay."""
    newest: dict[str, int] = {}
    for entry in history:
        if entry["do"] != "read":
            continue
        client, asked, version = entry["client"], entry["asked"], entry["version"]
        if version < asked:
            yield Violation(BACK, shown.encounter, f"{client} asked for {asked} and was shown {version}")
        if asked and version < newest.get(client, 0):
            yield Violation(BACK, shown.encounter, f"{client} saw {newest[client]}, then {version}")
        newest[client] = max(newest.get(client, 0), version)
        if entry["view"] is not None and shown.replayed.get(version) != entry["view"]:
            yield Violation(AHEAD, shown.encounter, f"{client} was shown another state of {version}")


def _streams(history: Iterable[Entry], shown: Shown) -> Iterator[Violation]:
    """Hold each stream to the record: every commit, once and in order, over all its connections."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in history:
        if entry["do"] == "told":
            found[entry["client"]].append(entry)
    if not found:
        yield Violation(STREAM_SHORT, shown.encounter, "none told anything")
    for client, entries in found.items():
        for name, text in _stream(entries, {each.n: hash_of(each.commit) for each in shown.log}):
            yield Violation(name, shown.encounter, f"{client}: {text}")


def _stream(entries: Sequence[Entry], hashes: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    for before, entry in pairwise([{"n": 0}, *entries]):
        if entry["n"] > before["n"] + 1:
            yield STREAM_GAP, f"{entry['n']} after {before['n']}"
        if entry["n"] <= before["n"]:
            yield STREAM_REPEAT, f"{entry['n']} after {before['n']}"
        if hashes.get(entry["n"]) != entry["hash"]:
            yield STREAM_OTHER, f"at {entry['n']}"
    if entries[-1]["n"] < len(hashes):
        yield STREAM_SHORT, f"it ends at {entries[-1]['n']} of {len(hashes)}"


def hash_of(commit: bytes) -> str:
    """Return the hash of a commit's bytes, as `docs/audit.md` defines it."""
    return sha256(b"\x00" + commit).hexdigest()


def _is(said: Mapping[str, Any], command: Mapping[str, Any], seat: str) -> bool:
    """Tell whether a request on the record says what a client sent from its seat."""
    sent = {name: value for name, value in command.items() if name != "type"}
    given = {name: said["data"].get(name) for name in sent}
    return bool(said["type"] == command["type"] and said["actor"]["seat"] == seat and given == sent)


def _words(said: Mapping[str, Any]) -> str:
    return json.dumps([said["type"], said["actor"], said["data"]], sort_keys=True)


def _first_gap(numbers: Sequence[int]) -> str:
    for before, n in pairwise([0, *numbers]):
        if n != before + 1:
            return f"{n} after {before}"
    return "none"
