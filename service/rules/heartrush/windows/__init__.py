"""Open windows for instants and choices: who is asked, and in which order answers resolve."""
