"""Pass the time between fights: rests, treatment, poison, experience."""
