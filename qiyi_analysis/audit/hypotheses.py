"""Hypotheses: named variants of an event or of its rules, recomputed by the ordinary code.

A hypothesis is a function ``(event, rules) -> (event, rules)``. The switches of the regulations'
ambiguities, editions side by side, the causes of a discrepancy and an officer's 'without this game' are
all hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import EventError, RulesetError
from qiyi_analysis.model.event import Event, Kind, Result
from qiyi_analysis.model.identity import match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.expected import LAWS
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.words import Said, joined, named, said

Apply = Callable[[Event, RuleSet], tuple[Event, RuleSet]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A named variant. ``cause`` is a word of the interface, ``detail`` says what exactly differs, in both languages."""

    cause: str
    detail: str
    apply: Apply
    #: A variant supported by evidence at hand (a rating list) goes before one that is only possible.
    supported: bool = False


def _rules(cause: str, detail: str, change: Callable[[RuleSet], RuleSet]) -> Hypothesis:
    return Hypothesis(cause=cause, detail=detail, apply=lambda event, rules: (event, change(rules)))


def _with(block: str, **values: Any) -> Callable[[RuleSet], RuleSet]:
    """The rules with values of a block changed."""
    return lambda rules: rules.with_block(block, **values)


def _without(block: str) -> Callable[[RuleSet], RuleSet]:
    """The rules with a block missing."""
    return lambda rules: rules.without_block(block)


def _with_k(k: int) -> Apply:
    return lambda event, rules: (event.with_players(k=float(k)), rules.without_block("k_limit"))


def _edition(id: str) -> Callable[[RuleSet], RuleSet]:
    return lambda rules: rulesets.ruleset(id)


def _uncapped(law: str) -> Callable[[RuleSet], RuleSet]:
    return lambda rules: rules.with_block("expected", law=law).without_block("cap")


def _average_not_rounded(law: str) -> Callable[[RuleSet], RuleSet]:
    return lambda rules: rules.with_block("expected", law=law).with_block("average", rounded="not")


def _unrated_at(value: int) -> Callable[[Event], Event]:
    return lambda event: event.with_players(rating=event.players["rating"].fillna(float(value)))


def _listed(one: RatingList) -> Callable[[Event], Event]:
    return lambda event: ratings_from(event, one)


def _event(
    cause: str, detail: str, change: Callable[[Event], Event], *, supported: bool = False
) -> Hypothesis:
    return Hypothesis(
        cause=cause, detail=detail, apply=lambda event, rules: (change(event), rules), supported=supported
    )


def for_event(event: Event, rules: RuleSet, lists: Sequence[RatingList] = ()) -> Iterator[Hypothesis]:
    """The plausible mistakes of a whole calculation: other rules, other lists, other games counted."""
    yield from _other_k(rules)
    yield from _other_editions(rules)
    if rules.value("method", "name") == "table":
        yield from _other_laws(rules)
        yield from _other_formulas(event, rules)
        yield from _other_roundings(rules)
        yield from _other_caps(rules)
        yield from _other_games(event, rules)
        yield from other_readings(rules)
        yield from _forgotten_protections(rules)
    yield from _alternatives(rules)
    yield from _other_lists(event, lists)


def _other_k(rules: RuleSet) -> Iterator[Hypothesis]:
    """Every K that any regulation with the same method knows, given to all players."""
    for k in sorted(known_k(rules)):
        yield Hypothesis(cause="other-k", detail=f"K {k}", apply=_with_k(k))
    if rules.block("k_limit") is not None:
        limit = rules.value("k_limit", "product")
        yield _rules("other-k", said("cause-detail.k-unlimited", limit=limit), _without("k_limit"))


def known_k(rules: RuleSet) -> set[int]:
    """The K-factors of the edition and of every regulation here with its method."""
    method = rules.value("method", "name")
    alike = [one for one in rulesets.all_rulesets() if one.value("method", "name") == method]
    return {row["k"] for one in (rules, *alike) for row in one.rows("k_factor")}


def _editions(rules: RuleSet) -> tuple[str, ...]:
    try:
        return rulesets.editions(rules.document)
    except RulesetError:
        return ()  # a rule file of the user's own


def _other_editions(rules: RuleSet) -> Iterator[Hypothesis]:
    for id in _editions(rules):
        if id != rules.id:
            yield _rules("other-edition", id, _edition(id))


def _other_laws(rules: RuleSet) -> Iterator[Hypothesis]:
    for law in LAWS:
        name = said(f"law.{law}")
        yield _rules("formula", name, _with("expected", law=law))
        if rules.block("cap") is not None:
            yield _rules("formula", said("cause-detail.law-uncapped", law=name), _uncapped(law))
        if rules.value("expected", "by") == "average":
            by_game = _with("expected", law=law, by="game")
            yield _rules("formula", said("cause-detail.law-by-game", law=name), by_game)
            exact = said("cause-detail.law-average-exact", law=name)
            yield _rules("formula", exact, _average_not_rounded(law))


def _other_formulas(event: Event, rules: RuleSet) -> Iterator[Hypothesis]:
    """One look-up for the average against one per game; M Pa - 1/2 against N Pc."""
    if rules.value("expected", "by") == "game":
        average = said("cause-detail.average-looked-up")
        yield _rules("average-opponent", average, _with("expected", by="average"))
        return
    yield _rules("per-game", said("cause-detail.game-looked-up"), _with("expected", by="game"))
    if rules.block("round_robin") is None:
        return
    if event.format in ("round-robin", "double-round-robin"):
        yield _rules("swiss-formula", said("cause-detail.swiss-formula"), _without("round_robin"))
    else:
        for extent, detail in (
            ("everybody-in-any-format", said("cause-detail.round-robin-everybody")),
            ("opponents-met", said("cause-detail.round-robin-met")),
        ):
            yield _rules("round-robin-formula", detail, _with("round_robin", field=extent))
        yield Hypothesis(
            cause="round-robin-formula",
            detail=said("cause-detail.as-round-robin"),
            apply=lambda event, rules: (
                replace(event, format="round-robin"),
                rules.with_block("round_robin", with_unplayed_games="keep"),
            ),
        )


def _other_roundings(rules: RuleSet) -> Iterator[Hypothesis]:
    causes = {"half-even": "half-even", "toward-zero": "truncated", "half-up": "half-up"}
    for name, cause in causes.items():
        if rules.value("change", "rounding") != name:
            yield _rules(cause, rounded_as(name), _with("change", rounding=name))
    if rules.value("change", "rounded") == "rating":
        for name in ("half-even", "half-away-from-zero"):
            yield _rules(
                "rounded-change",
                said("cause-detail.change-rounded", rounding=said(f"rounded.{name}")),
                _with("change", rounded="change", rounding=name),
            )


def rounded_as(name: str) -> Said:
    """The detail of a rounding of that name."""
    return said("cause-detail.rounded", rounding=said(f"rounded.{name}"))


def _other_caps(rules: RuleSet) -> Iterator[Hypothesis]:
    cap = rules.block("cap")
    if cap is not None:
        yield _rules("uncapped", said("cause-detail.uncapped", cap=cap["value"]), _without("cap"))
        return
    # Numbers of caps come from the editions that have one (FIDE's), not from here.
    for value in sorted(
        {r.value("cap", "value") for r in map(rulesets.ruleset, rulesets.editions("fide/rating-standard"))}
        - {None}
    ):
        yield _rules(
            "capped",
            said("cause-detail.capped", cap=value),
            _with("cap", value=value, relief="every-game"),
        )


def _other_games(event: Event, rules: RuleSet) -> Iterator[Hypothesis]:
    """Forfeits counted as games; games with unrated players counted, or left out."""
    if (event.games["kind"] == Kind.FORFEIT).any():
        yield _event("forfeit-counted", said("cause-detail.forfeits-as-games"), forfeits_as_games)
    rule = rules.value("unrated", "rule")
    unrated = event.players["rating"].isna()
    if not unrated.any():
        return
    if rule == "not-counted":
        floors = {r.value("publication", "rating_at_least") for r in map(rulesets.ruleset, _editions(rules))}
        for value in sorted({1, *(f for f in floors if f)}):
            yield _event(
                "unrated-counted",
                said("cause-detail.unrated-at", rating=0 if value == 1 else value),
                _unrated_at(value),
            )
    else:
        if rule == "rated-opponents-only":
            yield _rules(
                "unrated-counted",
                said("cause-detail.unrated-at-base"),
                _with("unrated", rule="base-rating"),
            )
        yield _rules(
            "unrated-left-out",
            said("cause-detail.unrated-left-out"),
            _with("unrated", rule="not-counted"),
        )


def forfeits_as_games(event: Event) -> Event:
    """The event with forfeits turned into games over the board."""
    games = event.games.copy()
    games.loc[games["kind"] == Kind.FORFEIT, "kind"] = str(Kind.PLAYED)
    return event.with_games(games)


#: Ambiguous articles: (block, key, other reading). The rule file names the reading taken.
READINGS: tuple[tuple[str, str, str | bool], ...] = (
    ("average", "rounded", "difference"),
    ("round_robin", "with_unplayed_games", "keep"),
    ("round_robin", "double", "swiss-formula"),
    ("champion", "shared_first", "ranked-first-only"),
    ("mixed_sex", "counts_for", "man-only"),
    ("mixed_sex", "women", "every-woman"),
    ("double_loss", "rated", False),
    ("double_loss", "rated", True),
    ("cap", "underdog", "widest-game-only"),
)


def other_readings(rules: RuleSet) -> Iterator[Hypothesis]:
    """The other readings of ambiguous articles, for the blocks the edition has."""
    for block, key, other in READINGS:
        taken = rules.value(block, key)
        if taken is not None and taken != other:
            yield _rules(
                "other-reading",
                read_as(f"{block}-{key}", other, taken),
                _with(block, **{key: other}),
            )
    if any(row.get("ends_when") == "either" for row in rules.rows("k_factor")):
        yield _rules("other-reading", read_as("k_factor-ends_when", "both", "either"), _k_ends_when_both)


def read_as(name: str, other: str | bool, taken: str | bool) -> Said:
    """The detail of another reading of an article."""
    other, taken = (
        ("rated" if value else "not-rated") if isinstance(value, bool) else value for value in (other, taken)
    )
    return said(
        "cause-detail.reading",
        what=said(f"reading.{name}"),
        other=named("reading-value", other),
        taken=named("reading-value", taken),
    )


def _alternatives(rules: RuleSet) -> Iterator[Hypothesis]:
    """The named variants of an edition that its rule file lists with their values."""
    for row in rules.rows("alternative"):
        detail = said(
            "cause-detail.reading",
            what=named("reading", row["name"]),
            other=named("reading-value", row["other"]),
            taken=named("reading-value", row["taken"]),
        )
        yield _rules("other-reading", detail, _with_values(row["values"]))


def _with_values(values: Mapping[str, str]) -> Callable[[RuleSet], RuleSet]:
    """The rules with ``block.key`` changed to the written value, in the type of the value it replaces."""

    def change(rules: RuleSet) -> RuleSet:
        for place, text in values.items():
            block, _, key = place.partition(".")
            old = rules.need(block)[key]
            new = (
                text == "true" if isinstance(old, bool) else text if isinstance(old, str) else type(old)(text)
            )
            rules = rules.with_block(block, **{key: new})
        return rules

    return change


def _k_ends_when_both(rules: RuleSet) -> RuleSet:
    rows = tuple(
        replace(row, content={**row.content, "ends_when": "both"}) if "ends_when" in row else row
        for row in rules.rows("k_factor")
    )
    return replace(rules, blocks={**rules.blocks, "k_factor": rows})


def _forgotten_protections(rules: RuleSet) -> Iterator[Hypothesis]:
    if rules.block("champion") is not None:
        yield _rules("champion-unprotected", said("cause-detail.champion-unprotected"), _without("champion"))
    if rules.block("mixed_sex") is not None:
        yield _rules("mixed-sex-rule", said("cause-detail.women-own-rating"), _without("mixed_sex"))


def _other_lists(event: Event, lists: Sequence[RatingList]) -> Iterator[Hypothesis]:
    for one in lists:
        yield _event("other-list", one.id, _listed(one), supported=True)


#: Players whose reported values are tried one by one; of more, all together only.
_MOST_REPORTED = 20


def reported_values(event: Event, reported: Event) -> Iterator[Hypothesis]:
    """The ratings and K of the report where the list has others: of each player alone, and all of them."""
    for column, cause in (("rating", "reported-rating"), ("k", "reported-k")):
        listed, own = event.players[column].to_numpy(), reported.players[column].to_numpy()
        differing = np.flatnonzero(~np.isnan(own) & ~np.isnan(listed) & (own != listed))
        every = [differing] if len(differing) > 1 else []
        single = [np.array([i]) for i in differing] if len(differing) <= _MOST_REPORTED else []
        for rows in (*single, *every):
            values = listed.copy()
            values[rows] = own[rows]
            told = [f"{event.players['number'].iloc[i]}: {own[i]:g} ({listed[i]:g})" for i in rows]
            detail = said(f"cause-detail.{cause}", players=joined(told, 5))
            change = lambda one, column=column, values=values: one.with_players(**{column: values})  # noqa: E731
            yield _event(cause, detail, change, supported=True)


def ratings_from(event: Event, rating_list: RatingList) -> Event:
    """The event with the ratings of a list, where the list has the player."""
    listed = listed_ratings(event, rating_list)
    own = event.players["rating"].to_numpy()
    return event.with_players(rating=np.where(np.isnan(listed), own, listed))


def listed_ratings(event: Event, rating_list: RatingList) -> np.ndarray:
    """The rating of each player on a list, NaN where the player is not found on it for certain."""
    found = match(event.players, rating_list.register).row
    # One more value at the end is what -1 reads.
    return np.append(rating_list.rows["rating"].to_numpy(), np.nan)[found]


# --- what an officer asks: without this game, with that rating ------------------------------------


def rating_of(player: int, value: float) -> Hypothesis:
    """A player's rating changed."""

    def change(event: Event) -> Event:
        rating = np.where(event.players["number"] == player, float(value), event.players["rating"])
        return event.with_players(rating=rating)

    return _event(
        "own-rating", said("cause-detail.player-rating", player=player, rating=f"{value:g}"), change
    )


def without_game(round: int, player: int) -> Hypothesis:
    """A player's game of one round left out. Raises EventError where there is none."""

    def change(event: Event) -> Event:
        mask = game_mask(event, round, player)
        return event.with_games(event.games[~mask])

    return _event("game-left-out", said("cause-detail.round-player", round=round, player=player), change)


#: Result as typed -> (own result, opponent's result, kind).
RESULT_CODES: dict[str, tuple[str, str, str]] = {
    "1": ("1", "0", Kind.PLAYED),
    "=": ("=", "=", Kind.PLAYED),
    "0.5": ("=", "=", Kind.PLAYED),
    "0": ("0", "1", Kind.PLAYED),
    "+": ("1", "0", Kind.FORFEIT),
    "-": ("0", "1", Kind.FORFEIT),
    "W": ("1", "0", Kind.UNRATED),
    "D": ("=", "=", Kind.UNRATED),
    "L": ("0", "1", Kind.UNRATED),
}


def other_result(round: int, player: int, code: str) -> Hypothesis:
    """A player's result of one round changed (1 = 0 + - W D L). Raises EventError for another code."""
    if code.upper() not in RESULT_CODES:
        raise EventError("result-code", code=code, codes=RESULT_CODES)
    own, other, kind = RESULT_CODES[code.upper()]

    def change(event: Event) -> Event:
        mask = game_mask(event, round, player)
        games = event.games.copy()
        for row in np.flatnonzero(mask):
            first = games.at[row, "first"] == player
            for side, result in (("first", own if first else other), ("second", other if first else own)):
                games.at[row, f"{side}_result"] = result
                games.at[row, f"{side}_points"] = float(
                    event.scoring.points(kind, result, first=side == "first")
                )
            games.at[row, "kind"] = str(kind)
        return event.with_games(games)

    return _event(
        "other-result",
        said("cause-detail.round-player-result", round=round, player=player, result=code),
        change,
    )


def game_mask(event: Event, round: int, player: int) -> Any:
    """Rows of the games table of a player in a round. Raises EventError where there is none."""
    games = event.games
    mask = (games["round"] == round) & ((games["first"] == player) | (games["second"] == player))
    if not mask.any():
        raise EventError("no-game-in-round", event=event.id, player=player, round=round)
    return mask


__all__ = [
    "RESULT_CODES",
    "Hypothesis",
    "Result",
    "for_event",
    "forfeits_as_games",
    "game_mask",
    "listed_ratings",
    "other_readings",
    "other_result",
    "rating_of",
    "ratings_from",
    "without_game",
]
