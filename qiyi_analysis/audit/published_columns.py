"""Published columns beside the rating numbers and tie-breaks: rated games (CK28), K, and what nothing is compared with.

A report can also publish too few players or players who are not in the event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qiyi_analysis import words
from qiyi_analysis.audit.checks.results import file_of
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.rating import Rating

#: Published columns that are compared here: name in the file -> column of the calculation, code, reason.
_COMPARED = {"games": ("games", "CK28", "rated-games-differ"), "k": ("k", "CK29", "published-k-differs")}
#: From this share of differing values on, the column is something else, and one finding says so.
_MOST = 0.5


def check(event: Event, rating: Rating) -> Iterator[Finding]:
    """Every published column is compared, or named as not compared."""
    file = event.published_file or file_of(event, "official")
    columns = {
        key.removeprefix("official."): values
        for key, values in event.extra.items()
        if key.startswith("official.") and isinstance(values, Mapping) and any(map(_number, values.values()))
    }
    for name, (column, code, reason) in _COMPARED.items():
        yield from _compared(event, rating, columns.pop(name, {}), name, column, code, reason, file)
    if event.players["performance"].notna().any():
        columns["performance"] = {}
    if columns:
        shown = words.joined(sorted(columns))
        yield Finding(code="CK44", reason="columns-not-compared", file=file, values={"columns": shown})
    yield from _left_out(event, rating, file)


def _compared(
    event: Event,
    rating: Rating,
    printed: Mapping[int, str],
    name: str,
    column: str,
    code: str,
    reason: str,
    file: str,
) -> Iterator[Finding]:
    known = {
        int(number): (person, value)
        for number, person, value in rating.players[["number", "name", column]].itertuples(index=False)
        if value == value
    }
    wrong, compared = [], 0
    for number, text in printed.items():
        value = _number(text)
        if value is None or number not in known:
            continue
        compared += 1
        person, right = known[number]
        if value != right:
            wrong.append((number, person, text, right))
    if len(wrong) > max(2, _MOST * compared):
        values = {"column": name, "count": len(wrong), "of": compared}
        yield Finding(
            code=code,
            severity=Severity.ASK,
            reason="published-column-differs-widely",
            file=file,
            field=name,
            values=values,
        )
        return
    for number, person, text, right in wrong:
        yield Finding(
            code=code, reason=reason, file=file, line=event.published_lines.get(number, 0), player=number, field=name,
            published=str(text), recomputed=f"{right:g}", values={"name": person},
        )  # fmt: skip


def _number(text: object) -> float | None:
    try:
        return float(str(text).replace(",", "."))
    except ValueError:
        return None


def _left_out(event: Event, rating: Rating, file: str) -> Iterator[Finding]:
    """Players with rated games of whom nothing is published although most of the others are."""
    players = rating.players
    if (
        not event.published_lines
        or not (event.players["change"].notna() | event.players["new_rating"].notna()).any()
    ):
        return
    due = players.loc[players["change"].notna() & (players["games"] > 0), "number"].tolist()
    missing = [number for number in due if number not in event.published_lines]
    if missing and 2 * len(missing) <= len(due):
        values = {"players": words.ranges(missing), "count": len(missing)}
        yield Finding(
            code="CK28", severity=Severity.ASK, reason="published-players-missing", file=file, values=values
        )
