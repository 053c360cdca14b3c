"""The systems that look nothing up in a printed table, written as cell formulas.

A formula stands only where the numbers on the sheet give the library's value; what a procedure finds (the special
formula of US Chess, the bonus of the Irish union, the most probable ratings of the AGA, the coefficient of the DWZ) stays a value.
The constants stand on the conversion sheet under the names used here, each with its article. Rows are counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from qiyi_analysis.rating import aga, egf, uscf
from qiyi_analysis.report.kit.tables import is_missing

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit
    from qiyi_analysis.rules.ruleset import RuleSet

Facts = Mapping[Any, Any]
#: A row and the values of its player (or game) -> a formula without its "=", or None.
PlayerFormula = Callable[[int, Facts], str | None]

#: A player's games and colour are found by round, player and opponent.
_Side = dict[tuple[int, int, int], tuple[bool, float, float]]


@dataclass(frozen=True, kw_only=True)
class System:
    """How one method is written in cells.

    ``constants``: name, value and article of what the formulas refer to; a sequence of values fills a column.
    ``expected`` gives the formula of a row on the games' sheet, or None; ``game_values`` the values of its further
    columns.
    """

    constants: tuple[tuple[str, Any, str], ...]
    places: int
    expected: PlayerFormula
    k: PlayerFormula
    bonus: PlayerFormula
    change: PlayerFormula
    new: PlayerFormula
    has_bonus: bool = False
    game_columns: tuple[str, ...] = ()
    game_values: Callable[[Facts], tuple[Any, ...]] = lambda game: ()


def system_of(audit: Audit) -> System | None:
    """The system of an audit's rating; None where the method is that of the printed table."""
    if audit.rating is None:
        return None
    make = SYSTEMS.get(audit.rating.rules.value("method", "name"))
    return None if make is None else make(audit)


def _constants(rules: RuleSet, block: str, names: Mapping[str, str]) -> tuple[tuple[str, Any, str], ...]:
    """Rows for the conversion sheet: name in the formulas -> key of the block."""
    found = rules.need(block)
    return tuple((name, _plain(found[key]), rules.cite(block)) for name, key in names.items())


def _plain(value: Any) -> Any:
    return (
        [float(one) for one in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else float(value)
    )


def _none(row: int, c: Facts) -> None:
    return None


def _near(one: Any, other: float, places: int) -> bool:
    return not is_missing(one) and abs(float(one) - other) <= 10**-places


def _surplus(c: Facts) -> float:
    """K (W - We) of the numbers shown; NaN where one is missing."""
    if any(is_missing(c.get(key)) for key in ("k", "w_minus_we")):
        return float("nan")
    return float(c["k"]) * float(c["w_minus_we"])


def _sides(audit: Audit) -> _Side:
    """Round, player, opponent -> whether the player moved first, stones and komi of the game."""
    found: _Side = {}
    games = audit.event.games
    for turn, first, second, stones, komi in zip(
        games["round"], games["first"], games["second"], games["handicap"], games["komi"], strict=True
    ):
        values = (0.0 if isnan(stones) else float(stones), 0.0 if isnan(komi) else float(komi))
        found[int(turn), int(first), int(second)] = (True, *values)
        found[int(turn), int(second), int(first)] = (False, *values)
    return found


# --- go ---------------------------------------------------------------------------------------------------


def _stones(sides: _Side) -> Callable[[Facts], tuple[Any, ...]]:
    """Handicap stones, above zero where the player has them, below where the opponent has them."""

    def values(game: Facts) -> tuple[Any, ...]:
        is_first, stones, _ = sides.get(
            (game["round"], game["number"], game["opponent"] or 0), (True, 0.0, 0.0)
        )
        return (stones if is_first else -stones,)

    return values


#: The two ratings of a game with Black's handicap added; row r of the games' sheet.
_OWN = "(F{r}+IF(O{r}>0,stone_points*(O{r}-stone_less),0))"
_OPPONENT = "(G{r}+IF(O{r}<0,stone_points*(-O{r}-stone_less),0))"


def _european(audit: Audit, constants: tuple[tuple[str, Any, str], ...], **formulas: Any) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    factor, _ = egf.event_factor(audit.event, rules)
    places = rules.need("change")["decimals"]
    return System(
        constants=(
            *constants,
            ("class_factor", factor, rules.cite("event_class")),
            *_constants(rules, "handicap", {"stone_points": "points", "stone_less": "less"}),
        ),
        places=places,
        game_columns=("stones",),
        game_values=_stones(_sides(audit)),
        new=lambda r, c: f"ROUND(MAX(F{r}+P{r},MIN(gor_lowest,F{r})),{places})",
        **formulas,
    )


def _egf(audit: Audit) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    places = rules.need("change")["decimals"]
    names = {
        "gor_top": "top", "gor_beta": "beta", "con_divisor": "con_divisor", "con_power": "con_power", "bonus_centre": "bonus_centre",
        "bonus_width": "bonus_width", "bonus_share": "bonus_share", "gor_lowest": "lowest",
    }  # fmt: skip
    expected = f"1/(1+EXP(gor_beta*(LN(gor_top-{_OWN})-LN(gor_top-{_OPPONENT}))))"
    return _european(
        audit,
        _constants(rules, "gor", names),
        expected=lambda r, game: expected.format(r=r),
        k=lambda r, c: f"((gor_top-F{r})/con_divisor)^con_power",
        bonus=lambda r, c: f"class_factor*H{r}*LN(1+EXP((bonus_centre-F{r})/bonus_width))/bonus_share",
        has_bonus=True,
        change=lambda r, c: f"ROUND(class_factor*O{r}*N{r}+W{r},{places})",
    )


def _egf_steps(audit: Audit) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    places = rules.need("change")["decimals"]
    names = {
        "con_from": "con_from", "con_step": "con_step", "a_zero": "a_zero", "a_divisor": "a_divisor", "a_least": "a_least",
        "a_most": "a_most", "epsilon": "epsilon", "gor_lowest": "lowest", "con_steps": "con",
    }  # fmt: skip
    count = len(rules.need("gor_steps")["con"])
    width = "MIN(a_most,MAX(a_least,a_zero-MIN(F{r},G{r})/a_divisor))"
    expected = f"1/(EXP(({_OPPONENT}-{_OWN})/{width})+1)-epsilon/2"
    return _european(
        audit,
        _constants(rules, "gor_steps", names),
        expected=lambda r, game: expected.format(r=r),
        k=lambda r, c: f"INDEX(con_steps,MAX(1,MIN({count},INT((F{r}-con_from)/con_step)+1)))",
        bonus=_none,
        change=lambda r, c: f"ROUND(class_factor*O{r}*N{r},{places})",
    )


def _aga(audit: Audit) -> System:
    """Expectations of the games; the new ratings are the most probable ones of all players together."""
    assert audit.rating is not None
    rating = audit.rating
    rules, sides = rating.rules, _sides(audit)
    seeds = dict(zip(rating.players["number"].tolist(), rating.players["seed"].tolist(), strict=True))
    listed = dict(zip(rating.players["number"].tolist(), rating.players["rating"].tolist(), strict=True))

    def values(game: Facts) -> tuple[Any, ...]:
        pair = (game["number"], game["opponent"])
        if any(is_missing(listed.get(one)) or listed[one] != seeds[one] for one in pair):
            return (None, None)  # who promoted himself is expected to play as well as he says
        is_first, stones, komi = sides[game["round"], game["number"], game["opponent"]]
        equivalent, spread = aga.game_scale(np.array(stones), np.array(komi), rules)
        return (float(equivalent) * (1 if is_first else -1), float(spread))

    closed = "IF({x}{r}>0,{x}{r}-gap,{x}{r}+gap)"
    expected = f"NORMSDIST(({closed.replace('{x}', 'F')}-{closed.replace('{x}', 'G')}+O{{r}})/P{{r}})"
    return System(
        constants=_constants(rules, "bayrate", {"gap": "gap"}),
        places=rules.need("change")["decimals"],
        expected=lambda r, game: None if values(game)[1] is None else expected.format(r=r),
        k=_none,
        bonus=_none,
        change=_none,
        new=_none,
        game_columns=("equivalent", "spread"),
        game_values=values,
    )


# --- chess ------------------------------------------------------------------------------------------------


def _dwz(audit: Audit) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    places = rules.need("change")["decimals"]
    unit = 10 ** rules.need("normal_law")["decimals"]
    high = f"IF(ABS(I{{r}})>=certain_from,1,INT({unit}*NORMSDIST(ABS(I{{r}})/SQRT(variance))+0.5)/{unit})"
    gain = "IF(H{r}=0,0,gain*N{r}/(O{r}+H{r}))"

    def expected(r: int, game: Facts) -> str | None:
        # The table of the law is made for whole differences; a rating with decimals is rounded before.
        if float(game["difference"]) != int(game["difference"]):
            return None
        return f"IF(I{{r}}>=0,{high},1-({high}))".format(r=r)

    def known(formula: str) -> PlayerFormula:
        return lambda r, c: None if is_missing(c["k"]) else formula.format(r=r)

    new = "INT(ROUND(F{r}+" + gain + ",8)+0.5)" if rules.value("change", "rounding") == "half-up" else ""
    return System(
        constants=(
            *_constants(rules, "normal_law", {"variance": "variance", "certain_from": "certain_from"}),
            *_constants(rules, "development", {"gain": "gain"}),
        ),
        places=places,
        expected=expected,
        k=_none,
        bonus=_none,
        change=known(f"ROUND({gain},{places})"),
        new=known(new) if new else _none,
    )


_LOGISTIC = "1/(1+10^(-I{r}/scale))"


def _icu(audit: Audit) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    places = rules.need("change")["decimals"]

    def change(r: int, c: Facts) -> str | None:
        given = 0.0 if is_missing(c.get("bonus")) else float(c["bonus"])
        return f"ROUND(O{r}*N{r}+W{r},{places})" if _near(c["change"], _surplus(c) + given, 2) else None

    return System(
        constants=_constants(rules, "logistic_law", {"scale": "scale"}),
        places=places,
        expected=lambda r, game: _LOGISTIC.format(r=r),
        k=_none,
        bonus=_none,
        has_bonus=True,
        change=change,
        new=lambda r, c: f"ROUND(F{r}+P{r},{places})",
    )


def _uscf(audit: Audit) -> System:
    assert audit.rating is not None
    rules = audit.rating.rules
    places = rules.need("change")["decimals"]
    special, bonus = rules.need("special_formula"), rules.need("bonus")
    before = dict(
        zip(audit.event.players["number"].tolist(), audit.event.players["games_before"].tolist(), strict=True)
    )
    limit = "IF(F{r}>formula_up_to,most,most/SQRT(constant+slope*(centre-F{r})^2))"

    def standard(c: Facts) -> bool:
        """Whether the player is rated by the standard formula, as far as the numbers before the event say."""
        earlier = before[c["number"]]
        return not is_missing(c["rating"]) and (isnan(earlier) or earlier > special["games_at_most"])

    def k(r: int, c: Facts) -> str | None:
        earlier = before[c["number"]]
        if not standard(c) or is_missing(c["k"]):
            return None
        games = uscf.effective_games(float(c["rating"]), inf if isnan(earlier) else earlier, rules)
        effective = limit if isnan(earlier) else f"MIN({earlier:g},{limit})"
        plain = uscf.k_factor(float(c["rating"]), games, int(c["games"]), rules)
        return f"gain/({effective.format(r=r)}+H{r})" if _near(c["k"], plain, 3) else None

    def beyond(c: Facts) -> float:
        return _surplus(c) - bonus["threshold"] * sqrt(max(int(c["games"]), bonus["games_counted_at_least"]))

    def bonus_formula(r: int, c: Facts) -> str | None:
        if not standard(c) or is_missing(c.get("bonus")) or not _near(c["bonus"], max(0.0, beyond(c)), 2):
            return None
        return f"MAX(0,O{r}*N{r}-threshold*SQRT(MAX(H{r},counted_at_least)))"

    def change(r: int, c: Facts) -> str | None:
        given = 0.0 if is_missing(c.get("bonus")) else float(c["bonus"])
        # Without a bonus that the formula gives, only none at all fits the standard formula.
        if not standard(c) or (given and bonus_formula(r, c) is None):
            return None
        return f"ROUND(O{r}*N{r}+W{r},{places})" if _near(c["change"], _surplus(c) + given, 2) else None

    return System(
        constants=(
            *_constants(rules, "logistic_law", {"scale": "scale"}),
            *_constants(
                rules, "effective_games",
                {"most": "most", "constant": "constant", "slope": "slope", "centre": "centre", "formula_up_to": "formula_up_to", "gain": "gain"},
            ),
            *_constants(rules, "bonus", {"threshold": "threshold", "counted_at_least": "games_counted_at_least"}),
        ),
        places=places,
        expected=lambda r, game: _LOGISTIC.format(r=r),
        k=k,
        bonus=bonus_formula,
        has_bonus=True,
        change=change,
        new=lambda r, c: f"ROUND(F{r}+P{r},{places})",
    )  # fmt: skip


#: Method of a rule file -> its formulas; methods with the printed table are not among them.
SYSTEMS: dict[str, Callable[[Audit], System]] = {
    "egf": _egf,
    "egf-steps": _egf_steps,
    "aga": _aga,
    "dwz": _dwz,
    "icu": _icu,
    "uscf": _uscf,
}
