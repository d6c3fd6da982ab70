"""The books of Rise, and the chapters that its rules come from.

The core book is online at joyandwonderandcupcakes.com/rise/rise.html; its sections keep their numbers here.
Its author develops all of them in the repository Vadskye/Rise. Where they differ, the core book decides, or
the codex where the option `profile` plays its five defenses.
"""

from typing import Final

from service.rules.kernel.rulebook import Book

_TITLE: Final = "Rise"

CORE: Final = Book(_TITLE, "core book", "The book with four defenses; folder `core_book` of the repository.")
CODEX: Final = Book(
    _TITLE,
    "comprehensive codex",
    "The later book with five defenses; folder `comprehensive_codex` of the repository.",
)
LATER: Final = Book(
    _TITLE,
    "codex with initiative groups",
    "A later revision of the codex; only an option of the house is taken from it.",
)
GUIDE: Final = Book(
    _TITLE, "guide for the GM", "“Running the Game”, in the folder `core_book` of the repository."
)

CHARACTERISTICS: Final = CORE.at("3.2 Combat Statistics")
RESOURCES: Final = CORE.at("3.3 Resources")
ATTACKS: Final = CORE.at("5.1 Making Attacks")
DAMAGE: Final = CORE.at("5.2 Calculating Damage")
TAKING_DAMAGE: Final = CORE.at("5.3 Taking Damage")
VITAL_WOUNDS: Final = CORE.at("5.4 Vital Wounds")
TIME: Final = CORE.at("5.5 Combat Time")
MOVEMENT: Final = CORE.at("5.6 Movement and Positioning")
AERIAL: Final = CORE.at("5.7 Aerial Movement")
ABILITIES: Final = CORE.at("5.8 Universal Abilities")
VISION: Final = CORE.at("5.9 Vision and Light")
OBSTACLES: Final = CORE.at("5.10 Obstacles and Cover")
AWARENESS: Final = CORE.at("5.11 Awareness and Surprise")
SPECIAL: Final = CORE.at("5.12 Special Combat Rules")
MECHANICS: Final = CORE.at("Core Mechanics")
REFERENCE: Final = CORE.at("Reference")
GLOSSARY: Final = CORE.at("Glossary")

CODEX_CHARACTERS: Final = CODEX.at("Characters")
CODEX_COMBAT: Final = CODEX.at("Combat")
CODEX_EQUIPMENT: Final = CODEX.at("Equipment")
CODEX_ADVENTURING: Final = CODEX.at("Adventuring")
LATER_COMBAT: Final = LATER.at("Combat")

RUNNING: Final = GUIDE.at("Running the Game")

BOOKS: Final = (CORE, CODEX, LATER, GUIDE)
