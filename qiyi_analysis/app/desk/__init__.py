"""The desk: a local page to drop an event file on, served on the loopback by a server of its own."""
