"""The use cases of the API: open, send, read, follow, fork, amend. Each takes `Services`."""
