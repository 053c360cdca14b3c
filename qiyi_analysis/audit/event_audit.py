"""The audit: an event checked, recalculated, compared with what was published, and every difference explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.audit import published_columns
from qiyi_analysis.audit.causes import Discrepancies, find_causes
from qiyi_analysis.audit.checks import against_lists, check_event, check_rules, results
from qiyi_analysis.audit.checks.results import placed
from qiyi_analysis.audit.comparison import comparison_frame, row
from qiyi_analysis.audit.hypotheses import other_readings
from qiyi_analysis.audit.printed_standings import Comparison as StandingsComparison
from qiyi_analysis.audit.printed_standings import compare as compare_standings
from qiyi_analysis.audit.published import (
    FIELDS,
    Agreement,
    Numbers,
    Published,
    agreement,
    agrees_exactly,
    numbers,
    published,
)
from qiyi_analysis.audit.published_first_ratings import first_ratings
from qiyi_analysis.audit.unprinted import Allowed, allowed
from qiyi_analysis.audit.verdict import Coverage, coverage, judged
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating import Rating, rate
from qiyi_analysis.rating.k_factor import games_for_limited_k
from qiyi_analysis.rating.rating_kinds import listed_for, lists_for
from qiyi_analysis.rating.table_method import NOT_KNOWN, calculate, usable_k
from qiyi_analysis.rules.choice import Choice, choose, partial_days
from qiyi_analysis.rules.ruleset import RuleSet, documents, editions, ruleset
from qiyi_analysis.titles import Titles
from qiyi_analysis.titles import titles as titles_of
from qiyi_analysis.words import joined, said

#: Kinds of rule sets that say who earns a title, a grade or place points.
TITLE_KINDS = frozenset({"titles", "promotion", "place-points"})
#: Causes that make a difference one of table, formula or rounding (CK32) rather than of input (CK26).
CALCULATION_CAUSES = frozenset(
    {
        "formula",
        "half-even",
        "half-up",
        "truncated",
        "rounded-change",
        "rounded-per-event",
        "average-opponent",
        "per-game",
    }
)


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The result of an audit.

    ``comparison``: one row per player and printed rating number, ``standings.rows`` one per printed rank and
    tie-break, with the columns of :mod:`qiyi_analysis.audit.comparison`; ``titles``: one
    for each rule set about titles; ``findings`` in order of severity; ``verdict`` accept, remarks,
    insufficient or return; ``coverage`` how much it rests on.
    """

    event: Event
    rules: tuple[RuleSet, ...]
    lists: tuple[RatingList, ...]
    rating: Rating | None
    comparison: pd.DataFrame
    standings: StandingsComparison
    titles: tuple[Titles, ...]
    findings: tuple[Finding, ...]
    verdict: str
    coverage: Coverage

    @property
    def rating_rules(self) -> RuleSet | None:
        """The rating edition the audit calculated with; None where nothing was rated."""
        return self.rating.rules if self.rating else None


def audit(
    event: Event, rules: Iterable[str] = (), lists: Sequence[RatingList] = (), *, ratings: str = "list"
) -> Audit:
    """Audit one event.

    ``rules``: ids, documents or files; see :func:`qiyi_analysis.rules.choice.choose`. ``lists``: rating lists at
    hand; the one in force on the first day is compared and decides ratings and K, or with ``ratings="event"`` fills
    the missing ones only. Raises RulesetError
    for an unknown id; everything about the event itself is a finding.
    """
    chosen = choose(event, rules)
    findings: list[Finding] = [*event.faults, *chosen.findings, *check_event(event)]
    rating_rules = chosen.of_kind("rating")
    own_lists = lists_for(lists, rating_rules) if rating_rules is not None else tuple(lists)
    findings += against_lists.check(event, own_lists)
    rating, comparison = None, comparison_frame([])
    if rating_rules is not None:
        # The list is asked once; every recalculation starts from the same values.
        listed = listed_for(event, lists, rating_rules, over=ratings == "list")
        try:
            rating = rate(listed.event, rating_rules)
        except RulesetError as error:
            findings.append(
                Finding(code="CK44", reason="not-rated", severity="W", values={"message": error.said})
            )
        else:
            printed = set(event.players["number"][~event.players["change"].isna()])
            printed_numbers = published(listed.event)
            open_values = allowed(listed.event, rating_rules, printed_numbers)
            known = open_values.event
            if known is not listed.event:
                rating = rate(known, rating_rules)
            rating = replace(rating, findings=(*rating.findings, *listed.findings))
            found, comparison = _compare_ratings(open_values, printed_numbers, rating, own_lists, event)
            findings += found
            # Where a change was printed, the comparison says which K would fit.
            findings += [
                f
                for f in rating.findings
                if not (f.reason == "k-unknown-of-many" and printed)
                and not (f.reason == "k-unknown" and f.player in printed)
            ]
            findings += _printed_k(event, known, rating_rules)
            findings += published_columns.check(event, rating)
            findings += _readings(known, rating_rules)
    standings = compare_standings(event, chosen.of_kind("tie-breaks"))
    findings += standings.findings
    titles = tuple(titles_of(event, one, lists) for one in chosen.rules if one.kind in TITLE_KINDS)
    findings += [finding for one in titles for finding in one.findings]
    findings += check_rules(event, chosen.rules)
    findings += results.without_games(event)
    if event.start is None and event.end is None and partial_days(event) is None:
        findings.append(Finding(code="CK03", reason="event-without-dates", severity="W"))
    done = coverage(rating, comparison, standings.rows)
    guessed = rating_rules is not None and is_guess(event, chosen)
    told, verdict = judged((placed(event, finding) for finding in findings), done, guessed)
    return Audit(
        event=event,
        rules=chosen.rules,
        lists=tuple(lists),
        rating=rating,
        comparison=comparison,
        standings=standings,
        titles=titles,
        findings=told,
        verdict=verdict,
        coverage=done,
    )


def is_guess(event: Event, chosen: Choice) -> bool:
    """Whether nothing but its discipline says by which rules the event is rated, and there is more than one."""
    assumed = any(finding.reason == "rules-assumed" for finding in chosen.findings)
    # Of xiangqi there is one set of rules; chess and go have many.
    return assumed and event.discipline != "xiangqi"


# --- published against recomputed ------------------------------------------------------------------


def _compare_ratings(
    known: Allowed, printed: Published, rating: Rating, lists: tuple[RatingList, ...], own: Event
) -> tuple[list[Finding], pd.DataFrame]:
    """Findings for every printed rating number that does not follow from the rules, with causes.

    ``known``: the event with what the list in force knows, recomputed; ``own``: the event as it was reported.
    """
    event, rules, n, result = known.event, rating.rules, known.numbers, known.agreement
    discrepant = printed.present & ~result.everything
    causes = find_causes(
        Discrepancies(
            event=event, rules=rules, lists=lists, printed=printed, numbers=n, discrepant=discrepant, own=own
        )
    )
    findings: list[Finding] = list(known.findings)
    for i in np.flatnonzero(discrepant):
        findings += _differences(event, rules, printed, n, result, int(i), causes.get(int(i), ()))
    unknown = printed.change.present & (n.change == NOT_KNOWN) & (n.w_minus_we != NOT_KNOWN)
    for i in np.flatnonzero(unknown):
        findings += _without_k(event, rules, printed, n, int(i))
    if not printed.present.any():
        findings.append(Finding(code="CK44", reason="no-published-changes"))
    findings += _sum_of_expected(printed, n, rules)
    rows = _rows(event, printed, n, result, causes)
    findings += first_ratings(rating, printed, rows)
    return findings, comparison_frame(rows)


def _differences(
    event: Event,
    rules: RuleSet,
    printed: Published,
    n: Numbers,
    result: Agreement,
    i: int,
    causes: tuple[Cause, ...],
) -> list[Finding]:
    player = event.players.iloc[i]
    findings = []
    # One number fits many hypotheses; a way of calculating is named by the code when it explains several.
    by_calculation = bool(causes) and causes[0].cause in CALCULATION_CAUSES and causes[0].explains > 1
    for field in ("change", "expected", "new_rating"):
        if getattr(result, field)[i]:
            continue
        findings.append(
            Finding(
                code="CK32"
                if by_calculation
                else "CK27"
                if causes and causes[0].cause == "w-minus-we"
                else "CK26",
                reason=f"{field.replace('_', '-')}-differs",
                severity="W" if causes and causes[0].cause == "w-minus-we" else "E",
                player=int(player["number"]),
                line=int(player["line"]),
                field=field,
                published=getattr(printed, field).text(i),
                recomputed=recomputed_text(n, field, i),
                article=rules.cite("change" if field != "expected" else "expected"),
                causes=causes,
                values={"name": player["name"], "exact": _exact(n.change, n.unit, i)},
            )
        )
    return findings


def recomputed_text(n: Numbers, field: str, i: int) -> str:
    """The recomputed value as a finding prints it: whole change, We with two decimals, new rating."""
    if field == "expected":
        return _exact(n.we, n.unit, i)
    value = n.rounded[i] if field == "change" else n.new[i]
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3f}".rstrip("0")


def _exact(values: np.ndarray, unit: int, i: int) -> str:
    """An exact number with at least two decimals; "" where not known."""
    if values[i] == NOT_KNOWN:
        return ""
    places = max(2, len(str(unit)) - 1)
    exact = Decimal(int(values[i]) * (10**places // unit)).scaleb(-places)
    short = exact.normalize()
    return str(exact.quantize(Decimal("0.01"))) if -int(short.as_tuple().exponent) <= 2 else f"{short:f}"


def _without_k(event: Event, rules: RuleSet, printed: Published, n: Numbers, i: int) -> list[Finding]:
    """A printed change whose K is not known: the K that would fit (CK42), or W - We printed (CK27)."""
    player = event.players.iloc[i]
    place: dict[str, Any] = {
        "player": int(player["number"]),
        "line": int(player["line"]),
        "field": "change",
        "published": printed.change.text(i),
    }
    fitting = []
    candidates = sorted({row["k"] for row in rules.rows("k_factor")})
    for k in candidates:
        with_k = event.with_players(
            k=np.where(event.players["number"] == player["number"], k, event.players["k"])
        )
        if agreement(printed, numbers(with_k, rules)).change[i]:
            fitting.append(k)
    w_minus_we = _exact(n.w_minus_we, n.unit, i)
    each = [f"K {k}: {_rounded_with(rules, n, i, k)}" for k in candidates]
    as_difference = bool(
        agrees_exactly(printed.change, n.w_minus_we, n.unit)[i] and printed.change.decimals[i]
    )
    findings = [
        Finding(
            code="CK42",
            reason="k-that-fits" if fitting else "no-k-fits",
            severity="I" if fitting or as_difference else "W",
            article=rules.cite("k_factor"),
            values={
                "name": player["name"],
                "fits": fitting,
                "w_minus_we": w_minus_we,
                "each": each,
            },
            **place,
        )
    ]
    if as_difference:
        cause = Cause(cause="w-minus-we", detail=said("cause-detail.w-minus-we"), explains=1)
        findings.append(
            Finding(
                code="CK27",
                reason="w-minus-we-printed",
                recomputed=w_minus_we,
                article=rules.cite("change"),
                causes=(cause,),
                values={"name": player["name"]},
                **place,
            )
        )
    return findings


def _rounded_with(rules: RuleSet, n: Numbers, i: int, k: int) -> int:
    from qiyi_analysis.rules.rounding import ROUNDINGS

    rounding = rules.value("change", "rounding")
    return int(ROUNDINGS.get(rounding, ROUNDINGS["half-up"])(k * int(n.w_minus_we[i]), n.unit))


def _printed_k(event: Event, known: Event, rules: RuleSet) -> list[Finding]:
    """A printed K that no way of reading the edition's rows allows (CK29).

    ``known``: the event with what the list in force knows.
    """
    if rules.value("method", "name") != "table" or event.players["k"].isna().all():
        return []
    c = calculate(known, rules)
    choice, printed = c.k_choice, event.players["k"].to_numpy()
    if choice is None:
        return []
    lowest = min(row["k"] for row in choice.rows)
    former = editions(rules.document) if rules.document in documents() else ()
    of_rows = {row["k"] for one in (rules, *map(ruleset, former)) for row in one.rows("k_factor")}
    findings = []
    # Without a rating there is no change and no K.
    for i in np.flatnonzero(usable_k(printed) & c.entrants.has_rating).tolist():
        k, games = int(printed[i]), int(c.games[i])
        allowed = sorted({value for value, _ in choice.candidates(i)})
        if k in allowed or not allowed:
            continue
        limited = games_for_limited_k(k, allowed, rules)
        fewest, most = limited or (0, 0)
        # The games of other events of the period are not known here. That they make K smaller is believed of a number
        # above the lowest K; one of the K of this or a former edition is sooner taken from the wrong row, unless this
        # event alone has the games.
        if limited and games <= most and (games >= fewest or (k > lowest and k not in of_rows)):
            continue
        player = event.players.iloc[i]
        findings.append(
            Finding(
                code="CK29",
                reason="printed-k-by-limit" if limited and games <= most else "printed-k-not-allowed",
                player=int(player["number"]),
                line=int(player["line"]),
                field="k",
                published=f"{k:g}",
                recomputed=joined(allowed),
                article=rules.cite("k_factor"),
                values={"name": player["name"], "fewest": fewest, "most": most},
            )
        )
    return findings


def _sum_of_expected(printed: Published, n: Numbers, rules: RuleSet) -> list[Finding]:
    """Printed expected scores of a closed field must add up to the recomputed sum (CK31)."""
    e, open_ = printed.expected, n.we == NOT_KNOWN
    # A sum over everybody is compared where everybody is known.
    if not e.present.any() or (e.present & open_).any() or not (e.present | open_ | (n.we == 0)).all():
        return []
    total = sum(
        Decimal(int(v)).scaleb(-int(d))
        for v, d in zip(e.value[e.present], e.decimals[e.present], strict=True)
    )
    tolerance = sum(Decimal(5).scaleb(-int(d) - 1) for d in e.decimals[e.present])
    exact = Decimal(int(n.we[e.present].sum())) / n.unit
    if abs(total - exact) <= tolerance:
        return []
    return [
        Finding(
            code="CK31",
            reason="sum-of-expected",
            field="expected",
            published=str(total),
            recomputed=str(exact),
            article=rules.cite("expected"),
        )
    ]


def _readings(event: Event, rules: RuleSet) -> list[Finding]:
    """Ambiguous articles whose other reading would change a number of this event (CK45)."""
    if rules.value("method", "name") != "table":
        return []
    base = numbers(event, rules)
    findings = []
    for hypothesis in other_readings(rules):
        other = numbers(*hypothesis.apply(event, rules))
        changed = np.flatnonzero(base.change != other.change)
        if len(changed):
            named = joined((int(event.players["number"].iloc[i]) for i in changed), 10)
            findings.append(
                Finding(
                    code="CK45",
                    reason="other-reading",
                    article=rules.cite(hypothesis.detail.partition(".")[0]),
                    values={"reading": hypothesis.detail, "count": len(changed), "players": named},
                )
            )
    return findings


def _rows(
    event: Event, printed: Published, n: Numbers, result: Agreement, causes: dict[int, tuple[Cause, ...]]
) -> list[dict[str, Any]]:
    rows = []
    for i, player in enumerate(event.players.to_dict("records")):
        for field in FIELDS:
            cell = getattr(printed, field)
            if not cell.present[i]:
                continue
            compared, agrees = (bool(getattr(result, name)[i]) for name in (f"{field}_compared", field))
            rows.append(
                row(
                    player, field, float(cell.points[i]), cell.text(i), n.value(field, i), recomputed_text(n, field, i),
                    agrees if compared else None, () if agrees else causes.get(i, ()),
                )
            )  # fmt: skip
    return rows
