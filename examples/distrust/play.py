"""Play a fight between two players who trust neither the host nor each other, and keep what proves it.

    python3 examples/distrust/play.py http://127.0.0.1:8000 rw_... DIRECTORY

It needs `cryptography`, which the service has. Ann plays the hero and Bob the ogre. Each has a key of its own
and signs every command together with the last commit that it has seen, so nobody speaks for the other. Both
add a seed to the dice, so neither the host nor a player can choose them. Both seal their stances themselves,
so the host cannot read one before both are made. Each keeps the receipts that the service signs. Ann contests
a commit, and the gm answers. At the end DIRECTORY has the bundle and every receipt: with these files alone
anybody verifies the fight, and `rewound verify` prints what to believe.
"""

import hashlib
import json
import secrets
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

Json = dict[str, Any]
Call = Callable[..., Any]

AXE = {"id": "axe", "size_class": "heavy", "damage_type": "slashing"}
LIKED = ("open_choice", "seal_choice", "engage", "declare_attack", "declare_agility", "accept_damage")
"""What a player answers first."""
LAST = ("sidestep", "object", "help", "call_out", "go_unconscious", "dash", "pass_side")
"""What a player does only if there is nothing else."""
MOST_COMMANDS = 400


class Refused(Exception):
    """The service answered with a problem; the message is its code and its detail."""


def over_http(service: str) -> Call:
    """Return the function that sends one request to *service* and returns the answer's JSON or text."""

    def call(
        method: str, path: str, token: str, data: object = None, headers: Mapping[str, str] | None = None
    ) -> Any:  # noqa: ANN401 - JSON, or the bytes of a bundle
        body = None if data is None else json.dumps(data).encode()
        request = Request(service + path, method=method, data=body)
        for name, value in {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Prefer": "wait=30",
            **(headers or {}),
        }.items():
            request.add_header(name, value)
        try:
            with urlopen(request, timeout=60) as answer:
                raw = answer.read()
                is_json = "json" in answer.headers.get("Content-Type", "").partition("jsonl")[0]
                return json.loads(raw) if is_json else raw
        except HTTPError as problem:
            found = json.loads(problem.read())
            raise Refused(f"{found.get('code')}: {found.get('detail')}") from problem

    return call


def canonical(data: object) -> bytes:
    """Return the bytes that hashes and signatures cover."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def measured(text: str) -> bytes:
    """Return *text* as ASCII, preceded by its length in two bytes."""
    return len(text).to_bytes(2, "big") + text.encode()


class Player:
    """One seat with a key of its own: it signs, seals, and keeps receipts."""

    def __init__(self, call: Call, seat: str, throws: Callable[[str], int]) -> None:
        self.call, self.seat, self.throws = call, seat, throws
        self.key = Ed25519PrivateKey.generate()
        self.seed = secrets.token_bytes(32)
        self.sealed: dict[str, Json] = {}
        self.receipts: list[Json] = []
        self.encounter = self.token = ""
        self.head = (0, "")

    @property
    def public(self) -> str:
        """The public key, which the opening gives the seat."""
        return self.key.public_key().public_bytes_raw().hex()

    def sit(self, encounter: str, token: str) -> None:
        """Take the seat; the head of the record is what this player has seen so far."""
        self.encounter, self.token = encounter, token
        self.look()

    def look(self) -> Json:
        """Read the encounter, and remember its last commit: the next signature binds the host to it."""
        found = dict(self.call("GET", f"/v1/encounters/{self.encounter}", self.token))
        self.head = (found["version"], found["hash"])
        return found

    def send(self, command: Json) -> Json:
        """Sign *command*, send it, and keep the receipt of its answer."""
        self.look()
        once, (n, hash_) = str(uuid.uuid4()), self.head
        said = {
            "encounter": self.encounter,
            "seat": self.seat,
            "type": command["type"],
            "data": {name: value for name, value in command.items() if name != "type"},
            "key": once,
            "index": 0,
            "head": {"n": n, "hash": hash_},
        }
        signature = self.key.sign(b"rewound/request/1\0" + canonical(said)).hex()
        headers = {"Idempotency-Key": once, "Rewound-Signature": f"{n}:{hash_} {signature}"}
        path = f"/v1/encounters/{self.encounter}/commands"
        outcome = dict(self.call("POST", path, self.token, command, headers))
        if "receipt" in outcome:
            self.receipts.append(outcome["receipt"])
        print(f"{self.seat:>4} signs {command['type']}")
        return outcome

    # --- seeds -------------------------------------------------------------------------------------

    def commit_seed(self) -> None:
        """Publish the hash of this player's seed, before any seed is seen."""
        hashed = b"rewound/dice/1/seat\0" + uuid.UUID(self.encounter).bytes + measured(self.seat) + self.seed
        self.send({"type": "commit_seed", "commitment": hashlib.sha256(hashed).hexdigest()})

    def reveal_seed(self) -> None:
        """Reveal the seed, once both are committed to."""
        self.send({"type": "reveal_seed", "seed": self.seed.hex()})

    # --- play --------------------------------------------------------------------------------------

    def act(self) -> bool:
        """Answer one prompt of this seat; False if there is nothing to do."""
        options = self.call("GET", f"/v1/encounters/{self.encounter}/options", self.token)["options"]
        found = [(each["prompt"], offer) for each in options for offer in each["commands"]]
        found = [(prompt, offer) for prompt, offer in found if offer["command"]["type"] not in LAST] or found
        if not found:
            return False
        prompt, offer = min(found, key=lambda pair: rank(pair[1]["command"]["type"]))
        type_ = offer["command"]["type"]
        if type_ == "seal_choice":
            self.seal(prompt, offer)
        elif type_ == "open_choice":
            self.send(self.sealed.pop(prompt["prompt"]))
        elif prompt["wants"]:
            self.send({**offer["command"], "faces": [self.throws(die) for die in prompt["wants"]]})
        else:
            self.send(offer["command"])
        return True

    def seal(self, prompt: Json, offer: Json) -> None:
        """Choose a stance, and commit to it with a salt that nobody else knows."""
        (chosen,) = offer["seals"]
        stance = secrets.choice([each for each in chosen["choices"]["stance"] if each != "defensive"])
        choice, salt, at = {**chosen["command"], "stance": stance}, secrets.token_bytes(32), prompt["prompt"]
        where = uuid.UUID(self.encounter).bytes + measured(self.seat) + measured(at)
        hashed = hashlib.sha256(b"rewound/dice/1/choice\0" + where + salt + canonical(choice))
        place = {"creature": prompt["creature"], "prompt": at}
        self.sealed[at] = {"type": "open_choice", **place, "choice": choice, "salt": salt.hex()}
        self.send({"type": "seal_choice", **place, "commitment": hashed.hexdigest()})


def rank(type_: str) -> int:
    """Return the place of a command among those that a player likes."""
    return LIKED.index(type_) if type_ in LIKED else len(LIKED)


def sheet(name: str, side: str, **more: object) -> Json:
    """Return a fighter with an axe."""
    return {"id": name, "name": name.title(), "side": side, "might": 8, "weapons": [AXE], **more}


def opening(ann: Player, bob: Player) -> Json:
    """Return the opening: a creature, a key and a seed of each player, and stances that seats seal."""
    seats = [(ann, "hero"), (bob, "ogre")]
    return {
        "edition": "heartrush@1",
        "title": "Nobody trusts anybody",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "options": {"sealed_by": "seat"},
        "seeding": {"mode": "mixed", "seats": ["ann", "bob"]},
        "creatures": [
            {"position": [0, 0], "sheet": sheet("hero", "heroes", kind="pc")},
            {"position": [1, 0], "sheet": sheet("ogre", "foes", hp_max=12)},
        ],
        "seats": [
            {"seat": player.seat, "role": "player", "creatures": [creature], "key": player.public}
            for player, creature in seats
        ],
    }


def distrust(call: Call, key: str, directory: Path, throws: Callable[[str], int]) -> Json:
    """Play the fight, write its files into *directory*, and return what was shown on the way."""
    ann, bob = Player(call, "ann", throws), Player(call, "bob", throws)
    once = {"Idempotency-Key": str(uuid.uuid4())}
    opened = call("POST", "/v1/encounters", key, opening(ann, bob), once)
    path = f"/v1/encounters/{opened['encounter']}"
    for player in (ann, bob):
        fresh = {"Idempotency-Key": str(uuid.uuid4())}
        issued = call("POST", f"{path}/seats/{player.seat}/token", key, {}, fresh)
        player.sit(opened["encounter"], issued["token"])
    for step in (Player.commit_seed, Player.reveal_seed):
        for player in (ann, bob):
            step(player)

    def gm(command: Json, at: str = "/commands") -> Json:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return dict(call("POST", path + at, key, command, headers))

    gm({"type": "begin_combat", "unaware_side": "foes"})
    gm({"type": "grant_priority"})
    commands = 0
    while commands < MOST_COMMANDS and (ann.act() or bob.act()):
        commands += 1
        if is_decided(call, path, key):
            break
    contested = contest(call, path, ann, gm)
    call("DELETE", path, key, None, {"Idempotency-Key": str(uuid.uuid4())})
    return {"commands": commands, "contested": contested, **write(call, path, key, directory, (ann, bob))}


def is_decided(call: Call, path: str, key: str) -> bool:
    """Return whether one of the two is down."""
    tokens = call("GET", f"{path}/creatures", key)["creatures"]
    return any(token["hp"] is not None and token["hp"] <= 0 for token in tokens)


def contest(call: Call, path: str, ann: Player, gm: Call) -> str:
    """Let Ann contest the last roll, and the gm let it stand; return the contest's status."""
    n = ann.look()["version"]
    ann.send({"type": "contest", "commit": n, "claim": "that die was not thrown"})
    (found,) = call("GET", f"{path}/contests", ann.token)["contests"]
    answer = {"ending": "upheld", "decision": "the dice prove themselves", "reason": "see the audit"}
    gm(answer, f"/contests/{found['contest']}/ruling")
    (found,) = call("GET", f"{path}/contests", ann.token)["contests"]
    return str(found["status"])


def write(call: Call, path: str, key: str, directory: Path, players: tuple[Player, ...]) -> Json:
    """Write the bundle and each player's receipts; return the names of the files."""
    directory.mkdir(parents=True, exist_ok=True)
    bundle = directory / "fight.jsonl"
    bundle.write_bytes(call("GET", f"{path}/bundle", key))
    receipts = []
    for player in players:
        for number, receipt in enumerate(player.receipts, 1):
            receipts.append(directory / f"{player.seat}-{number:03}.receipt.json")
            receipts[-1].write_bytes(canonical(receipt))
    return {"bundle": bundle, "receipts": receipts, "receipt_key": players[0].receipts[0]["key"]}


if __name__ == "__main__":
    found = distrust(
        over_http(sys.argv[1].rstrip("/")),
        sys.argv[2],
        Path(sys.argv[3]),
        lambda die: 1 + secrets.randbelow(int(die.rpartition(":d")[2])),
    )
    print(f"\n{found['commands']} commands; the contest: {found['contested']}; verify it with")
    receipts = " ".join(f"--receipt {each}" for each in found["receipts"][-2:])
    print(f"rewound verify {found['bundle']} --key {found['receipt_key']} {receipts}")
