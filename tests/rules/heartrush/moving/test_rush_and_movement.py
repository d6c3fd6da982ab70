"""Golden vectors of the ledger's E.2 (rush) and E.3 (movement and opportunity attacks)."""

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.moving.paths import allowance, speed, within
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

NEAR = {"pia": (0, 0), "orc": (1, 0)}


def next_round(fight: Fight) -> Fight:
    """Let both sides decline until another round begins."""
    before = fight.state.round
    while fight.state.round == before:
        fight.do("pass_side", side=fight.state.priority_side)
    return fight


def engage(fight: Fight, initiator: str, target: str) -> Fight:
    """Let *initiator* engage *target*, alone, both defensive."""
    side = fight[initiator].side
    if fight.state.priority_side != side:
        fight.do("pass_side", side=fight.state.priority_side)
    fight.do("engage", creature=initiator, target=target).joined_by()
    return fight.stances(**{initiator: "defensive", target: "defensive"})


def test_HR_V_16_rush_counts_the_rounds_of_engagement() -> None:
    """HR-RUSH-2, HR-RUSH-3."""
    fight = begun(NEAR)
    seen = [fight["pia"].rush]
    for round_number in range(1, 5):
        if round_number != 3:
            engage(fight, "pia", "orc")
        next_round(fight)
        seen.append(fight["pia"].rush)
    assert seen == [1, 1, 2, 2, 3]


def test_HR_V_16_unspent_rush_is_gone_when_the_round_ends() -> None:
    """HR-RUSH-3: one point at the start of combat, none left in a round 2 that follows an idle one."""
    fight = next_round(begun(NEAR))
    assert fight["pia"].rush == 0


def test_HR_V_17_being_forced_into_an_engagement_earns_rush_too() -> None:
    """HR-RUSH-2, HR-ENG-9."""
    fight = begun({**NEAR, "wolf": (5, 5)})
    engage(fight, "pia", "orc")
    next_round(fight)
    assert {c.id: c.rush for c in fight.state.creatures.values()} == {"pia": 1, "orc": 1, "wolf": 0}


def test_HR_V_25_the_second_step_within_reach_lets_an_enemy_strike_once() -> None:
    """HR-MOVE-3, with A-44."""
    fight = begun(NEAR, first="enemies")
    fight.do("dash", creature="orc", path=[[1, 1], [0, 1], [-1, 1]])
    assert fight["orc"].position == (1, 1)
    assert fight.waits_for() == ["pia"]
    fight.answer("pass_window", "pia")
    assert fight["orc"].position == (-1, 1)
    assert len(fight.logged("window_opened")) == 1


def test_HR_V_26_a_sidestep_lets_nobody_strike() -> None:
    """HR-ACT-7."""
    fight = begun(NEAR, first="enemies").do("sidestep", creature="orc", to=[2, 0])
    assert fight["orc"].position == (2, 0)
    assert not fight.logged("window_opened")


def test_HR_V_26_a_push_lets_nobody_strike() -> None:
    """HR-MOVE-4, HR-FORCE-4: Pia pushes the wolf 10 ft, out of the reach of both herself and Bru."""
    fight = begun({"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0)}).do("engage", creature="pia", target="wolf")
    fight.joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", distance=10)
    assert fight["wolf"].position == (3, 0)
    assert not fight.logged("window_opened")


def pushed_past(size: str, level: int) -> Fight:
    """Return a fight in which Bru pushes the orc past Pia, who stands beside its way."""
    sheets: dict[str, dict[str, object]] = {"bru": {"size": "l2"}, "orc": {"size": size, "weapons": []}}
    fight = begun({"bru": (0, 0), "orc": (2, 0), "pia": (4, -1)}, sheets=sheets)
    conditions = {"off_balanced": Condition(level=level)} if level else {}
    fight.given("orc", conditions=conditions)
    fight.do("engage", creature="bru", target="orc").joined_by().stances(bru="might", orc="cunning")
    fight.answer("declare_attack", "bru", 1, 1, 1, 1, 8, 10, target="orc")
    return fight.answer("choose_push", "bru", distance=10)


def test_HR_V_28_an_unsteady_creature_is_tripped_where_it_comes_past() -> None:
    """HR-ACT-13, HR-ACT-14, HR-FORCE-4, HR-SIZE-6."""
    fight = pushed_past("large", 1)
    fight.answer("trip", "pia", target="orc")
    assert fight["orc"].has("prone")
    assert fight["orc"].position == (3, 0)
    assert fight["pia"].action == 0


def test_HR_V_28_what_is_two_sizes_larger_cannot_be_tripped() -> None:
    """HR-SIZE-6."""
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets={"orc": {"size": "l2"}})
    fight.given("orc", conditions={"off_balanced": Condition(level=1)})
    assert fight.refused("trip", creature="pia", target="orc") == "target_too_large"


def test_HR_V_28_nobody_trips_what_keeps_its_footing() -> None:
    """HR-ACT-13."""
    fight = pushed_past("large", 0)
    assert not fight.logged("window_opened")
    assert fight.refused("trip", creature="pia", target="orc") == "no_trip_trigger"


def test_no_prompt_tells_how_far_an_interrupted_movement_would_go() -> None:
    """HR-SVC-2, HR-ACT-13: what is left is the mover's; prompts count the cells that everybody saw."""
    prompts = []
    for far in (4, 7):
        fight = begun({"pia": (0, 1), "orc": (2, 0)}, first="enemies", sheets={"pia": {"wielded": None}})
        fight.given("orc", conditions={"off_balanced": Condition(level=1)})
        fight.do("dash", creature="orc", to=[2 - far, 0])
        prompts.append(fight.waits_for() and fight.prompt("pia"))

    assert prompts[0] == prompts[1]
    assert prompts[0]


def test_HR_V_29_armor_weapon_and_mud_leave_two_cells() -> None:
    """HR-MOVE-2, HR-ENV-1, HR-WPN-10."""
    mud = {f"{x},0": "difficult" for x in range(1, 9)}
    walls = {f"{x},{y}": "wall" for x in range(-1, 9) for y in (-1, 1)}
    fight = begun({"bru": (0, 0), "orc": (20, 0)}, sheets={"bru": {"armor": "heavy"}}, terrain=mud | walls)
    assert speed(fight["bru"]) == 40
    fight.given("bru", conditions={"slowed": Condition(level=1)})
    bru = fight["bru"]
    assert (speed(bru), allowance(bru, stand=False)) == (20, 20)
    assert max(x for x, _ in within(fight.state, bru, 20)) == 2
    fight.do("dash", creature="bru", to=[2, 0])
    assert fight["bru"].position == (2, 0)


def test_HR_V_101_fists_strike_at_who_leaves_an_archers_reach() -> None:
    """HR-OA-6, HR-MOVE-3."""
    fight = begun({"ash": (0, 0), "orc": (1, 0)}, first="enemies").do("dash", creature="orc", to=[5, 0])
    fight.answer("opportunity_attack", "ash", target="orc", stance="agility")
    assert "weapon:d4" in waiting(fight.state)[0].wants
    fight.throw(1, 1, 1, 8, 6)
    assert fight["orc"].position == (5, 0)
