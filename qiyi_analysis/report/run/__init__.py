"""Notebooks run with checked parameters, and their results exported."""
