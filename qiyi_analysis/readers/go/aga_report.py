"""The text report of the American Go Association: sections TOURNEY, PLAYERS, GAMES (and BYES)."""

from __future__ import annotations

import math
import re
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.model.grades import on_aga_scale
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, bye_result, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables.delimited import report_encoding

_SECTION = re.compile(r"\s*(TOURNEY|PLAYERS|GAMES|BYES)\b[ \t:]*(.*)\Z", re.IGNORECASE)
_GAME = re.compile(
    r"\s*(\d{1,8})\s+(\d{1,8})\s+([WBwb=?])(?:\s+(-?\d{1,2}))?(?:\s+(-?\d{1,3}(?:\.\d)?))?\s*\Z"
)
_PLAYER = re.compile(
    r"\s*(\d{1,8})\s+(.{1,120}?)(?:[\s,]+(\d{1,2}\s?[kdpKDP]|-?\d{1,2}(?:\.\d{1,5})?))?\s*\Z"
)


def looks_like_aga(text: str) -> bool:
    """Whether the sections PLAYERS and GAMES are there."""
    return bool(re.search(r"^\s*PLAYERS\b", text, re.MULTILINE | re.IGNORECASE)) and bool(
        re.search(r"^\s*GAMES\b", text, re.MULTILINE | re.IGNORECASE)
    )


def read_aga(source: Source, name: str) -> Event:
    """Read a report. Raises ReadError where no player is listed."""
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    players: Columns = {n: [] for n in ("number", "id", "name", "title", "rating", "rating_kind", "line")}
    number_of: dict[str, int] = {}
    games = game_columns()
    games["komi"] = []
    facts: dict[str, str] = {}
    played: dict[int, int] = {}
    section, title, round_ = "", "", 0
    for line_number, line in enumerate(split_lines(text.text), 1):
        match = _SECTION.match(line)
        if match:
            section = match[1].upper()
            if section == "TOURNEY":
                title = title or match[2].strip()
            found = re.search(r"\d{1,3}", match[2]) if section in ("GAMES", "BYES") else None
            round_ = int(found[0]) if found and 1 <= int(found[0]) <= MOST_ROUNDS else 0
            continue
        if not line.strip() or line.lstrip().startswith(("#", ";", "//")):
            continue
        if section == "TOURNEY":
            _fact(line, facts)
        elif section == "PLAYERS":
            _player(line, line_number, players, number_of, faults)
        elif section == "GAMES":
            _game(line, line_number, round_, games, number_of, played, faults)
        elif section == "BYES":
            _bye(line, line_number, round_, games, number_of, faults)
        else:
            faults.once("CK49", "unknown-record", line=line_number, read=line.strip()[:60])
    if not players["number"]:
        raise ReadError("aga-no-player", file=source.name)
    extra: dict[str, Any] = {key: value for key, value in facts.items() if key not in ("start", "finish")}
    start, end = (fields.read_date(facts.get(key, ""), years_first=False) for key in ("start", "finish"))
    for key, read in (("start", start), ("finish", end)):
        if facts.get(key) and read.day is None:
            faults.add("CK03", "date-unreadable", field=key, read=facts[key])
    return draft_event(
        players, games, faults, scoring=Scoring(), id=name, name=title, discipline="go", federation="USA", format="",
        rounds=max(games["round"], default=0) or None, start=_american(facts.get("start", ""), start),
        end=_american(facts.get("finish", ""), end), rules=("aga/rating",), sources=(source.facts(),), extra=extra,
    )  # fmt: skip


def _american(text: str, read: fields.DateRead) -> Any:
    """Dates of these reports are month/day/year."""
    return read.other if read.other is not None and "/" in text and read.form == "day-first" else read.day


def _fact(line: str, facts: dict[str, str]) -> None:
    key, sign, value = line.strip().partition("=")
    if sign:
        facts.setdefault(key.strip().casefold(), value.strip())
    else:
        facts.setdefault("about", line.strip())


def _player(line: str, line_number: int, players: Columns, number_of: dict[str, int], faults: Faults) -> None:
    match = _PLAYER.match(line)
    if match is None:
        faults.add("CK43", "record-unreadable", line=line_number, read=line.strip())
        return
    identity, name, rank = match[1], match[2].strip(" ,"), (match[3] or "").replace(" ", "")
    if identity in number_of:
        faults.add(
            "CK09", "number-twice", line=line_number, field="id", read=identity, other=number_of[identity]
        )
        return
    number = len(players["number"]) + 1
    number_of[identity] = number
    rating = on_aga_scale(rank)
    if rating is None and rank:
        rating = float(rank)
        if -1 < rating < 1 or not -60 < rating < 15:
            faults.add(
                "CK43", "rating-impossible", line=line_number, player=number, field="rating", read=rank
            )
            rating = None
    players["number"].append(number)
    players["id"].append(identity)
    players["name"].append(fields.without_card_numbers(name)[0])
    players["title"].append(rank if on_aga_scale(rank) is not None else "")
    players["rating"].append(math.nan if rating is None else rating)
    players["rating_kind"].append("AGA")
    players["line"].append(line_number)


def _game(
    line: str, line_number: int, round_: int, games: Columns, number_of: dict[str, int], played: dict[int, int], faults: Faults
) -> None:  # fmt: skip
    match = _GAME.match(line)
    if match is None:
        faults.add("CK15", "record-unreadable", line=line_number, read=line.strip())
        return
    strangers = [identity for identity in (match[1], match[2]) if identity not in number_of]
    for identity in strangers:
        faults.add("CK07", "game-of-unlisted", line=line_number, field="id", read=identity)
    if strangers:
        return
    white, black = number_of[match[1]], number_of[match[2]]
    if white == black:
        faults.add("CK15", "against-himself", line=line_number, player=white, read=line.strip())
        return
    if not round_:  # without numbers of rounds a game belongs to the first round free for both
        round_ = min(MOST_ROUNDS, 1 + max(played.get(white, 0), played.get(black, 0)))
        faults.once("CK49", "rounds-by-order", line=line_number, severity="I")
    played[white] = played[black] = round_
    winner = match[3].upper()
    one, two = {"B": ("1", "0"), "W": ("0", "1"), "=": ("=", "=")}.get(winner, ("", ""))
    add_game(
        games, round=round_, first=black, second=white, kind=Kind.PLAYED if one else Kind.UNPLAYED, first_result=one,
        second_result=two, handicap=float(match[4] or 0), line=line_number,
    )  # fmt: skip
    games["komi"].append(float(match[5]) if match[5] else math.nan)


def _bye(
    line: str, line_number: int, round_: int, games: Columns, number_of: dict[str, int], faults: Faults
) -> None:
    match = re.match(r"\s*(\d{1,8})", line)
    number = number_of.get(match[1]) if match else None
    if number is None:
        faults.add("CK43", "record-unreadable", line=line_number, read=line.strip())
        return
    add_game(
        games, round=round_ or 1, first=number, second=0, kind=Kind.PAB, first_result=bye_result(Kind.PAB), colours_known=False,
        line=line_number,
    )  # fmt: skip
    games["komi"].append(math.nan)


FORMAT = Format(
    name="AGA report",
    described="AGA report",
    recognise=lambda look: looks_like_aga(look.head),
    read=lambda look, name, _: (read_aga(look.source, name),),
)
