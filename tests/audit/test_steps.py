"""The browser recomputes each die, and each commit's place, step by step; a change shows at its step."""

from __future__ import annotations

import hashlib
import json
import subprocess
from functools import cache
from typing import Any, Final

import pytest

from tests.audit.golden import FIGHTS, HOME
from tests.support.javascript_verifier import NODE, PATIENCE_S, ROOT
from tests.support.tiny_table import SIGNER

Found = dict[str, Any]
KEY: Final = SIGNER.public.hex()


def checked(*cases: Found) -> list[list[Found]]:
    done = subprocess.run(
        [NODE, "tests/clients/steps.mjs"],
        input=json.dumps(cases).encode(),
        capture_output=True,
        check=False,
        cwd=ROOT,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: list[list[Found]] = json.loads(done.stdout)
    return found


@cache
def bundle(name: str) -> str:
    return (HOME / f"{name}.jsonl").read_text("utf-8")


@cache
def whole() -> dict[str, list[Found]]:
    return dict(zip(FIGHTS, checked(*({"text": bundle(name)} for name in FIGHTS)), strict=True))


@pytest.mark.parametrize("name", FIGHTS)
def test_every_die_and_every_place_of_a_golden_fight_is_recomputed(name: str) -> None:
    rolls = [each for each in whole()[name] if "roll" in each]
    places = [each for each in whole()[name] if "roll" not in each]

    assert [each for each in whole()[name] if each["holds"] is False] == []
    assert any(each["holds"] for each in rolls)
    assert all(each["holds"] for each in places) == (not name.endswith("running"))
    for each in rolls + places:
        assert not each["wrong"]
        if each["holds"] is None:
            assert "disclosed when" in each["says"] or "signs one when" in each["says"]


def test_each_step_that_hashes_shows_the_bytes_that_give_its_result() -> None:
    (place,) = [each for each in whole()["rise"] if each["n"] == 1 and "roll" not in each]
    for step in place["all"][1:]:
        if step["gives"] is None or step["gives"][0] != "hash":
            continue
        shown = bytes.fromhex("".join(part for _, part in step["parts"]))
        assert hashlib.sha256(shown).hexdigest() == step["gives"][1]
    (commit,) = place["all"][:1]
    zero, text = (part for _, part in commit["parts"])
    assert hashlib.sha256(bytes.fromhex(zero) + text.encode()).hexdigest() == commit["gives"][1]

    roll = next(each for each in whole()["rise"] if "roll" in each)
    links = [step for step in roll["all"] if step["isLink"]]
    assert links
    for step in links:
        shown = bytes.fromhex("".join(part for _, part in step["parts"]))
        assert hashlib.sha256(shown).hexdigest() == step["gives"][1]


def test_a_face_that_was_changed_shows_at_its_die() -> None:
    lines = bundle("heartrush-turns").splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if r"\"source\":\"seeded\"" in line and '"commit"' in line)
    n = json.loads(lines[at])["n"]
    roll = next(each for each in whole()["heartrush-turns"] if each["n"] == n and "roll" in each)
    commit = json.loads(json.loads(lines[at])["bytes"])
    die = commit["rolls"][0]["dice"][0]
    die["face"] = die["face"] % die["sides"] + 1
    spelled = json.dumps(commit, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    lines[at] = _line(json.loads(lines[at]) | {"bytes": spelled})

    ((found,),) = checked({"text": "".join(lines), "asked": {"n": roll["n"], "roll": roll["roll"]}})
    ((place,),) = checked({"text": "".join(lines), "asked": {"n": roll["n"]}})

    assert found["holds"] is False
    assert [says.partition(" of ")[0] for says in found["wrong"]] == ["The remainder"]
    assert place["holds"] is False, "it does not stand under the signed head either"


def test_a_link_that_was_changed_does_not_lead_to_the_anchor() -> None:
    roll = next(each for each in whole()["rise"] if "roll" in each)
    link = next(step for step in roll["all"] if step["isLink"])["parts"][-1][1]
    other = f"{int(link[0], 16) ^ 1:x}{link[1:]}"

    ((found,),) = checked(
        {"text": bundle("rise").replace(link, other), "asked": {"n": roll["n"], "roll": roll["roll"]}}
    )

    assert found["holds"] is False
    assert any("anchor" in says for says in found["wrong"])


def test_a_place_is_held_to_the_keys_that_the_reader_accepts() -> None:
    text = bundle("rise")
    ((right,), (wrong,)) = checked(
        {"text": text, "asked": {"n": 3, "keys": [KEY]}},
        {"text": text, "asked": {"n": 3, "keys": ["11" * 32]}},
    )

    assert (right["holds"], wrong["holds"]) == (True, False)
    assert "a key you accept" in right["says"]
    assert wrong["wrong"] == ["The head is signed by a key that you do not accept:"]


def _line(data: Found) -> str:
    return json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"
