"""The file of the go pairing program OpenGotha (XML): players, games, byes, teams, and every parameter that ranks them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import MATCH_COLUMNS, Event, Kind, Scoring
from qiyi_analysis.model.grades import on_egf_scale, rank_number, rank_text
from qiyi_analysis.readers import fields, xml
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    add_game,
    bye_result,
    check_size,
    draft_event,
    game_columns,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.go.european import on_scale, thinking_times
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables.player_fields import whole

#: Result words: results of White and of Black.
_RESULTS = {
    "RESULT_WHITEWINS": ("1", "0"), "RESULT_BLACKWINS": ("0", "1"), "RESULT_EQUAL": ("=", "="), "RESULT_BOTHWIN": ("1", "1"),
    "RESULT_BOTHLOSE": ("0", "0"), "RESULT_UNKNOWN": ("", ""),
}  # fmt: skip
_SETS = (
    "GeneralParameterSet", "HandicapParameterSet", "PairingParameterSet", "TeamGeneralParameterSet", "DPParameterSet",
)  # fmt: skip
#: What an attribute that is missing stands for, in halves of a point.
_HALVES = {"absence_wins": "genNBW2ValueAbsent", "bye_wins": "genNBW2ValueBye", "absence_points": "genMMS2ValueAbsent",
           "bye_points": "genMMS2ValueBye"}  # fmt: skip
_IDS = (("egfPin", "EGF"), ("agaId", "AGA"), ("ffgLicence", "FFG"))
_BAR, _FLOOR = "4D", "20K"
#: Files before this version write ratings from 20 kyu = 0 of the French scale upwards: GoR less 2050.
_GOR_SINCE, _GOR_SHIFT = 201, 2050
_LOWEST, _HIGHEST = -900, 2949


@dataclass
class _File:
    """What the elements of a file say, in the order of the file."""

    root: dict[str, str] = field(default_factory=dict)
    players: list[tuple[dict[str, str], int]] = field(default_factory=list)
    games: list[tuple[dict[str, str], int]] = field(default_factory=list)
    byes: list[tuple[dict[str, str], int]] = field(default_factory=list)
    teams: list[tuple[dict[str, str], int]] = field(default_factory=list)
    boards: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    sets: dict[str, dict[str, str]] = field(default_factory=dict)
    categories: list[dict[str, str]] = field(default_factory=list)
    criteria: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    @property
    def general(self) -> dict[str, str]:
        """The general parameters."""
        return self.sets.get("GeneralParameterSet", {})


def read_opengotha(source: Source, name: str) -> Event:
    """Read a tournament. Raises ReadError for broken XML and for a file without players."""
    faults = Faults(source.name)
    found = _elements(source)
    rounds = whole(found.general.get("numberOfRounds", ""))
    rounds = rounds if rounds and rounds <= MOST_ROUNDS else None
    members = _Players(found, faults)
    columns = members.columns
    if not columns["number"]:
        raise ReadError("opengotha-no-player", file=source.name)
    check_size(len(columns["number"]), rounds or 1, source.name)
    games = _games(found, members, faults)
    _absences(games, members.present, rounds)
    mcmahon, criteria = _parameters(found, faults), _criteria(found, "PlacementParameterSet")
    main = next((one for one in criteria if one in ("NBW", "MMS", "STS")), "NBW")
    columns["start_score"] = _start_scores(columns, mcmahon, members.corrections)
    komi = fields.decimal(found.general.get("komi", ""))
    games["komi"] = [
        komi if opponent and not stones > 0 else math.nan
        for opponent, stones in zip(games["second"], games["handicap"], strict=True)
    ]
    start, end = (fields.read_date(found.general.get(key, "")).day for key in ("beginDate", "endDate"))
    on = "wins" if main == "NBW" else "points"
    scoring = Scoring.of(pab=mcmahon[f"bye_{on}"], zero_bye=mcmahon[f"absence_{on}"])
    extra: dict[str, Any] = {
        **found.sets,
        "mcmahon": mcmahon,
        **thinking_times(found.general),
        "id_kinds": members.id_kinds,
    }
    if members.registered:
        extra["preregistered"] = members.registered
    if found.root.get("saveDT"):
        extra["saveDT"] = found.root["saveDT"]
    teams, matches = _teams(found, members, games)
    if teams["number"]:
        extra["team_tie_breaks"] = _criteria(found, "TeamPlacementParameterSet")
    event = draft_event(
        columns, games, faults, scoring=scoring, id=name, name=found.general.get("name", ""), discipline="go",
        place=found.general.get("location", ""), format="swiss" if main == "NBW" else "mcmahon", rounds=rounds, start=start, end=end,
        time_control=found.general.get("basicTime", "") or found.general.get("time", ""), tie_breaks=tuple(criteria),
        teams=teams if teams["number"] else None, matches=matches if teams["number"] else None,
        arbiters=tuple(filter(None, [found.general.get("director", "")])), sources=(source.facts(),), extra=extra,
    )  # fmt: skip
    return on_scale(event, members.origins)


def _elements(source: Source) -> _File:
    found, line, inside = _File(), 0, ""

    def at(number: int) -> None:
        nonlocal line
        line = number

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        if tag == "Player":
            found.players.append((attributes, line))
        elif tag == "Game":
            found.games.append((attributes, line))
        elif tag == "ByePlayer":
            found.byes.append((attributes, line))
        elif tag == "Team":
            found.teams.append((attributes, line))
        elif tag == "Board":
            found.boards.append((len(found.teams) - 1, attributes))
        elif tag == "Category":
            found.categories.append(attributes)
        elif tag in ("PlacementParameterSet", "TeamPlacementParameterSet"):
            inside = tag
            found.criteria.setdefault(tag, [])
        elif tag == "PlacementCriterion" and inside:
            found.criteria[inside].append(attributes)
        elif tag == "Tournament":
            found.root = attributes
        elif tag in _SETS:
            found.sets[tag] = attributes

    named = re.match(rb"<\?xml[^>]*?encoding=[\"']([^\"']*)[\"']", source.data[:400])
    known = named is None or named[1].upper() in (b"UTF-8", b"UTF-16", b"ISO-8859-1", b"US-ASCII")
    data = source.data if known else xml.in_utf8(source.data)
    xml.parse(data, source.name, start=start, end=lambda tag: None, text=lambda text: None, at=at)
    return found


def _key(text: str) -> str:
    """A key as machines of any language write it: capitals and small letters, dotted and dotless i, ß and ss are one."""
    folded = unicodedata.normalize("NFKD", re.sub(r"\s+", "", text).replace("ı", "i").casefold())
    return unicodedata.normalize("NFC", folded.replace("\u0307", ""))


def _bare(text: str) -> str:
    """A key without accents, as programs of the first versions wrote it."""
    return "".join(c for c in unicodedata.normalize("NFKD", _key(text)) if not unicodedata.combining(c))


class _Players:
    """The players of a file, and how games name them."""

    def __init__(self, found: _File, faults: Faults) -> None:
        self.columns: Columns = {
            n: [] for n in ("number", "name", "title", "federation", "unit", "id", "rating", "rating_kind", "note", "line")
        }  # fmt: skip
        self.present: dict[int, str] = {}
        self.corrections: list[int] = []
        self.origins: list[str] = []
        self.id_kinds: list[str] = []
        self.registered: list[str] = []
        self._by_key: dict[str, int] = {}
        self._exact: dict[str, int] = {}
        playing = {
            _key(a.get(side, "")) for a, _ in found.games for side in ("whitePlayer", "blackPlayer")
        } | {_key(a.get("player", "")) for a, _ in found.byes}
        for a, line in found.players:
            if "name" in a:
                self._add(a, line, playing, faults)
        if (whole(found.root.get("dataVersion", "")) or _GOR_SINCE) < _GOR_SINCE:
            self._old_ratings(faults)
        bare: dict[str, list[int]] = {}
        for key, number in self._by_key.items():
            bare.setdefault(_bare(key), []).append(number)
        self._bare = {key: numbers[0] for key, numbers in bare.items() if len(numbers) == 1}

    def number(self, key: str) -> int | None:
        """The player a game or a board names, None where nobody has the key."""
        exact = self._exact.get(re.sub(r"\s+", "", key).upper())
        return exact or self._by_key.get(_key(key)) or self._bare.get(_bare(key))

    def _add(self, a: dict[str, str], line: int, playing: set[str], faults: Faults) -> None:
        family, given = a.get("name", ""), a.get("firstName", "")
        key = _key(family + given)
        name = fields.without_card_numbers(f"{family} {given}".strip())[0]
        if a.get("registeringStatus", "FIN").strip().upper() == "PRE" and key not in playing:
            self.registered.append(name)
            faults.add("CK49", "preregistered", severity="I", line=line, field="registeringStatus", read=name)
            return
        number = len(self.columns["number"]) + 1
        self._exact.setdefault(re.sub(r"\s+", "", family + given).upper(), number)
        if self._by_key.setdefault(key, number) != number:
            faults.add("CK11", "name-twice", line=line, player=number, field="name", read=f"{family} {given}")
        rank = a.get("rank", "").strip() or "30K"
        if rank_number(rank) is None:
            rank = a.get("grade", "").strip() or "30K"
        if rank_number(rank) is None:
            faults.add("CK43", "grade-missing", line=line, player=number, field="rank", read=name)
            rank = "30K"
        origin = a.get("ratingOrigin", "").strip()
        kind, _, value = (part.strip() for part in origin.partition(":"))
        rating = fields.decimal(a.get("rating", ""))
        if math.isnan(rating) and kind == "FFG":
            rating = fields.decimal(value) + _GOR_SHIFT
        ids = [(a.get(key, "").strip(), of) for key, of in _IDS if a.get(key, "").strip()]
        self.id_kinds.append(ids[0][1] if ids else "")
        row = {
            "number": number, "name": name, "title": rank, "federation": a.get("country", "").strip(), "unit": a.get("club", "").strip(),
            "id": next((i for i, _ in ids), ""), "rating": rating,
            "rating_kind": kind, "note": origin if kind in ("FFG", "AGA") and value else "", "line": line,
        }  # fmt: skip
        for column, cell in row.items():
            self.columns[column].append(cell)
        self.present[number] = a.get("participating", "")
        try:
            self.corrections.append(int(a.get("smmsCorrection", "0") or 0))
        except ValueError:
            faults.add(
                "CK43",
                "number-impossible",
                line=line,
                player=number,
                field="smmsCorrection",
                read=a["smmsCorrection"],
            )
            self.corrections.append(0)
        self.origins.append(origin)

    def _old_ratings(self, faults: Faults) -> None:
        """Ratings of the first versions of the program: they stand 2050 below what the ranks say."""
        expected = np.array([on_egf_scale(rank) or math.nan for rank in self.columns["title"]])
        below = np.array(self.columns["rating"], dtype=np.float64) - expected
        if len(below) and not np.isnan(below).all() and np.nanmedian(below) < -_GOR_SHIFT / 2:
            shifted = np.clip(
                np.array(self.columns["rating"], dtype=np.float64) + _GOR_SHIFT, _LOWEST, _HIGHEST
            )
            self.columns["rating"] = shifted.tolist()
            faults.add(
                "CK49", "ratings-shifted", severity="I", field="rating", read=-_GOR_SHIFT, assumed="GoR"
            )


def _parameters(found: _File, faults: Faults) -> dict[str, Any]:
    """What the file sets for its scores, under the names of the rule file."""
    general = found.general
    given: dict[str, Any] = {}
    for key, attribute in _HALVES.items():
        halves = whole(general.get(attribute, "0"))
        if halves is None:
            faults.add("CK43", "number-impossible", field=attribute, read=general[attribute])
        given[key] = f"{halves or 0}/2" if (halves or 0) % 2 else str((halves or 0) // 2)
    given["absence_rounding"] = (
        "down" if general.get("genRoundDownNBWMMS", "true").lower() == "true" else "none"
    )
    half = general.get("genCountNotPlayedGamesAsHalfPoint", "false").lower() == "true"
    given |= {"absence_opponent": "own-start", "handicap": "counted", "not_paired": "nothing"}
    given["unplayed_opponents"] = "half-point" if half else "as-scored"
    for key, attribute, usual in (("bar", "genMMBar", _BAR), ("floor", "genMMFloor", _FLOOR)):
        rank = rank_number(general.get(attribute, usual))
        if rank is None:
            faults.add("CK43", "grade-missing", field=attribute, read=general[attribute])
        given[key] = rank_text(rank_number(usual) or 0 if rank is None else rank)
    wanted = (whole(general.get("numberOfCategories", "1")) or 1) - 1
    limits = [rank_text(0)] * max(wanted, 0) if wanted < 40 else []
    for one in found.categories:
        index, rank = (whole(one.get("number", "")) or 1) - 1, rank_number(one.get("lowerLimit", "30K"))
        if index < len(limits) and rank is not None:
            limits[index] = rank_text(rank)
    if limits:
        given["categories"] = limits
    return given


def _criteria(found: _File, of: str) -> list[str]:
    """The criteria a file ranks by, in order; NULL alone where it ranks by none."""
    rows = found.criteria.get(of)
    if rows is None:
        return []
    order = sorted(rows, key=lambda row: whole(row.get("number", "1")) or 1)
    names = [row.get("name", "NULL").strip() for row in order]
    return list(dict.fromkeys(name.upper() for name in names if name and name.upper() != "NULL")) or ["NULL"]


def _start_scores(columns: Columns, given: Mapping[str, Any], corrections: Iterable[int]) -> list[float]:
    low, high = rank_number(given["floor"]) or 0, rank_number(given["bar"]) or 0
    ranks = [rank_number(rank) or 0 for rank in columns["title"]]
    return [
        float(min(max(rank, low), high) + correction)
        for rank, correction in zip(ranks, corrections, strict=True)
    ]


def _games(found: _File, members: _Players, faults: Faults) -> Columns:
    games = game_columns()
    for a, line in found.games:
        _game(a, line, members, games, faults)
    for a, line in found.byes:
        number, round_ = members.number(a.get("player", "")), whole(a.get("roundNumber", "")) or 0
        if number is None or not 1 <= round_ <= MOST_ROUNDS:
            faults.add("CK43", "record-unreadable", line=line, read=str(a))
            continue
        add_game(
            games, round=round_, first=number, second=0, kind=Kind.PAB, first_result=bye_result(Kind.PAB), colours_known=False,
            line=line,
        )  # fmt: skip
    return games


def _game(a: dict[str, str], line: int, members: _Players, games: Columns, faults: Faults) -> None:
    white, black = (members.number(a.get(side, "")) for side in ("whitePlayer", "blackPlayer"))
    round_ = whole(a.get("roundNumber", "1")) or 0
    if white is None or black is None:
        unknown = a.get("whitePlayer" if white is None else "blackPlayer", "")
        faults.add("CK07", "game-of-unlisted", line=line, field="player", read=unknown)
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
    points = {}
    if by_default and results[0]:
        kind = Kind.DOUBLE_FORFEIT if results == ("0", "0") else Kind.FORFEIT
        if results == ("=", "="):
            points = {"first_points": 0.5, "second_points": 0.5}
    elif results == ("0", "0"):
        kind = Kind.DOUBLE_LOSS
    add_game(
        games, round=round_, first=black, second=white, kind=kind, first_result=results[1], second_result=results[0],
        board=a.get("tableNumber", ""), handicap=float(whole(a.get("handicap", "0")) or 0),
        colours_known=a.get("knownColor", "true").casefold() == "true", line=line, **points,
    )  # fmt: skip


def _absences(games: Columns, present: dict[int, str], rounds: int | None) -> None:
    """A round in which a player does not take part is a row of its own, those to come too."""
    busy = {(r, n) for side in ("first", "second") for r, n in zip(games["round"], games[side], strict=True)}
    last = rounds or max(games["round"], default=0)
    for number, marks in present.items():
        for round_ in range(1, last + 1):
            if marks[round_ - 1 : round_] == "0" and (round_, number) not in busy:
                add_game(
                    games, round=round_, first=number, second=0, kind=Kind.ZERO_BYE, first_result="0", colours_known=False
                )  # fmt: skip


def _teams(found: _File, members: _Players, games: Columns) -> tuple[Columns, Columns]:
    """Teams with their members in the order of the boards, and the matches of each round."""
    teams: Columns = {"number": [], "name": [], "members": [], "line": []}
    size = whole(found.sets.get("TeamGeneralParameterSet", {}).get("teamSize", "4")) or 4
    seats: dict[
        tuple[int, int], dict[int, int]
    ] = {}  # (round, team) -> board -> player; round 0 is every round
    for team, a in found.boards:
        player, board = members.number(a.get("player", "")), whole(a.get("boardNumber", "1")) or 1
        if player is not None and team >= 0:
            seats.setdefault((whole(a.get("roundNumber", "0")) or 0, team), {})[board] = player
    order = sorted(
        range(len(found.teams)), key=lambda i: whole(found.teams[i][0].get("teamNumber", "")) or i + 1
    )
    number_of = {team: place + 1 for place, team in enumerate(order)}
    for team in order:
        a, line = found.teams[team]
        # The line-up of the first round in the order of its boards, then who came later.
        own = sorted(
            (round_, board, player)
            for (round_, one), row in seats.items()
            if one == team
            for board, player in row.items()
        )
        teams["number"].append(number_of[team])
        teams["name"].append(a.get("teamName", ""))
        teams["members"].append(" ".join(dict.fromkeys(str(player) for _, _, player in own)))
        teams["line"].append(line)
    matches: Columns = {name: [] for name in MATCH_COLUMNS}
    for round_ in range(1, max(games["round"], default=0) + 1):
        _matches(
            round_,
            {t: seats.get((round_, t)) or seats.get((0, t)) or {} for t in order},
            number_of,
            games,
            size,
            matches,
        )
    return teams, matches


def _matches(
    round_: int, seats: dict[int, dict[int, int]], number_of: dict[int, int], games: Columns, size: int, matches: Columns
) -> None:  # fmt: skip
    """The matches of a round: teams whose first boards met. Points of a board are those of its player's game."""
    halves = {"1": 2, "=": 1}
    played: dict[int, tuple[int, int, int]] = {}  # player -> opponent, halves, row of the game
    for i, one in enumerate(games["round"]):
        if one == round_ and games["second"][i]:
            first, second = games["first"][i], games["second"][i]
            played[first] = (second, halves.get(games["first_result"][i], 0), i)
            played[second] = (first, halves.get(games["second_result"][i], 0), i)
    team_of = {player: team for team, row in seats.items() for player in row.values()}
    done: set[int] = set()
    for team, row in seats.items():
        rival = team_of.get(played.get(row.get(1, 0), (0, 0, 0))[0])
        if rival is None or rival == team or {team, rival} & done:
            continue
        done |= {team, rival}
        boards = [board for board in row if board in seats[rival] and row[board] in played]
        for board in boards:
            game = played[row[board]][2]
            games["board"][game] = f"{games['board'][game].partition('.')[0]}.{board}"
        own = sum(played[row[board]][1] for board in boards)
        other = sum(played.get(seats[rival][board], (0, 0, 0))[1] for board in boards)
        win, draw = max(size, other), max(size, own)
        points = [2 if mine > need else int(mine == need) for mine, need in ((own, win), (other, draw))]
        cells = (round_, number_of[team], number_of[rival], "played", *points, own / 2, other / 2, 0)
        for column, cell in zip(MATCH_COLUMNS, cells, strict=True):
            matches[column].append(cell)


FORMAT = Format(
    name="OpenGotha",
    described="OpenGotha XML",
    recognise=lambda look: (
        look.marked_up
        and bool(re.search(r"<(?:\w+:)?Tournament\b", look.head))
        and ("Game" in look.head or "Player" in look.head)
    ),
    read=lambda look, name, _: (read_opengotha(look.source, name),),
)
