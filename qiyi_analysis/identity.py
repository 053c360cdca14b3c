"""Who is who: players of an event against the rows of a list.

By id first. Without an id a name may lead to a row, compared after normalisation (case, accents, order of
family and given name, pinyin with and without blanks, simplified against traditional characters,
full-width signs), but it is accepted only if one row fits and birth year or unit says the same; everything
else is a finding with the candidates. Two people are never made one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from qiyi_analysis.findings import Finding, Severity
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.readers.characters import simplified

#: Letters that no Unicode decomposition takes apart.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n", "ĸ": "k", "ŧ": "t", "ə": "e"}
)  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_APOSTROPHES = re.compile(r"['’`´ʻʼ‘]")
_SEPARATORS = re.compile(r"[\s,.;/\\_·•・\-‐-―]+")
_QUALIFIER = re.compile(r"\s*[(\[（【]\s*([^()\[\]（）【】]{1,40})\s*[)\]）】]\s*")


def split_qualifier(name: str) -> tuple[str, str]:
    """The name without what stands in brackets behind it (a federation, a unit), and that."""
    found = _QUALIFIER.search(name[:300])
    if found is None:
        return name, ""
    return (name[: found.start()] + " " + name[found.end() :]).strip(), found[1].strip()


@lru_cache(maxsize=65536)
def name_keys(name: str) -> frozenset[str]:
    """Keys of a name: two spellings of one name have a key in common.

    A key is the parts of the name in alphabetical order, or all of them joined in an order that begins with
    any part (so that ``Hou Yifan``, ``Yifan HOU`` and ``Hou Yi Fan`` meet).
    """
    name, _ = split_qualifier(unicodedata.normalize("NFKC", name[:300]))
    folded = _APOSTROPHES.sub("", name.casefold())
    keys: set[str] = set()
    for spelled in {_base(folded), _base(folded.translate(_UMLAUTS))}:
        parts = [part for part in _SEPARATORS.split(spelled) if part]
        if not parts:
            continue
        keys.add(" ".join(sorted(parts)))
        if len(parts) <= 5:
            keys.update("".join(parts[i:] + parts[:i]) for i in range(len(parts)))
    return frozenset(keys)


def _base(text: str) -> str:
    """Letters without marks; simplified for traditional characters."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c) and unicodedata.category(c) != "Cf")
    return simplified(plain)


def same_name(one: str, other: str) -> bool:
    """Whether two spellings can be one name. Different words in brackets (federations) make them two."""
    mine, theirs = split_qualifier(one)[1], split_qualifier(other)[1]
    if mine and theirs and not name_keys(mine) & name_keys(theirs):
        return False
    return bool(name_keys(one) & name_keys(other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """One entry per player: row of the list or -1, and how it was found (id, name, doubtful, none)."""

    row: np.ndarray
    how: tuple[str, ...]
    candidates: tuple[tuple[int, ...], ...]
    findings: tuple[Finding, ...] = ()


def match_players(event: Event, rating_list: RatingList) -> Identities:
    """The row of the list for every player of the event.

    An id that is on the list decides; if the name on the list is another one, that is a finding (CK10). A
    name decides only if exactly one row has it and birth year, federation and unit do not contradict and
    one of birth year and unit agrees; otherwise the rows are candidates of a finding (CK11).
    """
    rows = rating_list.rows
    by_id = {identity: i for i, identity in enumerate(rows["id"]) if identity}
    by_key: dict[str, list[int]] | None = None
    found: list[int] = []
    how: list[str] = []
    candidates: list[tuple[int, ...]] = []
    findings: list[Finding] = []
    players = event.players
    for i, (identity, name) in enumerate(zip(players["id"], players["name"], strict=True)):
        if identity and identity in by_id:
            row = by_id[identity]
            listed = rows["name"].iloc[row]
            if name and listed and not same_name(name, listed):
                findings.append(
                    _finding("CK10", "id-with-other-name", players, i, [row], rows, listed=listed)
                )
            found.append(row)
            how.append("id")
            candidates.append((row,))
            continue
        if by_key is None:
            by_key = _by_key(rows["name"])
        fitting = sorted({row for key in name_keys(name) for row in by_key.get(key, ())})
        fitting = [row for row in fitting if same_name(name, rows["name"].iloc[row])]
        agreeing = [row for row in fitting if not _contradicts(players, i, rows, row)]
        sure = [row for row in agreeing if _supported(players, i, rows, row)]
        candidates.append(tuple(fitting))
        if len(sure) == 1 and not (identity and rows["id"].iloc[sure[0]]):
            found.append(sure[0])
            how.append("name")
            findings.append(
                _finding("CK11", "identity-by-name", players, i, sure, rows, severity=Severity.NOTE)
            )
            continue
        found.append(-1)
        how.append("doubtful" if fitting else "none")
        if fitting:
            reason = "name-under-other-id" if identity else "name-doubtful"
            findings.append(_finding("CK11", reason, players, i, fitting, rows))
    return Identities(
        row=np.array(found, dtype=np.int64),
        how=tuple(how),
        candidates=tuple(candidates),
        findings=tuple(findings),
    )


def namesakes(event: Event) -> tuple[Finding, ...]:
    """Players of one event whose names can be one: told apart where id, birth year or unit differ (I), else W."""
    players = event.players
    findings = []
    seen: set[tuple[int, ...]] = set()
    for rows in _by_key(players["name"]).values():
        if len(rows) < 2 or tuple(rows) in seen:
            continue
        seen.add(tuple(rows))
        apart = all(
            _contradicts(players, a, players, b) for place, a in enumerate(rows) for b in rows[place + 1 :]
        )
        findings.append(
            _finding(
                "CK11", "namesakes", players, rows[1], rows, players, severity=Severity.NOTE if apart else Severity.ASK,
                numbers=", ".join(str(players["number"].iloc[row]) for row in rows),
            )
        )  # fmt: skip
    return tuple(findings)


def _by_key(names: Iterable[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        for key in name_keys(name):
            found.setdefault(key, []).append(row)
    return found


def _contradicts(players: pd.DataFrame, i: int, rows: pd.DataFrame, row: int) -> bool:
    """Whether id, birth year, federation, sex or unit of two rows say different things."""
    for column in ("id", "federation", "sex", "unit"):
        own, other = players[column].iloc[i], rows[column].iloc[row]
        if (
            own
            and other
            and own.casefold() != other.casefold()
            and not (column == "unit" and name_keys(own) & name_keys(other))
        ):
            return True
    born, listed = players["birth_year"].iloc[i], rows["birth_year"].iloc[row]
    return bool(born == born and listed == listed and born != listed)


def _supported(players: pd.DataFrame, i: int, rows: pd.DataFrame, row: int) -> bool:
    """Whether birth year or unit of two rows agree."""
    born, listed = players["birth_year"].iloc[i], rows["birth_year"].iloc[row]
    unit, club = players["unit"].iloc[i], rows["unit"].iloc[row]
    return bool(born == listed or (unit and club and name_keys(unit) & name_keys(club)))


def _finding(
    code: str, reason: str, players: pd.DataFrame, i: int, rows: Iterable[int], table: pd.DataFrame,
    severity: Severity | None = None, **values: object,
) -> Finding:  # fmt: skip
    shown = []
    for row in list(rows)[:8]:
        born = table["birth_year"].iloc[row]
        about = (
            table["id"].iloc[row],
            table["federation"].iloc[row],
            table["unit"].iloc[row],
            f"{born:.0f}" if born == born else "",
        )
        shown.append(f"{table['name'].iloc[row]} ({', '.join(filter(None, about)) or '-'})")
    return Finding(
        code=code, reason=reason, severity=severity, line=int(players["line"].iloc[i]), player=int(players["number"].iloc[i]),
        field="name", published=str(players["name"].iloc[i]), values={"candidates": "; ".join(shown), **values},
    )  # fmt: skip
