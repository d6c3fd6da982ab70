"""The square grid on which both rulebooks measure and walk."""
