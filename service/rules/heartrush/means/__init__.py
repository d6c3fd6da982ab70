"""Count what acting costs: actions, rush, charges, and when each may be used."""
