"""The XML that pairing programs upload to chess-results.com."""
