"""Writing TRF16 and TRF26. What the format has no field for is named, not dropped in silence."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.event import KINDS, Event, Kind, Scoring

_CODES = {
    (Kind.PLAYED, "1"): "1", (Kind.PLAYED, "="): "=", (Kind.PLAYED, "0"): "0",
    (Kind.UNRATED, "1"): "W", (Kind.UNRATED, "="): "D", (Kind.UNRATED, "0"): "L",
    (Kind.FORFEIT, "1"): "+", (Kind.FORFEIT, "0"): "-", (Kind.DOUBLE_FORFEIT, "0"): "-", (Kind.DOUBLE_LOSS, "0"): "0",
    (Kind.UNPLAYED, "1"): "1", (Kind.UNPLAYED, "="): "=", (Kind.UNPLAYED, "0"): "0",
}  # fmt: skip
_BYES = {Kind.PAB: "U", Kind.FULL_BYE: "F", Kind.HALF_BYE: "H", Kind.ZERO_BYE: "Z"}
_FORMAT_WORDS = {
    "swiss": "Swiss", "round-robin": "Round robin", "double-round-robin": "Double round robin", "team-swiss": "Team Swiss",
    "team-round-robin": "Team round robin", "knock-out": "Knock-out", "mcmahon": "McMahon", "match": "match", "member-places": "member places", "": "",
}  # fmt: skip
#: Records kept by the reader as text, in the order they are written back.
_KEPT_16 = ("XXC", "XXZ", "XXA", "XXP")
_KEPT_26 = ("152", "172", "182", "192", "250", "260", "352", *_KEPT_16)
_AFTER = ("299", "300")
#: Columns of the players table that have a place in the player line.
_PLACED = frozenset(
    {
        "number",
        "sex",
        "title",
        "name",
        "rating",
        "federation",
        "id",
        "birth_year",
        "birth_date",
        "points",
        "rank",
        "line",
    }
)


def write_trf(event: Event, *, version: int = 16) -> tuple[str, tuple[str, ...]]:
    """The event as a report file of 2016 or 2026, and what of it could not be written.

    Raises EventError where start numbers do not fit into their four columns.
    """
    numbers = event.players["number"]
    if len(numbers) and int(numbers.max()) > 9999:
        raise EventError("trf-number-too-large", event=event.id, number=int(numbers.max()))
    losses: Counter[str] = Counter()
    lines = _headers(event, version, losses)
    lines.extend(_player_lines(event, losses))
    if len(event.teams):
        lines.extend(_teams_26(event) if version >= 26 else _teams_16(event))
    if version >= 26:
        for code in _AFTER:
            lines.extend(f"{code} {text}" for text in event.extra.get(code, ()))
        if len(event.teams) and "300" not in event.extra:
            lines.extend(_line_ups(event))
    for column, values in event.players.items():
        if column not in _PLACED and not str(column).endswith("_text"):
            filled = values.notna() & (values.astype(str) != "")
            if filled.any():
                losses[f"column.{column}"] = int(filled.sum())
    return "\n".join(lines) + "\n", tuple(_loss(*one) for one in sorted(losses.items()))


def _slash(day: date | None) -> str:
    return f"{day:%Y/%m/%d}" if day else ""


def _loss(code: str, count: int) -> words.Said:
    """The words for something the format has no place for."""
    kind, _, name = code.partition(".")
    return words.said(
        f"loss.{kind}", name=words.named("field", name), kind=words.named("reason", name), count=count
    )


def _headers(event: Event, version: int, losses: Counter[str]) -> list[str]:
    rated = int(event.players["rating"].notna().sum())
    system = _FORMAT_WORDS.get(event.format, "")
    if event.discipline != "chess":
        system = f"{system} ({event.discipline})".strip()
    rows: list[tuple[str, str]] = [
        ("012", event.name), ("022", event.place), ("032", event.federation), ("042", _slash(event.start)),
        ("052", _slash(event.end)), ("062", str(len(event.players))), ("072", str(rated)), ("082", str(len(event.teams))),
        ("092", system),
    ]  # fmt: skip
    rows += [("102" if i == 0 else "112", name) for i, name in enumerate(event.arbiters)]
    time_kept = event.extra.get("222", ()) if version >= 26 else ()
    if event.time_control and not time_kept:
        rows.append(("122", event.time_control))
    lines = [f"{code} {_one_line(text)}" for code, text in rows if text]
    if event.extra.get("122") and time_kept:
        lines.extend(f"122 {text}" for text in event.extra["122"])
    lines.extend(_round_days(event, losses))
    if event.rounds:
        lines.append(f"142 {event.rounds}" if version >= 26 else f"XXR {event.rounds}")
    lines.extend(_scoring(event.scoring, version, teams=bool(len(event.teams))))
    if version >= 26:
        if event.tie_breaks:
            lines.append(f"212 {','.join(event.tie_breaks)}")
        lines.extend(f"222 {text}" for text in time_kept)
    elif event.tie_breaks:
        losses["tie-breaks"] = len(event.tie_breaks)
    for code in _KEPT_26 if version >= 26 else _KEPT_16:
        lines.extend(f"{code} {text}" for text in event.extra.get(code, ()))
    return lines


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _round_days(event: Event, losses: Counter[str]) -> list[str]:
    days: dict[int, str] = {}
    for round_, day in zip(event.games["round"], event.games["day"], strict=True):
        if day and days.setdefault(int(round_), day) != day:
            losses["days"] += 1
    if not days:
        return []
    cells = [_short_day(days.get(round_, "")) for round_ in range(1, max(days) + 1)]
    return ["132" + " " * 88 + "".join(f"{cell:<10}" for cell in cells).rstrip()]


def _short_day(text: str) -> str:
    return f"{text[2:4]}/{text[5:7]}/{text[8:10]}" if len(text) >= 10 else ""


def _scoring(scoring: Scoring, version: int, *, teams: bool) -> list[str]:
    plain = Scoring(match_win=scoring.match_win, match_draw=scoring.match_draw, match_loss=scoring.match_loss)
    lines = []
    if scoring != plain:
        full = Scoring.of(
            scoring.win, scoring.draw_first, scoring.loss, forfeit_loss=scoring.forfeit_loss, pab=scoring.pab
        )
        simple = (scoring.draw_first, scoring.zero_bye) == (scoring.draw_second, scoring.forfeit_loss)
        simple = simple and (scoring.full_bye, scoring.half_bye, scoring.forfeit_win) == (
            full.full_bye,
            full.half_bye,
            full.forfeit_win,
        )
        if version >= 26 and simple:
            values = (
                ("W", scoring.win),
                ("D", scoring.draw_first),
                ("L", scoring.loss),
                ("A", scoring.forfeit_loss),
                ("P", scoring.pab),
            )
            lines.append("162  " + "    ".join(f"{symbol}{float(value):4.1f}" for symbol, value in values))
        else:
            names = {
                "W": scoring.win, "D": scoring.draw_first, "L": scoring.loss, "WD": scoring.draw_first, "BD": scoring.draw_second,
                "ZPB": scoring.zero_bye, "HPB": scoring.half_bye, "FPB": scoring.full_bye, "PAB": scoring.pab,
                "FW": scoring.forfeit_win, "FL": scoring.forfeit_loss,
            }  # fmt: skip
            lines.extend(f"XXS {name}={float(value):g}" for name, value in names.items())
    if teams and version >= 26:
        match_values = (("TW", scoring.match_win), ("TD", scoring.match_draw), ("TL", scoring.match_loss))
        lines.append("362 " + "   ".join(f"{symbol}{float(value):4.1f}" for symbol, value in match_values))
    return lines


def _cells(event: Event, losses: Counter[str]) -> dict[tuple[int, int], str]:
    cells: dict[tuple[int, int], str] = {}
    games = event.games
    white_second = event.discipline == "go"
    rows = zip(
        games["round"], games["first"], games["second"], games["first_result"], games["second_result"], games["kind"],
        games["colours_known"], strict=True,
    )  # fmt: skip
    for round_, first, second, one, two, kind, known in rows:
        kind = Kind(kind)
        if kind in (Kind.EXTRA, Kind.ANNULLED):
            losses[f"kind.{kind}"] += 1
            continue
        if kind is Kind.UNPLAYED and not second and one:
            losses["contradictions"] += 1
            one = ""
        if kind is Kind.UNPLAYED and second and one and two:
            losses["unplayed-results"] += 1
            one = two = ""
        if not second:
            code = _BYES.get(kind) or ("Z" if kind is Kind.UNPLAYED else _CODES.get((kind, one), "-"))
            entries = [(first, f"  0000 - {code}")]
        else:
            colours = ("b", "w") if white_second else ("w", "b")
            marks = colours if known else ("-", "-")
            codes = (_CODES.get((kind, one), " "), _CODES.get((kind, two), " "))
            entries = [
                (first, f"  {second:4d} {marks[0]} {codes[0]}"),
                (second, f"  {first:4d} {marks[1]} {codes[1]}"),
            ]
        for number, text in entries:
            if (int(number), int(round_)) in cells:
                losses["second-games"] += 1
            else:
                cells[int(number), int(round_)] = text
    return cells


def _player_lines(event: Event, losses: Counter[str]) -> list[str]:
    cells = _cells(event, losses)
    rounds = event.rounds_played
    sums = _sums(event)
    lines = []
    rows: Any = event.players.itertuples(index=False)
    for row in rows:
        number = int(row.number)
        points = row.points if row.points == row.points else sums.get(number, 0.0)
        name = _one_line(row.name)
        if len(name) > 33:
            losses["long-names"] += 1
        identity = row.id
        if len(identity) > 11:
            losses["long-ids"] += 1
            identity = ""
        federation = row.federation
        if len(federation) > 3:
            losses["long-federations"] += 1
            federation = ""
        title = row.title if len(row.title) <= 3 else ""
        if row.title and not title:
            losses["long-titles"] += 1
        text = (
            f"001 {number:4d} {row.sex:1}{title:>3} {name[:33]:33} {_whole(row.rating, losses)} {federation:3} {identity:>11} "
            f"{_birth(row):10} {_points(points, losses)} {_rank(row.rank)}"
        )  # fmt: skip
        lines.append(
            (text + "".join(cells.get((number, r), " " * 10) for r in range(1, rounds + 1))).rstrip()
        )
    return lines


def _sums(event: Event) -> dict[int, float]:
    sums: dict[int, float] = {}
    for side in ("first", "second"):
        for number, kind, points in zip(
            event.games[side], event.games["kind"], event.games[f"{side}_points"], strict=True
        ):
            if number and kind not in (Kind.EXTRA, Kind.ANNULLED) and points == points:
                sums[int(number)] = sums.get(int(number), 0.0) + points
    return sums


def _whole(value: float, losses: Counter[str]) -> str:
    if math.isnan(value):
        return "    "
    if value != int(value) or not 0 <= value <= 9999:
        losses["ratings"] += 1
    return f"{max(0, min(9999, round(value))):4d}"


def _points(value: float, losses: Counter[str]) -> str:
    text = f"{value:4.1f}"
    if len(text) > 4 or abs(float(text) - value) > 1e-9:
        losses["points"] += 1
    return text[-4:]


def _rank(value: float) -> str:
    return "    " if math.isnan(value) else f"{int(value):4d}"


def _birth(row: Any) -> str:
    if row.birth_date:
        return row.birth_date.replace("-", "/")
    return "" if math.isnan(row.birth_year) else f"{int(row.birth_year)}/00/00"


def _members(text: str) -> str:
    return "".join(f" {int(number):4d}" for number in text.split())


def _teams_16(event: Event) -> list[str]:
    rows: Any = event.teams.itertuples(index=False)
    return [f"013 {row.name[:32]:32}{_members(row.members)[1:]}" for row in rows]


def _teams_26(event: Event) -> list[str]:
    lines = []
    rows: Any = event.teams.itertuples(index=False)
    for row in rows:
        values = "".join(
            f"{'' if math.isnan(value) else format(value, form):>{width}} "
            for value, form, width in (
                (row.strength, "g", 6), (row.match_points, ".1f", 6), (row.game_points, ".1f", 6), (row.rank, "g", 3),
            )
        )  # fmt: skip
        lines.append(
            f"310 {int(row.number):3d} {row.name[:32]:32} {row.nickname[:5]:5} {values}{_members(row.members)}".rstrip()
        )
    return lines + _match_records(event)


def _line_ups(event: Event) -> list[str]:
    """Records 300 of the line-ups whose boards do not follow from the order of the team's members."""
    members = {
        int(t): [int(n) for n in row.split()]
        for t, row in zip(event.teams["number"], event.teams["members"], strict=True)
    }
    team_of = {number: team for team, row in members.items() for number in row}
    seats: dict[tuple[int, int, int], dict[int, int]] = {}
    games = event.games[event.games["second"] > 0]
    for round_, one, two, board in zip(
        games["round"], games["first"], games["second"], games["board"], strict=True
    ):
        pair = (team_of.get(int(one), 0), team_of.get(int(two), 0))
        if 0 in pair or not str(board).isdecimal():
            continue
        for number, own, other in ((one, *pair), (two, *pair[::-1])):
            seats.setdefault((int(round_), own, other), {})[int(number)] = int(board)
    lines = []
    for (round_, own, other), boards in sorted(seats.items()):
        present = [number for number in members[own] if number in boards]
        if [boards[number] for number in present] == list(range(1, len(present) + 1)):
            continue
        seated = {board: number for number, board in boards.items()}
        row = "".join(f" {seated.get(board, 0):04d}" for board in range(1, max(seated) + 1))
        lines.append(f"300 {round_:3d} {own:3d} {other:3d}{row}")
    return lines


def _match_records(event: Event) -> list[str]:
    matches: Any = event.matches
    lines: list[str] = []
    byes = matches[matches["kind"] == "pab"]
    for (match, game), rows in byes.groupby(["first_match_points", "first_game_points"]):
        left = sorted(zip(rows["round"].astype(int), rows["first"].astype(int), strict=True))
        while left:  # a record has one team a round
            teams = dict(reversed(left))
            left = [pair for pair in left if teams[pair[0]] != pair[1]]
            cells = " ".join(f"{teams.get(round_, 0):03d}" for round_ in range(1, max(teams) + 1))
            lines.append(f"320 {match:4.1f} {game:4.1f} {cells}")
    letters = {"full_bye": "F", "half_bye": "H", "zero_bye": "Z"}
    for kind, letter in letters.items():
        for round_, rows in matches[(matches["kind"] == kind) & (matches["line"] > 0)].groupby("round"):
            lines.append(
                f"240 {letter} {int(round_):3d} {''.join(f' {int(team):4d}' for team in rows['first'])[1:]}"
            )
    return lines + _forfeited(event)


def _forfeited(event: Event) -> list[str]:
    """Records 330 of the forfeited matches without games, and 299 where their points are not the usual ones."""
    matches: Any = event.matches
    team_of = {
        int(n): int(t)
        for t, row in zip(event.teams["number"], event.teams["members"], strict=True)
        for n in row.split()
    }
    games = event.games
    met: set[tuple[int, frozenset[int]]] = set()
    points: Counter[tuple[int, int]] = Counter()
    rows = zip(
        games["round"], games["first"], games["second"], games["first_points"], games["kind"], strict=True
    )
    for round_, one, two, scored, kind in rows:
        own, other = team_of.get(int(one), 0), team_of.get(int(two), 0)
        if two:
            met.add((int(round_), frozenset((own, other))))
        elif not KINDS[Kind(kind)].bye:
            points[int(round_), own] += scored  # a player of a team that won by forfeit
    lines, odd = [], []
    for row in matches[matches["kind"].isin(["forfeit", "double_forfeit"])].itertuples(index=False):
        round_, first, second = int(row.round), int(row.first), int(row.second)
        if (round_, frozenset((first, second))) in met:
            continue  # follows from its games
        marks = (
            "--"
            if row.kind == "double_forfeit"
            else "+-"
            if row.first_match_points >= row.second_match_points
            else "-+"
        )
        lines.append(f"330 {marks} {round_:3d} {first:3d} {second:3d}")
        for team, letter, match, game in (
            (first, marks[0], row.first_match_points, row.first_game_points),
            (second, marks[1], row.second_match_points, row.second_game_points),
        ):
            usual = float(event.scoring.match_win if letter == "+" else event.scoring.match_loss)
            if match == match and game == game and (match, game) != (usual, points[round_, team]):
                odd.append(f"299 {letter} {match:5.1f} {game:5.1f}   {round_:03d} {team:4d}")
    return lines + ([] if "299" in event.extra else odd)
