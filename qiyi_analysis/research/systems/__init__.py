"""Rating systems run over a history, and static fits of one strength per player."""
