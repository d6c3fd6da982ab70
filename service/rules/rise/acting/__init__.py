"""Take turns in the action phase: what actions cost, Swift abilities, strikes, brawling, specials."""
