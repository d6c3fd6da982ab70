"""Reduced files of other programs, each with its right result: see `cases/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from service.conversion.choices import CreatureChoices, map_choices
from service.conversion.creatures import convert_creatures
from service.conversion.faults import Converted, Unconvertible
from service.conversion.files import text_of
from service.conversion.maps import convert_map
from service.rules.registry import REGISTRY

CASES: Final = Path(__file__).parent / "cases"
HEARTRUSH, RISE = REGISTRY["heartrush@1"], REGISTRY["rise@1"]


def converted(name: str, ruleset: Any = HEARTRUSH, **choices: str) -> Converted:
    read = text_of((CASES / name).read_bytes())
    if name.startswith("maps/"):
        found = convert_map(read.text, ruleset, map_choices(**choices))
    else:
        found = convert_creatures(read.text, ruleset, CreatureChoices.of(**choices))
    return Converted(found.part, (*read.notes, *found.notes))


def faults_of(name: str, ruleset: Any = HEARTRUSH, **choices: str) -> tuple[str, ...]:
    with pytest.raises(Unconvertible) as raised:
        converted(name, ruleset, **choices)
    return tuple(raised.value.faults)


def sheets(found: Converted) -> list[dict[str, Any]]:
    return [each["sheet"] for each in found.part["creatures"]]


# --- maps ----------------------------------------------------------------------------------------------


def test_a_door_narrower_than_a_cell_keeps_the_edge_nearest_to_its_middle() -> None:
    found = converted("maps/narrow-door.uvtt")
    expected = {f"3,{y}|4,{y}": "wall" for y in range(8)} | {"3,5|4,5": "closed_door"}
    assert found.part["walls"] == expected
    assert not any("portals" in note for note in found.notes)


@pytest.mark.parametrize(("windows", "kind"), [("wall", "wall"), ("open", "open_door")])
def test_a_window_is_noted_and_is_what_the_person_chooses(windows: str, kind: str) -> None:
    found = converted("maps/window.uvtt", windows=windows)
    assert found.part["walls"]["3,4|4,4"] == kind
    assert found.notes[0].startswith("/portals/0: not closed: an open door, or a window in Dungeondraft")


def test_lights_under_a_bright_ambient_light_are_noted() -> None:
    note = "lights have no effect (1): the ambient light is bright everywhere"
    assert converted("maps/bright-lights.uvtt").notes == (note,)
    assert converted("maps/bright-lights.uvtt", ambient="dark").part["scenery"]["light"]["2,2"] == "bright"


def test_a_map_in_pixels_is_a_fault_that_names_what_is_outside() -> None:
    first, *others = faults_of("maps/in-pixels.uvtt")
    assert "not pixels (70 pixels are a cell)" in first
    assert others == [
        "/line_of_sight/0/1: outside the map, and left out",
        "/portals/0: outside the map, and left out",
    ]


@pytest.mark.parametrize("name", ["maps/origin-null.uvtt", "maps/bom.uvtt"])
def test_a_null_origin_and_a_byte_order_mark_are_read(name: str) -> None:
    found = converted(name)
    assert (found.part["walls"], found.notes) == ({}, ())


def test_a_portal_without_bounds_is_one_cell_along_its_rotation() -> None:
    found = converted("maps/portal-by-rotation.uvtt")
    assert found.part["walls"]["3,4|4,4"] == "closed_door"
    assert found.notes == ()


def test_too_many_walls_are_a_fault_and_a_part_of_them_is_an_opening() -> None:
    assert faults_of("maps/too-many-walls.uvtt") == (
        "walls has 3000 members, and an opening takes 2000: take a part of the map, --part x,y,width,height",
    )
    assert 0 < len(converted("maps/too-many-walls.uvtt", part="0,0,30,100").part["walls"]) < 2000


# --- creatures -----------------------------------------------------------------------------------------


def test_a_table_with_semicolons_is_read() -> None:
    assert sheets(converted("creatures/semicolons.csv")) == [{"id": "ada", "name": "Ada", "side": "heroes"}]


def test_all_faults_of_a_table_come_at_once() -> None:
    """`d8` in the second row is a die, and no fault."""
    assert faults_of("creatures/four-faults.csv") == (
        "row 2, column hp_max: a whole number, not 7x",
        "row 4, column hp_max: a whole number of hit points from 1 to 10000",
        "row 5, column x: a3 stands there",
    )


def test_an_id_that_is_there_twice_names_the_first_row() -> None:
    assert faults_of("creatures/same-id.csv") == ("row 3, column id: row 2 has this id already",)


def test_hit_points_alone_are_the_maximum_and_it_is_said() -> None:
    found = converted("creatures/hp-alone.csv")
    assert sheets(found)[0]["hp_max"] == 12
    assert found.notes == ("row 2: hp without hp_max: 12 of 12",)


def test_numbers_in_quotes_are_numbers() -> None:
    found = converted("creatures/strings.json")
    assert found.part["creatures"][0]["position"] == [1, 1]
    assert sheets(found)[0]["hp_max"] == 20


def test_a_stat_block_that_is_not_there_names_the_nearest() -> None:
    assert faults_of("creatures/block-name.csv") == (
        "row 3, column stat_block: there is no stat block Goblin; the nearest is goblin",
    )


def test_creatures_without_a_place_are_put_side_by_side() -> None:
    found = converted("creatures/no-place.json", place="4,2")
    assert [each["position"] for each in found.part["creatures"]] == [[4, 2], [5, 2]]
    assert found.notes == ()
    usual = converted("creatures/no-place.json")
    assert usual.notes == ("2 creatures have no place: side by side from 0,0 here (--place x,y)",)


def test_the_notation_of_the_books_own_guide_is_read() -> None:
    found = converted("creatures/stat-block.md", side="foes", place="0,0")
    guard, rats = sheets(found)
    assert guard == {
        "id": "cellar-guard",
        "name": "Cellar Guard",
        "side": "foes",
        "size": "medium",
        "might": 10,
        "agility": 6,
        "cunning": 10,
        "presence": 8,
        "heart_die": 10,
        "hp_max": 50,
        "wound_threshold": 15,
        "attack_bonus": 6,
        "defense_bonus": 8,
    }
    assert (rats["size"], rats["heart_die"], rats["woundable"]) == ("small", 6, False)
    defense, prose = found.notes
    assert defense.startswith(
        "line 1, Cellar Guard: a defense bonus counts against every kind: +8 (physical)"
    )
    assert prose == "line 1, Cellar Guard: abilities in prose are left out: Grip"


# --- lists of other games ------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("tracker.csv", ["Goblin 1", "Goblin 2", "Goblin 3", "Orc"]),
        ("5e.json", ["Aboleth", "Ancient Red Dragon", "Zoë Goblin"]),
        ("5etools.json", ["Goblin", "Ogre"]),
        ("foundry.yml", ["Goblin"]),
        ("fantasy.yaml", ["Wolf", "Bear"]),
        ("objs.json", ["Goblin", "Orc"]),
        ("md.md", ["Goblin 1", "Goblin 2"]),
        ("pf2.json", ["Kobold"]),
        ("excel.txt", ["Ada", "Bob"]),
        ("latin.csv", ["Zoë"]),
    ],
)
def test_lists_of_other_programs_give_names_and_hit_points(name: str, names: list[str], ruleset: Any) -> None:
    found = converted(f"creatures/{name}", ruleset)
    assert [each["name"] for each in sheets(found)] == names
    assert len({each["id"] for each in sheets(found)}) == len(names)


def test_sizes_and_speeds_of_other_games_are_this_rulebooks() -> None:
    aboleth, dragon, goblin = sheets(converted("creatures/5e.json"))
    assert (aboleth["size"], aboleth["speed"], aboleth["swim_speed"], aboleth["hp_max"]) == (
        "large",
        10,
        40,
        135,
    )
    assert (dragon["size"], goblin["size"], goblin["speed"]) == ("l3", "small", 30)
    assert goblin["id"] == "zoe-goblin"
    of_rise = sheets(converted("creatures/5e.json", RISE))
    assert of_rise[1]["size"] == "gargantuan"
    assert of_rise[1]["speeds"] == {"land": 40, "fly": 80}
    assert "strength" not in of_rise[0], "another game's number means nothing here"


def test_what_is_left_out_is_one_note_for_the_whole_list() -> None:
    notes = converted("creatures/5e.json").notes
    (left_out,) = [note for note in notes if note.startswith("left out, because")]
    assert "armor_class, strength, challenge_rating" in left_out
    assert "Gargantuan is l3 in this rulebook" in notes


def test_some_of_a_long_list_are_chosen_by_name() -> None:
    found = converted("creatures/5e.json", only="zoë goblin, Aboleth", side="foes", place="0,0")
    assert [each["id"] for each in sheets(found)] == ["aboleth", "zoe-goblin"]
    assert faults_of("creatures/5e.json", only="Abolet") == (
        "there is no creature Abolet; the nearest is aboleth",
    )


def test_a_stat_block_says_what_a_list_of_another_game_cannot() -> None:
    found = converted("creatures/tracker.csv", stat_block="goblin")
    assert found.part["creatures"][0] == {
        "stat_block": "goblin",
        "name": "Goblin 1",
        "id": "goblin-1",
        "side": "foes",
        "position": [0, 0],
    }


def test_an_encoding_that_was_guessed_is_noted() -> None:
    assert converted("creatures/latin.csv").notes[0].endswith("read as Windows-1252")


def test_what_is_no_text_or_has_aliases_is_a_fault() -> None:
    with pytest.raises(Unconvertible, match="the file is not text"):
        text_of(b"PK\x03\x04abcdef\x00\x00")
    with pytest.raises(Unconvertible, match="aliases of YAML are not read"):
        convert_creatures("- &a {name: Goblin}\n- *a\n", HEARTRUSH)
    with pytest.raises(Unconvertible, match=r"line 3, column \d+: not valid YAML"):
        convert_creatures("- name: Goblin\n  hp: [7\n", HEARTRUSH)


# --- files as strangers have them ----------------------------------------------------------------------


def listed(text: str | bytes) -> list[dict[str, Any]]:
    data = text.encode() if isinstance(text, str) else text
    return sheets(convert_creatures(text_of(data).text, HEARTRUSH))


def refused(text: str, *, is_map: bool = False) -> str:
    with pytest.raises(Unconvertible) as raised:
        _read(text.encode(), is_map=is_map)
    return raised.value.faults[0]


def _read(data: bytes, *, is_map: bool) -> Converted:
    read = text_of(data).text
    return convert_map(read, HEARTRUSH) if is_map else convert_creatures(read, HEARTRUSH)


@pytest.mark.parametrize(
    ("said", "feet"),
    [("9 m", 30), ("9,5 m", 30), ("7.5 metres", 25), ("6 squares", 30), ("30", 30), ("25 ft.", 25)],
)
def test_metres_and_squares_are_feet(said: str, feet: int) -> None:
    assert listed(f"name;hp;speed\nGoblin;7;{said}\n")[0]["speed"] == feet


METRES: Final = "speeds in metres are read in feet, 5 for each 1.5 m, to the nearest 5 ({})"
SQUARES: Final = "speeds in squares are read in feet, 5 for each square ({})"


@pytest.mark.parametrize(
    ("text", "speeds", "notes"),
    [
        ("name;hp;speed\nA;7;9 m\nB;7;30 ft.\nC;7;12 m\n", [30, 30, 40], [METRES.format(2)]),
        ("name;hp;Speed (m)\nA;7;9\nB;7;7,5\n", [30, 25], [METRES.format(2)]),
        ("name;hp;speed [squares]\nA;7;6\n", [30], [SQUARES.format(1)]),
        ("name;hp;Speed (ft)\nA;7;25\n", [25], []),
        ('[{"name": "A", "hp": 7, "speed": {"walk": 9, "units": "m"}}]', [30], [METRES.format(1)]),
        ('[{"name": "A", "hp": 7, "speed": {"walk": 30.0, "unit": "feet"}}]', [30], []),
        ("name;hp;speed;swim_speed\nA;7;9 m;3 squares\n", [30], [METRES.format(1), SQUARES.format(1)]),
    ],
)
def test_the_conversion_of_a_unit_is_one_note(text: str, speeds: list[int], notes: list[str]) -> None:
    found = convert_creatures(text, HEARTRUSH)
    assert [each["speed"] for each in sheets(found)] == speeds
    assert [note for note in found.notes if note.startswith("speeds in")] == notes


def test_speeds_by_name_are_in_feet_too() -> None:
    found = convert_creatures('name,hp,speeds\nA,7,"land=9 m; fly=40 ft"\n', RISE)
    assert sheets(found)[0]["speeds"] == {"land": 30, "fly": 40}
    assert METRES.format(1) in found.notes


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            '[{"name": "A", "hp": 7, "speed": {"walk": 1, "units": "km"}}]',
            "column speed: a whole number of feet",
        ),
        ("name;hp;size\nA;7;2 m\n", "column size: one of "),
        ("name;hp;x;y\nA;7;3 m;0\n", "column x: a whole number, not 3 m"),
    ],
)
def test_a_length_that_may_mean_several_things_is_a_fault(text: str, fault: str) -> None:
    with pytest.raises(Unconvertible) as raised:
        convert_creatures(text, HEARTRUSH)
    assert fault in raised.value.faults[0]


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nname;hp\nGoblin;7\n",
        "sep=,\r\nname,hp\r\nGoblin,7\r\n",
        "name,hp\rGoblin,7\r",
        "name|hp\nGoblin|7\n",
        b"\xff\xfe" + "name\thp\nGoblin\t7\n".encode("utf-16-le"),
        '{"data": {"items": [{"name": "Goblin", "hp": 7}]}}',
        '{"name": "Goblin", "hp": 7}\n{"name": "Orc", "hp": 15}\n',
    ],
)
def test_a_list_is_read_however_a_program_writes_it(text: str | bytes) -> None:
    assert {"name": "Goblin", "hp_max": 7}.items() <= listed(text)[0].items()


def test_what_nobody_sees_in_a_name_is_left_out() -> None:
    found = listed('name,hp\n"Bo the\nKnife",7\n\u202eGoblin,7\n')
    assert [each["name"] for each in found] == ["Bo the Knife", "Goblin"]


@pytest.mark.parametrize("first", ["Nom;PV;CA", "Имя,Жизнь", "Goblin,7"])
def test_a_table_whose_first_row_names_no_name_is_one_fault(first: str) -> None:
    assert refused(f"{first}\nGobelin;7;15\nOrc;8;13\n").startswith(
        "row 1: no column is called name; there are "
    )


@pytest.mark.parametrize("is_map", [False, True])
@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_is_called_empty(text: str, is_map: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert refused(text, is_map=is_map) == "the file is empty"


@pytest.mark.parametrize("text", ["<!doctype html><html></html>", "<svg/>", '<?xml version="1.0"?><root/>'])
def test_a_page_or_a_drawing_is_no_map(text: str) -> None:
    assert refused(text, is_map=True).startswith("a web page, a drawing or XML, and no map that is read")


def test_a_map_in_a_list_is_read_and_one_without_lines_is_noted() -> None:
    window = json.loads((CASES / "maps/window.uvtt").read_text("utf-8"))
    whole = convert_map(json.dumps(window), HEARTRUSH)
    assert convert_map(json.dumps([window]), HEARTRUSH) == whole
    for without in ({**window, "line_of_sight": None}, {**window} | {"line_of_sight": []}):
        notes = convert_map(json.dumps(without), HEARTRUSH).notes
        is_missing = without["line_of_sight"] is None
        assert any("it is missing" in note for note in notes) is is_missing
