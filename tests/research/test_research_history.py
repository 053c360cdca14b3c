"""Histories: what is read, what is left out and counted, and the units of time."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.history.games import History, Remark, connectivity
from qiyi_analysis.research.history.history_files import (
    is_packed,
    open_packed,
    pgn_headers,
    read_history,
    write_history,
    xiangqi_masters,
)
from qiyi_analysis.research.history.rating_periods import NO_DAY, years_of
from qiyi_analysis.research.sweeps import sweep_units
from qiyi_analysis.research.sweeps.k_schedule import by_age, by_games, by_time_control
from qiyi_analysis.research.sweeps.k_sweep import sweep

ROWS = [
    ("2020-01-05", "Ann", "Bob", "1"),
    ("2020-01-05", "Bob", "Cai", "0.5"),
    ("2020-02-01", "Cai", "Ann", "0"),
]


def table(*rows, columns=("date", "white", "black", "result")) -> pd.DataFrame:
    return pd.DataFrame([*ROWS, *rows], columns=list(columns))


def remarks(history) -> dict[str, tuple[int, bool]]:
    return {remark.kind: (remark.rows, remark.left_out) for remark in history.remarks}


def test_rows_become_arrays() -> None:
    history = history_from_table(table())
    assert history.players["player"].tolist() == ["Ann", "Bob", "Cai"]
    assert history.first.tolist() == [0, 1, 2]
    assert history.second.tolist() == [1, 2, 0]
    assert history.half_points.tolist() == [2, 1, 0]
    assert history.period.tolist() == [0, 0, 1]
    assert history.first.dtype == np.int32
    assert history.half_points.dtype == np.int8
    assert history.remarks == ()


@pytest.mark.parametrize(
    ("row", "kind", "left_out"),
    [
        (("2020-02-02", "Ann", "Ann", "1"), "self", True),
        (("2020-02-02", "Ann", "", "1"), "no-player", True),
        (("2020-02-02", "Ann", "Bob", "2"), "result", True),
        (("2020-02-02", "Ann", "Bob", "*"), "result", True),
        (("2020-02-02", "Ann", "Bob", "0.75"), "result", True),
        (("", "Ann", "Bob", "1"), "no-date", True),
        (("2020-02-30", "Ann", "Bob", "1"), "no-date", True),
        (("2020", "Ann", "Bob", "1"), "partial-date", True),
        (("2020.02.??", "Ann", "Bob", "1"), "partial-date", True),
        (("2020-01-05", "Ann", "Bob", "1"), "duplicate", False),
    ],
)
def test_a_bad_row_is_counted_and_shown(row, kind: str, left_out: bool) -> None:
    history = history_from_table(table(row))
    assert remarks(history)[kind] == (1, left_out)
    assert len(history) == (3 if left_out else 4)
    assert history.left_out() == int(left_out)
    assert len(history) + history.left_out() == history.rows_read == 4
    remark = next(r for r in history.remarks if r.kind == kind)
    assert remark.example.startswith("row ")


def test_dates_going_backwards_are_sorted_and_said() -> None:
    history = history_from_table(table(("2019-12-31", "Bob", "Cai", "1")))
    assert remarks(history)["unsorted"] == (1, False)
    assert history.day.tolist() == sorted(history.day.tolist())
    assert history.players["player"][history.first[0]] == "Bob"


def test_duplicates_can_be_dropped_and_partial_dates_padded() -> None:
    again = table(("2020-01-05", "Ann", "Bob", "1"), ("2020", "Ann", "Cai", "1"))
    history = history_from_table(again, duplicates="drop", partial_dates="pad")
    assert remarks(history)["duplicate"] == (1, True)
    assert remarks(history)["padded-date"] == (1, False)
    assert len(history) == 4


def test_one_period_all_draws_and_islands_are_said() -> None:
    drawn = pd.DataFrame(
        [("2020-01-05", "A", "B", "="), ("2020-01-06", "C", "D", "1/2-1/2"), ("2020-01-06", "E", "A", "½")],
        columns=["date", "red", "black", "result"],
    )
    history = history_from_table(drawn)
    assert remarks(history) == {"one-period": (3, False), "all-draws": (3, False), "islands": (1, False)}
    parts = connectivity(history)
    assert parts["players"].tolist() == [3, 2]
    assert parts["games"].tolist() == [2, 1]


def test_a_table_without_a_game_is_refused_with_the_reasons() -> None:
    with pytest.raises(ReadError, match=r"none of 1 rows is a game; a player against himself \(1 rows\)"):
        history_from_table(
            pd.DataFrame([("2020-01-05", "A", "A", "1")], columns=["date", "white", "black", "result"])
        )
    with pytest.raises(ReadError, match="no column for the first player"):
        history_from_table(pd.DataFrame({"a": [1], "score": ["1"]}))
    with pytest.raises(ReadError, match="no result column"):
        history_from_table(pd.DataFrame({"white": ["A"], "black": ["B"]}))
    with pytest.raises(ReadError, match="no date column"):
        history_from_table(pd.DataFrame({"white": ["A"], "black": ["B"], "score": ["1"]}))
    with pytest.raises(ParameterError, match="period: 'fortnight'"):
        history_from_table(table(), period="fortnight")


@pytest.mark.parametrize(
    ("length", "labels"),
    [
        ("day", ["2019-12-30", "2020-03-31"]), ("week", ["2020-W01", "2020-W14"]), ("month", ["2019-12", "2020-03"]),
        ("quarter", ["2019Q4", "2020Q1"]), ("half-year", ["2019H2", "2020H1"]), ("year", ["2019", "2020"]),
    ],
)  # fmt: skip
def test_periods_have_names(length: str, labels: list[str]) -> None:
    rows = pd.DataFrame(
        [("2019-12-30", "A", "B", "1"), ("2020-03-31", "A", "B", "1")],
        columns=["date", "white", "black", "result"],
    )
    history = history_from_table(rows, period=length)
    assert [history.label(0), history.label(history.periods - 1)] == labels
    # 2019 as a whole began before 1 July: the first year that begins on or after it is 2020.
    assert history.index("2019-07-01") <= (1 if length == "year" else 0)


def test_a_date_names_the_first_period_that_begins_on_or_after_it() -> None:
    history = history_from_table(table(("2021-07-01", "Ann", "Bob", "1")))
    assert history.index("2020") == 0
    assert history.index("2020-02") == 1
    assert history.index("2020-02-01") == 1
    assert history.index("2020-02-02") == 2
    assert history.with_periods("year").index("2020-02-02") == 1
    with pytest.raises(ParameterError, match="expected a year"):
        history.index("spring")


def test_numbered_periods_and_several_columns() -> None:
    rows = pd.DataFrame(
        {
            "home": ["A", "B"],
            "away": ["B", "C"],
            "week": [3, 5],
            "score_home": [1, 0.5],
            "white_elo": [2000, None],
            "black_elo": [2100, 2000],
        }
    )
    history = history_from_table(rows, period="given")
    assert history.period.tolist() == [0, 2]
    assert history.index("5") == 2
    assert history.label(2) == "5"
    assert history.extra["first_rating"][0] == 2000
    assert np.isnan(history.extra["first_rating"][1])
    with pytest.raises(ParameterError, match="only numbered periods"):
        history.with_periods("year")


PGN = """[Event "Open \\"A\\""]
[Date "2021.05.??"]
[EventDate "2021.05.01"]
[White "Zhao"]
[Black "Qian"]
[Result "1/2-1/2"]
[WhiteElo "2400"]

1. e4 {[White "not a tag in a comment"] } e5 1/2-1/2

[Date "2021.05.02"]
[White "Sun"]
[Black "Zhao"]
[Result "0-1"]

1. d4 0-1

[Event "broken"]
[White "Li"]

*
"""


def test_pgn_headers_are_read_and_games_without_tags_counted(tmp_path) -> None:
    rows, broken = pgn_headers(PGN.encode())
    assert rows["first"].tolist() == ["Zhao", "Sun"]
    assert rows["event"].tolist() == ['Open "A"', ""]
    assert broken == 1
    (tmp_path / "g.pgn").write_bytes(PGN.encode())
    history = read_history(tmp_path / "g.pgn", partial_dates="pad")
    assert len(history) == 2
    assert Remark("pgn-headers", 1, True) in history.remarks
    assert history.rows_read == 3
    assert history.extra["first_rating"][0] == 2400
    with pytest.raises(ReadError, match="no game with"):
        pgn_headers(b"1. e4")


def test_csv_in_any_encoding_keeps_zeros_and_finds_players(tmp_path) -> None:
    text = "日期,红方,黑方,结果\n2020-01-01,007,王\n".replace("王\n", "王,1-0\n")
    names = {"date": "日期", "first": "红方", "second": "黑方", "score": "结果"}
    (tmp_path / "people.csv").write_text("player,birth_year\n007,1990\n", encoding="utf-8")
    for encoding in ("utf-8-sig", "gb18030"):
        (tmp_path / "g.csv").write_bytes(text.encode(encoding))
        history = read_history(tmp_path / "g.csv", columns=names, players=tmp_path / "people.csv")
        assert history.players["player"].tolist() == ["007", "王"]
        assert history.players["birth_year"].tolist()[0] == 1990
    with pytest.raises(ReadError, match="no such file"):
        read_history(tmp_path / "none.csv")
    (tmp_path / "g.xyz").write_text("x")
    (tmp_path / "g.parquet").write_text("x")
    with pytest.raises(ReadError, match=r"expected \.csv"):
        read_history(tmp_path / "g.xyz")
    with pytest.raises(ReadError, match="not a Parquet file"):
        open_packed(tmp_path / "g.parquet")


def test_a_packed_history_reads_back(tmp_path) -> None:
    history = made_history(games=500)
    write_history(history, tmp_path / "h.parquet", row_group=64)
    assert is_packed(tmp_path / "h.parquet")
    again = read_history(tmp_path / "h.parquet")
    for name in ("first", "second", "half_points", "period", "day"):
        assert np.array_equal(getattr(history, name), getattr(again, name))
    assert again.players["player"].tolist() == history.players["player"].tolist()
    packed = open_packed(tmp_path / "h.parquet")
    assert packed.label(0) == history.label(0)
    assert sum(len(piece) for piece in packed) == 500


def full_history():
    """A history with every column it can have."""
    history = made_history(games=600, players=40)
    rng = np.random.default_rng(5)
    n, starts = len(history), np.where(np.arange(40) % 3, np.nan, 1400.0)
    return replace(
        history, time_control=rng.integers(0, 2, n), time_controls=("standard", "blitz"), shift=rng.choice([0.0, 90.0], n),
        event=rng.integers(0, 9, n), events=tuple(f"Open {i}" for i in range(9)), discipline="go", source="club",
        attribution="by hand", extra={"first_rating": rng.normal(1500, 99, n)}, players=history.players.assign(start=starts),
        remarks=(Remark("duplicate", 2, False, "row 3"),),
    )  # fmt: skip


def test_a_packed_history_keeps_every_column_and_a_stream_of_it_gives_the_same_sums(
    tmp_path, monkeypatch
) -> None:
    history, path = full_history(), tmp_path / "full.parquet"
    write_history(history, path, row_group=64)
    again = read_history(path)
    for one in fields(History):
        ours, theirs = getattr(history, one.name), getattr(again, one.name)
        if one.name == "players":
            pd.testing.assert_frame_equal(ours, theirs)
        else:
            np.testing.assert_equal(theirs, ours)
    rules = [20, by_age([18, 40], [40, 20, 10]), by_time_control({"blitz": 5}, 40), by_games([10], [40, 20])]
    for exact in (
        50_000,
        100,
    ):  # every game and pair a sum of its own, then parts of periods and groups of players
        monkeypatch.setattr(sweep_units, "EXACT_UNITS", exact)
        for limit in (10**6, 100):  # the file read whole, then row group by row group
            monkeypatch.setattr(sweep_units, "IN_MEMORY", limit if exact == 100 else 10**6)
            if exact == 100 and limit == 10**6:
                continue
            for update in ("game", "period"):
                swept = [
                    sweep(games, rules, advantage=30, start=1250.0, scored_from=6, update=update)
                    for games in (history, path, again)
                ]
                for other in swept[1:]:
                    pd.testing.assert_frame_equal(swept[0].table(), other.table(), check_exact=True)
                    assert np.array_equal(swept[0].sums, other.sums)
                    assert np.array_equal(swept[0].pair_sums, other.pair_sums)
                    assert np.array_equal(swept[0].ratings, other.ratings, equal_nan=True)
                assert "three_way" in swept[0].table()


def test_a_packed_history_without_its_players_is_refused(tmp_path) -> None:
    write_history(full_history(), tmp_path / "full.parquet")
    (tmp_path / "full.players.parquet").unlink()
    with pytest.raises(ReadError, match=r"full\.players\.parquet is missing"):
        open_packed(tmp_path / "full.parquet")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"second": [1, 5_000_000]}, "second: item 1 is 5000000; expected 0 to 2"),
        ({"first": [-1, 1]}, "first: item 0 is -1"),
        ({"half_points": [2, 7]}, "half_points: item 1 is 7; expected 0 to 2"),
        ({"half_points": [2, 258]}, "half_points: item 1 cannot be stored as int8"),
        ({"half_points": [2, 0.5]}, "half_points: item 1 cannot be stored"),
        ({"period": [3, 1]}, "period: item 1 is smaller than the one before"),
        ({"first": [0, 2], "second": [1, 2]}, "game 1 has the same player on both sides"),
        ({"day": [0]}, "day: an array of shape"),
        ({"time_control": [0, 2], "time_controls": ("rapid", "blitz")}, "time_control: item 1 is 2"),
        ({"event": [0, 0]}, "event: item 0 is 0"),
        ({"shift": [0.0, np.nan]}, "shift: item 1 is not a finite number"),
        ({"players": pd.DataFrame({"name": ["A", "B", "C"]})}, "no column 'player'"),
        ({"extra": {"first_rating": [1.0]}}, "first_rating: an array of shape"),
    ],
)
def test_a_history_refuses_arrays_that_are_no_games(change: dict, message: str) -> None:
    whole = {"first": [0, 1], "second": [1, 2], "half_points": [2, 1], "period": [0, 1], "day": [0, 40]}
    players = pd.DataFrame({"player": ["A", "B", "C"]})
    assert len(History(**whole, players=players)) == 2
    with pytest.raises(ParameterError, match=message):
        History(**({**whole, "players": players} | change))


def test_the_shipped_history_names_its_source() -> None:
    history = xiangqi_masters()
    assert "Yu-Han Tseng" in history.attribution
    assert "CC BY 4.0" in history.attribution
    assert history.rows_read == 22579
    assert remarks(history)["partial-date"] == (2305, True)
    # One row carries 29 February 2005, a day that never was.
    assert remarks(history)["no-date"] == (1, True)
    assert len(history) == 20273
    assert len(xiangqi_masters("year", partial_dates="pad")) == 22578


def test_given_periods_need_their_column() -> None:
    table = pd.DataFrame(
        {"first": ["a", "b"], "second": ["b", "a"], "result": ["1", "0"], "date": ["2020", "2021"]}
    )
    with pytest.raises(ReadError, match="'period'"):
        history_from_table(table, period="given")


def test_years_where_some_games_have_no_day() -> None:
    """With periods of one's own a day may be missing; no table of all days since long ago is made for it."""
    days = pd.to_datetime(["1969-12-31", "2024-02-29"]).to_numpy().astype("datetime64[D]").astype(np.int32)
    assert years_of(np.array([days[1], NO_DAY, days[0]], np.int32)).tolist() == [2024, -5877641, 1969]
    assert years_of(np.array([NO_DAY], np.int32)).tolist() == [-5877641]
    assert years_of(np.zeros(0, np.int32)).size == 0
