"""Serve the application on an event loop; see docs/inside.md."""
