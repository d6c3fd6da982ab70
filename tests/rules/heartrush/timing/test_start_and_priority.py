"""Golden vectors of the ledger's E.1: how combat starts, how priority passes, what actions cost."""

from tests.rules.heartrush.kit import begun, opened

FAR = {"pia": (0, 0), "ash": (0, 2), "orc": (10, 0), "wolf": (10, 2)}


def test_HR_V_01_the_players_start_on_a_four() -> None:
    """HR-START-1, HR-START-3, HR-START-6, HR-RUSH-1."""
    fight = opened(FAR).do("begin_combat")
    assert fight.refused("dash", creature="pia", to=[1, 0]) == "no_priority"
    fight.do("grant_priority", 4)

    assert [event.face for event in fight.logged("opening_roll")] == [4]
    assert [event.side for event in fight.logged("priority_granted")] == ["players"]
    assert fight.state.round == 1
    assert [(c.rush, c.action) for c in fight.state.creatures.values()] == [(1, 1)] * 4


def test_HR_V_02_the_side_that_started_opens_every_round() -> None:
    """HR-START-3, HR-START-5."""
    fight = opened(FAR).do("begin_combat").do("grant_priority", 3)
    assert fight.state.priority_side == "enemies"
    fight.do("pass_side", side="enemies").do("dash", creature="pia", to=[1, 0])
    fight.do("pass_side", side="enemies").do("pass_side", side="players").do("pass_side", side="enemies")
    assert (fight.state.round, fight.state.priority_side) == (2, "enemies")


def test_HR_V_04_a_hidden_archer_strikes_before_the_fight() -> None:
    """HR-START-8, HR-OA-4, HR-OA-5, HR-AD-2, HR-DMG-5."""
    fight = opened({"ash": (0, 0), "pia": (0, 1), "wolf": (3, 0)})
    fight.do("begin_combat", hidden={"ash": ["wolf"]})
    fight.do("opportunity_attack", 4, 3, 2, 6, creature="ash", target="wolf", stance="cunning", pay="action")
    fight.throw(4, 5, 8, 7, 3, 2, 6)
    assert (
        fight.logged("attack_rolled")[0].rolled.total,
        fight.logged("defense_rolled")[0].rolled.total,
    ) == (15, 5)
    fight.answer("accept_damage", "wolf")

    assert (fight["wolf"].hp, [wound.rank for wound in fight["wolf"].wounds]) == (10, [10])
    ash = fight["ash"]
    assert (ash.action, ash.hidden_from, ash.rounds_active) == (0, (), (1,))
    assert fight.state.phase == "precombat"


def test_HR_V_05_even_a_free_dash_hands_priority_over() -> None:
    """HR-PRIO-1, HR-PRIO-2, HR-ACT-3."""
    fight = begun(FAR).do("dash", creature="pia", to=[1, 0])
    assert (fight.state.priority_side, fight["pia"].action) == ("enemies", 1)
    fight.do("dash", creature="wolf", to=[9, 2])
    assert fight.state.priority_side == "players"
    assert fight.refused("dash", creature="wolf", to=[8, 2]) == "no_priority"


def test_HR_V_07_any_ability_starts_the_count_of_declines_again() -> None:
    """HR-PRIO-5, HR-PRIO-6."""
    fight = begun(FAR).do("dash", creature="pia", to=[1, 0]).do("pass_side", side="enemies")
    assert fight.state.passes == 1
    fight.do("dash", creature="ash", to=[1, 2])
    assert fight.state.passes == 0
    fight.do("pass_side", side="enemies").do("pass_side", side="players")
    assert fight.state.passes == 2
    fight.do("dash", creature="orc", to=[9, 0])
    assert (fight.state.round, fight.state.passes, fight.state.priority_side) == (1, 0, "players")


def test_HR_V_08_three_declines_end_a_round_in_which_nothing_was_done() -> None:
    """HR-PRIO-4, with A-02."""
    fight = begun(FAR)
    fight.do("pass_side", side="players").do("pass_side", side="enemies")
    assert fight.state.round == 1
    fight.do("pass_side", side="players")
    assert fight.state.round == 2
    assert [event.passes for event in fight.logged("round_ran_out")] == [3]


def test_HR_V_08_two_declines_do_where_the_house_says_so() -> None:
    """HR-PRIO-4, with A-01."""
    fight = begun(FAR, options={"passes_to_end_round": 2})
    fight.do("pass_side", side="players").do("pass_side", side="enemies")
    assert fight.state.round == 2


def test_HR_V_10_nothing_at_priority_speed_happens_in_an_engagement() -> None:
    """HR-PRIO-8, HR-ENG-3, HR-ENG-8: a call out stands for any ability without the instant tag."""
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (1, 1)}).do("engage", creature="pia", target="orc")
    assert fight.state.priority_side is None
    assert fight.refused("call_out", creature="pia", words="To me!") == "engagement_in_progress"
    assert fight.refused("engage", creature="wolf", target="pia") == "engagement_in_progress"
    assert fight.refused("pass_side", side="players") == "engagement_in_progress"


def test_HR_V_11_a_surprised_side_passes_by_itself() -> None:
    """HR-PRIO-10, HR-START-7."""
    fight = opened(FAR).do("begin_combat", unaware_side="enemies", surprised=["orc", "wolf"])
    fight.do("grant_priority").do("dash", creature="pia", to=[1, 0])
    assert [(event.side, event.reason) for event in fight.logged("priority_passed")] == [
        ("enemies", "ability"),
        ("players", "auto"),
    ]
    fight.do("pass_side", side="players")
    assert fight.state.round == 2
    assert not fight["orc"].surprised


def test_HR_V_13_a_rush_point_pays_for_one_sidestep() -> None:
    """HR-ACT-4."""
    fight = begun(FAR).given("pia", action=0).do("sidestep", creature="pia", to=[1, 0])
    assert [event.paid for event in fight.logged("ability_used")] == ["rush"]
    assert fight["pia"].rush == 0
    fight.do("pass_side", side="enemies")
    assert fight.refused("sidestep", creature="pia", to=[2, 0]) == "cannot_pay"


def test_HR_V_14_stowing_and_drawing_are_two_actions() -> None:
    """HR-ACT-3, HR-ACT-9."""
    bow = {"id": "bow", "size_class": "light", "attack_type": "ranged", "damage_type": "piercing"}
    mace = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}
    fight = begun({"pia": (0, 0), "orc": (3, 0)}, sheets={"pia": {"weapons": [mace, bow]}})
    fight.do("object", creature="pia", verb="stow").do("pass_side", side="enemies")
    assert (fight["pia"].wielded, fight["pia"].action) == (None, 1)
    fight.do("object", creature="pia", verb="draw", item="bow").do("pass_side", side="enemies")
    assert (fight["pia"].wielded, fight["pia"].action) == ("bow", 0)
    assert fight.refused("engage", creature="pia", target="orc") == "action_spent"
