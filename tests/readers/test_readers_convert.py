"""`qiyi convert`: a repaired copy, the list of changes, and the original untouched."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from click.testing import CliRunner

from qiyi_analysis.app.cli.convert import command
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import read_event, read_list

ODD = """\
012 Odd
042 01.05.2024
001    1 M    Ann                               2000                             1.5    1     2 w 1       -
001    2      Bo                                1900                             0.0    2     1 b 0
"""


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if isinstance(result.exception, ReadError):
        return 2, str(result.exception)
    assert result.exception is None, result.output
    return result.return_value, result.output


def test_a_repaired_copy_with_its_changes(tmp_path: Path) -> None:
    source, copy = tmp_path / "odd.trf", tmp_path / "copy.trf"
    source.write_text(ODD, encoding="utf-8")
    code, output = run(source, copy, "--json")
    answer = json.loads(output[output.index("{") : output.rindex("}") + 1])
    assert code == 0
    assert source.read_text(encoding="utf-8") == ODD
    assert {change["code"] for change in answer["changes"]} == {"CK03", "CK49"}
    with (tmp_path / "copy.trf.changes.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert ("2", "01.05.2024", "2024-05-01") in {(row["line"], row["read"], row["assumed"]) for row in rows}
    again = read_event(copy)
    assert not [fault for fault in again.faults if fault.severity != "I"]
    assert again.games["kind"].tolist() == ["played", "half_bye", "zero_bye"]


def test_profiles_become_stricter(tmp_path: Path) -> None:
    source = tmp_path / "odd.trf"
    source.write_text(ODD, encoding="utf-8")
    counts = []
    for profile in ("read", "rating", "title"):
        _, output = run(source, tmp_path / "x.zip", "--json", "--profile", profile)
        counts.append(len(json.loads(output[output.index("{") : output.rindex("}") + 1])["findings"]))
    assert counts[0] < counts[1] < counts[2]


def test_every_target(tmp_path: Path, project: Path) -> None:
    for name in ("folder", "a.zip", "a.xlsx", "a.trf"):
        run(project / "data" / "samples" / "cross-table-by-rank.html", tmp_path / name)
        assert read_event(tmp_path / name).players["points"].tolist() == [2.5, 2, 1.5, 1, 0.5]


def test_a_list_becomes_the_list_format(tmp_path: Path, project: Path) -> None:
    run(project / "data" / "samples" / "fide-list.txt", tmp_path / "list.csv")
    assert read_list(tmp_path / "list.csv").rows["rating"].tolist()[0] == 2640


def test_the_original_is_never_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "odd.trf"
    source.write_text(ODD, encoding="utf-8")
    code, message = run(source, source)
    assert code == 2
    assert "never changed" in message
    assert run(source, tmp_path / "x.doc")[0] == 2


def test_a_mapping_file(tmp_path: Path) -> None:
    source, mapping = tmp_path / "odd.csv", tmp_path / "heads.csv"
    source.write_text("Wer,Zahl\nAnn,2000\nBo,1900\n", encoding="utf-8")
    mapping.write_text("head,column\nWer,name\nZahl,rating\n", encoding="utf-8")
    run(source, tmp_path / "out.zip", "--mapping", mapping)
    assert read_event(tmp_path / "out.zip").players["rating"].tolist() == [2000, 1900]
    mapping.write_text("Wer,nothing\n", encoding="utf-8")
    code, message = run(source, tmp_path / "out2.zip", "--mapping", mapping)
    assert code == 2
    assert "columns are" in message
