"""What a rating calculation starts from: the players' ratings and the games, as arrays.

The ratings are those of the event; what a list knows more is filled in before
(:mod:`qiyi_analysis.rating.listed`). Players without any rating get the base rating of the edition where it
gives one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.event import KINDS, Event, Kind, side_arrays
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rules.chinese_names import plain_title
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.withdrawals import annulled_games

#: Half points of a legal pair of results.
LEGAL_PAIRS = {("1", "0"): (2, 0), ("0", "1"): (0, 2), ("=", "="): (1, 1)}

RATED_KINDS = frozenset(str(kind) for kind, facts in KINDS.items() if facts.rated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrants:
    """The players of an event as arrays of length n, in the order of its players table.

    ``rating`` is a whole number, 0 where ``has_rating`` is False. ``provisional`` marks base ratings;
    ``undetermined`` marks players whose base rating cannot be known (their opponents' averages neither).
    ``base`` is the rating the new one starts from, with the decimals of the list. ``group`` numbers the
    events where several are calculated at once (copies of one event under other ratings).
    """

    number: np.ndarray
    rating: np.ndarray
    base: np.ndarray
    has_rating: np.ndarray
    provisional: np.ndarray
    undetermined: np.ndarray
    female: np.ndarray
    group: np.ndarray
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRows:
    """One entry per player and game: indices into the entrants, half points, and why it counts or not."""

    row: np.ndarray  # row of the games table
    round: np.ndarray
    player: np.ndarray
    opponent: np.ndarray  # -1 without opponent
    half_points: np.ndarray  # 0, 1, 2; -1 without a result
    counted: np.ndarray
    reason: np.ndarray  # "" where counted

    @property
    def paired(self) -> np.ndarray:
        """Mask of the rows that have an opponent."""
        return self.opponent >= 0


def entrants(event: Event, rules: RuleSet) -> Entrants:
    """The entrants of an event under an edition, base ratings filled in (CCA 6(5), xiangqi 9)."""
    players = event.players
    size = len(players)
    base = players["rating"].to_numpy(dtype=np.float64).copy()
    if rules.block("other_rating") is not None:
        # Rapid and blitz: without a rating of this kind the standard rating counts.
        base = np.where(np.isnan(base), players["standard_rating"].to_numpy(), base)
    own = ~np.isnan(base) & (base > 0)
    lowest = lowest_published(event, rules)
    below = own & (base < lowest) if lowest is not None else np.zeros(size, dtype=bool)
    own &= ~below
    base[below] = np.nan
    sex = players["sex"].to_numpy()
    provisional = np.zeros(size, dtype=bool)
    undetermined = np.zeros(size, dtype=bool)
    findings: list[Finding] = []
    # Numbers of two digits are ratings of nobody; the checks name them.
    named = players[below & (players["rating"] >= 100)]
    if len(named):
        pairs = (f"{n}: {rating:g}" for n, rating in zip(named["number"], named["rating"], strict=True))
        findings.append(
            Finding(
                code="CK43", reason="rating-below-floor", severity="I", field="rating", article=rules.cite("publication"),
                player=int(named["number"].iloc[0]) if len(named) == 1 else 0,
                line=int(named["line"].iloc[0]),
                values={"players": words.joined(pairs, 10), "count": len(named), "floor": lowest},
            )
        )  # fmt: skip
    if rules.rows("base_rating"):
        for i in np.flatnonzero(~own):
            number = int(players["number"].iloc[i])
            value = base_rating(rules, sex[i], players["title"].iloc[i])
            if value is None:
                undetermined[i] = True
                reason = (
                    "base-rating-unknown-sex" if sex[i] not in ("m", "w") else "base-rating-unknown-title"
                )
                findings.append(
                    Finding(
                        code="CK30",
                        reason=reason,
                        player=number,
                        line=int(players["line"].iloc[i]),
                        field="rating",
                        article=rules.cite("base_rating"),
                        values={"name": players["name"].iloc[i], "title": players["title"].iloc[i]},
                    )
                )
                continue
            base[i] = value
            provisional[i] = True
    annulled = annulled_games(event)
    if annulled is not None:
        findings.append(
            Finding(code="CK41", reason="annulled-not-rated", values={"games": int(annulled.sum())})
        )
    usable = own | provisional
    whole = np.where(usable, np.floor(np.where(usable, base, 0) + 0.5), 0).astype(np.int64)
    return Entrants(
        number=players["number"].to_numpy(),
        rating=whole,
        base=base,
        has_rating=usable,
        provisional=provisional,
        undetermined=undetermined,
        female=sex == "w",
        group=np.zeros(size, dtype=np.int64),
        findings=tuple(findings),
    )


def base_rating(rules: RuleSet, sex: str, title: str) -> int | None:
    """The base rating of an unrated player; None where sex or title does not lead to exactly one row."""
    wanted = plain_title(title)
    for row in rules.rows("base_rating"):
        if row["sex"] == sex and ("*" in row["titles"] or wanted in row["titles"]):
            return int(row["rating"])
    return None


def lowest_published(event: Event, rules: RuleSet) -> int | None:
    """The rating below which nobody is on the lists of the event's days, whatever its file prints (FIDE B.02 7.1.4).

    None where the limit is another for men and women, or where nothing tells the days.
    """
    if event.last_day is None:
        return None
    return next(
        (int(row["rating_at_least"]) for row in rules.rows("publication") if row["sex"] == "all"), None
    )


def game_rows(event: Event, field: Entrants, rules: RuleSet) -> GameRows:
    """Every player's games with the decision whether they count for ratings, and why not.

    Reasons are the kind of the row (``forfeit``, ``pab``, ...), ``contradiction`` for a pair of results
    that does not add up, ``no-own-rating`` or ``opponent-unrated`` by the rule for unrated players,
    ``ratings-too-far-apart`` by the rule for very uneven rapid and blitz games, ``match-unrated`` and ``match-decided`` by
    those for matches.
    """
    games = event.games
    table = side_arrays(games)
    row, is_first = table["row"], table["first"]
    index = {number: i for i, number in enumerate(field.number.tolist())}
    player = np.array([index.get(p, -1) for p in table["player"].tolist()], dtype=np.int64)
    opponent = np.array([index.get(o, -1) for o in table["opponent"].tolist()], dtype=np.int64)
    pairs = [
        LEGAL_PAIRS.get(pair, (-1, -1))
        for pair in zip(games["first_result"].tolist(), games["second_result"].tolist(), strict=True)
    ]
    legal = np.array(pairs, dtype=np.int64).reshape(-1, 2)[row]
    half_points = np.where(is_first, legal[:, 0], legal[:, 1])
    kinds = np.array(games["kind"].tolist(), dtype=object)[row]
    counted = np.array([kind in RATED_KINDS for kind in kinds], dtype=bool)
    if rules.value("double_loss", "rated", False):
        lost = kinds == Kind.DOUBLE_LOSS
        counted |= lost
        half_points = np.where(lost, 0, half_points)
    annulled = annulled_games(event)
    if annulled is not None:
        kinds = np.where(annulled[row], str(Kind.ANNULLED), kinds)
        counted &= ~annulled[row]
    reason = np.where(counted, "", kinds).astype(object)

    def leave_out(mask: np.ndarray, why: str) -> None:
        now = counted & mask
        reason[now] = why
        counted[now] = False

    leave_out((player < 0) | (opponent < 0), "opponent-unknown")
    leave_out(half_points < 0, "contradiction")
    if event.format == "match":
        if rules.value("match", "unrated") == "not-rated":
            leave_out(~(field.has_rating[player] & field.has_rating[opponent]), "match-unrated")
        if rules.value("match", "decided") == "not-rated" and not event.extra.get("decided_games_rated"):
            leave_out(_after_decision(event)[row], "match-decided")
    rule = rules.value("unrated", "rule", "base-rating")
    if rule == "not-counted":
        leave_out(~field.has_rating[player], "no-own-rating")
        # In some round robins an unrated player counts with a performance.
        leave_out(~field.has_rating[opponent] & (field.rating[opponent] == 0), "opponent-unrated")
    elif rule == "rated-opponents-only" and not is_round_robin(event):
        # Xiangqi art. 9: in a Swiss only games against rated opponents count, for everybody.
        leave_out(field.provisional[opponent] | field.undetermined[opponent], "opponent-unrated")
    wide = rules.block("wide_games")
    if wide is not None:
        apart = np.abs(field.rating[player] - field.rating[opponent]) >= wide["difference_at_least"]
        higher = np.maximum(field.rating[player], field.rating[opponent]) > wide["one_rated_above"]
        leave_out(apart & higher, "ratings-too-far-apart")
    known = player >= 0
    return GameRows(
        row=row[known],
        round=games["round"].to_numpy()[row][known],
        player=player[known],
        opponent=opponent[known],
        half_points=half_points[known],
        counted=counted[known],
        reason=reason[known],
    )


def _after_decision(event: Event) -> np.ndarray:
    """Mask of the games of a match that were played when one player already had more than half of the points."""
    games = event.games
    pairs = [
        LEGAL_PAIRS.get(pair, (0, 0))
        for pair in zip(games["first_result"], games["second_result"], strict=True)
    ]
    rounds = games["round"].to_numpy()
    needed = event.rounds or int(rounds.max(initial=0))  # half points of one half
    score: dict[int, int] = {}
    decided = np.zeros(len(games), dtype=bool)
    for i in np.argsort(rounds, kind="stable"):
        decided[i] = max(score.values(), default=0) > needed
        for side, points in zip(("first", "second"), pairs[i], strict=True):
            number = int(games[side].iloc[i])
            score[number] = score.get(number, 0) + points
    return decided


def is_round_robin(event: Event) -> bool:
    """Whether the individual round-robin formula can apply."""
    return event.format in ("round-robin", "double-round-robin")
