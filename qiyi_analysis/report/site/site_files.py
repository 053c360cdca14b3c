"""The files of a site: one page for each language, one script, and the data in pieces that a browser loads when asked.

A page opened from a disk may load scripts and nothing else, so every piece is a script that calls ``qiyi(kind, key, rows)``.
Rows of the list are in pieces of ``ROWS`` by their order; for the search there is a piece for each beginning of a name or an
id, split until it holds ``FOUND`` entries at most; the page says where it shows the first ones only. The same list gives the same bytes.
"""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.lists.publication import Publication, corrections, label, ratings_over, season
from qiyi_analysis.lists.publication_files import publication_csv, publication_workbook
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.readers.writers.list_writer import fide_text, fide_xml

ROWS, FOUND, TOP = 1000, 2000, 100
#: A longer list has no workbook and no FIDE XML on its site: nobody opens them.
_LARGE = 100_000
#: Groups of a column that have a top list of their own.
_GROUPS = 200
#: Youth and seniors by the year a player turns the age.
_YOUNG, _OLD = (8, 10, 12, 14, 16, 18, 20), (50, 65)
_COLUMNS = (
    "place",
    "id",
    "name",
    "sex",
    "federation",
    "unit",
    "title",
    "birth_year",
    "rating",
    "change",
    "flag",
)


def write_site(p: Publication, folder: Path, letterhead: str = "") -> dict[str, Path]:
    """Write the site and return its pages. ``letterhead``: what stands above every page."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    past = ratings_over(p, p.rows) if p.earlier else np.zeros((0, len(p.rows)))
    for start in range(0, len(p.rows), ROWS):
        some = slice(start, start + ROWS)
        _piece(data, "rows", start // ROWS, _rows(p.rows.iloc[some], past[:, some]))
    leaves = {}
    for number, (prefix, entries) in enumerate(_search(p.rows)):
        leaves[prefix] = number
        _piece(data, "find", number, entries)
    tops = list(_tops(p))
    for number, (_, _, members) in enumerate(tops):
        _piece(data, "top", number, members)
    _piece(data, "index", 0, {
        "players": len(p.rows), "size": ROWS, "leaves": leaves, "day": label(p.current), "days": [label(one) for one in (*p.earlier, p.current)],
        "tops": [[kind, name, len(members)] for kind, name, members in tops], "lists": _lists(p),
        "corrections": corrections(p).to_numpy(dtype=object).tolist(), "downloads": _downloads(p, folder / "files"),
    })  # fmt: skip
    own = resources.files(__package__)
    write_whole(folder / "site.js", own.joinpath("site.js").read_bytes())
    page = own.joinpath("site.html").read_text(encoding="utf-8")
    paths = {}
    for language, name in (("zh", "index.html"), ("en", "index-en.html")):
        said = {key: words.text(f"site.{key}", language) for key in _KEYS}
        texts = {**said, "heading": letterhead or said["title"], "day": label(p.current), "language": language,
                 "other": "index-en.html" if language == "zh" else "index.html", "words": _json(said)}  # fmt: skip
        made = page
        for key, text in texts.items():
            made = made.replace(f"@@{key}@@", text if key == "words" else _escaped(text))
        paths[f"site-{language}"] = folder / name
        write_whole(folder / name, made.encode("utf-8"))
    return paths


#: Words of the pages.
_KEYS = (
    "title", "search", "place", "id", "name", "sex", "federation", "unit", "player_title", "birth_year", "rating", "change",
    "tops", "open", "women", "juniors", "seniors", "lists", "corrections", "downloads", "next", "before", "nothing", "players", "mean",
    "date", "was", "now", "field", "switch", "inactive", "all", "first",
)  # fmt: skip


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _json(value: Any) -> str:
    """JSON that can stand in a script."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _piece(data: Path, kind: str, key: int, rows: Any) -> None:
    write_whole(data / f"{kind}-{key}.js", f'qiyi("{kind}",{key},{_json(rows)});\n'.encode())


def _plain(values: pd.Series) -> list[Any]:
    """Numbers as JSON writes them, whole ones without a point; null for what is missing."""
    return [
        None if v is None or v != v else (int(v) if isinstance(v, float) and v.is_integer() else v)
        for v in values.tolist()
    ]


def _rows(rows: pd.DataFrame, past: np.ndarray) -> list[list[Any]]:
    """One row a player in the order of the list: _COLUMNS, then the ratings on every list, oldest first."""
    columns = [_plain(rows[name]) for name in _COLUMNS]
    over = [_plain(pd.Series(one)) for one in past.T]
    return [[*row, ratings] for *row, ratings in zip(*columns, over, strict=True)]


_SPARE = re.compile(r"[\s.,·'’-]|[\u0300-\u036f]")


def search_key(text: str) -> str:
    """What a name is looked for by: small letters without accents, spaces and signs; the script of the page does the same."""
    return _SPARE.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).lower()))


def _search(rows: pd.DataFrame) -> Iterator[tuple[str, list[list[Any]]]]:
    """Beginnings of names and ids, and who begins so: ``key, number of the row, name, rating``."""
    names, ratings = rows["name"].tolist(), _plain(rows["rating"])
    found: list[tuple[str, int]] = []
    for i, (name, id) in enumerate(zip(names, plain_ids(rows["id"].tolist()), strict=True)):
        found += [(key, i) for key in {*map(search_key, (name, *name.split())), id} if key]
    found.sort()
    yield from _split(found, 0, names, ratings)


def _split(
    found: list[tuple[str, int]], depth: int, names: list[str], ratings: list[Any]
) -> Iterator[tuple[str, list[list[Any]]]]:
    """The entries by their next character, again and again, until they are few; those who share the whole key stay together."""
    start = 0
    while start < len(found):
        prefix = found[start][0][: depth + 1]
        end = start
        while end < len(found) and found[end][0][: depth + 1] == prefix:
            end += 1
        part = found[start:end]
        if len(part) > FOUND and part[0][0] != part[-1][0]:
            yield from _split(part, depth + 1, names, ratings)
        else:
            # Of more who share the whole key the best are found by it, all of them by more letters or by their ids.
            yield prefix, [[key, i, names[i], ratings[i]] for key, i in part[:FOUND]]
        start = end


def _tops(p: Publication) -> Iterator[tuple[str, str, list[int]]]:
    """Kind, name and the numbers of the rows of every top list: open, women, juniors, seniors, unit, federation."""
    active = p.rows[p.rows["place"].notna()]

    def first(part: pd.DataFrame) -> list[int]:
        return [int(i) for i in part.index[:TOP]]

    yield "open", "", first(active)
    yield "women", "", first(active[active["sex"] == "w"])
    if p.current.day is not None:
        age = p.current.day.year - active["birth_year"]
        for top in _YOUNG:
            yield "juniors", f"U{top}", first(active[age <= top])
            yield "juniors", f"U{top} ♀", first(active[(age <= top) & (active["sex"] == "w")])
        for least in _OLD:
            yield "seniors", f"{least}+", first(active[age >= least])
    for column in ("unit", "federation"):
        groups = active[active[column] != ""].groupby(column, sort=True)
        largest = groups.size().sort_values(ascending=False, kind="stable").index[:_GROUPS]
        if len(largest) > 1:
            for name in sorted(largest):
                yield column, str(name), first(groups.get_group(name))


def _lists(p: Publication) -> list[list[Any]]:
    table = season(p)
    return [list(row) for row in zip(*(_plain(table[name]) for name in table.columns), strict=True)]


def _downloads(p: Publication, folder: Path) -> list[str]:
    """The files to be taken away: CSV; up to _LARGE players a workbook, and for FIDE lists the text and the XML."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"list-{label(p.current)}"
    made = {"csv": publication_csv(p).encode("utf-8")}
    if len(p.rows) <= _LARGE:
        made["xlsx"] = publication_workbook(p, "zh")
        if p.current.document.startswith("fide/"):
            made["xml"] = fide_xml(p.current).encode("utf-8")
            with contextlib.suppress(ReadError):  # a value longer than its column: the XML has it
                made["txt"] = fide_text(p.current).encode("utf-8")

    for form, data in made.items():
        write_whole(folder / f"{name}.{form}", data)
    return [f"files/{name}.{form}" for form in made]
