"""Compiled loops of the Glicko family by period: Glicko and Stephenson in one, Glicko-2."""

from __future__ import annotations

import math

from numba import njit

from qiyi_analysis.research.loops.exponential import LN2, LOOP, POINTS_TO_BITS, power_of_two

#: q of Glickman's papers: natural log of the odds per rating point of the logistic law.
Q = math.log(10.0) / 400.0
_G = 3.0 * Q * Q / math.pi**2
_G2 = 3.0 / math.pi**2


@njit(inline="always", **LOOP)
def _begin(player, t, start, rule, rating, variance, last):
    """Give a newcomer his start, widen the deviation of others by the periods gone since their last one."""
    if last[player] < 0:
        rating[player] = start[player]
        variance[player] = rule.start_deviation * rule.start_deviation
    else:
        variance[player] = min(variance[player] + rule.c_squared * (t - last[player]), rule.top)
    last[player] = t


@njit(**LOOP)
def glicko_periods(games_of, rule, start, state, work, expected):
    """Glicko (Glickman 1999); with h_squared, bonus, pull the Stephenson system (rating-systems 9).

    Arguments: Games, GlickoRule, start (float64 of players), GlickoState, GlickoWork; expected: float64 of n, prediction
    of the first side with both deviations. The advantage is added to the first side's difference in prediction and update.
    """
    first, second, half_points, period, _, _, shift = games_of
    rating, variance, _, last, games = state
    attenuation, surprise_sum, information, opponents, period_games, touched = work
    advantage, h_squared, bonus, pull = rule.advantage, rule.h_squared, rule.bonus, rule.pull
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
                    _begin(player, t, start, rule, rating, variance, last)
                    attenuation[player] = 1.0 / math.sqrt(1.0 + _G * variance[player])
                    surprise_sum[player] = 0.0
                    information[player] = 0.0
                    opponents[player] = 0.0
                    period_games[player] = 0
                    touched[count] = player
                    count += 1
            end += 1
        for g in range(begin, end):
            a = first[g]
            b = second[g]
            ra = rating[a]
            rb = rating[b]
            bits = (rb - ra - advantage - (shift[g] if shift.size else 0.0)) * POINTS_TO_BITS
            y = 0.5 * half_points[g]
            ga = attenuation[a]
            gb = attenuation[b]
            both = 1.0 / math.sqrt(1.0 + _G * (variance[a] + variance[b]))
            expected[g] = 1.0 / (1.0 + power_of_two(both * bits))
            ea = 1.0 / (1.0 + power_of_two(gb * bits))
            eb = 1.0 / (1.0 + power_of_two(-ga * bits))
            surprise_sum[a] += gb * (y - ea + bonus)
            surprise_sum[b] += ga * (1.0 - y - eb + bonus)
            information[a] += gb * gb * ea * (1.0 - ea)
            information[b] += ga * ga * eb * (1.0 - eb)
            opponents[a] += rb
            opponents[b] += ra
            period_games[a] += 1
            period_games[b] += 1
        for i in range(count):
            player = touched[i]
            m = period_games[player]
            # The ceiling applies to the drift over time only; the drift per game comes on top of it.
            after = 1.0 / (1.0 / (variance[player] + m * h_squared) + Q * Q * information[player])
            move = Q * after * surprise_sum[player] + pull * (opponents[player] / m - rating[player])
            rating[player] += move
            variance[player] = max(after, rule.low)
            games[player] += m
        begin = end


@njit(**LOOP)
def new_volatility(delta, phi, v, sigma, tau, tolerance):
    """Step 5 of Glicko-2: the volatility after a period, by the Illinois variant of regula falsi."""
    a = math.log(sigma * sigma)
    delta2 = delta * delta
    phi2 = phi * phi
    tau2 = tau * tau
    x = a
    ex = sigma * sigma
    d = phi2 + v + ex
    f_low = ex * (delta2 - phi2 - v - ex) / (2.0 * d * d)
    low = a
    if delta2 > phi2 + v:
        high = math.log(delta2 - phi2 - v)
    else:
        step = 1.0
        while True:
            x = a - step * tau
            ex = power_of_two(x / LN2)
            d = phi2 + v + ex
            if ex * (delta2 - phi2 - v - ex) / (2.0 * d * d) + step / tau >= 0.0:
                break
            step += 1.0
        high = a - step * tau
    ex = power_of_two(high / LN2)
    d = phi2 + v + ex
    f_high = ex * (delta2 - phi2 - v - ex) / (2.0 * d * d) - (high - a) / tau2
    while abs(high - low) > tolerance:
        x = low + (low - high) * f_low / (f_high - f_low)
        ex = power_of_two(x / LN2)
        d = phi2 + v + ex
        f = ex * (delta2 - phi2 - v - ex) / (2.0 * d * d) - (x - a) / tau2
        if f * f_high <= 0.0:
            low = high
            f_low = f_high
        else:
            f_low = f_low / 2.0
        high = x
        f_high = f
    return power_of_two(low / (2.0 * LN2))


@njit(**LOOP)
def glicko2_periods(games_of, rule, start, state, work, expected):
    """Glicko-2 (Glickman 2012, revised 2022) on its own scale (rating 0, one unit = 173.7178 points).

    Idle periods widen the deviation by the volatility. start, shift and the rule are on that scale; arguments as in
    ``glicko_periods``.
    """
    first, second, half_points, period, _, _, shift = games_of
    rating, variance, volatility, last, games = state
    attenuation, surprise_sum, information, _, period_games, touched = work
    advantage, top_variance = rule.advantage, rule.top
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
                    if last[player] < 0:
                        rating[player] = start[player]
                        variance[player] = rule.start_deviation * rule.start_deviation
                        volatility[player] = rule.volatility
                    else:
                        # The current period's widening is part of step 6, with the new volatility.
                        idle = t - last[player] - 1
                        variance[player] = min(
                            variance[player] + idle * volatility[player] * volatility[player], top_variance
                        )
                    last[player] = t
                    attenuation[player] = 1.0 / math.sqrt(1.0 + _G2 * variance[player])
                    surprise_sum[player] = 0.0
                    information[player] = 0.0
                    period_games[player] = 0
                    touched[count] = player
                    count += 1
            end += 1
        for g in range(begin, end):
            a = first[g]
            b = second[g]
            bits = (rating[b] - rating[a] - advantage - (shift[g] if shift.size else 0.0)) / LN2
            y = 0.5 * half_points[g]
            ga = attenuation[a]
            gb = attenuation[b]
            both = 1.0 / math.sqrt(1.0 + _G2 * (variance[a] + variance[b]))
            expected[g] = 1.0 / (1.0 + power_of_two(both * bits))
            ea = 1.0 / (1.0 + power_of_two(gb * bits))
            eb = 1.0 / (1.0 + power_of_two(-ga * bits))
            surprise_sum[a] += gb * (y - ea)
            surprise_sum[b] += ga * (1.0 - y - eb)
            information[a] += gb * gb * ea * (1.0 - ea)
            information[b] += ga * ga * eb * (1.0 - eb)
            period_games[a] += 1
            period_games[b] += 1
        for i in range(count):
            player = touched[i]
            v = 1.0 / information[player]
            sigma = new_volatility(
                v * surprise_sum[player],
                math.sqrt(variance[player]),
                v,
                volatility[player],
                rule.tau,
                rule.tolerance,
            )
            after = 1.0 / (1.0 / min(variance[player] + sigma * sigma, top_variance) + information[player])
            rating[player] += after * surprise_sum[player]
            variance[player] = after
            volatility[player] = sigma
            games[player] += period_games[player]
        begin = end
