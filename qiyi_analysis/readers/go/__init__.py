"""Formats of go federations and programs: H9, OpenGotha, the report of the AGA."""
