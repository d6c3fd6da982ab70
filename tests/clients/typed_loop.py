"""Play by options with the Python client, whose types come from the contract.

python typed_loop.py ADDRESS KEY ENCOUNTER COMMANDS
"""

import json
import random
import sys

from rewound_client import Rewound, Table, rise1, shapes, values_of


def say(event: shapes.Event) -> str:
    """Return what *event* says; its type selects its members."""
    if event["type"] == "exchange_hit":
        return f"{event['by']} hits {event['creature']} by {event['excess'] + 0}"
    if event["type"] == "round_started":
        return f"round {event['round'] + 0}"
    return event["type"]


def play(table: Table, most: int) -> list[str]:
    """Send up to *most* commands as options offer them; return their types."""
    types: list[str] = []
    while len(types) < most:
        offers = [offer for option in table.options()["options"] for offer in option["commands"]]
        offer = next((each for each in offers if "asks" not in each), None)
        if offer is None:
            break
        chosen = {name: random.choice(values_of(choice)) for name, choice in offer["choices"].items()}
        outcome = table.send({**offer["command"], **chosen})
        for event in outcome.get("events", []):
            print(say(event))
        types.append(offer["command"]["type"])
    return types


def look(state: shapes.EditionState) -> None:
    """Print the creatures; the edition selects their members."""
    if state["edition"] == "heartrush@1":
        for one in state["creatures"].values():
            print(one["rush"], one["heart_die"])
    else:
        for other in state["creatures"].values():
            print(other["position"][0] + other["position"][1], other["dr"])


if __name__ == "__main__":
    address, key, encounter, most = sys.argv[1:]
    with Rewound(address, key) as here:
        table = here.encounter(encounter)
        types = play(table, int(most))
        state = table.state()["state"]
        look(state)
        if state["edition"] == "rise@1":
            strike: rise1.Strike = {"type": "strike", "creature": "pia", "target": "orc", "weapon": "none"}
            print(table.preview(strike)["accepted"])
        print(json.dumps({"edition": state["edition"], "types": types}))
