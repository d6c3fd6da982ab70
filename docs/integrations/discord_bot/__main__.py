"""The bot: its commands, and what it keeps for each channel."""

import asyncio
import hashlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import discord
from discord import app_commands, ui

from discord_bot.following import FINAL, Follower
from discord_bot.kept import Channel, Kept
from discord_bot.offers import Decision, decisions, label, words
from discord_bot.texts import pieces, shortened
from discord_bot.views import LABEL, Asking, OfferMenu, show, sorry, tell
from rewound_client import Problem, Refused, Rewound, RewoundError, Table

LOG = logging.getLogger("rewound.discord")
ADDRESS = os.environ["REWOUND"]
KEY = os.environ["REWOUND_KEY"]
PAGES = os.environ.get("REWOUND_PAGES", ADDRESS)
"""The address at which players open the page of a fight, if it is another than the bot's."""
KEPT = Path(os.environ.get("REWOUND_BOT_STATE", "discord_bot.json"))
"""The file with what outlives the bot."""
OBSERVER = "discord"
"""The seat as which the bot reads what it posts: an observer sees what everybody sees."""
SUGGESTIONS = 25
"""Suggestions that Discord shows."""


class Bot(discord.Client):
    """A client that goes on where it was, and whose texts mention nobody."""

    def __init__(self, kept: Kept) -> None:
        super().__init__(intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)
        self.kept = kept
        self.followers: dict[int, Follower] = {}

    async def setup_hook(self) -> None:
        """Register commands that have changed, keep the button below posts, and go on following."""
        self.add_view(ActButton())
        await self.register()
        for channel in self.kept.channels:
            self.follow(channel)

    async def register(self) -> None:
        """Register the commands with Discord if they are not those that it has."""
        described = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        if digest != self.kept.commands:
            await self.tree.sync()
            self.kept.commands = digest
            self.kept.write()

    def follow(self, channel: int) -> None:
        """Post what a channel follows, from where it is."""
        target = self.get_partial_messageable(channel)

        async def post(text: str) -> None:
            *before, last = pieces(text)
            for piece in before:
                await target.send(piece)
            await target.send(last, view=ActButton())

        self.followers[channel] = Follower(ADDRESS, self.kept.channels[channel], post, self.kept.write)
        self.followers[channel].start()

    async def close(self) -> None:
        """End what follows, then the client."""
        for follower in self.followers.values():
            await follower.stop()
        await super().close()


bot = Bot(Kept.read(KEPT))
tree = bot.tree


@tree.error
async def on_error(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
    """Say what was not expected."""
    await sorry(interaction, error)


async def attempt(work: Callable[[], Any]) -> tuple[Any, str]:
    """Do blocking *work* in a thread; return its result and "", or None and the fault in words."""
    try:
        return await asyncio.to_thread(work), ""
    except Refused as refused:
        return None, f"Refused: {refused.detail} ({refused.rule})"
    except Problem as problem:
        return None, f"{problem.title}: {problem.detail}"
    except (RewoundError, LookupError, TypeError, ValueError) as fault:
        return None, f"That did not work: {fault}"


async def asked(interaction: discord.Interaction, work: Callable[[Table], Any]) -> tuple[Any, str]:
    """Do *work* with the table as the player's seat sees it."""
    channel = interaction.channel_id or 0
    token = bot.kept.token(channel, interaction.user.id)

    def working() -> object:
        if token is None:
            raise LookupError("you have no seat here: the GM gives you one with /sit")
        with Rewound(ADDRESS, token) as service:
            return work(service.encounter(bot.kept.channels[channel].encounter))

    return await attempt(working)


async def observed(interaction: discord.Interaction, work: Callable[[Table], Any]) -> tuple[Any, str]:
    """Do *work* with the table as everybody sees it."""

    def working() -> object:
        followed = bot.kept.channels.get(interaction.channel_id or 0)
        if followed is None:
            raise LookupError("no encounter is posted here: the GM begins with /watch")
        with Rewound(ADDRESS, followed.observer) as service:
            return work(service.encounter(followed.encounter))

    return await attempt(working)


class ActButton(Asking):
    """The button below what is posted; it works for everybody with a seat, also after a restart."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @ui.button(label="What can I do?", custom_id="rewound:act")
    async def act(self, interaction: discord.Interaction, _button: ui.Button[ui.View]) -> None:
        """Show the player alone what is legal now."""
        await show_offers(interaction)


async def show_offers(interaction: discord.Interaction, creature: str | None = None) -> None:
    """Answer with the first menu, visible to the player alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    offered, fault = await asked(interaction, lambda table: decisions(table, creature))
    if offered:
        await tell(interaction, "It is for you to decide.", OfferMenu(offered, submit))
    else:
        await tell(interaction, fault or "There is nothing for you to do now.")


async def submit(interaction: discord.Interaction, decision: Decision) -> None:
    """Send a command; the interaction's id is its key, so Discord's repeats have one effect."""
    key = f"discord-{interaction.id}"
    _, fault = await asked(interaction, lambda table: table.send(decision.command, key=key))
    await show(interaction, fault or f"Done: {decision.title}")


# --- suggestions ------------------------------------------------------------------------------------------

Suggest = Callable[[discord.Interaction, str], Awaitable[list[app_commands.Choice[str]]]]


async def suggested(current: str, named: Awaitable[tuple[Any, str]]) -> list[app_commands.Choice[str]]:
    """Return the names, each with its value, that have what is written; none if they cannot be had."""
    found, _ = await named
    fitting = [
        (name, value) for name, value in found or () if current.casefold() in f"{name} {value}".casefold()
    ]
    return [
        app_commands.Choice(name=shortened(name, LABEL), value=value) for name, value in fitting[:SUGGESTIONS]
    ]


async def suggest_encounter(
    _interaction: discord.Interaction, current: str
) -> list[app_commands.Choice[str]]:
    """Suggest open encounters by their titles."""

    def named() -> list[tuple[str, str]]:
        with Rewound(ADDRESS, KEY) as service:
            found = service.encounters(status="open")
            return [
                (f"{each['title'] or each['encounter']} ({each['edition']})", each["encounter"])
                for each in found
            ]

    return await suggested(current, attempt(named))


async def suggest_seat(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest the seats of the channel's encounter."""

    def named(table: Table) -> list[tuple[str, str]]:
        return [
            (": ".join(filter(None, (each["seat"], ", ".join(each["creatures"])))), each["seat"])
            for each in table.seats()
            if each["seat"] != OBSERVER
        ]

    return await suggested(current, observed(interaction, named))


async def suggest_creature(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest the creatures of the channel's encounter that everybody sees."""

    def named(table: Table) -> list[tuple[str, str]]:
        return [(f"{each['name']} ({each['id']})", each["id"]) for each in table.creatures()]

    return await suggested(current, observed(interaction, named))


# --- commands ---------------------------------------------------------------------------------------------


def begun(encounter: str) -> tuple[Channel, str]:
    """Return where to begin to follow an encounter, and the address of its page.

    Channels that post one encounter share one token: a new one would end the one before.
    """
    with Rewound(ADDRESS, KEY) as service:
        gm = service.encounter(encounter)
        newest = gm.get()
        same = [each for each in bot.kept.channels.values() if each.encounter == encounter]
        token = next((each.observer for each in same if reads(gm.with_token(each.observer))), None)
        if token is None:
            if all(each["seat"] != OBSERVER for each in gm.seats()):
                gm.open_seat(OBSERVER, "observer")
            token = gm.issue_token(OBSERVER)["token"]
            newest = gm.get()
        for each in same:
            each.observer = token
        return Channel(
            encounter, token, newest["line"], newest["version"]
        ), f"{PAGES}{gm.share_seat(OBSERVER)['page']}"


def reads(table: Table) -> bool:
    """Return whether the token of *table* is still taken."""
    try:
        table.get()
    except Problem as problem:
        if problem.status in FINAL:
            return False
        raise
    return True


@tree.command(description="Post every commit of an encounter in this channel")
@app_commands.guild_only()  # permissions are of a server: in a direct message everybody would have them
@app_commands.default_permissions(manage_channels=True)
@app_commands.autocomplete(encounter=suggest_encounter)
async def watch(interaction: discord.Interaction, encounter: str) -> None:
    """Follow an encounter from now on, instead of the previous one; begin again if following has ended."""
    channel = interaction.channel_id or 0
    await interaction.response.defer(ephemeral=True, thinking=True)
    before = bot.followers.get(channel)
    if before is not None and before.is_alive and before.followed.encounter == encounter:
        fault = f" It fails now, and is tried again: {before.fault}." if before.fault else ""
        await tell(interaction, f"{encounter} is posted here already.{fault}")
        return
    found, fault = await attempt(lambda: begun(encounter))
    if fault:
        await tell(interaction, fault)
        return
    followed, page = found
    kept = bot.kept.channels.get(channel)
    if kept is not None and kept.encounter == encounter:  # what came meanwhile is posted, too
        followed.line, followed.n = kept.line, kept.n
    if before is not None:
        await before.stop()
    bot.kept.channels[channel] = followed
    bot.kept.write()
    try:
        await bot.get_partial_messageable(channel).send(f"The fight on its map: {page}", view=ActButton())
    except discord.HTTPException as refused:
        await tell(interaction, f"I cannot write in this channel: {refused.text}")
        return
    bot.follow(channel)
    await tell(interaction, f"Posting {encounter} here.")


@tree.command(description="Give a player a seat of this channel's encounter")
@app_commands.guild_only()
@app_commands.default_permissions(manage_channels=True)
@app_commands.autocomplete(seat=suggest_seat)
async def sit(interaction: discord.Interaction, player: discord.Member, seat: str) -> None:
    """Issue a token for a seat. The bot keeps it and shows it to nobody."""
    channel = interaction.channel_id or 0
    await interaction.response.defer(ephemeral=True, thinking=True)

    def work() -> str:
        followed = bot.kept.channels.get(channel)
        if followed is None:
            raise LookupError("no encounter is posted here: begin with /watch")
        with Rewound(ADDRESS, KEY) as service:
            return service.encounter(followed.encounter).issue_token(seat)["token"]

    token, fault = await attempt(work)
    if token:
        bot.kept.seat(channel, player.id, token)
    await tell(interaction, fault or f"{player.display_name} sits as {seat}.")


@tree.command(description="Choose what to do")
@app_commands.guild_only()
@app_commands.autocomplete(creature=suggest_creature)
async def act(interaction: discord.Interaction, creature: str | None = None) -> None:
    """Show what is legal for the player's seat, in menus; for one creature if it is named."""
    await show_offers(interaction, creature)


@tree.command(description="Tell how the creatures are")
@app_commands.guild_only()
@app_commands.autocomplete(creature=suggest_creature)
async def look(interaction: discord.Interaction, creature: str | None = None) -> None:
    """Tell the player alone where creatures are, their hit points and conditions, as everybody sees them."""
    await interaction.response.defer(ephemeral=True, thinking=True)

    def told(table: Table) -> str:
        return "\n".join(
            described(dict(each)) for each in table.creatures() if creature in (None, each["id"])
        )

    text, fault = await observed(interaction, told)
    await tell(interaction, fault or text or "There is no such creature.")


def described(creature: dict[str, Any]) -> str:
    """Return a line about a creature."""
    parts = [f"at {label(creature['position'])}"]
    if creature["hp"] is not None:
        parts.append(f"{creature['hp']} of {creature['hp_max']} hit points")
    parts += [words(each["name"]) for each in creature["conditions"]]
    if creature["status"] != "active":
        parts.append(creature["status"])
    name = discord.utils.escape_markdown(f"{creature['name']} ({creature['id']})")
    return f"{name}: {', '.join(parts)}"


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
