"""The study of expected scores: the printed table against normal and logistic laws, and all of them against games."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import Games, as_history
from qiyi_analysis.research.studies.inference import Losses, of_games
from qiyi_analysis.research.studies.metrics import log_losses
from qiyi_analysis.research.studies.study import Study, parts_of, spoken
from qiyi_analysis.research.systems.over_history import elo
from qiyi_analysis.research.systems.plain import expected_scores as law_scores

#: Standard deviations of the rating difference: Elo's 200 sqrt 2, and 2000/7, the constant behind the printed table.
ELO_SIGMA = 200.0 * math.sqrt(2.0)
TABLE_SIGMA = 2000.0 / 7.0
LAWS = ("table", "normal", "normal_2000_7", "logistic")


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """What is asked: rules, the edition of the printed table; k, advantage: of the Elo per game that makes the differences where
    no ratings are printed with the games, and the first move in all laws; test_from: a date."""

    rules: str = "fide/rating-standard/2024-03-01"
    k: float = 25.0
    advantage: float = 40.0
    test_from: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class ExpectedScore(Study):
    """Tables: fits (one row per law), bands (games by difference band), differences (one row per whole difference: table and
    laws), gaps (one row per law), exceptions (differences at which the rounded law with 2000/7 is not the printed value)."""

    losses: Losses

    def plot(self, ax: Any = None) -> Any:
        """Observed score of the stronger side and the laws by band, on matplotlib axes."""
        from matplotlib.figure import Figure

        ax = ax or Figure().subplots()
        rows = self.tables["bands"]
        ax.errorbar(
            rows["difference"],
            rows["score"],
            yerr=(rows["high"] - rows["low"]) / 2,
            fmt="o",
            label="observed",
        )
        for name in LAWS:
            ax.plot(rows["difference"], rows[name], label=name)
        ax.set(xlabel="rating difference", ylabel="score of the stronger side")
        return ax


def expected_score(games: Games = "", settings: ScoreSettings | None = None, **changes: Any) -> ExpectedScore:
    """Run the study. Differences come from the ratings printed with the games where the file has them; otherwise from Elo
    per game, made from the past of each game.

    Parameters
    ----------
    games : a History, a table with one row per game, a file; "" for the shipped xiangqi masters.
    settings, changes : a ScoreSettings, and fields of it to set otherwise.

    >>> from qiyi_analysis import research
    >>> research.expected_score().tables["fits"]  # doctest: +SKIP
    """
    from qiyi_analysis.rules.ruleset import ruleset

    wanted = replace(settings or ScoreSettings(), **changes)
    history = as_history(games)
    printed = printed_table(ruleset(wanted.rules))
    difference, scored = _printed_differences(history, wanted.advantage, wanted.test_from)
    from_file = difference is not None
    if difference is None:
        _, split = parts_of(history, "", wanted.test_from)
        scored = history.period >= split
        p = elo(history, wanted.k, update="game", advantage=wanted.advantage).expected
        difference = 400.0 * np.log10(p / (1.0 - p))
    if not scored.any():
        raise ParameterError("expected-score-empty")
    d, halves = difference[scored], history.half_points[scored]
    predictions = {name: law(name, d, printed) for name in LAWS}
    stacked = np.stack([log_losses(predictions[name], halves) for name in LAWS], axis=1)
    losses = of_games(stacked, LAWS, history, scored)
    grid = by_difference(printed)
    exceptions = grid[grid["normal_2000_7_rounded"] != grid["table"]].reset_index(drop=True)
    brier = [float(((predictions[n] - halves / 2) ** 2).mean()) for n in LAWS]
    fits = pd.DataFrame({"law": list(LAWS), "log_loss": losses.means, "brier": brier, "games": losses.games})
    fits = fits.assign(**losses.differences(int(np.argmin(losses.means))).drop(columns="candidate"))
    verdict, evidence = _verdict(fits, losses.games, len(exceptions))
    ratings = "printed with the games" if from_file else f"Elo K {wanted.k:g} per game"
    return ExpectedScore(
        study="expected-score", history=history, verdict=verdict, evidence=evidence, losses=losses,
        settings={**asdict(wanted), "games": history.source, "period": history.period_length, "ratings": ratings},
        tables={
            "fits": fits, "bands": observed_bands(d, halves, predictions), "differences": grid, "gaps": gap_rows(grid),
            "exceptions": exceptions,
        },
    )  # fmt: skip


def _printed_differences(
    history: History, advantage: float, test_from: str
) -> tuple[np.ndarray | None, np.ndarray]:
    """Differences of the ratings printed with the games, and the games that have both; None where none has."""
    first, second = (history.extra.get(name) for name in ("first_rating", "second_rating"))
    if first is None or second is None:
        return None, np.zeros(len(history), bool)
    scored = np.isfinite(first) & np.isfinite(second)
    if not scored.any():
        return None, scored
    if test_from:
        scored &= history.period >= history.index(test_from)
    return first - second + advantage, scored


def _verdict(fits: pd.DataFrame, games: int, exceptions: int) -> tuple[tuple[str, str], str]:
    """The best law in a sentence in Chinese and English, and whether others are as good as it."""
    best = fits.iloc[int(fits["log_loss"].argmin())]
    equal = [name for name in fits.loc[fits["evidence"] == "none", "law"] if name != best["law"]]

    def sentence(language: str, between: str) -> str:
        return spoken(
            "expected_no_evidence" if equal else "expected_clear",
            language,
            best=spoken(f"law_{best['law']}", language),
            equal=between.join(spoken(f"law_{name}", language) for name in equal),
            games=f"{games:,}",
            exceptions=exceptions,
        )

    return (sentence("zh", "、"), sentence("en", ", ")), "none" if equal else "clear"


def printed_table(rules: Any) -> np.ndarray:
    """Expectation of the stronger at whole differences 0, 1, 2, ... as printed in an edition."""
    from qiyi_analysis.rating.expected import expected_scores

    scores = expected_scores(rules)
    return scores.high / scores.unit


def law(name: str, difference: np.ndarray, printed: np.ndarray) -> np.ndarray:
    """Expected scores at differences by one of LAWS."""
    if name == "table":
        return law_scores(difference, printed)
    if name == "normal":
        return law_scores(difference, "normal")
    if name == "normal_2000_7":
        return law_scores(difference * (ELO_SIGMA / TABLE_SIGMA), "normal")
    return law_scores(difference, "logistic")


def by_difference(printed: np.ndarray, highest: int = 735) -> pd.DataFrame:
    """difference 0..735: table, each law unrounded and rounded to hundredths."""
    d = np.arange(highest + 1)
    columns: dict[str, np.ndarray] = {"difference": d, "table": printed[: highest + 1]}
    for name in LAWS[1:]:
        values = law(name, d.astype(float), printed)
        columns[name] = values
        columns[f"{name}_rounded"] = np.floor(values * 100 + 0.5) / 100
    return pd.DataFrame(columns)


def gap_rows(grid: pd.DataFrame) -> pd.DataFrame:
    """law, rounded_differs (of the differences 0..735), largest_gap between the printed and the unrounded value, at."""
    rows = []
    for name in LAWS[1:]:
        gap = (grid[name] - grid["table"]).abs()
        differs = int((~np.isclose(grid[f"{name}_rounded"], grid["table"])).sum())
        rows.append(
            {
                "law": name,
                "rounded_differs": differs,
                "largest_gap": float(gap.max()),
                "at": int(grid["difference"].iloc[int(gap.argmax())]),
            }
        )
    return pd.DataFrame(rows)


def observed_bands(
    d: np.ndarray, halves: np.ndarray, predictions: dict[str, np.ndarray], width: int = 50
) -> pd.DataFrame:
    """Games by band of the absolute difference, from the stronger side: band, games, score, low, high, draws, and the laws."""
    stronger = d >= 0
    y = np.where(stronger, halves, 2 - halves) / 2
    band = np.minimum(np.abs(d) // width, 12).astype(int)
    rows = []
    for number in np.unique(band):
        own = band == number
        n = int(own.sum())
        mean, error = float(y[own].mean()), float(y[own].std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan
        row = {
            "band": f"{number * width}–{(number + 1) * width - 1}" if number < 12 else f"{12 * width}+", "games": n,
            "difference": float(np.abs(d[own]).mean()), "score": mean, "low": mean - 1.96 * error, "high": mean + 1.96 * error,
            "draws": float((halves[own] == 1).mean()),
        }  # fmt: skip
        for name, p in predictions.items():
            row[name] = float(np.where(stronger, p, 1 - p)[own].mean())
        rows.append(row)
    return pd.DataFrame(rows)
