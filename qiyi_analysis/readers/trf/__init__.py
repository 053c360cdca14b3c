"""TRF, the tournament report file of FIDE, from Krause 2006 to TRF26."""
