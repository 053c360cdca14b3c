"""What every other room talks about: events, rating lists, findings, errors, and who is who.

May import: words.
"""
