"""Every other format: what comes out of the samples, and what damaged or hostile files do."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, sides
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.fields import decimal_sign, number, plain, read_date, read_result
from qiyi_analysis.readers.lists.list_door import list_from
from qiyi_analysis.readers.source import Source, decode
from qiyi_analysis.readers.tables.cell_text import first_marks


@pytest.fixture(scope="module")
def samples(project: Path) -> Path:
    return project / "data" / "samples"


def reasons(event: Event) -> set[str]:
    return {fault.reason for fault in event.faults}


def points(event: Event) -> list[float]:
    own = sides(event.games).groupby("player")["points"].sum()
    return [float(own.get(number, 0.0)) for number in event.players["number"]]


# --- the collected cases ---------------------------------------------------------------------------


def case(shared: Path, identity: str) -> dict:
    path = next((shared / "cases").glob(f"{identity}-*.json"))
    return json.loads(path.read_text(encoding="utf-8"))


def test_encodings(shared: Path) -> None:
    given = case(shared, "C49")
    for data, text in zip(given["input"]["bytes_hex"], given["expected"]["text"], strict=True):
        assert decode(bytes.fromhex(data)).text == text


def test_results_are_read_half_by_half(shared: Path) -> None:
    given = case(shared, "C39")
    scores = {"1": 1, "0": 0, "=": 0.5}
    for text, expected, rated in zip(
        given["input"]["texts"], given["expected"]["scores"], given["expected"]["rated"], strict=True
    ):
        result = read_result(text)
        if expected is None:
            assert result is None
            continue
        assert result is not None
        assert [scores[result.first], scores[result.second]] == expected, text
        assert bool(result.doubt) == isinstance(rated, str), text
        if isinstance(rated, bool):
            assert (result.kind == "played") == rated, text


def test_decimal_commas(shared: Path) -> None:
    given = case(shared, "C43")
    for text, expected in zip(given["input"]["texts"], given["expected"]["values"], strict=True):
        if expected == "ambiguous":
            with pytest.raises(ValueError, match="ambiguous"):
                number(text)
            continue
        value = number(text, ",")
        assert (None if value is None else float(value)) == expected
    assert decimal_sign(["12,5", "1.234"]) == ","
    assert decimal_sign(["1.234"]) is None


def test_colour_marks(shared: Path) -> None:
    given = case(shared, "C68")
    for row, expected in zip(given["input"]["sets"], given["expected"]["first_mover"], strict=True):
        folded = {mark: plain(mark).casefold() for mark in row["marks"]}
        white = [mark for mark in folded if folded[mark] in first_marks(folded.values())]
        # In go the side of the pieces called White moves second; the reader of sheets exchanges the sides.
        assert (
            [mark for mark in folded if mark not in white] if "go" in row["language"] else white
        ) == expected


def test_a_list_cut_at_150_rows(shared: Path) -> None:
    expected = case(shared, "C69")["expected"]
    lines = ["012 Cut list", "042 2024/05/01"]
    for n in range(1, 151):
        opponent = 210 - n if 210 - n > 150 else 151 - n if n > 59 else 1
        cell = f"  {opponent:4d} w 1" if opponent > 150 else "  0000 - Z"
        lines.append(
            f"001 {n:4d}      {'Player':33} 1500                              {1.0 if opponent > 150 else 0.0:4.1f} {n:4d}{cell}"
        )
    event = events_in_bytes("\n".join(lines).encode(), "cut.trf")[0]
    found = [f for f in event.faults if f.reason == "list-incomplete"]
    assert [(f.severity, f.values["missing"], f.values["highest"]) for f in found] == [
        ("E", expected["missing_players"], 209)
    ]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2005/07/28", "2005-07-28"), ("2005-07-28", "2005-07-28"), ("28. 07. 2005", "2005-07-28"), ("28.07.2005", "2005-07-28"),
        ("20050728", "2005-07-28"), ("28/07/2005", "2005-07-28"), ("July 28, 2005", "2005-07-28"), ("28 juillet 2005", "2005-07-28"),
        ("2005年7月28日", "2005-07-28"), ("25/09/10", "2025-09-10"), ("01/03/26", "2026-03-01"), ("11.25.02", "2011-02-25"),
        ("28 de julio de 2005", "2005-07-28"), ("31.02.2005", None), ("soon", None),
    ],
)  # fmt: skip
def test_dates_in_many_spellings(text: str, day: str | None) -> None:
    found = read_date(text).day
    assert (found.isoformat() if found else None) == day


# --- tables ----------------------------------------------------------------------------------------


def test_result_pages_of_one_event_agree(samples: Path) -> None:
    """The same event by rank in English and by start number in German."""
    by_rank, by_number = (read_event(samples / f"cross-table-by-{kind}.html") for kind in ("rank", "number"))
    assert by_rank.name == "Sample Open"
    assert by_rank.start is not None
    assert by_rank.players["points"].tolist() == points(by_rank) == [2.5, 2, 1.5, 1, 0.5]
    assert by_rank.players["title"].tolist() == ["IM", "", "FM", "", ""]
    names = {
        event.id: dict(zip(event.players["number"], event.players["name"], strict=True))
        for event in (by_rank, by_number)
    }
    games = [
        {(row.round, names[event.id][row.first], names[event.id].get(row.second), row.first_result, row.kind) for row in event.games.itertuples() if row.colours_known}
        for event in (by_rank, by_number)
    ]  # fmt: skip
    assert games[0] == games[1]
    assert "bye-not-told" in reasons(by_rank)


def test_hand_made_sheet_in_chinese(samples: Path) -> None:
    event = read_event(samples / "xiangqi-sheet.csv")
    assert (event.discipline, event.format, event.rounds, event.place) == ("xiangqi", "swiss", 3, "成都")
    assert (str(event.start), str(event.end)) == ("2024-05-01", "2024-05-03")
    assert event.arbiters == ("王裁判",)
    assert event.scoring.win == 2
    assert event.players["points"].tolist() == points(event)
    assert event.games.iloc[0][["first", "second", "first_result"]].tolist() == [1, 4, "1"]


def test_pairings_in_chinese(samples: Path) -> None:
    event = read_event(samples / "xiangqi-pairings.csv")
    assert event.discipline == "xiangqi"
    assert event.games["round"].tolist() == [1, 1, 2, 2, 3, 3]
    assert event.games["first_result"].tolist() == ["1", "=", "0", "1", "=", "1"]
    assert event.games["kind"].tolist()[-1] == "forfeit"
    assert not [f for f in check_event(event) if f.severity == "E"]


def test_matrix_of_a_round_robin(samples: Path) -> None:
    event = read_event(samples / "round-robin-matrix.csv")
    assert event.format == "round-robin"
    assert event.players["points"].tolist() == points(event)
    assert not event.games["colours_known"].any()
    assert "rounds-assumed" in reasons(event)
    assert not [f for f in check_event(event) if f.code == "CK16"]


def test_a_mapping_overrules_the_guess(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("Start,Wer,Zahl\n1,Ann,2000\n2,Bo,1900\n", encoding="utf-8")
    with pytest.raises(ReadError, match="no table with heads"):
        read_event(path)
    event = read_event(path, mapping={"Start": "number", "Wer": "name", "Zahl": "rating"})
    assert event.players["rating"].tolist() == [2000, 1900]


CALCULATION = [
    ["等级分计算表"],
    ["比赛名称", "某市公开赛", "", "地点", "成都"],
    ["日期", "2024年5月1日", "", "赛制", "单循环"],
    ["序号", "姓名", "性别", "单位", "等级称号", "原等级分(Ro)", "局数(N)", "预期局分(We)", "实得局分(W)", "W-We", "K", "升降值(ΔR)", "新等级分(Rn)", "备注"],
    [1, "甲一", "男", "成都", "一级棋士", 2305, 2, 1.25, 1.5, 0.25, 15, 3.75, 2309, ""],
    [2, "乙二", "女", "重庆", "", 2200, 2, 0.75, 0.5, -0.25, 15, -3.75, 2196, "迟到"],
]  # fmt: skip


@pytest.mark.parametrize("traditional", [False, True])
def test_calculation_sheet_in_both_scripts(tmp_path: Path, traditional: bool) -> None:
    import xlsxwriter

    pairs = {"级": "級", "计": "計", "赛": "賽", "称": "稱", "单": "單", "号": "號", "别": "別", "数": "數", "预": "預", "实": "實", "备": "備", "会": "會", "环": "環", "场": "場", "点": "點"}  # fmt: skip
    path = tmp_path / "sheet.xlsx"
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("计算表")
    sheet.merge_range(0, 0, 0, 13, "")
    for i, row in enumerate(CALCULATION):
        for j, value in enumerate(row):
            text = (
                "".join(pairs.get(c, c) for c in value)
                if traditional and isinstance(value, str) and i != 4
                else value
            )
            sheet.write(i, j, text)
    book.close()
    event = read_event(path)
    assert event.players["k"].tolist() == [15, 15]
    assert event.players["change"].tolist() == [3.75, -3.75]
    assert event.players["change_text"].tolist() == ["3.75", "-3.75"]
    assert event.players["expected"].tolist() == [1.25, 0.75]
    assert event.players["new_rating"].tolist() == [2309, 2196]
    assert event.players["sex"].tolist() == ["m", "w"]
    assert event.place == "成都"
    assert event.format == "round-robin"


def test_identity_cards_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "序号,姓名,身份证号,等级分,备注\n1,甲一,510105199001011234,2000,51010519900101123X\n2,乙二,510105199001011242,1900,\n",
        encoding="utf-8",
    )
    event = read_event(path)
    kept = repr(event.players.to_dict()) + repr(event.extra) + "".join(f.message("zh") for f in event.faults)
    assert "5101051990" not in kept
    assert {"card-column", "card-number"} <= reasons(event)


# --- go, PGN, lists --------------------------------------------------------------------------------


def test_go_table(samples: Path) -> None:
    event = read_event(samples / "go-table.h9")
    assert (event.discipline, event.name, event.place, str(event.start), event.federation) == (
        "go",
        "Sample Open",
        "Paris",
        "2024-03-02",
        "FR",
    )
    assert event.players["name"].tolist()[1] == "Müller Jörg"
    assert event.players["tb1"].tolist() == [34, 32, 31, 29, 27]
    first = event.games.iloc[0]  # Dupont won with White: Black, who moves first, lost
    assert first[["first", "second", "first_result", "second_result"]].tolist() == [2, 1, "0", "1"]
    assert sorted(event.games["handicap"].dropna().unique()) == [0, 2]


def test_go_report(samples: Path) -> None:
    event = read_event(samples / "go-report-aga.txt")
    assert event.players["rating"].tolist() == [5.5, 3.5, -2.5, -4.3]
    assert event.games["round"].tolist() == [1, 1, 2, 2, 3]
    assert event.games.iloc[1][["first", "second", "first_result", "handicap"]].tolist() == [4, 3, "1", 2]


def test_opengotha(samples: Path) -> None:
    event = read_event(samples / "go-tournament-opengotha.xml")
    assert event.games["kind"].tolist() == ["played", "forfeit", "pab", "zero_bye"]
    assert event.games.iloc[0][["first", "second", "first_result", "line"]].tolist() == [2, 1, "0", 9]


def test_pgn(samples: Path) -> None:
    event = read_event(samples / "games.pgn")
    assert event.players["name"].tolist() == ["Hansen, H.", 'O\'Hara, P. "Pat"']
    assert event.games[["round", "first", "second", "first_result", "day"]].values.tolist() == [
        [1, 1, 2, "1", "2024-01-05"],
        [2, 2, 1, "=", "2024-01-06"],
    ]


def test_lists(samples: Path) -> None:
    fide = read_list(samples / "fide-list.txt").rows
    assert fide["rating"].tolist()[0] == 2640
    assert fide["rating"].tolist()[3] == 1950  # pushed aside by a long title
    assert fide["birth_year"].tolist() == [1990, 2001, 2012, 1975]
    assert read_list(samples / "fide-list.xml").rows["k"].tolist()[0] == 10
    aga = read_list(samples / "aga-tdlist.txt")
    assert aga.rows["rating"].tolist()[0] == 3.25
    assert [f.reason for f in aga.faults] == ["list-gap"]
    egd = read_list(samples / "egd-ladder.txt")
    assert (str(egd.day), egd.rows["rating"].tolist()) == ("2024-03-02", [2410, 2290])
    french = read_list(samples / "french-ladder.txt")
    assert (french.federation, str(french.day)) == ("FFG", "2024-03-04")
    assert [f.reason for f in french.faults] == ["encoding-guessed"]
    assert french.rows["name"].tolist()[:2] == ["DUPONT Éloïse", "MARTIN Jean-Noël"]
    assert french.rows["rating"].fillna(0).tolist() == [325, -120, -1450, 0, 45]
    assert french.rows["id"].tolist() == ["1200345", "1300012", "", "2100777", "0900001"]
    assert french.rows["unit"].tolist() == ["31To", "75Pa", "", "38Gr", "69Ly"]
    assert french.rows["flag"].tolist() == ["L", "L", "e", "C", "X"]
    own = read_list(samples / "list.csv").rows
    assert own.iloc[0][["id", "name", "sex", "unit", "k", "games", "last_event"]].tolist() == [
        "A001",
        "甲一",
        "m",
        "成都",
        10,
        35,
        "2024-03-01",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "DUPONT Jean",
        "DUPONT Jean   12a L 1200345 31To FR",
        "DUPONT Jean   120 L 1200345",
        "   -120 L 1200345 31To FR",
        "x" * 500,
    ],
)
def test_a_line_that_the_french_ladder_cannot_hold_is_told(line: str) -> None:
    text = f"#Echelle au 12/11/2024 08:00:00\nMARTIN Zoe     -300 L 1300012 75Pa FR\n{line}\n"
    ladder = list_from((Source("ladder.txt", text.encode("latin-1")),), "ladder")
    assert [(f.code, f.reason, f.line) for f in ladder.faults] == [("CK47", "list-line", 3)]
    assert len(ladder.rows) == 1
    assert str(ladder.day) == "2024-11-12"


def test_list_of_the_collection(shared: Path) -> None:
    found = read_list(shared / "data" / "lists" / "cwa-go-2026-05.csv")
    assert len(found.rows) == 468
    assert found.day is not None


# --- the folder format: bad input -----------------------------------------------------------------

PLAYERS = "no,name,sex,rating,birth_year,k\n1,Ann,f,2000,1990,20\n2,Bo,m,1900,1985,20\n3,Cy,m,1800,,20\n"
GAMES = "round,board,white,black,white_score,black_score,kind\n1,1,1,2,1,0,played\n1,,3,,1,,PAB\n2,1,2,3,0.5,0.5,played\n2,,1,,0.5,,HPB\n"


def folder(tmp_path: Path, players: str = PLAYERS, games: str = GAMES, meta: dict | None = None) -> Event:
    (tmp_path / "players.csv").write_text(players, encoding="utf-8")
    (tmp_path / "games.csv").write_text(games, encoding="utf-8")
    given = {
        "slug": "x",
        "game": "chess",
        "format": "Swiss",
        "rounds": 2,
        "start": "2024-05-01",
        "scoring": {"win": 1, "draw": 0.5, "loss": 0},
    }
    (tmp_path / "meta.json").write_text(json.dumps(given if meta is None else meta), encoding="utf-8")
    return read_event(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("1,1,1,2,1,0,played", "1,1,1,2,1,1,played", 2, "pair-impossible"), ("1,1,1,2,1,0,played", "1,1,1,2,1,,played", 2, "pair-one-sided"),
        ("1,1,1,2,1,0,played", "1,1,1,1,1,0,played", 2, "against-himself"), ("1,1,1,2,1,0,played", "1,1,1,9,1,0,played", 2, "unknown-opponent"),
        ("1,1,1,2,1,0,played", "1,1,1,x,1,0,played", 2, "opponent-unreadable"), ("1,1,1,2,1,0,played", "0,1,1,2,1,0,played", 2, "round-unreadable"),
        ("1,1,1,2,1,0,played", "1,1,1,2,7,0,played", 2, "score-outside-scoring"), ("1,1,1,2,1,0,played", "1,1,1,2,1,0,strange", 2, "kind-unknown"),
        ("1,1,1,2,1,0,played", "1,1,1,2,win,0,played", 2, "score-unreadable"), ("1,1,1,2,1,0,played", "1,1,1,2,0,0,played", 2, "zero-zero"),
        ("2,1,2,3,0.5,0.5,played", "1,1,2,3,0.5,0.5,played", 4, "twice-in-a-round"), ("Ann,f,2000", "Ann,f,0", 2, "rating-zero"),
        ("Ann,f,2000", "Ann,f,-5", 2, "rating-impossible"), ("Ann,f,2000", "Ann,f,20000", 2, "rating-impossible"), ("Ann,f,2000", "Ann,f,2O00", 2, "rating-unreadable"),
        ("2000,1990", "2000,90", 2, "birth-two-digits"), ("2,Bo", "1,Bo", 3, "number-twice"), ("2,Bo,m", "2,Bo,?!", 3, "sex-unreadable"),
    ],
)  # fmt: skip
def test_bad_input_is_named_with_line_and_the_rest_is_read(
    tmp_path: Path, old: str, new: str, line: int, reason: str
) -> None:
    assert (old in PLAYERS) or (old in GAMES)
    event = folder(tmp_path, PLAYERS.replace(old, new, 1), GAMES.replace(old, new, 1))
    found = [(f.line, f.reason) for f in (*event.faults, *check_event(event))]
    assert (line, reason) in found, found
    assert len(event.players) >= 2


def test_a_sound_folder_gives_no_finding(tmp_path: Path) -> None:
    event = folder(tmp_path)
    assert not event.faults
    assert not check_event(event)


def test_folder_without_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no column 'white'"):
        folder(tmp_path, games="round,board\n1,1\n")
    with pytest.raises(ReadError, match="is empty"):
        folder(tmp_path, players="")
    event = folder(tmp_path, games="", meta={})
    assert {"no-games"} <= reasons(event)
    assert event.start is None
    (tmp_path / "meta.json").write_text("{", encoding="utf-8")
    assert "meta-unreadable" in reasons(read_event(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "<script>",
        "=cmd|'/C calc'!A0",
        '#include("x")',
        r"\input{x}",
        "$(x)",
        "$x$",
        "x" * 500,
        "\u202eabc\u202c",
        "𠮷",
    ],
)
def test_names_stay_text(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    event = folder(tmp_path, PLAYERS.replace("Ann", quoted))
    assert event.players["name"].tolist()[0].strip("\u202e\u202c") == name.strip("\u202e\u202c")


# --- hostile files ---------------------------------------------------------------------------------


def test_refusals_say_what_was_expected(tmp_path: Path) -> None:
    for data, words in (
        (b"", "empty"), (b"   \r\n", "empty"), (b"%PDF-1.4", "PDF"), (b"hello world", "no table"), (b"<a/>", "XML"),
        (b"PK\x03\x04broken", "damaged"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600, "damaged"), (b"{}", "JSON"),
    ):  # fmt: skip
        with pytest.raises(ReadError, match=words):
            events_in_bytes(data, "x")
    with pytest.raises(ReadError, match="cannot be opened"):
        read_event(tmp_path / "nothing")


def test_zip_bombs_are_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("event.trf", b"0" * (1 << 28))
    with pytest.raises(ReadError, match="expected at most"):
        events_in_bytes(stream.getvalue(), "bomb.zip")


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><Tournament><Player name="&b;"/><Games/></Tournament>'


def test_entities_are_refused() -> None:
    with pytest.raises(ReadError, match="entities"):
        events_in_bytes(LAUGHS, "x.xml")
    external = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><Tournament><Player name="&a;"/><Game/></Tournament>'
    with pytest.raises(ReadError, match="entities"):
        events_in_bytes(external, "x.xml")


@pytest.mark.parametrize("part", range(10))
def test_broken_files_only_meet_the_projects_own_error(part: int) -> None:
    from fuzz_readers import run

    outcomes, failures, _ = run(part * 1000, 1000)
    assert not failures
    assert outcomes["event read"] > 400


def test_boards_of_team_matches(samples: Path) -> None:
    """The first team has White on the odd boards; a result belongs to the order of the teams."""
    event = read_event(samples / "team-boards.html")
    names = dict(zip(event.players["number"], event.players["name"], strict=True))
    games = [
        (names[row.first], names[row.second], row.first_result, row.kind) for row in event.games.itertuples()
    ]
    assert games == [
        ("Adler, Anna", "Berg, Bo", "=", "played"),
        ("Díaz, Dora", "Cruz, Clara", "0", "played"),
        ("Evans, Eli", "Ford, Flo", "0", "played"),
        ("Hill, Hal", "Gray, Gil", "0", "forfeit"),
    ]
    assert event.teams["name"].tolist() == ["Team A", "Team B", "Team C", "Team D"]
    assert event.matches[["first_game_points", "second_game_points"]].values.tolist() == [[1.5, 0.5], [1, 1]]
    assert str(event.start) == "2024-05-01"


def test_points_that_are_no_number_do_not_stop_the_reading_of_a_sheet():
    """Found by fuzzing: the scoring is looked for in the printed points, one of which was no number."""
    from qiyi_analysis.readers.door import events_in_bytes

    rows = [
        "序号,姓名,单位,第1轮,第2轮,第3轮,积分,名次",
        "3,丙,,,,,1000296",
        "4,丁,武汉,黑1负,红3和,红2胜,3,2",
    ]
    (event,) = events_in_bytes("\n".join(rows).encode("utf-8"), "sheet.csv")
    assert list(event.players["name"])[:2] == ["丙", "丁"]
