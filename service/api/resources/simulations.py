"""Play an encounter with bots, many times, as a job: the work is a worker's, nothing becomes an encounter."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call
from service.api.fields import Component, Text, Whole
from service.api.operations import KEY_HOLDERS, OPENING_LIMIT, Shape, operation
from service.api.problems import invalid, not_found
from service.api.schemas import faults, raise_if_invalid, strict
from service.api.sending import once, under_way
from service.api.shapes import NUMBER, OPEN, TEXT, TIME, UUID, Schema, closed, component, listing, maybe
from service.api.waiting import ask
from service.encounter.openings import opening_faults
from service.encounter.stores.jobs import SIMULATIONS
from service.simulation.fights import COMMANDS, ROUNDS
from service.simulation.table import SERVER

TAG: Final = "Simulations"
_NUMBERS: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}
SIMULATED_FIGHT: Final = component(
    "SimulatedFight",
    closed(
        "How one fight came out.",
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
        damage={**_NUMBERS, "description": "Hit points each creature lost, healing not counted back."},
        hp={"type": "object", "additionalProperties": {"type": "integer"}},
    ),
)
SIMULATION_JOB: Final = component(
    "Simulation",
    closed(
        "An encounter played with bots: how far it is, and how each fight came out.",
        {"progress": maybe(OPEN), "fights": maybe(listing(SIMULATED_FIGHT)), "fault": TEXT},
        simulation=TEXT,
        status={"enum": ["pending", "running", "done", "failed"]},
        asked=TIME,
        times=NUMBER,
        seed=TEXT,
        rounds=NUMBER,
        commands=NUMBER,
        winners=maybe(
            {**_NUMBERS, "description": "How many fights each side won; `nobody` is no side at all."}
        ),
    ),
)
_PATH: Final = "/v1/simulations"
SIMULATION: Final = strict(
    "SimulationRequest",
    {
        "opening": Component("Opening", required=True),
        "times": Whole(least=1, most=100),
        "seed": Text(least=1, length=64),
        "rounds": Whole(least=1, most=200),
        "commands": Whole(least=1, most=5_000),
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
    answers={202: Shape("The simulation is under way; `Location` tells where to ask.", SIMULATION_JOB)},
    is_keyed=True,
    problems=("too-many-simulations",),
)
def start_simulation(call: Call) -> Answer:
    """Play an encounter with bots that pick from the options, up to a hundred times.

    Each fight has a seed of its own, `seed/0`, `seed/1` and so on; the same seed plays the same fight, here
    and with `rewound play`. A fight ends when one side stands alone, or at a limit: `rounds`, `commands`.
    """
    opening = call.data["opening"]
    _check_opening(call, opening)
    assert call.caller is not None
    assert call.caller.key is not None
    wanted = {
        "fights": None,
        "winners": None,
        "opening": opening,
        "times": call.data.get("times", 1),
        "seed": call.data.get("seed", "0"),
        "rounds": call.data.get("rounds", ROUNDS),
        "commands": call.data.get("commands", COMMANDS),
    }
    owner = call.caller.key.owner
    job, replayed = ask(call, SIMULATIONS, owner, once(call, owner), wanted)
    return under_way(call, SIMULATIONS.shown(job), f"{_PATH}/{job['simulation']}", replayed=replayed)


@operation(
    "GET",
    _PATH + "/{simulation}",
    "getSimulation",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: Shape("The simulation.", SIMULATION_JOB)},
)
def get_simulation(call: Call) -> Answer:
    """Tell how far a simulation is, and how its fights came out once it is `done`."""
    assert call.caller is not None
    assert call.caller.key is not None
    job = SIMULATIONS.find(call.host.log, call.caller.key.owner, call.path["simulation"])
    if job is None:
        raise not_found()
    return Answer(SIMULATIONS.shown(job))


def _check_opening(call: Call, opening: object) -> None:
    """Hold the opening to everything that an encounter's is held to; each fault has its pointer."""
    edition = opening.get("edition") if isinstance(opening, dict) else None
    inputs = call.inputs.get(edition) if isinstance(edition, str) else None
    if inputs is None or not isinstance(opening, dict):
        raise invalid(("/opening/edition", "one of " + ", ".join(call.inputs)))
    found = faults(inputs.opening, opening)
    if not found:
        given = {name: value for name, value in opening.items() if name != "edition"}
        found = list(opening_faults(call.host.shelf[inputs.edition], given))
    if not found and opening.get("seeding", {}).get("mode", SERVER) != SERVER:
        found = [("/seeding/mode", "server: nobody is here who could add to the seed")]
    raise_if_invalid([(f"/opening{pointer}", detail) for pointer, detail in found])
