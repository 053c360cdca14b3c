"""Files of a list, carried facts, the ledger, the command."""

import io
import json
import os
from datetime import date

import numpy as np
import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner
from lists_made import CCA, CXA, FIDE, a_list, published, swiss, two_events, write_event, xiangqi_newcomer

from qiyi_analysis.files import folders
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.list_files import read_reports, write_list
from qiyi_analysis.lists.state import carried, read_state, state_of, with_carried
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.rating.k_factor import choose_k
from qiyi_analysis.readers.writers.list_writer import csv_list, fide_text, fide_xml, xlsx_tables
from qiyi_analysis.rules.ruleset import all_rulesets


def plain_k(rules, one: dict[str, float], day: date) -> int:
    """K of a player of whom everything is known, row by row."""
    holds = {
        "peak_at_least": lambda limit, row: max(one["rating"], one["peak"]) >= limit,
        "peak_below": lambda limit, row: max(one["rating"], one["peak"]) < limit,
        "rating_at_least": lambda limit, row: one["rating"] >= limit,
        "rating_below": lambda limit, row: one["rating"] < limit,
        "games_below": lambda limit, row: one["games"] < limit,
        "events_below": lambda limit, row: one["events"] < limit,
        "games_or_events_below": lambda limit, row: (
            all if row.get("ends_when", "either") == "either" else any
        )([one["games"] < limit[0], one["events"] < limit[1]]),
        "under_age": lambda limit, row: one["age"] < limit,
        "year_age_at_most": lambda limit, row: day.year - one["birth_year"] <= limit,
    }
    for row in rules.rows("k_factor"):
        if all(holds[name](limit, row) for name, limit in row.get("when", {}).items()):
            return row["k"]
    return 0


def test_k_is_what_every_way_of_deciding_the_unknown_leads_to():
    rng = np.random.default_rng(7)
    size = 400
    complete = {
        "rating": rng.integers(1400, 2700, size).astype(float), "peak": rng.integers(1400, 2800, size).astype(float),
        "games": rng.integers(0, 60, size).astype(float), "events": rng.integers(0, 6, size).astype(float),
        "birth_year": rng.integers(1990, 2014, size).astype(float),
    }  # fmt: skip
    complete["peak"] = np.maximum(complete["peak"], complete["rating"])
    day = date(2025, 11, 1)
    # Half of them have their birthday still before them in the year.
    complete["age"] = day.year - complete["birth_year"] - rng.integers(0, 2, size)
    hidden = {name: np.where(rng.random(size) < 0.3, np.nan, values) for name, values in complete.items()}
    for rules in all_rulesets():
        if not rules.rows("k_factor"):
            continue
        found, guarded = choose_k(rules, complete, day), choose_k(rules, hidden, day)
        for i in range(size):
            k = plain_k(rules, {name: float(values[i]) for name, values in complete.items()}, day)
            assert found.k[i] == k, (rules.id, i)
            assert guarded.k[i] in (0, k), (rules.id, i)
            assert k in {0, *(value for value, _ in guarded.candidates(i))}
            assert (guarded.k[i] != 0) == (len({value for value, _ in guarded.candidates(i)}) == 1), (
                rules.id,
                i,
            )


def test_the_carried_facts_come_back():
    first, _ = xiangqi_newcomer([("A", "2010-05-01", [2380] * 5, 3.5), ("B", "2011-03-01", [2380] * 4, 3)])
    old = state_of(
        a_list(
            "2010-01-01",
            {
                "id": "M",
                "name": "M",
                "sex": "m",
                "rating": 2310,
                "k": 15,
                "games": 20,
                "last_event": "2008-06-01",
            },
        )
    )
    state = rebuild_list([first], CXA, [old], "2010-07").state
    text = carried(state)
    shown = make_list(
        state.rows[state.rows["published"]].drop(columns=["events", "idle_years", "published"]), day=state.day
    )
    back = with_carried(state_of(shown), text, "carry")
    assert carried(back) == text


def test_files_are_written_and_read_back(tmp_path):
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    paths = write_list(rebuilt, compare(rebuilt, published(rebuilt)), tmp_path)
    first = {name: path.read_bytes() for name, path in paths.items()}
    write_list(rebuilt, compare(rebuilt, published(rebuilt)), tmp_path)
    assert first == {name: path.read_bytes() for name, path in paths.items()}
    back = read_state(paths["csv"])
    assert back.day == date(2025, 12, 1)
    assert openpyxl.load_workbook(paths["xlsx"]).properties.created.date() == back.day
    assert back.rows["rating"].tolist() == rebuilt.list.rows["rating"].tolist()
    assert back.counted == ("one", "two")
    assert csv_list(rebuilt.list).startswith("\ufeffid,name,sex,")
    from qiyi_analysis.readers import read_list

    for name in ("txt", "xml"):
        again = read_list(paths[name])
        assert again.rows["rating"].tolist() == rebuilt.list.rows["rating"].tolist(), name
        assert again.rows["id"].tolist() == rebuilt.list.rows["id"].tolist(), name


def test_cells_that_excel_would_run_are_disarmed():
    one = make_list([{"id": "1", "name": "=cmd()", "rating": 2000}], document="fide/rating-standard")
    assert ",'=cmd()," not in csv_list(one).splitlines()[0]
    assert "'=cmd()" in csv_list(one)
    assert "<name>=cmd()</name>" in fide_xml(one)
    long_name = make_list([{"id": "1", "name": "x" * 70, "rating": 2000}], document="fide/rating-standard")
    with pytest.raises(Exception, match="expected at most 60 characters"):
        fide_text(long_name)


def test_the_command_rebuilds_compares_and_rolls_on(tmp_path):
    from qiyi_analysis.app.cli.list import command

    old, one, two = two_events()
    write_whole(tmp_path / "list-2025-11-01.csv", csv_list(old).encode())
    for event in (one, two):
        write_event(tmp_path / "events" / event.id, event)
    (tmp_path / "events" / "broken.csv").write_text("", encoding="utf-8")
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    write_whole(tmp_path / "list-2025-12-01.csv", csv_list(published(rebuilt, A=1234.0)).encode())
    arguments = [
        "--rules", FIDE, "--previous", str(tmp_path / "list-2025-11-01.csv"), "--events", str(tmp_path / "events"),
        "--period", "2025-12", "--published", str(tmp_path / "list-2025-12-01.csv"), "--json",
        "--out", str(tmp_path / "out"), "--formats", "json,csv",
    ]  # fmt: skip
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.return_value == 1
    answer = json.loads(result.stdout)
    assert {p["id"]: p["rating"] for p in answer["players"]} == dict(
        zip(rebuilt.list.rows["id"], rebuilt.list.rows["rating"].astype(int), strict=True)
    )
    assert [(d["id"], d["class"], d["published"]) for d in answer["differences"]] == [
        ("A", "unexplained", 1234)
    ]
    assert "report-unreadable" in {
        f["message"] and f["code"] and "report-unreadable" for f in answer["findings"] if f["code"] == "CK50"
    }
    assert all(isinstance(p["change"], str) for p in answer["players"])
    assert (tmp_path / "out" / "list-2025-12-01.csv").is_file()
    assert read_state(tmp_path / "out" / "list-2025-12-01.csv").counted == ("one", "two")


def test_the_ledger_knows_fees_and_late_reports():
    """CCA-7: 60 entries at 200, 3 per cent of 12000 is 360; ten days for the report."""
    old = a_list("2007-12-01", {"id": "M", "name": "M", "sex": "m", "rating": 1500, "k": 10})
    facts = {"entry_fees": 12000, "received": "2008-01-25"}
    event = swiss("E", "2008-01-10", {"id": "M", "name": "M", "sex": "m"}, [1500, 1500], 1, extra=facts)
    early = swiss(
        "F",
        "2008-01-11",
        {"id": "M", "name": "M", "sex": "m"},
        [1500, 1500],
        1,
        extra={"received": "2008-01-12"},
    )
    ledger = rebuild_list([event, early], CCA, [old], "2008-02").ledger.set_index("event")
    assert ledger.loc["E", "fee"] == 360
    assert ledger["late"].tolist() == [True, False]
    assert ledger.loc["E", "due"] == date(2008, 1, 20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--period": "2025-13"}, "expected the month"),
        ({"--rules": "fide/nothing"}, "unknown rule set"),
        ({"--events": "nowhere"}, "no such folder"),
    ],
)
def test_the_command_ends_with_a_message(tmp_path, change, message, capsys):
    from qiyi_analysis.app.cli import main

    write_whole(tmp_path / "list-2025-11-01.csv", csv_list(two_events()[0]).encode())
    (tmp_path / "events").mkdir()
    options = {
        "--rules": FIDE,
        "--previous": str(tmp_path / "list-2025-11-01.csv"),
        "--events": str(tmp_path / "events"),
        "--period": "2025-12",
        **change,
    }
    with pytest.raises(SystemExit) as stop:
        main(["list", *(part for pair in options.items() for part in pair), "--json"])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def rolled(periods, document, first, folder=None):
    """Files of the last list, rolled in memory or from file to file."""
    state = first
    for period_id, events in periods:
        rebuilt = rebuild_list(events, document, [state], period_id)
        state = rebuilt.state
        if folder is not None:
            state = read_state(write_list(rebuilt, None, folder)["csv"])
    return csv_list(rebuilt.list), carried(rebuilt.state)


def test_a_history_rolled_from_file_to_file_is_the_same_as_in_memory(tmp_path):
    rows = [
        {"id": f"{i:03d}", "name": f"P{i}", "sex": "mw"[i % 2], "rating": 2290 + 13 * i, "k": 15, "games": 40 + i, "peak": 2400, "last_event": "2009-05-01"}
        for i in range(9)
    ]  # fmt: skip
    first = a_list("2010-01-01", *rows)
    periods = []
    for number, end in enumerate(("2010-03-01", "2010-09-01", "2011-03-01", "2011-09-01", "2012-03-01")):
        newcomer = {"id": "N", "name": "N", "sex": "m"}
        rated = [{"id": f"{i:03d}", "name": f"P{i}", "sex": "mw"[i % 2]} for i in range(number, number + 4)]
        period_id = ("2010-07", "2011-01", "2011-07", "2012-01", "2012-07")[number]
        periods.append((period_id, [swiss(f"E{number}", end, newcomer, rated, 2.5)]))
    memory = rolled(periods, CXA, first)
    files = rolled(periods, CXA, first, tmp_path)
    assert memory == files
    assert '"idle_years"' in memory[1]
    stopped = rolled(periods[:3], CXA, first, tmp_path / "two")
    assert stopped
    again = rolled(periods[3:], CXA, read_state(tmp_path / "two" / "list-2011-07-01.csv"))
    assert again == memory


def test_a_list_changed_since_its_facts_were_carried_is_named(tmp_path):
    old, one, two = two_events()
    path = write_list(rebuild_list([one, two], FIDE, [old], "2025-12"), None, tmp_path)["csv"]
    assert "list-changed-since" not in [f.reason for f in read_state(path).faults]
    path.write_bytes(path.read_bytes().replace(b"2182", b"2128"))
    state = read_state(path)
    assert "list-changed-since" in [f.reason for f in state.faults]
    assert "list-changed-since" in [f.reason for f in rebuild_list([], FIDE, [state], "2026-01").findings]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes in folders are for POSIX")
def test_a_folder_of_reports_is_walked_once_and_no_device_is_opened(tmp_path, monkeypatch):
    _, one, two = two_events()
    write_event(tmp_path / "one", one)
    write_event(tmp_path / "deep" / "two", two)
    (tmp_path / "deep" / "back").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "deep" / "again").symlink_to(tmp_path / "deep" / "two", target_is_directory=True)
    (tmp_path / "lost.trf").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.trf")
    keeps_open = os.open(tmp_path / "pipe.trf", os.O_RDWR)  # a writer that never writes and never ends
    try:
        read = read_reports(tmp_path)
    finally:
        os.close(keeps_open)
    assert sorted(len(event.games) for event in read.events) == sorted([len(one.games), len(two.games)])
    assert sorted(f.file for f in read.findings if f.reason == "report-unreadable") == [
        "lost.trf",
        "pipe.trf",
    ]
    monkeypatch.setattr(folders, "MOST_ENTRIES", 5)
    with pytest.raises(ParameterError) as refused:
        read_reports(tmp_path)
    assert refused.value.reason == "folder-too-large"


def test_what_may_not_be_asked_in_a_folder_of_reports_is_one_report_that_cannot_be_read(
    tmp_path, monkeypatch
):
    _, one, _ = two_events()
    write_event(tmp_path / "one", one)
    (tmp_path / "closed").mkdir()
    ask = os.stat

    def refuse(path, *more, **options):
        if os.fspath(path).endswith("closed") if isinstance(path, str | os.PathLike) else False:
            raise PermissionError(13, "Permission denied")
        return ask(path, *more, **options)

    monkeypatch.setattr(os, "stat", refuse)
    read = read_reports(tmp_path)
    assert len(read.events) == 1
    assert [f.file for f in read.findings if f.reason == "report-unreadable"] == ["closed"]


def test_no_list_that_was_read_is_replaced_and_no_other_file_without_force(tmp_path, capfd):
    """safety.md 1: the rebuilt list has the name of the published one beside it."""
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    official = tmp_path / "list-2025-12-01.csv"
    official.write_text("id,name,rating\nA,Player A,1234\n", encoding="utf-8")
    before = official.read_bytes()
    with pytest.raises(ReadError, match=r"list-2025-12-01\.csv"):
        write_list(rebuilt, None, tmp_path, formats=("csv",), read=[str(official)], force=True)
    with pytest.raises(ReadError, match="--force"):
        write_list(rebuilt, None, tmp_path, formats=("csv",), force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["list-2025-12-01.csv"]
    assert official.read_bytes() == before
    write_list(rebuilt, None, tmp_path, formats=("csv",), force=True)
    again = write_list(rebuilt, None, tmp_path, formats=("csv",), force=False)
    assert again["csv"].read_bytes() != before


def test_a_long_table_goes_over_to_further_sheets_and_nothing_is_cut():
    """safety.md 10: more rows than a sheet holds, and a text longer than a cell."""
    rows = pd.DataFrame({"name": [f"P{i}" for i in range(25)], "rating": np.arange(25.0)})
    rows.loc[3, "name"] = "x" * 40_000
    book = openpyxl.load_workbook(
        io.BytesIO(xlsx_tables({"list": (("name", "rating"), rows)}, "en", None, most=10))
    )
    assert [sheet.max_row for sheet in book.worksheets] == [11, 11, 6]
    listed = [cell.value for sheet in book.worksheets for cell in sheet["B"][1:]]
    assert listed == list(range(25))
    assert book.worksheets[0]["A5"].value.endswith("…")
