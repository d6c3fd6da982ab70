"""Describe what is written down before a fight: sheets, abilities, modifiers, ground and notes."""
