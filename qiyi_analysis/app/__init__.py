"""What people start: the command line, many jobs at once, the local page, the doctor.

May import everything; nothing imports it.
"""
