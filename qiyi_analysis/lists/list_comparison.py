"""The rebuilt list against the published one: each difference with its class and the causes that fit.

A cause is a hypothesis that reproduces the published number exactly. One that would hold for everybody
(rounding, edition, formula) explains a difference only if it does not contradict more players than it
explains; else the difference stays unexplained and the cause is shown with what speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis.lists.columns_comparison import column_findings
from qiyi_analysis.lists.list_causes import find_causes
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.model.identity import candidates, match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.register import Register

CLASSES = (
    "agrees",
    "explained",
    "base-corrected",
    "event-missing",
    "event-twice",
    "unexplained",
    "not-published",
    "only-published",
    "doubtful",
)
#: Classes that leave something to be asked.
OPEN = frozenset({"unexplained", "not-published", "only-published", "doubtful"})
DIFFERENCE_COLUMNS = (
    "id", "name", "previous", "published", "rebuilt", "difference", "change", "period_games", "class", "causes",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """``rows``: one row per person of either list, DIFFERENCE_COLUMNS; ``counts`` per class."""

    rows: pd.DataFrame
    counts: dict[str, int]
    findings: tuple[Finding, ...]

    @property
    def differences(self) -> pd.DataFrame:
        """The rows that do not agree."""
        return self.rows[self.rows["class"] != "agrees"].reset_index(drop=True)


def compare(rebuilt: Rebuilt, published: RatingList) -> Comparison:
    """Compare ratings player by player and classify every difference; what else differs are findings."""
    players = rebuilt.players
    printed, findings, unmatched, meant = _printed(rebuilt, published)
    rating = np.where(players["published"], players["rating"].astype(float), np.nan)
    differs = ~np.isnan(printed) & ~np.isnan(rating) & (np.abs(printed - rating) > 1e-9)
    causes = find_causes(rebuilt, players, printed, differs)
    rows = []
    for i, row in enumerate(players.to_dict("records")):
        if np.isnan(printed[i]) and np.isnan(rating[i]):
            continue
        found, explained = causes.get(i, ((), "unexplained"))
        if np.isnan(printed[i]):
            kind = "doubtful" if i in meant else "not-published"
        elif np.isnan(rating[i]):
            kind = "only-published"
        elif not differs[i]:
            kind = "agrees"
        else:
            kind = explained
        rows.append(_row(row, printed[i], rating[i], kind, found))
    for row, doubtful in unmatched:
        # Lists name players without a rating too; nothing is published of them.
        if np.isnan(row["rating"]) and not doubtful:
            continue
        rows.append(_row(row, row["rating"], np.nan, "doubtful" if doubtful else "only-published", ()))
    table = pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS))
    counts = {kind: int((table["class"] == kind).sum()) for kind in CLASSES}
    findings += [
        _finding(rebuilt, row)
        for row in table.to_dict("records")
        if row["class"] not in ("agrees", "doubtful")
    ]
    return Comparison(rows=table, counts=counts, findings=tuple(findings))


def _row(row: dict, printed: float, rating: float, kind: str, causes: tuple[Cause, ...]) -> dict[str, object]:
    change = row.get("change")
    missing = change is None or change != change
    return {
        "id": row["id"],
        "name": row["name"],
        "previous": row.get("previous", np.nan),
        "published": printed,
        "rebuilt": rating,
        "difference": printed - rating,
        "change": None if missing else change,
        "period_games": row.get("period_games", 0),
        "class": kind,
        "causes": causes,
    }


def _finding(rebuilt: Rebuilt, row: dict) -> Finding:
    kind = row["class"]
    open_ = kind in OPEN
    return Finding(
        code="CK26" if open_ else "CK48",
        severity="W" if open_ else None,
        reason=f"list-{kind}",
        file=rebuilt.period.id,
        field="rating",
        published="" if np.isnan(row["published"]) else f"{row['published']:g}",
        recomputed="" if np.isnan(row["rebuilt"]) else f"{row['rebuilt']:g}",
        article=rebuilt.rules.cite("change"),
        causes=row["causes"],
        values={"name": row["name"], "id": row["id"]},
    )


def _printed(
    rebuilt: Rebuilt, published: RatingList
) -> tuple[np.ndarray, list[Finding], list[tuple[dict, bool]], frozenset[int]]:
    """The published rating of each row of the players table; rows of the list that nobody fits for certain, with
    whether somebody may be meant; and the rows of the players table who may be."""
    from qiyi_analysis.lists.before_rebuild import check_rows
    from qiyi_analysis.lists.state import state_of

    rows, findings = check_rows(state_of(published, rebuilt.rules.document).rows, published.id)
    findings += [fault for fault in published.faults if fault.reason != "list-id-twice"]
    if published.day is not None and published.day != rebuilt.period.list_day:
        findings.append(
            Finding(
                code="CK47",
                reason="published-of-another-period",
                severity="W",
                file=published.id,
                values={"day": published.day, "expected": rebuilt.period.list_day},
            )
        )
    players = rebuilt.players
    found = match(rows, Register(players))
    places = found.row
    printed = np.full(len(players), np.nan)
    printed[places[places >= 0]] = rows["rating"].to_numpy()[places >= 0]
    findings += column_findings(rebuilt, rows, places, published.id)
    left = np.flatnonzero(places < 0).tolist()
    doubtful = [i for i in left if found.how[i] == "doubtful"]
    findings += [
        Finding(
            code="CK11",
            reason="published-row-doubtful",
            file=published.id,
            line=int(rows["line"].iloc[i]),
            field="name",
            published=str(rows["name"].iloc[i]),
            values={"id": rows["id"].iloc[i] or "-", "candidates": candidates(players, found.candidates[i])},
        )
        for i in doubtful
    ]
    unmatched = [
        (row, found.how[i] == "doubtful")
        for i, row in zip(left, rows.iloc[left].to_dict("records"), strict=True)
    ]
    return printed, findings, unmatched, frozenset(row for i in doubtful for row in found.candidates[i])
