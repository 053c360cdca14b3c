"""What a report file says in contradiction, or in a record of its own, is written and read as what it is."""

from __future__ import annotations

import pytest

from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.writers.event_writer import event_bytes

HEAD = "012 Test\n062 4\n142 2\n"


def line(number: int, name: str, points: float, *cells: str) -> str:
    return (
        f"001 {number:4d} m    {name:33} 2000 CHN             1980/01/01 {points:4.1f} {number:4d}"
        + "".join(f"  {cell:>8}" for cell in cells)
    )


def report(*records: str) -> bytes:
    players = (
        line(1, "Alpha, A", 1.5, "3 w 1", "2 b ="), line(2, "Beta, B", 1.5, "4 b 1", "1 w ="),
        line(3, "Gamma, C", 1.0, "1 b 0", "4 w 1"), line(4, "Delta, D", 0.0, "2 w 0", "3 b 0"),
    )  # fmt: skip
    return (HEAD + "\n".join([*players, *records]) + "\n").encode()


@pytest.mark.parametrize(
    ("record", "points"),
    [
        ("299          -0.5  000    1", {1: 1.0}),
        ("299          -0.5  002    1", {1: 1.0}),
        ("299           0.5  002    3", {3: 1.5}),
        ("299 W         0.5  002    3", {3: 0.5}),
        ("299 W  0.0    0.5  002    3", {3: 0.5}),
        ("299 W  0.0    0.5  000", {1: 1.0, 2: 1.0, 3: 0.5}),
        ("299 +         0.5  002    3    4", {}),
    ],
)
def test_record_299_in_every_form(record: str, points: dict[int, float]) -> None:
    (event,) = events_in_bytes(report(record), "x.trf")
    found = dict.fromkeys((1, 2, 3, 4), 0.0)
    for side in ("first", "second"):
        for number, value in zip(event.games[side], event.games[f"{side}_points"], strict=True):
            found[number] += value
    assert found == {1: 1.5, 2: 1.5, 3: 1.0, 4: 0.0} | points
    assert not [fault for fault in event.faults if fault.reason == "record-299-unread"]


def test_a_record_299_that_cannot_be_read_is_named() -> None:
    (event,) = events_in_bytes(report("299 ? something"), "x.trf")
    (fault,) = [fault for fault in event.faults if fault.reason == "record-299-unread"]
    assert fault.line == 8


def test_a_cell_that_contradicts_others_does_not_become_a_bye() -> None:
    text = (
        HEAD
        + "\n".join([line(1, "A", 1.0, "2 w 1"), line(2, "B", 0.0, "3 b 0"), line(3, "C", 1.0, "2 w 1")])
        + "\n"
    )
    (event,) = events_in_bytes(text.encode(), "x.trf")
    data, losses = event_bytes(event, "trf26")
    assert any("contradict" in loss for loss in losses)
    (again,) = events_in_bytes(data, "x.trf")
    assert not {"full_bye", "PAB", "half_bye"} & set(map(str, again.games["kind"]))
    assert again.players["points"].tolist() == event.players["points"].tolist()


def test_titles_of_women_by_their_old_letters() -> None:
    from qiyi_analysis.readers.fields import read_title

    assert [read_title(one) for one in ("gf", "mf", "ff", "cf")] == ["WGM", "WIM", "WFM", "WCM"]
