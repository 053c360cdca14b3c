"""Files on disk: whole or not at all, safe names, folders that are walked, workbooks whose text stays text.

May import: words, model.
"""
