"""Play by options with the client that openapi-python-client has made, in the directory `client`.

python python_loop.py PACKAGE ADDRESS KEY ENCOUNTER COMMANDS
"""

import importlib
import json
import sys
from pathlib import Path

LEFT_OUT = {"end_combat", "pass_side", "close", "wait", "rest", "go_unconscious"}
"""What ends or hurries a fight."""


def main(package: str, address: str, key: str, encounter: str, most: int) -> None:
    """Send up to *most* commands as they are offered, and print their types."""
    sys.path.insert(0, "client")
    made = importlib.import_module(package)
    get_options = importlib.import_module(f"{package}.api.state.get_options")
    send_command = importlib.import_module(f"{package}.api.commands.send_command")
    client = made.AuthenticatedClient(base_url=address, token=key, raise_on_unexpected_status=True)
    played: list[str] = []
    while len(played) < most:
        found = get_options.sync(encounter, client=client).to_dict()
        owed = sorted(found["options"], key=lambda option: option["prompt"]["optional"])
        offers = [
            offer["command"]
            for option in owed
            for offer in option["commands"]
            if not offer.get("asks") and offer["command"]["type"] not in LEFT_OUT
        ]
        command = offers[len(played) % len(offers) if owed[0]["prompt"]["optional"] else 0]
        outcome = send_command.sync(encounter, client=client, body=as_command(package, command)).to_dict()
        if outcome.get("outcome") != "accepted":
            raise SystemExit(f"{command} is {outcome}")
        played.append(command["type"])
    sys.stdout.write(json.dumps(played))


def as_command(package: str, command: dict[str, object]) -> object:
    """Return the model of a command; the file `commands.json` has the name of each, by type."""
    names = json.loads(Path("commands.json").read_text("utf-8"))
    models = importlib.import_module(f"{package}.models")
    return getattr(models, names[command["type"]]).from_dict(command)


if __name__ == "__main__":
    package, address, key, encounter, most = sys.argv[1:]
    main(package, address, key, encounter, int(most))
