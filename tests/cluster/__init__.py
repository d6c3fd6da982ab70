"""The service on a real cluster of three primaries and three replicas."""
