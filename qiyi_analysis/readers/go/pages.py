"""Pages of go programs and of the European database: standings (``Num Pl Name Rank Co Club NbW R 1 ...``), lists of games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from qiyi_analysis.model.event import Event, Kind, Scoring
from qiyi_analysis.model.grades import grade, on_egf_scale
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns, add_game, draft_event, game_columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.go.european import on_scale
from qiyi_analysis.readers.go.wall_list import ENTRY, Line, criteria_heads, wall_list
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables import html
from qiyi_analysis.readers.tables.html import from_html
from qiyi_analysis.readers.tables.sheets import Sheet

#: Heads of the columns of a person, in small letters.
_PERSON = {
    "num": "num", "pl": "place", "plc": "place", "place": "place", "pos": "place", "name": "name", "player": "name", "last name": "name",
    "first name": "given", "rank": "rank", "grade": "rank", "gr": "rank", "rk": "rank", "co": "country", "cty": "country",
    "country": "country", "club": "club", "pin": "id", "egf pin": "id", "gor": "rating", "gor before": "rating", "old gor": "rating",
    "rating": "rating", "old rating": "rating", "gor after": "new_rating", "new gor": "new_rating", "new rating": "new_rating",
    "change": "change", "gor change": "change", "diff": "change", "+/-": "change",
}  # fmt: skip
_ROUND = re.compile(r"(?:r|rd|round)\s*(\d{1,2})\Z", re.IGNORECASE)
_GAMES = {
    "tble": "table",
    "table": "table",
    "white": "white",
    "black": "black",
    "hd": "handicap",
    "res": "result",
    "result": "result",
}
#: Results as the list of games prints White's and Black's; ! marks a default.
_RESULT = re.compile(r"([01½]|0[.,]5)\s*-\s*([01½]|0[.,]5)\s*(!?)\Z")
_MARKS = {"1": "1", "0": "0"}


def _heads(row: Sequence[str]) -> list[str]:
    return [" ".join(str(cell).replace("\xa0", " ").split()) for cell in row]


def _named(head: str) -> str:
    """What a column is: a field of a person, ``round`` or ``criterion``; "" for another."""
    if _ROUND.match(head):
        return "round"
    if head.casefold() in _PERSON:
        return _PERSON[head.casefold()]
    return "criterion" if criteria_heads(head) and len("".join(criteria_heads(head))) >= len(head) - 1 else ""


def _standings_at(sheet: Sheet) -> tuple[int, list[str]] | None:
    """Row and heads of a table of go standings: names, ranks, and rounds of cells that name opponents."""
    for i, row in enumerate(sheet.rows[:30]):
        heads = _heads(row.cells)
        kinds = [_named(head) for head in heads]
        if "name" not in kinds or "rank" not in kinds or "round" not in kinds:
            continue
        body = [_heads(one.cells) for one in sheet.rows[i + 1 : i + 12]]
        rank, rounds = kinds.index("rank"), [place for place, kind in enumerate(kinds) if kind == "round"]
        graded = sum(rank < len(cells) and grade(cells[rank]) is not None for cells in body)
        cells = sum(
            place < len(one) and bool(ENTRY.match(one[place].replace(" ", "")))
            for one in body
            for place in rounds
        )
        if graded * 2 > len(body) and cells:
            return i, heads
    return None


def _games_at(sheet: Sheet) -> tuple[int, list[str]] | None:
    for i, row in enumerate(sheet.rows[:30]):
        kinds = [_GAMES.get(head.casefold(), "") for head in _heads(row.cells)]
        if {"table", "white", "black", "handicap", "result"} <= set(kinds):
            return i, kinds
    return None


def read_page(sheets: Sequence[Sheet], faults: Faults, source: Source, name: str) -> Event | None:
    """The event of a page; None where no table of it is one of a go program."""
    for sheet in sheets:
        if found := _standings_at(sheet):
            return _standings(sheet, *found, faults, source, name)
    rounds = [(sheet, *found) for sheet in sheets if (found := _games_at(sheet))]
    return _games(rounds, faults, source, name) if rounds else None


def _above(sheet: Sheet, at: int) -> list[str]:
    """The lines above the heads of a table."""
    return [" ".join(filter(None, _heads(row.cells))) for row in sheet.rows[:at]]


def _standings(sheet: Sheet, at: int, heads: list[str], faults: Faults, source: Source, name: str) -> Event:
    kinds = [_named(head) for head in heads]
    criteria = [i for i, kind in enumerate(kinds) if kind == "criterion"]
    codes = [criteria_heads(heads[i])[0] for i in criteria]
    # The wins stand in front of the rounds whatever the event is ranked by.
    first_round = kinds.index("round")
    if len(codes) > 1 and criteria[0] < first_round and codes[0] == "NBW":
        criteria, codes = criteria[1:], codes[1:]
    lines: list[Line] = []
    for row in sheet.rows[at + 1 :]:
        cells = [*_heads(row.cells), *[""] * (len(kinds) - len(row.cells))]
        shown: dict[str, str] = {}
        for kind, cell in zip(kinds, cells, strict=False):
            shown.setdefault(kind, cell)
        entries = [cells[i].replace(" ", "") for i, kind in enumerate(kinds) if kind == "round"]
        if not shown["name"] or not (grade(shown["rank"]) or any(map(ENTRY.match, entries))):
            if any(cells):
                faults.once("CK49", "unknown-record", line=row.line, read=" ".join(cells)[:60])
            continue
        whole = f"{shown['name']} {shown.get('given', '')}".strip()
        lines.append(
            Line(
                row.line, shown.get("place", "") or (shown.get("num", "") if "place" not in kinds else ""), whole, shown["rank"],
                shown.get("country", ""), shown.get("club", ""), shown.get("id", ""), [cells[i] for i in criteria], entries,
                {key: shown[key].replace("−", "-") for key in ("rating", "change", "new_rating") if shown.get(key)},
            )
        )  # fmt: skip
    return wall_list(lines, codes, faults, source, name, name=next(filter(None, _above(sheet, at)), ""))


def _games(
    rounds: Sequence[tuple[Sheet, int, list[str]]], faults: Faults, source: Source, name: str
) -> Event:
    """An event of lists of games, a table a round; the players are those the games name."""
    columns: Columns = {
        n: [] for n in ("number", "name", "title", "federation", "unit", "rating", "rating_kind", "line")
    }
    number_of: dict[str, int] = {}
    games = game_columns()

    def person(text: str, line: int) -> int:
        found = re.fullmatch(r"(.*?)\s*\(([^()]*)\)", text)
        who, facts = (found[1], [part.strip() for part in found[2].split(",")]) if found else (text, [])
        if who not in number_of:
            number_of[who] = len(number_of) + 1
            rank = next((one for one in facts if grade(one)), "")
            others = [one for one in facts if not grade(one)]
            rated = on_egf_scale(rank)
            row: dict[str, Any] = {
                "number": number_of[who], "name": who, "title": rank, "federation": next((o for o in others if len(o) == 2 and o.isupper()), ""),
                "unit": others[-1] if others else "", "rating": float("nan") if rated is None else rated, "rating_kind": "grade" if rank else "",
                "line": line,
            }  # fmt: skip
            for column, cell in row.items():
                columns[column].append(cell)
        return number_of[who]

    for index, (sheet, at, kinds) in enumerate(rounds, 1):
        told = next(
            (m for line in _above(sheet, at) if (m := re.search(r"(?:Round|Ronde)\s+(\d{1,2})", line))), None
        )
        round_ = int(told[1]) if told else index
        for row in sheet.rows[at + 1 :]:
            cells = [*_heads(row.cells), *[""] * (len(kinds) - len(row.cells))]
            shown = {kind: cell for kind, cell in zip(kinds, cells, strict=False) if kind}
            if not shown["white"] or not shown["black"]:
                continue
            white, black = person(shown["white"], row.line), person(shown["black"], row.line)
            match = _RESULT.match(shown["result"])
            one, two = (_MARKS.get(match[i], "=") for i in (1, 2)) if match else ("", "")
            kind = Kind.UNPLAYED if not match else Kind.FORFEIT if match[3] else Kind.PLAYED
            if one == two == "0":
                kind = Kind.DOUBLE_FORFEIT if match and match[3] else Kind.DOUBLE_LOSS
            stones = fields.decimal(shown["handicap"])
            add_game(
                games, round=round_, first=black, second=white, kind=kind, first_result=two, second_result=one, board=shown["table"],
                handicap=stones if stones == stones else 0.0, line=row.line,
            )  # fmt: skip
    event = draft_event(
        columns, games, faults, scoring=Scoring(), id=name, name=next(filter(None, _above(*rounds[0][:2])), ""), discipline="go",
        rounds=max(games["round"], default=0) or None, format="swiss", sources=(source.facts(),),
        extra={"mcmahon": {"not_paired": "nothing", "absence_points": "as-printed"}},
    )  # fmt: skip
    return on_scale(event)


_LIKELY = re.compile(r"\d[+\-=?][/!]?[wb?]\d?\s*<|>\s*(?:&nbsp;)?\s*Tble\b", re.IGNORECASE)


def _recognise(look: Look) -> bool:
    return (
        look.marked_up
        and bool(_LIKELY.search(look.text.text))
        and any(
            _standings_at(sheet) or _games_at(sheet)
            for sheet in from_html(look.source, Faults(look.source.name))
        )
    )


def _read(look: Look, name: str, mapping: Headings | None) -> tuple[Event, ...]:
    if mapping is not None:
        return html.FORMAT.read(look, name, mapping) if html.FORMAT.read else ()
    faults = Faults(look.source.name)
    event = read_page(from_html(look.source, faults), faults, look.source, name)
    assert event is not None
    return (event,)


FORMAT = Format(
    name="go pages",
    described="pages of OpenGotha and the EGD: standings, rating changes, lists of games",
    recognise=_recognise,
    read=_read,
)
