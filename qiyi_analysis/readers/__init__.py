"""Readers: bytes to events and lists. Recognised by content, never by the name of the file."""

from qiyi_analysis.readers.door import read_event, read_events, read_list

__all__ = ["read_event", "read_events", "read_list"]
