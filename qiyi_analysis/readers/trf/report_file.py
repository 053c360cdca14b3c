"""TRF: the tournament report file of FIDE, from Krause 2006 to TRF26, and what programs made of it.

Records of 2016 and 2026 and their columns: FIDE C.02.03 Annex A. Lines are sorted in ``trf_records``, players read in
``trf_players``, dates and counts in ``trf_headers``, teams in ``trf_teams`` and ``trf_matches``.
"""

from __future__ import annotations

import re
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    draft_event,
    exchange_sides,
    fill_points,
    game_columns,
    points_table,
    read_discipline,
    read_format,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables.crosstable import pair_cells
from qiyi_analysis.readers.tables.delimited import report_encoding
from qiyi_analysis.readers.trf.headers import check_counts, read_dates, read_round_days, read_rounds
from qiyi_analysis.readers.trf.player_lines import Table, cell_columns, read_player_lines
from qiyi_analysis.readers.trf.record_lines import (
    Records,
    check_cut_lines,
    in_place,
    looks_like_trf,
    split_events,
)
from qiyi_analysis.readers.trf.scoring import fill_missing_byes, find_scoring, read_declared
from qiyi_analysis.readers.trf.team_matches import Abnormal
from qiyi_analysis.readers.trf.team_records import read_teams

#: Events of one file.
MOST_EVENTS = 500


def read_trf(source: Source, name: str) -> tuple[Event, ...]:
    """Every event of a report file. Raises ReadError where it has no player line."""
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    if "\r" in text.text and "\n" not in text.text:
        faults.add("CK02", "line-ends-cr", severity="I", line=1)
    lines = in_place(split_lines(text.text), faults)
    check_cut_lines(text.text, lines, faults)
    groups = list(split_events(lines))
    if not any(group.players for group in groups):
        raise ReadError("trf-no-player", file=source.name, count=len(lines))
    if len(groups) > MOST_EVENTS:
        raise ReadError("trf-too-many-events", file=source.name, count=len(groups), most=MOST_EVENTS)
    events = []
    for index, records in enumerate(groups):
        own = faults if index == 0 else Faults(source.name)
        identity = name if len(groups) == 1 else f"{name}-{index + 1}"
        events.append(_event(records, own, source, identity))
    return tuple(events)


# --- one event -----------------------------------------------------------------------------------


def _event(records: Records, faults: Faults, source: Source, name: str) -> Event:
    team_event = any(code in records.headers for code in ("013", "310"))
    start, end = read_dates(records, faults)
    table = read_player_lines(records.players, faults, start)
    declared = read_declared(records.headers, faults)
    scoring = find_scoring(table.printed, table.rounds, declared, faults, teams=team_event)
    if not team_event:
        _add_bye_records(records, table, faults)
        fill_missing_byes(table.printed, table.rounds, scoring, faults, place=cell_columns)
    games = _games(table, scoring, faults, teams=team_event)
    title = records.first("012")[1]
    discipline = read_discipline(f"{title} {records.first('092')[1]}") or "chess"
    if discipline == "go":  # w and b are the stones there, and Black moves first
        exchange_sides(games)
    if not team_event:
        _apply_abnormal(records, games, scoring, faults)
    rounds = read_rounds(records, table, faults)
    days = read_round_days(records, start, end, faults)
    games["day"] = [days.get(round_, "") for round_ in games["round"]]
    check_counts(records, table, faults)
    _report_unknown(records, faults)
    facts: dict[str, Any] = {}
    if team_event:
        teams, matches = read_teams(records.headers, table.columns["number"], games, scoring, faults)
        facts = {"teams": teams, "matches": matches}
    return draft_event(
        table.columns,
        games,
        faults,
        scoring=scoring,
        id=name,
        name=title,
        discipline=discipline,
        federation=records.first("032")[1],
        format=_format(records, faults, teams=team_event),
        rounds=rounds,
        start=start,
        end=end,
        place=records.first("022")[1],
        time_control=records.first("222")[1] or records.first("122")[1],
        arbiters=tuple(
            text[4:].strip()
            for code in ("102", "112")
            for _, text in records.headers.get(code, ())
            if text[4:].strip()
        ),
        tie_breaks=_order(records, teams=team_event),
        sources=(source.facts(),),
        extra=_extra(records),
        **facts,
    )


def _games(table: Table, scoring: Scoring, faults: Faults, *, teams: bool) -> Columns:
    """The games of the cells of the player lines."""
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        table.rounds,
        games,
        faults,
        listed=set(table.columns["number"]),
        points=lambda kind, result, first: points[str(kind), result, first],
        teams=teams,
        place=cell_columns,
    )
    return games


def _format(records: Records, faults: Faults, *, teams: bool) -> str:
    """The format of the encoded type (192), else of the words (092)."""
    line, text = records.first("092")
    encoded = records.first("192")[1]
    found = read_format(encoded.replace("_", " ")) or read_format(text)
    if teams and not found.startswith("team"):
        return "team-round-robin" if "round-robin" in found else "team-swiss"
    if text and not found and not encoded:
        faults.add("CK49", "format-unknown", severity="I", line=line, field="format", read=text)
    return found


def _order(records: Records, *, teams: bool) -> tuple[str, ...]:
    """The order of the standings: record 212, else 202, which tells the tie-breaks behind the points."""
    codes = [c.strip() for code in ("212", "202") for _, c in [records.first(code)] if c]
    found = tuple(_tie_breaks(codes[0], teams)) if codes else ()
    return ("PTS", *found) if found and not records.first("212")[1] else found


def _extra(records: Records) -> dict[str, Any]:
    """What the model has no field for, by record code, as it stands in the file."""
    extra: dict[str, Any] = {}
    for code in (
        "112",
        "122",
        "152",
        "162",
        "172",
        "182",
        "192",
        "222",
        "240",
        "250",
        "260",
        "299",
        "300",
        "352",
        "362",
        "XXC",
        "XXS",
        "XXZ",
        "XXA",
        "XXP",
        "BBW",
        "BBD",
        "BBL",
        "BBZ",
        "BBF",
        "BBU",
        "801",
        "802",
    ):
        rows = [text[4:].rstrip() for _, text in records.headers.get(code, ()) if text[4:].strip()]
        if rows:
            extra[code] = rows
    if records.national:
        extra["national"] = [text for _, text in records.national]
    if records.unknown:
        extra["unknown"] = [text for _, text in records.unknown]
    return extra


def _report_unknown(records: Records, faults: Faults) -> None:
    for line, text in records.unknown:
        faults.once("CK49", "unknown-record", line=line, read=text[:60])


_LETTER_OF_KIND = {
    (Kind.PLAYED, "1"): "W", (Kind.PLAYED, "="): "D", (Kind.PLAYED, "0"): "L", (Kind.UNRATED, "1"): "W",
    (Kind.UNRATED, "="): "D", (Kind.UNRATED, "0"): "L", (Kind.FORFEIT, "1"): "+", (Kind.FORFEIT, "0"): "-",
    (Kind.DOUBLE_FORFEIT, "0"): "-", (Kind.FULL_BYE, "1"): "F", (Kind.HALF_BYE, "="): "H", (Kind.ZERO_BYE, "0"): "Z",
}  # fmt: skip


def _apply_abnormal(records: Records, games: Columns, scoring: Scoring, faults: Faults) -> None:
    """Record 299 of an individual event: points that differ from the scoring for some players."""
    if "299" not in records.headers:
        return
    abnormal = Abnormal(records.headers["299"], faults)
    fill_points(games, scoring)
    for i, (round_, kind) in enumerate(zip(games["round"], games["kind"], strict=True)):
        for side in ("first", "second"):
            letter = _LETTER_OF_KIND.get((Kind(kind), games[f"{side}_result"][i]), " ")
            special = abnormal.of(letter, round_, games[side][i]) if games[side][i] else None
            if special:
                games[f"{side}_points"][i] = special[1]
    for round_, number, points in abnormal.changes:
        places = [
            (games["round"][i], side, i)
            for side in ("first", "second")
            for i, one in enumerate(games[side])
            if one == number and round_ in (0, games["round"][i])
        ]
        if places:  # a penalty or bonus for the whole event is in the points of the last round
            _, side, i = max(places)
            games[f"{side}_points"][i] += points


def _add_bye_records(records: Records, table: Table, faults: Faults) -> None:
    """Record 240 of an individual event repeats the byes; where the player's line is blank it decides."""
    for line, text in records.headers.get("240", ()):
        letter, round_text = text[4:5].upper(), text[6:9].strip()
        round_ = int(round_text) if round_text.isascii() and round_text.isdecimal() else 0
        if letter not in ("F", "H", "Z") or not 1 <= round_ <= MOST_ROUNDS:
            faults.add("CK43", "record-unreadable", line=line, read=text)
            continue
        for number in (int(n) for n in re.findall(r"\d{1,4}", text[9:])):
            if number not in table.lines or round_ > len(table.rounds):
                continue
            cell = table.rounds[round_ - 1][number]
            if not cell.opponent and not cell.code:
                table.rounds[round_ - 1][number] = cell._replace(code=letter)
                faults.once("CK49", "bye-from-record", line=line, severity="I", read=text[4:].strip())
            elif cell.code != letter:
                faults.add(
                    "CK19", "bye-contradiction", line=line, round=round_, player=number, field="240", read=letter,
                    theirs=cell.text.strip(),
                )  # fmt: skip


def _tie_breaks(text: str, team_event: bool) -> tuple[str, ...]:
    """The codes of a record; numbers of Swiss-Manager become codes where they are certain."""
    # Imported here: most files have no such record, and reading one should not wait for the calculation.
    from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers
    from qiyi_analysis.tiebreaks.codes import split_list

    return tuple(numbers.named(part.strip(), teams=team_event) for part in split_list(text) if part.strip())


FORMAT = Format(
    name="TRF",
    described="TRF06 (Krause), TRF16, TRF26, individual and team",
    recognise=lambda look: looks_like_trf(look.head),
    read=lambda look, name, _: read_trf(look.source, name),
    written={
        ".trf": "trf16", ".trfx": "trf16", ".tab": "trf16", ".txt": "trf16", ".trf16": "trf16", ".trf26": "trf26",
    },
)  # fmt: skip
