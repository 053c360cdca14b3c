"""The XML file that pairing programs send to chess-results.com (Swiss-Manager upload format)."""

from __future__ import annotations

import math
import re

from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import Event, Kind, Scoring
from qiyi_analysis.readers import fields, xml
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, bye_result, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.player_fields import read_birth, read_number, read_rating, read_sex, whole
from qiyi_analysis.readers.source import Source

Record = dict[str, str]
_FORMATS = {"0": "swiss", "1": "round-robin", "2": "team-round-robin", "3": "team-swiss"}


def looks_like_upload(text: str) -> bool:
    """Whether the XML has pairings by number of White and Black."""
    folded = text.casefold()
    return "whiteno" in folded or ("lastname" in folded and ("firstname" in folded or "fideid" in folded))


def read_upload(source: Source, name: str) -> Event:
    """Read an upload. Raises ReadError for broken XML and for a file without players."""
    faults = Faults(source.name)
    records = _records(source)
    people = [record for record in records if "lastname" in record]
    if not people:
        raise ReadError("swiss-manager-no-player", file=source.name)
    head: Record = {}
    for record in records:
        if "lastname" not in record and "whiteno" not in record:
            for key, value in record.items():
                head.setdefault(key, value)
    players = _players(people, faults)
    games = game_columns()
    for record in records:
        if "whiteno" in record:
            _pairing(record, games, faults)
    start, end = (fields.read_date(head.get(key, "")).day for key in ("from", "to"))
    rounds = whole(head.get("rounds", ""))
    codes = {f"tb{i}": head[f"tb{i}no"] for i in range(1, 10) if head.get(f"tb{i}no", "0") not in ("", "0")}
    title = next((head[key] for key in ("name", "tournament", "title", "eventname") if head.get(key)), "")
    return draft_event(
        players, games, faults, scoring=Scoring(), id=name, name=title, federation=head.get("fed", "")[:3],
        format=_FORMATS.get(head.get("type", ""), ""), rounds=rounds if rounds and rounds <= MOST_ROUNDS else None, start=start, end=end,
        place=head.get("location", head.get("place", "")), time_control=head.get("timecontrol", ""), tie_break_columns=codes,
        arbiters=tuple(filter(None, [head.get("chiefarbiter", "")])), sources=(source.facts(),),
        extra={key: value for key, value in head.items() if key in ("ratedfide", "currentround", "rankinground", "homecolor", "samecolor")},
    )  # fmt: skip


def _records(source: Source) -> list[Record]:
    """Every element with attributes or simple children as one record of lower-case keys."""
    records: list[Record] = []
    stack: list[tuple[str, Record, list[str]]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        stack.append((tag.casefold(), {key.casefold(): value for key, value in attributes.items()}, []))

    def end(tag: str) -> None:
        name, record, parts = stack.pop()
        text = "".join(parts).strip()
        if record:
            records.append(record)
        elif text and stack:
            stack[-1][1].setdefault(name, text)

    def text(data: str) -> None:
        if stack and len(stack[-1][2]) < 100:
            stack[-1][2].append(data)

    data = (
        source.data
        if re.match(rb"\s*<\?xml[^>]*utf-8", source.data, re.IGNORECASE)
        else xml.in_utf8(source.data)
    )
    xml.parse(data, source.name, start=start, end=end, text=text)
    return records


def _players(people: list[Record], faults: Faults) -> Columns:
    names = (
        "number", "name", "title", "rating", "id", "federation", "sex", "birth_year", "birth_date", "k", "rank", "points", "unit", "line",
        "tb1", "tb2", "tb3", "tb4", "tb5", "tb6",
    )  # fmt: skip
    columns: Columns = {column: [] for column in names}
    for record in people:
        number = whole(record.get("no", "")) or max(columns["number"], default=0) + 1
        if number in columns["number"]:
            faults.add(
                "CK09",
                "start-number-twice",
                player=number,
                field="No",
                read=number,
                assumed=max(columns["number"]) + 1,
            )
            number = max(columns["number"]) + 1
        family, given = record.get("lastname", ""), record.get("firstname", "")
        columns["number"].append(number)
        columns["name"].append(fields.without_card_numbers(f"{family}, {given}" if given else family)[0])
        columns["title"].append(fields.read_title(record.get("title", "")) or "")
        rating = (
            record.get("rtg", "")
            if record.get("rtg", "0").strip("0")
            else record.get("rtgfide", "") or record.get("rtgnat", "")
        )
        columns["rating"].append(
            read_rating(rating, faults, 0, number, discipline="chess", zero_is_unrated=True)
        )
        identity = record.get("fideid", "")
        columns["id"].append(identity if identity.strip("0 ") else "")
        columns["federation"].append(record.get("fed", ""))
        columns["sex"].append(read_sex(record.get("sex", ""), faults, 0, number))
        year, day = read_birth(record.get("dob", ""), faults, 0, number)
        columns["birth_year"].append(year)
        columns["birth_date"].append(day)
        columns["unit"].append(record.get("clubname", record.get("club", "")))
        factor = read_number(record.get("kfactor", ""), faults, 0, number, "kfactor", ",")
        columns["k"].append(factor if factor else math.nan)
        for column, key in (
            ("rank", "rank"),
            ("points", "pts"),
            *((f"tb{i}", f"tb{i}") for i in range(1, 7)),
        ):
            columns[column].append(read_number(record.get(key, ""), faults, 0, number, key, ","))
        columns["line"].append(0)
    return columns


def _pairing(record: Record, games: Columns, faults: Faults) -> None:
    round_ = whole(record.get("round", "")) or 0
    white = whole(record.get("whiteno", ""))
    other = record.get("blackno", "").strip()
    if not white or not 1 <= round_ <= MOST_ROUNDS:
        faults.add("CK43", "record-unreadable", read=str(record))
        return
    half = {"1": "1", "0": "0", "0,5": "=", "0.5": "=", "½": "="}
    one, two = half.get(record.get("reswhite", ""), ""), half.get(record.get("resblack", ""), "")
    if other in ("-1", "-2", "0", ""):
        kind = Kind.PAB if other == "-1" else {"1": Kind.FULL_BYE, "=": Kind.HALF_BYE}.get(one, Kind.ZERO_BYE)
        add_game(
            games,
            round=round_,
            first=white,
            second=0,
            kind=kind,
            first_result=bye_result(kind),
            colours_known=False,
        )
        return
    black = whole(other)
    if not black or black == white:
        faults.add("CK15", "record-unreadable", round=round_, player=white, read=str(record))
        return
    mark = record.get("forfeit", "").strip().upper()
    kind = Kind.PLAYED if one and two else Kind.UNPLAYED
    if kind is Kind.PLAYED:
        if mark == "K":
            kind = Kind.DOUBLE_FORFEIT if one == two == "0" else Kind.FORFEIT
        elif mark == "U":
            kind = Kind.UNRATED
        elif mark == "D" or one == two == "0":
            kind = Kind.DOUBLE_LOSS
            if mark != "D":
                faults.add(
                    "CK20",
                    "double-zero",
                    round=round_,
                    player=white,
                    field="result",
                    read="0-0",
                    assumed=str(kind),
                    opponent=black,
                )
        elif mark == "H":
            kind, one, two = Kind.UNPLAYED, "", ""
    add_game(
        games, round=round_, first=white, second=black, kind=kind, first_result=one, second_result=two, board=record.get("board", ""),
    )  # fmt: skip
