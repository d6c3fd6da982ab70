"""Archive encounters that nobody plays: outside the store, compressed, and read as before."""
