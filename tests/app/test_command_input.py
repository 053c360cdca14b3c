"""What is given to a command and cannot be what it should be: a sentence, exit code 2, nothing on standard output.

Every command and every option that takes a file or folder, against everything that can be put there by mistake.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from qiyi_analysis import audit, read_event
from qiyi_analysis.app.batch import read_jobs
from qiyi_analysis.app.cli import main
from qiyi_analysis.lists import read_state
from qiyi_analysis.lists.before_rebuild import check_lists
from qiyi_analysis.lists.periods import period
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.rules.ruleset import ruleset

PROJECT = Path(__file__).resolve().parents[2]
EVENT = str(PROJECT / "data" / "events" / "constructed-open-2025")
PERIOD = PROJECT / "data" / "periods" / "constructed-2025-12"
LIST = str(PERIOD / "list-2025-11-01.csv")
REBUILD = {
    "--rules": "fide/rating-standard",
    "--previous": LIST,
    "--events": str(PERIOD / "events"),
    "--period": "2025-12",
}


def rebuild(**changed: str) -> list[str]:
    options = {**REBUILD, **{f"--{name}": value for name, value in changed.items()}}
    return ["list", "--json", *(part for pair in options.items() for part in pair)]


#: Command and option -> the arguments with something wrong in that place.
PLACES: dict[str, Callable[[str], list[str]]] = {
    "audit EVENT": lambda x: ["audit", x, "--json"],
    "audit --rules": lambda x: ["audit", EVENT, "--json", "--rules", x],
    "audit --list": lambda x: ["audit", EVENT, "--json", "--list", x],
    "audit --published": lambda x: ["audit", EVENT, "--json", "--published", x],
    "audit --letterhead": lambda x: ["audit", EVENT, "--json", "--letterhead", x],
    "rate EVENT": lambda x: ["rate", x],
    "rate --rules": lambda x: ["rate", EVENT, "--rules", x],
    "rate --list": lambda x: ["rate", EVENT, "--list", x],
    "explain EVENT": lambda x: ["explain", x, "1"],
    "explain --list": lambda x: ["explain", EVENT, "1", "--list", x],
    "standings EVENT": lambda x: ["standings", x],
    "standings --rules": lambda x: ["standings", EVENT, "--rules", x],
    "titles EVENT": lambda x: ["titles", x],
    "titles --rules": lambda x: ["titles", EVENT, "--rules", x],
    "titles --list": lambda x: ["titles", EVENT, "--list", x],
    "titles --table": lambda x: ["titles", EVENT, "--rules", "cca/titles", "--table", x],
    "titles --with": lambda x: ["titles", EVENT, "--with", x],
    "titles --also": lambda x: ["titles", EVENT, "--application", "14", "--also", x],
    "what-if EVENT": lambda x: ["what-if", x, "--drop", "1:1"],
    "what-if --list": lambda x: ["what-if", EVENT, "--drop", "1:1", "--list", x],
    "list --rules": lambda x: rebuild(rules=x),
    "list --previous": lambda x: rebuild(previous=x),
    "list --events": lambda x: rebuild(events=x),
    "list --published": lambda x: rebuild(published=x),
    "publish LIST": lambda x: ["publish", x],
    "publish --previous": lambda x: ["publish", LIST, "--previous", x],
    "publish --letterhead": lambda x: ["publish", LIST, "--letterhead", x],
    "study compare-k": lambda x: ["study", "compare-k", x, "--json"],
    "study compare-systems": lambda x: ["study", "compare-systems", x, "--json"],
    "study expected-score": lambda x: ["study", "expected-score", x, "--json"],
    "batch": lambda x: ["batch", x],
    "convert IN": lambda x: ["convert", x, "out.trf"],
    "convert IN csv": lambda x: ["convert", x, "out.csv"],
    "convert --mapping": lambda x: ["convert", EVENT, "out.trf", "--mapping", x],
    "desk --letterhead": lambda x: ["desk", "--no-browser", "--letterhead", x],
    "rules show": lambda x: ["rules", "show", x],
    "rules diff": lambda x: ["rules", "diff", x, "fide/titles"],
}  # fmt: skip
WRONG: dict[str, bytes | None] = {
    "": None, "nowhere.csv": None, "folder": None, "folder-of-notes": None, "-": None, "empty.csv": b"", "blank.csv": b"\n \n\n",
    "columns.csv": b"colour,weight\nred,3\nblue,4\n", "junk.bin": bytes(range(256)) * 20, "report.rtf": rb"{\rtf1 1 A 2000}",
}  # fmt: skip
#: A folder that holds no report is a period without one, or one whose files have a finding each.
ALLOWED = {("list --events", "folder"), ("list --events", "folder-of-notes")}


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    for name, data in WRONG.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder-of-notes").mkdir()
    (tmp_path / "folder-of-notes" / "notes.txt").write_text("hello\nworld\n", encoding="utf-8")
    return tmp_path


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_read_is_told_in_a_sentence(
    place: str, wrong: str, given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if (place, wrong) in ALLOWED:
        pytest.skip("a folder without a report")
    before = {path.name for path in given.iterdir()}
    code, out, err = run(PLACES[place](wrong), capsys)
    lines = err.splitlines()
    assert code == 2, (out[:200], err)
    assert out == ""
    # A sentence in each language, nothing else.
    assert [line[:6] for line in lines] == ["qiyi: "] * 2, err
    assert "fault of the program" not in err
    assert "Traceback" not in err
    assert {path.name for path in given.iterdir()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", EVENT, "--formats", "json"], ["titles", EVENT, "--formats", "xlsx"], ["titles", EVENT, "--application", "14"],
        [*rebuild(), "--formats", "json"], ["publish", LIST], ["study", "simulate"], ["batch", "jobs.csv"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("out", ["columns.csv", "columns.csv/below", "-"])
def test_a_file_is_no_output_folder(
    arguments: list[str], out: str, given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (given / "jobs.csv").write_text(f"command,input\naudit,{EVENT}\n", encoding="utf-8")
    code, printed, err = run([*arguments, "--out", out], capsys)
    assert (code, printed) == (2, "")
    assert "can be no folder; expected a folder" in err
    assert not (given / "-").exists()


@pytest.mark.parametrize("command", [["rate", EVENT], ["standings", EVENT], ["titles", EVENT]])
def test_two_forms_of_one_answer_are_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run([*command, "--json", "--csv"], capsys)
    assert (code, out) == (2, "")
    assert "--json and --csv: expected one of them" in err


def test_a_folder_without_reports_is_said(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(rebuild(events="folder"), capsys)
    found = [
        (f["code"], f["severity"])
        for f in json.loads(out)["findings"]
        if "no event in the folder" in f["message"]
    ]
    assert (code, found) == (1, [("CK50", "W")])


def test_titles_names_the_file_like_the_other_commands(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(["titles", EVENT, "--json"], capsys)
    assert {f["file"] for f in json.loads(out)["findings"]} == {"constructed-open-2025"}


# --- the table of jobs ------------------------------------------------------------------------------------------------------

ROWS = [
    ["command", "input", "rules", "formats"],
    ["audit", "比赛.trf", "fide/titles;cca/rating", "pdf;json"],
    ["list", "b", "", ""],
]


def written(separator: str) -> str:
    return "".join(
        separator.join(f'"{cell}"' if ";" in cell else cell for cell in row) + "\r\n" for row in ROWS
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_jobs_in_every_encoding_and_with_every_separator(
    tmp_path: Path, separator: str, encoding: str
) -> None:
    path = tmp_path / "jobs.csv"
    path.write_bytes(written(separator).encode(encoding))
    jobs = read_jobs(path)
    assert [(job.line, job.command, Path(job.input).name) for job in jobs] == [
        (2, "audit", "比赛.trf"),
        (3, "list", "b"),
    ]
    assert jobs[0].rules == ("fide/titles", "cca/rating")
    assert jobs[0].formats == ("pdf", "json")


def test_many_semicolons_in_the_cells_do_not_part_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    rows = "\n".join(f"audit,e{i},pdf;html;xlsx;json" for i in range(20))
    path.write_text(f"command,input,formats\n{rows}\n", encoding="utf-8")
    assert {job.formats for job in read_jobs(path)} == {("pdf", "html", "xlsx", "json")}


def test_jobs_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.save(tmp_path / "jobs.xlsx")
    assert [job.formats for job in read_jobs(tmp_path / "jobs.xlsx")] == [
        ("pdf", "json"),
        ("pdf", "json", "csv", "xlsx", "xml", "txt"),
    ]


def test_values_that_would_fall_off_the_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("command;input;formats\naudit;x;pdf;json\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"jobs.csv:2: .*in quotation marks"):
        read_jobs(path)


# --- tie-breaks and ratings that are none ---------------------------------------------------------------------------------------


def changed(place: Path, players: str = "", **meta: Any) -> Path:
    place.mkdir()
    for name in ("players.csv", "games.csv", "meta.json"):
        (place / name).write_bytes((Path(EVENT) / name).read_bytes())
    facts = json.loads((place / "meta.json").read_text(encoding="utf-8"))
    (place / "meta.json").write_text(json.dumps(facts | meta), encoding="utf-8")
    if players:
        text = (place / "players.csv").read_text(encoding="utf-8")
        assert ",2620," in text
        (place / "players.csv").write_text(text.replace(",2620,", f",{players},"), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("given", "codes", "reasons"),
    [
        (["NOPE"], ["NOPE"], ["tie-break-not-known"]), ("BH", ["BH"], []), ("PTS, BH/C1；SB", ["PTS", "BH/C1", "SB"], []),
        (["BH", 3], ["BH"], ["tie-break-unreadable"]), (7, [], ["tie-break-unreadable"]), ([], [], []),
        (["NOPE", "XYZ"], ["NOPE", "XYZ"], ["tie-break-not-known"] * 2),
    ],
)  # fmt: skip
def test_tie_breaks_of_the_file_that_are_none(
    tmp_path: Path, given: Any, codes: list[str], reasons: list[str]
) -> None:
    event = read_event(changed(tmp_path / "e", tie_breaks=given))
    assert list(event.tie_breaks) == codes
    assert [f.reason for f in audit(event).findings if f.reason.startswith("tie-break-")] == reasons


@pytest.mark.parametrize(
    ("rating", "start", "found"),
    [
        ("5", "2025-05-02", [("rating-unlikely", "W", 1)]), ("99", "2025-05-02", [("rating-unlikely", "W", 1)]),
        ("100", "2025-05-02", [("rating-below-floor", "I", 1)]), ("3001", "2025-05-02", [("rating-unlikely", "W", 1)]),
        ("3000", "2025-05-02", []), ("1399", "2025-05-02", [("rating-below-floor", "I", 1)]), ("1400", "2025-05-02", []),
        ("1399", "2023-05-02", []), ("1000", "2023-05-02", []), ("999", "2023-05-02", [("rating-below-floor", "I", 1)]),
        ("9999", "2025-05-02", [("rating-impossible", "W", 1)]),
    ],
)  # fmt: skip
def test_ratings_that_hardly_are_ratings(
    tmp_path: Path, rating: str, start: str, found: list[tuple[str, str, int]]
) -> None:
    event = read_event(changed(tmp_path / "e", rating, start=start, end=start))
    result = audit(event, ["fide/rating-standard"])
    by_value = {"rating-unlikely", "rating-below-floor", "rating-impossible"}
    assert [(f.reason, str(f.severity), f.player) for f in result.findings if f.reason in by_value] == found


def test_kyu_ratings_are_no_mistake(tmp_path: Path) -> None:
    event = read_event(changed(tmp_path / "e", "5", game="go"))
    for rules in ("aga/rating", "egf/rating", "cwa/rating"):
        assert not [f for f in audit(event, [rules]).findings if f.reason == "rating-unlikely"]


@pytest.mark.parametrize(
    ("rating", "day", "found"),
    [
        ("5", "2025-11-01", [("rating-unlikely", "W")]), ("1350", "2025-11-01", [("rating-below-floor", "I")]),
        ("1350", "2024-02-01", []), ("2000", "2025-11-01", []),
    ],
)  # fmt: skip
def test_such_ratings_of_a_list(tmp_path: Path, rating: str, day: str, found: list[tuple[str, str]]) -> None:
    path = tmp_path / f"list-{day}.csv"
    path.write_text(f"id,name,rating,list_date\n1,A,{rating},{day}\n2,B,2100,{day}\n", encoding="utf-8")
    rules = ruleset("fide/rating-standard/2025-10-01")
    _, _, findings = check_lists([read_state(path)], period(rules, "2025-12"), rules)
    assert [(f.reason, str(f.severity)) for f in findings if f.reason.startswith("rating-")] == found
