"""Play one encounter: the use cases between the HTTP API and the log."""
