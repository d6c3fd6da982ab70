"""Tell that something happened: doorbell, outcomes, feeds, webhooks, and who lives."""
