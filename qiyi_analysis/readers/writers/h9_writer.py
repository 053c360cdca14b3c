"""Go events as H9, the table of the European Go Federation: fixed columns, up to four criteria, a cell a round."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.grades import rank_number, rank_text
from qiyi_analysis.tiebreaks.grid import DRAW, FORFEIT_LOSS, FORFEIT_WIN, LOSS, PENDING, VOID, WIN
from qiyi_analysis.tiebreaks.mcmahon import free_points, is_mcmahon
from qiyi_analysis.tiebreaks.ranking import Standings, standings

_MOST_CRITERIA, _MOST_STONES, _MOST_PLACES = 4, 9, 9999
_NAME, _CLUB = 30, 4
_PARTS = {0: "", 1: "¼", 2: "½", 3: "¾"}
#: What the program prints in the code page of western Europe, which has no fractions.
_NO_FRACTION = "?"


def write_h9(event: Event, encoding: str) -> tuple[bytes, tuple[str, ...]]:
    """The table, and what it has no place for.

    Raises ReadError for an event that is no go event, and for what the format cannot hold: a player without a grade, more than
    nine stones, two games in a round, a round without opponent worth anything but 0, a half or 1, a character the encoding has not.
    """
    if event.discipline != "go":
        raise ReadError("h9-only-go", event=event.id, discipline=event.discipline)
    scales = event.extra.get("scales") or {}
    if len(scales.get("egf/rating", ())) == len(event.players):
        event = event.with_players(rating=scales["egf/rating"])
    found = standings(event, _criteria(event), of="players")
    losses: list[str] = []
    _refuse(event, found)
    lines = [*_head(event, losses), *_lines(event, found, losses)]
    text = "\n".join(lines) + "\n"
    if encoding != "utf-8":
        if "¼" in text or "¾" in text:
            losses.append(words.said("loss.quarters"))
        text = re.sub("[¼½¾]", _NO_FRACTION, text)
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ReadError(
            "h9-character", event=event.id, character=text[error.start], encoding=encoding.upper()
        ) from error
    for table, name in ((event.teams, "teams"), (event.matches, "matches")):
        if len(table):
            losses.append(words.said(f"loss.{name}"))
    return data, tuple(dict.fromkeys(losses))


def _criteria(event: Event) -> list[str] | None:
    """The event's own criteria, else the usual ones of its main score; all count every round, as the table shows them."""
    own = [code for code in event.tie_breaks if code != "PTS"]
    return own or (["MMS", "SOS", "SOSOS"] if is_mcmahon(event) else ["NBW", "SOSW", "SOSOSW"])


def _refuse(event: Event, found: Standings) -> None:
    grid, players = found.grid, event.players
    for number, title in zip(players["number"], players["title"], strict=True):
        if rank_number(str(title)) is None:
            raise ReadError("h9-grade", event=event.id, player=int(number), read=str(title))
    if grid.size > _MOST_PLACES:
        raise ReadError("h9-places", event=event.id, count=grid.size, most=_MOST_PLACES)
    stones = np.abs(np.nan_to_num(grid.handicap)) if grid.handicap.size else np.zeros(grid.cell.shape)
    if (stones > _MOST_STONES).any():
        raise ReadError("h9-stones", event=event.id, stones=int(stones.max()), most=_MOST_STONES)
    if len(np.unique(grid.rounds)) < len(grid.rounds):
        twice = int(grid.rounds[1:][grid.rounds[1:] == grid.rounds[:-1]][0])
        raise ReadError("h9-two-games", event=event.id, round=twice)


def _head(event: Event, losses: list[str]) -> list[str]:
    extra = event.extra
    general = extra.get("GeneralParameterSet") or {}
    handicap = str(extra.get("HA") or "")
    correction = str((extra.get("HandicapParameterSet") or {}).get("hdCorrection", ""))
    if not handicap and correction.isdecimal() and int(correction):
        handicap = f"h{correction}"
    komi = next((one for one in event.games["komi"] if one == one), None)
    facts: dict[str, Any] = {
        "CL": extra.get("class") or "", "EV": event.name, "PC": f"{event.federation},{event.place}",
        "DT": ",".join(str(day) for day in (event.start, event.end or event.start) if day), "HA": handicap,
        "KM": extra.get("KM") or general.get("komi") or ("" if komi is None else f"{komi:g}"),
        "TM": extra.get("TM") or event.time_control, "CM": extra.get("CM") or "",
    }  # fmt: skip
    if not facts["CL"]:
        losses.append(words.said("loss.class"))
    if event.arbiters:
        losses.append(words.said("loss.arbiters"))
    clean = {key: re.sub(r"[\[\]\r\n;]+", " ", str(value)).strip() for key, value in facts.items()}
    return [
        f"; {key}[{value}]" for key, value in clean.items() if value or key not in ("HA", "CM", "TM", "KM")
    ] + [";"]


def _lines(event: Event, found: Standings, losses: list[str]) -> list[str]:
    players = event.players
    codes = [code.text.upper() for code in found.codes if code.text not in found.implied]
    if len(codes) > _MOST_CRITERIA:
        losses.append(words.said("loss.criteria", codes=codes[_MOST_CRITERIA:], most=_MOST_CRITERIA))
        codes = codes[:_MOST_CRITERIA]
    shown = [one.replace("SOSOSM", "SOSOS").replace("SOSOSW", "SOSOS") for one in codes]
    shown = [re.sub(r"^(SOS|SODOS|CUSS)[WM](?=-|/|$)", r"\1", one).replace("/C", "-")[:5] for one in shown]
    order = found.order.tolist()
    position = {row: place for place, row in enumerate(order, 1)}
    names = [_written(str(players["name"].iloc[row])) for row in order]
    width = max(_NAME, *map(len, names)) + 1
    values = [_values(found, code) for code in codes]
    head = f"; Pl {'Name':<{width + 1}}Rk Co Club" + "".join(f"{one:>5}" for one in shown)
    rows = [head]
    kinds = event.extra.get("id_kinds") or []
    for place, row in enumerate(order):
        player = players.iloc[row]
        rank = int(found.ranks[row])
        tied = place > 0 and rank == int(found.ranks[order[place - 1]])
        country, club = str(player["federation"]).upper(), re.sub(r"\s+", "", str(player["unit"]))
        if len(country) != 2:
            losses.extend([words.said("loss.federations")] if country else [])
            country = "XX"
        if len(club) > _CLUB:
            losses.append(words.said("loss.units"))
        line = f"{'' if tied else rank:>4} {names[place]:<{width}}{rank_text(rank_number(str(player['title'])) or 0):>3} {country} "
        line += (
            f"{club[:_CLUB] or 'xxxx':>4}"
            + "".join(f" {column[row]:>4}" for column in values)
            + " 0" * (_MOST_CRITERIA - len(values))
        )
        line += "".join(f" {cell:>8}" for cell in _cells(event, found, row, position))
        pin = str(player["id"]) if (kinds[row] if row < len(kinds) else "EGF") == "EGF" else ""
        rows.append(line + (f" |{pin}" if re.fullmatch(r"\d{4,9}", pin) else ""))
    return rows


def _written(name: str) -> str:
    """Family and given name as two words: blanks inside them are underscores."""
    family, comma, given = name.partition(",")
    parts = [family, given] if comma else name.split(maxsplit=1)
    return " ".join("_".join(part.split()) for part in parts if part.strip())


def _values(found: Standings, code: str) -> list[str]:
    column = next(
        one for known, one in zip(found.codes, found.columns, strict=True) if known.text.upper() == code
    )
    texts = []
    for row in range(found.grid.size):
        value = column.value(row)
        quarters = round(float(value) * 4) if value is not None else 0
        texts.append(f"{quarters // 4}{_PARTS[quarters % 4]}" if quarters % 4 else str(quarters // 4))
    return texts


def _cells(event: Event, found: Standings, row: int, position: dict[int, int]) -> list[str]:
    grid = found.grid
    free, unit = found.work.once(
        "h9 free", lambda: free_points(found.work, "M" if is_mcmahon(event) else "W")
    )
    cells = []
    for column in range(grid.cell.shape[1]):
        cell, other = int(grid.cell[row, column]), int(grid.opponent[row, column])
        if other < 0:
            halves = 2 * free[row, column] / unit if cell != VOID else 0
            if halves not in (0, 1, 2):
                raise ReadError(
                    "h9-free-round", event=event.id, player=int(grid.numbers[row]), round=int(grid.rounds[column]), points=f"{halves / 2:g}"
                )  # fmt: skip
            cells.append("0" + "-=+"[int(halves)])
            continue
        sign = {WIN: "+", DRAW: "=", LOSS: "-"}.get(int(grid.result[row, column]), "?")
        typed = "!" if cell in (FORFEIT_WIN, FORFEIT_LOSS) and cell != PENDING else "/"
        colour = {1: "b", 0: "w"}.get(int(grid.first[row, column]), "?")
        stones = int(abs(np.nan_to_num(grid.handicap[row, column])))
        cells.append(f"{position[other]}{sign}{typed}{colour}{stones}")
    return cells
