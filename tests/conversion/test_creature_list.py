"""Creatures of tables and lists: columns of both books, stat blocks, faults that name row and column."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.conversion.creature_rows import columns_of
from service.conversion.creatures import convert_creatures
from service.conversion.faults import Unconvertible
from service.conversion.files import text_of
from service.rules.registry import REGISTRY
from tests.support.tiny_game import TINY

HEARTRUSH, RISE = REGISTRY["heartrush@1"], REGISTRY["rise@1"]

PARTY = """id,name,side,stat_block,size,might,hp_max,darkvision,weapons,abilities,x,y
pia,Pia,heroes,,small,8,40,yes,"[{""id"": ""mace"", ""size_class"": ""light""}]",,0,0

gob,,foes,goblin,,,,,,,3,-2
"""
BAND = """id,name,side,kind,defenses,speeds,hp_max,hp,position
pia,Pia,heroes,pc,armor=6; reflex=5,land=30; fly=40,30,12,"0,0"
gob,Goblin,foes,monster,,,12,,"3,-2"
"""


def faults_of(text: str, ruleset: Any = HEARTRUSH) -> tuple[str, ...]:
    with pytest.raises(Unconvertible) as raised:
        convert_creatures(text, ruleset)
    return tuple(raised.value.faults)


def test_a_table_of_heart_rush_is_the_creatures_of_an_opening() -> None:
    assert convert_creatures(PARTY, HEARTRUSH).part == {
        "creatures": [
            {
                "position": [0, 0],
                "sheet": {
                    "id": "pia",
                    "name": "Pia",
                    "side": "heroes",
                    "size": "small",
                    "might": 8,
                    "hp_max": 40,
                    "darkvision": True,
                    "weapons": [{"id": "mace", "size_class": "light"}],
                },
            },
            {"position": [3, -2], "id": "gob", "side": "foes", "stat_block": "goblin"},
        ]
    }


def test_a_table_of_rise_has_defenses_and_speeds_by_name() -> None:
    pia, goblin = convert_creatures(BAND, RISE).part["creatures"]
    assert pia == {
        "position": [0, 0],
        "hp": 12,
        "sheet": {
            "id": "pia",
            "name": "Pia",
            "side": "heroes",
            "kind": "pc",
            "defenses": {"armor": 6, "reflex": 5},
            "speeds": {"land": 30, "fly": 40},
            "hp_max": 30,
        },
    }
    assert goblin["sheet"]["hp_max"] == 12


def test_a_list_has_the_columns_of_a_table_or_entries_of_an_opening() -> None:
    flat = {"id": "pia", "name": "Pia", "side": "heroes", "might": 8, "x": 0, "y": 0}
    entry = {"position": [1, 0], "sheet": {"id": "ash", "name": "Ash", "side": "heroes"}}
    block = {"stat_block": "goblin", "id": "gob", "side": "foes", "position": [2, 0], "hp": 3}
    found = convert_creatures(json.dumps([flat, entry, block]), HEARTRUSH).part["creatures"]
    assert found[0] == {
        "position": [0, 0],
        "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "might": 8},
    }
    assert found[1:] == [entry, block]


def test_a_file_of_a_spreadsheet_may_begin_with_a_mark_and_end_lines_as_windows_does() -> None:
    text = "\ufeff" + BAND.replace("\n", "\r\n")
    assert convert_creatures(text, RISE).part == convert_creatures(BAND, RISE).part


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Pia,heroes", "Pia,", "row 2, column side: a value is required"),
        ("hp_max", "hp_mx", "row 1: there is no column hp_mx; the nearest is hp_max"),
        ("hp_max", "might", "row 1: column might is there twice"),
        ("small", "smal", "row 2, column size: one of minuscule, tiny, small"),
        (",40,", ",forty,", "row 2, column hp_max: a whole number, not forty"),
        ("yes", "perhaps", "row 2, column darkvision: true or false"),
        ('"[{', '"[', "row 2, column weapons: not valid JSON"),
        ("size_class", "class", "row 2, column weapons (0/class): no such field"),
        (
            ",0,0\n",
            ",0\n",
            "row 2, column x: where it begins is required: x and y, or position; y is missing",
        ),
        (",0,0\n", ",0,0,0\n", "row 2: 13 cells, and 12 columns"),
        ("foes,goblin,", "foes,goblin,tiny", "row 4, column size: this creature has its own; leave it empty"),
        (
            "goblin",
            "gobbo",
            "row 4, column stat_block: there is no stat block gobbo; the nearest is goblin",
        ),
        ("gob,", "pia,", "row 4, column id: row 2 has this id already"),
        ("3,-2", "0,0", "row 4, column x: pia stands there"),
        (",8,", ",7,", "row 2, column might: "),
        ("Pia,", '"Pia"s,', "row 2: not valid CSV: "),
    ],
)
def test_a_fault_names_row_and_column(old: str, new: str, fault: str) -> None:
    text = PARTY.replace(old, new, 1)
    assert text != PARTY
    assert faults_of(text)[0].startswith(fault)


def test_all_faults_that_keep_a_fight_from_beginning_are_named() -> None:
    faults = faults_of(
        BAND.replace("hp_max,hp,", "hp_max,hp,").replace(",12,,", ",0,,").replace("30,12", "30,99"), RISE
    )
    assert [fault.partition(":")[0] for fault in faults] == ["row 3, column hp_max", "row 2, column hp"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "row 1: the names of the columns are required"),
        ("id,name,side,x,y\n", "there is no creature"),
        ("{}", "creatures are a JSON list of objects; this object has nothing"),
        ("[3]", "creature 1: a creature is an object"),
        ("[{]", "line 1, column 3: not valid JSON: Expecting property name enclosed in double quotes"),
        ('[{"id": "pia"}]', "creature 1, column name: a value is required"),
        ("[" * 100_000, "the file is nested too deeply"),
    ],
)
def test_what_is_no_list_of_creatures_is_a_fault(text: str, fault: str) -> None:
    assert faults_of(text) == (fault,)


def test_more_creatures_than_a_fight_has_are_a_fault() -> None:
    rows = "".join(f"c{i},C,foes,{i},0\n" for i in range(201))
    assert faults_of("id,name,side,x,y\n" + rows)[0] == (
        "row 202: at most 200 creatures; name those that are wanted: --only NAME,NAME"
    )


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_every_field_of_a_sheet_is_a_column(ruleset: Any) -> None:
    assert {"id", "name", "side", "kind", "size", "hp_max", "weapons", "x", "y", "position"} <= set(
        columns_of(ruleset).names
    )


def test_a_game_without_sheets_is_refused() -> None:
    assert faults_of("id\npia\n", TINY)[0].endswith("have no sheets")


def test_all_faults_of_a_row_of_a_list_are_named() -> None:
    assert faults_of('[{"idd": "pia", "sizze": 3, "x": 0, "y": 0}]') == (
        "creature 1, column idd: there is no such column; the nearest is id",
        "creature 1, column sizze: there is no such column; the nearest is size",
        "creature 1, column id: a value is required",
        "creature 1, column name: a value is required",
    )
    assert faults_of('[{"position": [0, 0], "sheet": {"id": 3}}]')[0] == "creature 1, column id: a string"


GOBLIN = {"name": "Goblin", "hp": 7, "speed": 30, "size": "small"}
FILES = {
    "two wrappers": {"data": {"creatures": [GOBLIN]}},
    "an object of one": {"goblin": {"hp": 7, "speed": 30, "size": "small"}},
    "one inside": {"type": "character", "character": GOBLIN},
    "what a browser stores": {
        "Creatures": '["c1"]',
        "Creatures.c1": json.dumps({**GOBLIN, "HP": {"Value": 7, "Notes": "(2d6)"}}),
    },
    "numbers deeper": {
        "creatures": [{"name": "Goblin", "stats": {"hitPoints": 7, "Speed": "30 ft.", "Size": "S"}}]
    },
    "a list of attributes": {
        "name": "Goblin",
        "attribs": [
            {"name": "hp", "current": "5", "max": "7"},
            {"name": "npc_speed", "current": "30 ft."},
            {"name": "size", "current": "Small"},
        ],
    },
    "numbers by id": {
        "data": [
            {
                "name": "Goblin",
                "averageHitPoints": 7,
                "movements": [{"movementId": 1, "speed": 30}],
                "sizeId": 3,
            }
        ]
    },
}
TEXTS = {
    "lines of JSON": f"{json.dumps(GOBLIN)}\n{json.dumps(GOBLIN)}\n",
    "a unit in the name of a column": "NAME,Hit Points,speed (ft),Size\nGoblin,7,30,small\n",
    "a decimal comma": 'Name;HP;Speed;Size\nGoblin;"7,0";30;S\n',
    "dice behind hit points": "Name,HP,Speed,Size\nGoblin,7 (2d6),30 ft.,Small\n",
    "XML": "<compendium><monster><name>Goblin</name><size>S</size><hp>7 (2d6)</hp><speed>30 ft.</speed>"
    "<trait><name>Sly</name><text>It hides.</text></trait></monster></compendium>",
    **{name: json.dumps(data) for name, data in FILES.items()},
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_creature_is_found_however_its_program_wraps_it(name: str) -> None:
    found = convert_creatures(TEXTS[name], HEARTRUSH).part["creatures"]
    assert len(found) == (2 if name.startswith("lines") else 1)
    sheet = found[0]["sheet"]
    assert sheet["name"].casefold() == "goblin"
    assert (sheet["hp_max"], sheet["speed"], sheet["size"]) == (7, 30, "small")


def test_a_list_of_names_is_creatures_with_their_counts() -> None:
    text = "Goblin\nZoë\n3 Wolf\nOrc x2\n- Rat (2)\nR2-D2\n"
    found = [each["sheet"]["name"] for each in convert_creatures(text, HEARTRUSH).part["creatures"]]
    wolves, orcs, rats = (f"Wolf {n}" for n in (1, 2, 3)), ("Orc 1", "Orc 2"), ("Rat 1", "Rat 2")
    assert found == ["Goblin", "Zoë", *wolves, *orcs, *rats, "R2-D2"]


def test_creatures_of_one_row_stand_beside_each_other_where_its_place_is() -> None:
    text = "name,size,count,x,y\nTroll,large,3,5,1\nImp,,2,,\nRat,,2,7,1\n"
    found = convert_creatures(text, RISE)
    at = [each["position"] for each in found.part["creatures"]]
    assert at == [[5, 1], [8, 1], [10, 1], [0, 0], [1, 0], [7, 1], [12, 1]]
    assert found.notes[-1].startswith("2 creatures have no place:")


@pytest.mark.parametrize("text", ["Once upon a time there was a goblin.\nIt was small.\n", "goblin\n"])
def test_prose_is_no_list_of_names(text: str) -> None:
    assert faults_of(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "a document type of XML is not read"),
        ("<a><b></a>", "not valid XML: "),
        ("<svg><text>Goblin</text></svg>", "there is no creature"),
    ],
)
def test_xml_without_creatures_is_a_fault(text: str, fault: str) -> None:
    assert faults_of(text)[0].startswith(fault)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04....", "save the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0....", "save the sheet as CSV"),
        (b"%PDF-1.7", "copy the table out of it"),
        (b"\x89PNG....", "a picture"),
        (b"\xff\xd8\xff\xe0", "a picture"),
        (b"\x1f\x8b\x08", "unpack it"),
    ],
)
def test_a_file_of_another_program_is_named_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(Unconvertible, match=said):
        text_of(data)


def test_a_thousand_is_not_one() -> None:
    text = 'Name,HP\nDragon,"1,000"\n'
    assert convert_creatures(text, HEARTRUSH).part["creatures"][0]["sheet"]["hp_max"] == 1_000
