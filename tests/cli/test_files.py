"""Verify and replay files with no service at all: what is printed, and with which status it ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.api.single_file import unpacked
from service.audit.verdict import MEANING, SOUND, UNSIGNED
from service.cli import COMMANDS, main, script
from service.cli.judging import STATUS
from service.record.canonical import commit_hash, dumps
from service.simulation.table import LocalTable
from tests.support.javascript_verifier import NODE, ROOT

EXAMPLE = Path(__file__).parents[2] / "examples" / "orc-and-hound.json"


def run(*arguments: object) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, [str(argument) for argument in arguments])


def forged(file: Path, n: int, change: Callable[[dict[str, Any]], object], *, chained: bool) -> Path:
    """Return a file with commit *n* of a bundle changed; *chained* with every hash after it made to fit."""
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    prev = ""
    for line in lines:
        if line["kind"] == "commit":
            data = json.loads(line["bytes"])
            if prev:
                data["prev"] = prev
            if line["n"] == n:
                change(data)
            line["bytes"] = dumps(data).decode()
            if chained and line["n"] >= n:
                prev = commit_hash(dumps(data)).hex()
        if line["kind"] == "trailer" and prev:
            line |= {"head": prev, "checkpoints": 0}
    if chained:  # whoever has no key takes out what was signed
        lines = [line for line in lines if line["kind"] not in ("key", "checkpoint")]
    made = file.with_name(f"forged-{n}.jsonl")
    made.write_bytes(b"".join(dumps(line) + b"\n" for line in lines))
    return made


def key_of(file: Path) -> str:
    """Return the key that signed a bundle, as it names it itself."""
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    return next(str(line["public"]) for line in lines if line["kind"] == "key")


def later(commit: dict[str, Any]) -> None:
    commit["at"] = "2031-01-01T00:00:00.000Z"


def turned(commit: dict[str, Any]) -> None:
    die = commit["rolls"][0]["dice"][0]
    die["face"] = die["face"] % die["sides"] + 1


def with_rolls(file: Path) -> int:
    """Return the number of the first commit that tells a roll."""
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    commits = [json.loads(line["bytes"]) for line in lines if line["kind"] == "commit"]
    return next(int(commit["n"]) for commit in commits if commit["rolls"])


# --- verify -------------------------------------------------------------------------------------------


def test_a_whole_bundle_is_valid_and_ends_with_0(bundle_file: Path) -> None:
    key = key_of(bundle_file)
    result = run("verify", bundle_file, "--key", key)

    assert result.exit_code == 0
    assert "valid  nothing was changed, and every die shown was fixed before the fight" in result.output
    assert "rolls proved, 0 of an open epoch" in result.output


@pytest.mark.parametrize("spell", [str.upper, lambda key: f"{key[:-1]} ", lambda key: key[:-2]])
def test_a_key_of_the_host_has_one_spelling_in_both_verifiers(
    bundle_file: Path, spell: Callable[[str], str]
) -> None:
    key = spell("aB" * 32)
    program = ROOT / "clients" / "javascript" / "verify.mjs"
    theirs = subprocess.run(
        [NODE, program, bundle_file, "--key", key], capture_output=True, check=False, timeout=60
    )

    assert (run("verify", bundle_file, "--key", key).exit_code, theirs.returncode) == (2, 2)


def test_a_changed_commit_ends_with_4(bundle_file: Path) -> None:
    result = run("verify", forged(bundle_file, 7, later, chained=False))

    assert result.exit_code == 4
    assert "tampered(7)" in result.output


def test_a_changed_commit_with_the_chain_made_to_fit_ends_with_9(bundle_file: Path) -> None:
    result = run("verify", forged(bundle_file, 7, later, chained=True))

    assert result.exit_code == 9
    assert "not_deterministic(7, /at)" in result.output


def test_a_changed_die_with_the_chain_made_to_fit_ends_with_7(bundle_file: Path) -> None:
    n = with_rolls(bundle_file)

    result = run("verify", forged(bundle_file, n, turned, chained=True))

    assert result.exit_code == 7
    assert f"dice_invalid({n}, 1/0/" in result.output


def test_a_bundle_that_is_cut_off_ends_with_5(bundle_file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(bundle_file.read_bytes().splitlines(keepends=True)[:-5]))

    result = run("verify", cut)

    assert result.exit_code == 5
    assert "truncated(" in result.output


@pytest.mark.parametrize("raw", [b"", b"no bundle", b"{}\n", b"\xff\xfe\n"])
def test_a_file_that_is_not_a_bundle_is_named_as_that(raw: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(raw)

    result = run("verify", file)
    assert (result.exit_code, "not_a_bundle" in result.output) == (16, True)


def test_a_receipt_that_holds_changes_nothing_and_one_that_does_not_is_told(bundle_file: Path) -> None:
    lines = [json.loads(line) for line in bundle_file.read_bytes().splitlines()]
    hashes = [commit_hash(line["bytes"].encode()).hex() for line in lines if line["kind"] == "commit"]

    assert run("verify", bundle_file, "--unsigned", "--receipt", f"5:{hashes[4]}").exit_code == 0
    contradicted = run("verify", bundle_file, "--receipt", f"5:{hashes[5]}", "--receipt", f"3:{hashes[2]}")
    beyond = run("verify", bundle_file, "--receipt", f"{len(hashes) + 2}:{hashes[0]}")

    assert (contradicted.exit_code, "tampered(4 to 5)" in contradicted.output) == (4, True)
    assert (beyond.exit_code, "truncated(" in beyond.output) == (5, True)


def test_a_receipt_of_another_form_and_a_file_that_is_not_there_are_no_verdict(bundle_file: Path) -> None:
    assert run("verify", bundle_file, "--receipt", "5").exit_code == 2
    assert run("verify", bundle_file, "--receipt", f"0:{'a' * 64}").exit_code == 2
    assert run("verify", bundle_file.with_name("nothing")).exit_code == 2


def test_the_report_is_also_json(bundle_file: Path) -> None:
    report = json.loads(run("verify", bundle_file, "--json").stdout)

    assert report["verdict"]["name"] == "valid_unsigned"
    assert report["decided"]["to"] == report["counts"]["commits"] == report["log"]["size"]


def test_every_verdict_has_its_status_and_the_help_tells_each() -> None:
    text = " ".join(run("verify", "--help").output.split())

    assert set(STATUS) == set(MEANING)
    untold = [name for name, status in STATUS.items() if status and f"{status} {name}" not in text]
    assert set(untold) == set(UNSIGNED) - {"valid_unsigned"}, "they are the kin of valid_unsigned"
    assert len({*STATUS.values()}) == len(STATUS) - len(SOUND) + 3


@pytest.mark.parametrize(
    ("asked", "status", "name"),
    [
        ((), 13, "valid_unsigned"),
        (("--unsigned",), 0, "valid_unsigned"),
        (("--without-rules",), 13, "valid_unsigned_without_rules"),
        (("--without-rules", "--unsigned"), 0, "valid_unsigned_without_rules"),
        (("--key",), 0, "valid"),
        (("--key", "--without-rules"), 0, "valid_without_rules"),
    ],
)
def test_less_than_a_key_and_rules_ends_with_0_only_where_it_was_asked_for(
    bundle_file: Path, asked: tuple[str, ...], status: int, name: str
) -> None:
    words = [word for each in asked for word in ((each, key_of(bundle_file)) if each == "--key" else (each,))]
    result = run("verify", bundle_file, *words)

    assert result.exit_code == status
    assert result.output.split()[0] == name


# --- replay -------------------------------------------------------------------------------------------


def test_a_bundle_is_told_round_by_round(bundle_file: Path) -> None:
    text = run("replay", bundle_file).output

    assert text.index("Round 1") < text.index("Pia engages the undead orc") < text.index("Round 2")
    assert "the stances are revealed" in text
    assert "HR-ENG-1: " in text


def test_one_round_is_told_alone(bundle_file: Path) -> None:
    text = run("replay", bundle_file, "--round", 0).output

    assert "the encounter is open" in text
    assert "engages" not in text


def test_a_misspelt_command_names_the_closest_match() -> None:
    result = run("serv")

    assert (result.exit_code, "closest match: serve" in result.output) == (2, True)
    assert "closest" not in run("dance").output


def test_a_round_that_is_not_there_and_a_file_of_another_kind_are_named(
    bundle_file: Path, tmp_path: Path
) -> None:
    result = run("replay", bundle_file, "--round", 99)
    assert (result.exit_code, "there is no round 99: the last is 2" in result.output) == (1, True)

    other = tmp_path / "README.md"
    other.write_text("# A page")
    result = run("replay", other)
    assert (result.exit_code, "neither a bundle nor a script: " in result.output) == (1, True)


@pytest.mark.parametrize("form", ["s002", "e-c2"])
def test_the_example_is_decided_and_told_without_a_service(form: str) -> None:
    """The script's checks are the ledger's end states; a fight that goes another way ends with 1."""
    result = run("replay", EXAMPLE, "--form", form)

    assert result.exit_code == 0, result.output
    assert "Round 2" in result.output


def test_the_example_tells_the_faces_and_what_they_come_to() -> None:
    text = run("replay", EXAMPLE).output

    assert "heart d8 6 + agility d8 7 + weapon d8 8 = 21" in text
    assert "heart d8 3 + agility d6 2 +4 armor = 9" in text
    assert "the undead orc shrugs it off: 12 becomes 6, the heart die a d6" in text


def test_a_script_that_goes_another_way_says_where(tmp_path: Path) -> None:
    data = json.loads(EXAMPLE.read_text("utf-8"))
    steps = data["forms"]["s002"]["steps"]
    next(step for step in steps if "check" in step)["check"]["creatures"]["orc"]["hp"] = 30
    file = tmp_path / "other.json"
    file.write_text(json.dumps(data), "utf-8")

    result = run("replay", file)

    assert result.exit_code == 1
    assert "/creatures/orc/hp is 29, not 30" in result.output


def test_a_script_at_which_the_rulebook_fails_says_so_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = LocalTable.send

    def _fail(table: LocalTable, seat: str, type_: str, data: dict[str, Any]) -> object:
        if type_ == "engage":
            raise IndexError("list index out of range")
        return send(table, seat, type_, data)

    monkeypatch.setattr(LocalTable, "send", _fail)

    found = run("replay", EXAMPLE)

    assert found.exit_code == 1
    assert "the rulebook fails at it (IndexError: list index out of range)" in found.output
    assert "Traceback" not in found.output


@pytest.mark.parametrize("raw", [b"", b"{}", b"[1]", b"\xff", b'{"format": "rewound/fight/1"}'])
def test_what_is_neither_a_bundle_nor_a_script_is_said_so(raw: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(raw)

    result = run("replay", file)

    assert result.exit_code == 1
    assert "Error" in result.output


# --- the example --------------------------------------------------------------------------------------


def test_the_example_is_the_one_that_comes_with_the_package() -> None:
    assert script.load(EXAMPLE)["s002"] == script.sample("s002")
    assert set(script.load(EXAMPLE)) == {"s002", "e-c2"}


def test_each_packaged_fight_lies_among_the_examples_byte_for_byte() -> None:
    packaged = {each.name: each.read_bytes() for each in files("service.cli").joinpath("fights").iterdir()}
    assert {name: (EXAMPLE.parent / name).read_bytes() for name in packaged} == packaged


def test_with_seeded_dice_nobody_tells_a_face() -> None:
    seeded = script.sample("s002").seeded()

    assert not any(step.throws for step in seeded.steps)
    assert seeded.opening["declared_sides"] == []


# --- a page of a bundle -------------------------------------------------------------------------------


def test_a_page_of_a_bundle_is_one_file_and_nothing_else_is_said(bundle_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "fight.html"
    result = run("replay", bundle_file, "--out", out)

    count = sum('"kind":"commit"' in line for line in bundle_file.read_text("utf-8").splitlines())
    assert result.exit_code == 0
    assert result.output == f"{count} commits written to {out}: open it in a browser\n"
    text = out.read_text("utf-8")
    assert "src=" not in text.replace('src="data:', "")
    assert unpacked(text)["content"]["name"] == bundle_file.name


def test_no_page_is_made_of_a_bundle_that_is_not_sound(bundle_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "fight.html"
    result = run("replay", forged(bundle_file, 9, later, chained=False), "--out", out)

    assert result.exit_code == STATUS["tampered"]
    assert result.output.endswith("nothing is written\n")
    assert not out.exists()


def test_a_page_needs_a_bundle_and_the_whole_of_it(bundle_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "fight.html"

    assert "is not a bundle" in run("replay", EXAMPLE, "--out", out).output
    assert run("replay", bundle_file, "--out", out, "--round", 1).exit_code == 2
    assert "No such file" in run("replay", bundle_file, "--out", tmp_path / "none" / "fight.html").output
    assert not out.exists()


# --- all commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_tells_what_it_does(name: str) -> None:
    result = run(name, "--help")

    assert result.exit_code == 0
    assert result.output.startswith("Usage")


def test_the_help_lists_every_command() -> None:
    text = run("--help").output

    assert [name for name in COMMANDS if name not in text] == []


def test_a_command_that_does_not_exist_is_said_so() -> None:
    result = run("dance")

    assert result.exit_code == 2
    assert "No such command" in result.output
