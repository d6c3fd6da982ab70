"""Hold the modules of the page to types and rules of style; `make lint` runs it."""
