"""What the publisher of a number knew and the file does not print: decimals of ratings, floors, the event's class.

Systems that keep decimals calculate with them, and files show whole ratings; a floor or the class of an event may
not be told at all. A published number that follows from some value of these is not a wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.audit.published import Agreement, Numbers, Printed, Published, agreement, numbers
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating.egf import event_class
from qiyi_analysis.rating.table_method import NOT_KNOWN
from qiyi_analysis.rating.uscf import established_floor
from qiyi_analysis.rules.ruleset import RuleSet

#: A printed whole rating is within half a point of the one that was used.
_HALF = 0.5
#: Own rating and everybody else's moved to the ends of what their printed form leaves open.
_MOVES = ((_HALF, -_HALF), (-_HALF, _HALF), (_HALF, _HALF), (-_HALF, -_HALF))
#: A number further off is not due to decimals: half a point in every rating moves none so far.
_WIDEST = 5.0
#: Players, and share of those compared, who must speak for a class that the file does not name.
_LEAST_FOR_CLASS, _SHARE_FOR_CLASS = 3, 0.75
#: Decimals are tried for so many players of an event; of more wrong numbers they are not the reason.
_MOST_PLAYERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The event with what its numbers tell of it, the recomputed numbers, what agrees with them, and what was allowed for."""

    event: Event
    numbers: Numbers
    agreement: Agreement
    findings: tuple[Finding, ...] = ()


def allowed(event: Event, rules: RuleSet, printed: Published) -> Allowed:
    """Recompute an event and compare it with what was published, with what the file leaves open."""
    n = numbers(event, rules)
    found = Allowed(event=event, numbers=n, agreement=agreement(printed, n))
    if rules.value("method", "name") == "table" or not printed.present.any():
        return found
    for step in (_class_that_fits, _decimals, _floors):
        if not found.agreement.everything.all():
            found = step(found, rules, printed)
    return found


def _class_that_fits(found: Allowed, rules: RuleSet, printed: Published) -> Allowed:
    """Where the file names no class of the event: the class of which the published numbers are.

    At least three players and three quarters of those compared speak for it; what the others have printed is then
    compared with it. Where ratings are printed whole a point off still speaks for a class.
    """
    rows = rules.rows("event_class")
    # Of one class alone there is nothing to choose.
    if len(rows) < 2 or event_class(found.event, rules) is not None:
        return found
    compared = found.agreement.compared
    least = max(_LEAST_FOR_CLASS, _SHARE_FOR_CLASS * compared.sum())
    tried: list[tuple[int, float, Allowed]] = []
    for row in rows:
        event = replace(found.event, extra={**found.event.extra, "class": row["name"]})
        n = numbers(event, rules)
        result, off = agreement(printed, n), _off(printed, n)
        near = result.everything | (_whole(_ratings(event)) & (off <= 2 * _HALF))
        distance = float(np.fmin(off[compared], _WIDEST).sum())
        tried.append(
            (int((compared & near).sum()), -distance, Allowed(event=event, numbers=n, agreement=result))
        )
    (agree, distance, best), (next_agree, next_distance, _), *_ = sorted(
        tried, key=lambda one: one[:2], reverse=True
    )
    if agree < least or (agree, distance) == (next_agree, next_distance):
        return found
    finding = Finding(
        code="CK41", reason="event-class-that-fits", recomputed=best.event.extra["class"], article=rules.cite("event_class"),
        values={"agree": agree, "compared": int(compared.sum())},
    )  # fmt: skip
    return replace(best, findings=(*found.findings, finding))


def _floors(found: Allowed, rules: RuleSet, printed: Published) -> Allowed:
    """Established players whose published rating stands on a step of the floors, above the recomputed one.

    The floor follows from the highest rating ever, which is at least the present one; it is tried only where the
    file tells neither.
    """
    block = rules.block("personal_floor")
    if block is None:
        return found
    event, new = found.event, printed.new_rating.points
    told = event.extra.get("players.floor") or {}
    floors: dict[int, str] = {}
    for i in np.flatnonzero(~found.agreement.new_rating):
        player = event.players.iloc[i]
        number, rating, value = int(player["number"]), player["rating"], float(new[i])
        games = player["games_before"]
        if number in told or not np.isnan(player["peak"]) or games <= block["established_above_games"]:
            continue
        least = max(established_floor(rating, rules), block["steps_from"]) if rating == rating else np.inf
        step = value % block["step"] == 0 and least <= value <= block["steps_to"]
        if (step or value == block["life_master"]) and found.numbers.new[i] < value <= rating:
            floors[number] = f"{value:g}"
    if not floors:
        return found
    with_floors = replace(event, extra={**event.extra, "players.floor": {**told, **floors}})
    n = numbers(with_floors, rules)
    finding = Finding(
        code="CK44", reason="floor-not-told", field="new_rating", article=rules.cite("personal_floor"),
        values={"players": words.joined(floors, 10), "count": len(floors)},
    )  # fmt: skip
    left = Allowed(event=with_floors, numbers=n, agreement=agreement(printed, n))
    left = left if left.agreement.everything.all() else _decimals(left, rules, printed)
    return replace(left, findings=(*left.findings, finding))


def _decimals(found: Allowed, rules: RuleSet, printed: Published) -> Allowed:
    """Numbers that the decimals behind printed whole ratings can account for."""
    event, n, result = found.event, found.numbers, found.agreement
    ratings = _ratings(event)
    if rules.value("change", "rounding") != "none" or not _whole(ratings):
        return found
    near = np.flatnonzero(~result.everything & (_off(printed, n) <= _WIDEST))[:_MOST_PLAYERS]
    fits = {name: getattr(result, name).copy() for name in ("change", "expected", "new_rating")}
    accounted = []
    for i in near.tolist():
        spans = _spans(event, rules, ratings, n, i)
        old = ratings[i]
        within = {
            "new_rating": _within(printed.new_rating, i, spans["new"]),
            "expected": _within(printed.expected, i, spans["we"]),
            # Whole changes are also what lies between the ratings as they are shown.
            "change": _within(printed.change, i, spans["change"])
            or (
                printed.change.decimals[i] == 0
                and _within(printed.change, i, [v - old for v in spans["new"]])
            ),
        }
        for name, fitting in within.items():
            fits[name][i] |= fitting
        if all(fits[name][i] for name in fits):
            accounted.append(int(event.players["number"].iloc[i]))
    if not accounted:
        return found
    finding = Finding(
        code="CK44", reason="decimals-not-printed", field="rating",
        values={"players": words.joined(accounted, 10), "count": len(accounted)},
    )  # fmt: skip
    return replace(found, agreement=replace(result, **fits), findings=(*found.findings, finding))


def _ratings(event: Event) -> np.ndarray:
    return event.players["rating"].to_numpy(dtype=np.float64)


def _whole(ratings: np.ndarray) -> bool:
    known = ratings[~np.isnan(ratings)]
    return bool((known == np.floor(known)).all())


def _off(printed: Published, n: Numbers) -> np.ndarray:
    """Per player, by how many points the published change or new rating is off; 0 where nothing is compared."""
    exact = np.where(n.change == NOT_KNOWN, np.nan, n.change / n.unit)
    off = np.zeros(len(exact))
    for present, distance in (
        (printed.new_rating.present, np.abs(printed.new_rating.points - n.new)),
        (printed.change.present, np.abs(printed.change.points - exact)),
    ):
        off = np.fmax(off, np.where(present, distance, 0.0))
    return off


def _spans(event: Event, rules: RuleSet, ratings: np.ndarray, n: Numbers, i: int) -> dict[str, list[float]]:
    """Lowest and highest new rating, change and We of player ``i`` over the ends of the printed ratings."""
    values: dict[str, list[float]] = {"new": [], "change": [], "we": []}
    for m in [n, *(_moved(event, rules, ratings, i, own, others) for own, others in _MOVES)]:
        values["new"].append(float(m.new[i]))
        values["change"].append(np.nan if m.change[i] == NOT_KNOWN else m.change[i] / m.unit)
        values["we"].append(np.nan if m.we[i] == NOT_KNOWN else m.we[i] / m.unit)
    return {name: [min(some), max(some)] for name, some in values.items()}


def _moved(event: Event, rules: RuleSet, ratings: np.ndarray, i: int, own: float, others: float) -> Numbers:
    moved = ratings + others
    moved[i] = ratings[i] + own
    return numbers(event.with_players(rating=moved), rules)


def _within(printed: Printed, i: int, span: Sequence[float]) -> bool:
    """Whether a printed cell is a rounded value of the span."""
    value, half = printed.points[i], printed.half[i]
    return not printed.present[i] or bool(span[0] - half <= value <= span[1] + half)
