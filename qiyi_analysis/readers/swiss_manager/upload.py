"""The XML file that pairing programs send to chess-results.com (Swiss-Manager upload format, edition of January 2026).

Elements carry attributes; the names of the elements differ from program to program, those of the attributes do not.
Teams and their matches are in ``swiss_manager_teams``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, bye_result, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.swiss_manager.upload_records import Record, records_of
from qiyi_analysis.readers.swiss_manager.upload_teams import add_team_byes, read_teams
from qiyi_analysis.readers.tables.player_fields import read_birth, read_number, read_rating, read_sex, whole
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers

_TEAMS = ("2", "3")
_FORMATS = {"0": "swiss", "1": "round-robin", "2": "team-round-robin", "3": "team-swiss"}
_KEPT = (
    "ratedfide", "ratednational", "currentround", "rankinground", "homecolor", "samecolor", "endstatus", "remark", "replay",
)  # fmt: skip
_PRINTED = ("rank", "points", *(f"tb{i}" for i in range(1, 7)))


def looks_like_upload(text: str) -> bool:
    """Whether the XML has pairings by number of White and Black."""
    folded = text.casefold()
    return "whiteno" in folded or ("lastname" in folded and ("firstname" in folded or "fideid" in folded))


def read_upload(source: Source, name: str) -> Event:
    """Read an upload. Raises ReadError for broken XML and for a file without players."""
    faults = Faults(source.name)
    records = records_of(source)
    people = [record for record in records if "lastname" in record]
    if not people:
        raise ReadError("swiss-manager-no-player", file=source.name)
    head = _head(records)
    players = _players(people, faults, fide=head.get("ratedfide").upper() == "J")
    games = game_columns()
    annulled = {
        number for number, state in zip(players["number"], players.pop("state"), strict=True) if state == "1"
    }
    for record in records:
        if "whiteno" in record:
            _pairing(record, games, faults, annulled, teams=head.get("type") in _TEAMS)
    days = {
        whole(r.get("round")) or 0: fields.read_date(r.get("date")).day
        for r in records
        if "date" in r and "round" in r
    }
    games["day"] = [day.isoformat() if (day := days.get(round_)) else "" for round_ in games["round"]]
    final = _final_ranking(head, games, faults)
    if not final:
        for column in _PRINTED:
            players[column] = [math.nan] * len(players["number"])
    facts = _facts(head, faults)
    if head.get("type") in _TEAMS:
        teams, matches = read_teams(records, players, games, facts, faults, final=final)
        facts |= {"teams": teams, "matches": matches}
        add_team_byes(players, games, teams, matches)
    return draft_event(players, games, faults, id=name, sources=(source.facts(),), **facts)


def _head(records: Iterable[Record]) -> Record:
    """The facts of the event: what stands in no record of a player, round, pairing, team or ranking."""
    head = Record(0, {})
    for record in records:
        if not any(key in record for key in ("lastname", "whiteno", "no", "no1", "teamname")) and (
            "round" not in record or "rounds" in record
        ):
            for key, value in record.values.items():
                head.values.setdefault(key, value)
    return head


def _facts(head: Record, faults: Faults) -> dict[str, Any]:
    kind = head.get("type")
    if kind and kind not in _FORMATS:
        faults.add("CK43", "upload-type", line=head.line, field="type", read=kind)
    teams = kind in _TEAMS
    spelled = [_tie_break(head, i, teams=teams) for i in range(1, 10)]
    # The numbers of a team event are those of the teams; what the columns of its players are is not told.
    columns = {f"tb{i}": text for i, text in enumerate(spelled, 1) if text and not teams}
    match_points = next(
        filter(None, (numbers.match_points(head.get(f"tb{i}no")) for i in range(1, 10))), None
    )
    points = dict(
        zip(
            ("match_win", "match_draw", "match_loss"),
            map(Fraction, (match_points if teams else None) or ()),
            strict=False,
        )
    )
    format = _FORMATS.get(kind, "")
    rounds = whole(head.get("rounds"))
    days = []
    for key in ("from", "to"):
        read = fields.read_date(head.get(key))
        if head.get(key) and read.day is None:
            faults.add("CK03", "date-unreadable", field=key, read=head.get(key))
        days.append(read.day)
    return {
        "scoring": Scoring(**points),
        "name": head.get("name", "tournament", "title", "eventname"),
        "federation": head.get("fed", "federation")[:3],
        "format": "double-round-robin" if format == "round-robin" and head.get("replay") == "2" else format,
        "rounds": rounds if rounds and rounds <= MOST_ROUNDS else None,
        "start": days[0],
        "end": days[1],
        "place": head.get("location", "place"),
        "time_control": head.get("timecontrol"),
        "tie_break_columns": columns,
        "tie_breaks": tuple(filter(None, spelled)) if teams else (),
        "arbiters": tuple(filter(None, [head.get("chiefarbiter"), head.get("deputyarbiter")])),
        "extra": {key: head.get(key) for key in _KEPT if head.get(key)},
    }


def _tie_break(head: Record, place: int, *, teams: bool) -> str:
    """A tie-break as ``84(0,0,1,-)``; for teams the code where the number is certain to be one."""
    number = head.get(f"tb{place}no")
    if not number.strip("0"):
        return ""
    detail = head.get(f"tb{place}_detail", f"tb{place}detail")
    text = f"{number}({detail})" if detail.strip(",; ") else number
    return numbers.named(text, teams=True) if teams else text


def _final_ranking(head: Record, games: Columns, faults: Faults) -> bool:
    """Whether the printed ranking is that of the last round with results; an earlier one is not compared with the final."""
    ranking = whole(head.get("rankinground"))
    scored = [
        round_ for round_, kind in zip(games["round"], games["kind"], strict=True) if kind != Kind.UNPLAYED
    ]
    if not ranking or not scored or ranking >= max(scored):
        return True
    faults.add(
        "CK24", "ranking-of-earlier-round", severity="W", field="rankinground", read=ranking, last=max(scored)
    )
    return False


def _players(people: list[Record], faults: Faults, *, fide: bool) -> Columns:
    names = (
        "number", "name", "title", "rating", "rating_kind", "id", "federation", "sex", "birth_year", "birth_date", "k", "unit",
        "team", "board", "line", "state", *_PRINTED,
    )  # fmt: skip
    columns: Columns = {column: [] for column in names}
    fide = fide and any(record.get("rtgfide").strip("0") for record in people)
    taken: set[int] = set()
    for record in people:
        number = _start_number(record, taken, faults)
        family, given = record.get("lastname"), record.get("firstname")
        columns["number"].append(number)
        columns["name"].append(fields.without_card_numbers(f"{family}, {given}" if given else family)[0])
        columns["title"].append(fields.read_title(record.get("title")) or "")
        rating, kind = _rating(record, number, faults, fide=fide)
        columns["rating"].append(
            read_rating(rating, faults, record.line, number, discipline="chess", zero_is_unrated=True)
        )
        columns["rating_kind"].append(kind)
        identity = record.get("fideid")
        columns["id"].append(identity if identity.strip("0 ") else "")
        columns["federation"].append(record.get("fed"))
        sex = record.get("sex")
        computer = sex.casefold() == "c"
        if computer:
            faults.add(
                "CK14",
                "player-computer",
                severity="W",
                line=record.line,
                player=number,
                field="sex",
                read=sex,
            )
        columns["sex"].append("" if computer else read_sex(sex, faults, record.line, number))
        year, day = read_birth(record.get("dob"), faults, record.line, number)
        columns["birth_year"].append(year)
        columns["birth_date"].append(day)
        columns["unit"].append(record.get("clubname", "club"))
        factor = read_number(record.get("kfactor", "kfaktor"), faults, record.line, number, "kfactor", ",")
        columns["k"].append(factor if factor else math.nan)
        columns["team"].append(record.get("teamno").lstrip("0"))
        columns["board"].append(float(whole(record.get("board")) or math.nan))
        for column in _PRINTED:
            text = record.get("pts" if column == "points" else column)
            columns[column].append(read_number(text, faults, record.line, number, column, ","))
        columns["line"].append(record.line)
        columns["state"].append(record.get("state"))
    return columns


def _start_number(record: Record, taken: set[int], faults: Faults) -> int:
    fresh = max(taken, default=0) + 1
    number = whole(record.get("no"))
    if not number:
        faults.add(
            "CK43", "record-unreadable", line=record.line, field="No", read=record.shown(), assumed=fresh
        )
    elif number in taken:
        faults.add(
            "CK09",
            "start-number-twice",
            line=record.line,
            player=number,
            field="No",
            read=number,
            assumed=fresh,
        )
    if not number or number in taken:
        number = fresh
    taken.add(number)
    return number


def _rating(record: Record, number: int, faults: Faults, *, fide: bool) -> tuple[str, str]:
    """The rating to calculate with and its kind; in a FIDE-rated event only the FIDE rating is one."""
    own, national = record.get("rtg"), record.get("rtgnat")
    if fide:
        rating = record.get("rtgfide")
        if not rating.strip("0") and own.strip("0"):
            faults.add("CK13", "rating-national", line=record.line, player=number, field="rating", read=own)
        return rating, ""
    if own.strip("0"):
        return own, "national" if own == national and own != record.get("rtgfide") else ""
    return (
        (record.get("rtgfide"), "")
        if record.get("rtgfide").strip("0")
        else (national, "national" if national else "")
    )


def _half_points(text: str) -> str:
    """The result letter of ``1``, ``1.0``, ``0,5``, ``½``; "" where it is none."""
    try:
        value = fields.number(text, ",")
    except ValueError:
        return ""
    return {1: "1", Fraction(1, 2): "=", 0: "0"}.get(value, "") if value is not None else ""


def _pairing(record: Record, games: Columns, faults: Faults, annulled: set[int], *, teams: bool) -> None:
    round_ = whole(record.get("round")) or 0
    white, other = whole(record.get("whiteno")), record.get("blackno")
    if not white or not 1 <= round_ <= MOST_ROUNDS:
        faults.add("CK43", "record-unreadable", line=record.line, read=record.shown())
        return
    one, two = _half_points(record.get("reswhite")), _half_points(record.get("resblack"))
    for key, letter in (("reswhite", one), ("resblack", two)):
        if not letter and fields.plain(record.get(key)).strip("-"):
            faults.add(
                "CK15",
                "result-unreadable",
                line=record.line,
                round=round_,
                player=white,
                field=key,
                read=record.get(key),
            )
    if other in ("-1", "-2", "0", ""):
        kind = Kind.PAB if other == "-1" else {"1": Kind.FULL_BYE, "=": Kind.HALF_BYE}.get(one, Kind.ZERO_BYE)
        add_game(
            games, round=round_, first=white, second=0, kind=kind, first_result=bye_result(kind), colours_known=False, line=record.line,
        )  # fmt: skip
        return
    black = whole(other)
    if not black or black == white:
        faults.add(
            "CK15", "record-unreadable", line=record.line, round=round_, player=white, read=record.shown()
        )
        return
    kind = _kind(record, one, two, round_, white, black, faults)
    if kind is Kind.UNPLAYED and record.get("forfeit").upper() == "H":
        one = two = ""
    if kind in (Kind.PLAYED, Kind.UNRATED) and annulled & {white, black}:
        kind = Kind.ANNULLED
    add_game(
        games, round=round_, first=white, second=black, kind=kind, first_result=one, second_result=two, line=record.line,
        board=f"{record.get('pairing')}.{record.get('board')}".strip(".") if teams else record.get("pairing", "board"),
    )  # fmt: skip


def _kind(record: Record, one: str, two: str, round_: int, white: int, black: int, faults: Faults) -> Kind:
    """What the mark in ``forfeit`` makes of the results: K forfeit, U not rated, D loss for both, H adjourned."""
    mark = record.get("forfeit").upper()
    where: dict[str, Any] = {"line": record.line, "round": round_, "player": white}
    if mark not in ("", "-", "K", "U", "D", "H"):
        faults.add("CK15", "upload-mark", **where, field="forfeit", read=mark)
    if not one or not two or mark == "H":
        return Kind.UNPLAYED
    zeros = one == two == "0"
    if mark == "K":
        return Kind.DOUBLE_FORFEIT if zeros else Kind.FORFEIT
    if mark == "D":
        if not zeros:
            faults.add(
                "CK20", "upload-double-loss", **where, field="forfeit", read=f"{one}-{two}", opponent=black
            )
            return Kind.UNPLAYED
        return Kind.DOUBLE_LOSS
    if zeros:
        faults.add(
            "CK20",
            "double-zero",
            **where,
            field="result",
            read="0-0",
            assumed=Kind.DOUBLE_LOSS,
            opponent=black,
        )
        return Kind.DOUBLE_LOSS
    return Kind.UNRATED if mark == "U" else Kind.PLAYED


FORMAT = Format(
    name="Swiss-Manager upload",
    described="upload XML of chess-results and Swiss-Manager, individual and team",
    recognise=lambda look: look.marked_up and looks_like_upload(look.head),
    read=lambda look, name, _: (read_upload(look.source, name),),
)
