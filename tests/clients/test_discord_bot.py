"""The Discord bot plays on a real service, with the real library and a stand-in for Discord itself."""

from __future__ import annotations

import ast
import asyncio
import runpy
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlsplit

import discord
import pytest
from discord_bot import following, views
from discord_bot.offers import Decision, label
from discord_bot.texts import pieces

import rewound_client
from rewound_client import Rewound, Table
from tests.clients.conftest import ROOT, Host
from tests.clients.discord_platform import Channel, Interaction, Wire, refusal

HOME: Final = ROOT / "docs" / "integrations" / "discord_bot"
ANN: Final = SimpleNamespace(id=3, display_name="Ann")

Start = Callable[..., Any]


@pytest.fixture
def start(host: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    """Give what starts the bot; again with what it has kept, as after a restart."""
    monkeypatch.setattr(following, "SHORTEST_S", 0.01)

    def started(address: str = host.address) -> Any:
        monkeypatch.setenv("REWOUND", address)
        monkeypatch.setenv("REWOUND_KEY", host.key)
        monkeypatch.setenv("REWOUND_BOT_STATE", str(tmp_path / "kept.json"))
        return SimpleNamespace(**runpy.run_module("discord_bot.__main__", run_name="bot"))

    return started


@pytest.fixture
def bot(start: Start) -> Any:
    return start()


@pytest.fixture
def gm(rewound: Rewound, forms: dict[str, Any]) -> Table:
    """Give a duel of Pia, whose seat is zoe's, and the orc; nobody waits for others to join."""
    opening = forms["s002"]["opening"]
    pia, _, orc, _ = opening["creatures"]
    return rewound.open(
        opening | {"creatures": [pia, orc], "seats": opening["seats"][:1], "declared_sides": []}
    )


class Players:
    """People in the channels of a server where the bot is."""

    def __init__(self, bot: Any) -> None:
        self.bot = bot
        self.channels: dict[int, Channel] = {1: Channel(), 2: Channel()}
        self.count = 0
        self.synced = 0
        bot.bot.get_partial_messageable = self.channels.__getitem__
        bot.bot.tree.sync = self._sync

    @property
    def channel(self) -> Channel:
        return self.channels[1]

    async def _sync(self) -> None:
        self.synced += 1

    def interaction(self, name: str, channel: int = 1) -> Interaction:
        self.count += 1
        user = SimpleNamespace(id=len(name), display_name=name)
        return Interaction(user, self.channels[channel], id=self.count, channel_id=channel)

    async def command(self, name: str, command: str, *words: object, channel: int = 1) -> Interaction:
        made = self.interaction(name, channel)
        await self.bot.tree.get_command(command).callback(made, *words)
        return made

    async def suggested(self, command: str, parameter: str, current: str) -> list[tuple[str, str]]:
        known = self.bot.tree.get_command(command)._params  # noqa: SLF001 - the library offers no other way
        found = known[parameter].autocomplete
        return [(each.name, each.value) for each in await found(self.interaction("Gloria"), current)]


def played(script: Callable[[], Awaitable[Any]], bots: list[Any]) -> Any:
    """Run a script, and end what the bots follow."""

    async def running() -> Any:
        try:
            return await script()
        finally:
            for bot in bots:
                for follower in bot.bot.followers.values():
                    await follower.stop()

    return asyncio.run(running())


def test_a_player_acts_with_menus_and_the_channel_reads_what_everybody_may_know(bot: Any, gm: Table) -> None:
    gm.send({"type": "begin_combat", "unaware_side": "undead"})
    gm.send({"type": "grant_priority"})

    async def script() -> Players:
        people = Players(bot)
        nobody = await people.command("Ann", "act")
        assert nobody.text == "That did not work: you have no seat here: the GM gives you one with /sit"
        watched = await people.command("Gloria", "watch", gm.encounter)
        assert watched.text == f"Posting {gm.encounter} here."
        again = await people.command("Gloria", "watch", gm.encounter)
        assert again.text == f"{gm.encounter} is posted here already."
        seated = await people.command("Gloria", "sit", ANN, "zoe")
        assert seated.text == "Ann sits as zoe."

        turn = await people.command("Ann", "act")
        what = next(label for label in turn.labels("What do you do?") if label.startswith("pia: engage"))
        await turn.choose("What do you do?", what)
        assert turn.text == f"**{what}**", "there is one target, so there is nothing to choose"
        await turn.press("Send")
        assert turn.text == f"Done: {what}"

        stance = people.interaction("Ann")
        await people.channel.has("engage")
        await people.channel.views[-1].children[0].callback(stance)  # the button below a post
        what = next(label for label in stance.labels("What do you do?") if "choose stance" in label)
        await stance.choose("What do you do?", what)
        await stance.choose("stance", "cunning")
        assert stance.text == f"**{what}**\nstance: cunning"
        await stance.press("Send")
        assert stance.text == f"Done: {what}"
        gm.send(next(each["command"] for each in offers(gm) if each["command"]["type"] == "choose_stance"))
        await people.channel.has("cunning")
        return people

    people = played(script, [bot])
    page, _, token = people.channel.posts[0].removeprefix("The fight on its map: ").partition("#")
    assert page.endswith("/s")
    assert gm.with_token(token).get()["encounter"] == gm.encounter, "who follows the link sees the fight"
    first = next(post for post in people.channel.posts if "cunning" in post)
    assert "orc" in first, "a stance is posted when all are revealed, not before"
    assert bot.bot.allowed_mentions.to_dict() == {"parse": []}
    assert all(command.guild_only for command in bot.tree.get_commands()), "elsewhere nobody asks permissions"


def offers(table: Table) -> list[Any]:
    return [offer for option in table.options()["options"] for offer in option["commands"]]


def test_a_cell_among_hundreds_is_written_and_a_wrong_one_is_told(bot: Any, gm: Table) -> None:
    gm.send({"type": "begin_combat", "unaware_side": "undead"})
    gm.send({"type": "grant_priority"})

    async def script() -> None:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        await people.command("Gloria", "sit", ANN, "zoe")
        for cell, answer in (
            ("99, 99", "That did not work: to: 99, 99 is not among the"),
            ("1, 1", "Done: pia"),
        ):
            turn = await people.command("Ann", "act")
            what = next(label for label in turn.labels("What do you do?") if label.startswith("pia: dash"))
            await turn.choose("What do you do?", what)
            await turn.press("Send")
            await turn.fill(to=cell)
            assert turn.text is not None
            assert turn.text.startswith(answer)

    played(script, [bot])
    assert next(each for each in gm.creatures() if each["id"] == "pia")["position"] == [1, 1]


def test_a_menu_of_any_length_shows_every_row_on_some_page() -> None:
    async def turned() -> list[str]:
        async def choose(_: object, at: int) -> None:
            chosen.append(at)

        chosen: list[int] = []
        view = discord.ui.View()
        menu = views.Menu("one of many", [f"row {number}" for number in range(60)], choose)
        view.add_item(menu)
        person = Interaction(None, None, 1, view=view)
        seen: list[str] = []
        for _ in range(3):
            assert len(menu.options) <= 25
            seen += person.labels("one of many")[:-1]
            await person.choose("one of many", person.labels("one of many")[-1])
        await person.choose("one of many", "row 5")
        assert chosen == [5]
        return seen

    assert asyncio.run(turned()) == [f"row {number}" for number in range(60)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([3, -4], "3, -4"),
        ([[1, 0], [2, 0]], "to 2, 0"),
        ([], "none"),
        (["orc", "wolf"], "orc, wolf"),
        (False, "no"),
        ("rush_point", "rush point"),
        ({"kind": "move", "feet": 5}, "kind move, feet 5"),
    ],
)
def test_values_are_written_in_words(value: Any, text: str) -> None:
    assert label(value) == text


def test_the_bot_takes_what_the_client_has() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in HOME.glob("*.py")]
    taken = {
        alias.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "rewound_client"
        for alias in node.names
    }
    assert taken
    assert taken <= set(rewound_client.__all__)


# --- following ----------------------------------------------------------------------------------------


def rule(gm: Table, decision: str, *effects: dict[str, Any]) -> None:
    gm.send({"type": "gm_ruling", "kind": "environment", "decision": decision, "effects": [*effects]})


def decisions(channel: Channel) -> list[str]:
    """Return the rulings that were posted, in order."""
    lines = [line for post in channel.posts for line in post.split("\n")]
    return [line.removeprefix("A ruling of the gm: ") for line in lines if line.startswith("A ruling")]


def test_a_post_that_fails_is_repeated_and_the_channel_is_told(bot: Any, gm: Table) -> None:
    async def script() -> Channel:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        people.channel.failing = [refusal(503) for _ in range(3)]
        for decision in ("one", "two"):
            await asyncio.to_thread(rule, gm, decision)
        await people.channel.has("two")
        again = await people.command("Gloria", "watch", gm.encounter)
        assert again.text == f"{gm.encounter} is posted here already."
        return people.channel

    channel = played(script, [bot])
    assert decisions(channel) == ["one", "two"], "each once and in order"
    assert [post for post in channel.posts if post.startswith("Following")] == [
        f"Following is interrupted ({refusal(503)}). It is tried again until it succeeds.",
        "Following goes on.",
    ]


def test_a_service_that_is_away_is_waited_for(host: Host, start: Start, gm: Table) -> None:
    async def script() -> Channel:
        async with Wire(urlsplit(host.address).port or 0) as wire:
            bots.append(start(wire.address))
            people = Players(bots[0])
            await people.command("Gloria", "watch", gm.encounter)
            wire.cut()
            await people.channel.has("Following is interrupted")
            for decision in ("while it is away", "and again"):
                await asyncio.to_thread(rule, gm, decision)
            wire.mend()
            await people.channel.has("Following goes on.")
            await people.channel.has("and again")
            for follower in bots[0].bot.followers.values():
                await follower.stop()
            return people.channel

    bots: list[Any] = []
    assert decisions(played(script, bots)) == ["while it is away", "and again"]


def test_who_may_not_write_here_ends_and_watch_begins_again(bot: Any, gm: Table) -> None:
    async def script() -> tuple[Channel, str]:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        people.channel.failing = [refusal(403), refusal(403)]
        await asyncio.to_thread(rule, gm, "nobody may write")
        await people.channel.until(lambda _: not bot.bot.followers[1].is_alive)
        again = await people.command("Gloria", "watch", gm.encounter)
        await people.channel.has("nobody may write")
        assert again.text is not None
        return people.channel, again.text

    channel, text = played(script, [bot])
    assert text == f"Posting {gm.encounter} here."
    assert decisions(channel) == ["nobody may write"], "what was not posted is posted now"


def test_an_encounter_that_is_refused_is_said_and_not_tried_for_ever(bot: Any, gm: Table) -> None:
    async def script() -> list[str]:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        await asyncio.to_thread(gm.close_seat, "discord")
        bot.bot.followers[1].followed.observer = "rw_of.nobody"
        await bot.bot.followers[1].stop()
        bot.bot.followers[1].start()
        await people.channel.has("Following ends: ")
        return people.channel.posts

    posts = played(script, [bot])
    assert posts[-1].endswith("`/watch` begins again.")


def test_two_channels_may_post_one_encounter(bot: Any, gm: Table) -> None:
    async def script() -> list[list[str]]:
        people = Players(bot)
        for channel in people.channels:
            await people.command("Gloria", "watch", gm.encounter, channel=channel)
        await asyncio.to_thread(rule, gm, "for both")
        for each in people.channels.values():
            await each.has("for both")
        return [decisions(each) for each in people.channels.values()]

    assert played(script, [bot]) == [["for both"], ["for both"]]


def test_one_task_follows_a_channel_and_the_next_encounter_takes_its_place(
    bot: Any, gm: Table, rewound: Rewound, forms: dict[str, Any]
) -> None:
    other = rewound.open(forms["s002"]["opening"] | {"seats": []})

    async def script() -> Channel:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        first = bot.bot.followers[1]
        await people.command("Gloria", "watch", other.encounter)
        assert not first.is_alive
        await asyncio.to_thread(rule, gm, "elsewhere")
        await asyncio.to_thread(rule, other, "here")
        await people.channel.has("here")
        return people.channel

    assert decisions(played(script, [bot])) == ["here"]


def test_a_restarted_bot_goes_on_where_it_was_and_its_players_keep_their_seats(
    start: Start, gm: Table, tmp_path: Path
) -> None:
    bots: list[Any] = []

    async def script() -> tuple[list[int], Channel, Interaction]:
        synced, all_people = [], []
        for decision in ("before", "after"):
            bots.append(start())
            people = Players(bots[-1])
            all_people.append(people)
            await bots[-1].bot.setup_hook()
            synced.append(people.synced)
            if decision == "before":
                await people.command("Gloria", "watch", gm.encounter)
                await people.command("Gloria", "sit", ANN, "zoe")
            await asyncio.to_thread(rule, gm, decision)
            await people.channel.has(decision)
            await bots[-1].bot.close()
            await asyncio.to_thread(rule, gm, f"missed {decision}")
        gm.send({"type": "begin_combat", "unaware_side": "undead"})
        gm.send({"type": "grant_priority"})
        last = all_people[-1]
        return synced, last.channel, await last.command("Ann", "act")

    synced, channel, turn = played(script, bots)
    assert decisions(channel) == ["missed before", "after"]
    assert any(each.startswith("pia: engage") for each in turn.labels("What do you do?"))
    assert synced == [1, 0], "the commands are those that Discord has"
    assert stat.S_IMODE((tmp_path / "kept.json").stat().st_mode) == 0o600, "it holds tokens"


def test_commands_that_have_changed_are_registered_again(start: Start) -> None:
    async def script() -> int:
        people = Players(start())
        await people.bot.bot.register()

        @people.bot.tree.command(description="Something new")  # type: ignore[untyped-decorator]  # read from a namespace
        async def new(_: discord.Interaction) -> None: ...

        await people.bot.bot.register()
        await people.bot.bot.register()
        return people.synced

    assert played(script, []) == 2


# --- suggestions, long texts, long forms --------------------------------------------------------------


def test_encounters_seats_and_creatures_are_suggested(bot: Any, gm: Table) -> None:
    async def script() -> None:
        people = Players(bot)
        encounters = await people.suggested("watch", "encounter", "HOUND")
        assert gm.encounter in [value for _, value in encounters]
        assert all("hound" in name.casefold() for name, _ in encounters)
        assert await people.suggested("act", "creature", "") == [], "nothing is posted here"
        await people.command("Gloria", "watch", gm.encounter)
        assert await people.suggested("sit", "seat", "zo") == [("zoe: pia", "zoe")]
        assert await people.suggested("act", "creature", "orc") == [("The undead orc (orc)", "orc")]
        assert await people.suggested("look", "creature", "pi") == [("Pia (pia)", "pia")]
        told = await people.command("Ann", "look")
        assert told.text == (
            "Pia (pia): at 0, 0, 40 of 40 hit points\nThe undead orc (orc): at 1, 0, 35 of 35 hit points"
        )
        nobody = await people.command("Ann", "look", "nobody")
        assert nobody.text == "There is no such creature."

    played(script, [bot])


def test_a_long_post_is_split_and_nothing_is_cut(bot: Any, gm: Table) -> None:
    blows = [{"kind": "hp", "creature": "orc", "hp": 20 + number % 10} for number in range(60)]

    async def script() -> Channel:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        await asyncio.to_thread(rule, gm, "many", *blows)
        await asyncio.to_thread(rule, gm, "last")
        await people.channel.has("last")
        return people.channel

    channel = played(script, [bot])
    lines = [line for post in channel.posts for line in post.split("\n") if "hit points" in line]
    assert len(lines) == len(blows)
    assert len([post for post in channel.posts if "hit points" in post]) > 1


@pytest.mark.parametrize(
    "text", ["", "short", "word " * 900, "x" * 4100, "A sentence. " * 400, "line\n" * 900]
)
def test_pieces_are_short_and_lose_no_word(text: str) -> None:
    found = list(pieces(text))
    assert all(len(each) <= 2000 for each in found)
    assert "".join(found).split() == text.split() or "".join("".join(found).split()) == "".join(text.split())


def test_a_form_of_more_than_five_fields_asks_in_steps() -> None:
    names = [f"word_{number}" for number in range(7)]

    async def script() -> tuple[list[list[str]], dict[str, Any]]:
        async def submit(interaction: Any, decision: Decision) -> None:
            sent.update(decision.command)
            await views.show(interaction, "Done")

        sent: dict[str, Any] = {}
        decision = Decision({"command": {"type": "speak"}, "choices": {}, "asks": names}, [])
        person = Interaction(None, None, 1, view=views.CommandMenu(decision, submit))
        await person.press("Send")
        steps = [list(person.modal.inputs)]
        await person.fill(**{name: name.upper() for name in steps[0]})
        assert not sent, "nothing is sent before all is written"
        await person.press("Go on")
        steps.append(list(person.modal.inputs))
        await person.fill(**{name: name.upper() for name in steps[1]})
        assert person.text == "Done"
        return steps, sent

    steps, sent = asyncio.run(script())
    assert steps == [names[:5], names[5:]]
    assert sent == {"type": "speak", **{name: name.upper() for name in names}}


def test_a_row_that_is_too_long_goes_on_below(bot: Any) -> None:
    async def nothing(*_: object) -> None: ...

    async def script() -> list[tuple[str, str | None]]:
        menu = views.Menu("one", ["a" * 90, "b" * 150, "c" * 300], nothing)
        person = Interaction(None, None, 1, is_answered=True)
        await person.edit_original_response("choose", discord.ui.View().add_item(menu))
        return [(option.label, option.description) for option in menu.options]

    short, long, longest = asyncio.run(script())
    assert short == ("a" * 90, None)
    assert long == ("b" * 100, "b" * 50)
    assert longest == ("c" * 100, "c" * 99 + "…")


def test_what_is_not_expected_is_said(bot: Any) -> None:
    async def script() -> tuple[Interaction, Interaction]:
        people = Players(bot)
        of_command, of_view = people.interaction("Ann"), people.interaction("Ann")
        await bot.tree.on_error(of_command, discord.app_commands.AppCommandError("no such thing"))
        await bot.ActButton().on_error(of_view, ZeroDivisionError("by zero"), None)
        return of_command, of_view

    of_command, of_view = asyncio.run(script())
    assert of_command.text == "That did not work: no such thing"
    assert of_view.text == "That did not work: by zero"
