"""TRF: what stands in a report file, and what is reported when it does not stand where it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, sides
from qiyi_analysis.readers import read_event
from qiyi_analysis.readers.door import events_in_bytes

FOUR = """\
012 Four players
042 2024/05/01
052 2024/05/03
062 4
092 Swiss
XXR 3
001    1 m GM Adler, Anna                       2400 GER     1000001 1980/02/03  2.5    1     4 w 1     3 b =     2 w 1
001    2 w    Berg, Bo                          2250 SWE                         1.0    3     3 w 1     4 b 0     1 b 0
001    3      Cruz, Clara                            ESP             1990/00/00  1.5    2     2 b 0     1 w =     4 w 1
001    4      Diaz, Dora                        1900 ESP                         1.0    4     1 b 0     2 w 1     3 b 0
"""


def read(text: str | bytes) -> Event:
    return events_in_bytes(text if isinstance(text, bytes) else text.encode(), "t.trf")[0]


def told(event: Event, code: str) -> list[tuple[int, str]]:
    """Lines and reasons of the reader's findings of one code."""
    return [(f.line, f.reason) for f in event.faults if f.code == code]


def game(event: Event, round_: int, number: int) -> tuple:
    own = sides(event.games)
    row = own[(own["round"] == round_) & (own["player"] == number)].iloc[0]
    return row["opponent"], bool(row["first"]), row["result"], str(row["kind"])


def test_a_sound_file_gives_no_finding() -> None:
    event = read(FOUR)
    assert not event.faults
    assert event.rounds == 3
    assert event.players["rating"].tolist()[:2] == [2400, 2250]
    assert event.players["birth_year"].tolist()[0] == 1980
    assert event.players["birth_date"].tolist()[0] == "1980-02-03"
    assert game(event, 1, 1) == (4, True, "1", "played")
    assert game(event, 2, 1) == (3, False, "=", "played")
    assert event.players["line"].tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_line_ends_and_encodings(ends: str, encoding: str) -> None:
    event = read(FOUR.replace("Adler, Anna", "胡荣华 国手 王天一").replace("\n", ends).encode(encoding))
    assert event.players["name"].tolist()[0] == "胡荣华 国手 王天一"
    assert len(event.games) == 6


@pytest.mark.parametrize(
    ("encoding", "name", "federation"),
    [
        ("latin-1", "Jörg Müßig, René", "GER"),
        ("big5", "胡榮華", "TPE"),
        ("cp1251", "Иванов, Пётр", "RUS"),
        ("cp1250", "Dvořák, Jiří", "CZE"),
    ],
)
def test_code_pages_are_found_and_reported(encoding: str, name: str, federation: str) -> None:
    text = FOUR.replace("Adler, Anna".ljust(33), name.ljust(33)).replace("062 4", f"062 4\n032 {federation}")
    event = read(text.encode(encoding))
    assert event.players["name"].tolist()[0] == name
    assert told(event, "CK01") == [(0, "encoding-guessed")]


def test_letters_of_unplayed_rounds(shared: Path) -> None:
    case = json.loads(
        (shared / "cases" / "C38-letters-of-unplayed-rounds-in-trf.json").read_text(encoding="utf-8")
    )
    kinds = {
        "PAB": "pab", "FPB": "full_bye", "HPB": "half_bye", "ZPB": "zero_bye", "forfeit win": "forfeit", "forfeit loss": "forfeit",
        "played, unrated": "unrated", "draw": "played", "no entry, counts as zero-point bye": "zero_bye",
    }  # fmt: skip
    lines = ["012 C38", "042 2024/05/01", "XXR 2"]
    other = {"+": "-", "-": "+", "W": "L", "=": "="}
    for cell, points, kind in zip(
        case["input"]["cells"], case["expected"]["points"], case["expected"]["kind"], strict=True
    ):
        body = [
            f"001    1      {'Player':33}                             {points:4.1f}    1  {cell}     2 w ="
        ]
        second = "        "
        if cell.split()[:1] == ["12"]:
            colour = {"w": "b", "b": "w", "-": "-"}[cell[5]]
            body.append(
                f"001   12      {'Other':33}                              0.0    3     1 {colour} {other[cell[7]]}{second}"
            )
        body.append(f"001    2      {'Third':33}                              0.5    2  0000 - Z     1 b =")
        event = read("\n".join([*lines, *body]) + "\n")
        _, _, _, found = game(event, 1, 1)
        assert found == kinds[kind], cell
        own = sides(event.games)
        assert own[(own["round"] == 1) & (own["player"] == 1)]["points"].iloc[0] == points, cell


def test_a_valid_report_with_odd_corners(shared: Path) -> None:
    case = json.loads(
        (shared / "cases" / "C45-a-valid-report-with-odd-corners.json").read_text(encoding="utf-8")
    )
    event = read("\n".join(case["input"]["lines"]) + "\n")
    assert event.start is not None
    assert event.start.isoformat() == case["expected"]["start"]
    assert event.end is not None
    assert event.end.isoformat() == case["expected"]["end"]
    assert game(event, 1, 13)[::2] == (153, "0")
    assert game(event, 1, 13)[3] == "forfeit"
    assert event.players.loc[event.players["number"] == 13, "title"].iloc[0] == "FM"
    reasons = {f.reason for f in event.faults}
    assert {"rank-zero", "pseudo-player", "players-announced", "date-spelling", "unknown-opponent"} <= reasons
    for round_ in range(2, event.rounds_played + 1):
        assert game(event, round_, 13)[3] == "zero_bye"


def changed(old: str, new: str) -> Event:
    assert old in FOUR
    return read(FOUR.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "code", "finding"),
    [
        ("     3 b =     2 w 1", "     3 b =     1 w 1", "CK15", (7, "against-himself")),
        ("     3 b =     2 w 1", "     3 b =     9 w 1", "CK07", (7, "unknown-opponent")),
        ("     3 b =     2 w 1", "     3 b =     3 w 1", "CK15", (7, "not-pointing-back")),
        ("     3 b =     2 w 1", "     3 b =     2 b 1", "CK15", (8, "same-colour")),
        ("     3 b =     2 w 1", "     3 b =     2 w  ", "CK15", (7, "pair-one-sided")),
        ("     3 b =     2 w 1", "     3 b =     2 w x", "CK15", (7, "result-unreadable")),
        ("     3 b =     2 w 1", "     3 b =     2 w +", "CK15", (7, "mixed-letters")),
        ("     3 b =     2 w 1", "     3 b =    2a w 1", "CK15", (7, "cell-unreadable")),
        ("001    4      Diaz", "001    1      Diaz", "CK09", (10, "start-number-twice")),
        ("001    4      Diaz", "001           Diaz", "CK43", (10, "start-number-unreadable")),
        (" 2400 GER", " 24O0 GER", "CK43", (7, "rating-unreadable")),
        (" 2400 GER", " -100 GER", "CK43", (7, "rating-impossible")),
        (" 2400 GER", " 9999 GER", "CK43", (7, "rating-impossible")),
        (" 2400 GER", "    0 GER", "CK13", (7, "ratings-zero")),
        (" 1980/02/03", " 1980/13/03", "CK43", (7, "birth-unreadable")),
        (" 1980/02/03", "   80/02/03", "CK43", (7, "birth-two-digits")),
        ("042 2024/05/01", "042 01/03/26", "CK03", (2, "date-two-digits-only")),
        ("042 2024/05/01", "042 2024/02/30", "CK03", (2, "date-unreadable")),
        ("042 2024/05/01", "042 01.05.2024", "CK03", (2, "date-spelling")),
        ("042 2024/05/01", "042 May 1, 2024", "CK03", (2, "date-spelling")),
        ("042 2024/05/01", "042 2024年5月1日", "CK03", (2, "date-spelling")),
        ("062 4", "062 5", "CK06", (4, "players-announced")),
        ("XXR 3", "XXR 2", "CK06", (6, "rounds-announced")),
        ("XXR 3", "XXR 3\nwhatever it is", "CK49", (7, "unknown-record")),
        ("001    3      Cruz", "001    3 q    Cruz", "CK43", (9, "sex-unreadable")),
        ("001    3      Cruz", "001    3   XX Cruz", "CK43", (9, "title-unreadable")),
        ("2.5    1", "2,5    1", "CK49", (7, "decimal-comma")),
        ("2.5    1", "2.5    0", "CK34", (7, "rank-zero")),
        ("001    2 w    Berg, Bo ", "001    2 w    Berg, Bo", "CK02", (8, "columns-shifted")),
        ("Berg, Bo  ", "Berg, Bo \t", "CK02", (8, "tabs")),
    ],
)
def test_deviations_are_named_with_their_line(
    old: str, new: str, code: str, finding: tuple[int, str]
) -> None:
    event = changed(old, new)
    assert finding in told(event, code), [(f.code, f.line, f.reason) for f in event.faults]
    for fault in event.faults:
        assert fault.message("en")
        assert fault.message("zh")


def test_a_shifted_line_is_read_all_the_same() -> None:
    event = changed("001    2 w    Berg, Bo ", "001    2 w    Berg, Bo")
    assert game(event, 2, 2) == (4, False, "0", "played")
    assert event.players["rating"].tolist()[1] == 2250


def test_a_cell_that_does_not_point_back_is_not_rated() -> None:
    event = changed("     3 b =     2 w 1", "     3 b =     3 w 1")
    assert game(event, 3, 1)[3] == "unplayed"
    assert game(event, 3, 3) == (4, True, "1", "played")
    assert game(event, 3, 2)[3] == "unplayed"


def test_the_last_line_cut_off() -> None:
    event = read(FOUR.rstrip()[:-4])
    assert (10, "line-cut") in told(event, "CK02")


def test_points_show_byes_that_no_cell_shows() -> None:
    lines = FOUR.splitlines()
    lines.append(
        "001    5      Evans, Eli                       1800 WLS                         0.5    5                 -         -"
    )
    event = read("\n".join(lines) + "\n")
    assert [(f.round, f.recomputed) for f in event.faults if f.reason == "bye-from-points"] == [(2, "H")]
    assert game(event, 2, 5)[3] == "half_bye"


def odd_field(*players: tuple[float, str]) -> str:
    """A file of players with these points and cells of the rounds."""
    lines = ["012 Byes left out", "042 2012/05/01", "052 2012/05/01"]
    for number, (points, cells) in enumerate(players, 1):
        lines.append(
            f"001 {number:4}      {f'Player {number}':33} {2000 - number:4}{'':27}{points:5} {number:4}  {cells}"
        )
    return "\n".join(lines) + "\n"


def test_points_show_the_bye_of_the_odd_player_that_the_source_leaves_out() -> None:
    """Player 1 has the second round free, player 3 the first; no cell says so."""
    event = read(
        odd_field((2.0, "   2 w 1"), (1.0, "   1 b 0     3 w 1"), (1.0, "             2 b 0".rjust(18)))
    )
    found = [
        (f.severity, f.player, f.round, f.recomputed) for f in event.faults if f.reason == "bye-from-points"
    ]
    assert found == [("W", 1, 2, "F"), ("W", 3, 1, "F")]
    assert (game(event, 1, 3)[3], game(event, 2, 1)[3]) == ("full_bye", "full_bye")
    assert not [f for f in check_event(event) if f.code == "CK17"]


def test_two_players_of_a_round_who_lack_a_point_have_wrong_points() -> None:
    """One player of a round is free; where two lack a point nobody can say who."""
    event = read(
        odd_field(
            (2.0, "   2 w 1"),
            (1.0, "   1 b 0     3 w 1"),
            (0.0, "             2 b 0".rjust(18)),
            (2.0, "   5 w 1"),
            (0.0, "   4 b 0"),
        )
    )
    assert not [f for f in event.faults if f.reason == "bye-from-points"]
    assert {f.player for f in check_event(event) if f.code == "CK17"} == {1, 4}


def test_another_scoring_is_found_from_the_points() -> None:
    text = (
        FOUR.replace(" 2.5    1", " 7.0    1")
        .replace(" 1.0    3", " 3.0    3")
        .replace(" 1.5    2", " 4.0    2")
        .replace(" 1.0    4", " 3.0    4")
    )
    event = read(text)
    assert event.scoring.win == 3
    assert [f.reason for f in event.faults] == ["scoring-found"]
    assert not [f for f in check_event(event) if f.code == "CK17"]


def test_wrong_points_of_one_player_are_reported_for_him_alone() -> None:
    found = [f for f in check_event(changed("2.5    1", "3.5    1")) if f.code == "CK17"]
    assert [(f.line, f.player, f.published, f.recomputed) for f in found] == [(7, 1, "3.5", "2.5")]


def test_several_events_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "two.trf"
    path.write_text(FOUR + FOUR.replace("Four players", "Again"), encoding="utf-8")
    assert [event.name for event in events_in_bytes(path.read_bytes(), "two.trf")] == [
        "Four players",
        "Again",
    ]
    second = read_event(path, index=2)
    assert second.name == "Again"
    assert second.faults[0].reason == "several-events"
    with pytest.raises(ReadError, match="the file holds 2"):
        read_event(path, index=3)


def test_shared_files_give_their_points_and_damage(shared: Path) -> None:
    """Every file is read; the points of all players come out, but for the one the manifest names."""
    for path in sorted((shared / "data" / "trf").iterdir()):
        if path.suffix == ".csv":
            continue
        event = read_event(path)
        found = [(f.line, f.player) for f in check_event(event) if f.code == "CK17" and f.player]
        assert found == ([(2, 2)] if path.name.startswith("bad_incorrect") else []), path.name
    event = read_event(shared / "data" / "trf" / "bad_incompatible_result.trf")
    assert [(f.line, f.round, f.player) for f in check_event(event) if f.code == "CK15"] == [(2, 5, 3)]
    event = read_event(shared / "data" / "trf" / "damaged_byte_padded_utf8.trf")
    assert told(event, "CK01") == [
        (5, "byte-padded"),
        (6, "byte-padded"),
        (7, "byte-padded"),
        (11, "byte-padded"),
    ]
    assert event.players["name"].tolist()[0] == "Bruño Peña"


def test_team_files(shared: Path) -> None:
    event = read_event(shared / "data" / "trf" / "tec_2023_team_swiss_14t.trf")
    assert event.format == "team-swiss"
    assert not [f for f in check_event(event) if f.code == "CK17"]
    assert event.matches["kind"].value_counts().to_dict() == {
        "played": 46,
        "pab": 2,
        "forfeit": 1,
        "half_bye": 1,
        "zero_bye": 1,
    }
    event = read_event(shared / "data" / "trf" / "grandmommys_cup_trf26_50teams.trf")
    assert len(event.teams) == 50
    # The sample itself leaves out one half-point bye that its printed totals hold.
    assert {f.values["team"] for f in check_event(event) if f.reason == "team-points-differ"} == {47}


def test_a_report_file_of_five_thousand_players_and_thirteen_rounds(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one whose reading ``benchmarks/readers.py`` measures."""
    monkeypatch.syspath_prepend(project)
    from benchmarks.readers import report_file

    event = events_in_bytes(report_file(5000, 13), "large.trf")[0]
    assert len(event.games) == 5000 // 2 * 13
    assert not event.faults
