"""The rows of a list by id and by name: made once for a list, asked for every event."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from qiyi_analysis.model.spelling import fingerprints, same_name

#: Rows with one name; where more fit, nobody tells them apart, and they are not looked at one by one.
MOST_NAMESAKES = 500


def plain_ids(ids: Sequence[str]) -> list[str]:
    """Ids as they are compared: full-width digits as plain ones, no blanks, no case; 0 and blank are none.

    An id of digits alone is a number, however many zeros it is filled up with: 0008600001 is 8600001.
    """
    text = "\n".join(ids)
    if text.count("\n") >= len(ids):
        text = "\n".join(id.replace("\n", " ") for id in ids)
    if not text:
        return ["" for _ in ids]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    plain = map(str.strip, text.casefold().split("\n"))
    return [one.lstrip("0") if one[:1] == "0" and one.isdecimal() else one for one in plain]


@dataclass(frozen=True)
class Register:
    """``rows``: a frame with ``id`` and ``name`` at least."""

    rows: pd.DataFrame

    @cached_property
    def _by_id(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for row, id in enumerate(plain_ids(self.rows["id"].tolist())):
            if id:
                found[id] = (*found[id], row) if id in found else (row,)
        return found

    @cached_property
    def _by_letters(self) -> tuple[np.ndarray, np.ndarray]:
        """Fingerprints in order, and the row of each; rows with two spellings are there twice."""
        plain, spelled_out = fingerprints(self.rows["name"].tolist())
        other = np.flatnonzero(plain != spelled_out)
        numbers = np.concatenate([plain, spelled_out[other]])
        rows = np.concatenate([np.arange(len(plain)), other])
        named = numbers != 0
        order = np.argsort(numbers[named], kind="stable")
        return numbers[named][order], rows[named][order]

    def with_id(self, id: str) -> tuple[int, ...]:
        """Rows with an id (as :func:`plain_ids` gives it); more than one where the list has it twice."""
        return self._by_id.get(id, ())

    def with_names(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        """For each name the rows whose name can be the same."""
        if not len(names):
            return []
        numbers, rows = self._by_letters
        asked = fingerprints(names)
        spans = [
            (np.searchsorted(numbers, one, "left"), np.searchsorted(numbers, one, "right")) for one in asked
        ]
        near: list[list[int]] = []
        for i in range(len(names)):
            fitting: set[int] = set()
            for (begin, end), one in zip(spans, asked, strict=True):
                if one[i]:
                    fitting.update(rows[begin[i] : min(end[i], begin[i] + MOST_NAMESAKES)].tolist())
            near.append(sorted(fitting))
        # The letters are the same; whether the parts are too, only the names tell.
        listed = self.rows["name"].iloc[[row for some in near for row in some]].tolist()
        others = iter(listed)
        return [
            tuple(row for row, other in zip(some, others, strict=False) if same_name(name, other))
            for name, some in zip(names, near, strict=True)
        ]
