"""Ratings of several kinds side by side in one list: which columns are whose, and which kind a list is of."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.tables.heads import folded

KINDS = ("standard", "rapid", "blitz")
#: What a list knows of each kind.
OF_A_KIND = ("rating", "games", "k")
KIND_COLUMNS = tuple(f"{kind}_{name}" for kind in KINDS for name in OF_A_KIND)


@cache
def _known() -> Mapping[str, str]:
    data = tomllib.loads(resources.files(__package__).joinpath("list_heads.toml").read_text(encoding="utf-8"))
    return {
        folded(spelling): column
        for column, spellings in data.items()
        for spelling in [column.replace("_", " "), *spellings]
    }


def kind_columns(heads: Sequence[str]) -> dict[str, int]:
    """Column of a kind (``rapid_k``) -> its place. The short heads of FIDE (SGm, RK) only beside its SRtng, RRtng."""
    found: dict[str, int] = {}
    spelled = [folded(head.replace("_", " ")) if len(head) <= 40 else "" for head in heads]
    short = {
        f"{kind[0]}{ending}": f"{kind}_{name}"
        for kind in KINDS
        if f"{kind[0]}rtng" in spelled
        for ending, name in (("gm", "games"), ("gms", "games"), ("k", "k"))
    }
    for place, head in enumerate(spelled):
        column = short.get(head) or _known().get(head, "")
        if column:
            found.setdefault(column, place)
    return found


def kind_in_name(name: str) -> str:
    """The kind that the name of a file tells (``rapid_rating_list``); "" where it tells none."""
    return next((kind for kind in KINDS if re.search(rf"(?<![a-z]){kind}(?![a-z])", name.casefold())), "")


def in_kinds(table: Columns, facts: Mapping[str, Any], variant: str) -> tuple[dict[str, pd.DataFrame], str]:
    """Take the columns of kinds out of ``table``; those of ``variant`` become its rating, games and k.

    Returns the ratings of every kind there is, and the document the list's own rating belongs to. A column ``rating``
    without a kind is the standard one, unless the list has a column for that.
    """
    document = str(facts.get("document", ""))
    present = [kind for kind in KINDS if f"{kind}_rating" in table]
    size = len(table["line"])
    if present and "rating" in table and any(value == value for value in table["rating"]):
        for name in OF_A_KIND:
            table.setdefault(f"standard_{name}", table.get(name, [math.nan] * size))
        present = [kind for kind in KINDS if f"{kind}_rating" in table]
    kinds = {
        kind: pd.DataFrame(
            {name: table.get(f"{kind}_{name}", [math.nan] * size) for name in OF_A_KIND}, dtype="float64"
        )
        for kind in present
    }
    for column in KIND_COLUMNS:
        table.pop(column, None)
    own = variant if variant in kinds else next(iter(kinds), "")
    if own:
        table.update({name: kinds[own][name].tolist() for name in OF_A_KIND})
    if document == "fide/rating":
        document += f"-{own}" if own else ""
    # A single kind is told by the document; where that does not tell it, the column does.
    return kinds if len(kinds) > 1 or document.rpartition("-")[2] not in KINDS else {}, document


def kind_taken(read: RatingList, variant: str = "") -> str:
    """The kind of the ratings in the rows of a list that was read with ``variant``; "" where the list tells no kind."""
    if read.kinds:
        wanted = variant or KINDS[0]
        return wanted if wanted in read.kinds else next(iter(read.kinds))
    known = read.document.rpartition("-")[2]
    return known if known in KINDS else ""


def variant_taken(read: RatingList, variant: str) -> tuple[Finding, ...]:
    """Which of several ratings stands in the rows of a list; ``variant``: what was asked for, "" where nothing was.

    Nothing is said of a list that has the ratings of one kind and none was asked for, or the one it has.
    """
    own = kind_taken(read, variant)
    if variant == own or not own or (not variant and len(read.kinds) < 2):
        return ()
    others = [kind for kind in read.kinds if kind != own]
    return (
        Finding(
            code="CK49",
            severity="W" if variant else "I",
            reason="list-variant-absent" if variant else "list-variant-taken",
            file=read.id,
            values={
                "taken": words.said(f"rating-kind.{own}"),
                "asked": words.named("rating-kind", variant),
                "others": [words.said(f"rating-kind.{kind}") for kind in others],
            },
        ),
    )
