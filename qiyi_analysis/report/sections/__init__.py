"""The sections of the reports, one module per kind of report."""
