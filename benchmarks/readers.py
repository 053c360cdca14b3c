"""Reading: long rating lists as CSV, workbook and FIDE's text and XML, each beside a loop that takes the file apart and no more."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.parsers import expat
from zipfile import ZipFile

import numpy as np
import xlsxwriter

from benchmarks import Measurement, median_seconds
from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.writers.event_writer import LIST_HEAD

FIDE_HEAD = "ID Number      Name                            Fed Sex Tit  OTit    FOA MAY26 Gms K  B-day Flag"
TAGS = ("fideid", "name", "country", "sex", "title", "rating", "games", "k", "birthday", "flag")


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """Seconds a list takes beside a plain loop over the cells, and seconds a large report file takes."""
    size, rounds = (100, 5) if smoke else (5000, 13)
    report = report_file(size, rounds)
    yield Measurement(
        work=f"report file, {size:,} x {rounds}", value=_seconds(lambda: events_in_bytes(report, "x.trf")), unit="s",
        limit=None if smoke else 1.0, peer="the cells alone", peer_value=_seconds(lambda: _plain_report(report)),
    )  # fmt: skip
    players = _players(1_000 if smoke else 200_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, path, write, plain in (
            ("CSV", folder / "list.csv", _write_csv, _plain_csv),
            ("workbook", folder / "list.xlsx", _write_workbook, _plain_workbook),
            ("FIDE text", folder / "standard_may26frl.txt", _write_fide, _plain_fide),
            ("FIDE XML", folder / "standard_rating_list.xml", _write_xml, _plain_xml),
        ):
            some = players[: len(players) // 4] if title == "workbook" else players
            write(path, some)
            seconds, beside = _seconds(lambda p=path: read_list(p)), _seconds(lambda p=path, f=plain: f(p))
            yield Measurement(
                work=f"list of {len(some):,} players, {title}", value=seconds, unit="s", peer="the cells alone", peer_value=beside
            )  # fmt: skip


def report_file(size: int, rounds: int) -> bytes:
    """A TRF16 file; the players of a round meet in pairs, no two rounds alike."""
    cells: list[list[str]] = [[] for _ in range(size)]
    for round_ in range(rounds):
        for place in range(0, size, 2):
            one, two = (place + round_ * 37) % size, (place + 1 + round_ * 37) % size
            result = "1=0"[(place + round_) % 3]
            cells[one].append(f"  {two + 1:4d} w {result}")
            cells[two].append(f"  {one + 1:4d} b {'0=1'[(place + round_) % 3]}")
    worth = {"1": 1.0, "=": 0.5, "0": 0.0}
    lines = ["012 Large", "042 2024/05/01", f"XXR {rounds}"]
    for number, row in enumerate(cells, 1):
        points = sum(worth[cell[-1]] for cell in row)
        head = f"001 {number:4d} m    {f'Player {number}':33} 1500 NOR {number + 100000:11d} 1990/01/01 {points:4.1f} {number:4d}"
        lines.append(head + "".join(row))
    return "\n".join(lines).encode()


def _plain_report(data: bytes) -> list[list[tuple[str, str, str]]]:
    return [
        [(line[at + 2 : at + 6].strip(), line[at + 7], line[at + 9]) for at in range(89, len(line), 10)]
        for line in data.decode().splitlines()
        if line.startswith("001")
    ]


def _seconds(work: Callable[[], object]) -> float:
    return median_seconds(work, 3)


def _players(count: int) -> list[tuple[str, ...]]:
    rng = np.random.default_rng(7)
    ratings, years = rng.integers(1000, 2800, count).tolist(), rng.integers(1940, 2016, count).tolist()
    return [
        (f"{1_000_000 + i}", f"Family{i % 977}, Given{i % 31}", "mw"[i % 2], "CHN", "", f"{year}", "", f"{rating}", "20", f"{i % 30}", "", "")
        for i, (rating, year) in enumerate(zip(ratings, years, strict=True))
    ]  # fmt: skip


def _write_csv(path: Path, players: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([LIST_HEAD, *players])


def _plain_csv(path: Path) -> object:
    with path.open(encoding="utf-8", newline="") as stream:
        return [[cell.strip() for cell in row] for row in csv.reader(stream)]


def _write_workbook(path: Path, players: list[tuple[str, ...]]) -> None:
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, LIST_HEAD)
    for i, row in enumerate(players, 1):
        sheet.write_row(
            i, 0, [int(cell) if cell.isdecimal() and place else cell for place, cell in enumerate(row)]
        )
    book.close()


def _plain_workbook(path: Path) -> object:
    parser = expat.ParserCreate()
    parts: list[str] = []
    parser.StartElementHandler = parser.EndElementHandler = lambda *_: None
    parser.CharacterDataHandler = parts.append
    with ZipFile(path) as archive:
        parser.Parse(archive.read("xl/worksheets/sheet1.xml"), True)
    return parts


def _write_fide(path: Path, players: list[tuple[str, ...]]) -> None:
    lines = [
        f"{id:<15}{name:<32}{fed} {sex.upper():<4}{'':<5}{'':<8}    {rating:<6}{games:<4}{k} {year:<6}"
        for id, name, sex, fed, _, year, _, rating, k, games, _, _ in players
    ]
    path.write_text("\n".join([FIDE_HEAD, *lines]) + "\n", encoding="utf-8")


def _plain_fide(path: Path) -> object:
    ends = [match.start() for match in re.finditer(r"ID Number|\S+", FIDE_HEAD)]
    spans = list(zip(ends, [*ends[1:], None], strict=True))
    with path.open(encoding="utf-8") as stream:
        return [[line[begin:end].strip() for begin, end in spans] for line in stream]


def _write_xml(path: Path, players: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.write('<?xml version="1.0"?>\n<playerslist>\n')
        for id, name, sex, fed, _, year, title, rating, k, games, _, _ in players:
            cells = zip(TAGS, (id, name, fed, sex.upper(), title, rating, games, k, year, ""), strict=True)
            stream.write(
                "<player>\n" + "".join(f"<{tag}>{cell}</{tag}>\n" for tag, cell in cells) + "</player>\n"
            )
        stream.write("</playerslist>\n")


def _plain_xml(path: Path) -> object:
    parser = expat.ParserCreate()
    parts: list[str] = []
    parser.StartElementHandler = parser.EndElementHandler = lambda *_: None
    parser.CharacterDataHandler = parts.append
    parser.Parse(path.read_bytes(), True)
    return parts
