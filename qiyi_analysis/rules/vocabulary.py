"""What a rule file may hold, checked: types and ranges of values, and what goes with what.

``rulesets/vocabulary/<kind>.toml`` says it, this module holds a file to it. Every refusal names the place, what
was read and what was expected. Of a key: ``type``, ``of``, ``min``, ``max``, ``positive`` (more than 0),
``signed`` (below 0 as well; else 0 or more), ``rising``, ``length``. Of a block or key: ``required``; ``only_with`` and ``needed_with`` (and ``needed_unless``), a
``key`` (of another ``block``) and what it ``is`` (or several of them). Of a block: ``unique``, ``not_above``, ``rising``, ``decided_by``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError

UNDATED = "undated"

#: What a block's keys are checked against, and the blocks of a file by name, each a list of rows.
Spec = Mapping[str, Any]
Rows = Mapping[str, Sequence[Mapping[str, Any]]]
#: What a message names a place by.
Place = str | words.Later


def day_of(text: str, where: Place) -> date:
    """A day written YYYY-MM-DD, in no other of the forms that ISO 8601 has."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise RulesetError("rules-date", where=where, text=text)
    return day


def checked(value: Any, rule: Spec, where: Place) -> Any:
    """The value in the type the vocabulary asks for: numbers exact, lists as tuples. RulesetError with the place."""
    kind = rule["type"]
    match kind:
        case "integer" if type(value) is int:
            return _in_range(value, value, rule, where)
        case "number" if type(value) in (int, Decimal, str):
            try:
                exact = Fraction(value)
            except (ValueError, ZeroDivisionError, OverflowError):
                pass
            else:
                return _in_range(exact, value, rule, where)
        case "text" if isinstance(value, str) and (value.strip() or rule.get("empty")):
            return value
        case "bool" if isinstance(value, bool):
            return value
        case "choice" if value in rule["of"]:
            return value
        case "choice":
            raise RulesetError("rules-not-one-of", where=where, value=value, choices=list(rule["of"]))
        case "choices" if isinstance(value, list) and all(v in rule["of"] for v in value):
            return tuple(value)
        case "date" if isinstance(value, date) and not isinstance(value, datetime):
            return value
        case "date" if isinstance(value, str):
            return day_of(value, where)
        case "texts" | "integers" | "numbers" if isinstance(value, list):
            return _list(value, rule, where)
        case "conditions" if isinstance(value, dict):
            known = rule["of"]
            for key in value:
                if key not in known:
                    hint = words.nearest(key, known, "hint.takes")
                    raise RulesetError("rules-condition", where=where, key=key, hint=hint)
            return MappingProxyType({k: checked(v, known[k], key_in(where, k)) for k, v in value.items()})
        case "map" if isinstance(value, dict):
            return MappingProxyType(
                {k: checked(v, {"type": rule["of"]}, key_in(where, k)) for k, v in value.items()}
            )
    raise _not_of(value, kind, where)


def _list(value: list[Any], rule: Spec, where: Place) -> tuple[Any, ...]:
    kind = rule["type"]
    item = {**rule, "type": kind[:-1]}
    if not value:
        raise RulesetError("rules-list-empty", where=where, expected=words.said(f"expected.{kind}"))
    for one in value:
        fits = (
            isinstance(one, str)
            if kind == "texts"
            else type(one) in (int, Decimal, str)[: 1 + 2 * (kind == "numbers")]
        )
        if not fits:
            raise _not_of(value, kind, where)
    found = tuple(checked(one, item, where) for one in value)
    if "length" in rule and len(found) != rule["length"]:
        raise RulesetError("rules-list-length", where=where, value=typed(value), length=rule["length"])
    if rule.get("rising") and any(a >= b for a, b in itertools.pairwise(found)):
        raise RulesetError("rules-list-order", where=where, value=typed(value))
    return found


def _not_of(value: Any, kind: str, where: Place) -> RulesetError:
    return RulesetError(
        "rules-value", where=where, value=typed(value), expected=words.said(f"expected.{kind}")
    )


def typed(value: Any) -> str:
    """A value as it stands in the file."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return repr(value)
        case list():
            return f"[{', '.join(typed(one) for one in value)}]"
        case dict():
            return "{ " + ", ".join(f"{key} = {typed(one)}" for key, one in value.items()) + " }"
        case Decimal() if not value.is_finite():
            return str(value).lower().replace("infinity", "inf")
    return str(value)


def _in_range(value: Any, read: Any, rule: Spec, where: Place) -> Any:
    low = rule.get("min", None if rule.get("signed") else 0)
    high = rule.get("max")
    below = (low is not None and value < Fraction(low)) or (rule.get("positive") and value <= 0)
    if not below and (high is None or value <= Fraction(high)):
        return value
    if rule.get("positive") and high is None:
        expected = words.said("expected.positive")
    elif high is None:
        expected = words.said("expected.from", low=low)
    elif low is None:
        expected = words.said("expected.up-to", high=high)
    else:
        expected = words.said("expected.range", low=low, high=high)
    raise RulesetError("rules-range", where=where, value=typed(read), expected=expected)


# --- what goes with what --------------------------------------------------------------------------------


def refuse_unfit(blocks: Rows, vocabulary: Spec, name: str) -> None:
    """Hold the blocks of a file to what the vocabulary says of them together. Raises RulesetError.

    A block or key that the rest of the file leaves without effect is a fault: its author expects one.
    """
    for block, spec in vocabulary.items():
        need = spec.get("needed_with")
        if block in blocks:
            _refuse_rows(block, spec, blocks, name)
        elif need and (said := _holds(need, {}, blocks)):
            raise RulesetError("rules-block-needed", file=name, block=block, by=said)


def _refuse_rows(block: str, spec: Spec, blocks: Rows, name: str) -> None:
    rows = blocks[block]
    only = spec.get("only_with")
    where = only.get("where", {}) if only else {}
    concerned = [row for row in rows if all(row.get(key) == value for key, value in where.items())]
    if only and concerned and not _holds(only, {}, blocks):
        said = "".join(f": {key} = {value}" for key, value in where.items())
        raise RulesetError("rules-block-idle", file=name, block=block, said=said, needs=_wanted(only))
    for number, row in enumerate(rows, 1):
        place = place_of(name, block, number, bool(spec.get("rows")))
        for key, rule in spec.get("keys", {}).items():
            need, only = rule.get("needed_with"), rule.get("only_with")
            unless = rule.get("needed_unless")
            if key not in row and unless and not _holds(unless, row, blocks):
                raise RulesetError("rules-key-missing", where=place, key=key)
            if key not in row and need and (said := _holds(need, row, blocks)):
                raise RulesetError("rules-key-needed", where=place, key=key, by=said)
            if key in row and only and not _holds(only, row, blocks):
                raise RulesetError("rules-key-idle", where=place, key=key, needs=_wanted(only))
        for low, high in spec.get("not_above", ()):
            if low in row and high in row and row[low] > row[high]:
                raise RulesetError(
                    "rules-pair", where=place, low=low, low_value=row[low], high=high, high_value=row[high]
                )
    _refuse_overlap(rows, spec, name, block)
    _refuse_falling(rows, spec.get("rising"), name, block)
    if "decided_by" in spec:
        _refuse_gaps(rows, spec["keys"][spec["decided_by"]]["of"], spec["decided_by"], name, block)


def place_of(name: str, block: str, number: int, rows: bool) -> words.Later:
    """File and block, and the row of an array of blocks, as messages name them."""
    if rows:
        return words.Later("rule-place.row", file=name, block=block, row=number)
    return words.Later("rule-place.block", file=name, block=block)


def key_in(where: Place, key: str) -> words.Later:
    """A key in its place, as messages name it."""
    return words.Later("rule-place.key", where=where, key=key)


def _holds(need: Spec | list[Spec], row: Mapping[str, Any], blocks: Rows) -> str:
    """What of a file answers to ``need``, as a message says it; "" where nothing does."""
    if isinstance(need, list):
        return next((said for one in need if (said := _holds(one, row, blocks))), "")
    block, key, wanted = need.get("block"), need["key"], need.get("is")

    def inside(said: str) -> str:
        return words.said("rule-needs.inside", said=said, block=block) if block else said

    for one in blocks.get(block, ()) if block else (row,):
        nested = one.get(need["inside"], {}) if "inside" in need else one
        if key not in nested:
            continue
        if wanted is None:
            return inside(key)
        if nested[key] in (wanted if isinstance(wanted, list) else [wanted]):
            return inside(f"{key} = {nested[key]}")
    return ""


def _wanted(need: Spec) -> words.Said:
    """What ``need`` asks for, as a message says it."""
    place, wanted = need.get("block"), need.get("is")
    values = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
    key = f"{need['key']} = " if values else need["key"]
    said = words.Said(f"{key}{' / '.join(values)}", f"{key}{' / '.join(values)}")
    return words.said("rule-needs.inside", said=said, block=place) if place else said


def _refuse_overlap(rows: Sequence[Mapping[str, Any]], spec: Spec, name: str, block: str) -> None:
    """Two rows that answer the same question are a fault, not a matter of order."""
    unique = spec.get("unique", ())
    for (i, one), (j, two) in itertools.combinations(enumerate(rows, 1), 2) if unique else ():
        shared = [_shared(one.get(part), two.get(part), spec.get("everybody")) for part in unique]
        if all(answer is not None for answer in shared):
            key = [str(answer) for answer in shared if answer != ""]
            raise RulesetError("rules-rows-overlap", file=name, block=block, one=i, two=j, key=key)


def _shared(one: Any, two: Any, everybody: Any) -> Any:
    """What two values of a row both stand for; None where nothing."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        both = [value for value in one if value in two]
        if "*" in one or "*" in two:
            both = both or [value for value in (*one, *two) if value != "*"]
        return " ".join(both) if both else None
    if everybody is not None and everybody in (one, two):
        return two if one == everybody else one
    return ("" if one is None else one) if one == two else None


def _refuse_falling(rows: Sequence[Mapping[str, Any]], key: str | None, name: str, block: str) -> None:
    """Rows by a limit: rising, the last perhaps without one."""
    limits = [row.get(key) for row in rows] if key else []
    for number, (one, two) in enumerate(itertools.pairwise(limits), 2):
        if one is None or (two is not None and two <= one):
            raise RulesetError(
                "rules-rows-order", file=name, block=block, one=number - 1, two=number, key=key
            )


def _refuse_gaps(
    rows: Sequence[Mapping[str, Any]], conditions: Spec, key: str, name: str, block: str
) -> None:
    """The first row whose conditions hold counts: every row must be the first for somebody, somebody's row for all.

    Tried at both sides of every limit that stands in the rows, which is all that can make a difference.
    """
    facts = dict.fromkeys(fact for condition in conditions.values() for fact in condition["facts"])
    limits: dict[str, set[int]] = {fact: set() for fact in facts}
    for row in rows:
        for condition, limit in row.get(key, {}).items():
            about = conditions[condition]["facts"]
            for fact, value in zip(about, limit if isinstance(limit, tuple) else (limit,), strict=True):
                step = 1 if conditions[condition]["side"] == "up-to" else 0
                limits[fact].update({0, max(0, value + step - 1), value + step})
    limits = {fact: values for fact, values in limits.items() if values}
    reached: set[int] = set()
    held: set[int] = set()
    gap: dict[str, int] | None = None
    for values in itertools.product(*(sorted(limits[fact]) for fact in limits)):
        player = dict(zip(limits, values, strict=True))
        if not _possible(player):
            continue
        holding = [i for i, row in enumerate(rows) if _row_holds(row, player, conditions, key)]
        held.update(holding)
        reached.update(holding[:1])
        if not holding and gap is None:
            gap = player
    for i in range(len(rows)):
        if i not in reached:
            why = words.said("rule-row.behind" if i in held else "rule-row.contradicts")
            raise RulesetError("rules-row-idle", file=name, block=block, row=i + 1, why=why)
    if gap is not None:
        missing = [words.said(f"rule-fact.{fact}", value=value) for fact, value in gap.items()]
        raise RulesetError("rules-row-gap", file=name, block=block, player=missing)


def _possible(player: Mapping[str, int]) -> bool:
    """Nobody's best rating is below the rating; before and after the birthday the year gives an age."""
    if player.get("peak", 9999) < player.get("rating", 0):
        return False
    year = player.get("year_age", player.get("age", 0))
    return player.get("age", year) in (year, year - 1)


def _row_holds(row: Mapping[str, Any], player: Mapping[str, int], conditions: Spec, key: str) -> bool:
    for condition, limit in row.get(key, {}).items():
        spec = conditions[condition]
        values = limit if isinstance(limit, tuple) else (limit,)
        each = [
            {"from": player[fact] >= value, "below": player[fact] < value, "up-to": player[fact] <= value}[
                spec["side"]
            ]
            for fact, value in zip(spec["facts"], values, strict=True)
        ]
        if not (any(each) if row.get("ends_when") == "both" else all(each)):
            return False
    return True
