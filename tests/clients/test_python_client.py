"""The Python client plays, reads, contests and audits against a real service."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from hashlib import sha256
from typing import Any

import pytest
import yaml

from rewound_client import (
    Problem,
    Refused,
    RetryPolicy,
    Rewound,
    Table,
    Unreachable,
    VersionMismatch,
    shapes,
    values_of,
)
from service.audit import bundle, verify
from service.cli.playing import difference
from service.rules.registry import REGISTRY
from tests.clients.conftest import ROOT, Host

CLIENT = ROOT / "clients" / "python"
EXAMPLE = CLIENT / "examples" / "fight.py"


def seated(rewound: Rewound, form: dict[str, Any]) -> dict[str, Table]:
    gm = rewound.open(form["opening"])
    return {"gm": gm} | {entry["seat"]: gm.sit(entry["seat"]) for entry in form["opening"]["seats"]}


def played(seats: dict[str, Table], form: dict[str, Any], steps: int | None = None) -> Table:
    """Return the gm's table after the first *steps* of *form*; what it says of the state held."""
    for step in form["steps"][:steps]:
        if "send" in step:
            assert seats[step["seat"]].send(step["send"])["outcome"] == "accepted", step
        else:
            assert difference(step["check"], seats["gm"].state()["state"]) is None
    return seats["gm"]


@pytest.mark.parametrize("name", ["s002", "e-c2"])
def test_the_sample_fight_ends_as_the_ledger_has_it(
    rewound: Rewound, forms: dict[str, Any], name: str
) -> None:
    gm = played(seated(rewound, forms[name]), forms[name])
    assert any("check" in step for step in forms[name]["steps"])
    gm.close("the end")
    assert gm.audit()["verdict"] == "valid"


def test_the_example_plays_the_fight_in_under_forty_lines_and_tells_the_head(
    host: Host, rewound: Rewound
) -> None:
    assert EXAMPLE.read_text("utf-8").count("\n") < 40
    done = subprocess.run(
        [sys.executable, EXAMPLE, host.address, host.key, ROOT / "examples" / "orc-and-hound.json"],
        env={**os.environ, "PYTHONPATH": str(CLIENT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    newest = next(iter(rewound.encounters()))
    assert done.stdout.strip() == rewound.encounter(newest["encounter"]).get()["hash"]


def test_everything_of_the_record_is_read(rewound: Rewound, forms: dict[str, Any]) -> None:
    form = forms["s002"]
    gm = played(seated(rewound, form), form)
    head = gm.get()
    commits = list(gm.commits())
    assert [commit["n"] for commit in commits] == list(range(1, head["version"] + 1))
    assert commits[-1]["hash"] == head["hash"]
    for commit in commits:
        assert sha256(b"\0" + commit["commit"].encode()).hexdigest() == commit["hash"]
    assert gm.state()["hash"] == head["hash"]
    assert gm.state(at=5)["version"] == 5
    assert [found["round"] for found in gm.rounds()] == [1, 2]
    assert gm.replay(1)["frames"][0]["n"] == gm.rounds()[0]["first"]
    assert {roll["source"] for roll in gm.rolls(creature="pia")} == {"declared"}
    assert gm.explanation(6)["type"] == "engage"
    assert gm.diff(4, 5)["end"]["n"] == 5
    assert [seat["seat"] for seat in gm.seats()] == ["gm", "zoe", "max"]
    assert rewound.rule("heartrush@1", "HR-ENG-4")["statement"]
    assert "heartrush@1" in {found["edition"] for found in rewound.rulesets()}


def test_what_options_offer_is_accepted(rewound: Rewound, forms: dict[str, Any]) -> None:
    gm = played(seated(rewound, forms["s002"]), forms["s002"], 1)
    options = gm.options()
    offer = next(
        o
        for option in options["options"]
        for o in option["commands"]
        if o["command"]["type"] == "grant_priority"
    )
    command = offer["command"] | {name: values_of(choice)[0] for name, choice in offer["choices"].items()}
    assert gm.preview(command)["accepted"] is True
    outcome = gm.send(command, version=options["version"])
    assert gm.outcome(outcome["n"])["events"] == outcome["events"]


def test_a_refusal_is_an_exception_with_the_problems_fields(rewound: Rewound, forms: dict[str, Any]) -> None:
    seats = seated(rewound, forms["s002"])
    gm = played(seats, forms["s002"], 2)
    with pytest.raises(Refused) as refused:
        gm.send({"type": "pass", "creature": "pia"})
    assert (refused.value.code, refused.value.status) == ("not_your_creature", 409)
    assert refused.value.n == gm.get()["version"]
    assert refused.value.rule == "TABLE-SEAT-1"
    with pytest.raises(VersionMismatch) as mismatch:
        gm.send({"type": "end_combat"}, version=1)
    assert mismatch.value.version == gm.get()["version"]
    with pytest.raises(Problem) as invalid:
        gm.send({"type": "pass", "nonsense": 1})
    assert invalid.value.type == "/problems/invalid"
    assert "/nonsense" in {fault["pointer"] for fault in invalid.value.errors}
    assert invalid.value.request_id
    with pytest.raises(Problem) as missing:
        rewound.encounter("00000000-0000-0000-0000-000000000000").get()
    assert missing.value.status == 404


def without_receipts(answer: Any) -> dict[str, Any]:
    """Return the answer to an array without the receipts, which only who waited is given."""
    outcomes = [{name: v for name, v in each.items() if name != "receipt"} for each in answer["outcomes"]]
    return {**answer, "outcomes": outcomes}


def test_an_array_tells_each_outcome(rewound: Rewound, forms: dict[str, Any]) -> None:
    gm = rewound.open(forms["s002"]["opening"])
    several = [{"type": "begin_combat"}, {"type": "pass", "creature": "pia"}, {"type": "grant_priority"}]
    stopped = gm.send_all(several, key="three")
    assert [each["outcome"] for each in stopped["outcomes"]] == ["accepted", "refused", "refused"]
    assert all(each["receipt"]["n"] == each["n"] for each in stopped["outcomes"])
    bare = without_receipts(stopped)
    assert without_receipts(gm.send_all(several, key="three")) == bare
    assert gm.outcome_of("three") == bare, "an answer that is read later has no receipts"
    on = gm.send_all(
        [{"type": "pass", "creature": "pia"}, {"type": "grant_priority"}], continue_on_refusal=True
    )
    assert [each["outcome"] for each in on["outcomes"]] == ["refused", "accepted"]
    assert gm.outcome_of("never-sent") is None


def test_who_does_not_wait_asks_later(rewound: Rewound, forms: dict[str, Any]) -> None:
    gm = rewound.open(forms["s002"]["opening"])
    sent = gm.send({"type": "begin_combat"}, key="begin", wait_s=0)
    decided = gm.outcome(sent["n"], wait_s=20)
    assert decided["outcome"] == "accepted"
    assert gm.outcome_of("begin") == decided
    assert gm.state(min_version=sent["n"])["version"] >= sent["n"]


def test_seats_are_opened_changed_and_closed(rewound: Rewound, forms: dict[str, Any]) -> None:
    gm = rewound.open(forms["s002"]["opening"])
    bob = gm.with_token(gm.open_seat("bob", "observer")["token"])
    assert bob.get()["version"] == gm.get()["version"]
    gm.change_seat("max", [])
    assert gm.change_seat("zoe", ["pia", "ash"])["creatures"] == ["pia", "ash"]
    gm.close_seat("bob")
    with pytest.raises(Problem) as ended:
        bob.get()
    assert ended.value.status == 401


def test_a_contest_is_opened_ruled_and_the_fight_goes_on_otherwise(
    rewound: Rewound, forms: dict[str, Any]
) -> None:
    seats = seated(rewound, forms["s002"])
    gm = played(seats, forms["s002"], 5)
    first = seats["zoe"].contest(5, "who may join is not clear")
    assert gm.rule(first["contest"], "upheld", "it is in the rules")["status"] == "upheld"
    assert [found["status"] for found in gm.contests()] == ["upheld"]
    proposal = gm.undo(4, "let us look again", preview=True)
    assert gm.drop(proposal["amendment"])["status"] == "dropped"
    again = gm.undo(4, preview=True)
    assert gm.amendment(again["amendment"])["status"] == "ready"
    taken = gm.accept(again["amendment"], gm.get()["version"])
    now = gm.get()
    assert (now["encounter"], now["line"]) == (gm.encounter, taken["line"])
    assert now["origin"] == {**(now["origin"] or {}), "parent": gm.encounter, "n": 4}
    assert [each["status"] for each in gm.lines()] == ["ended", "dropped", "played"]
    assert gm.in_line(gm.encounter).get()["continued"] == now["line"]


def test_what_else_an_owner_and_an_encounter_have(rewound: Rewound, forms: dict[str, Any]) -> None:
    form = forms["s002"]
    seats = seated(rewound, form)
    gm = played(seats, form)
    assert gm.seat("zoe")["creatures"] == ["pia"]
    assert gm.round(1)["first"] == gm.rounds()[0]["first"]
    assert gm.statistics()["dice"]
    assert gm.ticket()
    assert gm.checkpoint()["size"] == gm.get()["version"]
    assert next(gm.checkpoints())["encounter"] == gm.encounter
    assert gm.fork(4).get()["origin"] is not None
    gm.close()
    audit = gm.audit()
    assert gm.audited(audit["audit"])["certificate"] == audit["certificate"]
    assert [each["audit"] for each in gm.audits()] == [audit["audit"]]
    theirs = seats["zoe"].fork(4, [{"type": "pass_side", "side": "heroes"}])
    assert theirs.state(min_version=2)["version"] == 2, (
        "whoever forks commands everybody there, with a token of its own"
    )
    taken = rewound.take_bundle(gm.bundle(), keys=[rewound.signing_keys()[0]["public_key"]])
    assert taken["imported"] is not None
    assert (taken["status"], taken["imported"]["record"]) == ("done", gm.encounter)
    assert taken["encounter"] != gm.encounter
    assert rewound.imported(taken["bundle"]) == next(iter(rewound.imports()))
    key = rewound.make_api_key("bot", scopes=["read"])
    rotated = rewound.rotate_api_key(key["key"], overlap_s=0)
    rewound.end_api_key(rotated["key"])
    assert {key["key"], rotated["key"]} <= {each["key"] for each in rewound.api_keys()}
    assert rewound.signing_keys()[0]["public_key"] in json.dumps(audit["certificate"])
    hook = rewound.add_webhook("https://hooks.example/rewound", gm.encounter)["webhook"]
    assert rewound.webhook(hook) in rewound.webhooks()
    assert list(rewound.deliveries(hook)) == []
    rewound.end_webhook(hook)
    done = rewound.simulate(form["opening"], times=1, seed="clients")
    assert (done["status"], rewound.simulation(done["simulation"])["winners"]) == ("done", done["winners"])
    assert "engage" in {each["type"] for each in rewound.commands("heartrush@1")["commands"]}


def test_a_file_of_another_program_is_sent_as_it_is(rewound: Rewound) -> None:
    file = "name;hp\nZo\u00eb;7\n".encode("cp1252")
    found = rewound.import_file(file, edition="heartrush@1", kind="creatures", side="foes", place="1,2")
    (creature,) = found["part"]["creatures"]
    assert (creature["sheet"]["name"], creature["position"]) == ("Zo\u00eb", [1, 2])
    assert found["notes"][0].endswith("read as Windows-1252")
    with pytest.raises(Problem) as refused:
        rewound.import_file(b"no map", edition="rise@1", kind="map", windows="open")
    assert refused.value.type == "/problems/file-not-converted"


def test_a_bundle_is_audited_without_the_service(rewound: Rewound, forms: dict[str, Any]) -> None:
    gm = played(seated(rewound, forms["s002"]), forms["s002"])
    gm.close()
    report = verify.verify(bundle.read(gm.bundle()), REGISTRY)
    assert report.verdict.name == "valid_unsigned"
    assert report.head == gm.get()["hash"]


def test_the_shapes_are_those_of_the_contract() -> None:
    """Every typed answer has the members that `openapi.yaml` says, and needs those that it needs."""
    components = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)["components"][
        "schemas"
    ]
    names = [name for name in components if hasattr(getattr(shapes, name, None), "__required_keys__")]
    assert len(names) > 80
    for name in names:
        shape, result = getattr(shapes, name), components[name]
        assert shape.__required_keys__ | shape.__optional_keys__ == set(result["properties"]), name
        assert shape.__required_keys__ == set(result.get("required", ())), name


def test_nobody_there_is_unreachable() -> None:
    with (
        Rewound("http://127.0.0.1:9", "rw_x", retry_policy=RetryPolicy(0.3)) as nobody,
        pytest.raises(Unreachable),
    ):
        nobody.rulesets()


def test_the_client_imports_what_it_declares_and_nothing_of_the_service() -> None:
    settings = tomllib.loads((CLIENT / "pyproject.toml").read_text("utf-8"))
    declared = {need.split(">")[0] for need in settings["project"]["dependencies"]}
    extra = {need.split(">")[0] for need in settings["project"]["optional-dependencies"]["signing"]}
    imported = {
        name.partition(".")[0]
        for path in CLIENT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
    }
    assert imported - sys.stdlib_module_names - {"rewound_client"} == declared | extra
    assert (declared, extra) == ({"requests"}, {"cryptography"})


def test_without_the_extra_everything_but_keys_and_receipts_is_there() -> None:
    script = (
        "import sys; sys.modules['cryptography'] = None; import rewound_client\n"
        "try:\n    rewound_client.SeatKey.make()\n"
        "except ImportError as fault:\n    print(fault)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(CLIENT)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert "cryptography" in done.stdout
