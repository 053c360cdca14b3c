"""What every study shares: where its games come from, how they are parted in time, what was met while reading, its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import Finding, Severity, ordered
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import read_history, xiangqi_masters
from qiyi_analysis.research.loops.known_loop import games_before

#: The history that is used where none is named, and where its games are parted, as in its published reference figures.
SHIPPED_FILE = "xiangqi_masters.parquet"
SHIPPED = {"tune_from": "1985", "test_from": "1995"}
Period = Literal["day", "week", "month", "quarter", "half-year", "year", "given"]
PartialDates = Literal["leave out", "pad"]
Duplicates = Literal["keep", "drop"]
Update = Literal["game", "period"]
Draws = Literal["half", "davidson"]
Refit = Literal["month", "quarter", "half-year", "year"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Study:
    """What a study found. settings: everything that was asked; history: the games, None for simulated ones; tables: the
    results by name, as data frames; verdict: the pair (Chinese, English); evidence: "clear", "flat" or "none"."""

    study: str
    settings: Mapping[str, Any]
    history: History | None = None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    verdict: tuple[str, str] = ("", "")
    evidence: str = "none"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.history or ''}: {self.verdict[1]}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(self.verdict[1])}</p>{self.to_frame().to_html(max_rows=30)}"

    def summary(self, language: str = "en") -> str:
        """The verdict and the names of the tables."""
        return f"{self.verdict[words.LANGUAGES.index(language)]}\n{words.listed(self.tables, language)}"

    def to_frame(self, table: str = "") -> pd.DataFrame:
        """One of the tables, the first by default. Raises ParameterError for a name that is none."""
        name = table or next(iter(self.tables))
        if name not in self.tables:
            raise ParameterError("not-one-of", name="table", value=table, choices=list(self.tables))
        return self.tables[name]


def read_games(
    games: str = "", *, events: str = "", lists: str = "", period: str = "month", columns: Sequence[str] = (), players: str = "",
    partial_dates: str = "leave out", duplicates: str = "keep", discipline: str = "", points_per_handicap: float = 0.0,
) -> History:  # fmt: skip
    """The history a study is about: a file of games, a folder of events (and one of lists), or the shipped xiangqi masters.

    columns: texts ``ours=theirs``; the other choices are those of ``history_from_table``. Raises ReadError, ParameterError.
    """
    choices: dict[str, Any] = {"period": period, "partial_dates": partial_dates, "duplicates": duplicates}
    choices["points_per_handicap"] = points_per_handicap
    if events:
        from qiyi_analysis.research.history.from_events import history_from_folder

        return history_from_folder(
            events, lists, **choices, **({"discipline": discipline} if discipline else {})
        )
    if not games:
        del choices["points_per_handicap"]
        return xiangqi_masters(**choices)
    pairs = dict(text.split("=", 1) for text in columns if "=" in text)
    return read_history(games, columns=pairs, players=players or None, discipline=discipline, **choices)


def parts_of(history: History, tune_from: str, test_from: str) -> tuple[int, int]:
    """First period of the tuning games and of the test games: 30 % of the games are warm-up and the next 30 % tuning, where
    no dates are given. Raises ParameterError when a part is empty."""
    if history.source == SHIPPED_FILE:
        tune_from, test_from = tune_from or SHIPPED["tune_from"], test_from or SHIPPED["test_from"]
    order = history.period
    begin = history.index(tune_from) if tune_from else int(order[int(0.3 * len(history))])
    split = history.index(test_from) if test_from else int(order[int(0.6 * len(history))])
    tuned, tested = int(((order >= begin) & (order < split)).sum()), int((order >= split).sum())
    if not tuned or not tested:
        automatic = words.said("compare-k.automatic")
        raise ParameterError(
            "compare-k-empty", tuned=tuned, tested=tested, tune_from=tune_from or automatic, test_from=test_from or automatic,
            periods=history.periods, length=history.period_length,
        )  # fmt: skip
    return begin, split


def known_mask(history: History, games: int, by_period: bool = True) -> np.ndarray:
    """The games whose two players have played so many before."""
    if not games:
        return np.ones(len(history), bool)
    first, second = games_before(
        history.first, history.second, history.period, len(history.players), by_period
    )
    return (first >= games) & (second >= games)


def snapshot_length(history: History) -> str:
    """How often ratings are kept: every year, or every period of a history without dates."""
    return "year" if history.periods and history.period_length != "given" else "given"


def sequence(name: str, value: Any) -> list[float]:
    """Numbers given as one or as several. Raises ParameterError for what is no finite number."""
    values = list(value) if isinstance(value, (list, tuple, range, np.ndarray, pd.Series)) else [value]
    try:
        numbers = [float(one) for one in values]
    except (TypeError, ValueError) as error:
        raise ParameterError("study-number", name=name, value=str(value)) from error
    if not np.isfinite(numbers).all():
        raise ParameterError("study-number", name=name, value=str(value))
    return numbers


def say(key: str, /, **values: object) -> tuple[str, str]:
    """The pair (Chinese, English) of words ``[research.<key>]``."""
    return words.text(f"research.{key}", "zh", **values), words.text(f"research.{key}", "en", **values)


def spoken(key: str, language: str, /, **values: object) -> str:
    """Words ``[research.<key>]`` in one language."""
    return words.text(f"research.{key}", language, **values)


def history_findings(history: History) -> tuple[Finding, ...]:
    """What was met while reading, as findings: rows left out of a file of the user's are to be asked about (W), those of
    the shipped history are known (I)."""
    found = []
    for remark in sorted(history.remarks, key=lambda one: not one.left_out):
        serious = remark.kind in ("one-period", "all-draws", "event", "players-unknown") or (
            remark.left_out and history.source != SHIPPED_FILE
        )
        found.append(
            Finding(
                code="CK51",
                severity=Severity.ASK if serious else Severity.NOTE,
                reason="study-rows-left-out" if remark.left_out else "study-rows-kept",
                file=history.source,
                field=remark.kind,
                values={
                    "what": words.said(f"research_remark.{remark.kind}"), "rows": remark.rows, "example": remark.example,
                },
            )
        )  # fmt: skip
    return ordered(found)
