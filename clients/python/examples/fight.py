"""Play a fight that is written down, seat by seat, and print the hash of its last commit.

python3 fight.py http://127.0.0.1:8000 rw_... ../../../examples/orc-and-hound.json
"""

import json
import sys
from pathlib import Path
from typing import Any

from rewound_client import Rewound


def play(service: Rewound, fight: dict[str, Any]) -> str:
    """Play *fight* and return its head's hash."""
    gm = service.open(fight["opening"])
    seats = {entry["seat"]: gm.sit(entry["seat"]) for entry in fight["opening"]["seats"]} | {"gm": gm}
    for step in fight["steps"]:
        if "send" in step:
            outcome = seats[step["seat"]].send(step["send"])
            facts = ", ".join(event["type"] for event in outcome.get("events", ()))
            print(f"{outcome['n']:3} {step['seat']:4} {step['send']['type']}: {facts}", file=sys.stderr)
    gm.close("the fight is over")
    return gm.get()["hash"]


if __name__ == "__main__":
    address, key, script = sys.argv[1:]
    with Rewound(address, key) as here:
        print(play(here, next(iter(json.loads(Path(script).read_text())["forms"].values()))))
