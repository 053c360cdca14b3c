"""Variants of the whole event, recomputed once each: other rules, another K, points of unplayed rounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.audit.causes.candidates import Found
from qiyi_analysis.audit.causes.search import Search, note, reproduces
from qiyi_analysis.audit.hypotheses import for_event, forfeits_as_games, known_k, reported_values
from qiyi_analysis.audit.published import agreement, numbers, numbers_of
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.rating.table_method import Calculation, calculate, with_changes
from qiyi_analysis.words import said

#: Another K is tried up to here; a K that no regulation knows must explain several discrepancies.
HIGHEST_K = 100
#: Reasons for which rows did not count -> what was added to W, as a cause and the name of its detail.
UNPLAYED_POINTS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("forfeit-counted", "forfeit-points", frozenset({"forfeit"})),
    ("forfeit-counted", "bye-points", frozenset({"pab", "full_bye", "half_bye"})),
    (
        "forfeit-counted",
        "forfeit-and-bye-points",
        frozenset({"forfeit", "unrated", "pab", "full_bye", "half_bye"}),
    ),
    ("unrated-counted", "unrated-points", frozenset({"opponent-unrated"})),
    (
        "unrated-counted",
        "all-points",
        frozenset({"forfeit", "unrated", "opponent-unrated", "pab", "full_bye", "half_bye"}),
    ),
)
#: Points of rounds without an opponent, in half points.
_BYES = {"pab": 2, "full_bye": 2, "half_bye": 1}


def try_whole_event(d: Search, found: Found) -> None:
    """The hypotheses about the event: other rules, other lists, other readings."""
    seen: set[tuple[str, bytes]] = set()
    reported = reported_values(d.event, d.own) if d.own is not None else ()
    for hypothesis in (*reported, *for_event(d.event, d.rules, d.lists)):
        try:
            event, rules = hypothesis.apply(d.event, d.rules)
            n = numbers(event, rules)
        except QiyiError:
            continue  # the variant does not fit this event (no list, no such block)
        # A longer way to the same numbers (a cap that never applies) adds nothing.
        same = (hypothesis.cause, n.change.tobytes() + n.rounded.tobytes())
        if hypothesis.cause == "formula" and same in seen:
            continue
        seen.add(same)
        note(
            d,
            found,
            hypothesis.cause,
            hypothesis.detail,
            agreement(d.printed, n),
            supported=hypothesis.supported,
        )


def try_unplayed_points(d: Search, found: Found) -> None:
    """Points of rounds that do not count, counted in W all the same."""
    for event, forfeits_too in ((d.event, False), (forfeits_as_games(d.event), True)):
        base = calculate(event, d.rules)
        for cause, name, reasons in UNPLAYED_POINTS:
            points = _half_points_with(base, reasons)
            if (points == base.half_points).all():
                continue
            n = numbers_of(with_changes(replace(base, half_points=points), d.first), d.rules)
            detail = said(f"cause-detail.{name}")
            if forfeits_too:
                detail = said("cause-detail.forfeits-too", detail=detail)
            note(d, found, cause, detail, agreement(d.printed, n))


def _half_points_with(c: Calculation, reasons: frozenset[str]) -> np.ndarray:
    """Half points with those of the rows left out for one of ``reasons``."""
    size = len(c.entrants.number)
    half = np.where(c.rows.half_points >= 0, c.rows.half_points, 0)
    for reason, points in _BYES.items():
        half = np.where(c.rows.reason == reason, points, half)
    over = np.isin(c.rows.reason.astype(str), sorted(reasons))
    added = np.bincount(c.rows.player[over], weights=half[over], minlength=size)
    return c.half_points + added.astype(np.int64)


def try_any_k(d: Search, base: Calculation, found: Found) -> None:
    """A K that no regulation knows, if it explains more than one discrepancy and half of all."""
    known = known_k(d.rules)
    for k in range(1, HIGHEST_K + 1):
        if k in known:
            continue
        with_k = replace(base, k=np.full(len(base.k), k, dtype=np.int64))
        result = agreement(d.printed, numbers_of(with_changes(with_k, d.first), d.rules))
        explains = int((reproduces(result, d.agreed)[0] & d.discrepant).sum())
        if explains > 1 and 2 * explains >= len(found):
            note(d, found, "other-k", f"K {k}", result)
