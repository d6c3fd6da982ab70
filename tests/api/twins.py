"""Play twins at random: two services that differ in what the GM hides alone, and nobody else can tell.

Each script is a fight of one rulebook in which monsters have GM-only fields, the GM rolls behind the
screen, and somebody hides far off and is moved. One twin is played by chance and the other alike, in Heart
Rush with every window asked of everybody. Then every answer to every seat but the gm's is compared: each
endpoint, stream, ETag and error; so is what webhooks are sent and what an audit certifies. Hidden values lie
on both sides of every threshold but those that docs/secrets.md lists, which `test_what_shows.py` plays.
`test_planted_leaks.py` plants what could tell twins apart.

    python -m tests.api.twins [scripts] [first seed]
"""

from __future__ import annotations

import gc
import json
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random
from typing import Any, Final

import structlog

from rewound_client import with_lists
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from service.rules.heartrush.creatures.abilities import Ability
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.stores import webhooks
from tests.api.apart import CERTIFICATE, WEBHOOK, Difference, Told, compared, hashes_of, remembering
from tests.api.client import Api
from tests.api.everything import MISTAKES, PATHS, answers
from tests.api.quick import Quick
from tests.api.test_secrecy import PLACES, SEATS, audit, served
from tests.api.twin_openings import LEISURE, OUTSIDE, hidden, varied, way
from tests.rules.heartrush.kit import opening as heartrush
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise
from tests.rules.rise.test_twins import MISTAKES as RISE_MISTAKES
from tests.rules.rise.test_twins import PATHS as RISE_PATHS
from tests.support.offers import spelled

STEPS: Final = 30
SCRIPTS: Final = 500
MOST_TOLD: Final = 5
"""Differences that are written for one script."""

ASKED_IN: Final[Mapping[str, tuple[Sequence[str], Sequence[dict[str, Any]]]]] = {
    "heartrush@1": (PATHS, MISTAKES),
    "rise@1": ((*PATHS, *sorted(set(RISE_PATHS) - set(PATHS))), RISE_MISTAKES),
}
KEPT_OUT: Final = (
    *("begin_combat", "start_combat", "end_combat", "close", "end_fight"),
    *("set_standing", "gm_ruling", "rest", "invoke_wound"),
)
"""What would end a script early, or tells of no fight."""

ABILITIES: Final = sorted(name for name, found in CATALOGUE.items() if isinstance(found, Ability))

Pair = tuple[Any, Any]
Sent = tuple[str, Mapping[str, Any] | None]
"""A seat, and the command it sent; none where it asked for its options."""
SECRETLY: Final[Mapping[str, Any]] = {"type": "roll_behind_screen"}
AMBUSH: Final[Mapping[str, Any]] = {"type": "hide_creature"}
UNSEEN: Final[Mapping[str, Any]] = {"type": "move_hidden_creature", "hidden_creature": 1}
"""Commands of the gm of which each twin has its own."""
SCREEN: Final[Pair] = ({"dice": [20], "bonus": 0, "what": "one"}, {"dice": [6, 6], "bonus": 9, "what": "two"})
HP: Final[Pair] = {"hp": 1000}, {"hp": 1250}
"""One is whole, and one has hit points missing."""
ORCS: Final[Sequence[Pair]] = (
    (
        {
            "hp_max": 1000,
            "wound_threshold": 900,
            "armor": "natural",
            "natural_armor": 300,
            "defense_bonus": 0,
        },
        {
            "hp_max": 1300,
            "wound_threshold": 950,
            "armor": "natural",
            "natural_armor": 320,
            "defense_bonus": 7,
        },
    ),
    (
        {"hp_max": 1000, "wound_threshold": 500, "natural_armor": 300, "armor": "none", "presence": 4},
        {"hp_max": 5000, "wound_threshold": 4000, "natural_armor": 900, "armor": "heavy", "presence": 12},
    ),
)
WOLVES: Final[Sequence[Pair]] = (
    ({"hp_max": 1001, "speed": 60, "swim_speed": 15}, {"hp_max": 999, "speed": 90, "swim_speed": 30}),
    ({"hp_max": 1001, "speed": 5, "climb_speed": 5}, {"hp_max": 999, "speed": 60, "climb_speed": 30}),
    ({"hp_max": 1001, "speed": 0, "swim_speed": 0}, {"hp_max": 999, "speed": 60, "swim_speed": 60}),
)
"""The slower one comes first: it is played by chance, and whatever it does the faster one can do too."""
MONSTERS: Final[Sequence[Pair]] = (
    (
        {"hp_max": 900, "dr_max": 500, "defenses": {"armor": 400}},
        {"hp_max": 990, "dr_max": 20, "defenses": {"armor": 420}},
    ),
    (
        {"willpower": 1, "intelligence": 0, "constitution": 2, "abilities": KIT["abilities"][:3]},
        {"willpower": 4, "intelligence": 3, "constitution": 5, "abilities": KIT["abilities"]},
    ),
    (
        {"hp_max": 900, "dr_max": 0, "strength": 0, "perception": -3, "speeds": {"land": 10}},
        {"hp_max": 2000, "dr_max": 60, "strength": 6, "perception": 9, "speeds": {"land": 60, "fly": 30}},
    ),
)
"""The second never uses what only one of the two knows; the third goes nowhere."""
STILL: Final = ("plan_movement", "move", "charge", "shove", "throw", "jump", "grapple", "dash")
"""How a speed, a strength or a heavy armor shows: by the feet it leads, which is listed."""
SLOWS: Final = frozenset({"speeds", "armor"})
NIGHT: Final = {"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}
LURKERS: Final[Mapping[str, Pair]] = {
    "heartrush@1": (
        {"entry": {"stat_block": "goblin", "id": "gob", "side": "enemies", "position": [90, 90]}},
        {
            "entry": {
                "stat_block": "orc",
                "id": "boss",
                "side": "enemies",
                "position": [-90, 8],
                "gm_only": ["hp_max"],
            }
        },
    ),
    "rise@1": (
        {"entry": entry("mon@orcs/gob", (90, 90))},
        {"entry": entry("mon@wolves/boss", (-80, 90), **{**KIT, **MONSTERS[0][0]})},
    ),
}
"""Who hides where nobody comes; where something hides that somebody comes upon, twins are twins no more."""
ELSEWHERE: Final[Pair] = {"position": [70, -70]}, {"position": [-99, -70]}


def opened_with(edition: str, seed: int, which: int) -> tuple[dict[str, Any], list[str]]:
    """Return the opening of one twin of a fight by *edition*, and its players' seats."""
    if edition == "heartrush@1":
        monsters = {
            "orc": ORCS[seed // 2 % len(ORCS)][which],
            "wolf": WOLVES[seed // 2 % len(WOLVES)][which],
        }
        drawn = Random(seed)
        sheets = {
            name: {**monsters.get(name, {}), "abilities": drawn.sample(ABILITIES, 3)} for name in PLACES
        }
        data = heartrush(PLACES, sheets=sheets, seats=SEATS, declared_sides=[], options={"windows": "all"})
        for each in data["creatures"]:
            each["gm_only"] = list(monsters.get(each["sheet"]["id"], ()))
            if each["sheet"]["id"] == "orc":
                each.update(HP[which])
        return {"edition": edition, **data}, ["zoe", "yan"]
    values = MONSTERS[seed // 2 % len(MONSTERS)][which]
    ogre = {**entry("mon@orcs/o", (2, 0), **{**KIT, **values}), "gm_only": list(values)}
    heroes = entry("pc@heroes/h", (0, 0), **KIT), entry("pc@wolves/w", (0, 2), **KIT)
    data = rise(*heroes, ogre, declared_sides=[], options={"exertion_prompt": "never"})
    watcher = {"seat": "eve", "role": "observer", "creatures": []}
    return {"edition": edition, **data, "seats": [*data["seats"], watcher]}, ["seat-heroes", "seat-wolves"]


class Script:
    """One twin, played by chance."""

    def __init__(self, api: Api, edition: str, seed: int, which: int) -> None:
        data, players = opened_with(edition, seed, which)
        data = varied(edition, seed, which, data)
        answer = api("POST", "/v1/encounters", data)
        assert answer.status_code == 201, answer.text
        self.at = "/v1/encounters/" + json.loads(answer.text)["encounter"]
        self.edition, self.seed = edition, seed
        self.players = players
        slow = [each for each in data["creatures"] if SLOWS & set(each.get("gm_only", ()))]
        self.stays = {each["sheet"]["id"] for each in slow}
        self.which = which
        self.chance = Random(f"{edition} {seed}")
        self.sent: list[Sent] = []
        self.seats = {"gm": api}
        for seat in (*players, "eve"):
            body = json.loads(api("POST", f"{self.at}/seats/{seat}/token", {}).text)
            self.seats[seat] = api.with_token(body["token"])
        own = {SECRETLY["type"]: SCREEN, AMBUSH["type"]: LURKERS[edition], UNSEEN["type"]: ELSEWHERE}
        self.own = {name: pair[which] for name, pair in own.items()}
        self.own[AMBUSH["type"]] = hidden(edition, seed, self.own[AMBUSH["type"]])
        self.send("gm", AMBUSH)

    def follow(self, sent: Sequence[Sent]) -> None:
        """Ask and send what was asked and sent in the other twin, after the ambush."""
        for seat, command in sent[len(self.sent) :]:
            if command is None:
                self.options(seat)
            else:
                self.send(seat, command)

    def options(self, seat: str) -> Any:
        self.sent.append((seat, None))
        return with_lists(self.seats[seat].get(f"{self.at}/options"))["options"]

    def play(self, steps: int = STEPS) -> None:
        """Let whoever is asked choose at random, and the gm roll in secret now and then.

        Where the script opens outside combat something is done before the fight, and after it.
        """
        outside = way(self.seed) == OUTSIDE
        self.choices(LEISURE if outside else 0)
        begin = {"type": "begin_combat" if self.edition == "heartrush@1" else "start_combat"}
        while outside and not self.is_possible(begin):
            self.choices(1)  # what was done before the fight is not resolved yet
        self.send("gm", begin)
        self.choices(steps)
        if outside:
            self.end()
            self.choices(LEISURE)

    def end(self) -> None:
        """Have the gm end the fight, where it may be ended now."""
        if self.is_possible({"type": "end_combat"}):
            self.send("gm", {"type": "end_combat"})

    def is_possible(self, command: Mapping[str, Any]) -> bool:
        """Tell whether the gm may send a command now."""
        asked = self.seats["gm"]("POST", f"{self.at}/previews", self.completed(command))
        return asked.status_code == 200 and bool(json.loads(asked.text)["accepted"])

    def choices(self, steps: int) -> None:
        """Let whoever is asked choose at random, so often."""
        for _ in range(steps):
            if self.chance.random() < 0.1:
                self.send("gm", SECRETLY)
                if self.is_possible(UNSEEN):  # Rise takes no hidden creature once combat is over
                    self.send("gm", UNSEEN)
            seats = ["gm", *self.players]
            self.chance.shuffle(seats)
            if not any(self.choose(seat) for seat in seats):
                return

    def sleep(self) -> None:
        """End every other fight and let the orc sleep well: a night heals what is missing."""
        if self.edition != "heartrush@1" or self.seed // 2 % 2 == 0:
            return
        night = {"type": "rest", "rest": "long", "creatures": ["orc"], "night": NIGHT}
        for command in ({"type": "end_combat", "reason": "night"}, night):
            if not self.is_possible(command):
                return
            self.send("gm", command)

    def choose(self, seat: str) -> bool:
        """Send one of the commands that *seat* is offered; False where there is none."""
        asked = self.options(seat)
        pressing = [each for each in asked if not each["prompt"]["optional"]] or asked
        offers = [o for each in pressing for o in each["commands"] if not self.is_kept_out(o)]
        if not offers:
            return False
        offer = self.chance.choice(offers)
        self.send(seat, spelled(offer, self.chance))
        return True

    def is_kept_out(self, offer: Mapping[str, Any]) -> bool:
        """Tell whether *offer* would end the script, or show what is listed in docs/secrets.md."""
        command = offer["command"]
        return command["type"] in KEPT_OUT or (
            command.get("creature") in self.stays and command["type"] in STILL
        )

    def send(self, seat: str, command: Mapping[str, Any]) -> None:
        self.sent.append((seat, command))
        answer = self.seats[seat]("POST", f"{self.at}/commands", self.completed(command))
        assert answer.status_code == 200, f"{command}: {answer.text}"

    def completed(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Return *command* with the fields that differ between the twins."""
        return {**command, **self.own.get(command["type"], {})}


# --- what is told ------------------------------------------------------------------------------------

KNOWN_TO_THE_GM: Final = ("/state", "/commits", "/rolls")


def told_by(
    edition: str, seed: int, like: Told | None = None, *, steps: int = STEPS, readers: int | None = None
) -> Told:
    """Play one twin and return every answer to everybody, or to the first *readers* that have seats.

    The second twin is played *like* the first, command by command.
    """
    log = MemoryLog()
    with remembering(), served(log) as api:
        script = Script(Quick(api.app, api.token), edition, seed, 0 if like is None else 1)
        if like is None:
            script.play(steps)
            script.sleep()
        else:
            script.follow(like.sent)
        gm = script.seats["gm"]
        paths, mistakes = ASKED_IN[edition]
        asked = [seat for seat in script.seats if seat != "gm"][:readers]
        found = {seat: answers(script.seats[seat], script.at, paths, mistakes) for seat in asked}
        found["gm"] = [gm("GET", script.at + path).text for path in KNOWN_TO_THE_GM]
        found[CERTIFICATE] = ["a certificate " + json.dumps(audit(log, script), sort_keys=True)]
        commits = [load_commit(entry.raw) for entry in log.commits(script.at.rpartition("/")[2], 0, 10_000)]
        found[WEBHOOK] = [
            f"commit {commit.n} {webhooks.body(commit, commit.encounter).decode()}" for commit in commits
        ]
        return Told(found, frozenset(hashes_of(commits)), tuple(script.sent))


# --- many scripts ------------------------------------------------------------------------------------


def differences(edition: str, seed: int, steps: int = STEPS, readers: int | None = None) -> list[Difference]:
    """Return where the twins of a script differ for somebody who must not tell them apart."""
    left = told_by(edition, seed, steps=steps, readers=readers)
    right = told_by(edition, seed, left, readers=readers)
    return compared(f"{edition} {seed}", left, right)


def script(seed: int) -> tuple[str, int]:
    """Return the rulebook and the seed of a script: both books in turn."""
    return ("heartrush@1", "rise@1")[seed % 2], seed


def found_in(seed: int) -> tuple[int, list[Difference]]:
    """Play one script in a process that writes no log."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    gc.disable()  # a fifth of the time went into looking through states that are kept anyway
    found = differences(*script(seed))
    gc.collect()
    return seed, found


def main(scripts: int, first: int) -> int:
    """Play *scripts* of both rulebooks on all processors; say what was found."""
    told_apart = 0
    began = time.monotonic()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for played, (seed, found) in enumerate(pool.map(found_in, range(first, first + scripts)), 1):
            told_apart += bool(found)
            sys.stdout.writelines(f"{each}\n" for each in found[:MOST_TOLD])
            if played % 50 == 0:
                sys.stdout.write(f"{played} scripts to seed {seed}, {time.monotonic() - began:.0f} s\n")
                sys.stdout.flush()
    sys.stdout.write(f"{scripts} scripts, {told_apart} of them told apart\n")
    return 1 if told_apart else 0


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(words + [SCRIPTS, 0][len(words) :])))
