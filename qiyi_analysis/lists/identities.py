"""Decisions on who is who: a table (identities.csv) with the columns ``decision, old, new, note``.

``same``: the player with the id ``old`` (the name, where lists have no ids) has the id ``new`` now; where a list has both,
the two rows were one person, and ``old`` is merged into ``new``. ``different``: the row ``old`` of an earlier list and the
row ``new`` of a later one are two people, however alike they look.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.model.spelling import written

_HEADS = {"decision": ("decision", "决定"), "old": ("old", "旧"), "new": ("new", "新")}
_DECISIONS = {"same": "same", "同一人": "same", "different": "different", "不同人": "different"}
#: More decisions in a chain are a circle.
_LONGEST = 1000


@dataclass(frozen=True, kw_only=True)
class Identities:
    """``same``: key of an old id or name -> the new one as written; ``different``: pairs of keys."""

    same: Mapping[str, str] = field(default_factory=dict)
    different: frozenset[tuple[str, str]] = frozenset()

    def today(self, texts: Sequence[str]) -> list[str]:
        """Ids or names as they are now: chains of changes are followed to their end."""
        found = list(texts)
        for i, key in enumerate(keys(found) if self.same else ()):
            for _ in range(_LONGEST):
                if key not in self.same:
                    break
                found[i] = self.same[key]
                key = keys([found[i]])[0]
        return found

    def renewed(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of a list with the ids (the names, where there is no id) of today."""
        if not self.same:
            return rows
        ids = rows["id"].tolist()
        named = rows["name"].where(rows["id"] != "", self.today(rows["name"].tolist()))
        return rows.assign(id=pd.Series(self.today(ids), index=rows.index, dtype=object), name=named)

    def apart(self, old: tuple[str, str], new: tuple[str, str]) -> bool:
        """Whether two rows, each as (id, name), are declared to be two people."""
        return any((a, b) in self.different for a in keys(old) if a for b in keys(new) if b)


def keys(texts: Sequence[str]) -> list[str]:
    """What ids and names are compared by: :func:`plain_ids`, for a name its letters."""
    return [written(one) if one and not one.isascii() else one for one in plain_ids(list(texts))]


def row_keys(rows: pd.DataFrame) -> np.ndarray:
    """The key of each row of a list: of its id, or of its name where it has none."""
    return np.array(keys(rows["id"].where(rows["id"] != "", rows["name"]).tolist()), dtype=object)


def read_identities(path: Path | str | None) -> Identities:
    """The decisions of a file; none without one. Raises ReadError that names the line of what is no decision."""
    if not path:
        return Identities()
    place = Path(path)
    from qiyi_analysis.readers.source import decode

    note_input(place)
    lines = csv.reader(io.StringIO(decode(place.read_bytes()).text))
    head = [cell.strip().casefold() for cell in next(lines, [])]
    at = {name: next((head.index(one) for one in words if one in head), -1) for name, words in _HEADS.items()}
    if -1 in at.values():
        raise ReadError("identities-heads", file=place.name, found=head, needed=list(at))
    same: dict[str, str] = {}
    different = set()
    for number, cells in enumerate(lines, 2):
        if not any(cell.strip() for cell in cells):
            continue
        cells = [cell.strip() for cell in cells] + [""] * len(head)
        decision, old, new = (cells[at[name]] for name in ("decision", "old", "new"))
        kind = _DECISIONS.get(decision.casefold(), "")
        a, b = keys([old, new])
        if not (kind and a and b) or a == b or (kind == "same" and same.get(a, new) != new):
            raise ReadError("identities-row", file=place.name, line=number, read=cells[: len(head)])
        if kind == "same":
            same[a] = new
        else:
            different.add((a, b))
    found = Identities(same=same, different=frozenset(different))
    for number, a in enumerate(same):
        if keys([found.today([a])[0]])[0] in same:
            raise ReadError("identities-circle", file=place.name, read=list(same)[number])
    return found
