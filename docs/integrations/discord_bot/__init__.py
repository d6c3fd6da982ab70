"""A Discord bot that posts a fight in a channel and lets its players act with menus, forms and buttons.

export PYTHONPATH=clients/python:docs/integrations
DISCORD_TOKEN=... REWOUND=http://127.0.0.1:8000 REWOUND_KEY=rw_... python3 -m discord_bot

It needs `rewound_client` (clients/python) and `discord.py` 2. `/watch` posts an encounter, `/sit` gives a
player a seat, `/act`, or the button below a post, shows a player what is legal, and `/look` tells how the
creatures are.
"""
