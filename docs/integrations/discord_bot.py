"""A Discord bot that posts a fight in a channel and takes commands from its players.

DISCORD_TOKEN=... REWOUND=http://127.0.0.1:8000 REWOUND_KEY=rw_... python3 discord_bot.py

It needs `rewound_client` (clients/python) and `discord.py` 2. `/watch` posts an encounter's commits;
`/sit` gives a player a seat; `/options` shows a player what is legal; `/act` sends a command.
"""

import asyncio
import json
import os
import threading
from collections.abc import Callable
from typing import Any

import discord
from discord import app_commands

from rewound_client import Problem, Refused, Rewound, RewoundError, Table, values_of

ADDRESS = os.environ["REWOUND"]
KEY = os.environ["REWOUND_KEY"]
LONGEST = 1900
"""Discord takes 2000 characters."""
MOST = 6
"""Choices of one field that are shown."""


class Seats:
    """A token for each player and channel, in memory; repeat `/sit` after a restart."""

    def __init__(self) -> None:
        self.encounters: dict[int, str] = {}
        self.tokens: dict[tuple[int, int], str] = {}

    def ask(self, channel: int, user: int, what: Callable[[Table], str]) -> str:
        """Return the result of *what* for the player's seat; blocks, with a client of its own."""
        token, encounter = self.tokens.get((channel, user)), self.encounters.get(channel)
        if token is None or encounter is None:
            raise LookupError("sit down first: the GM says /sit")
        with Rewound(ADDRESS, token) as service:
            return what(service.encounter(encounter))


class Bot(discord.Client):
    """A client that registers its commands with Discord once, and whose texts mention nobody."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        """Register the commands with Discord: once for each start, not for each connection."""
        await self.tree.sync()


seats = Seats()
bot = Bot()
tree = bot.tree


def facts(commit: dict[str, Any]) -> str:
    """Return what everybody may see of a commit, in one line."""
    told = json.loads(commit["commit"])
    events = ", ".join(event["type"].replace("_", " ") for event in told.get("events", []))
    return f"`{commit['n']}` {told['outcome']}: {events or 'nothing that others see'}"


def some(values: list[Any]) -> str:
    """Return the first choices as text: a dash has a hundred, too many for a message."""
    return ", ".join(map(json.dumps, values[:MOST])) + (f" … ({len(values)})" if len(values) > MOST else "")


async def answered(interaction: discord.Interaction, work: Callable[[], str]) -> None:
    """Do blocking *work* in a thread and answer with its result, visible to the sender alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        text = await asyncio.to_thread(work)
    except Refused as refused:
        text = f"Refused ({refused.code}, {refused.rule}): {refused.detail}"
    except Problem as problem:
        text = f"{problem.title}: {problem.detail} {json.dumps(problem.errors) if problem.errors else ''}"
    except (RewoundError, LookupError, TypeError, ValueError) as fault:
        text = f"That did not work: {fault}"
    await interaction.followup.send(text[:LONGEST], ephemeral=True)


@tree.command(description="Post every commit of an encounter in this channel")
@app_commands.guild_only()  # permissions are of a server: in a direct message everybody would have them
@app_commands.default_permissions(manage_channels=True)
async def watch(interaction: discord.Interaction, encounter: str) -> None:
    """Follow an encounter from now on, as everybody sees it, instead of the previous one."""
    number, channel, loop = interaction.channel_id or 0, interaction.channel, asyncio.get_running_loop()
    begun = threading.Event()

    def send(text: str) -> None:
        asyncio.run_coroutine_threadsafe(channel.send(text[:LONGEST]), loop).result(30)

    def follow() -> None:
        with Rewound(ADDRESS, KEY) as service:
            table = service.encounter(encounter)
            newest = table.get()
            seats.encounters[number] = encounter
            begun.set()
            for told in table.listen(after=newest["version"], line=newest["line"]):
                if seats.encounters.get(number) != encounter:  # seen every ten seconds, at a heartbeat
                    return
                if told.event == "commit":
                    send(facts(told.data))
                elif told.event == "continued":  # an undo: repeated commits are not announced again
                    send(f"The fight goes on from commit {told.data['origin']['n']}.")

    def work() -> str:
        if seats.encounters.get(number) == encounter:
            return f"{encounter} is posted here already."
        # A thread of its own, not one of the loop's few; as a daemon it does not prevent the bot from ending.
        threading.Thread(target=follow, daemon=True).start()
        return f"Posting {encounter} here." if begun.wait(60) else f"{encounter} cannot be read."

    await answered(interaction, work)


@tree.command(description="Give a player a seat of this channel's encounter")
@app_commands.guild_only()
@app_commands.default_permissions(manage_channels=True)
async def sit(interaction: discord.Interaction, player: discord.Member, seat: str) -> None:
    """Issue a token for a seat. The bot keeps it and shows it to nobody."""
    channel = interaction.channel_id or 0

    def work() -> str:
        with Rewound(ADDRESS, KEY) as service:
            issued = service.encounter(seats.encounters[channel]).issue_token(seat)
        seats.tokens[channel, player.id] = issued["token"]
        return f"{player.display_name} sits as {seat}."

    await answered(interaction, work)


@tree.command(description="What you may do now")
@app_commands.guild_only()
async def options(interaction: discord.Interaction) -> None:
    """Show what is legal for the player's seat, as JSON that `/act` takes."""

    def offers(table: Table) -> str:
        lines = [
            json.dumps(offer["command"])
            + "".join(f"\n  {name}: {some(values_of(each))}" for name, each in offer["choices"].items())
            for option in table.options()["options"]
            for offer in option["commands"]
        ]
        return "\n".join(lines) or "Nothing now."

    channel, user = interaction.channel_id or 0, interaction.user.id
    await answered(interaction, lambda: seats.ask(channel, user, offers))


@tree.command(description="Send a command as JSON")
@app_commands.guild_only()
async def act(interaction: discord.Interaction, command: str) -> None:
    """Send a command; the interaction's id is its key, so Discord's repeats have one effect."""

    def send(table: Table) -> str:
        outcome = table.send(json.loads(command), key=f"discord-{interaction.id}")
        return f"{outcome['outcome']}: {', '.join(event['type'] for event in outcome.get('events', []))}"

    channel, user = interaction.channel_id or 0, interaction.user.id
    await answered(interaction, lambda: seats.ask(channel, user, send))


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
