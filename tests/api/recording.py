"""Record the answers that the contract shows as examples: `python -m tests.api.recording` (make examples).

One small fight of Heart Rush is played over the API in this process, and each operation is asked once for
each of its statuses. The requests are chosen so that answers are small; a list that is cut says so in its
`note`. Tokens, keys and secrets are replaced by a filler of the same length.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any, Final

from werkzeug.test import TestResponse

from service.api.app import create_app
from service.api.operations import Operation
from service.api.problems import MEDIA_TYPE
from service.api.recorded import RECORDED
from service.audit.log_writer import LogWriter
from service.audit.signing_memory import SigningMemory
from service.key_files import Keyring
from service.log.memory import MemoryLog
from service.rules.registry import REGISTRY
from service.stores import api_keys, webhooks
from service.stores.public_log import PublicLog
from service.stores.webhooks import WebhookDelivery
from service.usecases.services import Services, make_services
from tests.api.client import Api
from tests.api.conftest import KEY, Worker, until_it_listens
from tests.api.declared import operations, target
from tests.support.tiny_table import SIGNER
from workers.audits import Auditor
from workers.imports import Importer
from workers.simulations import Simulator

SECRETS: Final = re.compile(r"^(rw|rs|whsec)_.{40,}$")
EVENT_STREAM: Final = "text/event-stream"
OPENING: Final[Mapping[str, Any]] = {
    "edition": "heartrush@1",
    "title": "At the ford",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {
                "id": "pia",
                "name": "Pia",
                "side": "heroes",
                "kind": "pc",
                "might": 8,
                "weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}],
            },
        },
        {
            "position": [1, 0],
            "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 35, "might": 10},
        },
    ],
    "seats": [{"seat": "ann", "role": "player", "creatures": ["pia"]}],
}
USUAL: Final = {"Accept": "application/json", "Prefer": "wait=30"}
"""Header fields of each request."""
BEGIN: Final = {"type": "begin_combat", "unaware_side": "foes"}
PRIORITY: Final = {"type": "grant_priority"}
ENGAGE: Final = {"type": "engage", "creature": "pia", "target": "orc"}
LATER: Final = "respond-async"
JSONL: Final = "application/jsonl"
OCTETS: Final = "application/octet-stream"
RULE: Final = "HR-ENG-4"
SEED: Final = "examples"
PAGES: Final = {"text/html", "text/javascript", "*/*", "application/yaml"}
"""Media types of pages and of files, which have no example."""
UNRECORDED: Final = {("getContractAsJson", 200), ("isReady", 503)}
"""The contract itself, and the answer of a service without workers."""
TILES: Final = "application/octet-stream"
"""Hashes and entries of the public log, which are no text."""

Json = dict[str, Any]


def recordable(each: Operation) -> set[int]:
    """Return the statuses of *each* that have an example: those with a body that is no page and no file."""
    return {
        status
        for status, answer in each.answers.items()
        if status < 300 and answer.media_type not in {*PAGES, TILES} and (each.id, status) not in UNRECORDED
    }


class Recording:
    """The answers so far: by operation and status, and problems by code."""

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Json]] = {}
        self.problems: dict[str, Json] = {}
        self._operations = {each.id: each for each in operations()}

    def ask(
        self,
        who: Api,
        operation: str,
        data: object = None,
        /,
        *,
        query: str = "",
        cut: Mapping[str, int] = MappingProxyType({}),
        known: Mapping[str, str] = MappingProxyType({}),
        problem: str | None = None,
        **headers: str,
    ) -> Any:
        """Send a request and record its answer, unless there is one of this status; return the body.

        *cut* says of which lists of the answer only so many items are recorded. *known* are the parts of
        the path. *problem* is the code of the problem that the answer must be.
        """
        each = self._operations[operation]
        path = target(each, known).partition("?")[0] + query
        answer = who(each.method, path, data, **USUAL | headers)
        body = _body(answer)
        if problem is not None:
            assert body["type"] == f"/problems/{problem}", answer.text
            self.problems[problem] = _safe(body)
            return body
        assert answer.status_code < 300, answer.text
        asked: Json = {"request": f"{each.method} {path}"}
        if data and each.body is not None:
            asked["sent"] = data
        shown, note = _cut(body, cut)
        asked |= {"note": note} if note else {}
        found = self.answers.setdefault(operation, {})
        found.setdefault(f"{answer.status_code} {answer.mimetype}", asked | {"answer": _safe(shown)})
        return body

    def missing(self) -> set[str]:
        """Return what has no answer yet."""
        return {
            f"{each.id} {status}"
            for each in operations()
            for status in recordable(each)
            if not any(key.startswith(f"{status} ") for key in self.answers.get(each.id, ()))
        }

    def dumped(self) -> str:
        """Return the recording as the text of its file."""
        answers = {name: dict(sorted(found.items())) for name, found in sorted(self.answers.items())}
        data = {"answers": answers, "problems": dict(sorted(self.problems.items()))}
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _body(answer: TestResponse) -> Any:
    if answer.mimetype != EVENT_STREAM:
        is_json = answer.mimetype in {"application/json", MEDIA_TYPE}
        return json.loads(answer.text) if is_json else answer.text
    text = ""
    for part in answer.iter_encoded():
        text += part.decode()
        if text.count("\n\n") == 2:
            break
    answer.close()
    return text


def _cut(body: Any, cut: Mapping[str, int]) -> tuple[Any, str]:
    """Return *body* with its lists shortened, and which they are; `lines` counts lines of a text."""
    if isinstance(body, str) and "lines" in cut:
        lines = body.splitlines(keepends=True)
        return "".join(lines[: cut["lines"]]), f"the first {cut['lines']} of {len(lines)} lines"
    shown, notes = body, []
    for name, count in cut.items():
        notes.append(f"{count} of {len(body[name])} {name}")
        is_list = isinstance(body[name], list)
        items = list(enumerate(body[name])) if is_list else list(body[name].items())
        plain = [item for item in items if '"$ref"' not in json.dumps(item)][:count]  # tools would follow it
        shown = {**shown, name: [each for _, each in plain] if is_list else dict(plain)}
    return shown, ", ".join(notes)


def _safe(value: Any, name: str = "") -> Any:
    """Return *value* with each token, key and secret replaced by a filler of the same length."""
    if isinstance(value, dict):
        return {key: _safe(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_safe(each) for each in value]
    if isinstance(value, str) and name == "ticket":
        return "x" * len(value)
    if isinstance(value, str) and SECRETS.match(value):
        start = value[: value.index("_") + 1]
        return start + re.sub("[^=]", "x", value[len(start) :])
    return value


class Studio:
    """A service in this process: the API, a worker that can be paused, and the workers of jobs."""

    def __init__(self, services: Services, worker: Worker) -> None:
        self.services, self.worker = services, worker
        self.api = Api(create_app(services))
        self.owner = self.api.with_token(api_keys.create(services.log, "vtt", time.time())[0])

    def do_jobs(self) -> None:
        """Audit, import and simulate what waits."""
        log, stopping = self.services.log, Event()
        for runner in (Auditor, Importer, Simulator):
            runner(log, self.services.registry, worker="worker-1", stopping=stopping).look()

    def put_delivery(self, hook: str, encounter: str) -> None:
        """Store the delivery of commit 1 as a worker stores it before the first attempt."""
        webhooks.put_delivery(self.services.log, WebhookDelivery(hook, encounter, 1))


def recorded() -> Recording:
    """Return the recording of a fresh run."""
    with tempfile.TemporaryDirectory() as home, closing(MemoryLog()) as log:
        signing_memory = SigningMemory(Path(home) / "signing-memory.db")
        services = make_services(
            log, dict(REGISTRY), ring=lambda _: None, clock=time.time, keys=Keyring.of(KEY), mode="memory"
        )
        services = replace(services, accepted_keys=(SIGNER.public,))
        until_it_listens(services)
        worker = Worker(log, signing_memory)
        worker.start()
        try:
            made = Recording()
            studio = Studio(services, worker)
            _service(made, studio)
            _keys(made, studio)
            _fight(made, studio)
            _waiting(made, studio)
            _amended(made, studio)
            _ended(made, studio)
            _refused(made, studio)
        finally:
            worker.stop()
            services.outcomes.close()
            signing_memory.close()
    assert not made.missing(), sorted(made.missing())
    return made


def _service(made: Recording, studio: Studio) -> None:
    public = studio.api
    for operation in ("isAlive", "isReady", "listKeys", "listRulesets"):
        made.ask(public, operation)
    operator, _ = api_keys.create(studio.services.log, "operator", time.time(), scopes=("operator",))
    made.ask(public.with_token(operator), "getMetrics", cut={"lines": 6})
    made.ask(public, "listProblemTypes", cut={"problems": 2})
    edition = {"edition": "heartrush@1", "rule": RULE}
    made.ask(public, "getRuleset", known=edition, cut={"options": 2, "commands": 4, "rules": 2})
    made.ask(public, "listCommandTypes", known=edition, cut={"commands": 1})
    made.ask(public, "getRule", known=edition)
    made.ask(public, "searchLibrary", known=edition, query="?kind=stat_block&q=orc")
    made.ask(public, "makeQrCode", {"text": "https://rewound.example/"})
    made.ask(public, "getSheetSchema", known=edition, cut={"groups": 1, "schema": 4})


def _keys(made: Recording, studio: Studio) -> None:
    owner = studio.owner
    key = made.ask(owner, "createApiKey", {"name": "discord bot", "scopes": ["read", "write"]})["key"]
    made.ask(owner, "listApiKeys")
    successor = made.ask(owner, "rotateApiKey", {"overlap_s": 3600}, known={"key": key})["key"]
    made.ask(owner, "endApiKey", known={"key": successor})
    known = {"owner": made.ask(owner, "getUsage")["owner"]}
    text, _ = api_keys.create(studio.services.log, "operator", time.time(), scopes=("operator",))
    operator = studio.api.with_token(text)
    made.ask(operator, "getOwnerUsage", known=known)
    made.ask(operator, "changeOwnerQuotas", {"encounters": 500}, known=known)
    made.ask(operator, "resetOwnerQuotas", known=known)


def _opened(studio: Studio, title: str) -> tuple[Api, dict[str, str]]:
    """Open a fight in which the heroes have priority; return the gm and the parts of its paths."""
    gm = studio.owner
    opened = json.loads(gm("POST", "/v1/encounters", {**OPENING, "title": title}).text)
    at = {"encounter": opened["encounter"]}
    for command in (BEGIN, PRIORITY):
        assert gm("POST", f"/v1/encounters/{at['encounter']}/commands", command).status_code == 200
    return gm, at


def _fight(made: Recording, studio: Studio) -> None:
    """Play the fight that most examples show."""
    gm = studio.owner
    hook = made.ask(gm, "createWebhook", {"url": "https://example.org/hook", "text": "en"})["webhook"]
    opened = made.ask(gm, "openEncounter", OPENING, Idempotency_Key="at-the-ford")
    at = {"encounter": opened["encounter"], "seat": "ann", "round": "1", "n": "5", "webhook": hook}
    token = made.ask(gm, "issueToken", {}, known=at)["token"]
    ann = studio.api.with_token(token)
    _did(gm, at, "commands", BEGIN)
    made.ask(gm, "previewCommand", {**ENGAGE, "target": "pia"}, known=at)
    _did(gm, at, "commands", PRIORITY)
    made.ask(ann, "getOptions", known=at, query="?types=engage,choose_stance&text=en")
    *before, (who, strike) = _strike(ann, gm)
    for each, command in before:
        _did(each, at, "commands", command)
    made.ask(who, "sendCommand", strike, known=at, Idempotency_Key="strike")
    made.ask(gm, "getCommand", known=at | {"n": "8"})
    made.ask(who, "findCommand", known=at, query="?key=strike")
    made.ask(gm, "getEncounter", known=at)
    made.ask(gm, "listEncounters", query="?limit=1")
    made.ask(ann, "getState", known=at)
    made.ask(ann, "listCreatures", known=at)
    made.ask(ann, "getCreatureSheet", known=at | {"creature": "pia"}, cut={"groups": 1})
    made.ask(ann, "listCreatureChanges", known=at, query="?after=7&limit=1")
    made.ask(ann, "getCreatureStatistics", known=at)
    made.ask(ann, "getMap", known=at)
    made.ask(gm, "getCarriedCharacter", known=at | {"creature": "pia"}, query="?at=2")
    made.ask(gm, "shareSeat", {"expires_in_s": 86400}, known=at)
    made.ask(ann, "listCommits", known=at, query="?after=7&limit=1&text=en")
    made.ask(ann, "listCommits", known=at, query="?after=4&text=en", Accept=EVENT_STREAM)
    made.ask(ann, "listRolls", known=at, query="?creature=pia")
    made.ask(ann, "getRollStatistics", known=at, cut={"dice": 1})
    made.ask(ann, "explainCommit", known=at | {"n": "8"}, cut={"events": 2, "rules": 2})
    made.ask(ann, "listRounds", known=at)
    made.ask(ann, "getRound", known=at, query="?limit=1")
    made.ask(ann, "replayRound", known=at, query="?limit=2")
    made.ask(gm, "getDiff", known=at, query="?start=7&end=8&events=true")
    made.ask(ann, "issueTicket", {}, known=at)
    made.ask(gm, "openSeat", {"seat": "bob", "role": "observer"}, known=at)
    made.ask(gm, "listSeats", known=at)
    made.ask(gm, "getSeat", known=at)
    made.ask(gm, "changeSeat", {"creatures": ["pia"]}, known=at)
    made.ask(gm, "closeSeat", known=at | {"seat": "bob"})
    made.ask(gm, "signCheckpoint", {}, known=at, Prefer="wait=30")
    made.ask(gm, "listCheckpoints", known=at, query="?limit=1")
    made.ask(gm, "listLines", known=at)
    _contested(made, studio, ann, at)


def _contested(made: Recording, studio: Studio, ann: Api, at: dict[str, str]) -> None:
    """Contest a commit, fork the fight, and look after its webhook."""
    gm, hook = studio.owner, at["webhook"]
    made.ask(ann, "openContest", {"commit": 7, "claim": "you announced might"}, known=at)
    at["contest"] = "c1"
    made.ask(ann, "listContests", known=at)
    made.ask(ann, "getContest", known=at)
    made.ask(gm, "answerContest", {"ending": "upheld", "decision": "I said cunning"}, known=at)
    fork = made.ask(gm, "forkEncounter", {"at": 4, "commands": []}, known=at)["encounter"]
    made.ask(gm, "listForks", known=at)
    made.ask(gm, "deleteFork", known=at | {"fork": fork})
    studio.put_delivery(hook, at["encounter"])
    found = made.ask(gm, "listDeliveries", known=at, query="?limit=1")["deliveries"][0]
    made.ask(gm, "retryDelivery", {}, known=at | {"delivery": found["delivery"]})
    made.ask(gm, "listWebhooks")
    made.ask(gm, "getWebhook", known=at)
    made.ask(gm, "changeWebhook", {"state": "active"}, known=at)
    made.ask(gm, "endWebhook", known=at)


def _strike(ann: Api, gm: Api) -> list[tuple[Api, Json]]:
    """Return the commands of one exchange, each with its sender."""
    stance = {"type": "choose_stance", "creature": "pia", "prompt": "r1/e1/stance/pia", "stance": "might"}
    return [
        (ann, ENGAGE),
        (ann, stance),
        (gm, stance | {"creature": "orc", "prompt": "r1/e1/stance/orc", "stance": "cunning"}),
        (ann, {"type": "declare_attack", "creature": "pia", "prompt": "r1/e1/might/pia", "target": "orc"}),
    ]


def _waiting(made: Recording, studio: Studio) -> None:
    """Ask for what is not decided yet: the worker pauses while each is asked."""
    gm, at = _opened(studio, "Waiting")
    asked: list[tuple[str, Any, dict[str, str]]] = [
        ("openEncounter", OPENING, {}),
        ("openSeat", {"seat": "bob", "role": "observer"}, {}),
        ("issueToken", {}, {"seat": "ann"}),
        ("changeSeat", {"creatures": ["pia"]}, {"seat": "ann"}),
        ("closeSeat", None, {"seat": "bob"}),
        ("signCheckpoint", {}, {}),
        ("openContest", {"commit": 2, "claim": "nobody was surprised"}, {}),
        ("answerContest", {"ending": "upheld", "decision": "they were"}, {"contest": "c1"}),
        ("forkEncounter", {"at": 2, "commands": []}, {}),
        ("sendCommand", ENGAGE, {}),
        ("undo", {"to": 3, "preview": True}, {}),
        ("redo", {"preview": True}, {}),
        ("closeEncounter", None, {}),
    ]
    for operation, data, known in asked:
        if operation == "redo":
            _did(gm, at, "undo", {"to": 3})
        studio.worker.pause()
        answer = made.ask(gm, operation, data, known=at | known, Idempotency_Key=operation, Prefer=LATER)
        if operation == "sendCommand":
            made.ask(gm, "getCommand", known=at | {"n": str(answer["n"])})
            made.ask(gm, "findCommand", known=at, query=f"?key={operation}")
        studio.worker.go_on()
        _settled(gm, at)


def _did(gm: Api, at: Mapping[str, str], path: str, data: object) -> Json:
    answer = gm("POST", f"/v1/encounters/{at['encounter']}/{path}", data)
    assert answer.status_code < 300, answer.text
    found: Json = json.loads(answer.text)
    return found


def _settled(gm: Api, at: Mapping[str, str]) -> None:
    """Wait until everything is decided."""
    until = time.monotonic() + 30
    while True:
        about = gm.get(f"/v1/encounters/{at['encounter']}")
        if about["version"] == about["appended"]:
            return
        assert time.monotonic() < until, "a command stays undecided"
        time.sleep(0.01)


def _amended(made: Recording, studio: Studio) -> None:
    """Undo, redo, accept and drop."""
    gm, at = _opened(studio, "Undone")
    proposed = made.ask(gm, "undo", {"to": 2, "preview": True}, known=at)
    at["amendment"] = proposed["amendment"]
    made.ask(gm, "getAmendment", known=at)
    made.ask(gm, "dropAmendment", known=at)
    at["amendment"] = _did(gm, at, "undo", {"to": 2, "preview": True})["amendment"]
    studio.worker.pause()
    made.ask(gm, "dropAmendment", known=at, Prefer=LATER)
    studio.worker.go_on()
    _settled(gm, at)
    proposed = _did(gm, at, "undo", {"to": 2, "preview": True})
    at["amendment"] = proposed["amendment"]
    studio.worker.pause()
    made.ask(gm, "acceptAmendment", {"version": proposed["version"]}, known=at, Prefer=LATER)
    studio.worker.go_on()
    _settled(gm, at)
    gm, at = _opened(studio, "Undone and redone")
    made.ask(gm, "undo", {"to": 2}, known=at)
    made.ask(gm, "redo", {}, known=at)
    gm, at = _opened(studio, "Redone after a look")
    _did(gm, at, "undo", {"to": 2})
    proposed = made.ask(gm, "redo", {"preview": True}, known=at)
    at["amendment"] = proposed["amendment"]
    made.ask(gm, "acceptAmendment", {"version": proposed["version"]}, known=at)


def _ended(made: Recording, studio: Studio) -> None:
    """Close a fight, audit it, export, remove and import it."""
    gm, at = _opened(studio, "Closed")
    wrong = {"bundle": "5e" * 32}
    made.ask(gm, "removeEncounter", wrong, known=at, problem="not-removable")
    made.ask(gm, "closeEncounter", known=at, query="?reason=enough")
    job = made.ask(gm, "startAudit", {}, known=at)
    studio.do_jobs()
    made.ask(gm, "getAudit", known=at | {"audit": job["audit"]})
    made.ask(gm, "listAudits", known=at, query="?limit=1")
    bundle = made.ask(gm, "getBundle", known=at, cut={"lines": 2})
    raw = bundle.encode()
    assert studio.worker.signing_memory is not None
    LogWriter(PublicLog(studio.services.log), studio.worker.signing_memory, lambda: SIGNER).write()
    made.ask(studio.api, "getLogCheckpoint")
    made.ask(gm, "getLogProof", known=at)
    made.ask(gm, "removeEncounter", wrong, known=at, problem="bundle-digest-mismatch")
    made.ask(gm, "removeEncounter", {"bundle": sha256(raw).hexdigest()}, known=at)
    made.ask(gm, "getRemoval", known=at)
    made.ask(gm, "getState", known=at, problem="encounter-removed")
    job = made.ask(gm, "importBundle", raw, Content_Type=JSONL)
    studio.do_jobs()
    made.ask(gm, "getImport", known={"bundle": job["bundle"]})
    made.ask(gm, "listImports", query="?limit=1")
    job = made.ask(gm, "startSimulation", {"opening": OPENING, "times": 2, "seed": SEED})
    studio.do_jobs()
    made.ask(gm, "getSimulation", known={"simulation": job["simulation"]})


def _refused(made: Recording, studio: Studio) -> None:
    """Make the common mistakes."""
    gm, at = _opened(studio, "Mistaken")
    token = _did(gm, at, "seats/ann/token", {})["token"]
    ann = studio.api.with_token(token)
    made.ask(studio.api, "getState", known=at, problem="unauthenticated")
    made.ask(ann, "closeEncounter", known=at, problem="forbidden")
    made.ask(gm, "getState", known={"encounter": "00000000-0000-4000-8000-000000000000"}, problem="not-found")
    made.ask(gm, "sendCommand", ENGAGE, known=at, If_Match="2", problem="bad-request")
    made.ask(
        gm, "sendCommand", {"type": "engage", "creature": "pia", "targt": "orc"}, known=at, problem="invalid"
    )
    made.ask(gm, "sendCommand", b'{"type": "engage", "type": "engage"}', known=at, problem="not-strict-json")
    made.ask(
        gm,
        "sendCommand",
        b"type=engage",
        known=at,
        Content_Type="text/plain",
        problem="unsupported-media-type",
    )
    made.ask(gm, "sendCommand", {**ENGAGE, "target": "pia"}, known=at, problem="command-refused")
    made.ask(gm, "sendCommand", ENGAGE, known=at, If_Match='"2"', problem="version-mismatch")
    made.ask(ann, "sendCommand", ENGAGE, known=at, Idempotency_Key="one")
    made.ask(
        ann,
        "sendCommand",
        {**ENGAGE, "target": "pia"},
        known=at,
        Idempotency_Key="one",
        problem="idempotency-key-reused",
    )
    heartrush = "?edition=heartrush@1&kind=creatures"
    made.ask(gm, "convertFile", b"name,hp,count\nGoblin,7,2\n", query=heartrush, Content_Type=OCTETS)
    made.ask(gm, "convertFile", b"{}", query=heartrush, Content_Type=OCTETS, problem="file-not-converted")
    made.ask(gm, "importBundle", b"no bundle", Content_Type=JSONL, problem="bundle-refused")


def main() -> None:
    """Write the recording of a fresh run."""
    RECORDED.write_text(recorded().dumped(), "utf-8")
    print(f"{RECORDED.name}: {RECORDED.stat().st_size} bytes")  # noqa: T201 - it is a command


if __name__ == "__main__":
    main()
