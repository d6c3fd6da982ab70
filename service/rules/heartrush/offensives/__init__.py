"""Do something else than attack: tried in its step, landed after all attacks."""
