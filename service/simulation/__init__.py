"""Play whole encounters with bots, which choose from the offered commands."""
