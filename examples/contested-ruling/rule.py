"""Contest a ruling and decide the fight again, from the claim to the certificate.

    python3 examples/contested-ruling/rule.py http://127.0.0.1:8000 rw_...

It uses the standard library alone. The page docs/first-fight.md goes through it step by step. The last
line that it prints is the verdict of the audit.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

FIGHT = Path(__file__).parent / "fight.json"
STANCE = {"type": "choose_stance", "creature": "orc", "prompt": "r1/e1/stance/orc"}
PLAYED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gm", {"type": "begin_combat", "unaware_side": "foes"}),
    ("gm", {"type": "grant_priority"}),
    ("ann", {"type": "engage", "creature": "pia", "target": "orc"}),
    ("ann", STANCE | {"creature": "pia", "prompt": "r1/e1/stance/pia", "stance": "might"}),
    ("gm", STANCE | {"stance": "cunning"}),  # the gm has announced might
    ("ann", {"type": "declare_attack", "creature": "pia", "prompt": "r1/e1/might/pia", "target": "orc"}),
    ("ann", {"type": "choose_push", "creature": "pia", "prompt": "r1/e1/aftermath/pia", "distance": 5}),
)
CONTESTED = 7
"""The commit of the orc's stance."""


class Client:
    """Sends JSON with one token and waits for the outcome."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.token = token

    def __call__(self, method: str, path: str, data: object = None) -> Any:  # noqa: ANN401 - JSON of any shape
        """Return the answer to one request; a problem ends the program."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Prefer": "wait=10",
        }
        body = None if data is None else json.dumps(data).encode()
        with urlopen(Request(self.address + path, body, headers, method=method)) as answer:
            return json.load(answer)


def faces(client: Client, encounter: str) -> dict[str, list[int]]:
    """Return the faces of every roll of an encounter, by the roll's name."""
    return {
        f"{roll['name']['stream']} in epoch {roll['name']['epoch']}": [die["face"] for die in roll["dice"]]
        for roll in client("GET", f"/v1/encounters/{encounter}/rolls")["rolls"]
    }


def main(address: str, key: str) -> None:
    """Play, contest, amend, accept, close, audit."""
    gm = Client(address, key)
    encounter = gm("POST", "/v1/encounters", json.loads(FIGHT.read_text("utf-8")))["encounter"]
    at = f"/v1/encounters/{encounter}"
    seats = {"gm": gm, "ann": Client(address, gm("POST", f"{at}/seats/ann/token", {})["token"])}
    for seat, command in PLAYED:
        seats[seat]("POST", f"{at}/commands", command)
    print("as played:", faces(gm, encounter))

    claim = {"commit": CONTESTED, "claim": "you announced might for the orc"}
    contest = seats["ann"]("POST", f"{at}/contests", claim)["contest"]
    ruling = {"ending": "as_ruled", "decision": "might it was", "instead": [STANCE | {"stance": "might"}]}
    amendment = gm("POST", f"{at}/contests/{contest}/ruling", ruling)["amendment"]
    proposal = gm("GET", f"{at}/amendments/{amendment}")
    while proposal["status"] == "deciding":
        proposal = gm("GET", f"{at}/amendments/{amendment}")
    for each in proposal["difference"]["gone"]:
        print("gone:", each["type"], "at", each["old"], "for", each["refusal"]["code"])

    gm("POST", f"{at}/amendments/{amendment}/accept", {"version": proposal["version"]})
    attack = {"type": "declare_attack", "creature": "orc", "prompt": "r1/e1/might/orc", "target": "pia"}
    gm("POST", f"{at}/commands", attack)
    print("as ruled:", faces(gm, encounter))

    gm("DELETE", at)
    audit = gm("POST", f"{at}/audits", {})["audit"]
    while (job := gm("GET", f"{at}/audits/{audit}"))["status"] != "done":
        time.sleep(0.1)
    print(job["certificate"]["verdict"]["name"])


if __name__ == "__main__":
    main(*sys.argv[1:3])
