"""Go on from an earlier moment: forks, proposals and continuations."""
