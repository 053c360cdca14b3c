"""qiyi rate, audit, explain, what-if and rules as commands: fields, types, exit codes, and bad input."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qiyi_analysis.words.visible import visible

EVENTS = Path(__file__).parents[2] / "data" / "events"
NANJING = str(EVENTS / "nanjing-2010")
XIANGQI = str(EVENTS / "constructed-xiangqi-2024")
PLAYERS = (
    "no,id,name,sex,rating,k\n1,101,A,m,2000,20\n2,102,B,m,1950,20\n3,103,C,m,1900,20\n4,104,D,m,1850,20\n"
)
GAMES = "round,white,black,white_score,black_score\n1,1,4,1,0\n1,2,3,0.5,0.5\n2,4,3,0,1\n2,1,2,1,0\n"
META = {
    "slug": "x", "title": "X", "game": "chess", "format": "Swiss", "rounds": 2, "start": "2024-05-01",
    "end": "2024-05-02", "system": "FIDE classical",
}  # fmt: skip
OFFICIAL = "no,rating_change\n1,15\n2,-10\n3,10\n4,-15\n"


def folder(tmp_path, *, players=PLAYERS, games=GAMES, official=OFFICIAL, **meta):
    place = tmp_path / "event"
    place.mkdir()
    content = {k: v for k, v in {**META, **meta}.items() if v is not None}
    for name, text in (
        ("players.csv", players), ("games.csv", games), ("official.csv", official), ("meta.json", json.dumps(content)),
    ):  # fmt: skip
        (place / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


# --- what is printed --------------------------------------------------------------------------------------

RATE_FIELDS = {
    "number": int, "id": (str, type(None)), "name": str, "rating": (int, float, type(None)), "provisional": bool,
    "k": (int, type(None)), "games": int, "score": str, "opponents_average": (int, type(None)),
    "difference": (int, type(None)), "expected": (str, type(None)), "we": (str, type(None)),
    "change": (str, type(None)), "new_rating": (int, float, type(None)),
}  # fmt: skip
GAME_FIELDS = [
    "round", "number", "opponent", "opponent_rating", "difference", "counted_difference", "expected", "score",
    "counted", "reason", "article",
]  # fmt: skip
FINDING_FIELDS = {
    "code", "severity", "file", "line", "round", "player", "field", "published", "recomputed", "article", "causes",
}  # fmt: skip


@pytest.mark.parametrize("event", [NANJING, XIANGQI, str(EVENTS / "constructed-cca-2024")])
def test_rate_json(qiyi, event):
    code, out, _ = qiyi("rate", event, "--json", "--games")
    answer = json.loads(out)
    assert code == 0
    assert list(answer) == ["schema", "event", "rules", "players", "games", "findings"]
    assert (answer["schema"], answer["event"]) == (1, Path(event).name)
    for player in answer["players"]:
        assert list(player) == list(RATE_FIELDS)
        for name, kind in RATE_FIELDS.items():
            assert isinstance(player[name], kind), name
    assert all(list(game) == GAME_FIELDS for game in answer["games"])
    assert all(set(finding) >= FINDING_FIELDS for finding in answer["findings"])


def test_a_table_without_games_is_no_result_of_zero_games(qiyi, tmp_path):
    place = folder(tmp_path, games="round,white,black,white_score,black_score\n", official="")
    code, _, err = qiyi("rate", str(place), "--rules", "fide/rating-standard", "--language", "en")
    assert code == 1
    assert "The file has no games" in err


def test_numbers_of_a_player_as_the_interface_prints_them(qiyi):
    players = json.loads(qiyi("rate", NANJING, "--json")[1])["players"]
    anand = next(p for p in players if p["number"] == 3)
    assert anand == {
        "number": 3, "id": None, "name": "Anand, Viswanathan", "rating": 2800, "provisional": False, "k": 10, "games": 10,
        "score": "6.0", "opponents_average": 2759, "difference": None, "expected": None, "we": "5.56", "change": "4.40",
        "new_rating": 2804,
    }  # fmt: skip
    champion = json.loads(qiyi("rate", XIANGQI, "--json")[1])["players"][0]
    assert (champion["difference"], champion["expected"], champion["change"]) == (189, "0.75", "0.00")


def test_csv_has_a_mark_for_excel_and_the_same_table(qiyi):
    code, out, _ = qiyi("rate", NANJING, "--csv")
    assert code == 0
    assert out.startswith("\ufeffnumber,id,name,")
    rows = list(csv.DictReader(io.StringIO(out.removeprefix("\ufeff"))))
    assert [list(r) for r in rows] == [list(RATE_FIELDS)] * 6
    assert rows[2]["change"] == "4.40"


def test_audit_json_goes_to_stdout_alone(qiyi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = qiyi("audit", NANJING, "--json")
    answer = json.loads(out)
    assert (code, answer["verdict"]) == (0, "accept")
    assert list(tmp_path.iterdir()) == []


def test_audit_writes_its_files_and_says_where_on_stderr(qiyi, tmp_path):
    code, out, err = qiyi("audit", NANJING, "--formats", "json,xlsx", "--out", tmp_path, "--language", "en")
    assert code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"nanjing-2010-audit.json", "nanjing-2010-audit.xlsx"}
    assert out.splitlines()[0].endswith("(accept)")
    assert str(tmp_path) not in out
    assert str(tmp_path / "nanjing-2010-audit.json") in err


def test_an_unknown_format_and_an_unknown_file_are_named(qiyi):
    assert qiyi("audit", NANJING, "--formats", "doc")[0] == 2
    code, out, err = qiyi("rate", "nothing-here")
    assert (code, out) == (2, "")
    assert "nothing-here" in err


@pytest.mark.parametrize("player", ["3", "Anand", "anand, viswanathan"])
def test_explain_unfolds_one_player(qiyi, player):
    code, out, _ = qiyi("explain", NANJING, player, "--language", "en")
    assert code == 0
    for shown in ("2800", "5.56", "4.40", "2804", "8.3"):
        assert shown in out


def test_explain_names_those_who_fit(qiyi):
    code, _, err = qiyi("explain", NANJING, "a")
    assert code == 2
    assert "fits more than one player" in err


def test_what_if(qiyi):
    code, out, _ = qiyi("what-if", NANJING, "--rating", "6=2720", "--json")
    rows = {row["number"]: row for row in json.loads(out)["players"]}
    assert code == 0
    assert (rows[3]["change"], rows[3]["change_if"]) == ("4.40", "4.60")
    assert qiyi("what-if", NANJING)[0] == 2
    assert qiyi("what-if", NANJING, "--result", "1:3=x")[0] == 2
    assert qiyi("what-if", NANJING, "--drop", "77:3")[0] == 2
    dropped = json.loads(qiyi("what-if", NANJING, "--drop", "1:3", "--json")[1])["players"]
    assert {row["number"] for row in dropped} == {3, 4}


def test_rules(qiyi):
    assert (
        qiyi("rules", "in-force", "fide/rating-standard", "2024-02-29")[1].strip()
        == "fide/rating-standard/2022-01-01"
    )
    assert qiyi("rules", "in-force", "fide/rating-standard", "1960-01-01")[0] == 2
    assert qiyi("rules", "in-force", "fide/rating-standard", "29.2.24")[0] == 2
    assert "8.3.3" in qiyi("rules", "show", "fide/rating-standard/2024-03-01")[1]
    assert (
        "2650"
        in qiyi("rules", "diff", "fide/rating-standard/2024-03-01", "fide/rating-standard/2025-10-01")[1]
    )
    assert "cca/rating/undated" in qiyi("rules", "list")[1]


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code", "line", "value"),
    [
        ({"games": GAMES.replace("1,1,4,1,0", "1,1,4,1,1")}, "CK15", 2, "1-1"),
        ({"games": GAMES.replace("1,1,4,1,0", "1,1,4,1,")}, "CK15", 2, "1-?"),
        ({"games": GAMES.replace("1,1,4,1,0", "1,1,1,1,0")}, "CK15", 2, "1"),
        ({"games": GAMES.replace("1,1,4,1,0", "1,1,9,1,0")}, "CK07", 2, "9"),
        ({"games": GAMES + "2,1,2,1,0\n"}, "CK16", 6, "2"),
        ({"players": PLAYERS.replace("104", "101")}, "CK09", 5, "101"),
        ({"players": PLAYERS + "4,105,E,m,1800,20\n"}, "CK09", 6, "4"),
        ({"players": PLAYERS.replace("1950", "0")}, "CK13", 3, "0"),
        ({"players": PLAYERS.replace("1950", "-1950")}, "CK43", 3, "-1950"),
        ({"players": PLAYERS.replace("1950", "19500")}, "CK43", 3, "19500"),
        ({"players": PLAYERS.replace("1950,20", "1950,12.5")}, "CK43", 3, "12.5"),
        ({"players": PLAYERS.replace("1950,20", "1950,99999999999999")}, "CK43", 3, "1e+14"),
        ({"players": PLAYERS.replace(",A,", ",张三,").encode("gbk")}, "CK01", None, ""),
        ({"players": PLAYERS.replace("rating", "elorating")}, "CK02", 1, "rating"),
        ({"start": "01.05.24"}, "CK03", None, "01.05.24"),
        ({"start": None, "end": None}, "CK03", None, ""),
        ({"start": "1960-05-01", "end": "1960-05-02"}, "CK41", None, "1960-05-01"),
        ({"players": PLAYERS.replace(",20\n", ",\n")}, "CK42", 2, "15"),
        ({"players": PLAYERS.replace(",20\n", ",0\n")}, "CK42", 2, "15"),
        ({"rules": ["fide/nonsense"]}, "CK41", None, "fide/nonsense"),
    ],
)
def test_bad_input_is_a_finding_and_the_rest_is_audited(qiyi, tmp_path, change, code, line, value):
    left, out, _ = qiyi("audit", folder(tmp_path, **change), "--json")
    answer = json.loads(out)
    found = [f for f in answer["findings"] if f["code"] == code and (line is None or f["line"] == line)]
    assert found, answer["findings"]
    assert any(value in f"{f['message']} {f['published']}" for f in found)
    serious = any(f["severity"] in "EW" for f in answer["findings"])
    assert left == int(serious) == (answer["verdict"] != "accept")
    assert len(answer["players"]) >= 4 or code == "CK41"


@pytest.mark.parametrize(
    "change", [{"players": ""}, {"games": "round,white\n1,1\n"}, {"players": bytes(range(256)) * 9}]
)
def test_what_cannot_be_read_at_all_is_one_line_on_stderr(qiyi, tmp_path, change):
    code, out, err = qiyi("audit", folder(tmp_path, **change), "--json")
    assert (code, out) == (2, "")
    assert err.startswith("qiyi: event/")


def test_an_empty_file(qiyi, tmp_path):
    path = tmp_path / "empty.trf"
    path.write_bytes(b"")
    assert qiyi("rate", path)[0] == 2


def test_a_k_that_no_edition_allows_to_explain_the_number_is_asked_about(qiyi, tmp_path):
    place = folder(tmp_path, players=PLAYERS.replace(",20\n", ",\n"), official="no,rating_change\n1,11\n")
    code, out, _ = qiyi("audit", place, "--json")
    finding = next(f for f in json.loads(out)["findings"] if f["code"] == "CK42" and f["player"] == 1)
    assert (code, finding["severity"], finding["published"]) == (1, "W", "11")


NAMES = [
    "<script>alert(1)</script>", "=cmd|'/C calc'!A0", '#include("x")', "\\input{x}", "$(x)", "$x$", "长" * 500,
    "\u202eabc\u200f", "𠮷",
]  # fmt: skip


def test_hostile_names_are_text(qiyi, tmp_path):
    rows = [["no", "name", "rating", "k"], *([str(i), n, "2000", "20"] for i, n in enumerate(NAMES, 1))]
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    place = folder(tmp_path, players=stream.getvalue(), official="no,rank\n1,1\n")
    code, out, _ = qiyi("audit", place, "--json")
    assert code == 0
    assert [p["name"] for p in json.loads(out)["players"]] == NAMES
    table = list(csv.reader(io.StringIO(qiyi("rate", place, "--csv")[1].removeprefix("\ufeff"))))[1:]
    # What cannot be seen is shown in cells, as on the terminal.
    assert [row[2].removeprefix("'") for row in table] == [visible(name) for name in NAMES]
    assert table[1][2].startswith("'=")


def test_standard_input_serves_the_notebook_too(tmp_path):
    """The notebook runs in another process and reads the event again."""
    trf = "".join(
        f"001 {i:4} m    {name:<33} {rating:4} CHN             {' ':10} {points:4} {i:4}  {o:4} {c} {r}\n"
        for i, (name, rating, points, o, c, r) in enumerate(
            [("Jia, Yi", 2000, "1.0", 2, "w", "1"), ("Bing, Er", 1950, "0.0", 1, "b", "0")], 1
        )
    )
    text = f"012 Stdin\n042 2024/05/01\n052 2024/05/01\n{trf}"
    done = subprocess.run(
        [sys.executable, "-m", "qiyi_analysis", "audit", "-", "--formats", "pdf,json", "--out", str(tmp_path)],
        input=text.encode(), capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr.decode()
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".json", ".pdf"]


def test_a_misspelt_command_is_answered_with_the_nearest(qiyi):
    code, _, error = qiyi("studdy")
    assert code == 2
    assert error == (
        "qiyi: no such command 'studdy'; did you mean study?\nqiyi: 没有“studdy”这个命令；是不是 study？\n"
    )


def test_a_full_disk_is_said_in_both_languages(qiyi, monkeypatch):
    import errno

    from qiyi_analysis.app.cli import rate

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", "a.pdf")

    monkeypatch.setattr(rate.command, "callback", full)
    code, _, error = qiyi("rate", NANJING)
    assert code == 2
    assert error == "qiyi: a.pdf: No space left on device\nqiyi: a.pdf：磁盘空间不足\n"


def test_an_error_is_told_in_both_languages_or_in_the_one_asked_for(qiyi):
    english, chinese = qiyi("explain", NANJING, "nobody")[2].splitlines()
    assert english.startswith("qiyi: nanjing-2010: no player 'nobody'")
    assert chinese.startswith("qiyi: nanjing-2010：没有棋手“nobody”")
    for language, line in (("en", english), ("zh", chinese)):
        assert qiyi("explain", NANJING, "nobody", "--language", language)[2].splitlines() == [line]
        assert qiyi("explain", NANJING, "nobody", f"--language={language}")[2].splitlines() == [line]


@pytest.mark.parametrize(
    ("typed", "english", "chinese"),
    [
        (
            ("rate", NANJING, "--jsn"),
            "no such option --jsn; nearest are --csv, --json",
            "qiyi: 没有选项 --jsn；相近的有 --csv、--json",
        ),
        (("rate",), "Missing argument 'EVENT'", "qiyi: 缺少 EVENT；-h 显示用法"),
        (
            ("rate", NANJING, "--language", "fr"),
            "--language: 'fr' is not one of zh, en",
            "qiyi: --language：“fr”不是 zh、en 之一",
        ),
        (
            ("rate", NANJING, "--rules"),
            "requires an argument",
            "qiyi: 选项 --rules 后面应有一个值；-h 显示用法",
        ),
        (
            ("rate", NANJING, "more"),
            "more arguments than expected: more",
            "qiyi: 多余的参数：more；qiyi rate -h 显示用法",
        ),
    ],
)
def test_a_mistyped_command_is_told_in_both_languages(qiyi, typed, english, chinese):
    code, _, error = qiyi(*typed)
    *usage, first, second = error.splitlines()
    assert code == 2
    # An option without its value is found before click knows the command.
    assert usage == [] or usage == ["Usage 用法: qiyi rate [OPTIONS] EVENT"]
    assert first.startswith("qiyi: ")
    assert english in first
    assert second.startswith(chinese)


def test_the_terminal_speaks_one_language(qiyi):
    assert "名次与破同分" in qiyi("explain", NANJING, "3", "--language", "zh")[1]
    assert not re.search(
        "standings|working", qiyi("explain", NANJING, "3", "--language", "zh")[1], re.IGNORECASE
    )
    assert "名次" not in qiyi("explain", NANJING, "3", "--language", "en")[1]
