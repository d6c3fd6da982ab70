"""Play a month of a campaign over HTTP, with the standard library alone, and audit it as a chain.

    python3 examples/campaign/play.py http://127.0.0.1:8000 rw_...

Heart Rush has five encounters: after each of the first four Pia is carried into the next, with the days
between. She is wounded and treated, uses a weekly ability and waits for it, buys a spell and casts it, and
coats her mace with a poison that lapses on the way. Rise has three: Bo is struck down and recovers, tries
what no ability names, has nothing left to recover by in the second fight there, learns an ability in the
next one, rests, and sleeps his wound off. Every link of both chains is audited. Then the host changes a
carried character, and the audit names it. The program throws all dice itself, with the same faces each time.
"""

import json
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Json = dict[str, Any]
Call = Callable[..., Json]

SIDES = {"edition": "heartrush@1", "sides": ["heroes", "foes"], "player_side": "heroes"}
MACE = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}
SAP = {"id": "sap", "doses": 2, "dice": 1, "sides": 6, "potent_s": 2 * 86_400}
PIA = {
    "id": "pia",
    "name": "Pia",
    "side": "heroes",
    "kind": "pc",
    "might": 8,
    "weapons": [MACE],
    "abilities": ["curseweaver"],
    "poisons": [SAP],
    "growth": {"attunements": ["water"]},
}
ASH = {"id": "ash", "name": "Ash", "side": "heroes", "kind": "pc", "cunning": 10, "weapons": [MACE]}
RISE = {"edition": "rise@1"}
DEFENSES = {"armor": 12, "fortitude": 10, "reflex": 10, "mental": 10}
BO = {
    "id": "bo",
    "name": "Bo",
    "side": "heroes",
    "kind": "pc",
    "hp_max": 20,
    "dr_max": 4,
    "accuracy": 4,
    "defenses": DEFENSES,
    "weapons": [{"id": "axe", "strike": {"dice": [8], "flat": 2}}],
}
TROLL = {**BO, "id": "troll", "name": "Troll", "side": "foes", "kind": "monster", "accuracy": 9}
CLUB = {"id": "club", "strike": {"dice": [8], "flat": 20}}
DAZZLE = {"id": "dazzle", "range_ft": 60, "effects": [{"does": "gain", "condition": "dazzled"}]}
LIKED = ("decline_join", "choose_stance", "declare_attack", "accept_damage")
"""What the program answers first where it is asked."""


class Refused(Exception):
    """The service answered with a problem."""

    def __init__(self, problem: Json) -> None:
        super().__init__(problem.get("detail"))
        self.code = problem.get("code")


def over_http(service: str, key: str) -> Call:
    """Return the function that sends one request to *service* and returns the JSON of its answer."""

    def call(method: str, path: str, data: object = None) -> Json:
        body = None if data is None else json.dumps(data).encode()
        request = Request(service + path, method=method, data=body)
        request.add_header("Authorization", f"Bearer {key}")
        request.add_header("Content-Type", "application/json")
        if method != "GET":
            request.add_header("Idempotency-Key", str(uuid.uuid4()))
            request.add_header("Prefer", "wait=30")
        try:
            with urlopen(request, timeout=40) as answer:
                return dict(json.load(answer))
        except HTTPError as problem:
            raise Refused(json.loads(problem.read())) from problem

    return call


class Encounter:
    """One encounter, whose gm this program is."""

    rules: Json = SIDES
    """What the opening says of the rulebook."""

    def __init__(self, call: Call, title: str, *entries: Json) -> None:
        opening = {
            **self.rules,
            "title": title,
            "declared_sides": ["heroes", "foes"],
            "creatures": list(entries),
        }
        self.call = call
        self.id = call("POST", "/v1/encounters", opening)["encounter"]
        self.path = f"/v1/encounters/{self.id}"
        print(f"\n{title}")

    def do(self, type_: str, **fields: object) -> None:
        """Send a command, and answer all that it asks for."""
        self.call("POST", f"{self.path}/commands", {"type": type_, **fields})
        while any(not prompt["optional"] for prompt in self.waiting()):
            if not self.answer():
                return

    def code(self, type_: str, **fields: object) -> str:
        """Return the code with which the rules refuse a command, empty if they accept it."""
        try:
            self.call("POST", f"{self.path}/commands", {"type": type_, **fields})
        except Refused as refused:
            return str(refused.code)
        return ""

    def waiting(self) -> list[Json]:
        """Return the prompts that wait."""
        return list(self.call("GET", self.path)["waiting"])

    def answer(self) -> bool:
        """Answer one prompt that play waits for; False if the next step is the program's own."""
        for option in self.call("GET", f"{self.path}/options")["options"]:
            prompt = option["prompt"]
            if prompt["optional"]:
                continue
            if prompt["wants"]:
                faces = [self.face(prompt["creature"], die) for die in prompt["wants"]]
                command = {**option["commands"][0]["command"], "faces": faces}
            else:
                ranked = sorted(option["commands"], key=lambda offer: rank(offer["command"]["type"]))
                command = ranked[0]["command"]
                if command["type"] in ("begin_combat", "grant_priority", "pass_side"):
                    return False
            self.call("POST", f"{self.path}/commands", command)
            return True
        return False

    def face(self, creature: str, die: str) -> int:
        """Return the face that a die shows: foes are lucky, Pia and Bo are not, and Ash is a fair healer."""
        sides = int(die.rpartition(":d")[2])
        return {"pia": 2, "bo": 2, "ash": min(sides, 4)}.get(creature, sides - 1)

    def creature(self, name: str = "pia") -> Json:
        """Return a creature of the state."""
        return dict(self.call("GET", f"{self.path}/state")["state"]["creatures"][name])

    def carried(self, name: str = "pia") -> Json:
        """Return a creature as the next opening takes it."""
        return dict(self.call("GET", f"{self.path}/creatures/{name}/carried")["carried"])

    def begin(self) -> None:
        """Begin combat, in which the heroes act first."""
        self.do("begin_combat", unaware_side="foes")
        self.do("grant_priority")

    def audit(self) -> Json:
        """Have the encounter audited, and return the certificate."""
        job = self.call("POST", f"{self.path}/audits", {})
        while job["status"] in ("pending", "running"):
            time.sleep(0.05)
            job = self.call("GET", f"{self.path}/audits/{job['audit']}")
        certificate = dict(job["certificate"])
        print(f"  {certificate['verdict']['text']} {certificate['verdict'].get('detail', '')}")
        for finding in certificate["findings"]:
            print(f"    {finding['name']}: {finding['detail']}")
        return certificate


class RiseEncounter(Encounter):
    """An encounter of Rise."""

    rules = RISE

    def do(self, type_: str, **fields: object) -> None:
        """Send a command, and throw the dice that it needs."""
        self.call("POST", f"{self.path}/commands", {"type": type_, **fields})
        self.answer_all("throw_dice")

    def answer_all(self, *types: str) -> None:
        """Answer every prompt that accepts one of the *types*, as long as there is one."""
        while True:
            options = self.call("GET", f"{self.path}/options")["options"]
            offers = [(option, offer["command"]) for option in options for offer in option["commands"]]
            found = next((each for each in offers if each[1]["type"] in types), None)
            if found is None:
                return
            prompt, command = found[0]["prompt"], found[1]
            if prompt["wants"]:
                command = {
                    **command,
                    "faces": [self.face(prompt["creature"], die) for die in prompt["wants"]],
                }
            self.call("POST", f"{self.path}/commands", command)

    def to_turns(self) -> None:
        """Let nobody move and nobody use a Swift ability."""
        self.answer_all("pass_movement", "no_more_swift", "throw_dice")

    def end_round(self) -> None:
        """End all turns; who has not acted passes."""
        self.answer_all("end_turn", "pass_turn", "throw_dice")


def rank(type_: str) -> int:
    """Return the place of a type of command among those that are liked."""
    return LIKED.index(type_) if type_ in LIKED else len(LIKED)


def foe(block: str, name: str, x: int) -> Json:
    """Return the entry of a foe by its stat block."""
    return {"stat_block": block, "id": name, "side": "foes", "position": [x, 0]}


def hero(sheet: Json, x: int) -> Json:
    """Return the entry of a hero that begins here."""
    return {"sheet": sheet, "position": [x, 0]}


def going_on(carried: Json, days: int, x: int = 0) -> Json:
    """Return the entry of a hero that comes from another encounter."""
    return {"carried": carried, "days_between": days, "position": [x, 0]}


def campaign(call: Call) -> Json:
    """Play the month, and return what it showed."""
    shown: Json = {}
    curse = {"creature": "pia", "ability": "curseweaver", "params": {"creature": "orc"}}

    ford = Encounter(call, "Day 1: the ford", hero(PIA, 0), hero(ASH, 5), foe("orc", "orc", 1))
    ford.begin()
    ford.do("use_ability", **curse)
    ford.do("engage", creature="pia", target="orc")
    ford.do("end_combat", reason="the orc flees")
    shown["wounded"] = [wound["rank"] for wound in ford.creature()["wounds"]]
    ford.do("treat_wounds", creature="ash", patient="pia")
    shown["treated"] = [wound["rank"] for wound in ford.creature()["wounds"]]
    ford.do("award_xp", creatures=["pia"], amount=6, reason="the ford is free")

    mill = Encounter(call, "Day 4: the mill", going_on(ford.carried(), 3), foe("orc", "orc", 3))
    shown["healed"] = [wound["rank"] for wound in mill.creature()["wounds"]]
    shown["weekly, three days later"] = mill.code("use_ability", **curse)
    mill.do("spend_xp", creature="pia", purchase={"kind": "spell", "name": "cold-snap"})
    mill.begin()
    mill.do("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    shown["orc"] = sorted(mill.creature("orc")["conditions"])
    mill.do("end_combat", reason="the orc yields")

    road = Encounter(call, "Day 11: the road", going_on(mill.carried(), 7), foe("orc", "orc", 3))
    road.do("coat_weapon", creature="pia", weapon="mace", poison="sap")
    road.begin()
    shown["weekly, ten days later"] = road.code("use_ability", **curse)
    road.do("end_combat", reason="nobody wants to fight")

    gate = Encounter(call, "Day 18: the gate", going_on(road.carried(), 7), foe("goblin", "gob", 3))
    until_s = gate.creature()["coats"]["mace"]["until_s"]
    clock_s = gate.call("GET", f"{gate.path}/state")["state"]["clock_s"]
    shown["poison lapsed"] = until_s < clock_s
    gate.do("scrape_weapon", creature="pia", weapon="mace")
    gate.begin()
    gate.do("end_combat", reason="the gate opens")
    gate.begin()
    gate.do("end_combat", reason="and closes again: the second fight of this encounter")

    keep = Encounter(call, "Day 30: the keep", going_on(gate.carried(), 12), foe("orc", "chief", 3))
    chain = (ford, mill, road, gate, keep)
    print("\nThe chain")
    shown["chain"] = [each.audit()["verdict"]["name"] for each in chain]
    shown["carried"] = [found["name"] for found in keep.audit()["findings"]]

    forged = gate.carried()
    forged["character"]["destiny_points"] = 10
    cheat = Encounter(call, "Day 30, as the host would like it", going_on(forged, 12), foe("orc", "chief", 3))
    shown["forged"] = named(cheat.audit())
    return shown


def rise_campaign(call: Call) -> Json:
    """Play three days of Rise, and return what they showed."""
    shown: Json = {}
    troll = hero({**TROLL, "weapons": [CLUB]}, 1)

    bridge = RiseEncounter(call, "Day 1: the bridge", hero(BO, 0), troll)
    bridge.do("start_combat", start_phase="action")
    bridge.to_turns()
    bridge.do("strike", creature="troll", target="bo", weapon="club")
    bridge.end_round()
    bo = bridge.creature("bo")
    shown["struck"] = (bo["hp"], [wound["effect"] for wound in bo["wounds"]])
    bridge.answer_all("pass_movement")
    bridge.do("commit_swift", creature="bo", ability="recover", targets=["bo"])
    bridge.to_turns()
    bridge.end_round()
    bridge.do("end_combat", reason="the troll lets him pass")
    shown["recovered"] = (bridge.creature("bo")["hp"], bridge.creature("bo")["fatigue"])
    bridge.do("start_combat", start_phase="action")
    shown["again in the second fight"] = bridge.code("commit_swift", creature="bo", ability="recover")
    bridge.to_turns()
    bridge.do("improvise", creature="bo", deed="kick away the rotten plank", targets=["troll"])
    bridge.end_round()
    (asked,) = [each for each in bridge.waiting() if "judge_deed" in each["accepts"]]
    plank = {"does": "damage", "target": "troll", "amount": 9}
    bridge.do("judge_deed", prompt=asked["prompt"], decision="it falls a little", effects=[plank])
    shown["the plank"] = (bridge.creature("troll")["hp"], bridge.creature("troll")["dr"])
    bridge.do("end_combat", reason="the troll has had enough")

    cave = RiseEncounter(call, "Day 1: the cave", going_on(bridge.carried("bo"), 0), hero(TROLL, 9))
    taught = {"does": "teach", "target": "bo", "ability": DAZZLE}
    cave.do("gm_ruling", kind="effect", decision="the crystal teaches him", effects=[taught])
    cave.do("start_combat", start_phase="action")
    cave.to_turns()
    cave.do("use_ability", creature="bo", ability="dazzle", targets=["troll"])
    cave.end_round()
    shown["learned"] = [each["name"] for each in cave.creature("troll")["conditions"]]
    cave.do("end_combat", reason="the troll runs into the dark")
    cave.do("rest", creature="bo", rest="short")
    bo = cave.creature("bo")
    shown["after ten minutes"] = (bo["hp"], len(bo["wounds"]), bo["fatigue"])

    camp = RiseEncounter(call, "Day 3: the camp", going_on(cave.carried("bo"), 2), hero(TROLL, 9))
    bo = camp.creature("bo")
    shown["after two days"] = (bo["hp"], len(bo["wounds"]), bo["fatigue"])
    print("\nThe chain")
    shown["chain"] = [each.audit()["verdict"]["name"] for each in (bridge, cave, camp)]

    forged = cave.carried("bo")
    forged["character"]["fatigue"] = 0
    cheat = RiseEncounter(call, "Day 2, as the host would like it", going_on(forged, 0), hero(TROLL, 9))
    shown["forged"] = named(cheat.audit())
    return shown


def named(certificate: Json) -> tuple[str, str]:
    """Return the verdict of an audit, and the member that it names."""
    verdict = certificate["verdict"]
    return verdict["name"], verdict["path"].rpartition("/")[2]


if __name__ == "__main__":
    service = over_http(sys.argv[1].rstrip("/"), sys.argv[2])
    for play in (campaign, rise_campaign):
        for what, found in play(service).items():
            print(f"{what}: {found}")
