"""The figures of an audit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.model.event import Event
from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.sections.audit.asked import View


def changes_figure(v: View) -> Any:
    """Published against recomputed change."""
    result = v.audit
    rows = result.comparison[(result.comparison["field"] == "change") & result.comparison["agrees"].notna()]
    if not v.wants("figures") or len(rows) < 2:
        return None
    differs = [agrees is False or agrees == 0 for agrees in rows["agrees"]]
    printed, again = ([float(text or "nan") for text in rows[key]] for key in ("published", "recomputed"))
    return figures.scatter(
        again,
        printed,
        x_label=words.pair("audit_figure.changes_x", "zh"),
        y_label=words.pair("audit_figure.changes_y", "zh"),
        caption=words.pair("audit_figure.changes", "zh"),
        alt=words.pair("audit_figure.changes_alt", "zh", count=len(rows), differ=sum(differs)),
        language=v.language,
        identity=True,
        names=rows["name"].tolist(),
        marked=differs,
        marked_label=words.pair("audit_figure.differs", "zh"),
    )


def scores_figure(v: View) -> Any:
    """Expected against real score."""
    if not v.wants("figures") or v.audit.rating is None:
        return None
    rows = v.audit.rating.players
    rows = rows[
        [not is_missing(value) and games > 0 for value, games in zip(rows["we"], rows["games"], strict=True)]
    ]
    if len(rows) < 2:
        return None
    expected, score = (np.array([float(value) for value in rows[key]]) for key in ("we", "score"))
    furthest = np.argsort(-np.abs(score - expected), kind="stable")[: min(6, len(rows) // 2)]
    return figures.scatter(
        expected,
        score,
        x_label=words.pair("audit_figure.scores_x", "zh"),
        y_label=words.pair("audit_figure.scores_y", "zh"),
        caption=words.pair("audit_figure.scores", "zh"),
        alt=words.pair("audit_figure.scores_alt", "zh", count=len(rows)),
        language=v.language,
        identity=True,
        names=rows["name"].tolist(),
        marked=np.isin(np.arange(len(rows)), furthest),
        marked_label=words.pair("audit_figure.furthest", "zh"),
    )


def performance_figure(v: View) -> Any:
    """Performance in this event against the rating."""
    if not v.wants("figures") or v.audit.rating is None:
        return None
    performance = _performances(v.audit.event)
    event = v.audit.event
    rows = [
        (float(rating), float(performance[number]))
        for number, rating in zip(
            event.players["number"].tolist(), event.players["rating"].tolist(), strict=True
        )
        if rating > 0 and number in performance
    ]
    if len(rows) < 2:
        return None
    return figures.scatter(
        [row[0] for row in rows],
        [row[1] for row in rows],
        x_label=words.pair("audit_figure.performance_x", "zh"),
        y_label=words.pair("audit_figure.performance_y", "zh"),
        caption=words.pair("audit_figure.performance", "zh"),
        alt=words.pair("audit_figure.performance_alt", "zh", count=len(rows)),
        language=v.language,
        line=(1.0, 0.0),
    )


def _performances(event: Event) -> dict[int, float]:
    """Performance of the rated players in their games with each other."""
    from qiyi_analysis.tiebreaks import standings

    rated = event.players[event.players["rating"] > 0]
    numbers = set(rated["number"].tolist())
    inside = event.games["first"].isin(numbers) & event.games["second"].isin(numbers)
    try:
        found = standings(replace(event, players=rated, games=event.games[inside]), "TPR", of="players").table
    except QiyiError:
        # A field that cannot be ranked has no performances either; the findings say why.
        return {}
    pairs = zip(found["number"].tolist(), found["TPR"].tolist(), strict=True)
    return {number: float(value) for number, value in pairs if not is_missing(value)}


def charts(v: View) -> prose.Piece | None:
    """The figures under their heading."""
    shown = [
        figure
        for figure in (changes_figure(v), scores_figure(v), performance_figure(v))
        if figure is not None
    ]
    return prose.group(v.heading("figures"), *shown, language=v.language) if shown else None
