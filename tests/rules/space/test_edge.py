"""The map ends at a column and a row on each side: what lies beyond counts as wall, in both books."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pytest

from service.rules.kernel.messages import Offer
from service.rules.kernel.values import EDGE
from service.rules.space.grid import Cell, is_beyond, is_near_edge
from tests.rules.heartrush import kit as heartrush
from tests.rules.rise import kit as rise
from tests.rules.rise.bot import choices, data_of

LAST, BEFORE = EDGE, EDGE - 1
GUST = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 30}]}
CORNERS = [(x, y) for x in (-LAST, LAST) for y in (-LAST, LAST)]


def inward(at: Cell) -> Cell:
    """Return the cell next to *at* that is nearer to the middle of the map along x."""
    return at[0] - (1 if at[0] > 0 else -1), at[1]


def cells_in(offers: Iterable[Offer]) -> Iterator[Cell]:
    """Yield the cells of the choices of *offers*, alone or in paths."""
    for offer in offers:
        for name in ("to", "path", "follow", "at"):
            for value in offer.choices.get(name, ()):
                if value is not None and value != ():
                    yield from value if isinstance(value[0], tuple) else (value,)


def test_a_space_is_on_the_map_as_a_whole_or_beyond_its_edge() -> None:
    assert [is_beyond((x, 0), 2) for x in (-LAST - 1, -LAST, BEFORE, LAST)] == [True, False, False, True]
    assert [is_beyond((0, y), 1) for y in (-LAST - 1, -LAST, LAST, LAST + 1)] == [True, False, False, True]
    assert [is_near_edge((x, 0)) for x in (0, LAST - 199, LAST - 198)] == [False, False, True]
    assert is_near_edge((0, -LAST + 150))


@pytest.mark.parametrize("at", CORNERS)
@pytest.mark.parametrize("more", [{}, {"size": "l2"}])
@pytest.mark.parametrize("walls", [{}, {"0,0|1,0": "wall"}])
def test_HR_MOVE_6_nobody_is_offered_a_cell_beyond_the_edge(
    at: Cell, more: dict[str, Any], walls: dict[str, str]
) -> None:
    place = at if not more else (min(BEFORE, at[0]), min(BEFORE, at[1]))
    sheets = {"pia": more}
    fight = heartrush.begun({"pia": place, "orc": (0, 0)}, sheets=sheets, walls=walls)
    offers = fight.offers("zoe", "pia")
    found = {offer.type: set(cells_in([offer])) for offer in offers if offer.type in ("dash", "sidestep")}
    assert found.keys() == {"dash", "sidestep"}
    assert len(found["sidestep"]) == 3, "a corner has three neighbours"
    side = fight["pia"].space
    for cell in {*found["dash"], *found["sidestep"]}:
        assert not is_beyond(cell, side)
    fight.do("dash", creature="pia", to=list(max(found["dash"])))


def test_HR_FORCE_1_a_push_stops_at_the_edge_as_at_a_wall() -> None:
    fight = heartrush.begun({"pia": (BEFORE, 0), "orc": (0, 0)})
    push = {"kind": "push", "creature": "pia", "feet": 15, "direction": [1, 0]}
    fight.do("gm_ruling", kind="effect", decision="so", effects=[push]).throw(3, 3)
    assert fight["pia"].position == (LAST, 0)
    assert fight.logged("collision")


def test_HR_ABIL_9_nobody_is_put_beyond_the_edge() -> None:
    fight = heartrush.begun({"pia": (0, 0), "orc": (5, 0)}, sheets={"pia": {"size": "l2"}})
    move = {"kind": "move", "creature": "pia", "to": [LAST, 0]}
    assert fight.refused("gm_ruling", kind="effect", decision="so", effects=[move]) == "effect_not_possible"


@pytest.mark.parametrize("at", CORNERS)
@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_MOVE_1_nobody_is_offered_a_cell_beyond_the_edge(at: Cell, phase: str) -> None:
    enemy = rise.entry("mon@m/e", inward(at))
    fight = rise.begun(rise.entry("mon@p/p", at, abilities=[GUST]), enemy, phase=phase)
    found = [offer for seat, offer in choices(fight)]
    paths = set(cells_in(found))
    assert paths
    assert not [cell for cell in paths if is_beyond(cell, 1)]


def test_RI_MOVE_7_a_push_ends_at_the_edge() -> None:
    fight = rise.begun(
        rise.entry("mon@p/p", (BEFORE - 1, 0), abilities=[GUST]), rise.entry("mon@m/e", (BEFORE, 0))
    )
    fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
    assert fight["e"].position == (LAST, 0)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_offered_beside_the_edge_is_accepted(seed: int) -> None:
    """Random play in a corner of the map: nobody leaves it, and no offer is refused."""
    random = Random(seed)
    fight = rise.opened(
        rise.entry("pc@a/a", (LAST, LAST), abilities=[GUST], speeds={"land": 30, "fly": 30}),
        rise.entry("mon@m/b", (BEFORE, LAST), abilities=[GUST]),
        rise.entry("mon@m/c", (LAST, BEFORE), abilities=[GUST]),
        dice=rise.Seeded(seed),
        options={"exertion_prompt": "never"},
    ).do("start_combat")
    for _ in range(60):
        seat, offer = random.choice(
            [one for one in choices(fight) if one[1].type not in ("end_combat", "close")]
        )
        decision = fight.send(offer.type, seat, **data_of(offer, random))
        assert decision.refusal is None, (offer, decision.refusal)
        places = [creature.position for creature in fight.state.creatures.values()]
        assert not [at for at in places if is_beyond(at, 1)]
