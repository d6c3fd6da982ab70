"""Archive idle encounters: outside the store, compressed, and readable as before."""
