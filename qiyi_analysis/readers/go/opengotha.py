"""The file of the go pairing program OpenGotha (XML)."""

from __future__ import annotations

import math
import re
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.readers import fields, xml
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, bye_result, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables.player_fields import whole

#: Result words: results of White and of Black.
_RESULTS = {
    "RESULT_WHITEWINS": ("1", "0"), "RESULT_BLACKWINS": ("0", "1"), "RESULT_EQUAL": ("=", "="), "RESULT_BOTHWIN": ("1", "1"),
    "RESULT_BOTHLOSE": ("0", "0"), "RESULT_UNKNOWN": ("", ""),
}  # fmt: skip

Elements = list[tuple[str, dict[str, str], int]]


def read_opengotha(source: Source, name: str) -> Event:
    """Read a tournament. Raises ReadError for broken XML and for a file without players."""
    faults = Faults(source.name)
    elements: Elements = []
    lines = _line_counter(source.data)
    xml.parse(
        source.data,
        source.name,
        start=lambda tag, attributes: elements.append((tag, attributes, lines(tag))),
        end=lambda tag: None,
        text=lambda data: None,
    )
    players, keys, present = _players(elements, faults)
    if not players["number"]:
        raise ReadError("opengotha-no-player", file=source.name)
    general: dict[str, str] = {}
    extra: dict[str, Any] = {}
    for tag, attributes, _ in elements:
        if tag == "GeneralParameterSet":
            general = attributes
        elif tag in ("HandicapParameterSet", "PlacementParameterSet", "PairingParameterSet"):
            extra[tag] = dict(attributes)
    extra["GeneralParameterSet"] = dict(general)
    rounds = whole(general.get("numberOfRounds", ""))
    rounds = rounds if rounds and rounds <= MOST_ROUNDS else None
    games = _games(elements, keys, faults)
    _absences(games, present, rounds, faults)
    start, end = (fields.read_date(general.get(key, "")).day for key in ("beginDate", "endDate"))
    komi = fields.decimal(general.get("komi", ""))
    games["komi"] = [
        komi if opponent and not stones > 0 else math.nan
        for opponent, stones in zip(games["second"], games["handicap"], strict=True)
    ]
    return draft_event(
        players, games, faults, scoring=Scoring(), id=name, name=general.get("name", ""), discipline="go",
        place=general.get("location", ""), format="mcmahon" if "genMMBar" in general else "", rounds=rounds, start=start, end=end,
        time_control=general.get("basicTime", ""), sources=(source.facts(),), extra=extra,
    )  # fmt: skip


def _line_counter(data: bytes) -> Any:
    """Lines of the elements Player, Game and ByePlayer in the order of the file."""
    found: dict[str, list[int]] = {}
    for number, row in enumerate(data.split(b"\n"), 1):
        for match in re.finditer(rb"<(Player|Game|ByePlayer)\b", row):
            found.setdefault(match[1].decode(), []).append(number)
    taken: dict[str, int] = {}

    def line(tag: str) -> int:
        index = taken.get(tag, 0)
        taken[tag] = index + 1
        lines = found.get(tag, [])
        return lines[index] if index < len(lines) else 0

    return line


def _key(text: str) -> str:
    return re.sub(r"\s+", "", text).upper()


def _players(elements: Elements, faults: Faults) -> tuple[Columns, dict[str, int], dict[int, str]]:
    columns: Columns = {
        n: [] for n in ("number", "name", "title", "federation", "unit", "id", "rating", "rating_kind", "start_score", "line")
    }  # fmt: skip
    keys: dict[str, int] = {}
    present: dict[int, str] = {}
    for tag, a, line in elements:
        if tag != "Player" or "name" not in a:
            continue
        number = len(columns["number"]) + 1
        family, given = a.get("name", ""), a.get("firstName", "")
        if keys.setdefault(_key(family + given), number) != number:
            faults.add("CK11", "name-twice", line=line, player=number, field="name", read=f"{family} {given}")
        columns["number"].append(number)
        columns["name"].append(fields.without_card_numbers(f"{family} {given}".strip())[0])
        columns["title"].append(a.get("rank", "") or a.get("grade", ""))
        columns["federation"].append(a.get("country", ""))
        columns["unit"].append(a.get("club", ""))
        columns["id"].append(a.get("egfPin", "") or a.get("agaId", "") or a.get("ffgLicence", ""))
        columns["rating"].append(fields.decimal(a.get("rating", "")))
        columns["rating_kind"].append(a.get("ratingOrigin", "").split(":")[0].strip())
        columns["start_score"].append(math.nan)
        columns["line"].append(line)
        present[number] = a.get("participating", "")
    return columns, keys, present


def _games(elements: Elements, keys: dict[str, int], faults: Faults) -> Columns:
    games = game_columns()
    for tag, a, line in elements:
        if tag == "Game":
            _game(a, line, keys, games, faults)
        elif tag == "ByePlayer":
            number, round_ = keys.get(_key(a.get("player", ""))), whole(a.get("roundNumber", "")) or 0
            if number is None or not 1 <= round_ <= MOST_ROUNDS:
                faults.add("CK43", "record-unreadable", line=line, read=str(a))
                continue
            add_game(
                games, round=round_, first=number, second=0, kind=Kind.PAB, first_result=bye_result(Kind.PAB), colours_known=False,
                line=line,
            )  # fmt: skip
    return games


def _game(a: dict[str, str], line: int, keys: dict[str, int], games: Columns, faults: Faults) -> None:
    white, black = keys.get(_key(a.get("whitePlayer", ""))), keys.get(_key(a.get("blackPlayer", "")))
    round_ = whole(a.get("roundNumber", "")) or 0
    if white is None or black is None:
        faults.add(
            "CK07",
            "game-of-unlisted",
            line=line,
            field="player",
            read=a.get("whitePlayer" if white is None else "blackPlayer", ""),
        )
        return
    if white == black or not 1 <= round_ <= MOST_ROUNDS:
        faults.add("CK15", "record-unreadable", line=line, read=str(a))
        return
    word = a.get("result", "RESULT_UNKNOWN")
    by_default = word.endswith("_BYDEF")
    results = _RESULTS.get(word.removesuffix("_BYDEF"))
    if results is None:
        faults.add("CK15", "result-not-understood", line=line, round=round_, field="result", read=word)
        results = ("", "")
    kind = Kind.PLAYED if results[0] else Kind.UNPLAYED
    if by_default and results[0]:
        kind = Kind.DOUBLE_FORFEIT if results == ("0", "0") else Kind.FORFEIT
    elif results == ("0", "0"):
        kind = Kind.DOUBLE_LOSS
    add_game(
        games, round=round_, first=black, second=white, kind=kind, first_result=results[1], second_result=results[0],
        board=a.get("tableNumber", ""), handicap=float(whole(a.get("handicap", "0")) or 0),
        colours_known=a.get("knownColor", "true").casefold() == "true", line=line,
    )  # fmt: skip


def _absences(games: Columns, present: dict[int, str], rounds: int | None, faults: Faults) -> None:
    """A round in which a player did not take part is a row of its own."""
    last = min(rounds or MOST_ROUNDS, max(games["round"], default=0))
    busy = {(r, n) for side in ("first", "second") for r, n in zip(games["round"], games[side], strict=True)}
    for number, marks in present.items():
        for round_ in range(1, last + 1):
            if (round_, number) not in busy and marks[round_ - 1 : round_] == "0":
                add_game(
                    games,
                    round=round_,
                    first=number,
                    second=0,
                    kind=Kind.ZERO_BYE,
                    first_result="0",
                    colours_known=False,
                )
