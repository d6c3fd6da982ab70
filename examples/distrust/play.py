"""Play a fight between two players who trust neither the host nor each other, and keep what proves it.

    python3 examples/distrust/play.py http://127.0.0.1:8000 rw_... DIRECTORY [SEED]

It needs the Python client with its extra `signing`. Ann plays the hero and Bob the ogre. Each has a key of
its own and signs every command together with the last commit that it has seen, so nobody speaks for the
other. Both add a seed to the dice, so neither the host nor a player can choose them. Both seal their stances
themselves, so the host cannot read one before both are made. Each keeps the receipts that the service signs.
Ann contests a commit, and the gm answers. At the end DIRECTORY has the bundle and every receipt: with these
files alone anybody verifies the fight, and `rewound verify` prints what to believe. SEED makes the players'
keys, seeds and choices the same each time, so nobody but a test should give one.
"""

import hashlib
import random
import secrets
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rewound_client import ReceiptFolder, Rewound, SealedChoice, SeatKey, Table

Json = dict[str, Any]
Draws = Callable[[int], bytes]
"""Returns so many random bytes."""

AXE = {"id": "axe", "size_class": "heavy", "damage_type": "slashing"}
LIKED = ("open_choice", "seal_choice", "engage", "declare_attack", "declare_agility", "accept_damage")
"""What a player answers first."""
LAST = ("sidestep", "object", "help", "call_out", "go_unconscious", "dash", "pass_side")
"""What a player does only if there is nothing else."""
MOST_COMMANDS = 400


class Player:
    """One seat with a key of its own: it signs, seals, and keeps receipts."""

    def __init__(self, seat: str, draws: Draws, receipts: ReceiptFolder) -> None:
        self.seat, self.draws, self.receipts = seat, draws, receipts
        self.key = SeatKey(draws(32))
        self.seed = draws(32)
        self.sealed: dict[str, SealedChoice] = {}
        self.sent: list[str] = []
        self.table: Table

    def sit(self, table: Table) -> None:
        """Take the seat: from now on everything is signed, and every receipt is kept."""
        self.table = table.keeping(self.receipts).signing(self.seat, self.key)

    def send(self, command: Json) -> None:
        """Send *command*; the client signs it and checks the receipt."""
        self.table.send(command)
        self.sent.append(command["type"])
        print(f"{self.seat:>4} signs {command['type']}")

    def commit_seed(self) -> None:
        """Publish the hash of this player's seed, before any seed is seen."""
        seat = len(self.seat).to_bytes(2, "big") + self.seat.encode()
        hashed = b"rewound/dice/1/seat\0" + uuid.UUID(self.table.encounter).bytes + seat + self.seed
        self.send({"type": "commit_seed", "commitment": hashlib.sha256(hashed).hexdigest()})

    def reveal_seed(self) -> None:
        """Reveal the seed, once both are committed to."""
        self.send({"type": "reveal_seed", "seed": self.seed.hex()})

    def act(self) -> bool:
        """Answer one prompt of this seat; False if there is nothing to do."""
        options: list[Any] = self.table.options()["options"]
        found = [(each["prompt"], offer) for each in options for offer in each["commands"]]
        found = [(prompt, offer) for prompt, offer in found if offer["command"]["type"] not in LAST] or found
        if not found:
            return False
        prompt, offer = min(found, key=lambda pair: rank(pair[1]["command"]["type"]))
        type_ = offer["command"]["type"]
        if type_ == "seal_choice":
            self.seal(prompt, offer)
        elif type_ == "open_choice":
            self.send(self.sealed.pop(prompt["prompt"]).opening)
        else:
            self.send(offer["command"])
        return True

    def seal(self, prompt: Json, offer: Json) -> None:
        """Choose a stance, and commit to it with a salt that nobody else knows."""
        (chosen,) = offer["seals"]
        stances = [each for each in chosen["choices"]["stance"] if each != "defensive"]
        choice = {**chosen["command"], "stance": stances[self.draws(1)[0] % len(stances)]}
        made = SealedChoice(prompt["creature"], prompt["prompt"], choice, self.draws(32).hex())
        self.sealed[made.prompt] = made
        commitment = made.commitment(self.table.encounter, self.seat)
        place = {"creature": made.creature, "prompt": made.prompt}
        self.send({"type": "seal_choice", **place, "commitment": commitment})


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
            {"seat": player.seat, "role": "player", "creatures": [creature], "key": player.key.public}
            for player, creature in seats
        ],
    }


def distrust(service: Rewound, directory: Path, draws: Draws) -> Json:
    """Play the fight, write its files into *directory*, and return what was shown on the way."""
    ann, bob = (Player(seat, draws, ReceiptFolder(directory / f"{seat}-receipts")) for seat in ("ann", "bob"))
    gm = service.open(opening(ann, bob), key=draws(16).hex())
    for player in (ann, bob):
        player.sit(gm.sit(player.seat))
    for step in (Player.commit_seed, Player.reveal_seed):
        for player in (ann, bob):
            step(player)
    gm.send({"type": "begin_combat", "unaware_side": "foes"})
    gm.send({"type": "grant_priority"})
    while len(ann.sent) + len(bob.sent) < MOST_COMMANDS and (ann.act() or bob.act()):
        if any(creature["hp"] is not None and creature["hp"] <= 0 for creature in gm.creatures()):
            break
    contested = contest(ann, gm)
    gm.close("the fight is decided")
    bundle = directory / "fight.jsonl"
    bundle.write_bytes(gm.bundle())
    (key,) = [each["public_key"] for each in service.signing_keys()]
    receipts = [*ann.receipts.files(), *bob.receipts.files()]
    sent = {player.seat: player.sent for player in (ann, bob)}
    return {"sent": sent, "contested": contested, "bundle": bundle, "receipts": receipts, "key": key}


def contest(ann: Player, gm: Table) -> str:
    """Let Ann contest the last commit, and the gm let it stand; return the contest's status."""
    ann.send({"type": "contest", "commit": gm.get()["version"], "claim": "that die was not thrown"})
    (found,) = ann.table.contests()
    gm.rule(found["contest"], "upheld", "the dice prove themselves", reason="see the audit")
    (found,) = ann.table.contests()
    return found["status"]


if __name__ == "__main__":
    address, api_key, directory, *seed = sys.argv[1:]
    drawn = random.Random(seed[0]).randbytes if seed else secrets.token_bytes
    with Rewound(address, api_key) as connected:
        shown = distrust(connected, Path(directory), drawn)
    count = sum(len(sent) for sent in shown["sent"].values())
    print(f"\n{count} signed commands; the contest: {shown['contested']}; verify it with")
    receipts = " ".join(f"--receipt {each}" for each in shown["receipts"][-2:])
    print(f"rewound verify {shown['bundle']} --key {shown['key']} {receipts}")
