"""Printed ranks and tie-breaks against recomputed ones: a verdict per player and criterion, and why they differ.

A cause is a change of the rules or of the reading of the event with which the ordinary calculation gives the printed
value exactly. Ranks are compared as groups: inside a tie that the criteria leave, any order is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.audit import area_counting as counting
from qiyi_analysis.audit import pairing_table as berger
from qiyi_analysis.audit.comparison import comparison_frame
from qiyi_analysis.audit.comparison import row as comparison_row
from qiyi_analysis.audit.standings_variants import variants
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.agreement import agreement, fitting, order_agreement, printed_text
from qiyi_analysis.tiebreaks.codes import parse
from qiyi_analysis.tiebreaks.printed import number_in, possible_codes, read_columns
from qiyi_analysis.tiebreaks.ranking import Standings, standings, team_tie_breaks
from qiyi_analysis.tiebreaks.work import document_for, document_of, in_force
from qiyi_analysis.words import ranges

#: From so many differing values on a column can be one that differs widely.
_MANY = 3
#: Criteria that columns without words are tried as, the commoner first.
_COMMON = (
    "BH", "对手分", "SB", "小分", "BH/C1", "PS", "累进分", "WIN", "WON", "SJ", "ARO", "BH/M1", "APRO", "TPR", "AOB", "KS", "FB",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """``rows``: one for every printed value, with the columns of :mod:`qiyi_analysis.audit.comparison`.

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
    findings: list[Finding] = [*_unknown_codes(event), *berger.check(event)]
    if event.format.startswith("team"):
        findings += berger.check_team_colours(event)
    findings += counting.check(event, rules if rules.block("counting") else _go_rules(event) or rules)
    if len(event.teams):
        findings += _teams(event, rules)
    codes, unread, said = _columns_read(event, rules)
    fitted = {finding.field: "" for finding in said if finding.reason == "tie-break-column-fitted"}
    findings += said
    try:
        result = _standings_by(event, rules, codes.values())
    except (EventError, ParameterError) as error:
        findings.append(Finding(code="CK44", reason="standings-not-checked", values={"message": error.said}))
        return Comparison(comparison_frame([]), codes, unread, tuple(findings), None)
    findings += [finding for finding in result.findings if finding.reason != "tie-break-order-assumed"]
    rows: list[dict[str, Any]] = []
    for column, code in codes.items():
        found, said = _column(event, rules, result, column, code)
        rows += found
        findings += [*said, *_edition_told(event, rules, result, column, code)]
    found, said = _ranks(event, rules, codes, {**unread, **fitted})
    rows += found
    findings += said
    return Comparison(comparison_frame(rows), codes, unread, tuple(findings), result)


def _in_own_order(event: Event) -> bool:
    """Whether a go event names the criteria it is ranked by, all of them known; nothing goes before those."""
    names = _leading(event.tie_breaks)
    return (
        event.discipline == "go"
        and 0 < len(names) == len(event.tie_breaks)
        and all(parse(name).criterion.announced for name in names)
    )


def _standings_by(event: Event, rules: RuleSet, codes: Iterable[str]) -> Standings:
    codes = list(codes)
    if _in_own_order(event) and set(codes) <= set(event.tie_breaks):
        return standings(event, None, rules, of="players")
    return standings(event, ["PTS", *(code for code in codes if code != "PTS")], rules, of="players")


def _columns_read(event: Event, rules: RuleSet) -> tuple[dict[str, str], dict[str, str], list[Finding]]:
    """Codes of the printed columns, words of those that none is certain for, and what is to be said about both.

    A column whose parameters are not told is taken for the code that most of its values fit, if more than half do.
    """
    edition = str(rules.value("edition", "name", ""))
    codes, unread = read_columns(event, edition)
    findings: list[Finding] = []
    for column in list(codes):
        possible = tuple(
            code
            for code in possible_codes(event, column, edition)
            if code not in codes.values() or code == codes[column]
        )
        if not possible:
            continue
        words = str(event.tie_break_columns[column])
        printed = event.players[column].to_numpy()
        code, count, of = fitting(
            printed, possible, lambda text: _standings_by(event, rules, [text]).column(text)
        )
        values = {"column": column.upper(), "words": words, "code": code, "count": count, "of": of}
        if count * 2 > of:
            codes[column] = code
            if len(possible) > 1:
                findings.append(
                    Finding(code="CK44", reason="tie-break-parameters-fitted", field=column, values=values)
                )
        else:
            unread[column] = words
            del codes[column]
    findings += _refitted(event, rules, codes, unread)
    for column, words in unread.items():
        said: dict[str, object] = {"column": column.upper(), "words": words or "-"}
        numbered = number_in(words)
        if numbered is not None and not numbered.code:
            said["name"] = numbered.name
            findings.append(
                Finding(code="CK44", reason="tie-break-number-without-code", field=column, values=said)
            )
        else:
            findings.append(
                Finding(code="CK44", reason="tie-break-column-not-read", field=column, values=said)
            )
    return codes, unread, findings


def _go_rules(event: Event) -> RuleSet | None:
    return in_force(document_of("ZDF", event), event)[0] if event.discipline == "go" else None


# --- values of one column -------------------------------------------------------------------------


def _column(
    event: Event, rules: RuleSet, result: Standings, column: str, code: str
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The rows of a printed column, and a finding for each value that differs, or one where most do."""
    printed = event.players[column].to_numpy()
    given = ~np.isnan(printed)
    own = result.column(code)
    texts = own.texts()
    relative = parse(code).criterion.relative
    agrees = _in_order(printed, result, code) if relative else agreement(printed, own)
    # What cannot be calculated is compared with nothing.
    known = agrees | np.array([text is not None for text in texts], dtype=bool)
    differing = np.flatnonzero(given & known & ~agrees)
    widely = len(differing) >= _MANY and 2 * len(differing) > (given & known).sum()
    causes = {} if relative else _causes(event, rules, code, printed, differing)
    rows: list[dict[str, Any]] = []
    findings = []
    for row in np.flatnonzero(given):
        player, shown, value = event.players.iloc[row], texts[row] or "", float(printed[row])
        found = causes.get(int(row), ())
        verdict = bool(agrees[row]) if known[row] else None
        text = printed_text(value)
        rows.append(
            comparison_row(player, column, value, text, own.as_float(int(row)), shown, verdict, found, code)
        )
        if verdict is False and not widely:
            findings.append(
                Finding(
                    code="CK33", reason="tie-break-differs", player=int(player["number"]), line=int(player["line"]),
                    field=column, published=text, recomputed=shown, article=own.article, causes=found,
                    values={"name": player["name"], "code": code},
                )
            )  # fmt: skip
    if widely:
        findings.append(
            _differs_widely(event, column, code, causes, differing, int((given & known).sum()), own.article)
        )
    return rows, findings


def _causes(
    event: Event, rules: RuleSet, code: str, printed: np.ndarray, differing: np.ndarray
) -> dict[int, tuple[Cause, ...]]:
    """The ways in which differing values come about, by row, the one that explains most first."""
    causes: dict[int, list[Cause]] = {int(row): [] for row in differing}
    for variant in variants(event, rules, parse(code)) if len(differing) else ():
        try:
            fits = agreement(printed, variant.run())
        except (EventError, ParameterError):
            continue
        explained = [int(row) for row in differing if fits[row]]
        for row in explained:
            causes[row].append(Cause(cause=variant.cause, detail=variant.detail, explains=len(explained)))
    return {row: tuple(sorted(found, key=lambda c: -c.explains)) for row, found in causes.items()}


def _differs_widely(
    event: Event, column: str, code: str, causes: Mapping[int, tuple[Cause, ...]], differing: np.ndarray, of: int,
    article: str,
) -> Finding:  # fmt: skip
    """One finding for a column most of whose values differ: it is read as something that it is not."""
    common = {cause for found in causes.values() for cause in found if 2 * cause.explains > len(differing)}
    values = {
        "column": column.upper(),
        "words": str(event.tie_break_columns.get(column) or "-"),
        "code": code,
        "count": len(differing),
        "of": of,
        "players": ranges(event.players["number"].to_numpy()[differing]),
    }
    return Finding(
        code="CK33", reason="tie-break-column-differs", field=column, article=article, values=values,
        causes=tuple(sorted(common, key=lambda c: (-c.explains, c.cause, c.detail))),
    )  # fmt: skip


def _variant_fits(event: Event, rules: RuleSet, code: str, printed: np.ndarray) -> bool:
    """Whether a common mistake with the code itself gives most of the printed values."""
    causes = _causes(event, rules, code, printed, np.flatnonzero(~np.isnan(printed)))
    most = max((cause.explains for found in causes.values() for cause in found), default=0)
    return 4 * most >= 3 * int((~np.isnan(printed)).sum())


def _refitted(event: Event, rules: RuleSet, codes: dict[str, str], unread: dict[str, str]) -> list[Finding]:
    """Columns without words, and columns most of whose values differ from their code, taken for the code that fits.

    Three quarters of at least four values, not all the same, must fit; of a column without words, whose name nobody
    gave, all but two or a tenth.
    """
    findings: list[Finding] = []
    run = lambda text: _standings_by(event, rules, [text]).column(text)  # noqa: E731
    for column in [*codes, *(name for name, said in unread.items() if not said)]:
        printed, own = event.players[column].to_numpy(), codes.get(column, "")
        given = printed[~np.isnan(printed)]
        if len(given) < _MANY + 1 or len(np.unique(given)) < 3 or (own and parse(own).criterion.relative):
            continue
        fits = fitting(printed, (own,), run)[1] if own else 0
        if 2 * fits > len(given) or (own and _variant_fits(event, rules, own, printed)):
            continue
        others = tuple(code for code in _COMMON if code not in codes.values())
        code, count, of = fitting(printed, others, run)
        if 4 * count < 3 * of or (not own and of - count > max(2, of // 10)):
            continue
        codes[column] = code
        unread.pop(column, None)
        words = str(event.tie_break_columns.get(column) or "-")
        values = {
            "column": column.upper(),
            "words": words,
            "own": own or "-",
            "fits": fits,
            "code": code,
            "count": count,
            "of": of,
        }
        reason = "tie-break-column-is-another" if own else "tie-break-column-fitted"
        findings.append(Finding(code="CK44", reason=reason, field=column, values=values))
    return findings


def _in_order(printed: np.ndarray, result: Standings, code: str) -> np.ndarray:
    """Agreement of a criterion that only orders those who are still tied before it."""
    places = np.array([float(value or 0) for value in result.column(code).values()])
    at = next(i for i, known in enumerate(result.codes) if known.text == code)
    return order_agreement(printed, places, result.groups_before(at))


def _edition_told(event: Event, rules: RuleSet, result: Standings, column: str, code: str) -> list[Finding]:
    """Whether a column that tells the edition of its rules tells another than the one in force, and for how many it matters."""
    parsed = parse(code)
    in_force = str(rules.value("edition", "name", ""))
    if not parsed.edition or not in_force or parsed.edition == in_force:
        return []
    plain = code.replace(f"@{parsed.edition}", "")
    due, told = _standings_by(event, rules, [plain]).column(plain).values(), result.column(code).values()
    count = sum(one != two for one, two in zip(due, told, strict=True))
    if not count:
        return []
    values = {
        "column": column.upper(),
        "told": parsed.edition,
        "code": code,
        "rules": rules.id,
        "count": count,
    }
    return [
        Finding(code="CK33", reason="tie-break-edition-told", field=column, article=rules.id, values=values)
    ]


# --- ranks ----------------------------------------------------------------------------------------


def _ranks(
    event: Event, rules: RuleSet, codes: Mapping[str, str], unread: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Printed ranks against the order by the printed criteria, as groups."""
    printed = event.players["rank"].to_numpy()
    given = ~np.isnan(printed) & (printed > 0)
    if not given.any():
        return [], []
    numbers = event.players["number"].to_numpy()
    if (printed == numbers).all() and len(printed) > 2 and not _in_own_order(event):
        return [], []  # starting numbers, not ranks; the checks of the event say so
    wanted = _rank_codes(event, rules, codes, unread)
    try:
        result = standings(event, wanted or None, rules, of="players")
    except (EventError, ParameterError) as error:
        return [], [Finding(code="CK44", reason="standings-not-checked", values={"message": error.said})]
    ranks = result.ranks
    sizes = np.bincount(ranks, minlength=len(ranks) + 2)
    inside = (printed >= ranks) & (printed < ranks + sizes[ranks])
    order = [code.text for code in result.codes]
    wrong = np.flatnonzero(given & ~inside)
    rows: list[dict[str, Any]] = []
    for row in np.flatnonzero(given):
        player, size = event.players.iloc[row], int(sizes[ranks[row]])
        places = str(ranks[row]) if size == 1 else f"{ranks[row]}-{ranks[row] + size - 1}"
        rows.append(
            comparison_row(
                player,
                "rank",
                float(printed[row]),
                printed_text(printed[row]),
                float(ranks[row]),
                places,
                bool(inside[row]),
            )
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
                published=place["published_text"],
                recomputed=place["recomputed_text"],
                article=rules.id,
                values={"name": player["name"], "codes": order},
            )
        )
    return rows, findings


def _teams(event: Event, rules: RuleSet) -> list[Finding]:
    """Printed ranks of the teams; their printed totals are checked where the file is read."""
    teams = event.teams
    wanted = _leading(team_tie_breaks(event))
    findings: list[Finding] = []
    try:
        result = standings(event, wanted or ["MP", "GP"], rules, of="teams")
    except (EventError, ParameterError) as error:
        return [
            *findings,
            Finding(code="CK44", reason="standings-not-checked", values={"message": error.said}),
        ]
    printed = teams["rank"].to_numpy()
    given = ~np.isnan(printed) & (printed > 0)
    if not given.any() or not wanted:
        return findings
    ranks = result.ranks
    sizes = np.bincount(ranks, minlength=len(ranks) + 2)
    wrong = np.flatnonzero(given & ~((printed >= ranks) & (printed < ranks + sizes[ranks])))
    order = [code.text for code in result.codes]
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
                published=printed_text(printed[row]),
                recomputed=place,
                article=rules.id,
                values={"name": teams["name"].iloc[row], "codes": order},
            )
        )
    return findings


def _leading(codes: Iterable[str]) -> list[str]:
    """The codes of a list before the first that is none."""
    leading: list[str] = []
    for text in codes:
        try:
            leading.append(parse(text).text)
        except ParameterError:
            break
    return leading


def _unknown_codes(event: Event) -> list[Finding]:
    """A finding for everything in the event's list of tie-breaks that is none."""
    findings = []
    for text in event.tie_breaks:
        try:
            parse(text)
        except ParameterError as error:
            values = {"code": text, "why": error.said}
            findings.append(Finding(code="CK44", reason="tie-break-not-known", field=text, values=values))
    return findings


def _rank_codes(
    event: Event, rules: RuleSet, codes: Mapping[str, str], unread: Mapping[str, str]
) -> list[str]:
    """The criteria the printed ranks can be held against: points, then the printed columns as far as all are read.

    None for a go event that names its own.
    """
    if _in_own_order(event):
        return []
    usual = "MMS" if event.format == "mcmahon" else "PTS"
    primary = next((code for code in codes.values() if parse(code).name in ("MMS", "ZDF")), usual)
    wanted = [primary]
    for column in TIE_BREAK_COLUMNS:
        if column in unread:
            break
        if column in codes and codes[column] not in wanted:
            wanted.append(codes[column])
    if len(wanted) == 1 and event.tie_breaks and not unread:
        for parsed in map(parse, _leading(event.tie_breaks)):
            if parsed.for_teams:
                break
            if parsed.text not in wanted:
                wanted.append(parsed.text)
    return wanted
