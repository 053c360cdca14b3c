"""The table method: change = K (W - We) with expected scores from the printed table.

One procedure carries out the FIDE regulations (a look-up per game, with the edition's cap) and the
Chinese ones (a look-up of the average, with M Pa - 1/2 for round robins). Everything is a whole number
of ``unit`` parts of a point until the edition's rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating.entrants import Entrants, GameRows, entrants, game_rows, is_round_robin
from qiyi_analysis.rating.expected import ExpectedScores, expected_scores
from qiyi_analysis.rating.initial import with_performances
from qiyi_analysis.rating.k_factor import KChoice, choose_k, limited_k, with_assumed_games
from qiyi_analysis.rules.rounding import ROUNDINGS, half_up, rounded
from qiyi_analysis.rules.ruleset import Block, RuleSet

NOT_KNOWN = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A whole event calculated; arrays per player, and per row of ``rows``.

    ``we`` and ``difference_sum`` (W - We) are in ``unit`` parts of a point, ``change`` in unit parts of
    a rating point. NOT_KNOWN marks values that cannot be known; ``k`` is 0 where K is not known.
    """

    unit: int
    entrants: Entrants
    rows: GameRows
    games: np.ndarray
    half_points: np.ndarray
    average: np.ndarray
    difference: np.ndarray
    expected: np.ndarray
    we: np.ndarray
    k: np.ndarray
    k_article: np.ndarray
    k_choice: KChoice | None  # what the edition's rows allow; None before K is chosen
    change: np.ndarray
    protected: np.ndarray  # champions whose loss was cancelled
    formula: np.ndarray  # game, swiss, round-robin, mixed, none
    row_difference: np.ndarray
    row_counted_difference: np.ndarray
    row_expected: np.ndarray
    findings: tuple[Finding, ...]

    @property
    def calculable(self) -> np.ndarray:
        """Players with a change."""
        return self.change != NOT_KNOWN


def calculate(event: Event, rules: RuleSet) -> Calculation:
    """Carry the edition out on one event, as if it were the whole rating period.

    Raises RulesetError where the edition lacks a block the method needs.
    """
    field = entrants(event, rules)
    rows = game_rows(event, field, rules)
    if rules.value("unrated", "round_robin") == "performance" and is_round_robin(event):
        field = with_performances(event, rules, rows, field)
        rows = game_rows(event, field, rules)
    choice = k_choice(event, rules, field)
    k = _k_factors(event, choice)
    result = with_expectations(field, rows, event, rules)
    result = replace(
        result, k=limited_k(k, result.games, rules), k_article=choice.articles(k), k_choice=choice
    )
    return _changes(result, event, rules)


def with_expectations(field: Entrants, rows: GameRows, event: Event, rules: RuleSet) -> Calculation:
    """Everything before K: games, score and We, for the entrants and rows given.

    ``field`` may hold several copies of the event (``group``); of the event only the format is used.
    """
    size = len(field.number)
    scores = expected_scores(rules)
    counted = rows.counted
    games = np.bincount(rows.player[counted], minlength=size)
    half_points = np.bincount(rows.player[counted], weights=rows.half_points[counted], minlength=size)
    result = Calculation(
        unit=scores.unit,
        entrants=field,
        rows=rows,
        games=games,
        half_points=half_points.astype(np.int64),
        average=np.full(size, NOT_KNOWN),
        difference=np.full(size, NOT_KNOWN),
        expected=np.full(size, NOT_KNOWN),
        we=np.zeros(size, dtype=np.int64),
        k=np.zeros(size, dtype=np.int64),
        k_article=np.full(size, "", dtype=object),
        k_choice=None,
        change=np.full(size, NOT_KNOWN),
        protected=np.zeros(size, dtype=bool),
        formula=np.full(size, "none", dtype=object),
        row_difference=np.full(len(rows.row), NOT_KNOWN),
        row_counted_difference=np.full(len(rows.row), NOT_KNOWN),
        row_expected=np.full(len(rows.row), NOT_KNOWN),
        findings=field.findings,
    )
    by = rules.need("expected")["by"]
    return _per_game(result, rules, scores) if by == "game" else _per_average(result, event, rules, scores)


def _per_game(c: Calculation, rules: RuleSet, scores: ExpectedScores) -> Calculation:
    """A look-up for each game with the edition's cap on the difference (FIDE B.02 8.3.1-8.3.2)."""
    field, rows, counted = c.entrants, c.rows, c.rows.counted
    size = len(field.number)
    difference = np.where(counted, field.rating[rows.player] - field.rating[rows.opponent], 0)
    capped = _capped(difference, rows, field, rules)
    expected = scores.of(capped)
    we = np.bincount(rows.player[counted], weights=expected[counted], minlength=size)
    opponents = np.bincount(
        rows.player[counted], weights=field.rating[rows.opponent[counted]], minlength=size
    ).astype(np.int64)
    some = c.games > 0
    average = np.where(some, half_up(opponents, np.maximum(c.games, 1)), NOT_KNOWN)
    return replace(
        c,
        we=np.where(some, np.rint(we), 0).astype(np.int64),
        average=average,
        formula=np.where(some, "game", "none").astype(object),
        row_difference=np.where(counted, difference, NOT_KNOWN),
        row_counted_difference=np.where(counted, capped, NOT_KNOWN),
        row_expected=np.where(counted, expected, NOT_KNOWN),
    )


def _capped(difference: np.ndarray, rows: GameRows, field: Entrants, rules: RuleSet) -> np.ndarray:
    """Differences as counted. A favourite's relief can be limited to the widest game; a player at or
    above the exemption gets none, whoever the opponent is."""
    cap = rules.block("cap")
    if cap is None:
        return difference
    limit = cap["value"]
    limited = np.clip(difference, -limit, limit)
    if cap["relief"] == "widest-game-only":
        widest = np.zeros(len(difference), dtype=bool)
        sides = [difference > limit]
        if cap.get("underdog", "every-game") == "widest-game-only":
            sides.append(difference < -limit)
        for beyond in sides:
            rows_beyond = np.flatnonzero(beyond & rows.counted)
            order = rows_beyond[
                np.lexsort((rows_beyond, -np.abs(difference[rows_beyond]), rows.player[rows_beyond]))
            ]
            _, first = np.unique(rows.player[order], return_index=True)
            widest[order[first]] = True
            limited = np.where(beyond & ~widest, difference, limited)
    exempt = cap.get("exempt_from")
    if exempt is not None:
        limited = np.where(field.rating[rows.player] >= exempt, difference, limited)
    return limited


def _per_average(c: Calculation, event: Event, rules: RuleSet, scores: ExpectedScores) -> Calculation:
    """One look-up for the average of the opponents, or of all players in a round robin.

    In a mixed xiangqi event the games of a woman below the limit against men and against women are looked up separately
    (art. 9), each group with its own average, and nobody's by the formula of round robins.
    """
    field, rows, counted = c.entrants, c.rows, c.rows.counted
    size = len(field.number)
    mixed = _mixed(field, rules)
    floor, both, special = mixed or (0, False, field.female)
    player, opponent = rows.player[counted], rows.opponent[counted]
    woman_counts = np.maximum(field.rating, floor)
    against_man = special[player] & ~field.female[opponent] if mixed else np.zeros(len(player), dtype=bool)
    man_meets_woman = ~field.female[player] & field.female[opponent] if mixed else against_man
    opponent_rating = np.where(man_meets_woman, woman_counts[opponent], field.rating[opponent])
    # Group 0: everybody's games; group 1: a woman's games against men.
    slot = 2 * player + against_man
    count = np.bincount(slot, minlength=2 * size).reshape(size, 2)
    total = np.bincount(slot, weights=opponent_rating, minlength=2 * size).astype(np.int64).reshape(size, 2)
    own = np.stack([field.rating, woman_counts if both else field.rating], axis=1)
    average, difference = _average_and_difference(total, np.maximum(count, 1), own, rules)
    expected = scores.of(difference)
    we = (count * expected).sum(axis=1)
    split = (count > 0).sum(axis=1) > 1
    group = np.where(count[:, 0] > 0, 0, 1)
    at = np.arange(size)
    some = c.games > 0
    formula = np.where(some, np.where(split, "mixed", "swiss"), "none").astype(object)
    average, difference, expected = (values[at, group] for values in (average, difference, expected))
    uncertain = np.zeros(size, dtype=bool)
    uncertain[player[field.undetermined[opponent]]] = True
    uncertain |= field.undetermined
    block = rules.block("round_robin")
    members = np.bincount(field.group)[field.group]
    extent = block.get("field", "everybody") if block is not None else "everybody"
    applies = is_round_robin(event) or extent != "everybody"
    if block is not None and applies and not mixed and members.max(initial=0) > 1:
        complete, cycles = some, 1
        everybody = np.bincount(field.group, weights=field.rating).astype(np.int64)[field.group]
        if extent == "everybody":
            complete = _complete(c, event, block, members)
            # A member whom nothing gives a rating leaves no average of all players.
            unknown = ~field.has_rating & ~field.undetermined & (field.rating == 0)
            complete &= np.bincount(field.group, weights=unknown)[field.group] == 0
            cycles = 2 if event.format == "double-round-robin" and block["double"] == "twice" else 1
        elif extent == "opponents-met":
            members, everybody = c.games + 1, total.sum(axis=1) + field.rating
        all_average, all_difference = _average_and_difference(everybody, members, field.rating, rules)
        pa = scores.of(all_difference)
        formula[complete] = "round-robin"
        we = np.where(complete, cycles * (members * pa - scores.unit // 2), we)
        average = np.where(complete, all_average, average)
        difference = np.where(complete, all_difference, difference)
        expected = np.where(complete, pa, expected)
        if field.undetermined.any():
            uncertain |= complete
    unclear = split | ~some | uncertain
    return replace(
        c,
        we=np.where(uncertain, NOT_KNOWN, np.where(some, we, 0)).astype(np.int64),
        average=np.where(unclear, NOT_KNOWN, average),
        difference=np.where(unclear, NOT_KNOWN, difference),
        expected=np.where(unclear, NOT_KNOWN, expected),
        formula=formula,
    )


def _mixed(field: Entrants, rules: RuleSet) -> tuple[int, bool, np.ndarray] | None:
    """Floor for women in games against men, whether it holds on both sides, and the mask of the women concerned.

    None in events of one sex, and where no woman is concerned: the article is for women below the floor, and everybody
    else is calculated as in any event.
    """
    block = rules.block("mixed_sex")
    if block is None or not field.female.any() or field.female.all():
        return None
    floor = block["woman_counts_at_least"]
    every = block.get("women", "below-the-limit") == "every-woman"
    special = field.female & (every | (field.rating < floor))
    return (floor, block["counts_for"] == "both", special) if special.any() else None


def _average_and_difference(
    total: np.ndarray, count: np.ndarray, own: np.ndarray, rules: RuleSet
) -> tuple[np.ndarray, np.ndarray]:
    """Average rounded half up, then D; or D formed exactly and then rounded (the alternative); or, for
    a closed law in the table's place, D not rounded at all. D is limited by the edition's cap, if any."""
    average = half_up(total, count)
    how = rules.value("average", "rounded", "average")
    if how == "difference":
        difference = half_up(own * count - total, count)
    elif how == "not":
        difference = own - total / count
    else:
        difference = own - average
    cap = rules.block("cap")
    if cap is not None:
        exempt = own >= cap.get("exempt_from", np.inf)
        difference = np.where(exempt, difference, np.clip(difference, -cap["value"], cap["value"]))
    return average, difference


def _complete(c: Calculation, event: Event, block: Block, members: np.ndarray) -> np.ndarray:
    """Players to whom the round-robin formula applies: all games of the cycle(s) played, or 'keep'."""
    size = len(members)
    cycles = 2 if event.format == "double-round-robin" else 1
    if cycles == 2 and block["double"] == "swiss-formula":
        return np.zeros(size, dtype=bool)
    if block["with_unplayed_games"] == "keep":
        return c.games > 0
    return c.games == cycles * (members - 1)


def _changes(c: Calculation, event: Event, rules: RuleSet) -> Calculation:
    """Change = K (W - We), then the protection of champions (xiangqi art. 8)."""
    first, doubtful, codes = protected_champions(event, rules)
    c = with_changes(c, first)
    findings = [
        Finding(
            code=code,
            reason=reason,
            player=int(c.entrants.number[i]),
            article=rules.cite("champion"),
            values=values,
        )
        for mask, code, reason, values in (
            (doubtful & c.calculable & (c.change < 0), "CK44", "champion-not-known", {}),
            (c.protected & bool(codes), "CK41", "champion-by-standings", {"codes": codes}),
        )
        for i in np.flatnonzero(mask)
    ]
    return replace(c, findings=(*c.findings, *findings))


def with_changes(c: Calculation, champions: np.ndarray) -> Calculation:
    """The calculation with its changes from K, score and We; champions do not lose."""
    known = (c.k > 0) & c.entrants.has_rating & (c.we != NOT_KNOWN)
    w_minus_we = c.half_points * c.unit // 2 - np.where(c.we == NOT_KNOWN, 0, c.we)
    change = np.where(known, c.k * w_minus_we, NOT_KNOWN)
    protected = champions & known & (change < 0)
    return replace(c, change=np.where(protected, 0, change), protected=protected)


def protected_champions(event: Event, rules: RuleSet) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Masks of the players an edition protects as champions, and of those who may be one; and the criteria by which the
    standings were recomputed for it (none where ranks are printed)."""
    block = rules.block("champion")
    if block is None or not block["protected"] or event.format.startswith("team"):
        nobody = np.zeros(len(event.players), dtype=bool)
        return nobody, nobody, ()
    return champions(event, block["shared_first"])


def champions(event: Event, shared_first: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Masks of the champions, and of players who may be champions where nothing decides it; and the criteria used.

    A printed rank 1 decides; without ranks the standings recomputed by the rules of the event do.
    """
    rank = event.players["rank"].to_numpy()
    nobody = np.zeros(len(rank), dtype=bool)
    codes: tuple[str, ...] = ()
    if np.isnan(rank).all():
        if not (event.games["second"].to_numpy() != 0).any():
            return nobody, nobody, codes
        from qiyi_analysis.tiebreaks.ranking import standings

        try:
            table = standings(event, of="players")
        except (EventError, ParameterError):
            return nobody, ~nobody, codes
        rank, codes = table.ranks.astype(np.float64), tuple(code.text for code in table.codes)
    first = rank == np.nanmin(rank)
    if shared_first == "ranked-first-only" and first.sum() > 1:
        if codes:
            return nobody, first, codes
        first = np.arange(len(rank)) == int(np.flatnonzero(first)[0])
    return first, nobody, codes


def _k_factors(event: Event, choice: KChoice) -> np.ndarray:
    """K per player, 0 = not known: the K printed in the file or known from the list, else the edition's."""
    printed = event.players["k"].to_numpy()
    # A K of 0 in a list means not known (C09), never zero; nor is 12.5 or 10**14 one.
    usable = usable_k(printed)
    return np.where(usable, np.where(usable, printed, 0).astype(np.int64), choice.k)


#: No regulation has a K beyond this; a larger number in the column is something else.
LARGEST_K = 999


def usable_k(values: np.ndarray) -> np.ndarray:
    """Whether numbers can be K-factors: whole, above zero, of ordinary size."""
    return (values > 0) & (values <= LARGEST_K) & (values == np.floor(values))


def k_choice(event: Event, rules: RuleSet, field: Entrants) -> KChoice:
    """The K-factors that the edition allows each player, from what the event says of them."""
    players, day = event.players, event.start or event.end
    facts = {
        name: players[column].to_numpy(dtype=np.float64).copy()
        for name, column in (("games", "games_before"), ("peak", "peak"), ("events", "events_before"))
    }
    # A player without a rating has no rated games and has never been published.
    new = ~(field.has_rating & ~field.provisional)
    for values in facts.values():
        values[new & np.isnan(values)] = 0
    facts["rating"] = np.where(field.has_rating, field.base, np.nan)
    facts["birth_year"] = players["birth_year"].to_numpy(dtype=np.float64)
    facts["age"] = np.array([_age(text, day) for text in players["birth_date"].tolist()], dtype=np.float64)
    return choose_k(rules, with_assumed_games(rules, facts), day)


def _age(birth_date: str, day: date | None) -> float:
    """Completed years on a day; NaN where the date of birth or the day is not known."""
    try:
        born = date.fromisoformat(birth_date) if len(birth_date) == 10 and day else None
    except ValueError:
        born = None
    if born is None or day is None:
        return np.nan
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def new_ratings(c: Calculation, rules: RuleSet) -> tuple[np.ndarray, np.ndarray]:
    """Rounded change and new rating (as floats, NaN where not known), by the edition's rounding.

    The new rating is as if the event were the whole period; where a floor holds it, the rounded change is what is left.
    """
    change, new = _without_floor(c, rules)
    held = floored(new, c.entrants.base, rules)
    return change + (held - new), held


def floored(new: np.ndarray, base: np.ndarray, rules: RuleSet) -> np.ndarray:
    """New ratings held by the edition's floor, if it has one: nobody falls below it, nor further who was below it."""
    lowest = rules.value("floor", "lowest")
    return new if lowest is None else np.maximum(new, np.minimum(base, lowest))


def _without_floor(c: Calculation, rules: RuleSet) -> tuple[np.ndarray, np.ndarray]:
    block = rules.need("change")
    known = c.calculable
    change = np.where(known, c.change, 0)
    if block["rounding"] not in ROUNDINGS:
        exact = change / c.unit
        return np.where(known, exact, np.nan), np.where(known, c.entrants.base + exact, np.nan)
    if block["rounded"] == "rating":
        # The list's decimals, if any, are whole hundredths.
        base = np.rint(np.where(known, c.entrants.base, 0) * 100).astype(np.int64)
        new = rounded(base * c.unit + 100 * change, 100 * c.unit, block["rounding"])
        return np.where(known, new - c.entrants.base, np.nan), np.where(known, new, np.nan)
    whole = rounded(change, c.unit, block["rounding"])
    return np.where(known, whole, np.nan), np.where(known, c.entrants.base + whole, np.nan)
