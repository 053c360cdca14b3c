"""Tie-breaks that a page explains below its table, and those of report files by number."""

from __future__ import annotations

import pytest

from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.source import Source

ROWS = [
    ("1", "Adler, Anna", "3w1", "2b½", "2", "2,5", "1"), ("2", "Berg, Bo", "4b½", "1w½", "3", "3", "0"),
    ("3", "Cruz, Clara", "1b0", "4w1", "4", "2,5", "1"), ("4", "Diaz, Dora", "2w½", "3b0", "5", "2", "0"),
]  # fmt: skip


def page(notes: str, *, points: str = "Pts.") -> Event:
    """Points 1½, 1, 1, ½; the sums of the opponents' points are 2, 2, 2, 2."""
    scores = {"1": "1,5", "2": "1", "3": "1", "4": "0,5"}
    head = ["Rk.", "Name", "1.Rd", "2.Rd", points, "TB1" if points == "Pts." else "TB2"]
    lines = [f"<tr>{''.join(f'<th>{cell}</th>' for cell in head if cell)}</tr>"]
    for number, name, one, two, *_ in ROWS:
        cells = [number, name, one, two, scores[number], "2"]
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    text = (
        "<html><body><h2>Sample Open</h2><p>Last update 15.08.2026 08:59:06</p><p>Date : 2026/04/01 to 2026/04/02</p>"
        f"<table>{''.join(lines)}</table><p><b>Annotation:</b><br/>{notes}</p><p>Program: Swiss-Manager</p></body></html>"
    )
    return events_from((Source("page.html", text.encode()),), "page")[0]


@pytest.mark.parametrize(
    "label",
    [
        "Tie Break1: ",
        "Tie-Break 1: ",
        "Wertung1: ",
        "Desempate 1: ",
        "Départage 1: ",
        "Доп.1: ",
        "破同分1：",
        "辅助分1：",
    ],
)
def test_notes_in_every_language(label: str) -> None:
    event = page(f"{label}Buchholz Tie-Break Variable (2026) (Gamepoints)<br/>")
    assert dict(event.tie_break_columns) == {"tb1": "Buchholz Tie-Break Variable (2026) (Gamepoints)"}
    found = compare(event)
    assert dict(found.codes) == {"tb1": "BH"}
    assert found.rows[found.rows["field"] == "tb1"]["agrees"].all()
    assert str(event.start) == "2026-04-01"


@pytest.mark.parametrize(
    ("words", "code"),
    [("84 (0;0;0;-;-;0;1)", "BH"), ("[84]", "BH"), ("Buchholz [84]", "BH"), ("37", "BH@pre2023")],
)
def test_notes_by_number(words: str, code: str) -> None:
    assert dict(compare(page(f"Tie Break1: {words}")).codes) == {"tb1": code}


def test_notes_in_one_line_and_one_without_equivalent() -> None:
    event = page("Tie Break1: Berlin Tie-Break [71] Tie Break2: Direct Encounter (DE)")
    assert dict(event.tie_break_columns) == {"tb1": "Berlin Tie-Break [71]", "tb2": "Direct Encounter (DE)"}
    assert [f.reason for f in compare(event).findings if f.field == "tb1"] == [
        "tie-break-number-without-code"
    ]


def test_points_that_stand_in_the_first_tie_break_only() -> None:
    event = page(
        "Tie Break1: points (game-points)<br/>Tie Break2: Buchholz Tie-Break Variable (2026) (Gamepoints)",
        points="TB1",
    )
    assert list(event.players["points"]) == [1.5, 1, 1, 0.5]
    found = compare(event)
    assert dict(found.codes) == {"tb1": "PTS", "tb2": "BH"}
    assert found.rows["agrees"].all()


def test_numbers_in_a_report_file() -> None:
    players = "".join(
        f"001 {n:4}      {f'Player {n}':<33} 2000                        {p:>4} {n:4}{r}\n"
        for n, p, r in ((1, "1.0", "     2 w 1"), (2, "0.0", "     1 b 0"))
    )
    text = f"012 Numbers\n042 2026/04/01\n202 84(0,0,1,-,-,0,1),81(-),84,5\n{players}"
    event = events_from((Source("x.trf", text.encode()),), "x")[0]
    assert event.tie_breaks[0] == "PTS"
    assert [code.partition("@")[0] + code.partition("@")[2][4:] for code in event.tie_breaks[1:]] == [
        "BH/C1",
        "DE",
        "84",
        "5",
    ]
