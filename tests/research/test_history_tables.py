"""Tables of games as federations keep them: heads, results, scales, colours, forfeits, duplicates, kinds of files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import read_history
from qiyi_analysis.research.history.packing import pack_table


def written(folder: Path, text: str, name: str = "games.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def facts(history: History) -> tuple[list[tuple[str, str, int]], dict[str, int]]:
    """The games as (first, second, half points), and the remarks."""
    names = history.players["player"].to_numpy()
    games = list(zip(names[history.first], names[history.second], history.half_points.tolist(), strict=True))
    return games, {remark.kind: remark.rows for remark in history.remarks if remark.kind != "one-period"}


CASES = {
    "a folder's games.csv": (
        "round,board,white,black,white_score,black_score,kind,date\n"
        "1,1,A,B,1,0,played,2024-01-01\n1,2,C,D,1,0,forfeit,2024-01-01\n"
        "2,1,A,C,0,0,forfeit,2024-01-02\n2,2,B,D,0.5,0.5,played,2024-01-02\n",
        [("A", "B", 2), ("B", "D", 1)], {"unplayed": 2},
    ),
    "both lose": ("date,white,black,result\n2024-01-01,A,B,0-0\n2024-01-01,A,C,1-0\n", [("A", "C", 2)], {"both-lose": 1}),
    "both lose by points": (
        "date,white,black,score_white,score_black\n2024-01-01,A,B,0,0\n2024-01-01,A,C,1,0\n", [("A", "C", 2)], {"both-lose": 1},
    ),
    "plus and minus are forfeits": (
        "date,white,black,result\n2024-01-01,A,B,+\n2024-01-02,B,A,-\n2024-01-02,B,A,1-0\n", [("B", "A", 2)], {"forfeit": 2},
    ),
    "pairs with colons": (
        "date,white,black,result\n2024-01-01,A,B,+:-\n2024-01-02,B,A,+--\n2024-01-02,B,A,1:0\n", [("B", "A", 2)], {"forfeit": 2},
    ),
    "byes": ("date,white,black,result\n2024-01-01,A,BYE,1-0\n2024-01-01,A,B,1-0\n2024-01-02,轮空,B,0-1\n", [("A", "B", 2)], {"bye": 2}),
    "Chinese heads": (
        "日期,红方,黑方,结果\n2024-01-01,王,李,红胜\n2024-01-02,李,王,和\n2024-01-03,李,王,黑胜\n",
        [("王", "李", 2), ("李", "王", 1), ("李", "王", 0)], {},
    ),
    "Chinese results": (
        "date,red,black,result\n2024-01-01,王,李,胜\n2024-01-02,李,王,和\n2024-01-03,李,王,负\n",
        [("王", "李", 2), ("李", "王", 1), ("李", "王", 0)], {},
    ),
    "2-1-0": (
        "date,red,black,score_red\n2024-01-01,王,李,2\n2024-01-02,李,王,1\n2024-01-03,李,王,0\n2024-01-03,赵,王,1\n",
        [("王", "李", 2), ("李", "王", 1), ("李", "王", 0), ("赵", "王", 1)], {"scale": 4},
    ),
    "2-1-0, no win of the first": (
        "date,red,black,score_red,score_black\n2024-01-01,王,李,1,1\n2024-01-02,李,王,0,2\n", [("王", "李", 1), ("李", "王", 0)], {"scale": 2},
    ),
    "3-1-0": (
        "date,home,away,score_home\n2024-01-01,A,B,3\n2024-01-02,A,B,1\n2024-01-03,B,A,0\n", [("A", "B", 2), ("A", "B", 1), ("B", "A", 0)], {"scale": 3},
    ),
    "points that do not fit": (
        "date,white,black,score_white,score_black\n2024-01-01,A,B,1,1\n2024-01-02,A,B,0.5,0.5\n", [("A", "B", 1)], {"result": 1, "all-draws": 1},
    ),
    "semicolons": ("white;black;result;date\nA;B;1-0;2024-01-01\n", [("A", "B", 2)], {}),
    "tabs": ("white\tblack\tresult\tdate\nA\tB\t1-0\t2024-01-01\n", [("A", "B", 2)], {}),
    "dates in every form": (
        "date,white,black,result\n31.12.2023,A,B,1-0\n2024年1月5日,A,B,1-0\n5 Feb 2024,A,B,1-0\n20240301,A,B,1-0\n", [("A", "B", 2)] * 4, {},
    ),
    "handicap": (
        "date,white,black,result,handicap\n2024-01-01,A,B,1-0,0\n2024-01-01,A,C,1-0,3\n", [("A", "B", 2), ("A", "C", 2)], {"handicap": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_tables_as_federations_keep_them(tmp_path: Path, name: str) -> None:
    text, games, remarks = CASES[name]
    assert facts(read_history(written(tmp_path, text))) == (games, remarks)


def test_black_moves_first_in_go_only() -> None:
    won = pd.DataFrame([("2024-01-01", "B", "W", 1)], columns=["date", "black", "white", "black_won"])
    both = pd.DataFrame(
        [("2024-01-01", "B", "W", 1, 0)], columns=["date", "black", "white", "score_black", "score_white"]
    )
    words = pd.DataFrame(
        [("2024-01-01", "B", "W", "B+R"), ("2024-01-02", "B", "W", "W+3.5"), ("2024-01-03", "B", "W", "B+F")],
        columns=["date", "black", "white", "result"],
    )
    for table in (won, both):
        assert facts(history_from_table(table, discipline="go"))[0] == [("B", "W", 2)]
        assert facts(history_from_table(table))[0] == [("W", "B", 0)]
    assert facts(history_from_table(words, discipline="go")) == (
        [("B", "W", 2), ("B", "W", 0)],
        {"forfeit": 1},
    )
    assert facts(history_from_table(words))[0] == [("W", "B", 0), ("W", "B", 2)]


def test_a_second_score_column_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    points = rng.choice([0.0, 0.5, 1.0], 50)
    table = pd.DataFrame({"date": "2024-01-01", "white": "A", "black": "B", "score_white": points})
    one, two = history_from_table(table), history_from_table(table.assign(score_black=1 - points))
    assert facts(one) == facts(two)


def test_numbers_with_a_gap_stay_one_person() -> None:
    table = pd.DataFrame(
        {"date": ["2024-01-01"] * 3, "white": [1, 2, np.nan], "black": [2, 1, 1], "score_white": [1, 0.5, 1]}
    )
    history = history_from_table(table)
    assert history.players["player"].tolist() == ["1", "2"]


def test_duplicates_by_round_board_and_side() -> None:
    rows = [("2024-01-01", "A", "B", "1-0"), ("2024-01-01", "A", "B", "1-0"), ("2024-01-01", "B", "A", "0-1")]
    table = pd.DataFrame(rows, columns=["date", "white", "black", "result"])
    games, remarks = facts(history_from_table(table, duplicates="drop"))
    assert (games, remarks) == ([("A", "B", 2)], {"duplicate": 1, "mirrored": 1})
    # A match of several games on one day: the round tells them apart.
    assert len(history_from_table(table.assign(round=[1, 2, 3]), duplicates="drop")) == 3
    # The same games under the numbers of two events are the same games.
    assert len(history_from_table(table.assign(event=["x", "y", "z"]), duplicates="drop")) == 1


def test_compressed_and_other_files(tmp_path: Path) -> None:
    text = "white,black,result,date\nA,B,1-0,2024-01-01\n"
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(text.encode()))
    pd.DataFrame([("A", "B", "1-0", "2024-01-01")], columns=["white", "black", "result", "date"]).to_feather(
        tmp_path / "g.feather"
    )
    for name in ("g.csv.gz", "g.feather"):
        assert facts(read_history(tmp_path / name))[0] == [("A", "B", 2)]
    (tmp_path / "bad.csv.gz").write_bytes(b"\x1f\x8b no archive")
    with pytest.raises(ReadError, match=r"bad\.csv\.gz"):
        read_history(tmp_path / "bad.csv.gz")


def test_workbooks(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (("日期", "白方", "黑方", "结果"), ("2024-01-01", "A", "B", "1-0")):
        book.active.append(row)
    book.save(tmp_path / "g.xlsx")
    assert facts(read_history(tmp_path / "g.xlsx"))[0] == [("A", "B", 2)]


def test_players_who_are_not_in_the_games_and_births_that_cannot_be_read(tmp_path: Path) -> None:
    games = written(tmp_path, "date,white,black,result\n2024-01-01,A,B,1-0\n")
    people = written(tmp_path, "player,birth_year\nZ,1990\nA,abc\nB,1985\n", "people.csv")
    history = read_history(games, players=people)
    assert {(r.kind, r.rows, str(r.example)) for r in history.remarks if r.kind != "one-period"} == {
        ("players-unknown", 1, "Z"),
        ("birth", 1, "abc"),
    }
    born = written(tmp_path, "name,birth_date,sex\nA,1990-03-04,w\n", "born.csv")
    assert read_history(games, players=born).players["birth_year"].tolist()[0] == 1990


def test_a_row_that_is_left_out_is_shown_in_short(tmp_path: Path) -> None:
    long = "x" * 5000
    history = read_history(
        written(tmp_path, f"date,white,black,result,note\n2024-01-01,A,B,1-0,\n2024-01-02,A,B,?,{long}\n")
    )
    (example,) = (r.example for r in history.remarks if str(r.example).startswith("row 3"))
    assert len(str(example)) < 220
    assert len(example.zh) < 220


def test_messages_list_the_columns_found_and_expected() -> None:
    with pytest.raises(ReadError, match=r"no result column in white, black; .*score_white"):
        history_from_table(pd.DataFrame({"white": ["A"], "black": ["B"]}))
    with pytest.raises(ReadError, match=r"no column for the first player in a, score; .*white"):
        history_from_table(pd.DataFrame({"a": [1], "score": ["1"]}))


def test_a_table_is_packed_piece_by_piece(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 900, 500)), unit="D")
    table = pd.DataFrame(
        {
            "date": days.strftime("%Y-%m-%d"),
            "white": [f"p{i}" for i in rng.integers(0, 20, 500)],
            "black": [f"q{i}" for i in rng.integers(0, 20, 500)],
            "result": rng.choice(["1-0", "0-1", "1/2-1/2"], 500),
        }
    )
    table.to_csv(tmp_path / "games.csv", index=False)
    table.to_parquet(tmp_path / "games.parquet")
    whole = history_from_table(table)
    for name in ("games.csv", "games.parquet"):
        assert pack_table(tmp_path / name, tmp_path / "packed.parquet", rows=64) == (500, 0)
        packed = read_history(tmp_path / "packed.parquet")
        for column in ("half_points", "period", "day"):
            assert np.array_equal(getattr(packed, column), getattr(whole, column))
        assert packed.period_origin == whole.period_origin
        for side in ("first", "second"):
            ours, theirs = (
                h.players["player"].to_numpy()[getattr(h, side)].tolist() for h in (packed, whole)
            )
            assert ours == theirs
    table.iloc[::-1].to_csv(tmp_path / "back.csv", index=False)
    with pytest.raises(ReadError, match="order of time"):
        pack_table(tmp_path / "back.csv", tmp_path / "packed.parquet", rows=64)
