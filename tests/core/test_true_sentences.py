"""Sentences take the meaning of a value from its field: none becomes a name because it looks like an id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from json import dumps
from random import Random
from string import Formatter
from typing import Any, Final

import pytest

from service.core.sentences import Speech, forms_of, offer_sentence, sentence, speech_of, unique_names
from service.core.views import offer_data
from service.rules.kernel.codec import to_data
from service.rules.kernel.hints import Alternatives, AnyList, RecordObject, SealedValue, Shape, fields_of
from service.rules.kernel.messages import Command, Event, Private
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset, legal
from tests.core.undoing import opened, started
from tests.rules.heartrush.bot import Table
from tests.rules.rise.bot import melee, play
from tests.support.in_process_service import House, random_command

HEARTRUSH, RISE = REGISTRY["heartrush@1"], REGISTRY["rise@1"]
SEEDS: Final = [*range(3), *(pytest.param(seed, marks=pytest.mark.overnight) for seed in range(3, 1_000))]
Data = Mapping[str, Any]


@cache
def heartrush_fight(seed: int) -> tuple[Data, ...]:
    table = Table(seed).open()
    for _ in range(120):
        if table.step() is None:
            break
    events = (fact.event if isinstance(fact, Private) else fact for fact in table.facts)
    return tuple(to_data(event) for event in events if isinstance(event, Event))


@cache
def rise_fight(seed: int) -> tuple[Data, ...]:
    return tuple(to_data(event) for event in play(melee(seed), seed, 60).events)


FIGHTS: Final = {"heartrush@1": heartrush_fight, "rise@1": rise_fight}
IDS: Final = {
    "heartrush@1": tuple(f"c{i}" for i in range(20)),
    "rise@1": tuple(f"{side}{i}" for side in ("he", "or") for i in range(2)),
}
"""The ids of the creatures of both books' random fights: no word of a rule is one of them."""


def said(edition: str, events: Iterable[Data], names: Mapping[str, str]) -> list[str]:
    speech = speech_of(REGISTRY[edition])
    return [sentence(event, names, speech) for event in events]


def words_of(events: Iterable[Data]) -> Iterator[str]:
    """Yield every text and number inside *events*, as texts."""
    for event in events:
        yield from _words_in({key: value for key, value in event.items() if key not in ("type", "because")})


def _words_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield key
            yield from _words_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _words_in(each)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)


@pytest.mark.parametrize("edition", FIGHTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_sentence_has_an_id_where_there_is_a_name(edition: str, seed: int) -> None:
    events = FIGHTS[edition](seed)
    assert len(events) > 40, "a search that finds nothing proves nothing"
    ids = IDS[edition]
    raw = re.compile(rf"(?<![\w/-])({'|'.join(ids)})(?![\w/-])")
    found = said(edition, events, dict.fromkeys(ids, "Somebody"))
    assert sum("Somebody" in text for text in found) > 20
    assert [text for text in found if raw.search(text)] == []


@pytest.mark.parametrize("edition", FIGHTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_creatures_called_like_numbers_and_rules_change_no_other_word(edition: str, seed: int) -> None:
    """Every number, stance, seat, side, weapon and condition of the fight is the id of another creature."""
    events = FIGHTS[edition](seed)
    others = {word: "Zoë" for word in words_of(events) if word not in IDS[edition]}
    assert {"1", "2"} <= set(others)
    assert len(others) > 40
    own = dict.fromkeys(IDS[edition], "Somebody")
    assert said(edition, events, {**others, **own}) == said(edition, events, own)


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_no_sentence_shows_the_name_of_a_field(ruleset: Ruleset[Any]) -> None:
    """Each pattern has all the fields that it names, so none falls back to fields and values."""
    speech: Speech = speech_of(ruleset)
    for type_, fields in speech.fields.items():
        forms = forms_of(speech.patterns[type_])
        named = {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}
        assert all(name.split("_")[0] in {each.split("_")[0] for each in fields} for name in named), type_


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_a_record_that_a_sentence_names_says_what_it_is(ruleset: Ruleset[Any]) -> None:
    """The bare values of a record are no words: "viper 2 1 6 burning 1 yes"."""
    speech = speech_of(ruleset)
    spoken = [
        (speech.fields.get(type_, {}), form)
        for type_, said in speech.patterns.items()
        for form in forms_of(said)
    ]
    for command in ruleset.commands.values():
        kind: Any = command
        shapes = {each.name: each.shape for each in fields_of(kind)}
        spoken += [(shapes, form) for form in forms_of(kind.sentence)]
    named = {
        record
        for fields, pattern in spoken
        for _, name, _, _ in Formatter().parse(pattern)
        if name and name in fields
        for record in records_in(fields[name])
    }
    assert len(named) >= 4
    for record in named:
        sentence = getattr(record, "sentence", "")
        assert sentence, f"{record.__name__} has no sentence"
        known = {each.name for each in fields_of(record)}
        assert {
            name for each in forms_of(sentence) for _, name, _, _ in Formatter().parse(each) if name
        } <= known


def records_in(shape: Shape) -> set[Any]:
    """Return the records that a value of *shape* may be, or a list of."""
    if isinstance(shape, RecordObject):
        return {shape.kind}
    if isinstance(shape, SealedValue):
        return records_in(shape.inner)
    if isinstance(shape, AnyList):
        return records_in(shape.each)
    if isinstance(shape, Alternatives):
        return {record for each in shape.ways for record in records_in(each)}
    return set()


def test_numbers_and_what_the_gm_writes_stay_as_they_are() -> None:
    speech = speech_of(HEARTRUSH)
    names = {"5": "Zoë", "orc": "Orc", "might": "Mighty Max", "heroes": "Gregor"}
    pending = {"type": "damage_pending", "creature": "orc", "amount": 5}
    assert sentence(pending, names, speech) == "Orc is about to take 5"
    step = {"type": "step_started", "step": "might", "eligible": []}
    assert sentence(step, names, speech) == "the might step begins"
    priority = {"type": "priority_granted", "side": "heroes"}
    assert sentence(priority, names, speech) == "the heroes have priority"
    contest = {"type": "contest_closed", "contest": "1", "ending": "upheld", "decision": "orc"}
    assert sentence(contest, names, speech) == "contest 1 is answered (upheld): orc"
    token = {"type": "seat_token_issued", "number": 5, "seat": "orc"}
    assert sentence(token, names, speech) == "orc has a new link (token 5)"


def test_creatures_of_one_name_are_told_apart_by_numbers() -> None:
    names = {"a": "Goblin", "b": "Goblin", "c": "Goblin 1", "d": "The orc"}
    assert unique_names(names) == {"a": "Goblin 2", "b": "Goblin 3", "c": "Goblin 1", "d": "the orc"}


def test_poison_and_what_is_laid_name_whose_they_are() -> None:
    """Their sources are always creatures, so they are declared as creatures."""
    names, speech = {"pia": "Pia", "orc": "Orc"}, speech_of(HEARTRUSH)
    poison = {"id": "viper", "doses": 2, "dice": 1, "sides": 6, "on_weapons": True}
    struck = {
        "type": "poison_struck",
        "creature": "pia",
        "source": "orc",
        "weapon": "fangs",
        "poison": poison,
    }
    assert sentence(struck, names, speech) == "viper from fangs of Orc gets into Pia"
    laid = {"type": "effect_laid", "effect": {"source": "orc", "ability": "ward", "on": ["pia"]}}
    assert sentence(laid, names, speech) == "ward of Orc takes hold"


def test_cells_of_a_list_are_told_apart() -> None:
    moved = {"type": "moved", "creature": "a", "path": [[1, 0], [2, 0]], "how": "self", "riders": []}
    assert sentence(moved, {"a": "Ann"}, speech_of(RISE)) == "Ann moves to (1, 0), (2, 0)"


def test_a_condition_says_of_whom_it_comes() -> None:
    lost = {"type": "condition_lost", "creature": "pia", "condition": "fear@orc"}
    names = {"pia": "Pia", "orc": "Orc"}
    assert sentence(lost, names, speech_of(RISE)) == "Pia is free of fear of Orc"
    assert sentence({**lost, "condition": "*"}, names, speech_of(RISE)) == "Pia is free of every condition"


# --- offers ---------------------------------------------------------------------------------------------


def offers_of(kind: Any) -> object:
    """Return the function that yields the offers of a kind of command."""
    return kind.offers.__func__


@pytest.mark.parametrize("edition", FIGHTS)
def test_every_command_that_is_offered_has_a_sentence_of_its_own_fields(edition: str) -> None:
    ruleset = REGISTRY[edition]
    offered = [kind for kind in ruleset.commands.values() if offers_of(kind) is not offers_of(Command)]
    assert len(offered) > 30
    kind: Any
    for kind in offered:
        known = {each.name for each in fields_of(kind)}
        for pattern in forms_of(kind.sentence):
            assert pattern, kind.type
            named = {name for _, name, _, _ in Formatter().parse(pattern) if name}
            named = {name for name in named if not name.startswith("about_")}  # of what it answers
            assert named <= known, (kind.type, named - known)
        if not isinstance(kind.sentence, str):
            conditions = [key.partition("=")[0] for key in kind.sentence if key]
            assert set(conditions) <= known, kind.type
            assert "" in kind.sentence, kind.type


@cache
def heartrush_offers(seed: int) -> tuple[tuple[type[Command[Any]], Data], ...]:
    table = Table(seed).open()
    found: list[tuple[type[Command[Any]], Data]] = []
    for _ in range(40):
        found += offers_in(HEARTRUSH, table.state)
        if table.step() is None:
            break
    return tuple(found)


def offers_in(ruleset: Ruleset[Any], state: Any) -> Iterator[tuple[type[Command[Any]], Data]]:
    """Yield what each offer to any seat fixes, with its kind."""
    for seat in state.seats:
        for _, offers in legal(ruleset, state, seat):
            for offer in offers:
                data = offer_data(ruleset, offer)
                fixed = {k: v for k, v in data["command"].items() if k not in data["choices"]}
                yield ruleset.commands[offer.type], fixed


@pytest.mark.parametrize("seed", SEEDS)
def test_no_offer_has_an_id_where_there_is_a_name(seed: int) -> None:
    offers = heartrush_offers(seed)
    assert len(offers) > 40, "a search that finds nothing proves nothing"
    ids = IDS["heartrush@1"]
    raw = re.compile(rf"(?<![\w/-])({'|'.join(ids)})(?![\w/-])")
    found = [offer_sentence(kind, fixed, dict.fromkeys(ids, "Somebody")) for kind, fixed in offers]
    assert [text for text in found if raw.search(text) or "_" in text] == []


def test_offers_name_creatures() -> None:
    """A short fight may offer nothing to anybody; of three one does, so the law above is no empty one."""
    names = dict.fromkeys(IDS["heartrush@1"], "Somebody")
    found = [
        offer_sentence(kind, fixed, names) for seed in range(3) for kind, fixed in heartrush_offers(seed)
    ]
    assert any("Somebody" in text for text in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_creatures_called_like_words_of_an_offer_change_no_other_word(seed: int) -> None:
    offers = heartrush_offers(seed)
    ids = IDS["heartrush@1"]
    others = {word: "Zoë" for _, fixed in offers for word in _words_in(fixed) if word not in ids}
    names = {id_: f"N{i}" for i, id_ in enumerate(ids)}
    for kind, fixed in offers:
        assert offer_sentence(kind, fixed, {**others, **names}) == offer_sentence(kind, fixed, names)


def test_an_offer_without_a_pattern_says_its_fields() -> None:
    anything: Any = HEARTRUSH.commands["pass"]
    guess = type("Guess", (anything,), {"type": "guess_number", "sentence": ""})

    assert offer_sentence(guess, {"type": "guess_number", "creature": "c1"}, {}) == "Guess number"
    assert offer_sentence(guess, {"number": 3, "is_loud": True, "note": ""}, {}) == "Guess number: 3, is loud"


@pytest.mark.parametrize("edition", FIGHTS)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(n, marks=pytest.mark.overnight) for n in range(2, 200))]
)
def test_offers_of_one_prompt_are_told_apart_by_their_words_or_their_choices(edition: str, seed: int) -> None:
    ruleset, random = REGISTRY[edition], Random(f"told apart/{edition}/{seed}")
    counted = 0
    with House() as house:
        line = opened(house, edition, random)
        started(house, line)
        for _ in range(25):
            state = house.state(line)
            for seat in state.seats:
                for _, offers in legal(ruleset, state, seat):
                    data = [offer_data(ruleset, offer, names={}) for offer in offers]
                    shown = [(each["text"], dumps(each["choices"])) for each in data]
                    assert len(set(shown)) == len(shown), [each for each in shown if shown.count(each) > 1]
                    counted += len(shown)
            if not random_command(house, line, random):
                break
    assert counted > 20, "a search that finds nothing proves nothing; a fight that soon ends has few offers"


# --- results ---------------------------------------------------------------------------------------------


AGAINST: Final = {"type": "opposed_decided", "against": "b", "mine": 9, "won": False}
HEALED: Final = {"type": "healed", "amount": 5, "hp": 25}


@pytest.mark.parametrize(
    ("event", "says"),
    [
        ({**AGAINST, "theirs": 9}, "Ann loses: both have 9, and a tie goes against who tries"),
        ({**AGAINST, "theirs": 12}, "Ann loses with 9 against 12 of Bob"),
        (
            {"type": "contest_over", "won": False, "tied": True},
            "Ann rolls no higher, and loses the contest: a tie goes against who tries",
        ),
        (
            {"type": "ability_contested", "against": "b", "mine": 7, "theirs": 7},
            "Ann loses against Bob: both have 7, a tie goes against the user",
        ),
        ({"type": "exchange_settled", "hit": False}, "nobody is hit: only the higher roll hits"),
        ({"type": "exchange_settled", "hit": True}, ""),
        (
            {**HEALED, "gained": 0},
            "Ann heals nothing of 5: it can have no more than its 25 hit points now",
        ),
        ({**HEALED, "gained": 2}, "Ann heals 2 of 5: 25 hit points, and it can have no more now"),
        ({**HEALED, "gained": 5}, "Ann heals 5: 25 hit points"),
        ({"type": "wounds_eased", "ranks": {"r1/x": 11}, "relief": 2}, "wounds of Ann ease by 2"),
    ],
)
def test_a_sentence_says_what_really_came_of_it_and_who_wins_a_tie(event: Data, says: str) -> None:
    found = sentence({**event, "creature": "a"}, {"a": "Ann", "b": "Bob"}, speech_of(HEARTRUSH))
    assert found == says


def test_a_tie_of_initiative_is_rolled_again() -> None:
    rolled = {"type": "initiative_rolled", "creature": "a", "total": 9, "again": True}
    assert (
        sentence(rolled, {"a": "Ann"}, speech_of(RISE)) == "a tie is rolled again: Ann has an initiative of 9"
    )


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_every_condition_of_a_sentence_names_fields_of_its_event(ruleset: Ruleset[Any]) -> None:
    speech = speech_of(ruleset)
    for type_, fields in speech.fields.items():
        said = speech.patterns[type_]
        for condition in () if isinstance(said, str) else filter(None, said):
            name, _, value = condition.partition("=")
            assert {name, value[1:-1] if value.startswith("{") else name} <= set(fields), (type_, condition)


@pytest.mark.parametrize("edition", FIGHTS)
def test_each_gap_of_an_offer_is_a_field_that_is_to_be_chosen_or_written(edition: str) -> None:
    ruleset, random, counted = REGISTRY[edition], Random(f"gaps/{edition}"), 0
    with House() as house:
        line = opened(house, edition, random)
        started(house, line)
        for _ in range(25):
            state = house.state(line)
            for seat in state.seats:
                for _, offers in legal(ruleset, state, seat):
                    for data in (offer_data(ruleset, offer, names={}) for offer in offers):
                        gaps = data.get("gaps", ())
                        assert data["text"].count("…") == len(gaps), data
                        assert set(gaps) <= {*data["choices"], *data.get("asks", ())}, data
                        counted += len(gaps)
            if not random_command(house, line, random):
                break
    assert counted > 3, "a search that finds nothing proves nothing"


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_each_book_says_which_commands_pass(ruleset: Ruleset[Any]) -> None:
    passing = {type_ for type_, kind in ruleset.commands.items() if kind.passes}
    assert len(passing) >= 4
    assert all(re.match("pass|decline|end_turn|no_more|forgo", type_) for type_ in passing), (
        "what does nothing is named so"
    )
