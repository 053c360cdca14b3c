"""Any edition's own procedure over a history: each rating period is rated as one event, by the function that rates events."""

from __future__ import annotations

import math
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.rating.expected import expected_scores
from qiyi_analysis.research.history.games import History, birth_years
from qiyi_analysis.research.history.history_files import as_history
from qiyi_analysis.research.history.rating_periods import NO_DAY
from qiyi_analysis.research.systems.plain import expected_scores as law_scores
from qiyi_analysis.research.systems.runs import Run, player_table, snapshot_ends, snapshots_of, starts
from qiyi_analysis.rules.ruleset import RuleSet, ruleset

_RESULTS = (("0", "1"), ("=", "="), ("1", "0"))


def official(
    history: History,
    rules: RuleSet | str,
    *,
    advantage: float = 0.0,
    start: float = 1500.0,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """Run the procedure of a rating edition (CCA, CXA, CWA, EGF, AGA, DWZ, US Chess, FIDE of any year), caps and floors included.

    Every period is one Swiss event whose players come with the ratings before it; ``rate`` does the rest, so that a
    study and the command agree on the same games. Predictions are the edition's expectation of a game at the difference of
    the ratings, by the logistic law where it has no table; advantage: first move, in the prediction only. Everybody has
    ``start`` before the first game; who has no year of birth counts as an adult. About 10 ms a period.
    Raises ParameterError, with the edition's reason, where it gives no rating (a K that a history does not hold).
    """
    history = as_history(history)
    edition = ruleset(rules) if isinstance(rules, str) else rules
    law = _law(edition)
    rating, games = starts(history, start), np.zeros(len(history.players), np.int32)
    peak, born, played = rating.copy(), birth_years(history.players), np.zeros(rating.size, bool)
    shift = float(advantage) + (np.zeros(len(history)) if history.shift is None else history.shift)
    expected = np.empty(len(history))
    ends = set(snapshot_ends(history, snapshots)) if snapshots else set()
    edges = [0, *(np.flatnonzero(np.diff(history.period)) + 1).tolist(), len(history)]
    taken = []
    for low, high in pairwise(edges):
        part = slice(low, high)
        first, second = history.first[part], history.second[part]
        expected[part] = law_scores(rating[first] - rating[second] + shift[part], law)
        here = np.unique(np.concatenate([first, second]))
        new, why = _rated(history, edition, part, here, rating, peak, born, games)
        if not np.isfinite(new).any():
            raise ParameterError("official-not-run", rules=edition.id, why=why)
        rating[here] = np.where(np.isfinite(new), new, rating[here])
        peak[here] = np.fmax(peak[here], rating[here])
        games += (
            np.bincount(first, minlength=rating.size) + np.bincount(second, minlength=rating.size)
        ).astype(np.int32)
        played[here] = True
        if high in ends:
            taken.append((int(history.period[high - 1]), np.where(played, rating, np.nan), games.copy()))
    parameters = {"rules": edition.id, "advantage": advantage, "start": start}
    table = player_table(history, np.where(played, rating, np.nan), games)
    return Run(name or edition.id, parameters, expected, table, snapshots_of(taken))


def _rated(history, edition, part, here, rating, peak, born, games) -> tuple[np.ndarray, list[str]]:
    """The new ratings of the players of one period, and why there are none."""
    number = np.full(rating.size, 0, np.int64)
    number[here] = np.arange(1, here.size + 1)
    day = int(history.day[part.start])
    when = date(1970, 1, 1) + timedelta(days=day) if day != NO_DAY else date(2024, 1, 1)
    players = pd.DataFrame(
        {
            "number": number[here], "id": [str(one) for one in here], "name": [f"P{one}" for one in here], "sex": "m",
            "rating": rating[here], "peak": peak[here], "games_before": games[here].astype(float), "birth_year": np.where(np.isfinite(born[here]), born[here], when.year - 40.0),
        }
    )  # fmt: skip
    results = [_RESULTS[half] for half in history.half_points[part]]
    rows = pd.DataFrame(
        {
            "round": np.arange(1, len(results) + 1), "first": number[history.first[part]], "second": number[history.second[part]],
            "first_result": [one for one, _ in results], "second_result": [two for _, two in results], "kind": "played",
        }
    )  # fmt: skip
    event = make_event(
        players=players.to_dict("records"), games=rows.to_dict("records"), discipline=history.discipline or "chess", start=when,
        end=when, format="swiss", rounds=len(results),
    )  # fmt: skip
    rated = rate(event, edition)
    new = rated.players.set_index("number")["new_rating"].reindex(number[here]).to_numpy(float)
    missing = {str(one) for one in rated.players.get("reason", pd.Series(dtype=str)) if one}
    return new, sorted({finding.reason for finding in rated.findings} | missing)


def _law(edition: Any) -> Any:
    """What a difference means in the edition: its printed table, or the logistic law."""
    if edition.value("expected", "table", None) is None:
        return "logistic"
    scores = expected_scores(edition)
    high = np.asarray(scores.high, float) / scores.unit
    return high if high.size and math.isfinite(float(high[0])) else "logistic"
