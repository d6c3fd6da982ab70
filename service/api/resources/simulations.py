"""Simulations: jobs in which a worker plays an opening many times with bots, without storing encounters."""

from __future__ import annotations

from typing import Final

from service.api.answers import PROGRESS
from service.api.command_outcomes import idempotency_key, job_accepted
from service.api.fields import ComponentField, IntegerField, TextField
from service.api.operations import KEY_HOLDERS, OPENING_LIMIT, ResponseSchema, operation
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import faults, raise_if_invalid, strict
from service.api.shapes import NUMBER, TEXT, TIME, UUID, Schema, closed, component, listing, maybe
from service.api.waiting import ask
from service.rules.kernel.meaning import number, text
from service.simulation.fights import COMMANDS, ROUNDS
from service.simulation.table import SERVER
from service.stores.jobs import SIMULATIONS
from service.usecases.openings import opening_faults

TAG: Final = "Simulations"
_NUMBERS: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}
SIMULATED_FIGHT: Final = component(
    "SimulatedFight",
    closed(
        "The result of one fight.",
        fight=NUMBER,
        seed=TEXT,
        encounter=UUID,
        ended={
            "enum": [
                *("one_side_stands", "nobody_stands", "combat_ended"),
                *("rounds", "commands", "nobody_acts"),
            ]
        },
        winner=maybe(TEXT),
        rounds=NUMBER,
        commands=NUMBER,
        damage={**_NUMBERS, "description": "The hit points that each creature lost, without healing."},
        hp={"type": "object", "additionalProperties": {"type": "integer"}},
    ),
)
SIMULATION_JOB: Final = component(
    "Simulation",
    closed(
        "A simulation: its progress, and the result of each fight.",
        {"progress": maybe(PROGRESS), "fights": maybe(listing(SIMULATED_FIGHT)), "fault": TEXT},
        simulation=TEXT,
        status={"enum": ["pending", "running", "done", "failed"]},
        requested=TIME,
        times=NUMBER,
        seed=TEXT,
        rounds=NUMBER,
        commands=NUMBER,
        winners=maybe(
            {
                **_NUMBERS,
                "description": "Fights won by each side; `nobody` counts those without a winner.",
            }
        ),
    ),
)
_PATH: Final = "/v1/simulations"
SIMULATION: Final = strict(
    "SimulationRequest",
    {
        "opening": ComponentField("Opening", required=True),
        "times": IntegerField(number("count", 1, 100)),
        "seed": TextField(text("words", 64, least=1)),
        "rounds": IntegerField(number("count", 1, 200)),
        "commands": IntegerField(number("count", 1, 5_000)),
    },
)


@operation(
    "POST",
    _PATH,
    "startSimulation",
    TAG,
    roles=KEY_HOLDERS,
    body=SIMULATION,
    limit=OPENING_LIMIT,
    answers={202: ResponseSchema("The simulation is accepted; poll `Location`.", SIMULATION_JOB)},
    is_keyed=True,
    problems=("too-many-simulations",),
)
def start_simulation(request: ApiRequest) -> ApiResponse:
    """Play an opening up to a hundred times with bots that choose among the legal commands.

    Each fight has its own seed: `seed/0`, `seed/1` and so on. The same seed plays the same fight, here and
    with `rewound play`. A fight ends when only one side is left, or at the limit of `rounds` or `commands`.
    """
    opening = request.data["opening"]
    _check_opening(request, opening)
    assert request.caller is not None
    assert request.caller.key is not None
    wanted = {
        "fights": None,
        "winners": None,
        "opening": opening,
        "times": request.data.get("times", 1),
        "seed": request.data.get("seed", "0"),
        "rounds": request.data.get("rounds", ROUNDS),
        "commands": request.data.get("commands", COMMANDS),
    }
    owner = request.caller.key.owner
    job, replayed = ask(request, SIMULATIONS, owner, idempotency_key(request, owner), wanted)
    return job_accepted(request, SIMULATIONS.shown(job), f"{_PATH}/{job['simulation']}", replayed=replayed)


@operation(
    "GET",
    _PATH + "/{simulation}",
    "getSimulation",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The simulation.", SIMULATION_JOB)},
)
def get_simulation(request: ApiRequest) -> ApiResponse:
    """Get a simulation: its progress, or the results of its fights once it is `done`."""
    assert request.caller is not None
    assert request.caller.key is not None
    job = SIMULATIONS.find(request.services.log, request.caller.key.owner, request.path["simulation"])
    if job is None:
        raise not_found()
    return ApiResponse(SIMULATIONS.shown(job))


def _check_opening(request: ApiRequest, opening: object) -> None:
    """Check *opening* like the opening of an encounter; raises `invalid` with a pointer for each fault."""
    edition = opening.get("edition") if isinstance(opening, dict) else None
    inputs = request.inputs.get(edition) if isinstance(edition, str) else None
    if inputs is None or not isinstance(opening, dict):
        raise invalid(("/opening/edition", "one of " + ", ".join(request.inputs)))
    found = faults(inputs.opening, opening)
    if not found:
        given = {name: value for name, value in opening.items() if name != "edition"}
        found = list(opening_faults(request.services.registry[inputs.edition], given))
    if not found and opening.get("seeding", {}).get("mode", SERVER) != SERVER:
        found = [("/seeding/mode", "server; a simulation has no seats that could contribute to the seed")]
    raise_if_invalid([(f"/opening{pointer}", detail) for pointer, detail in found])
