"""Play the campaigns of the examples over HTTP: in each book one chain, and one forged carry."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

from service.usecases.services import Services
from tests.api.client import Api
from tests.support.in_process_service import BOTH
from workers.audits import Auditor

SCRIPT = Path(__file__).parents[2] / "examples" / "campaign" / "play.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("campaign_example", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calling(owner: Api, services: Services, played: ModuleType) -> Callable[..., Any]:
    """Return what sends the requests of the example, and has each audit done at once."""
    opened: list[str] = []
    auditor = Auditor(services.log, BOTH, worker="one", stopping=Event())

    def call(method: str, path: str, data: object = None) -> Any:
        if method == "POST" and path.endswith("/audits"):
            for each in opened:  # a served worker signs in the background
                owner("POST", f"{each}/checkpoints", Prefer="wait=30")
        answer = owner(method, path, data)
        found = json.loads(answer.text)
        if answer.status_code >= 400:
            raise played.Refused(found)
        if method == "POST" and path == "/v1/encounters":
            opened.append(f"{path}/{found['encounter']}")
        if method == "POST" and path.endswith("/audits"):
            auditor.look()
        return found

    return call


def test_the_campaign_shows_what_it_says(owner: Api, services: Services) -> None:
    played = script()
    shown = played.campaign(calling(owner, services, played))
    [wound], [treated] = shown.pop("wounded"), shown.pop("treated")
    assert wound > treated > 3, "there is something left for the days to heal"
    assert shown == {
        "healed": [treated - 3],
        "weekly, three days later": "frequency_exhausted",
        "orc": ["restrained"],
        "weekly, ten days later": "",
        "poison lapsed": True,
        "chain": ["valid_to_epoch"] * 5,
        "carried": ["carried"],
        "forged": ("carry_forged", "destiny_points"),
    }


def test_the_campaign_of_rise_shows_what_it_says(owner: Api, services: Services) -> None:
    """The troll does 27: 4 of resistance and 23 hit points, so 20 - 23 = -3, a wound, and 0 after the round.

    The vital roll of 2 costs accuracy. To recover gives half of 20 and costs 2 fatigue. The plank does 9 to
    the troll: 4 of resistance and 5 hit points.
    """
    played = script()
    shown = played.rise_campaign(calling(owner, services, played))
    assert shown == {
        "struck": (0, ["accuracy"]),
        "recovered": (10, 2),
        "again in the second fight": "recover_already_used",
        "the plank": (15, 0),
        "learned": ["dazzled"],
        "after ten minutes": (20, 1, 2),
        "after two days": (20, 0, 0),
        "chain": ["valid_to_epoch"] * 3,
        "forged": ("carry_forged", "fatigue"),
    }
