"""What a reader noticed, line by line, without stopping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.event import Kind
from qiyi_analysis.model.findings import Finding

#: One kind of deviation can occur in every line of a file; after so many the rest is only counted.
MOST_PER_REASON = 200


class Faults:
    """Collects the findings of one file. ``read`` is what stood there, ``assumed`` what was made of it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._findings: list[Finding] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._habits: dict[tuple[str, str], tuple[int, int, dict[str, Any]]] = {}

    def add(
        self,
        code: str,
        reason: str,
        *,
        severity: str | None = None,
        line: int = 0,
        column: str | int = "",
        round: int = 0,
        player: int = 0,
        field: str = "",
        read: object = "",
        assumed: object = "",
        article: str = "",
        **values: object,
    ) -> None:
        """Note a fault of the file as a finding: where it stands, what was read, the values of its words.

        A :class:`Kind` is kept as its code and said in words; several values are joined as the language joins them.
        """
        self._counts[code, reason] += 1
        if self._counts[code, reason] > MOST_PER_REASON:
            return
        said = {**_said("published", read), **_said("recomputed", assumed)}
        self._findings.append(
            Finding(
                code=code,
                reason=reason,
                severity=severity,
                file=self.file,
                line=line,
                round=round,
                player=player,
                field=field,
                published=shown(read),
                recomputed=shown(assumed),
                article=article,
                values={"column": str(column), **said, **values},
            )
        )

    def once(self, code: str, reason: str, *, line: int = 0, **values: Any) -> None:
        """Note a habit of the whole file: one finding with its first line and how often it occurs."""
        first, count, kept = self._habits.get((code, reason), (line, 0, values))
        self._habits[code, reason] = (first, count + 1, kept)

    def count(self, reason: str) -> int:
        """How often a deviation was met."""
        return sum(n for (_, r), n in self._counts.items() if r == reason)

    def findings(self) -> tuple[Finding, ...]:
        """All findings, and one for each kind that was cut short."""
        habits = Faults(self.file)
        for (code, reason), (line, times, values) in self._habits.items():
            habits.add(code, reason, line=line, times=times, **values)
        rest = [
            Finding(
                code=code,
                reason="more-of-the-same",
                severity="I",
                file=self.file,
                values={"code": code, "more": count - MOST_PER_REASON, "check": words.said(f"code.{code}")},
            )
            for (code, reason), count in self._counts.items()
            if count > MOST_PER_REASON
        ]
        return (*self._findings, *habits._findings, *rest)


def _said(name: str, value: object) -> dict[str, object]:
    """How a value is said where languages differ: a kind of game by its word, several values joined."""
    if isinstance(value, Kind):
        return {name: words.named("reason", value)}
    if isinstance(value, words.Said) or (
        isinstance(value, Collection) and not isinstance(value, str | bytes)
    ):
        return {name: words.Said(shown(value), shown(words.shown(value, "zh")))}
    return {}


def shown(value: object) -> str:
    """A value for a finding: one line, not longer than a screen shows."""
    text = "" if value is None else words.shown(value, "en")
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= 120 else f"{text[:117]}..."
