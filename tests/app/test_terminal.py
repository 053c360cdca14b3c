"""No terminal gets a control character out of a file, no spreadsheet a formula."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from qiyi_analysis.app.cli.output import safe_cell
from qiyi_analysis.audit.interface import json_text

EVENT = Path(__file__).resolve().parents[2] / "data" / "events" / "nanjing-2010"
#: Clears the screen, sets a title, turns the line around, C1 control sequence introducer.
HOSTILE = "\x1b[2J\x1b]0;owned\x07Eve\u202e\x9b31m"
ACTED_UPON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    place = tmp_path / "event"
    place.mkdir()
    for path in EVENT.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    rows = list(csv.reader(io.StringIO((place / "players.csv").read_text(encoding="utf-8"))))
    at = rows[0].index("name")
    rows[1][at], rows[2][at] = HOSTILE, "=cmd|' /C calc'!A0"
    with (place / "players.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    facts = json.loads((place / "meta.json").read_text(encoding="utf-8"))
    facts |= {"title": HOSTILE, "rules": [HOSTILE], "start": HOSTILE}
    (place / "meta.json").write_text(json.dumps(facts), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    "command",
    [
        "rate", "rate --games", "rate --csv", "rate --json", "standings", "standings --csv", "standings --json",
        "titles --rules fide/titles", "titles --rules fide/titles --csv", "audit --json", "what-if --rating 1=2500",
        "what-if --rating 1=2500 --json", "audit --formats json --out {out}", "explain 1", "explain nobody",
    ],
)  # fmt: skip
def test_no_command_passes_on_what_a_terminal_acts_upon(
    qiyi, hostile: Path, command: str, tmp_path: Path
) -> None:
    name, *rest = command.format(out=tmp_path / "out").split()
    code, out, error = qiyi(name, hostile, *rest)
    assert code in (0, 1, 2)
    assert "Eve" in out + error or name == "titles" or "nobody" in rest
    assert not ACTED_UPON.findall(out.removeprefix("\ufeff").replace("\r\n", "\n") + error)


def test_json_keeps_the_value(qiyi, hostile: Path) -> None:
    assert json.loads(qiyi("rate", hostile, "--json")[1])["players"][0]["name"] == json.loads(
        json_text(HOSTILE)
    )


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), (" =1+1", "' =1+1"), ("\n=1+1", "'\n=1+1"), ("\t@SUM(A1)", "'\t@SUM(A1)"),
        ("＝1+1", "'＝1+1"), ("+1+2", "'+1+2"), ("-2-3", "'-2-3"), ("+inf", "'+inf"), ("-3.5", "-3.5"), ("+2", "+2"), ("-.5", "-.5"),
        ("\x1b[2J", "〓[U+001B][2J"), ("\x1b=1", "〓[U+001B]=1"), ("Müller-Öz", "Müller-Öz"), ("", ""), (None, ""), (-4, "-4"),
    ],
)  # fmt: skip
def test_cells_of_csv_run_in_no_spreadsheet(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


def test_names_in_csv_are_cells(qiyi, hostile: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(qiyi("rate", hostile, "--csv")[1].removeprefix("\ufeff"))))
    assert rows[1]["name"] == "'=cmd|' /C calc'!A0"
