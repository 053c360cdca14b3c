"""Printed ranks and tie-breaks against recomputed ones: a verdict per player and criterion, and why they differ.

A cause is a change of the rules or of the reading of the event with which the ordinary calculation gives the printed
value exactly. Ranks are compared as groups: inside a tie that the criteria leave, any order is right.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import qiyi_analysis.ruleset as rulesets
from qiyi_analysis.errors import EventError, ParameterError
from qiyi_analysis.findings import Cause, Finding
from qiyi_analysis.model import TIE_BREAK_COLUMNS, Event, Kind, Result
from qiyi_analysis.ruleset import RuleSet
from qiyi_analysis.tiebreaks import berger, counting
from qiyi_analysis.tiebreaks.codes import Code, parse
from qiyi_analysis.tiebreaks.column import INTEGER, MEAN, POINTS, PRODUCT, Column
from qiyi_analysis.tiebreaks.grid import is_round_robin
from qiyi_analysis.tiebreaks.ranking import Standings, standings
from qiyi_analysis.tiebreaks.registry import TEAM_ONLY
from qiyi_analysis.tiebreaks.work import FIDE, document_for, in_force

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
    codes, unread = read_columns(event, rules)
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


# --- what the columns are -------------------------------------------------------------------------

_WORDS: tuple[tuple[str, str], ...] = (
    (r"\bSOSOSM?\b", "SOSOS"),
    (r"\bSOSM?\b", "SOS"),
    (r"\bSODOSM?\b", "SODOS"),
    (r"\bMMS\b|mc\s?mahon score", "MMS"),
    (r"average.*(opponents?).*buchholz", "AOB"),
    (r"fore.?buchholz", "FB"),
    (r"buchholz|bucholz", "BH"),
    (r"sonneborn|s\.?-?b\.?\b", "SB"),
    (r"direct encounter|direct.*(result|comparison)|head.to.head", "DE"),
    (r"koya", "KS"),
    (r"progressive|cumulative", "PS"),
    (r"(wins|games won|won).*black", "BWG"),
    (r"black", "BPG"),
    (r"games won|won games", "WON"),
    (r"wins|victories", "WIN"),
    (r"average.*(rating|elo)|(rating|elo).*average|\baro\b", "ARO"),
    (r"perfect.*performance", "PTP"),
    (r"performance", "TPR"),
    (r"胜者小分|小分", "XF"),
    (r"对手分|对手积分", "DSF"),
    (r"累进分", "LJF"),
    (r"胜局", "SJ"),
    (r"直胜", "ZS"),
    (r"犯规", "FG"),
    (r"总得分", "ZDF"),
    (r"^(points|pts|积分|score)$", "PTS"),
)
_EDITIONS: tuple[tuple[str, str], ...] = (
    (r"2026|capped|cap of the dummy", "@2026"),
    (r"virtual opponent|until 2023|before 2023|pre.?2023", "@pre2023"),
    (r"2024", "@2024"),
    (r"2023|dummy", "@2023"),
)
_CUTS: tuple[tuple[str, str], ...] = (
    (r"median.?2", "/M2"),
    (r"median", "/M1"),
    (r"cut.?2|two lowest", "/C2"),
    (r"cut.?1|cut\b|without the lowest", "/C1"),
)
_TAKES_CUT = frozenset({"BH", "FB", "SB", "ARO", "PS", "SOS"})


def read_columns(event: Event, rules: RuleSet) -> tuple[dict[str, str], dict[str, str]]:
    """Codes of the printed tie-break columns, and the words of those that no code is certain for.

    Words go by ``tie_break_columns``; without them the event's own list of codes names the columns in order.
    """
    codes: dict[str, str] = {}
    unread: dict[str, str] = {}
    printed = [name for name in TIE_BREAK_COLUMNS if event.players[name].notna().any()]
    listed = [code for code in event.tie_breaks if code.upper() not in ("PTS", "DE")]
    for i, column in enumerate(printed):
        words = str(event.tie_break_columns.get(column, "")).strip()
        code = _code(words) if words else None
        if code is None and not words and len(event.tie_breaks) >= len(printed):
            # A list that begins with the points names the columns after it, or the points column as well.
            after_points = event.tie_breaks if event.tie_breaks[0].upper() != "PTS" else event.tie_breaks[1:]
            code = after_points[i] if i < len(after_points) and listed else None
        if code is None or not _usable(code, event) or code in codes.values():
            unread[column] = words
        else:
            codes[column] = code
    return codes, unread


def _code(words: str) -> str | None:
    try:
        return parse(words).text
    except ParameterError:
        pass
    lowered = words.casefold()
    # What stands before a colon names the value; the rest explains it.
    for part in dict.fromkeys((lowered.split(":")[0], lowered)):
        for pattern, name in _WORDS:
            if re.search(pattern, part, re.IGNORECASE):
                cut = (
                    next((text for find, text in _CUTS if re.search(find, lowered)), "")
                    if name in _TAKES_CUT
                    else ""
                )
                edition = ""
                if name in ("BH", "FB", "SB", "AOB"):
                    edition = next((text for find, text in _EDITIONS if re.search(find, lowered)), "")
                return f"{name}{edition}{cut}"
    return None


def _usable(code: str, event: Event) -> bool:
    try:
        return bool(parse(code).name)
    except ParameterError:
        return False


# --- values of one column -------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """A way the printed value may have come about: a word for it, what exactly, and the calculation."""

    cause: str
    detail: str
    run: Callable[[], Column]


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


def variants(event: Event, rules: RuleSet, code: Code) -> list[Variant]:
    """The ways a printed value of ``code`` goes wrong in practice."""
    found: list[Variant] = []

    def add(cause: str, detail: str, run: Callable[[], Column]) -> None:
        found.append(Variant(cause, detail, run))

    def value(
        changed: Event = event, with_rules: RuleSet = rules, text: str = code.text, **options: Any
    ) -> Column:
        return standings(
            changed, ["PTS", text] if text != "PTS" else ["PTS"], with_rules, of="players", **options
        ).column(text)

    plain = replace(code, edition="", text="")
    bare = plain.bare + (f"/U{code.unrated}" if code.unrated is not None else "")
    name, _, tail = bare.partition("/")
    if code.name in ("BH", "FB", "SB", "AOB"):
        own = code.edition or str(rules.value("edition", "name", ""))
        for id in rulesets.editions(FIDE):
            other = rulesets.ruleset(id).need("edition")["name"]
            if other != own:
                text = f"{name}@{other}" + (f"/{tail}" if tail else "")
                cause = "virtual-opponent" if other == "pre2023" else "other-edition"
                add(cause, f"@{other}", lambda text=text: value(text=text))  # type: ignore[misc]
        if "P" not in tail.split("/"):
            text = f"{code.text}/P"
            add(
                "forfeit-as-game",
                "forfeits as games against the scheduled opponent",
                lambda: value(text=text),
            )
    if is_round_robin(event):
        swiss = dataclasses.replace(event, format="swiss")
        add(
            "swiss-rule",
            "the rule for Swiss events: dummy opponents for forfeits and free rounds",
            lambda: value(swiss),
        )
    if (event.games["kind"] == Kind.FORFEIT).any():
        add(
            "forfeit-as-bye",
            "forfeit wins as byes, forfeit losses as absences",
            lambda: value(_forfeits_as_byes(event)),
        )
        add("forfeit-as-played", "forfeits as games over the board", lambda: value(_forfeits_played(event)))
    if (event.games["kind"] == Kind.FULL_BYE).any() or (event.games["kind"] == Kind.PAB).any():
        add("bye-as-requested", "given byes as requested ones", lambda: value(_byes_requested(event)))
    if (event.games["kind"] == Kind.HALF_BYE).any() or (event.games["kind"] == Kind.ZERO_BYE).any():
        add("bye-as-given", "requested byes as given ones", lambda: value(_byes_given(event)))
    if code.low and not code.high:
        base = replace(code, low=0)
        add("not-cut", "nothing cut", lambda: value(text=_spelled(base)))
        if code.name in ("BH", "FB", "SB"):
            naive = rulesets.ruleset(rules.id) if rules.document == FIDE else None
            if naive is not None and not code.edition:
                wrong = naive.with_block("cut", voluntary_first=False)
                add(
                    "cut-wrong-round",
                    "the lowest value cut, not the voluntary unplayed round",
                    lambda: value(with_rules=wrong),
                )
    elif code.name in ("BH", "SB", "FB", "ARO", "PS"):
        add("cut", "one value cut", lambda: value(text=_spelled(replace(code, low=1))))
    if not code.edition:
        for reading in rules.rows("reading"):
            for other_reading in reading["others"]:
                read = rules.with_block(reading["block"], **{reading["key"]: other_reading})
                detail = f"{reading['name']}: {other_reading}"
                add("other-reading", detail, lambda read=read: value(with_rules=read))  # type: ignore[misc]
    last = event.rounds_played
    if last > 1:
        add("before-last-round", f"standings after round {last - 1}", lambda: value(through=last - 1))
    if code.name in ("BH", "SB"):
        add(
            "opponents-before-last-round",
            "fore Buchholz",
            lambda: value(text=_spelled(replace(code, name="FB"))),
        ) if code.name == "BH" else None
    return found


def _spelled(code: Code) -> str:
    name, _, tail = replace(code, edition="").bare.partition("/")
    parts = [name + (f"@{code.edition}" if code.edition else "")] + ([tail] if tail else [])
    return "/".join(parts) + (f"/U{code.unrated}" if code.unrated is not None else "")


def _forfeits_as_byes(event: Event) -> Event:
    """The same event from a file that writes ``0000 - +`` where another writes the scheduled opponent."""
    games = event.games.copy()
    forfeits = games["kind"].to_numpy() == Kind.FORFEIT
    rows = []
    for game in games[forfeits].to_dict("records"):
        for side in ("first", "second"):
            won = game[f"{side}_result"] == Result.WIN
            if game[side]:
                rows.append(
                    {
                        **game,
                        "first": game[side],
                        "second": 0,
                        "first_result": "",
                        "second_result": "",
                        "first_points": game[f"{side}_points"],
                        "second_points": np.nan,
                        "kind": str(Kind.FULL_BYE if won else Kind.ZERO_BYE),
                        "colours_known": False,
                    }
                )
    return event.with_games(
        pd.concat([games[~forfeits], pd.DataFrame(rows, columns=games.columns)], ignore_index=True)
    )


def _kinds(event: Event, change: Mapping[str, str]) -> Event:
    games = event.games.copy()
    games["kind"] = [change.get(kind, kind) for kind in games["kind"]]
    return event.with_games(games)


def _forfeits_played(event: Event) -> Event:
    return _kinds(event, {Kind.FORFEIT: str(Kind.UNRATED), Kind.DOUBLE_FORFEIT: str(Kind.DOUBLE_LOSS)})


def _byes_requested(event: Event) -> Event:
    return _kinds(event, {Kind.FULL_BYE: str(Kind.HALF_BYE), Kind.PAB: str(Kind.HALF_BYE)})


def _byes_given(event: Event) -> Event:
    return _kinds(event, {Kind.HALF_BYE: str(Kind.PAB), Kind.ZERO_BYE: str(Kind.PAB)})


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


__all__ = ["Comparison", "Variant", "agreement", "check", "compare", "read_columns", "variants"]
