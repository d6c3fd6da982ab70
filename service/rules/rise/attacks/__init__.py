"""Resolve what an ability does to its targets: areas, cover, rolls, outcomes, damage."""
