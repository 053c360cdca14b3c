"""Withdrawals under the Chinese rules: results annulled below half, else the games left are forfeited."""

from __future__ import annotations

import numpy as np
import pandas as pd

from qiyi_analysis.model.event import GAME_COLUMNS, KINDS, Event, Kind, Result
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.grid import is_round_robin
from qiyi_analysis.tiebreaks.work import document_for, in_force


def applied(event: Event, rules: RuleSet) -> tuple[Event, list[Finding]]:
    """The event with the results of withdrawn players as the rule set has them, and what was changed.

    Works on players with ``withdrawn_after``; rule sets without a [withdrawal] block change nothing.
    """
    block = rules.block("withdrawal")
    left = event.players["withdrawn_after"].to_numpy()
    if block is None or np.isnan(left).all():
        return event, []
    findings: list[Finding] = []
    games = event.games
    for number, after in zip(event.players["number"], left, strict=True):
        if np.isnan(after):
            continue
        games, outcome = _one(event, games, int(number), int(after), rules)
        values = {"outcome": outcome, "after": int(after)}
        findings.append(
            Finding(
                code="CK41",
                reason=f"withdrawal-{outcome}",
                player=int(number),
                article=f"{rules.id} {block.article}",
                values=values,
            )
        )
    return event.with_games(games), findings


def annulled_games(event: Event) -> np.ndarray | None:
    """Mask of the games that a withdrawal annuls under the rules the event is ranked by; None where it annuls none."""
    left = event.players["withdrawn_after"].to_numpy()
    if np.isnan(left).all() or not is_round_robin(event):
        return None
    rules = in_force(document_for(event), event)[0]
    if rules.block("withdrawal") is None:
        return None
    games, mask = event.games, np.zeros(len(event.games), dtype=bool)
    for number, after in zip(event.players["number"], left, strict=True):
        if not np.isnan(after) and _annulled(event, games, int(number), int(after), rules):
            mask |= _paired(games, int(number)).to_numpy()
    return mask if mask.any() else None


def _paired(games: pd.DataFrame, number: int) -> pd.Series:
    mine = (games["first"] == number) | (games["second"] == number)
    return mine & (games["second"] != 0)


def _over_the_board(games: pd.DataFrame) -> np.ndarray:
    return np.array([KINDS[Kind(kind)].over_the_board for kind in games["kind"]], dtype=bool)


def _annulled(event: Event, games: pd.DataFrame, number: int, after: int, rules: RuleSet) -> bool:
    """Whether too little was played for the results of a withdrawn player of a round robin to stand."""
    block = rules.need("withdrawal")
    others = (len(event.players) - 1) * (2 if event.format == "double-round-robin" else 1)
    total = others if block["of"] == "opponents" else (event.rounds or others)
    played = _paired(games, number) & _over_the_board(games) & (games["round"] <= after)
    return not results_stand(int(played.sum()), total, rules)


def results_stand(played: int, total: int, rules: RuleSet) -> bool:
    """Whether the results of a player who met ``played`` of ``total`` opponents (or rounds) stand."""
    return bool(played >= rules.need("withdrawal")["share"] * total)


def _one(
    event: Event, games: pd.DataFrame, number: int, after: int, rules: RuleSet
) -> tuple[pd.DataFrame, str]:
    block = rules.need("withdrawal")
    mine = (games["first"] == number) | (games["second"] == number)
    paired, otb = _paired(games, number), _over_the_board(games)
    late = games["round"] > after
    if not is_round_robin(event):
        waiting = paired & late & ~otb
        if block["swiss"] == "not-paired":
            return games[~waiting], "stands"
        return _forfeited(event, games, waiting, number), "forfeits"
    cycles = 2 if event.format == "double-round-robin" else 1
    if _annulled(event, games, number, after, rules):
        games = games.copy()
        games.loc[paired, "kind"] = str(Kind.ANNULLED)
        games.loc[paired, "first_points"] = games.loc[paired, "second_points"] = 0.0
        return games[~(mine & ~paired)], "annulled"
    games = _forfeited(event, games, paired & ~otb, number)
    met = games.loc[paired, "first"].where(games.loc[paired, "first"] != number, games.loc[paired, "second"])
    counts = met.value_counts()
    missing = [
        int(o) for o in event.players["number"] if o != number for _ in range(cycles - int(counts.get(o, 0)))
    ]
    if missing:
        rounds = _free_rounds(games, number, missing, after)
        rows = [
            {
                "round": round_,
                "first": other,
                "second": number,
                "first_result": Result.WIN,
                "second_result": Result.LOSS,
                "kind": Kind.FORFEIT,
                "first_points": float(event.scoring.forfeit_win),
                "second_points": float(event.scoring.forfeit_loss),
                "colours_known": False,
            }
            for other, round_ in zip(missing, rounds, strict=True)
        ]
        games = games[~(mine & late & ~paired)]
        games = pd.concat([games, frame(rows, GAME_COLUMNS)], ignore_index=True)
    return games, "forfeits"


def _free_rounds(games: pd.DataFrame, number: int, opponents: list[int], after: int) -> list[int]:
    """A round for each forfeited game: one in which the opponent has no game, else a round of its own at the end."""
    last = int(games["round"].max())
    rounds = []
    for opponent in opponents:
        busy = set(
            games.loc[
                ((games["first"] == opponent) | (games["second"] == opponent)) & (games["second"] != 0),
                "round",
            ]
        )
        free = [r for r in range(after + 1, last + 1) if r not in busy and r not in rounds]
        rounds.append(free[0] if free else last)
    return rounds


def _forfeited(event: Event, games: pd.DataFrame, rows: pd.Series, number: int) -> pd.DataFrame:
    """The games of ``rows`` lost by ``number`` without play."""
    games = games.copy()
    scoring = event.scoring
    for side, other in (("first", "second"), ("second", "first")):
        his = rows & (games[side] == number)
        games.loc[his, f"{side}_result"] = str(Result.LOSS)
        games.loc[his, f"{other}_result"] = str(Result.WIN)
        games.loc[his, f"{side}_points"] = float(scoring.forfeit_loss)
        games.loc[his, f"{other}_points"] = float(scoring.forfeit_win)
        games.loc[his, "kind"] = str(Kind.FORFEIT)
    return games
