"""Printed ranks and tie-breaks against recomputed ones: a verdict per player and criterion, and why they differ.

A cause is a change of the rules or of the reading of the event with which the ordinary calculation gives the printed
value exactly. Ranks are compared as groups: inside a tie that the criteria leave, any order is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

from qiyi_analysis.errors import EventError, ParameterError
from qiyi_analysis.findings import Cause, Finding
from qiyi_analysis.model import TIE_BREAK_COLUMNS, Event
from qiyi_analysis.ruleset import RuleSet
from qiyi_analysis.tiebreaks import berger, counting
from qiyi_analysis.tiebreaks.codes import parse
from qiyi_analysis.tiebreaks.column import INTEGER, MEAN, POINTS, PRODUCT, Column
from qiyi_analysis.tiebreaks.printed import read_columns
from qiyi_analysis.tiebreaks.ranking import Standings, standings
from qiyi_analysis.tiebreaks.registry import TEAM_ONLY
from qiyi_analysis.tiebreaks.variants import variants
from qiyi_analysis.tiebreaks.work import document_for, in_force

#: Decimals below which a printed value of a shape is not a rounding but a different value.
_DECIMALS = {INTEGER: 0, POINTS: 1, PRODUCT: 1, MEAN: 2}


@dataclass(frozen=True)
class Comparison:
    """``rows``: ``number, name, field, code, published, recomputed, agrees, causes`` for every printed value.

    ``codes``: printed column -> code it was read as; ``unread``: printed column -> its words, where no code is certain.
    """

    rows: pd.DataFrame
    codes: Mapping[str, str]
    unread: Mapping[str, str]
    findings: tuple[Finding, ...]
    standings: Standings | None


def check(event: Event, rules: RuleSet | None = None) -> tuple[Finding, ...]:
    """Everything the printed standings of an event give reason to say (CK33, CK34, CK35, CK43, CK44)."""
    return compare(event, rules).findings


def compare(event: Event, rules: RuleSet | None = None) -> Comparison:
    """Compare what the event printed with what the rules give. Works without any printed value, too."""
    if rules is None:
        rules, _ = in_force(document_for(event), event)
    findings: list[Finding] = [*berger.check(event)]
    if event.format.startswith("team"):
        findings += berger.check_team_colours(event)
    findings += counting.check(event, rules if rules.block("counting") else _go_rules(event) or rules)
    if len(event.teams):
        findings += _teams(event, rules)
    codes, unread = read_columns(event)
    for column, words in unread.items():
        values = {"column": column.upper(), "words": words or "-"}
        findings.append(Finding(code="CK44", reason="tie-break-column-not-read", field=column, values=values))
    try:
        result = standings(
            event, ["PTS", *(code for code in codes.values() if code != "PTS")], rules, of="players"
        )
    except (EventError, ParameterError) as error:
        findings.append(Finding(code="CK44", reason="standings-not-checked", values={"message": str(error)}))
        return Comparison(_frame([]), codes, unread, tuple(findings), None)
    findings += [finding for finding in result.findings if finding.reason != "tie-break-order-assumed"]
    rows: list[dict[str, object]] = []
    for column, code in codes.items():
        found, said = _column(event, rules, result, column, code)
        rows += found
        findings += said
    found, said = _ranks(event, rules, codes, unread)
    rows += found
    findings += said
    return Comparison(_frame(rows), codes, unread, tuple(findings), result)


def _frame(rows: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(
        rows, columns=["number", "name", "field", "code", "published", "recomputed", "agrees", "causes"]
    )


def _go_rules(event: Event) -> RuleSet | None:
    return in_force("cwa/tie-breaks", event)[0] if event.discipline == "go" else None


# --- values of one column -------------------------------------------------------------------------


def _column(
    event: Event, rules: RuleSet, result: Standings, column: str, code: str
) -> tuple[list[dict[str, object]], list[Finding]]:
    printed = event.players[column].to_numpy()
    own = result.column(code)
    texts = own.texts()
    agrees = agreement(printed, own)
    differing = np.flatnonzero(~np.isnan(printed) & ~agrees)
    causes: dict[int, list[Cause]] = {int(row): [] for row in differing}
    if len(differing):
        for variant in variants(event, rules, parse(code)):
            try:
                fits = agreement(printed, variant.run())
            except (EventError, ParameterError):
                continue
            explained = [int(row) for row in differing if fits[row]]
            for row in explained:
                causes[row].append(Cause(cause=variant.cause, detail=variant.detail, explains=len(explained)))
    rows: list[dict[str, object]] = []
    findings = []
    for row, value in enumerate(printed):
        if np.isnan(value):
            continue
        ordered = tuple(sorted(causes.get(row, ()), key=lambda c: -c.explains))
        player = event.players.iloc[row]
        rows.append(
            {
                "number": int(player["number"]),
                "name": player["name"],
                "field": column,
                "code": code,
                "published": _text(value),
                "recomputed": texts[row],
                "agrees": bool(agrees[row]),
                "causes": ordered,
            }
        )
        if not agrees[row]:
            findings.append(
                Finding(
                    code="CK33",
                    reason="tie-break-differs",
                    player=int(player["number"]),
                    line=int(player["line"]),
                    field=column,
                    published=_text(value),
                    recomputed=texts[row] or "",
                    article=own.article,
                    causes=ordered,
                    values={"name": player["name"], "code": code},
                )
            )
    return rows, findings


def _text(value: float) -> str:
    return f"{value:.10f}".rstrip("0").rstrip(".")


def agreement(printed: np.ndarray, column: Column) -> np.ndarray:
    """Whether each printed value is the column's, at the decimals that were printed (a tie may go either way)."""
    agrees = np.zeros(len(printed), dtype=bool)
    values = column.values()
    for row in np.flatnonzero(~np.isnan(printed)):
        exact = values[row]
        if exact is None:
            agrees[row] = printed[row] == 0
            continue
        text = Decimal(_text(printed[row]))
        decimals = max(-int(text.as_tuple().exponent), _DECIMALS[column.shape])
        exact = Fraction(exact)
        full = Decimal(exact.numerator) / Decimal(exact.denominator)
        step = Decimal(1).scaleb(-decimals)
        agrees[row] = text in (full.quantize(step, ROUND_HALF_UP), full.quantize(step, ROUND_HALF_DOWN))
    return agrees


# --- ranks ----------------------------------------------------------------------------------------


def _ranks(
    event: Event, rules: RuleSet, codes: Mapping[str, str], unread: Mapping[str, str]
) -> tuple[list[dict[str, object]], list[Finding]]:
    """Printed ranks against the order by the printed criteria, as groups."""
    printed = event.players["rank"].to_numpy()
    given = ~np.isnan(printed) & (printed > 0)
    if not given.any():
        return [], []
    if (printed == event.players["number"].to_numpy()).all() and len(printed) > 2:
        return [], []  # starting numbers, not ranks; the checks of the event say so
    wanted = _rank_codes(event, rules, codes, unread)
    try:
        result = standings(event, wanted, rules, of="players")
    except (EventError, ParameterError) as error:
        return [], [Finding(code="CK44", reason="standings-not-checked", values={"message": str(error)})]
    ranks = result.ranks
    sizes = np.bincount(ranks, minlength=len(ranks) + 2)
    inside = (printed >= ranks) & (printed < ranks + sizes[ranks])
    order = ", ".join(code.text for code in result.codes)
    wrong = np.flatnonzero(given & ~inside)
    rows: list[dict[str, object]] = []
    for row in np.flatnonzero(given):
        player, size = event.players.iloc[row], int(sizes[ranks[row]])
        places = str(ranks[row]) if size == 1 else f"{ranks[row]}-{ranks[row] + size - 1}"
        rows.append(
            {
                "number": int(player["number"]),
                "name": player["name"],
                "field": "rank",
                "code": "",
                "published": _text(printed[row]),
                "recomputed": places,
                "agrees": bool(inside[row]),
                "causes": (),
            }
        )
    if not len(wrong) or len(wanted) == 1:
        return rows, []  # whether ranks follow the points is a check of the event
    if len(wrong) * 2 > given.sum():
        values = {"count": len(wrong), "of": int(given.sum()), "codes": order}
        return rows, [
            Finding(code="CK34", reason="ranks-differ-widely", field="rank", article=rules.id, values=values)
        ]
    by_number = {row["number"]: row for row in rows}
    findings = []
    for row in wrong:
        player = event.players.iloc[row]
        place = by_number[int(player["number"])]
        findings.append(
            Finding(
                code="CK34",
                reason="rank-differs",
                player=int(player["number"]),
                line=int(player["line"]),
                field="rank",
                published=str(place["published"]),
                recomputed=str(place["recomputed"]),
                article=rules.id,
                values={"name": player["name"], "codes": order},
            )
        )
    return rows, findings


def _teams(event: Event, rules: RuleSet) -> list[Finding]:
    """Printed ranks of the teams; their printed totals are checked where the file is read."""
    teams = event.teams
    try:
        result = standings(event, event.tie_breaks or ["MP", "GP"], rules, of="teams")
    except (EventError, ParameterError) as error:
        return [Finding(code="CK44", reason="standings-not-checked", values={"message": str(error)})]
    findings: list[Finding] = []
    printed = teams["rank"].to_numpy()
    given = ~np.isnan(printed) & (printed > 0)
    if not given.any() or not event.tie_breaks:
        return findings
    ranks = result.ranks
    sizes = np.bincount(ranks, minlength=len(ranks) + 2)
    wrong = np.flatnonzero(given & ~((printed >= ranks) & (printed < ranks + sizes[ranks])))
    order = ", ".join(code.text for code in result.codes)
    if len(wrong) * 2 > given.sum():
        values = {"count": len(wrong), "of": int(given.sum()), "codes": order}
        findings.append(
            Finding(code="CK34", reason="ranks-differ-widely", field="rank", article=rules.id, values=values)
        )
        return findings
    for row in wrong:
        place = (
            f"{ranks[row]}"
            if sizes[ranks[row]] == 1
            else f"{ranks[row]}-{ranks[row] + sizes[ranks[row]] - 1}"
        )
        findings.append(
            Finding(
                code="CK34",
                reason="rank-differs",
                line=int(teams["line"].iloc[row]),
                field="rank",
                published=_text(printed[row]),
                recomputed=place,
                article=rules.id,
                values={"name": teams["name"].iloc[row], "codes": order},
            )
        )
    return findings


def _rank_codes(
    event: Event, rules: RuleSet, codes: Mapping[str, str], unread: Mapping[str, str]
) -> list[str]:
    """The criteria the printed ranks can be held against: points, then the printed columns as far as all are read."""
    primary = next((code for code in codes.values() if parse(code).name in ("MMS", "ZDF")), "PTS")
    wanted = [primary]
    for column in TIE_BREAK_COLUMNS:
        if column in unread:
            break
        if column in codes and codes[column] not in wanted:
            wanted.append(codes[column])
    if len(wanted) == 1 and event.tie_breaks and not unread:
        for code in event.tie_breaks:
            try:
                parsed = parse(code)
            except ParameterError:
                break
            if parsed.name in TEAM_ONLY or parsed.score:
                break
            if parsed.text not in wanted:
                wanted.append(parsed.text)
    return wanted
