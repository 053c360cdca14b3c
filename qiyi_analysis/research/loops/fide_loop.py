"""The compiled loop of the official FIDE procedure by rating periods, over a whole history."""

from __future__ import annotations

import math

from numba import njit

from qiyi_analysis.research.loops.elo_loop import TABLE, cell_of, expected_score
from qiyi_analysis.research.loops.exponential import LOOP


@njit(inline="always", **LOOP)
def half_away(x):
    """Rounded to a whole number, halves away from zero."""
    return math.floor(x + 0.5) if x >= 0.0 else -math.floor(-x + 0.5)


@njit(**LOOP)
def fide_periods(games_of, law_of, bands, rule, people, state, work, created, expected):
    """Rate the games of all periods: table, cap, K x n limit, one rounding per player and period.

    Arguments: Games, Law (its table), Bands, FideRule, People, FideState, FideWork.
    created: float64 5 of points created by unequal K, K x n limit, cap and table, rounding, newcomers.
    expected: NaN for games with an unrated player.
    """
    first, second, half_points, period, year, _, shift = games_of
    start, birth_year = people
    rating, peak, games, last, collected_games, collected_opponents, collected_points = state
    period_games, surprise_sum, k_now, touched = work
    table, k, cap, cap_free_from = law_of.table, bands.k, rule.cap, rule.cap_free_from
    n = first.size
    begin = 0
    while begin < n:
        t = period[begin]
        end = begin
        count = 0
        while end < n and period[end] == t:
            for side in range(2):
                player = first[end] if side == 0 else second[end]
                if last[player] != t:
                    if last[player] < 0 and (not rule.wait or start[player] == start[player]):
                        rating[player] = start[player]
                    last[player] = t
                    period_games[player] = 0
                    surprise_sum[player] = 0.0
                    if rating[player] == rating[player]:
                        peak[player] = max(peak[player], rating[player])
                        k_now[player] = k[
                            0,
                            cell_of(
                                games[player],
                                year[end] - birth_year[player],
                                rating[player],
                                peak[player],
                                bands,
                            ),
                        ]
                    touched[count] = player
                    count += 1
            end += 1
        for g in range(begin, end):
            a = first[g]
            b = second[g]
            y = 0.5 * half_points[g]
            ra = rating[a]
            rb = rating[b]
            if ra == ra and rb == rb:
                difference = ra - rb
                own = difference if ra >= cap_free_from else min(max(difference, -cap), cap)
                other = -difference if rb >= cap_free_from else min(max(-difference, -cap), cap)
                pa = expected_score(own, TABLE, 1e9, table)
                pb = expected_score(other, TABLE, 1e9, table)
                # What is predicted includes the first move; what is rated does not.
                extra = shift[g] if shift.size else 0.0
                expected[g] = expected_score(difference + extra, TABLE, 1e9, table)
                surprise_sum[a] += y - pa
                surprise_sum[b] += 1.0 - y - pb
                created[0] += k_now[a] * (y - pa) - k_now[b] * (y - pa)
                created[2] += k_now[b] * (1.0 - pa - pb)
                period_games[a] += 1
                period_games[b] += 1
            else:
                expected[g] = math.nan
                if ra != ra and rb == rb:
                    collected_games[a] += 1
                    collected_opponents[a] += rb
                    collected_points[a] += y
                if rb != rb and ra == ra:
                    collected_games[b] += 1
                    collected_opponents[b] += ra
                    collected_points[b] += 1.0 - y
        for i in range(count):
            player = touched[i]
            m = period_games[player]
            if rating[player] == rating[player]:
                full = k_now[player]
                k_used = full
                if rule.product > 0.0 and full * m > rule.product:
                    k_used = math.floor(rule.product / m)
                change = k_used * surprise_sum[player]
                # Hundredths and whole K: the exact sum has two decimals, the binary one may miss a half.
                change = half_away(change * 100.0) / 100.0
                rounded = half_away(change)
                created[1] += change - full * surprise_sum[player]
                created[3] += rounded - change
                rating[player] += rounded
                games[player] += m
                if rule.wait and rating[player] < rule.floor:
                    # Off the list: the next rating is a first rating again.
                    rating[player] = math.nan
                    collected_games[player] = 0
                    collected_opponents[player] = 0.0
                    collected_points[player] = 0.0
            elif collected_games[player] >= rule.newcomer_games:
                played = collected_games[player] + rule.extra_draws
                mean = (collected_opponents[player] + rule.extra_draws * rule.extra_rating) / played
                share = (collected_points[player] + 0.5 * rule.extra_draws) / played
                first_rating = half_away(mean + rule.performance[int(half_away(100.0 * share))])
                if first_rating >= rule.floor:
                    first_rating = min(first_rating, rule.ceiling)
                    rating[player] = first_rating
                    peak[player] = first_rating
                    games[player] = collected_games[player]
                    created[4] += first_rating
        begin = end
