"""Let the world take part: air and water, light, hazards, hiding places."""
