"""Serve the application on an event loop; see docs/http-server.md."""
