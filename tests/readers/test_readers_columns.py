"""Long tables read by columns: the same cells, lines and faults as row by row."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables import columns
from qiyi_analysis.readers.tables.delimited import Row, parse_rows
from qiyi_analysis.readers.writers.event_writer import LIST_HEAD

PLACES = [0, 1, 3]


def by_rows(text: str, separator: str, first: int) -> list[tuple[int, list[str]]]:
    rows = [row for row in parse_rows(text, Faults("x"), separator) if row.line >= first]
    return [(row.line, [row.cells[p] if p < len(row.cells) else "" for p in PLACES]) for row in rows]


def by_columns(text: str, separator: str, first: int) -> list[tuple[int, list[str]]] | None:
    cells = columns.from_text(text, separator, PLACES, first)
    if cells is None:
        return None
    rows = zip(*(cells.columns[place].to_pylist() for place in PLACES), strict=True)
    whole = [(line, list(row)) for line, row in zip(cells.lines.tolist(), rows, strict=True)]
    return [(line, row) for line, row in whole if any(row)]


PIECES = ["a", "b c", " ", "王", "é", ",", ",", ",", ",", ";", "\n", "\n", "\r\n", "\r", '"', '""', '"x"', '"x,y"', '"x""y"',
          "\t", "\x1f", "\u00a0", "\u3000", "\ufeff", "\u2028", "\x00", "\x85", "\x0c", ",,,\n", "1,2,3,4\n", '"', "'"]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_columns_are_the_cells_of_the_rows(seed: int) -> None:
    rng = random.Random(seed)
    quick = 0
    for _ in range(100):
        some = rng.sample(PIECES, rng.randint(3, len(PIECES)))
        text = "".join(rng.choice(some) for _ in range(rng.randint(0, 60)))
        first = rng.choice([1, 1, 2])
        found = by_columns(text, ",", first)
        if found is None:
            continue
        quick += 1
        # A row that begins before the first line asked for is none of a plain table.
        assert found == [(line, cells) for line, cells in by_rows(text, ",", first) if any(cells)], repr(text)
    assert quick > 2


def test_plain_tables_are_cut_by_the_compiled_reader() -> None:
    text = 'id,name,x,rating\n1,"Müller, Jan",,2000\n\n2,"say ""hi""",,2100\n3,short\n4,long,,1,5,6\n'
    assert by_columns(text, ",", 2) == [
        (2, ["1", "Müller, Jan", "2000"]), (4, ["2", 'say "hi"', "2100"]), (5, ["3", "short", ""]), (6, ["4", "long", "1"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '1,"two\nlines",3,4\n', '1,"open,3,4\n', '1,a"b,"c",4\n', '1,"a"b,3,4\n', f"1,{'x' * 140_000},3,4\n", "1,\x00,3,4\n",
    ],
)  # fmt: skip
def test_what_is_no_plain_table_is_left_to_the_other_reader(text: str) -> None:
    assert columns.from_text("1,2,3,4\n" + text, ",", PLACES, 1) is None


def test_half_characters_of_a_workbook_are_replaced() -> None:
    cells = columns.from_rows([Row(2, ["1", "a\ud800b"]), Row(4, ["2"])], [0, 1])
    assert cells.columns[1].to_pylist() == ["a\ufffdb", ""]
    assert cells.lines.tolist() == [2, 4]


def long_list(path: Path, count: int, quoted: bool = False) -> Path:
    rows = [
        [f"{10_000_000 + i}", f"Family{i % 977}, Given{i % 31}", "mw"[i % 2], "CHN", "北京", f"{1950 + i % 60}", "", f"{1000 + i % 1800}",
         "20", f"{i % 500}", "", ""]
        for i in range(count)
    ]  # fmt: skip
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
        writer.writerow(LIST_HEAD)
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("quoted", [False, True])
def test_a_long_list_is_the_same_either_way(
    tmp_path: Path, quoted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = long_list(tmp_path / "list.csv", 10_000, quoted)
    by_columns: list[bool] = []
    whole = columns.from_text
    with monkeypatch.context() as patched:
        patched.setattr(
            columns, "from_text", lambda *a: (found := whole(*a), by_columns.append(found is not None))[0]
        )
        quick = read_list(path)
    assert by_columns == [True]
    assert len(quick.rows) == 10_000
    monkeypatch.setattr(columns, "from_text", lambda *_: None)
    slow = read_list(path)
    pd.testing.assert_frame_equal(quick.rows, slow.rows)
    assert quick.faults == slow.faults


def test_faults_are_told_in_the_order_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "id,name,birth_year,rating,k\n1,A,99x,abc,20\n2,B,1990,2000,x\n3,320311770706001 C,1990,9999,20\n4,D,99x,2000,20\n",
        encoding="utf-8",
    )
    found = read_list(path)
    assert [(f.line, f.field, f.published) for f in found.faults] == [
        (2, "birth_year", "99x"), (2, "rating", "abc"), (3, "k", "x"), (4, "name", ""), (4, "rating", "9999"), (5, "birth_year", "99x"),
    ]  # fmt: skip
    assert found.rows["name"].tolist() == ["A", "B", "(number withheld) C", "D"]
    assert np.isnan(found.rows["rating"].tolist()[0])


# --- FIDE's own lists ---------------------------------------------------------------------------------

HEAD = "ID Number      Name                            Fed Sex Tit  OTit    FOA MAY26 Gms K  B-day Flag"


def fide_line(
    id: str, name: str, sex: str, title: str, others: str, rating: str, games: str, birth: str
) -> str:
    return f"{id:<15}{name:<32}CHN {sex:<4}{title:<5}{others:<8}    {rating:<6}{games:<4}10 {birth:<6}i"


def test_fide_text_is_cut_by_characters_and_a_long_entry_pushes_one_line(tmp_path: Path) -> None:
    lines = [
        HEAD,
        fide_line("1", "Müller, Jan", "M", "g", "", "2000", "0", "1990"),
        "",
        fide_line("2", "𠮷田, 太郎", "F", "", "FI,NA", "0", "3", "0000"),
        fide_line("3", "Pushed, A", "M", "", "FST,IA,IO", "2100", "1", "1980"),
        "4",
    ]
    path = tmp_path / "standard_may26frl.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = read_list(path)
    rows = found.rows
    assert rows["id"].tolist() == ["1", "2", "3", "4"]
    assert rows["name"].tolist()[:2] == ["Müller, Jan", "𠮷田, 太郎"]
    assert rows["line"].tolist() == [2, 4, 5, 6]
    assert rows["sex"].tolist() == ["m", "w", "m", ""]
    assert rows["title"].tolist() == ["GM", "", "", ""]
    assert rows["rating"].fillna(0).tolist() == [2000, 0, 2100, 0]
    assert rows["birth_year"].fillna(0).tolist() == [1990, 0, 1980, 0]
    assert [f.reason for f in found.faults] == ["list-shifted"]
    plain = tmp_path / "standard_ascii_may26frl.txt"
    plain.write_text("\n".join(lines).replace("ü", "u").replace("𠮷田, 太郎", "Yo, Ta"), encoding="utf-8")
    same = read_list(plain).rows.drop(columns="name")
    pd.testing.assert_frame_equal(same, rows.drop(columns="name"))


PLAYER = "<player>\n<fideid>{}</fideid>\n<name>{}</name>\n<sex>M</sex>\n<rating>2000</rating>\n<birthday>1990</birthday>\n</player>\n"
DOCUMENT = '<?xml version="1.0"?>\n<playerslist>\n{}</playerslist>\n'
#: What stands in the list -> its names, and whether it is read by the elements.
XML_LISTS = {
    "all alike": (PLAYER.format(1, "A, B") + PLAYER.format(2, " O&apos;Neil &amp; Co "), ["A, B", "O'Neil & Co"], False),
    "empty elements": (PLAYER.format(1, "A") + PLAYER.format(2, "B").replace("<sex>M</sex>", "<sex/>"), ["A", "B"], False),
    "one otherwise": (PLAYER.format(1, "A") + PLAYER.format(2, "B").replace("<sex>M</sex>\n", ""), ["A", "B"], True),
    "numbers of characters": (PLAYER.format(1, "A&#66;"), ["AB"], True),
    "a player in a comment": ("<!--" + PLAYER.format(9, "No") + "-->" + PLAYER.format(1, "A"), ["A"], True),
    "something between": (PLAYER.format(1, "A") + "<note>x</note>" + PLAYER.format(2, "B"), ["A", "B"], True),
}  # fmt: skip


@pytest.mark.parametrize(("players", "names", "elements"), XML_LISTS.values(), ids=XML_LISTS)
def test_fide_xml_of_players_written_alike(
    players: str, names: list[str], elements: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qiyi_analysis.readers.lists import fide_lists

    path = tmp_path / "standard_rating_list.xml"
    path.write_text(DOCUMENT.format(players), encoding="utf-8")
    documents: list[str] = []
    whole = fide_lists._players
    monkeypatch.setattr(
        fide_lists, "_players", lambda data, *a: (documents.append(data.decode()), whole(data, *a))[1]
    )
    quick = read_list(path)
    assert quick.rows["name"].tolist() == names
    assert any("<fideid>" in one for one in documents) is elements
    monkeypatch.setattr(fide_lists, "_plain_players", lambda *_: None)
    pd.testing.assert_frame_equal(read_list(path).rows, quick.rows)


def test_fide_xml_that_is_damaged_is_refused(tmp_path: Path) -> None:
    from qiyi_analysis.model.errors import ReadError

    path = tmp_path / "standard_rating_list.xml"
    path.write_text(DOCUMENT.format(PLAYER.format(1, "A")).replace("</playerslist>", ""), encoding="utf-8")
    with pytest.raises(ReadError):
        read_list(path)
