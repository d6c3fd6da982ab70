"""Hurt creatures: damage, wounds, zero hit points, conditions, fire."""
