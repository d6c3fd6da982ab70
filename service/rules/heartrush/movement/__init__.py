"""Move creatures: by their own steps, by force, after a captive, up onto others."""
