"""The record as bytes: canonical JSON, requests, commits, envelopes, reveals and the digest of the rules."""
