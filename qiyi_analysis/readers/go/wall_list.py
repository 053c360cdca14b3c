"""Wall lists of go tournaments: a line a player with place, rank, criteria and a cell a round, from H9, TOU or a page.

A cell is ``23+/w0`` (won with White against number 23), ``11-/b5`` (lost with Black who had five stones), ``4+!b0`` (by
default), ``0+``, ``0=``, ``0-`` without opponent. Where only criteria are printed, the McMahon start scores follow from the
printed McMahon scores and the games.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import QiyiError, ReadError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event, Kind, Scoring
from qiyi_analysis.model.grades import on_egf_scale, rank_number, rank_text
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    check_rows,
    check_size,
    draft_event,
    game_columns,
    points_table,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.go.european import on_scale
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables.crosstable import Cell, pair_cells
from qiyi_analysis.tiebreaks.ranking import standings

ENTRY = re.compile(r"(\d{1,4})([+\-=?])([/!]?)(?:([wb?])(?:/?h?(\d{1,2}))?)?(!?)\Z", re.IGNORECASE)
#: Names of criteria as programs head their columns, cut to four or five letters and run together.
_HEADS = {
    "SOSOS": "SOSOS", "SODOS": "SODOS", "SOSTS": "SOSTS", "SOS-1": "SOS-1", "SOS-2": "SOS-2", "CUSS": "CUSS", "RATIN": "RATING",
    "NULL": "NULL", "RANK": "RANK", "SODO": "SODOS", "SOSO": "SOSOS", "RATI": "RATING", "NBW": "NBW", "MMS": "MMS", "STS": "STS",
    "SOS": "SOS", "EXT": "EXT", "EXR": "EXR", "CPS": "CPS", "SDC": "SDC", "CAT": "CAT", "DC": "DC",
}  # fmt: skip
_HEAD = re.compile("|".join(map(re.escape, _HEADS)), re.IGNORECASE)
#: On wins these cannot exceed rounds to this power; what does is on McMahon scores.
_MOST_ON_WINS = {"SOS": 2, "SOS-1": 2, "SOS-2": 2, "SODOS": 2, "CUSS": 2, "SOSOS": 3}
_QUARTERS = {"¼": 0.25, "½": 0.5, "¾": 0.75}


#: Criteria that settings do not change, or that are places.
_NOT_COMPARED = frozenset({"DC", "SDC", "CAT", "RANK", "RATING", "NULL"})


@dataclass
class Line:
    """A player's line as printed. ``values`` are the criteria in the order of their heads."""

    line: int
    place: str
    name: str
    rank: str
    country: str = ""
    club: str = ""
    id: str = ""
    values: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    #: Ratings a table prints: rating, change, new_rating.
    printed: dict[str, str] = field(default_factory=dict)


def criteria_heads(text: str) -> list[str]:
    """The criteria named in a head, in order, whether or not they are run together."""
    return [_HEADS[found.upper()] for found in _HEAD.findall(text)]


def value(text: str, head: str) -> float:
    """A printed value; ``?`` for a fraction is a half, NaN where it may be a quarter."""
    text = text.strip()
    if text.endswith("?") and text[:-1].isdecimal():
        return math.nan if head == "SODOS" else int(text[:-1]) + 0.5
    if text and text[-1] in _QUARTERS:
        return float(text[:-1] or 0) + _QUARTERS[text[-1]]
    return fields.decimal(text)


def wall_list(
    lines: Sequence[Line], heads: Sequence[str], faults: Faults, source: Source, id: str, **facts: Any
) -> Event:
    """The event of the lines. ``facts`` are those of the event. Raises ReadError where there is no line."""
    if not lines:
        raise ReadError("h9-no-line", file=source.name)
    check_rows(len(lines), source.name)
    numbers, places = _numbers(lines, faults)
    entries = [line.entries for line in lines]
    length = min(_entries_of_all(lines, faults), MOST_ROUNDS)
    check_size(len(lines), max(length, 1), source.name)
    heads = _on_which(heads, lines, length)
    columns = _players(lines, heads, numbers, places, faults)
    scoring = Scoring()
    games = _games(numbers, entries, [line.line for line in lines], length, scoring, faults)
    extra = facts.pop("extra", {})
    _stones(games, columns, extra.get("HA", ""), faults)
    komi = fields.decimal(str(extra.get("KM", "")))
    games["komi"] = [
        komi if opponent and not stone > 0 else math.nan
        for opponent, stone in zip(games["second"], games["handicap"], strict=True)
    ]
    ranked = [head for head in heads if head != "NULL"]
    main = next((one for one in ranked if one in ("MMS", "STS", "NBW")), "")
    given: dict[str, Any] = {
        "absence_points": "as-printed", "absence_wins": "as-printed", "not_paired": "nothing", "absence_rounding": "none",
    }  # fmt: skip
    if main in ("MMS", "STS"):
        given["absence_rounding"] = _start_scores(columns, heads, games, numbers, faults)
    if "CAT" in heads:
        given["categories"] = _categories(columns, heads)
    on_mcmahon = [head for head in ranked if main not in ("MMS", "STS") and re.search(r"M(-\d)?\Z", head)]
    if on_mcmahon:
        # An event on wins with sums of McMahon scores: the bars of such an event are those of the ranks.
        columns["start_score"] = [float(rank_number(title) or 0) for title in columns["title"]]
    event = draft_event(
        columns, games, faults, scoring=scoring, id=id, discipline="go", rounds=length or None,
        format="mcmahon" if main in ("MMS", "STS") else "swiss", tie_breaks=tuple(ranked) or (("NULL",) if heads else ()),
        tie_break_columns=dict(zip(TIE_BREAK_COLUMNS, ranked, strict=False)),
        sources=(source.facts(),), extra={**extra, "mcmahon": given, "id_kinds": ["EGF" if pin else "" for pin in columns["id"]]}, **facts,
    )  # fmt: skip
    if on_mcmahon and _wrong(
        event, {column: code for column, code in event.tie_break_columns.items() if code in on_mcmahon}
    ):
        known = tuple(itertools.takewhile(lambda head: head not in on_mcmahon, ranked))
        event = replace(event.with_players(start_score=[math.nan] * len(lines)), tie_breaks=known)
    return on_scale(_settled(event))


def _wrong(event: Event, printed: Mapping[str, str]) -> int:
    """How many printed values are not those of the event as it is read. Raises EventError where they cannot be calculated."""
    found = standings(event, list(printed.values()), of="players")
    wrong = 0
    for column, code in printed.items():
        values = np.array([float(one) for one in found.column(code).values()])
        there = event.players[column].to_numpy()
        wrong += int((np.abs(values - there) > 1e-6)[~np.isnan(there)].sum())
    return wrong


def _settled(event: Event) -> Event:
    """The event with the settings its printed criteria were made with, where those it has do not give them."""
    ranked = set(event.tie_breaks) - _NOT_COMPARED
    printed = {column: code for column, code in event.tie_break_columns.items() if code in ranked}
    own = event.extra["mcmahon"]
    rounding = ("down", "none") if event.format == "swiss" else (own["absence_rounding"],)
    best, least = event, math.inf
    for half in ("as-scored", "half-point"):
        for way in rounding:
            given = {**own, "absence_rounding": way, "unplayed_opponents": half}
            tried = replace(event, extra={**event.extra, "mcmahon": given})
            if not printed:
                return event
            try:
                wrong = _wrong(tried, printed)
            except QiyiError:
                return event
            if wrong < least:
                best, least = tried, wrong
            if not wrong:
                return tried
    return best


def _numbers(lines: Sequence[Line], faults: Faults) -> tuple[list[int], list[int]]:
    """The number cells point at, and the place: a blank one is that of the line above."""
    places: list[int] = []
    for line in lines:
        given = line.place.strip(" .)")
        places.append(int(given) if given.isdecimal() else places[-1] if places else 1)
    if len(set(places)) == len(places):
        return places, places
    if all(line.place.strip() for line in lines):
        faults.once("CK09", "places-shared", severity="I", line=lines[0].line, field="number")
    return list(range(1, len(lines) + 1)), places


def _entries_of_all(lines: Sequence[Line], faults: Faults) -> int:
    """How many rounds the longest line has; shorter ones are told."""
    length = max(len(line.entries) for line in lines)
    for line in lines:
        if len(line.entries) != length:
            count = len(line.entries)
            faults.add(
                "CK06", "entries-missing", line=line.line, read=count, assumed=length, found=count, expected=length
            )  # fmt: skip
    return length


def _on_which(heads: Sequence[str], lines: Sequence[Line], rounds: int) -> list[str]:
    """The heads of an event on wins whose values only McMahon scores reach, with the letter that says so."""
    found = list(heads)
    for i, head in enumerate(heads):
        if "MMS" not in heads and "STS" not in heads and head in _MOST_ON_WINS:
            values = [value(line.values[i], head) for line in lines if i < len(line.values)]
            if any(one > rounds ** _MOST_ON_WINS[head] for one in values):
                stem, dash, cut = head.partition("-")
                found[i] = f"{stem}M{dash}{cut}"
    return found


def _players(
    lines: Sequence[Line], heads: Sequence[str], numbers: Sequence[int], places: Sequence[int], faults: Faults
) -> Columns:
    names = (
        "number",
        "name",
        "title",
        "federation",
        "unit",
        "id",
        "rating",
        "rating_kind",
        "rank",
        "change",
        "new_rating",
        "line",
    )
    columns: Columns = {n: [] for n in names}
    ranked = [i for i, head in enumerate(heads) if head != "NULL"][: len(TIE_BREAK_COLUMNS)]
    columns |= {TIE_BREAK_COLUMNS[i]: [] for i in range(len(ranked))}
    for line, number, place in zip(lines, numbers, places, strict=True):
        if rank_number(line.rank) is None:
            faults.add("CK43", "grade-missing", line=line.line, player=number, field="title", read=line.name)
        graded = on_egf_scale(line.rank)
        shown = dict(zip(heads, line.values, strict=False))
        rating = fields.decimal(line.printed.get("rating", "") or shown.get("RATING", ""))
        if math.isnan(rating) and graded is not None:
            faults.once(
                "CK49", "rating-from-grade", line=line.line, severity="I", read=line.rank, assumed=int(graded)
            )
        row = {
            "number": number, "name": fields.without_card_numbers(line.name.replace("_", " ").strip())[0], "title": line.rank.strip(),
            "federation": "" if line.country.upper() == "XX" else line.country, "unit": "" if line.club == "xxxx" else line.club,
            "id": line.id, "rating": rating if not math.isnan(rating) else math.nan if graded is None else graded,
            "rating_kind": "" if not math.isnan(rating) or graded is None else "grade", "rank": float(place), "line": line.line,
            "change": fields.decimal(line.printed.get("change", "")), "new_rating": fields.decimal(line.printed.get("new_rating", "")),
        }  # fmt: skip
        for column, i in zip(TIE_BREAK_COLUMNS, ranked, strict=False):
            row[column] = value(line.values[i], heads[i]) if i < len(line.values) else math.nan
        for column, cell in row.items():
            columns[column].append(cell)
    return columns


def _games(
    numbers: list[int],
    entries: list[list[str]],
    lines: list[int],
    length: int,
    scoring: Scoring,
    faults: Faults,
) -> Columns:
    """The games of the cells, with handicap stones."""
    rounds: list[dict[int, Cell]] = [{} for _ in range(length)]
    stones: dict[tuple[int, int], float] = {}
    for number, row, line in zip(numbers, entries, lines, strict=True):
        for index, cells in enumerate(rounds):
            text = row[index] if index < len(row) else ""
            cells[number] = _cell(text.strip(), line, index + 1, number, stones)
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        rounds, games, faults, listed=set(numbers), points=lambda kind, result, first: points[str(kind), result, first],
        place=lambda round_: f"entry {round_}",
    )  # fmt: skip
    games["handicap"] = [
        stones.get((round_, first), stones.get((round_, second), math.nan))
        for round_, first, second in zip(games["round"], games["first"], games["second"], strict=True)
    ]
    return games


def _cell(text: str, line: int, round_: int, player: int, stones: dict[tuple[int, int], float]) -> Cell:
    match = ENTRY.match(text)
    if match is None:
        return Cell(0, "", "", line, text)
    opponent, sign, colour = int(match[1]), match[2], (match[4] or "").casefold()
    if not opponent:
        return Cell(0, "", {"+": "U", "=": "H", "-": "Z", "?": "Z"}[sign], line, text)
    by_default = "!" in (match[3], match[6])
    code = {"+": "+" if by_default else "1", "-": "-" if by_default else "0", "=": "=", "?": ""}[sign]
    if match[5] is not None:
        stones[round_, player] = float(match[5])
    elif colour:
        stones.setdefault((round_, player), 0.0)
    return Cell(opponent, {"b": "w", "w": "b"}.get(colour, ""), code, line, text)


def _stones(games: Columns, columns: Columns, reduction: str, faults: Faults) -> None:
    """Handicaps by the difference of ranks less the reduction of the head, where no cell prints any."""
    found = re.fullmatch(r"\s*h?(\d)\s*", reduction)
    paired = [i for i, second in enumerate(games["second"]) if second]
    if found is None or not paired or not all(math.isnan(games["handicap"][i]) for i in paired):
        return
    rank = {n: rank_number(title) for n, title in zip(columns["number"], columns["title"], strict=True)}
    for i in paired:
        first, second = rank.get(games["first"][i]), rank.get(games["second"][i])
        if first is None or second is None:
            continue
        games["handicap"][i] = float(min(max(abs(first - second) - int(found[1]), 0), 9))
        if games["handicap"][i] and first > second and not games["colours_known"][i]:
            for one, two in (("first", "second"), ("first_result", "second_result")):
                games[one][i], games[two][i] = games[two][i], games[one][i]
    faults.add("CK49", "handicap-by-ranks", severity="I", field="HA", read=reduction)


def _start_scores(
    columns: Columns, heads: Sequence[str], games: Columns, numbers: Sequence[int], faults: Faults
) -> str:
    """Start scores from the printed McMahon scores and the games; returns how points for absences are rounded."""
    if "MMS" not in heads:
        columns["start_score"] = [math.nan] * len(numbers)
        return "down"
    column = TIE_BREAK_COLUMNS[[head for head in heads if head != "NULL"].index("MMS")]
    printed = np.array(columns[column], dtype=np.float64)
    index = {number: i for i, number in enumerate(numbers)}
    played, free = np.zeros(len(numbers)), np.zeros(len(numbers))
    points = points_table(Scoring())
    for i, kind in enumerate(games["kind"]):
        for side in ("first", "second"):
            place = index.get(games[side][i])
            if place is not None:
                worth = points[str(kind), games[f"{side}_result"][i], side == "first"]
                (played if games["second"][i] else free)[place] += 0.0 if kind == Kind.UNPLAYED else worth
    known = ~np.isnan(printed)
    whole = {
        "down": printed - played - np.floor(free),
        "none": printed - played - free,
    }
    odd = {name: int((start[known] % 1 != 0).sum()) for name, start in whole.items()}
    rounding = "down" if odd["down"] <= odd["none"] else "none"
    start = np.where(whole[rounding] % 1 == 0, whole[rounding], np.nan)
    columns["start_score"] = start.tolist()
    ranks = np.array(
        [math.nan if (r := rank_number(t)) is None else r for t in columns["title"]], dtype=np.float64
    )
    if np.isnan(start).all():
        return rounding
    low, high = np.nanmin(start), np.nanmax(start)
    other = known & ~np.isnan(ranks) & ~np.isnan(start) & (start != ranks.clip(low, high))
    faults.add(
        "CK49", "start-scores-derived", severity="I", field="MMS", bar=rank_text(int(min(max(high, 0), 38))), floor=rank_text(int(min(max(low, 0), 38))),
        other=int(other.sum()),
    )  # fmt: skip
    for i in np.flatnonzero(known & (whole[rounding] % 1 != 0)).tolist():
        faults.add(
            "CK43", "start-score-fraction", line=columns["line"][i], player=numbers[i], field="MMS", read=f"{printed[i]:g}",
            points=f"{played[i] + free[i]:g}",
        )  # fmt: skip
    return rounding


def _categories(columns: Columns, heads: Sequence[str]) -> list[str]:
    """The lowest rank of each printed category but the last."""
    column = TIE_BREAK_COLUMNS[[head for head in heads if head != "NULL"].index("CAT")]
    lowest: dict[int, int] = {}
    for category, title in zip(columns[column], columns["title"], strict=True):
        rank = rank_number(title)
        if category == category and rank is not None:
            lowest[int(category)] = min(lowest.get(int(category), rank), rank)
    last = max(lowest, default=1)
    limits: list[int] = []
    for category in range(last - 1, 0, -1):
        limits.insert(0, lowest.get(category, limits[0] if limits else 38))
    return [rank_text(limit) for limit in limits]


def facts_of_head(facts: Mapping[str, str], faults: Faults) -> dict[str, Any]:
    """The facts of an H9 head under the names of the model."""
    days = [fields.read_date(part).day for part in re.split(r"[,;]", facts.get("DT", "")) if part.strip()]
    known = [day for day in days if day]
    if facts.get("DT") and not known:
        faults.add("CK03", "date-unreadable", field="DT", read=facts["DT"])
    where = [part.strip() for part in facts.get("PC", "").split(",")]
    extra: dict[str, Any] = {key: facts[key] for key in ("CL", "HA", "KM", "TM", "CM") if key in facts}
    if facts.get("CL"):
        extra["class"] = facts["CL"].strip().upper()
    return {
        "name": facts.get("EV", ""), "federation": where[0] if len(where[0]) <= 3 else "", "place": ", ".join(where[1:]),
        "start": known[0] if known else None, "end": known[-1] if known else None, "time_control": facts.get("TM", ""), "extra": extra,
    }  # fmt: skip
