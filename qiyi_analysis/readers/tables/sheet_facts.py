"""Name, dates, place and the like from the rows of a sheet that belong to no table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, read_discipline, read_format
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows
from qiyi_analysis.readers.tables.sheets import Sheet

_KEYS: Mapping[str, str] = {
    "比赛名称": "name", "比賽名稱": "name", "赛事名称": "name", "名称": "name", "event": "name", "tournament": "name", "turnier": "name",
    "竞赛地点": "place", "举办地点": "place", "地点": "place", "地點": "place", "比赛地点": "place", "比賽地點": "place", "place": "place", "city": "place", "ort": "place", "location": "place", "lugar": "place", "lieu": "place", "место проведения": "place",
    "比赛时间": "dates", "比賽時間": "dates", "竞赛时间": "dates", "竞赛日期": "dates", "举办时间": "dates", "日期": "dates", "比赛日期": "dates", "比賽日期": "dates", "时间": "dates", "date": "dates", "dates": "dates", "datum": "dates", "fecha": "dates", "дата": "dates",
    "赛制": "format", "賽制": "format", "编排": "format", "format": "format", "system": "format", "tournament type": "format", "turnierart": "format",
    "轮数": "rounds", "輪數": "rounds", "rounds": "rounds", "number of rounds": "rounds", "rundenanzahl": "rounds",
    "副裁判长": "arbiter", "编排长": "arbiter", "副编排长": "arbiter", "裁判员": "arbiter", "deputy chief arbiter": "arbiter", "deputy arbiter": "arbiter",
    "人数": "players", "人數": "players", "裁判长": "arbiter", "裁判長": "arbiter", "chief arbiter": "arbiter", "chief-arbiter": "arbiter", "hauptschiedsrichter": "arbiter", "arbiter": "arbiter",
    "统计期": "period", "統計期": "period", "项目": "game", "棋种": "game", "用时": "time", "比赛用时": "time", "基本用时": "time", "time control": "time", "bedenkzeit": "time", "federation": "federation", "平均等级分": "average", "计算人": "calculated_by",
}  # fmt: skip


#: Between the facts of a merged line (``时间：… 地点：… 裁判长：…``).
_NEXT_KEY = re.compile(
    rf"[\s;；,，。]+(?=(?:{'|'.join(sorted(map(re.escape, _KEYS), key=len, reverse=True))})\s*[:：])",
    re.IGNORECASE,
)
#: The next cell, where a form has its own key (``裁判长：`` beside ``日期：...``).
_KEY = re.compile(r"[^:：\d]{1,30}[:：]")
#: Below the players these tell when the report was signed.
_PLAIN_DATES = frozenset({"日期", "时间", "date", "dates", "datum", "fecha", "дата"})


def _persons(text: str) -> list[str]:
    """The names in one cell; commas part family and given name in Latin script."""
    return [one for one in (part.strip() for part in re.split(r"[、;；/]", text)) if one]


def read_facts(sheets: list[Sheet], tables: list[HeadedRows]) -> tuple[dict[str, Any], list[str]]:
    """Name, dates and so on from the rows that belong to no table."""
    # Not by their lines: a page may be one line.
    in_tables = {id(row) for table in tables for row in table.held}
    found: dict[str, str] = {}
    titles: list[str] = []
    signing: set[str] = set()
    arbiters: list[str] = []
    for sheet in sheets:
        below = max((place for place, row in enumerate(sheet.rows) if id(row) in in_tables), default=-1)
        for place, row in enumerate(sheet.rows):
            if id(row) in in_tables or 2000 <= place < below:
                continue
            signed = 0 <= below < place
            cells = [cell for cell in row.cells if cell]
            for key, value in _pairs(cells):
                plain = simplified(key[:40]).casefold().strip()
                name = _KEYS.get(plain)
                if name == "dates" and signed and plain in _PLAIN_DATES:
                    continue  # the day of signing
                if name == "arbiter" and value and not _KEY.match(value):
                    arbiters += [one for one in _persons(value) if one not in arbiters]
                if name and value:
                    found.setdefault(name, value)
            if len(cells) == 1 and len(titles) < 200:
                titles.append(cells[0])
                if signed:
                    signing.add(cells[0])
    facts: dict[str, Any] = {
        "name": found.get("name") or next((title for title in titles if not _ONLY_ROUND.match(title)), ""),
        "place": found.get("place", ""),
    }
    years = re.findall(r"(?<!\d)((?:19|20)\d{2})\s*年?", fields.with_figures(" ".join(titles[:5])))
    year = int(years[0]) if years else None
    days = _days(found.get("dates", ""), year)
    for title in titles:
        days = days or ([] if _UPDATED.match(title) or title in signing else _days(title, year))
    if days:
        facts["start"], facts["end"] = days[0], days[-1]
    words = f"{found.get('format', '')} {' '.join(titles[:5])}"
    facts["format"] = read_format(words)
    rounds = re.match(r"\D{0,2}(\d{1,3})", found.get("rounds", ""))
    if rounds and 1 <= int(rounds[1]) <= MOST_ROUNDS:
        facts["rounds"] = int(rounds[1])
    if arbiters:
        facts["arbiters"] = tuple(arbiters)
    facts["time_control"] = found.get("time", "")
    facts["federation"] = (
        found.get("federation", "")[:3] if re.match(r"[A-Z]{3}\b", found.get("federation", "")) else ""
    )
    discipline = read_discipline(f"{found.get('game', '')} {facts['name']} {' '.join(titles[:5])}")
    if discipline:
        facts["discipline"] = discipline
    kept = {key: found[key] for key in ("period", "players", "average", "calculated_by") if key in found}
    if kept:
        facts["extra"] = kept
    return facts, titles[1:] if not found.get("name") else titles


#: ``Tie Break1: ...`` below the tables of result pages, in the languages of Swiss-Manager.
_TIE_BREAK = re.compile(
    r"(?:tie[ -]?break|wertung|feinwertung|desempate|d[ée]partage|spareggio|тай-?брейк|доп(?:\.|олнительный)? ?(?:показатель|критерий)?"
    r"|кф\.?|破同分|辅助分|輔助分)\s?(\d)\s*[:：]\s*",
    re.IGNORECASE,
)


def tie_break_notes(sheets: list[Sheet]) -> dict[str, str]:
    """Column -> the words that a note below a table explains it with (``tb1``: ``Direct Encounter (DE)``)."""
    notes: dict[str, str] = {}
    for sheet in sheets:
        for row in sheet.rows:
            for cell in row.cells:
                if not _TIE_BREAK.search(cell[:2000]):
                    continue
                _, *parts = _TIE_BREAK.split(cell[:2000])
                for number, words in zip(parts[::2], parts[1::2], strict=True):
                    if words.strip(" ,;"):
                        notes.setdefault(f"tb{number}", words.strip(" ,;")[:200])
    return notes


def _pairs(cells: list[str]) -> Iterator[tuple[str, str]]:
    """Key and value of ``key: value`` in one cell, several of them in a merged line, or in two neighbours."""
    for place, cell in enumerate(cells):
        parts = _NEXT_KEY.split(cell[:2000]) if cell.count(":") + cell.count("：") > 1 else [cell]
        for part in parts:
            key, sign, value = part.replace("：", ":").partition(":")
            if sign and value.strip():
                yield key, value.strip()
            elif place + 1 < len(cells) and part is parts[-1]:
                yield key, cells[place + 1]


#: The day a page was last written is none of the event.
_UPDATED = re.compile(
    r"\s*(?:last update|letzte aktualisierung|última actualización|dernière mise|последнее обновление|最[后後]更新)",
    re.IGNORECASE,
)
_ONLY_ROUND = re.compile(
    r"\s*(?:\d{1,3}\s*[.ªº°]?\s*(?:round|runde|ronde|ronda|тур)|(?:round|runde|ronde|ronda|тур)\s*\d|第.{1,3}[轮輪])",
    re.IGNORECASE,
)


_DAY_FIRST = re.compile(r"\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{1,2}/\d{1,2}/\d{4}")


def _days(text: str, year: int | None = None) -> list[date]:
    found = fields.days_of(text, year)
    days = [fields.read_date(match.group()).day for match in _DAY_FIRST.finditer(text[:500])]
    return found or sorted(day for day in days if day)
