"""One game of a player left out, with another result, or counted against an unrated opponent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.audit.causes.candidates import Candidate
from qiyi_analysis.audit.causes.copies import copies, recalculated, reproduced_in_copies
from qiyi_analysis.audit.causes.search import Search
from qiyi_analysis.audit.causes.single_rating import RATING_WINDOW, span
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.rating.table_method import Calculation
from qiyi_analysis.words import said


def unrated_counted(d: Search, base: Calculation, i: int) -> list[Candidate]:
    """Games against unrated opponents counted, at whatever rating: all of them, or those with one opponent."""
    left_out = np.flatnonzero((base.rows.player == i) & (base.rows.reason == "opponent-unrated"))
    if not len(left_out) or not base.entrants.has_rating[i]:
        return []
    opponents = np.unique(base.rows.opponent[left_out])
    groups = [opponents] if len(opponents) == 1 else [opponents, *np.split(opponents, len(opponents))]
    values = np.arange(1, int(base.entrants.rating[i]) + RATING_WINDOW)
    candidates = []
    for group in groups:
        again = left_out[np.isin(base.rows.opponent[left_out], group)]
        own_rows = np.sort(
            np.concatenate([np.flatnonzero((base.rows.player == i) & base.rows.counted), again])
        )
        members = np.unique([i, *base.rows.opponent[own_rows]])
        counted = replace(
            base.rows, counted=base.rows.counted | np.isin(np.arange(len(base.rows.row)), again)
        )
        ratings = np.tile(base.entrants.rating[members], (len(values), 1))
        ratings[:, np.searchsorted(members, group)] = values[:, None]
        field, rows = copies(replace(base, rows=counted), members, ratings, own_rows)
        n = recalculated(d, base, members, field, rows)
        fits, complete = reproduced_in_copies(d, i, members, n)
        if not fits.any():
            continue
        best = values[complete] if complete.any() else values[fits]
        named = d.event.players["number"].iloc[group].astype(int).tolist()
        detail = said("cause-detail.unrated-player", players=named, span=span(best))
        cause = Cause(cause="unrated-counted", detail=detail, explains=1)
        candidates.append(
            Candidate(cause=cause, consistent=False, supported=False, complete=bool(complete.any()))
        )
    return candidates


def other_games(d: Search, base: Calculation, i: int) -> list[Candidate]:
    """One game of the player left out, or with another result."""
    own_rows = np.flatnonzero((base.rows.player == i) & base.rows.counted)
    members = (
        np.arange(len(base.entrants.number))
        if d.whole_field
        else np.unique([i, *base.rows.opponent[own_rows]])
    )
    variants = [(g, half) for g in range(len(own_rows)) for half in (-1, 0, 1, 2)]
    variants = [(g, half) for g, half in variants if half != base.rows.half_points[own_rows[g]]]
    if not variants:
        return []
    ratings = np.tile(base.entrants.rating[members], (len(variants), 1))
    field, rows = copies(base, members, ratings, own_rows)
    half_points, counted = rows.half_points.copy(), rows.counted.copy()
    for v, (g, half) in enumerate(variants):
        copied = v * len(own_rows) + g
        if half < 0:
            counted[copied] = False
        else:
            half_points[copied] = half
    n = recalculated(d, base, members, field, replace(rows, half_points=half_points, counted=counted))
    fits, complete = reproduced_in_copies(d, i, members, n)
    candidates = []
    for survivor in np.flatnonzero(fits):
        g, half = variants[survivor]
        round = int(base.rows.round[own_rows[g]])
        detail = (
            said("cause-detail.round", round=round)
            if half < 0
            else said("cause-detail.round-result", round=round, result=("0", "½", "1")[half])
        )
        cause = Cause(cause="game-left-out" if half < 0 else "other-result", detail=detail, explains=1)
        candidates.append(
            Candidate(cause=cause, consistent=False, supported=False, complete=bool(complete[survivor]))
        )
    return candidates
