"""Hold a ruleset to the laws that every ruleset must keep, by random play of what it offers."""
