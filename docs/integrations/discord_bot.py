"""A Discord bot that tells a fight in a channel and takes commands from its players.

DISCORD_TOKEN=... REWOUND=http://127.0.0.1:8000 REWOUND_KEY=rw_... python3 discord_bot.py

It needs `rewound_client` (clients/python) and `discord.py` 2. `/watch` tells an encounter's commits;
`/sit` gives a player a seat; `/options` shows a player what is legal; `/act` sends one of it.
"""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import discord
from discord import app_commands

from rewound_client import Problem, Refused, Rewound, RewoundError, Table

ADDRESS = os.environ["REWOUND"]
KEY = os.environ["REWOUND_KEY"]
LONGEST = 1900
"""Discord takes 2000 characters."""


class Seats:
    """Who sits where: a token for each player and channel, in memory; after a restart say `/sit` again."""

    def __init__(self) -> None:
        self.encounters: dict[int, str] = {}
        self.tokens: dict[tuple[int, int], str] = {}

    def ask(self, channel: int, user: int, what: Callable[[Table], str]) -> str:
        """Return what *what* gives at the player's seat; it blocks, with a client of its own."""
        token, encounter = self.tokens.get((channel, user)), self.encounters.get(channel)
        if token is None or encounter is None:
            raise LookupError("sit down first: the GM says /sit")
        with Rewound(ADDRESS, token) as service:
            return what(service.encounter(encounter))


seats = Seats()
watching: set["asyncio.Task[None]"] = set()
bot = discord.Client(intents=discord.Intents.default())
tree = app_commands.CommandTree(bot)


def facts(commit: dict[str, Any]) -> str:
    """Return a commit in one line: what everybody may see of it."""
    told = json.loads(commit["commit"])
    events = ", ".join(event["type"].replace("_", " ") for event in told.get("events", []))
    return f"`{commit['n']}` {told['outcome']}: {events or 'nothing that others see'}"


async def answered(interaction: discord.Interaction, work: Callable[[], str]) -> None:
    """Do blocking *work* beside the loop and tell its answer to whoever asked, and to nobody else."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        text = await asyncio.to_thread(work)
    except Refused as refused:
        text = f"Refused ({refused.code}, {refused.rule}): {refused.detail}"
    except Problem as problem:
        text = f"{problem.title}: {problem.detail} {json.dumps(problem.errors) if problem.errors else ''}"
    except (RewoundError, LookupError, ValueError) as fault:
        text = str(fault)
    await interaction.followup.send(text[:LONGEST], ephemeral=True)


@tree.command(description="Tell every commit of an encounter in this channel")
@app_commands.default_permissions(manage_channels=True)
async def watch(interaction: discord.Interaction, encounter: str) -> None:
    """Follow an encounter from now on, as the key sees what is public in it."""
    assert interaction.channel_id is not None
    channel, loop = interaction.channel, asyncio.get_running_loop()
    seats.encounters[interaction.channel_id] = encounter

    def follow() -> None:
        with Rewound(ADDRESS, KEY) as service:
            table = service.encounter(encounter)
            for commit in table.follow(after=table.get()["version"]):
                told = channel.send(facts(dict(commit))[:LONGEST])
                asyncio.run_coroutine_threadsafe(told, loop).result(30)

    watching.add(asyncio.create_task(asyncio.to_thread(follow)))
    await interaction.response.send_message(f"Telling {encounter} here.", ephemeral=True)


@tree.command(description="Give somebody a seat of this channel's encounter")
@app_commands.default_permissions(manage_channels=True)
async def sit(interaction: discord.Interaction, player: discord.Member, seat: str) -> None:
    """Issue a token for a seat. It stays with the bot and is shown to nobody."""
    channel = interaction.channel_id or 0

    def work() -> str:
        with Rewound(ADDRESS, KEY) as service:
            issued = service.encounter(seats.encounters[channel]).issue_token(seat)
        seats.tokens[channel, player.id] = issued["token"]
        return f"{player.display_name} sits as {seat}."

    await answered(interaction, work)


@tree.command(description="What you may do now")
async def options(interaction: discord.Interaction) -> None:
    """Show what is legal for the player's seat, as JSON that `/act` takes."""

    def offers(table: Table) -> str:
        lines = [
            json.dumps({"type": offer["type"], **offer["given"]})
            + "".join(f"\n  {name}: {json.dumps(values)}" for name, values in offer["choices"].items())
            for option in table.options()["options"]
            for offer in option["commands"]
        ]
        return "\n".join(lines) or "Nothing now."

    channel, user = interaction.channel_id or 0, interaction.user.id
    await answered(interaction, lambda: seats.ask(channel, user, offers))


@tree.command(description="Do something: a command as JSON")
async def act(interaction: discord.Interaction, command: str) -> None:
    """Send a command; the interaction's id is its key, so Discord's repeats do nothing twice."""

    def send(table: Table) -> str:
        outcome = table.send(json.loads(command), key=f"discord-{interaction.id}")
        return f"{outcome['outcome']}: {', '.join(event['type'] for event in outcome.get('events', []))}"

    channel, user = interaction.channel_id or 0, interaction.user.id
    await answered(interaction, lambda: seats.ask(channel, user, send))


@bot.event
async def on_ready() -> None:
    """Tell Discord which commands there are."""
    await tree.sync()


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
