"""Rule as the GM: decisions with reasons, and the effects only the GM has."""
