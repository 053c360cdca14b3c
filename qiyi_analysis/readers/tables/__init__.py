"""Tables of any origin: sheets of workbooks, saved pages and separated text, and the events in them."""
