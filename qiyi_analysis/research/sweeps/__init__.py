"""Many Elo candidates in one pass over a history."""
