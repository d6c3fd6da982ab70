"""Tell what a creature is and carries: hands, weapons, size, and what holds for it or forbids it."""
