"""``meta.json`` of a folder: what it says about the event, value by value."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.event import Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, read_discipline, read_format, read_scoring
from qiyi_analysis.readers.event_dates import report_date
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, base_name, decode
from qiyi_analysis.readers.tables.delimited import report_encoding

_META_KEYS = frozenset(
    [
        "slug",
        "title",
        "name",
        "game",
        "discipline",
        "format",
        "rounds",
        "start",
        "end",
        "place",
        "time_control",
        "arbiters",
        "arbiter",
        "rules",
        "federation",
        "scoring",
        "points_per_game",
        "rounds_dates",
        "tie_breaks",
    ]
)


@dataclass(frozen=True, slots=True)
class Meta:
    """The object of ``meta.json``, and what is wrong with its values."""

    values: dict[str, Any]
    faults: Faults

    @property
    def extra(self) -> dict[str, Any]:
        """The keys the model has no place for."""
        return {key: value for key, value in self.values.items() if key not in _META_KEYS}

    def text(self, *keys: str) -> str:
        """The text under the first of the keys that has one."""
        return next((str(self.values[key]) for key in keys if self.values.get(key)), "")

    def texts(self, *keys: str) -> tuple[str, ...]:
        """The texts of a list, or a single one, under the first of the keys that has any."""
        value = next((self.values[key] for key in keys if self.values.get(key)), self.values.get(keys[-1]))
        if value is None or value == "":
            return ()
        items = value if isinstance(value, (list, tuple)) else (value,)
        return tuple(_as_written(item) for item in items if item is not None)

    def discipline(self) -> str:
        """chess, xiangqi or go; chess where it is not told or not understood."""
        given = self.text("game", "discipline")
        if not given:
            return "chess"
        found = read_discipline(given)
        if not found:
            self.faults.add(
                "CK49",
                "discipline-unknown",
                severity="W",
                field="game",
                read=given,
                assumed="chess",
                recomputed=words.said("discipline.chess"),
            )
        return found or "chess"

    def format(self) -> str:
        """The format of the model, "" where it is not told or not understood."""
        given = self.text("format")
        found = read_format(given)
        if given and not found:
            self.faults.add("CK49", "format-unknown", severity="W", field="format", read=given)
        return found

    def scoring(self) -> Scoring:
        """What a win, a draw and so on count; the usual points where it is not told or cannot be read."""
        values = self.values.get("scoring")
        per_game = self.values.get("points_per_game")
        try:
            per = (
                Fraction(str(per_game))
                if isinstance(per_game, (int, float)) and not isinstance(per_game, bool)
                else None
            )
            named = (
                {str(k): v for k, v in values.items() if not isinstance(v, str)}
                if isinstance(values, dict)
                else {}
            )
            found = read_scoring(named, per)
        except (ValueError, OverflowError, ZeroDivisionError):
            self.faults.add("CK43", "scoring-unreadable", field="scoring", read=_as_written(values))
            return Scoring()
        return found if found is not None else Scoring()

    def rounds(self) -> int | None:
        """How many rounds were planned."""
        value = self.values.get("rounds")
        if value is None:
            return None
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, str))
            or not str(value).strip().isdecimal()
        ):
            self.faults.add("CK43", "rounds-unreadable", field="rounds", read=value)
            return None
        rounds = int(str(value).strip()[:9])
        if not 1 <= rounds <= MOST_ROUNDS:
            self.faults.add("CK43", "rounds-unreadable", field="rounds", read=value)
            return None
        return rounds

    def day(self, key: str) -> date | None:
        """The day under a key."""
        value = self.values.get(key)
        if value in (None, ""):
            return None
        written = _as_written(value)
        read = fields.read_date(written)
        report_date(read, read.day, self.faults, field=key, read=written)
        return read.day

    def tie_breaks(self) -> dict[str, Any]:
        """Codes in their order, and what the columns tb1, tb2, ... hold: a list, or one text with commas."""
        rows = self.values.get("tie_breaks")
        if isinstance(rows, str):
            # Commas inside brackets belong to the parameters of a number.
            rows = [part.strip() for part in re.split(r"[,，、;；](?![^(（]*[)）])", rows)]
        columns: dict[str, str] = {}
        codes: list[str] = []
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and row.get("column"):
                columns[str(row["column"])] = str(row.get("rule") or row.get("code") or "")
                if row.get("code"):
                    codes.append(str(row["code"]))
            elif isinstance(row, str):
                codes += [row] if row else []
            else:
                self.faults.add("CK43", "tie-break-unreadable", field="tie_breaks", read=_as_written(row))
        if not isinstance(rows, list) and rows:
            self.faults.add("CK43", "tie-break-unreadable", field="tie_breaks", read=_as_written(rows))
        return {"tie_break_columns": columns, "tie_breaks": tuple(codes)}

    def counts_matches(self) -> bool:
        """Whether the scoring says what a match won counts."""
        values = self.values.get("scoring")
        return isinstance(values, dict) and "match_win" in values

    def check_players(self, counted: int, faults: Faults) -> None:
        """Report another number of players than the file announces."""
        announced = self.values.get("players")
        if isinstance(announced, int) and not isinstance(announced, bool) and announced != counted:
            faults.add(
                "CK06", "players-announced", field="players", read=announced, assumed=counted,
                announced=announced, counted=counted,
            )  # fmt: skip


def read_meta(source: Source | None, name: str) -> Meta:
    """Read ``meta.json`` of the folder ``name``; without one, or a broken one, nothing is known and that is told."""
    if source is None:
        faults = Faults(f"{name}/meta.json")
        faults.add("CK49", "meta-missing", severity="W")
        return Meta({}, faults)
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    try:
        meta = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        reason = "meta-unreadable" if text.text.strip() else "file-empty"
        faults.add("CK49", reason, severity="W", line=line, read=str(error), name=base_name(source.name))
        return Meta({}, faults)
    if not isinstance(meta, dict):
        faults.add("CK49", "meta-no-object", severity="W", read=text.text.strip()[:60])
        return Meta({}, faults)
    return meta_of(meta, faults)


def meta_of(values: dict[str, Any], faults: Faults) -> Meta:
    """What an object says about the event; keys that are nearly known ones are named."""
    _misspelt(values, faults)
    return Meta(values, faults)


def _misspelt(meta: dict[str, Any], faults: Faults) -> None:
    """Tell keys that are nearly one the model knows and the file lacks; other keys are the file's own."""
    missing = sorted(_META_KEYS - meta.keys())
    for key in (key for key in meta if key not in _META_KEYS):
        for near in difflib.get_close_matches(key.strip().casefold(), missing, n=1, cutoff=0.8):
            faults.add("CK49", "meta-key-near", severity="I", field=near, read=key, near=near)


def _as_written(value: Any) -> str:
    """A value of ``meta.json`` as its writer sees it there: JSON, text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
