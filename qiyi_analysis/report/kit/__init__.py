"""What pages are made of: text, tables, figures, and the fonts they are set in."""
