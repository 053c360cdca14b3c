"""What is looked at before a list is published: its rows, its day, the lists before it. Findings name line and player.

A row that repeats another is used once, whoever publishes all the same; everything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from qiyi_analysis.audit.checks.plausible import check_list, check_unlikely
from qiyi_analysis.lists.before_rebuild import check_rows
from qiyi_analysis.lists.identities import Identities, row_keys
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rules.ruleset import RuleSet

#: Nobody who plays is older than this.
_OLDEST = 110
#: From this share on, printed places follow a custom of their own.
_CUSTOM = 0.1


def gate(
    current: RatingList,
    earlier: Sequence[RatingList] = (),
    rules: RuleSet | None = None,
    identities: Identities | None = None,
) -> tuple[RatingList, tuple[RatingList, ...], tuple[Finding, ...]]:
    """The lists with each player once, and what is wrong with them; ``earlier``: oldest first."""
    checked, findings = _checked(current, newest=True)
    older = []
    for one in earlier:
        cleaned, found = _checked(one)
        older.append(cleaned)
        findings += [*found, *_order(one, current)]
    findings += _same_list_twice([*earlier, current])
    findings += _rows(checked, rules)
    findings += _old_ids(checked, identities or Identities())
    findings += _places(checked)
    return checked, tuple(older), tuple(findings)


def stops(findings: Sequence[Finding]) -> bool:
    """Whether a list is not to be published as it stands."""
    return any(finding.severity != "I" for finding in findings)


def _checked(one: RatingList, *, newest: bool = False) -> tuple[RatingList, list[Finding]]:
    rows, findings = check_rows(one.rows, one.id)
    # The reader names rows with the same id too, but not the row they repeat.
    findings = [*(fault for fault in one.faults if fault.reason != "list-id-twice"), *findings]
    if one.day is None:
        findings.append(_finding("list-undated", one.id, 0, severity="W" if newest else "I", list=one.id))
    kept = one.rows["line"].isin(rows["line"]).to_numpy() if len(rows) < len(one.rows) else None
    if kept is None or int(kept.sum()) != len(rows):
        return replace(one, rows=rows), findings
    kinds = {kind: values[kept].reset_index(drop=True) for kind, values in one.kinds.items()}
    return replace(one, rows=rows, kinds=kinds), findings


def _finding(reason: str, file: str, line: int, severity: str | None = None, **values: object) -> Finding:
    return Finding(code="CK47", reason=reason, severity=severity, file=file, line=line, values=values)


def _order(one: RatingList, current: RatingList) -> list[Finding]:
    """A list that is given as an earlier one and is not."""
    if one.day is None or current.day is None or one.day < current.day:
        return []
    return [
        _finding(
            "list-not-earlier", one.id, 0, list=one.id, day=one.day, current=current.id, than=current.day
        )
    ]


def _same_list_twice(lists: Sequence[RatingList]) -> list[Finding]:
    seen: dict[str, str] = {}
    findings = []
    for one in lists:
        key = "".join(source.sha256 for source in one.sources)
        if key and key in seen:
            findings.append(_finding("list-given-twice", one.id, 0, list=one.id, other=seen[key]))
        seen.setdefault(key, one.id)
    return findings


def _rows(one: RatingList, rules: RuleSet | None) -> list[Finding]:
    """Ratings that hardly are ratings, and years of birth that cannot be."""
    rows = one.rows
    findings = list(
        check_list(rows, rules, one.day, one.id)
        if rules
        else check_unlikely(rows, one.document or one.federation, one.id)
    )
    if one.day is not None:
        born = rows["birth_year"].to_numpy(dtype=np.float64)
        wrong = np.flatnonzero((born > one.day.year) | (born < one.day.year - _OLDEST))
        findings += [
            _finding("list-birth-impossible", one.id, int(rows["line"].iloc[i]), name=rows["name"].iloc[i],
                     born=f"{born[i]:.0f}", day=one.day)
            for i in wrong.tolist()
        ]  # fmt: skip
    return findings


def _old_ids(one: RatingList, identities: Identities) -> list[Finding]:
    if not identities.same:
        return []
    keys = row_keys(one.rows)
    return [
        _finding("list-old-id", one.id, int(one.rows["line"].iloc[i]), name=one.rows["name"].iloc[i], old=keys[i],
                 new=identities.same[keys[i]])
        for i in np.flatnonzero(pd.Index(keys).isin(list(identities.same))).tolist()
    ]  # fmt: skip


def places(rows: pd.DataFrame) -> pd.Series:
    """The place of each player by rating; equals share one."""
    return rows["rating"].rank(method="min", ascending=False)


def _places(one: RatingList) -> list[Finding]:
    """Printed places that are not those of the ratings, in one finding; where many differ they follow another custom."""
    rows = one.rows[one.rows["rank"].notna() & one.rows["rating"].notna()]
    if len(rows) < 2:
        return []
    own = rows["rank"].to_numpy()
    # A list by sex counts anew; one without the inactive players leaves them out.
    ways = [places(rows)]
    ways.append(rows.groupby("sex")["rating"].rank(method="min", ascending=False))
    ways.append(rows["rating"].rank(method="first", ascending=False))
    differ = min((np.flatnonzero(way.to_numpy() != own) for way in ways), key=len)
    if not len(differ):
        return []
    first = rows.iloc[differ[0]]
    severity = "W" if len(differ) < max(2, _CUSTOM * len(rows)) else "I"
    return [
        _finding(
            "places-differ", one.id, int(first["line"]), severity=severity, count=len(differ), players=len(rows),
            name=first["name"], printed=f"{first['rank']:.0f}", place=f"{ways[0].iloc[differ[0]]:.0f}",
        )
    ]  # fmt: skip
