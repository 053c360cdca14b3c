"""The noun every part shares: an event with its players and games.

Players and games are pandas frames with fixed columns. Missing text is ``""``; a missing number is
NaN. Ratings are float64 columns because lists of some federations carry decimals; whole ratings are
exact there, and the official calculations turn them into whole numbers.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import SourceFile, frame
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.model.spelling import same_name, written

DISCIPLINES = ("chess", "xiangqi", "go")
FORMATS = (
    "swiss",
    "round-robin",
    "double-round-robin",
    "team-swiss",
    "team-round-robin",
    "knock-out",
    "mcmahon",
    "match",  # two players, a set number of games
    "member-places",  # 队员总分制: teams by the places of their players
    "",
)


class Result(StrEnum):
    """The result of one side of a game played over the board (or decided as if)."""

    WIN = "1"
    DRAW = "="
    LOSS = "0"
    NONE = ""


class Kind(StrEnum):
    """What a row of the games table is."""

    PLAYED = "played"
    UNRATED = "unrated"  # decided before both made a move (TRF W, D, L)
    FORFEIT = "forfeit"
    DOUBLE_FORFEIT = "double_forfeit"
    DOUBLE_LOSS = "double_loss"  # played, and both lose by decision
    PAB = "pab"  # pairing-allocated bye
    FULL_BYE = "full_bye"
    HALF_BYE = "half_bye"
    ZERO_BYE = "zero_bye"  # absent
    ANNULLED = "annulled"  # results withdrawn (half rule)
    EXTRA = "extra"  # after a drawn team match, outside the individual points
    UNPLAYED = "unplayed"  # paired, no result in the file


@dataclass(frozen=True, slots=True)
class KindFacts:
    """The questions asked about a kind of row; every part of the program asks them here only."""

    paired: bool  # there is an opponent
    over_the_board: bool  # the two played
    rated: bool  # counts for ratings (before the rules of the edition have their say)
    scored: bool  # counts for the standings
    requested: bool  # the player asked not to play (or is absent): voluntary for tie-breaks
    bye: bool  # a round without opponent


#: One row per kind, one column per question (FIDE B.02 5.1, C.07 art. 16; xiangqi art. 7 and 21.4).
KINDS: Mapping[Kind, KindFacts] = MappingProxyType(
    {
        #                          paired otb    rated  scored requested bye
        Kind.PLAYED: KindFacts(True, True, True, True, False, False),
        Kind.UNRATED: KindFacts(True, True, False, True, False, False),
        Kind.FORFEIT: KindFacts(True, False, False, True, False, False),
        Kind.DOUBLE_FORFEIT: KindFacts(True, False, False, True, False, False),
        Kind.DOUBLE_LOSS: KindFacts(True, True, False, True, False, False),
        Kind.PAB: KindFacts(False, False, False, True, False, True),
        Kind.FULL_BYE: KindFacts(False, False, False, True, False, True),
        Kind.HALF_BYE: KindFacts(False, False, False, True, True, True),
        Kind.ZERO_BYE: KindFacts(False, False, False, True, True, True),
        Kind.ANNULLED: KindFacts(True, True, False, False, False, False),
        Kind.EXTRA: KindFacts(True, True, False, False, False, False),
        Kind.UNPLAYED: KindFacts(True, False, False, False, False, False),
    }
)

TIE_BREAK_COLUMNS = tuple(f"tb{i}" for i in range(1, 10))

PLAYER_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "number": "int64",
        "id": "text",
        "name": "text",
        "sex": "text",  # m, w or ""
        "federation": "text",
        "unit": "text",  # 单位, club
        "team": "text",
        "board": "number",
        "birth_year": "number",
        "birth_date": "text",
        "title": "text",
        "rating": "number",  # the rating the event was rated with; NaN = unrated
        "rating_kind": "text",
        "k": "number",  # K as printed
        "games_before": "number",
        "events_before": "number",  # rated events before this one
        "peak": "number",
        "standard_rating": "number",
        "fouls": "number",
        "warnings": "number",
        "withdrawn_after": "number",  # last round played before a withdrawal
        "start_score": "number",  # McMahon
        "note": "text",
        # What the file published about this player.
        "rank": "number",
        "points": "number",
        **dict.fromkeys(TIE_BREAK_COLUMNS, "number"),
        "expected": "number",
        "expected_text": "text",  # as printed: the number of decimals matters
        "change": "number",
        "change_text": "text",
        "new_rating": "number",
        "performance": "number",
        "line": "int64",
    }
)

GAME_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "round": "int64",
        "board": "text",
        "first": "int64",  # player with the first move (White, Red; Black in go)
        "second": "int64",  # 0 where there is no opponent
        "first_result": "text",  # Result
        "second_result": "text",
        "kind": "text",  # Kind
        "first_points": "number",  # in the event's scoring, as printed or derived
        "second_points": "number",
        "handicap": "number",
        "komi": "number",
        "first_count": "number",  # go: count of the side with the first move
        "colours_known": "bool",
        "day": "text",  # ISO date of the game where known
        "note": "text",
        "line": "int64",
    }
)

TEAM_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "number": "int64",
        "name": "text",
        "nickname": "text",
        "members": "text",  # player numbers in board order, separated by blanks
        "strength": "number",
        "match_points": "number",
        "game_points": "number",
        "rank": "number",
        "line": "int64",
    }
)

MATCH_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "round": "int64",
        "first": "int64",
        "second": "int64",
        "kind": "text",  # played, forfeit, double_forfeit, pab, full_bye, half_bye, zero_bye
        "first_match_points": "number",
        "second_match_points": "number",
        "first_game_points": "number",
        "second_game_points": "number",
        "line": "int64",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Points of the event's own scoring. Ratings never use it: they count 1, 1/2, 0.

    ``draw_first`` and ``draw_second`` differ in the xiangqi scoring 3/1/2/0.
    """

    win: Fraction = Fraction(1)
    draw_first: Fraction = Fraction(1, 2)
    draw_second: Fraction = Fraction(1, 2)
    loss: Fraction = Fraction(0)
    forfeit_win: Fraction = Fraction(1)
    forfeit_loss: Fraction = Fraction(0)
    pab: Fraction = Fraction(1)
    full_bye: Fraction = Fraction(1)
    half_bye: Fraction = Fraction(1, 2)
    zero_bye: Fraction = Fraction(0)
    match_win: Fraction = Fraction(2)
    match_draw: Fraction = Fraction(1)
    match_loss: Fraction = Fraction(0)

    @classmethod
    def of(cls, win: Any = 1, draw: Any = None, loss: Any = 0, **other: Any) -> Scoring:
        """Scoring with the values that follow from win, draw and loss filled in."""
        win, loss = Fraction(str(win)), Fraction(str(loss))
        draw = Fraction(str(draw)) if draw is not None else win / 2
        values = {
            "win": win,
            "draw_first": draw,
            "draw_second": draw,
            "loss": loss,
            "forfeit_win": win,
            "forfeit_loss": Fraction(0),
            "pab": win,
            "full_bye": win,
            "half_bye": draw,
            "zero_bye": Fraction(0),
        }
        values.update({key: Fraction(str(value)) for key, value in other.items()})
        return cls(**values)

    def points(self, kind: str, result: str, *, first: bool) -> Fraction:
        """Points of one side of a row of the games table."""
        match kind:
            case Kind.PAB:
                return self.pab
            case Kind.FULL_BYE:
                return self.full_bye
            case Kind.HALF_BYE:
                return self.half_bye
            case Kind.ZERO_BYE:
                return self.zero_bye
            case Kind.FORFEIT | Kind.DOUBLE_FORFEIT:
                return self.forfeit_win if result == Result.WIN else self.forfeit_loss
            case Kind.ANNULLED | Kind.EXTRA | Kind.UNPLAYED:
                return Fraction(0)
        if result == Result.WIN:
            return self.win
        if result == Result.DRAW:
            return self.draw_first if first else self.draw_second
        return self.loss


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event with its two tables. Changed copies are made with the ``with_*`` methods.

    ``published_lines`` tells the line of each player's number in ``published_file``, where what was published of
    the players stands in a file of its own. ``faults`` are the reader's findings; ``extra`` keeps what the file said and the model has no
    place for (its keys are the file's own).
    """

    id: str
    name: str = ""
    discipline: str = "chess"
    federation: str = ""
    format: str = ""
    rounds: int | None = None
    start: date | None = None
    end: date | None = None
    place: str = ""
    time_control: str = ""
    scoring: Scoring = field(default_factory=Scoring)
    arbiters: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    tie_breaks: tuple[str, ...] = ()
    tie_break_columns: Mapping[str, str] = field(default_factory=dict)
    players: pd.DataFrame
    games: pd.DataFrame
    teams: pd.DataFrame = field(default_factory=lambda: frame([], TEAM_COLUMNS))
    matches: pd.DataFrame = field(default_factory=lambda: frame([], MATCH_COLUMNS))
    sources: tuple[SourceFile, ...] = ()
    published_file: str = ""
    published_lines: Mapping[int, int] = field(default_factory=dict)
    faults: tuple[Finding, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def with_players(self, **columns: Any) -> Event:
        """A copy with whole columns of the players table replaced."""
        return replace(self, players=self.players.assign(**columns))

    def with_games(self, games: pd.DataFrame) -> Event:
        """A copy with another games table (same columns)."""
        return replace(self, games=games.reset_index(drop=True))

    @property
    def last_day(self) -> date | None:
        """The day by which an event is filed: its last, or the only one that is known."""
        return self.end or self.start

    @property
    def period(self) -> str:
        """First and last day as printed; one of them where they are the same or one is missing."""
        days = (day.isoformat() for day in (self.start, self.end) if day is not None)
        return " – ".join(dict.fromkeys(days))

    @property
    def rounds_played(self) -> int:
        """Highest round number in the games table, 0 without games."""
        return int(self.games["round"].max()) if len(self.games) else 0

    def find_player(self, wanted: str | int) -> int:
        """Number of the player given by number, id, name or a unique part of the name.

        Raises EventError, naming the players it may be, where nobody or more than one fits.
        """
        players, text = self.players, str(wanted).strip()
        folded = text.casefold()
        for matches in (
            players["number"].astype(str) == text,
            pd.Series(plain_ids(players["id"].tolist()), dtype=object) == (plain_ids([text])[0] or None),
            players["name"] == text,
            players["name"].str.casefold() == folded,
            players["name"].str.casefold().str.contains(folded, regex=False),
        ):
            found = players.loc[matches.to_numpy(dtype=bool), ["number", "name"]]
            if text and len(found) == 1:
                return int(found["number"].iloc[0])
            if text and len(found) > 1:
                people = (f"{n} {name}" for n, name in found.itertuples(index=False))
                raise EventError("player-ambiguous", event=self.id, text=text, names=words.joined(people, 5))
        near = self._players_like(text)
        hint = words.said("hint.nearest", near=near) if near else ""
        raise EventError("player-unknown", event=self.id, text=text, hint=hint)

    def _players_like(self, text: str) -> list[str]:
        """Number and name of the players whose names are the nearest to a text, at most five."""
        numbers, names = self.players["number"].tolist(), [str(name) for name in self.players["name"]]
        same = [i for i, name in enumerate(names) if name and same_name(name, text)]
        if not same and text and not text.isdecimal():
            # Family and given name may be written in either order, and one of them alone.
            spelled: dict[str, list[int]] = {}
            for i, name in enumerate(names):
                whole = written(name)
                for one in {
                    whole,
                    " ".join(reversed(whole.split())),
                    *(part for part in whole.split() if len(part) > 2),
                }:
                    spelled.setdefault(one, []).append(i)
            near = difflib.get_close_matches(written(text), spelled, n=5, cutoff=0.6)
            same = list(dict.fromkeys(i for one in near for i in spelled[one]))
        return [f"{numbers[i]} {names[i]}" for i in same[:5]]


def make_event(
    *, players: Any, games: Any, teams: Any = (), matches: Any = (), id: str = "event", **facts: Any
) -> Event:
    """Build an Event from rows; tables get all columns, empty points follow from the scoring.

    A game without a ``kind`` was played.

    >>> from qiyi_analysis import make_event, rate, ruleset
    >>> players = [{"number": 1, "rating": 2400, "k": 10}, {"number": 2, "rating": 2300, "k": 20}]
    >>> games = [{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0"}]
    >>> made = make_event(players=players, games=games)
    >>> rate(made, ruleset("fide/rating-standard/2024-03-01")).players["change"].tolist()
    [3.6, -7.2]
    """
    scoring = facts.get("scoring", Scoring())
    games = frame(games, GAME_COLUMNS)
    games["kind"] = games["kind"].where(games["kind"] != "", Kind.PLAYED.value)
    for side in ("first", "second"):
        column = f"{side}_points"
        missing = games[column].isna().to_numpy()
        if missing.any():
            if side == "second":
                missing = missing & (games["second"].to_numpy() != 0)
            derived = games[column].to_numpy().copy()
            kinds, results = games["kind"].to_numpy(), games[f"{side}_result"].to_numpy()
            for i in np.flatnonzero(missing):
                derived[i] = float(scoring.points(kinds[i], results[i], first=side == "first"))
            games[column] = derived
    return Event(
        id=id,
        players=frame(players, PLAYER_COLUMNS),
        games=games,
        teams=frame(teams, TEAM_COLUMNS),
        matches=frame(matches, MATCH_COLUMNS),
        **facts,
    )


def sides(games: pd.DataFrame) -> pd.DataFrame:
    """One row per player and game: ``row, round, player, opponent, first, result, points, kind, ...``.

    The rows of the side with the first move come first for each game; byes have opponent 0.
    """
    merged: dict[str, Any] = side_arrays(games)
    first = merged["first"]
    for column in ("result", "points"):
        of_first, of_second = (
            games[f"{side}_{column}"].to_numpy()[merged["row"]] for side in ("first", "second")
        )
        merged[column] = np.where(first, of_first, of_second)
    for column in ("round", "kind", "handicap", "komi", "colours_known", "board", "line"):
        merged[column] = games[column].to_numpy()[merged["row"]]
    return pd.DataFrame(merged)


def side_arrays(games: pd.DataFrame) -> dict[str, np.ndarray]:
    """The columns ``row, player, opponent, first`` of :func:`sides` as arrays, at a fraction of the time."""
    first, second = games["first"].to_numpy(), games["second"].to_numpy()
    rows = np.arange(len(games))
    paired = second != 0
    row = np.concatenate([rows, rows[paired]])
    is_first = np.concatenate([np.ones(len(rows), dtype=bool), np.zeros(int(paired.sum()), dtype=bool)])
    order = np.lexsort((~is_first, row))
    row, is_first = row[order], is_first[order]
    return {
        "row": row,
        "player": np.where(is_first, first[row], second[row]),
        "opponent": np.where(is_first, second[row], first[row]),
        "first": is_first,
    }
