"""The folder format of the project: ``players.csv``, ``games.csv``, ``meta.json``, ``official.csv``."""
