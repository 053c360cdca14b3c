"""Files made to keep a reader busy: each is read or refused in a few seconds of processor time."""

from __future__ import annotations

import contextlib
import time

import pytest

from qiyi_analysis.errors import ReadError
from qiyi_analysis.readers.door import events_in_bytes

LINE = "001 %4d m    Player Name                       1500 NOR      100000 1990/01/01  0.0    1     2 w 1     1 w 1\n"
#: Beginning, and what is repeated up to a size of two million bytes. The parser's or reader's own loops over the rest
#: of the file would need minutes for each.
ENDLESS = {
    "attributes that are not closed": ("<html><table>", '<td a="'),
    "comments that are not closed": ("<html><table>", "<!-- "),
    "sections that are not closed": ("<html><table>", "<![CDATA["),
    "signs of tags only": ("<html><table>", "<"),
    "wide and tall cells": ("<html><table>", "<tr><td rowspan=200 colspan=200>1</td>"),
    "tables in tables": ("<html>", "<table><tr><td>"),
    "one start number": ("012 x\n", LINE % 1),
    "one event after another": ("", "012 x\n" + LINE % 1),
    "one row": ("no,name\n", "1,"),
    "an open quote": ('no,name\n1,"a\n', "2,b\n"),
    "one place": ("; EV[x]\n", "1 Name First 1d NO Club 0 0 0 0 2+ 3- 4=\n"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_hostile_files_end_soon(name: str) -> None:
    head, unit = ENDLESS[name]
    data = (head + unit * (2_000_000 // len(unit))).encode()
    begin = time.process_time()
    with contextlib.suppress(ReadError):
        events_in_bytes(data, "x")
    assert time.process_time() - begin < 12


def test_comments_and_open_signs_leave_the_tables_of_a_page_alone() -> None:
    rows = "".join(f"<tr><td>{n}<td>A{n} &lt; B<td>{2000 + n}</tr>\n" for n in range(1, 5))
    page = (
        f"<html><!-- <table><tr><td>no --><table title='a>b'><tr><td>No.<td>Name<td>Rtg</tr>\n{rows}</table>"
        + "<p " * 60
    )
    (event,) = events_in_bytes(page.encode(), "x.html")
    assert event.players["name"].tolist() == [f"A{n} < B" for n in range(1, 5)]
    assert event.players["line"].tolist() == [2, 3, 4, 5]


def test_an_h9_table_of_many_players_is_no_report_file() -> None:
    """Places 102, 112 and so on look like header records; those of a report file begin with 0."""
    lines = [
        f"{n} Name{n} First 1d NO Club 0 0 0 0 {n + 1 if n % 2 else n - 1}{'+-'[n % 2]}"
        for n in range(1, 141)
    ]
    (event,) = events_in_bytes(("; EV[x]\n" + "\n".join(lines) + "\n").encode(), "x.h9")
    assert event.discipline == "go"
    assert len(event.players) == 140
