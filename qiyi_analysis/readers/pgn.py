"""Headers of PGN games as events: players, colours, results, ratings; the moves are not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables.delimited import report_encoding
from qiyi_analysis.readers.tables.player_fields import read_rating

_TAG = re.compile(r'\s*\[\s*([A-Za-z_][A-Za-z0-9_]{0,40})\s+"((?:[^"\\]|\\.){0,500})"\s*\]')
#: Characters of a game's moves that are looked at: whether both sides have moved, and what a comment says.
_MOVES = 400
#: A game that was not played, in the words of Termination or of a comment. A loss on time is one that was.
_UNPLAYED = re.compile(
    r"unplayed|forfeit|walk ?-?over|no[ -]?show|default|did not (?:appear|show|play)|absent|bye\b|弃权|棄權|缺席|未到|未弈|不战|轮空",
    re.IGNORECASE,
)
_ON_TIME = re.compile(r"time|超时|時間", re.IGNORECASE)
#: Different events of one file that are told apart; a collection of more is a history, read as one.
MOST_EVENTS = 200


def read_pgn(source: Source, name: str) -> tuple[Event, ...]:
    """One event for each value of the tag Event. Raises ReadError where no game has both players."""
    encoding = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, encoding)
    groups: dict[str, list[tuple[int, dict[str, str]]]] = {}
    moved = False
    for line, tags, moves in games_of(split_lines(text.text), encoding):
        moved = moved or _plies(moves) > 1
        tags[_PLIES], tags[_COMMENT] = str(_plies(moves)), " ".join(re.findall(r"[{;]([^}]*)", moves))
        if tags.get("White") and tags.get("Black"):
            groups.setdefault(tags.get("Event", "").strip("? "), []).append((line, tags))
        else:
            encoding.add("CK15", "game-without-players", line=line)
    if not moved:  # headers only: nothing says which games were played
        for group in groups.values():
            for _, tags in group:
                tags.pop(_PLIES)
    if not groups:
        raise ReadError("pgn-no-game", file=source.name)
    if len(groups) > MOST_EVENTS:
        encoding.add("CK49", "events-as-one", severity="W", read=len(groups))
        groups = {"": [game for group in groups.values() for game in group]}
    events = []
    for index, (title, rows) in enumerate(groups.items()):
        faults = encoding if index == 0 else Faults(source.name)
        identity = name if len(groups) == 1 else f"{name}-{index + 1}"
        events.append(_event(title, rows, faults, source, identity))
    return tuple(events)


#: What the moves of a game say is kept beside its tags.
_PLIES, _COMMENT = "#plies", "#comment"


def _plies(moves: str) -> int:
    """How many moves of both sides stand at the beginning of a game."""
    text = re.sub(r"\{[^}]*\}?|;.*|\$\d+|\([^)]*\)?", " ", moves)
    tokens = (re.sub(r"\A\d+\.+", "", token) for token in text.split())
    return sum(1 for token in tokens if token and not re.fullmatch(r"[\d/½*.:+-]+|…", token))


def games_of(lines: Iterable[str], faults: Faults | None = None) -> Iterator[tuple[int, dict[str, str], str]]:
    """The games of a PGN text: the line each begins on, its tags, and the beginning of its moves."""
    tags: dict[str, str] = {}
    begin, moves = 0, ""
    for number, line in enumerate(lines, 1):
        match = _TAG.match(line)
        if match:
            if (moves or match[1] in tags) and tags:
                yield begin, tags, moves
                tags = {}
            if not tags:
                begin = number
            moves = ""
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2]).strip()
        elif line.strip() and len(moves) < _MOVES:
            if line.lstrip().startswith("[") and not moves:
                if faults is not None:
                    faults.once("CK02", "tag-unreadable", severity="W", line=number, read=line.strip()[:60])
            else:
                moves = f"{moves} {line.strip()}" if moves else line.strip()
    if tags:
        yield begin, tags, moves


def _event(
    title: str, rows: list[tuple[int, dict[str, str]]], faults: Faults, source: Source, name: str
) -> Event:
    columns: Columns = {
        n: [] for n in ("number", "name", "id", "title", "federation", "team", "rating", "line")
    }
    numbers: dict[str, int] = {}
    games = game_columns()
    games["day"] = []
    played: dict[int, int] = {}
    words = f"{title} {rows[0][1].get('Variant', '')} {rows[0][1].get('GameType', '')}"
    discipline = "xiangqi" if any("Red" in tags for _, tags in rows[:5]) else read_words(words)
    for line, tags in rows:
        white = _player(tags, "White", line, columns, numbers, faults, discipline)
        black = _player(tags, "Black", line, columns, numbers, faults, discipline)
        if white == black:
            faults.add("CK15", "against-himself", line=line, player=white, read=tags.get("Black", ""))
            continue
        round_, board = _round(tags.get("Round", ""))
        if not round_:
            round_ = min(MOST_ROUNDS, 1 + max(played.get(white, 0), played.get(black, 0)))
            faults.once("CK49", "rounds-by-order", line=line, severity="I")
        played[white] = max(played.get(white, 0), round_)
        played[black] = max(played.get(black, 0), round_)
        kind, one, two = _result(tags, line, round_, white, black, faults)
        add_game(
            games, round=round_, first=white, second=black, kind=kind, first_result=one, second_result=two, board=board, line=line,
        )  # fmt: skip
        games["day"].append(_day(tags, line, faults))
    days = sorted(day for day in games["day"] if day)
    start = fields.read_date(
        next((t["EventDate"] for _, t in rows if t.get("EventDate")), "").replace("?", "")
    ).day
    first = fields.read_date(days[0]).day if days else None
    last = fields.read_date(days[-1]).day if days else None
    tags = rows[0][1]
    extra: dict[str, Any] = {
        key: tags[key] for key in ("EventType", "EventCategory", "Source", "Section") if tags.get(key)
    }
    return draft_event(
        columns, games, faults, scoring=Scoring(), id=name, name=title, discipline=discipline or "chess",
        place=tags.get("Site", "").strip("? "), format="", rounds=None, start=min(filter(None, (start, first)), default=None), end=last,
        time_control=tags.get("TimeControl", "").strip("?-"), sources=(source.facts(),), extra=extra,
    )  # fmt: skip


def read_words(words: str) -> str:
    """Discipline that the words of a game name."""
    from qiyi_analysis.readers.draft import read_discipline

    return read_discipline(words)


def _player(
    tags: dict[str, str], side: str, line: int, columns: Columns, numbers: dict[str, int], faults: Faults, discipline: str
) -> int:  # fmt: skip
    identity = tags.get(f"{side}FideId", "").strip("0 ?")
    identity = tags.get(f"{side}FideId", "").strip() if identity else ""
    name = tags[side]
    key = f"#{identity}" if identity else name.casefold()
    number = numbers.get(key) or (numbers.get(name.casefold()) if not identity else None)
    rating = tags.get(f"{side}Elo", "").strip("?- ")
    if number is None:
        number = len(columns["number"]) + 1
        numbers[key] = number
        numbers.setdefault(name.casefold(), number)
        columns["number"].append(number)
        columns["name"].append(fields.without_card_numbers(name)[0])
        columns["id"].append(identity)
        columns["title"].append(tags.get(f"{side}Title", "").strip("-? "))
        columns["federation"].append(tags.get(f"{side}Country", "") or tags.get(f"{side}Fed", ""))
        columns["team"].append(tags.get(f"{side}Team", ""))
        columns["rating"].append(
            read_rating(rating, faults, line, number, discipline=discipline, zero_is_unrated=True)
        )
        columns["line"].append(line)
        return number
    known = columns["rating"][number - 1]
    now = read_rating(rating, faults, line, number, discipline=discipline, zero_is_unrated=True)
    if now == now and known == known and now != known:
        faults.add(
            "CK12",
            "rating-changes",
            line=line,
            player=number,
            field="rating",
            read=rating,
            assumed=int(known),
        )
    elif known != known:
        columns["rating"][number - 1] = now
    return number


def _round(text: str) -> tuple[int, str]:
    match = re.match(r"\s*(\d{1,3})(?:\.(\d{1,3})(?:\.\d{1,3})?)?", text)
    if match is None or not 1 <= int(match[1]) <= MOST_ROUNDS:
        return 0, ""
    return int(match[1]), match[2] or ""


def _result(
    tags: dict[str, str], line: int, round_: int, white: int, black: int, faults: Faults
) -> tuple[Kind, str, str]:
    text = tags.get("Result", "*")
    written = {"1/2": "1/2-1/2", "+/-": "+:-", "-/+": "-:+", "-/-": "-:-", "1": "1-0", "0": "0-1"}.get(
        text.strip(), text
    )
    try:
        result = fields.read_result(written)
    except ValueError:
        faults.add(
            "CK15", "result-not-understood", line=line, round=round_, player=white, field="Result", read=text
        )
        return Kind.UNPLAYED, "", ""
    if result is None:
        return Kind.UNPLAYED, "", ""
    kind = Kind(result.kind)
    if result.doubt == "double-zero":
        faults.add(
            "CK20",
            "double-zero",
            line=line,
            round=round_,
            player=white,
            field="Result",
            read=text,
            assumed=kind,
            opponent=black,
        )
    said = next(
        (one for one in (tags.get("Termination", ""), tags.get(_COMMENT, "")) if _UNPLAYED.search(one)), ""
    )
    few = int(tags.get(_PLIES, "2")) < 2
    if kind is Kind.PLAYED and ((said and not _ON_TIME.search(said)) or few):
        kind = Kind.FORFEIT if result.first != result.second else Kind.UNPLAYED
        faults.once("CK19", "pgn-not-played", severity="W", line=line, read=said.strip()[:60] or text)
    return kind, result.first, result.second


def _day(tags: dict[str, str], line: int, faults: Faults) -> str:
    text = tags.get("Date", "") or tags.get("UTCDate", "")
    if not text.strip("?. "):
        return ""
    if "?" in text:
        return ""
    read = fields.read_date(text)
    if read.day is None:
        faults.add("CK03", "date-unreadable", line=line, field="Date", read=text)
        return ""
    return read.day.isoformat()


FORMAT = Format(
    name="PGN",
    described="PGN headers",
    recognise=lambda look: bool(
        re.search(r'^\s*\[(Event|White|Black|Result|Site) "', look.head, re.MULTILINE)
    ),
    read=lambda look, name, _: read_pgn(look.source, name),
)
