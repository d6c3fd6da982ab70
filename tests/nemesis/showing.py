"""Read what the service shows in the end, and fold its bundles here to see what they give."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.verify import verify
from service.core import views
from service.record.canonical import loads
from service.record.commit import ACCEPTED, fold_commit, load_commit, load_request
from service.rules.registry import REGISTRY
from tests.nemesis.final import Logged, Shown
from tests.nemesis.http import Line, LostError, NeverSentError, Reply

PATIENCE_S: Final = 120.0
PAGE: Final = 200
LINES: Final = 3


class NotShownError(Exception):
    """The service does not show what it has to."""


@dataclass(frozen=True)
class Reader:
    """Who reads in the end: patient, for nothing is killed any more."""

    port: int
    key: str

    def ask(
        self,
        method: str,
        path: str,
        data: object = None,
        *,
        token: str = "",
        ok: Sequence[int] = (200, 201, 202),
    ) -> Reply:
        """Return an answer of those that are *ok*; raises `NotShownError`."""
        with closing(Line(self.port, answer_s=60.0)) as line:
            return self._asked(line, (method, path, data, token), ok)

    def _asked(self, line: Line, asked: tuple[str, str, object, str], ok: Sequence[int]) -> Reply:
        method, path, data, token = asked
        ends = time.monotonic() + PATIENCE_S
        fault = ""
        while time.monotonic() < ends:
            try:
                reply = line.ask(method, path, token or self.key, data, {"Prefer": "wait=20"})
            except (NeverSentError, LostError) as error:
                fault = str(error)
            else:
                if reply.status in ok:
                    return reply
                fault = f"{reply.status} {reply.data}"
                if reply.status not in (429, 503, 504):
                    break
            time.sleep(0.2)
        raise NotShownError(f"{method} {path}: {fault}")

    def encounters(self) -> list[str]:
        """Return the id of every encounter."""
        found: list[str] = []
        path = "/v1/encounters?limit=100"
        while path:
            page = self.ask("GET", path).data
            found += [each["encounter"] for each in page["encounters"]]
            cursor = page.get("next_cursor")
            path = f"/v1/encounters?limit=100&cursor={cursor}" if cursor else ""
        return found

    def audited(self, encounter: str) -> Mapping[str, Any]:
        """Return the certificate of an audit that is asked for now."""
        at = f"/v1/encounters/{encounter}/audits"
        job = self.ask("POST", at, {}).data
        ends = time.monotonic() + PATIENCE_S
        while job["status"] in ("pending", "running"):
            if time.monotonic() > ends:
                raise NotShownError(f"audit {job['audit']} of {encounter} is {job['status']}")
            time.sleep(0.2)
            job = self.ask("GET", f"{at}/{job['audit']}").data
        certificate: Mapping[str, Any] = job.get("certificate") or {
            "verdict": {"name": str(job.get("fault"))}
        }
        return certificate


def shown(
    reader: Reader,
    keys: Mapping[str, Mapping[str, str]],
    versions: Mapping[str, Iterable[int]],
    encounters: Iterable[str] | None = None,
) -> dict[str, Shown]:
    """Return *encounters*, or every one.

    *keys* are to be asked for, each with its token, *versions* were read.
    """
    with ThreadPoolExecutor(LINES) as pool:
        found = [
            pool.submit(_shown, reader, encounter, keys.get(encounter, {}), set(versions.get(encounter, ())))
            for encounter in (reader.encounters() if encounters is None else encounters)
        ]
        return {each.encounter: each for each in (future.result() for future in found)}


def _shown(reader: Reader, encounter: str, keys: Mapping[str, str], versions: set[int]) -> Shown:
    at = f"/v1/encounters/{encounter}"
    reader.ask("POST", f"{at}/checkpoints", {})
    signers = [bytes.fromhex(each["public_key"]) for each in reader.ask("GET", "/v1/keys").data["keys"]]
    certificate = reader.audited(encounter)
    raw = reader.ask("GET", f"{at}/bundle").data
    evidence = bundle.read(raw, pinned=signers)
    state = reader.ask("GET", f"{at}/state").data
    last = len(evidence.commits)
    return Shown(
        encounter=encounter,
        log=tuple(
            Logged(n, request or b"null", commit)
            for n, (request, commit) in enumerate(zip(evidence.requests, evidence.commits, strict=True), 1)
        ),
        pages=tuple(_pages(reader, at)),
        live=(state["version"], state["view"]),
        replayed=_replayed(evidence, versions | {last}),
        bundle=verify(evidence, REGISTRY).verdict.name,
        audit=certificate["verdict"]["name"],
        live_state=str(certificate.get("live_state")),
        keys={key: _asked(reader, at, key, token) for key, token in keys.items()},
    )


def _pages(reader: Reader, at: str) -> Iterable[tuple[int, str]]:
    path = f"{at}/commits?limit={PAGE}"
    while path:
        page = reader.ask("GET", path).data
        yield from ((each["n"], each["hash"]) for each in page["commits"])
        cursor = page.get("next_cursor")
        path = f"{at}/commits?limit={PAGE}&cursor={cursor}" if cursor else ""


def _asked(reader: Reader, at: str, key: str, token: str) -> int | None:
    reply = reader.ask("GET", f"{at}/commands?key={key}", token=token, ok=(200, 202, 404))
    return None if reply.status == 404 else int(reply.data["n"])


def _replayed(evidence: Evidence, versions: set[int]) -> dict[int, str]:
    """Fold the commits of a bundle in which everything is open; the gm's view after each of *versions*."""
    found: dict[int, str] = {}
    state: Any = None
    occasions: set[str] = set()
    for request, raw in zip(evidence.requests, evidence.commits, strict=True):
        commit = load_commit(raw)
        ruleset = REGISTRY[commit.edition]
        payloads = {
            index: loads(evidence.opened[commit.n, index].payload)
            for index, event in enumerate(commit.events)
            if "sealed" in event
        }
        stops = load_request(request).stops if request is not None and commit.outcome != ACCEPTED else None
        state = fold_commit(ruleset, ruleset.blank if state is None else state, commit, payloads, stops)
        occasions |= {event["occasion"] for event in commit.events if "occasion" in event}
        if commit.n in versions:
            opened = occasions if state.closed else ()  # before the end only what the state itself opens
            found[commit.n] = views.view_hash(json.loads(json.dumps(views.state_data(state, "gm", opened))))
    return found
