"""Histories of games: arrays, their files, rating periods, and the files of results."""
