"""Derive and prove every die from a committed seed: randomness as data (algorithm rewound/dice/1)."""
