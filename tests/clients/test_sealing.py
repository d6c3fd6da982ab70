"""Both clients commit to a choice as the format says, and open it with the same command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rewound_client import SealedChoice, sealed
from service.dice.chain import choice_commitment
from service.record.canonical import dumps, eid_of
from tests.clients.conftest import ROOT
from tests.support.javascript_verifier import node

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"
PROMPT = {"prompt": "r1/e1/stance/pia", "creature": "pia"}
CHOICE: dict[str, Any] = {
    "type": "choose_stance",
    "stance": "might",
    "creature": "pia",
    "prompt": "r1/e1/stance/pia",
}
DEEP: dict[str, Any] = {
    "type": "plan_movement",
    "path": [[1, 0], [2, -1]],
    "free": [{"b": None, "a": "ö"}],
    "creature": "pia",
}
SALT = "5a" * 32


def test_both_clients_commit_as_the_format_says(tmp_path: Path) -> None:
    script = tmp_path / "seal.mjs"
    home = (ROOT / "clients" / "javascript" / "sealing.mjs").as_uri()
    script.write_text(
        f'import {{ seal }} from "{home}";\n'
        "const [encounter, prompt, choices, salt] = JSON.parse(process.argv[2]);\n"
        'const made = choices.map((choice) => seal(encounter, "ada", prompt, choice, salt));\n'
        "console.log(JSON.stringify(await Promise.all(made)));\n"
    )
    found = json.loads(node(str(script), json.dumps([ENCOUNTER, PROMPT, [CHOICE, DEEP], SALT])))
    for choice, theirs in zip((CHOICE, DEEP), found, strict=True):
        ours = SealedChoice(**PROMPT, choice=choice, salt=SALT)
        raw = choice_commitment(
            eid_of(ENCOUNTER), "ada", PROMPT["prompt"], bytes.fromhex(SALT), dumps(choice)
        )
        assert ours.commitment(ENCOUNTER, "ada") == theirs["seal"]["commitment"] == raw.hex()
        assert ours.opening == theirs["open"]


def test_a_salt_is_drawn_for_each_choice() -> None:
    one, two = sealed(PROMPT, CHOICE), sealed(PROMPT, CHOICE)
    assert one.salt != two.salt
    assert len(bytes.fromhex(one.salt)) == 32
