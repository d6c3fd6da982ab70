"""Use abilities: instants and spells, what they require and bring, and the book's catalogue."""
