"""Fifty questions as readers ask them, and the page that should come first."""

from __future__ import annotations

from typing import Final

QUESTIONS: Final[dict[str, dict[str, str]]] = {
    "game master": {
        "how do I start a new fight": "game-master",
        "add a monster": "game-master",
        "invite a player": "game-master",
        "players phone cannot connect": "players",
        "import a map": "maps",
        "draw walls and doors": "maps",
        "import stat blocks from another program": "creatures",
        "undo the last action": "game-master",
        "a player doubts a ruling": "game-master",
        "change hit points of a creature": "game-master",
        "hide a monster from the players": "secrets",
        "roll dice in secret": "secrets",
        "house rules options": "rules",
        "export a replay": "game-master",
        "what is not automated in heart rush": "heartrush",
    },
    "player": {
        "why did that hit": "game-master",
        "how do I contest something": "game-master",
        "can the host cheat": "guarantees",
        "check a die by hand": "by-hand",
        "are the dice fair": "guarantees",
        "where do I read the rules": "books",
        "what happens in the movement phase of rise": "rise",
        "how do stances work": "heartrush",
        "sign my commands": "keys",
        "watch a fight without playing": "game-master",
    },
    "integrator": {
        "integrate a virtual tabletop": "integrating",
        "list legal moves": "commands",
        "what do cells and paths in choices mean": "commands",
        "retry a request without doing it twice": "commands",
        "server sent events reconnect": "streams",
        "post fights to discord": "streams",
        "discord bot": "integrations",
        "foundry module": "integrations",
        "python client install": "clients-python",
        "typescript types": "clients-javascript",
        "CORS other origin": "streams",
        "carry characters to the next fight": "campaigns",
        "simulate a fight with bots": "campaigns",
        "what may change between versions": "versions",
        "write my own ruleset": "write-a-ruleset",
    },
    "operator": {
        "run it in docker": "operating",
        "back up and restore": "operating",
        "rotate the signing key": "operating",
        "environment variables": "settings",
        "an alert fires": "runbook",
        "how many machines do I need": "scaling",
        "how fast is a command": "performance",
    },
    "organiser": {
        "judge a tournament of many fights": "organisers",
        "what does the verdict tampered mean": "audit",
        "run a witness": "witness",
    },
}
