"""Printed standings against recomputed ones: words of columns, verdicts, causes, ranks as groups, the command."""

from __future__ import annotations

import dataclasses
import json
from datetime import date
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from qiyi_analysis.app.cli.standings import command
from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks.printed import read_columns

RULES = ruleset("fide/tie-breaks/2026-03-01")
RESULTS = {"1": ("1", "0"), "=": ("=", "="), "0": ("0", "1")}


def swiss(**facts: Any) -> Event:
    """Eight players, four rounds, with a forfeit, a given and a requested bye."""
    rows = [
        (1, 1, 5, "1", "played"), (1, 6, 2, "0", "played"), (1, 3, 7, "1", "forfeit"), (1, 8, 4, "=", "played"),
        (2, 2, 1, "=", "played"), (2, 4, 3, "0", "played"), (2, 5, 6, "1", "played"), (2, 7, 8, "1", "played"),
        (3, 1, 3, "1", "played"), (3, 2, 7, "1", "played"), (3, 5, 4, "=", "played"), (3, 8, 0, "", "pab"),
        (3, 6, 0, "", "half_bye"), (4, 4, 1, "0", "played"), (4, 3, 2, "=", "played"), (4, 7, 5, "0", "played"),
        (4, 6, 8, "1", "played"),
    ]  # fmt: skip
    games = [
        {
            "round": round_,
            "first": first,
            "second": second,
            "first_result": RESULTS.get(result, ("", ""))[0],
            "second_result": RESULTS.get(result, ("", ""))[1],
            "kind": kind,
        }
        for round_, first, second, result, kind in rows
    ]
    players = [{"number": n, "name": f"P{n}", "rating": 2000 - 10 * n} for n in range(1, 9)]
    facts = {"format": "swiss", "rounds": 4, "start": date(2026, 4, 1), **facts}
    return make_event(players=players, games=games, **facts)


def printed(event: Event, code: str, words: str, rules: Any = RULES, ranks: bool = True) -> Event:
    """The event with one column and the ranks printed as another calculation gives them."""
    result = standings(event, ["PTS", code], rules)
    values = [float(value) for value in result.column(code).values()]
    columns: dict[str, Any] = {"tb1": values}
    if ranks:
        columns["rank"] = result.ranks.astype(float)
    return dataclasses.replace(event.with_players(**columns), tie_break_columns={"tb1": words})


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("BH/C1", "BH/C1"),
        ("Buchholz Tie-Breaks (variabel with parameter)", "BH"),
        ("Buchholz Cut 1", "BH/C1"),
        ("Median Buchholz", "BH/M1"),
        ("Buchholz with the 2023 unplayed-round rules (dummy opponent with the own score)", "BH@2023"),
        ("Buchholz, virtual opponent", "BH@pre2023"),
        ("Fore Buchholz", "FB"),
        ("Sonneborn-Berger", "SB"),
        ("Direct Encounter", "DE"),
        ("Koya", "KS"),
        ("The greater number of victories", "WIN"),
        ("Average rating of the opponents", "ARO"),
        ("MMS: start + wins + half a point per absence, rounded down", "MMS"),
        ("SOSOSM: sum of opponents' SOSM; an absence contributes rounds times the own start", "SOSOS"),
        ("对手分", "对手分"),
        ("胜者小分", "胜者小分"),
    ],
)
def test_words_of_a_printed_column(words: str, code: str) -> None:
    event = dataclasses.replace(swiss().with_players(tb1=np.arange(8.0)), tie_break_columns={"tb1": words})
    assert read_columns(event) == ({"tb1": code}, {})


def test_a_column_that_cannot_be_read_is_told_and_not_judged() -> None:
    event = dataclasses.replace(
        swiss().with_players(tb1=np.arange(8.0)), tie_break_columns={"tb1": "Manual input"}
    )
    found = compare(event)
    assert dict(found.unread) == {"tb1": "Manual input"}
    assert [(f.code, f.field) for f in found.findings if f.reason == "tie-break-column-not-read"] == [
        ("CK44", "tb1")
    ]


def test_columns_without_words_are_named_by_the_list_of_the_event() -> None:
    event = dataclasses.replace(swiss().with_players(tb1=np.arange(8.0)), tie_breaks=("PTS", "BH/C1"))
    assert read_columns(event)[0] == {"tb1": "BH/C1"}


def test_a_right_table_gives_no_finding() -> None:
    event = printed(swiss(), "BH", "Buchholz")
    found = compare(event)
    assert found.rows["agrees"].all()
    assert len(found.rows) == 16
    assert not [f for f in found.findings if f.code in ("CK33", "CK34")]


@pytest.mark.parametrize(
    ("code", "cause", "detail"),
    [
        ("BH@2024", "other-edition", "@2024"),
        ("BH@pre2023", "virtual-opponent", "@pre2023"),
        ("BH/C1", "cut", "one value cut"),
    ],
)
def test_the_cause_of_a_printed_buchholz(code: str, cause: str, detail: str) -> None:
    found = compare(printed(swiss(), code, "Buchholz", ranks=False))
    wrong = found.rows[~found.rows["agrees"].astype(bool)]
    assert len(wrong)
    for causes in wrong["causes"]:
        assert (cause, detail) in {(c.cause, c.detail) for c in causes}
    # Where most values of a column differ, one finding says so.
    assert any(f.reason in ("tie-break-differs", "tie-break-column-differs") for f in found.findings)
    # The one that explains most stands first.
    assert all(row[0].explains >= row[-1].explains for row in wrong["causes"])


def test_a_forfeit_read_as_a_bye() -> None:
    event = swiss()
    games = event.games.copy()
    forfeit = games["kind"] == "forfeit"
    byes = [
        {"round": 1, "first": 3, "second": 0, "kind": "full_bye", "first_points": 1.0, "line": 0},
        {"round": 1, "first": 7, "second": 0, "kind": "zero_bye", "first_points": 0.0, "line": 0},
    ]
    other = make_event(
        players=event.players,
        games=[*games[~forfeit].to_dict("records"), *byes],
        format="swiss",
        rounds=4,
        start=date(2026, 4, 1),
    )
    values = [float(v) for v in standings(other, "PTS,BH").column("BH").values()]
    found = compare(
        dataclasses.replace(event.with_players(tb1=values), tie_break_columns={"tb1": "Buchholz"})
    )
    wrong = found.rows[~found.rows["agrees"].astype(bool)]
    assert len(wrong)
    assert all("forfeit-as-bye" in {c.cause for c in causes} for causes in wrong["causes"])


def test_standings_before_the_last_round() -> None:
    event = swiss()
    early = [float(v) for v in standings(event, "PTS,BH", through=3).column("BH").values()]
    found = compare(dataclasses.replace(event.with_players(tb1=early), tie_break_columns={"tb1": "Buchholz"}))
    wrong = found.rows[~found.rows["agrees"].astype(bool)]
    assert all("before-last-round" in {c.cause for c in causes} for causes in wrong["causes"])


def test_a_cut_of_the_wrong_round() -> None:
    """The lowest value was cut although a requested bye goes first."""
    event = swiss(start=date(2025, 4, 1))
    games = event.games.copy()
    row = games.index[(games["round"] == 3) & (games["first"] == 2)]
    games.loc[row, ["second", "first_points"]] = [0, 0.5]
    games.loc[row, ["first_result", "second_result", "kind"]] = ["", "", "half_bye"]
    event = event.with_games(games)
    naive = ruleset("fide/tie-breaks/2024-08-01").with_block("cut", voluntary_first=False)
    values = [float(v) for v in standings(event, "PTS,BH/C1", naive).column("BH/C1").values()]
    found = compare(dataclasses.replace(event.with_players(tb1=values), tie_break_columns={"tb1": "BH/C1"}))
    wrong = found.rows[~found.rows["agrees"].astype(bool)]
    assert len(wrong)
    assert all("cut-wrong-round" in {c.cause for c in causes} for causes in wrong["causes"])


def test_ranks_are_compared_as_groups() -> None:
    """Two who stay tied may be numbered either way, or share; a third may not stand between them."""
    event = printed(swiss(), "WIN", "WIN")
    result = standings(event, "PTS,WIN")
    ranks = result.ranks.astype(float)
    tied = np.flatnonzero(ranks == next(r for r in ranks if (ranks == r).sum() > 1))
    for swapped in (tied, tied[::-1]):
        numbered = ranks.copy()
        numbered[swapped] = ranks[tied[0]] + np.arange(len(tied))
        assert not [f for f in compare(event.with_players(rank=numbered)).findings if f.code == "CK34"]
    wrong = ranks.copy()
    first, last = int(np.argmin(ranks)), int(np.argmax(ranks))
    wrong[first], wrong[last] = ranks[last], ranks[first]
    found = [f for f in compare(event.with_players(rank=wrong)).findings if f.code == "CK34"]
    assert {f.player for f in found} == {first + 1, last + 1}


def test_printed_values_are_compared_at_their_decimals() -> None:
    event = swiss()
    exact = standings(event, "PTS,AOB").column("AOB").values()
    rounded = [round(float(v) + 1e-9, 2) for v in exact]
    found = compare(dataclasses.replace(event.with_players(tb1=rounded), tie_break_columns={"tb1": "AOB"}))
    assert found.rows["agrees"].all()


def test_a_finding_reads_well_in_both_languages() -> None:
    found = compare(printed(swiss(), "BH@pre2023", "Buchholz", ranks=False))
    finding = next(f for f in found.findings if f.code == "CK33")
    assert "BH" in finding.message("en")
    assert "不符" in finding.message("zh")


def write(event: Event, folder: Any) -> str:
    from qiyi_analysis.readers.writers.event_writer import write_event

    path = folder / "event.trf"
    write_event(event, path)
    return str(path)


def test_the_command_prints_the_interface(tmp_path: Any) -> None:
    path = write(swiss(), tmp_path)
    done = CliRunner().invoke(command, [path, "--tie-breaks", "PTS,DE,BH/C1,AOB", "--json"])
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    assert answer["rules"] == ["fide/tie-breaks/2026-03-01"]
    first = answer["players"][0]
    assert list(first) == ["rank", "number", "id", "name", "PTS", "DE", "BH/C1", "AOB"]
    assert isinstance(first["rank"], int)
    assert isinstance(first["number"], int)
    assert first["id"] is None
    assert all(isinstance(first[code], str) for code in ("PTS", "DE", "BH/C1", "AOB"))
    assert len(first["AOB"].split(".")[1]) == 3


def test_the_command_prints_a_table_and_csv(tmp_path: Any) -> None:
    path = write(swiss(), tmp_path)
    table = CliRunner().invoke(command, [path, "--tie-breaks", "PTS,BH"])
    assert table.stdout.splitlines()[0].split()[-2:] == ["PTS", "BH"]
    text = CliRunner().invoke(command, [path, "--tie-breaks", "PTS,BH", "--csv"]).stdout
    assert text.startswith("\ufeffrank,number,id,name,PTS,BH\n")
    assert len(text.splitlines()) == 9


def test_the_command_names_the_nearest_code(tmp_path: Any) -> None:
    done = CliRunner().invoke(command, [write(swiss(), tmp_path), "--tie-breaks", "BHX"])
    assert "did you mean BH?" in str(done.exception)
