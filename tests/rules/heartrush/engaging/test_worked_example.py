"""The worked example of the book: an orc and his undead hound against two heroes, in both its forms."""

from service.rules.heartrush.timing.engagement import EngagementFrame
from tests.rules.heartrush.kit import begun

PLACES = {"pia": (0, 0), "ash": (-4, 0), "orc": (1, 0), "wolf": (0, 1)}


def test_HR_V_31_the_orc_and_the_hound_as_the_summary_tells_it() -> None:
    """HR-GEN-6, HR-ACT-5, HR-ENG-1/2/4/5, HR-STANCE-3/4, HR-RES-1/2/6, HR-ATK-1/2/4, HR-WPN-1, HR-PRIO-9."""
    fight = begun(PLACES)
    fight.do("engage", creature="pia", target="orc").joined_by("wolf", "ash")
    fight.stances(pia="might", orc="might", wolf="cunning", ash="agility")

    assert [event.step for event in fight.logged("step_started")] == ["agility"], "the wolf reaches nobody"

    fight.answer("declare_agility", "ash", 6, 7, 8, 3, 2, order="attack_first", target="orc")
    assert fight.logged("attack_rolled")[-1].rolled.total == 21
    assert fight.logged("defense_rolled")[-1].rolled.total == 9
    fight.answer("shrug", "orc")
    assert (fight["orc"].hp, fight["orc"].heart_die, fight["orc"].wounds) == (29, 6, ())
    fight.answer("decline_sidestep", "ash")

    fight.answer("declare_attack", "pia", target="orc")
    fight.answer("declare_attack", "orc", 4, 5, 3, 2, 5, 8, 4, target="pia")
    assert fight.logged("attack_rolled")[-1].rolled.total == 14
    assert fight.logged("contested_rolled")[-1].rolled.total == 17
    fight.answer("accept_damage", "pia")

    assert fight["pia"].hp == 37
    assert fight.logged("engagement_ended")
    assert fight.state.priority_side == "enemies"


def test_HR_V_32_the_orc_and_the_hound_as_the_chapter_tells_it() -> None:
    """HR-PRIO-2/9, HR-ENG-2/5/7, HR-RUSH-2."""
    fight = begun({"pia": (-3, 0), "ash": (-4, 1), "orc": (1, 0), "wolf": (0, 5)})
    fight.do("dash", creature="pia", to=[0, 0])
    assert fight.state.priority_side == "enemies"
    fight.do("dash", creature="wolf", to=[0, 1])
    assert fight.state.priority_side == "players"
    fight.do("engage", creature="ash", target="orc").joined_by("pia", "wolf")
    assert {c.id: c.action for c in fight.state.creatures.values()} == {
        "pia": 0,
        "ash": 0,
        "orc": 1,
        "wolf": 0,
    }

    fight.stances(ash="defensive", pia="defensive", orc="defensive", wolf="defensive")
    assert fight.state.priority_side == "enemies"

    fight.do("engage", creature="orc", target="pia")
    frame = fight.state.top
    assert isinstance(frame, EngagementFrame)
    assert [name for name, part in frame.participants.items() if part.entry == "forced"] == ["pia"]
    assert "ash" not in fight.waits_for()
    fight.stances(orc="defensive", pia="defensive")
    while fight.state.round == 1:
        fight.do("pass_side", side=fight.state.priority_side)
    assert {c.rush for c in fight.state.creatures.values()} == {1}
