"""Files made to keep a reader busy: each is read or refused in a time that grows no faster than the file."""

from __future__ import annotations

import contextlib
import time

import pytest

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.door import events_in_bytes

LINE = "001 %4d m    Player Name                       1500 NOR      100000 1990/01/01  0.0    1     2 w 1     1 w 1\n"
#: Beginning, and what is repeated. The parser's or reader's own loops over the rest of the file would need minutes for
#: two million bytes of each.
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
    "one number": ("001    1", "9"),
    "players without anything": ("", "001    1 \n"),
    "accents": ("", "\xe9"),
    "tables that are not closed": ("", "<table>"),
    "lists of JSON": ("", "["),
    "objects of JSON": ("", '{"a":'),
    "places without heads": ("", "1 a 1d 2+\n"),
    "commas": ("", ","),
    "lines": ("", "\n"),
    "quotes": ("", '"'),
    "the fourhundredth round": ("No,Name,R400\n1,a,2w1\n", "2,b,1b0\n"),
}
#: Below so many seconds the time of the smaller file says nothing of how the reader's work grows.
SHORTEST = 0.1


@pytest.mark.parametrize("name", ENDLESS)
def test_the_time_for_a_hostile_file_grows_no_faster_than_the_file(name: str) -> None:
    head, unit = ENDLESS[name]
    small, large = (
        seconds((head + unit * (size // len(unit))).encode("latin-1")) for size in (300_000, 1_200_000)
    )
    # Four times the bytes: a loop over the rest of the file for every piece of it takes sixteen times as long.
    assert large < 9 * max(small, SHORTEST)


def seconds(data: bytes) -> float:
    """The least of three: a collection of garbage or a neighbour on the machine makes a single one longer."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        with contextlib.suppress(ReadError):
            events_in_bytes(data, "x")
        times.append(time.process_time() - begin)
    return min(times)


def test_a_record_of_a_thousand_million_rounds_is_no_work() -> None:
    with contextlib.suppress(ReadError):
        events_in_bytes(b"012 a\nXXR 999999999\n001    1 x", "x")


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
