"""The tables of result pages in six languages: each reads the same event, from a page, a workbook and an old workbook."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from openpyxl import Workbook

from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.source import Source

#: number, rank, name, federation, club, start number, FIDE id, K, round, points, tie-break, rating, change, board, White, result, Black, team
HEADS = {
    "en": ["No.", "Rk.", "Name", "FED", "Club/City", "SNo", "FideID", "K", "{}.Rd", "Pts.", "TB1", "Rtg", "rtg+/-", "Bo.", "White", "Result", "Black", "Team"],
    "de": ["Nr.", "Rg.", "Name", "Land", "Verein/Ort", "Snr", "FideID", "K", "{}.Rd", "Pkt.", "Wtg1", "Elo", "Elo+/-", "Br.", "Weiß", "Ergebnis", "Schwarz", "Mannschaft"],
    "es": ["No.", "Rk.", "Nombre", "FED", "Club/Ciudad", "No.Ini.", "FideID", "K", "{}.Rd", "Pts.", "Des 1", "Elo", "Elo+/-", "M.", "Blancas", "Resultado", "Negras", "Equipo"],
    "fr": ["No.", "Rg", "Nom", "FED", "Club/Ville", "Snr", "Code FIDE", "K", "Rd.{}", "Pts", "Dep1", "Elo", "Elo+/-", "Ech.", "Blancs", "Résultat", "Noirs", "Équipe"],
    "ru": ["Ном.", "Место", "Имя", "фед.", "Клуб/Город", "Ст.ном", "код FIDE", "K", "{}.тур", "Очки", "Доп1", "Рейт.", "рейт+/-", "Дос.", "Белые", "Результат", "Черные", "Команда"],
    "zh": ["序号", "名次", "姓名", "国家", "俱乐部", "起始号", "FideID", "K", "第{}轮", "积分", "破同分1", "等级分", "升降", "台号", "白方", "结果", "黑方", "队名"],
}  # fmt: skip
KEYS = (
    "number", "rank", "name", "federation", "unit", "start", "id", "k", "round", "points", "tb1", "rating", "change", "board",
    "white", "result", "black", "team",
)  # fmt: skip
COLOURS = {"en": "wb", "de": "ws", "es": "bn", "fr": "bn", "ru": "бч", "zh": "白黑"}
#: number, rank, name, federation, club, id, rating, K, points, tie-break, change
PEOPLE = [
    (1, 2, "Adler, Anna", "GER", "SC Sample", "9000001", "2100", "20", "1,5", "2", "-3,4"),
    (2, 1, "Berg, Bo", "SWE", "SK Probe", "9000002", "2000", "20", "2", "1,5", "12,5"),
    (3, 3, "Cruz, Clara", "ESP", "CA Muestra", "9000003", "1900", "40", "½", "3,5", "-8"),
    (4, 4, "Díaz, Dora", "ESP", "CA Muestra", "9000004", "0", "", "0", "2", ""),
]  # fmt: skip
#: round, White, Black, points of White
GAMES = [(1, 1, 3, "½"), (1, 2, 4, "1"), (2, 3, 2, "0"), (2, 4, 1, "0")]


def cells(language: str, *, by_rank: bool) -> dict[int, list[str]]:
    first, second = COLOURS[language]
    shown = {number: rank if by_rank else number for number, rank, *_ in PEOPLE}
    found: dict[int, list[str]] = {number: ["", ""] for number in shown}
    for round_, white, black, points in GAMES:
        other = {"1": "0", "0": "1", "½": "½"}[points]
        found[white][round_ - 1] = f"{shown[black]}{first}{points}"
        found[black][round_ - 1] = f"{shown[white]}{second}{other}"
    return found


def table(kind: str, language: str) -> list[list[str]]:
    """Title, row of heads and rows of one of the tables."""
    h = dict(zip(KEYS, HEADS[language], strict=True))
    rounds = [h["round"].format(1), h["round"].format(2)]
    ranked = sorted(PEOPLE, key=lambda one: one[1])
    if kind == "start":
        return [[h[k] if k else "" for k in ("number", "", "name", "id", "federation", "rating", "unit")]] + [
            [str(p[0]), "", p[2], p[5], p[3], p[6], p[4]] for p in PEOPLE
        ]
    if kind == "by-rank":
        results = cells(language, by_rank=True)
        return [[h["rank"], "", h["name"], h["rating"], h["federation"], *rounds, h["points"], h["tb1"]]] + [
            [str(p[1]), "", p[2], p[6], p[3], *results[p[0]], p[8], p[9]] for p in ranked
        ]
    if kind == "by-number":
        results = cells(language, by_rank=False)
        return [
            [h["number"], "", h["name"], h["rating"], h["federation"], *rounds, h["points"], h["rank"]]
        ] + [[str(p[0]), "", p[2], p[6], p[3], *results[p[0]], p[8], str(p[1])] for p in PEOPLE]
    if kind == "ranking":
        return [
            [
                h["rank"],
                h["start"],
                "",
                h["name"],
                h["federation"],
                h["rating"],
                h["points"],
                h["tb1"],
                h["k"],
                h["change"],
            ]
        ] + [[str(p[1]), str(p[0]), "", p[2], p[3], p[6], p[8], p[9], p[7], p[10]] for p in ranked]
    if kind == "teams":
        return [[h["board"], h["team"], h["name"], h["rating"], h["federation"]]] + [
            [str(p[0]), f"Team {p[3]}", p[2], p[6], p[3]] for p in PEOPLE
        ]
    names = {p[0]: p for p in PEOPLE}
    ordinary = {"1": "1 - 0", "0": "0 - 1", "½": "½ - ½"}
    rows = [
        [
            h["round"].format("").strip(".") if language != "zh" else "轮次",
            h["board"],
            h["number"],
            h["white"],
            h["rating"],
            h["result"],
            h["black"],
            h["rating"],
            h["number"],
        ]
    ]
    for round_, white, black, points in GAMES:
        rows.append(
            [
                str(round_),
                "1",
                str(white),
                names[white][2],
                names[white][6],
                ordinary[points],
                names[black][2],
                names[black][6],
                str(black),
            ]
        )
    return rows


def page(rows: list[list[str]]) -> bytes:
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f'<html><head><meta charset="utf-8"></head><body><h2>Sample Open</h2>\n<table>\n{lines}</table></body></html>'.encode()


def workbook(rows: list[list[str]]) -> bytes:
    book = Workbook()
    book.active.append(["Sample Open"])
    for row in rows:
        book.active.append([cell or None for cell in row])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def check(event: Event, kind: str, language: str) -> None:
    players = event.players
    by_name = players.set_index("name")
    assert sorted(by_name.index) == [p[2] for p in PEOPLE], language
    for number, rank, name, federation, club, identity, rating, k, points, tb1, change in PEOPLE:
        row = by_name.loc[name]
        assert (row["rating"] == float(rating)) if rating != "0" else row["rating"] != row["rating"]
        if kind != "pairings":
            assert row["federation"] == federation
        if kind in ("start", "by-number", "ranking", "pairings"):
            assert row["number"] == number
        if kind == "start":
            assert (row["id"], row["unit"]) == (identity, club)
        if kind in ("by-rank", "by-number", "ranking"):
            assert row["rank"] == rank
            assert row["points"] == float(points.replace(",", ".").replace("½", "0.5"))
        if kind in ("by-rank", "ranking"):
            assert row["tb1"] == float(tb1.replace(",", "."))
        if kind == "ranking":
            assert row["k"] == float(k) if k else row["k"] != row["k"]
            assert (
                row["change"] == float(change.replace(",", ".")) if change else row["change"] != row["change"]
            )
        if kind == "teams":
            assert row["team"] == f"Team {federation}"
    if kind in ("by-rank", "by-number", "pairings"):
        names = dict(zip(players["number"], players["name"], strict=True))
        known = {p[0]: p[2] for p in PEOPLE}
        letter = {"1": "1", "0": "0", "½": "="}
        assert sorted(
            (g.round, names[g.first], names[g.second], g.first_result) for g in event.games.itertuples()
        ) == sorted((r, known[white], known[black], letter[points]) for r, white, black, points in GAMES)
        assert set(event.games["kind"]) == {"played"}


TABLES = ("start", "by-rank", "by-number", "ranking", "teams", "pairings")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("language", HEADS)
def test_a_table_of_a_page_and_of_a_workbook(kind: str, language: str) -> None:
    rows = table(kind, language)
    for name, data in (("page.html", page(rows)), ("book.xlsx", workbook(rows))):
        check(events_from((Source(name, data),), "x")[0], kind, language)


BOARDS = {
    "en": ("1. Round on 2024/05/01", "Bo.", "Rtg"), "de": ("1. Runde am 2024/05/01", "Br.", "Elo"), "es": ("1. Ronda 2024/05/01", "M.", "Elo"),
    "fr": ("Ronde 1 le 2024/05/01", "Ech.", "Elo"), "ru": ("1. тур 2024/05/01", "Дос.", "Рейт."), "zh": ("第1轮 2024/05/01", "台号", "等级分"),
}  # fmt: skip


@pytest.mark.parametrize("language", BOARDS)
def test_board_pairings_of_teams(language: str) -> None:
    title, board, rating = BOARDS[language]
    rows = [
        [title],
        [board, "1", "Team A", rating, "-", "2", "Team B", rating, "1½:½"],
        ["1.1", "", "Adler, Anna", "2100", "-", "", "Berg, Bo", "2000", "½ - ½"],
        ["1.2", "", "Cruz, Clara", "1900", "-", "", "Díaz, Dora", "0", "1 - 0"],
    ]
    for name, data in (("page.html", page(rows)), ("book.xlsx", workbook(rows))):
        event = events_from((Source(name, data),), "x")[0]
        assert event.players[["name", "team", "board"]].to_numpy().tolist() == [
            ["Adler, Anna", "Team A", 1.0], ["Berg, Bo", "Team B", 1.0], ["Cruz, Clara", "Team A", 2.0], ["Díaz, Dora", "Team B", 2.0],
        ]  # fmt: skip
        names = dict(zip(event.players["number"], event.players["name"], strict=True))
        assert [(g.round, names[g.first], names[g.second], g.first_result) for g in event.games.itertuples()] == [
            (1, "Adler, Anna", "Berg, Bo", "="), (1, "Díaz, Dora", "Cruz, Clara", "0"),
        ]  # fmt: skip
        assert (
            event.matches["first_game_points"].tolist(),
            event.matches["second_game_points"].tolist(),
        ) == ([1.5], [0.5])


@pytest.mark.parametrize("kind", ["by-rank", "ranking"])
def test_ranks_left_blank_or_repeated_for_ties(kind: str) -> None:
    for tied in ("", "2"):
        rows = table(kind, "en")
        rows[3] = [tied, *rows[3][1:]]
        event = events_from((Source("page.html", page(rows)),), "x")[0]
        if kind == "ranking":
            assert event.players["rank"].tolist() == [2, 1, 2, 4]


@pytest.mark.skipif(
    shutil.which("soffice") is None, reason="LibreOffice, which writes the old format, is not installed"
)
def test_the_old_binary_workbook(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    book.write_bytes(workbook(table("by-rank", "de")))
    done = subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "xls", "--outdir", str(tmp_path), str(book)],
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "book.xls").read_bytes()
    assert data.startswith(b"\xd0\xcf\x11\xe0")
    check(events_from((Source("book.xls", data),), "x")[0], "by-rank", "de")
