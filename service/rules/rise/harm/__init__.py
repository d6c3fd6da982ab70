"""Hurt and heal: damage, resistance, vital wounds, conditions, holds, rests, corrections."""
