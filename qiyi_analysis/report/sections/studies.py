"""What the notebooks of the studies show: frames in the language of the report, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.report.kit.page import NOTHING, Page, Piece
from qiyi_analysis.research.history.games import connectivity
from qiyi_analysis.research.history.result_files import versions, write_results
from qiyi_analysis.research.studies import inflation
from qiyi_analysis.research.studies.compare_k import CompareK
from qiyi_analysis.research.studies.compare_systems import CompareSystems
from qiyi_analysis.research.studies.scoring_2007 import scoring_tables
from qiyi_analysis.research.studies.study import Study, snapshot_length
from qiyi_analysis.research.systems.system_names import family as family_name
from qiyi_analysis.research.systems.system_names import said

#: Tone of a verdict for each kind of evidence.
TONES = {"clear": "accept", "flat": "remarks", "none": "remarks"}

# Columns of tables, name -> kind.
INTERVAL = {"difference": "signed 2", "low": "signed 2", "high": "signed 2", "says": "text"}
CANDIDATES = {
    "k": "decimal 1",
    "log_loss": "decimal 5",
    "brier": "decimal 5",
    "accuracy": "percent 1",
    "three_way": "decimal 5",
    **INTERVAL,
}
BEST = {"best": "decimal 1", "low": "decimal 1", "high": "decimal 1"}
SURENESS = {**BEST, "players": "integer", "games": "integer", "games_needed": "integer"}
DETAIL = {
    "name": "text", "log_loss": "decimal 5", "slope": "decimal 3", "slope_error": "decimal 3", "median_change": "decimal 1",
    "p90_change": "decimal 1", "rank_change": "decimal 1",
}  # fmt: skip
BINS = {
    "bin": "integer", "games": "integer", "expected": "decimal 3", "score": "decimal 3", "low": "decimal 3", "high": "decimal 3",
    "losses": "percent", "draws": "percent", "wins": "percent",
}  # fmt: skip
BIASES = {
    "group": "text",
    "band": "text",
    "sides": "integer",
    "bias": "signed 3",
    "low": "signed 3",
    "high": "signed 3",
    "says": "text",
}
ADVANTAGES = {"advantage": "decimal 1", "log_loss": "decimal 5", **INTERVAL}
SCHEDULES = {"candidate": "text", "log_loss": "decimal 5", "tuning_loss": "decimal 5", **INTERVAL}
UPDATES = {"update": "text", **BEST, "log_loss": "decimal 5", "games": "integer"}
GROUPS = {"group": "text", "band": "text", "games": "integer", **BEST, "differs": "yes"}
WARM_UP = {"begins": "text", "games_before": "integer", **BEST, "log_loss": "decimal 5"}
LEVELS = {
    "label": "text", "active": "integer", "newcomers": "integer", "leavers": "integer", "q10": "decimal 0", "q50": "decimal 0",
    "q90": "decimal 0", "mean": "decimal 0", "top_mean": "decimal 0",
}  # fmt: skip
SPLIT = {
    "label": "text",
    "change": "signed 1",
    "stayers": "signed 1",
    "entrants": "signed 1",
    "leavers": "signed 1",
    "both": "integer",
}
POINTS = {
    "rule": "text", "unequal_k": "signed 0", "limit": "signed 0", "cap": "signed 0", "rounding": "signed 0",
    "newcomers_points": "signed 0",
}  # fmt: skip
GAINS = {
    "group": "text", "band": "text", "players": "integer", "mean_gain": "signed 1", "median_gain": "signed 1", "low": "signed 1",
    "high": "signed 1",
}  # fmt: skip
SYSTEMS = {"candidate": "text", "log_loss": "decimal 5", **INTERVAL, "edges": "text"}
MEASURES = {
    "candidate": "text", "tuning_loss": "decimal 5", "brier": "decimal 5", "accuracy": "percent 1", "three_way": "decimal 5",
    "slope": "decimal 3", "slope_error": "decimal 3", "reliability": "decimal 5", "resolution": "decimal 5", "median_change": "decimal 1",
}  # fmt: skip
TUNING = {
    "candidate": "text", "parameter": "code", "value": "decimal 3", "low": "decimal 2", "high": "decimal 2", "edge": "yes",
    "evaluations": "integer",
}  # fmt: skip
FITS = {"law": "text", "log_loss": "decimal 5", "brier": "decimal 5", **INTERVAL}
SIMULATED = {
    "rule": "text", "rmse": "decimal 1", "correlation": "decimal 3", "slope": "decimal 3", "junior_lag": "signed 1",
    "veteran_lag": "signed 1", "level_change": "signed 1", "log_loss": "decimal 5", "median_change": "decimal 1",
}  # fmt: skip
PAIRED = {
    "rule": "text",
    "measure": "text",
    "plain_difference": "signed 3",
    "low": "signed 3",
    "high": "signed 3",
    "says": "text",
}
DECADES = {
    "decade": "text", "games": "integer", "wins": "percent", "draws": "percent", "losses": "percent", "red_share": "decimal 4",
    "red_share_2007": "decimal 4", "red_points": "signed 0", "red_points_2007": "signed 0",
}  # fmt: skip
BUSIEST = {
    "player": "name", "games": "integer", "red_games": "percent", "share": "percent 2", "share_2007": "percent 2", "rank": "integer",
    "rank_2007": "integer",
}  # fmt: skip
BANDS = {
    "band": "text", "games": "integer", "score": "decimal 3", "low": "decimal 3", "high": "decimal 3", "table": "decimal 3",
    "normal": "decimal 3", "normal_2000_7": "decimal 3", "logistic": "decimal 3", "draws": "percent",
}  # fmt: skip
GAPS = {"law": "text", "rounded_differs": "integer", "largest_gap": "decimal 4", "at": "integer"}
EXCEPTIONS = {
    "difference_points": "integer", "table": "decimal 2", "normal_2000_7": "decimal 5", "normal": "decimal 5", "logistic": "decimal 5",
}  # fmt: skip


# ---------------------------------------------------------------------------------------- frames in a language


def thousandths(page: Page, rows: pd.DataFrame) -> pd.DataFrame:
    """Differences of losses and their intervals × 1000, and the evidence in words (``says``)."""
    scaled = {name: 1000 * rows[name] for name in ("difference", "low", "high")}
    return rows.assign(**scaled, says=[page.say(f"evidence_{word}") for word in rows["evidence"]])


def named(page: Page, rows: pd.DataFrame, **columns: str) -> pd.DataFrame:
    """Columns whose codes become words: ``group="group"`` looks up ``[research.group_<code>]``."""
    return rows.assign(
        **{name: [page.say(f"{prefix}_{code}") for code in rows[name]] for name, prefix in columns.items()}
    )


def roles(page: Page, names: Sequence[str]) -> list[str]:
    """``chosen:17.5`` as it is read: K 17.5 (chosen on tuning)."""
    return [f"K {name.partition(':')[2]} ({page.say('role_' + name.partition(':')[0])})" for name in names]


def candidates(page: Page, result: CompareK) -> pd.DataFrame:
    """Every K of the test games; strong: the K inside the interval of the best one."""
    rows = thousandths(page, result.tables["candidates"])
    return rows.assign(strong=rows["k"].between(result.optimum.low, result.optimum.high))


def systems(page: Page, result: CompareSystems) -> pd.DataFrame:
    """Every system on the test games, as it is called in the language; strong: the one chosen on the tuning games."""
    rows = thousandths(page, result.tables["systems"])
    names = [words.shown(said(name), page.language) for name in rows["candidate"]]
    return rows.assign(candidate=names, strong=rows["family"] == result.chosen)


def families(page: Page, names: Sequence[str]) -> list[str]:
    """Families of systems by the words that ``-p systems=`` takes."""
    return [family_name(name, page.language) for name in names]


def by_year(page: Page, result: CompareSystems, most: int = 4) -> dict[str, tuple[Any, Any]]:
    """Loss by year above the chosen system's, × 1000, of the systems with the lowest loss: name -> (years, losses)."""
    wide = result.tables["periods"].pivot_table(index="year", columns="candidate", values="log_loss")
    base = wide[result.runs[result.chosen].system]
    rows = result.tables["systems"]
    others = rows[rows["family"] != result.chosen].head(most)
    names = families(page, others["family"].tolist())
    pairs = zip(names, others["candidate"], strict=True)
    return {name: (wide.index.to_numpy(float), 1000 * (wide[one] - base).to_numpy()) for name, one in pairs}


def draws(result: CompareSystems) -> pd.DataFrame:
    """What the draw model of the best system says at expected scores from 0.5 to 0.9; empty without draws."""
    if result.chosen not in result.draw_models:
        return pd.DataFrame(columns=["expected", "wins", "draws", "losses"])
    grid = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    three = result.draw_models[result.chosen].of(grid)
    return pd.DataFrame({"expected": grid, "wins": three[:, 2], "draws": three[:, 1], "losses": three[:, 0]})


def levels(result: CompareK) -> pd.DataFrame:
    """The pool by year under the chosen K; ``when`` is the year as a number."""
    assert result.history is not None
    rows = inflation.levels(result.history, next(iter(result.runs.values())).snapshots)  # type: ignore[arg-type]
    return rows.assign(when=[result.history.year(period) for period in rows["period"]])


def split(result: CompareK) -> pd.DataFrame:
    """The yearly change of the mean of active players: by those who stayed, came and left."""
    assert result.history is not None
    return inflation.split(result.history, next(iter(result.runs.values())).snapshots)  # type: ignore[arg-type]


def gains(page: Page, result: CompareK) -> pd.DataFrame:
    """Who gains when the K in force replaces the chosen one; empty without a K in force."""
    runs = list(result.runs.values())
    if result.current is None or result.history is None:
        return pd.DataFrame()
    return named(page, inflation.gains(result.history, runs[0], runs[1]), group="group")


def biases(page: Page, result: CompareK) -> pd.DataFrame:
    """Groups of players who score more or less than expected, in words."""
    rows = result.tables["biases"]
    return named(page, rows, group="group").assign(
        says=[page.say(f"evidence_{word}") for word in rows["evidence"]]
    )


def subgroups(page: Page, result: CompareK) -> pd.DataFrame:
    """Best K of sub-groups, their names in words."""
    rows = result.tables["subgroups"]
    bands = {code: page.say(f"band_{code}") for code in ("equal", "unequal", "first", "second")}
    return named(page, rows, group="group").assign(band=rows["band"].replace(bands))


def scoring(page: Page, result: Study) -> Piece:
    """Xiangqi only: what 3 for a win, 1 for a red and 2 for a black draw (trial of 2006-07) would have changed."""
    if result.history is None or result.history.discipline != "xiangqi":
        return NOTHING
    decades, busiest = scoring_tables(result.history)
    total = decades.iloc[-1]
    return page.section(
        "scoring_2007",
        page.text(
            "scoring_2007", ordinary=f"{total['red_share']:.4f}", trial=f"{total['red_share_2007']:.4f}",
            worth=f"{total['red_points']:.0f}", left=f"{total['red_points_2007']:+.0f}",
        ),
        page.table(decades, DECADES, "scoring_decades"),
        page.table(busiest, BUSIEST, "scoring_players", notes=[page.say("scoring_note")]),
    )  # fmt: skip


# ----------------------------------------------------------------------------------------- what all of them have


def head(page: Page, result: Study) -> Piece:
    """Title, source and size of the study, and its verdict."""
    history, facts = result.history, {}
    if history is not None:
        facts = {
            "source": history.source, "games": f"{len(history):,}", "players": f"{len(history.players):,}",
            "span": f"{history.label(0)} – {history.label(history.periods - 1)}",
        }  # fmt: skip
    return page.group(
        page.title(facts=facts, key=result.study),
        page.verdict(TONES.get(result.evidence, ""), result.verdict),
    )


def data(page: Page, result: Study) -> Piece:
    """What was read, left out and why, and whether all players are linked by games."""
    history = result.history
    assert history is not None
    rows = pd.DataFrame(
        [
            {
                "what": page.say(f"research_remark.{remark.kind}"), "rows": remark.rows,
                "fate": page.say("left_out" if remark.left_out else "kept"), "example": words.shown(remark.example, page.language),
            }
            for remark in history.remarks
        ]
    )  # fmt: skip
    parts = connectivity(history)
    return page.section(
        "data",
        page.text("data", read=history.rows_read or len(history), used=len(history), out=history.left_out()),
        page.table(rows, key="remarks"),
        page.table(parts.head(8), key="islands", notes=[page.say("islands_note", count=len(parts))])
        if len(parts) > 1
        else None,
    )


def sources(
    page: Page, result: Study, assumptions: Sequence[str] = (), skip: Sequence[str] = (), **values: Any
) -> Piece:
    """Assumptions (keys of ``[research.assumption_...]``), attribution of the games, settings, seed and versions."""
    settings = [
        f"{name} = {_plain(value, page.language)}"
        for name, value in result.settings.items()
        if name not in skip
    ]
    settings += [f"{name} {version}" for name, version in versions().items()]
    return page.section(
        "sources",
        page.bullets([page.say(f"assumption_{key}", **values) for key in assumptions])
        if assumptions
        else None,
        page.prose(result.history.attribution if result.history is not None else "", "note"),
        page.prose(words.listed(settings, page.language, parts=True), "note"),
    )


def saved(page: Page, result: Study, folder: str, parameters: Mapping[str, Any] | None = None) -> Piece:
    """Write the tables (Parquet, CSV, LaTeX) and the record of the study where a folder is named, and say which files."""
    if not folder:
        return NOTHING
    paths = write_results(result, folder, parameters)
    return page.text("files", "note", files=[Path(path).name for path in paths])


def assumed(result: Any) -> pd.DataFrame:
    """The assumptions of a simulated federation: what, value."""
    return pd.DataFrame(
        [{"what": name, "value": f"{value:g}"} for name, value in asdict(result.federation).items()]
    )


def step(page: Page, result: Study) -> str:
    """How often ratings are kept, in words."""
    assert result.history is not None
    return page.say(f"step_{snapshot_length(result.history)}")


def _plain(value: Any, language: str) -> str:
    if isinstance(value, (list, tuple)):
        return words.listed((_plain(one, language) for one in value), language)
    return f"{value:g}" if isinstance(value, float) else str(value)
