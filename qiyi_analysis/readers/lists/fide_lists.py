"""Rating lists of FIDE as text and as XML.

Columns of the text are taken from the head of the very file: they differ from list to list, and long entries of one
column push the others. The combined lists hold standard, rapid and blitz ratings side by side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import fields, xml
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.lists.kinds_columns import KINDS, OF_A_KIND, kind_in_name
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables import columns
from qiyi_analysis.readers.tables.delimited import report_encoding

MONTHS = {
    name: i
    for i, name in enumerate(
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"], 1
    )
}
_HEADS = {kind: (f"{kind[0].upper()}RTNG", f"{kind[0].upper()}GM", f"{kind[0].upper()}K") for kind in KINDS}
_SEXES = {"F": "w", "W": "w", "M": "m"}


def from_fide_text(lines: list[str], faults: Faults, source: Source) -> tuple[Columns, dict[str, Any]]:
    """Columns and facts of a text list. Raises ReadError where the head names no player or no rating."""
    at = next(i for i, line in enumerate(lines) if line.strip())
    found = [
        (m.group().upper().replace(" ", "").replace("_", ""), m.start())
        for m in re.finditer(r"ID[ _]?Number|\S+", lines[at], re.IGNORECASE)
    ]
    ends = {
        name: (begin, found[i + 1][1] if i + 1 < len(found) else None)
        for i, (name, begin) in enumerate(found)
    }
    facts: dict[str, Any] = {"federation": "FIDE", "document": "fide/rating"}
    heads = _rating_heads(ends, facts, source)
    if "NAME" not in ends or not heads:
        raise ReadError("list-head", file=source.name, line=at + 1, found=ends, needed=_HEADS["standard"][0])
    birth = next((name for name in ("B-DAY", "BORN", "BIRTHDAY", "BDAY") if name in ends), "")
    title = next((name for name in ("TIT", "TITL", "TITLE") if name in ends), "")
    # A long entry pushes everything behind it: the first rating tells.
    first = min((head for _, _, head in heads if head in ends), key=lambda head: ends[head][0])
    overflow: list[str] = [name for name in ("OTIT", "FOA") if name in ends]
    whole = pa.array(lines[at + 1 :], pa.string())
    filled = pc.not_equal(columns.trimmed(whole), "")
    numbers = np.flatnonzero(filled.to_numpy(zero_copy_only=False)) + at + 2
    whole = _all_shifted(whole.filter(filled), ends, first, overflow, numbers, faults)

    def cells(name: str) -> pa.Array:
        if name not in ends:
            return pa.array([""] * len(whole), pa.string())
        begin, end = ends[name]
        return columns.trimmed(pc.utf8_slice_codeunits(whole, begin, end))

    texts = {
        "id": cells("IDNUMBER"),
        "name": cells("NAME"),
        "federation": cells("FED"),
        "flag": cells("FLAG"),
    }
    made: dict[str, Any] = {name: texts[name].to_pandas() for name in texts}
    made["sex"] = columns.texts(cells("SEX"), lambda text: _SEXES.get(text, ""))
    made["title"] = columns.texts(cells(title), lambda text: fields.read_title(text) or text)
    for column, name, head in heads:
        made[column] = columns.numbers(cells(head), partial(_number, zero=name == "games"))
    made["birth_year"] = columns.numbers(cells(birth), lambda text: _number(text[:4]))
    made["line"] = numbers
    return made, facts


def _all_shifted(
    whole: pa.Array, ends: Mapping[str, tuple[int, int | None]], rating: str, overflow: list[str],
    numbers: np.ndarray, faults: Faults,
) -> pa.Array:  # fmt: skip
    """The lines with what long entries pushed put back; only those are looked at whose rating is not plainly one."""
    if not overflow:
        return whole
    begin, end = ends[rating]
    plain = pc.match_substring_regex(pc.utf8_slice_codeunits(whole, begin, end), r"\A[0-9]{0,4} *\z")
    if begin:
        before = pc.utf8_slice_codeunits(whole, begin - 1, begin)
        plain = pc.and_(plain, pc.is_in(before, pa.array(["", " "])))
    odd = pc.invert(plain)
    of_line = iter(numbers[odd.to_numpy(zero_copy_only=False)].tolist())
    return columns.put(whole, lambda line: _shifted(line, ends, rating, overflow, next(of_line), faults), odd)


def _rating_heads(
    ends: Mapping[str, tuple[int, int | None]], facts: dict[str, Any], source: Source
) -> list[tuple[str, str, str]]:
    """Column, what it is and head of every rating of the list; single lists name the rating by their month."""
    month = next((name for name in ends if re.match(r"(?:[A-Z]{3})\d{2}\Z", name) and name[:3] in MONTHS), "")
    if month:
        facts["day"] = date(2000 + int(month[3:]), MONTHS[month[:3]], 1)
        kind = kind_in_name(source.name)
        prefix = f"{kind}_" if kind else ""
        return [
            (f"{prefix}{name}", name, head) for name, head in zip(OF_A_KIND, (month, "GMS", "K"), strict=True)
        ]
    return [
        (f"{kind}_{name}", name, head)
        for kind, heads in _HEADS.items()
        if heads[0] in ends
        for name, head in zip(OF_A_KIND, heads, strict=True)
    ]


def _shifted(
    line: str, ends: Mapping[str, tuple[int, int | None]], rating: str, overflow: list[str], number: int, faults: Faults
) -> str:  # fmt: skip
    """A long entry of other titles pushes the columns behind it: the surplus is taken out."""
    begin, end = ends[rating]
    field = line[begin:end]
    if not overflow or (
        (not field.strip() or re.match(r"\d{0,4}\s*\Z", field.rstrip() or " "))
        and (begin == 0 or line[begin - 1 : begin] in ("", " "))
    ):
        return line
    match = re.search(r"\s(\d{3,4})\s", line[begin - 2 : begin + 24])
    if match is None:
        faults.add("CK47", "list-columns", line=number, field=rating, read=field)
        return line
    shift = match.start(1) - 2
    if shift <= 0:
        return line
    faults.once("CK47", "list-shifted", severity="I", line=number, read=line[begin - 12 : begin + 8].strip())
    return (
        line[: begin - shift] + line[begin:]
        if not line[begin - shift : begin].strip()
        else line[:begin] + line[begin + shift :]
    )


def _number(text: str, *, zero: bool = False) -> float:
    if not text.isascii() or not text.isdecimal():
        return math.nan
    value = float(text[:9])
    return value if value or zero else math.nan


def from_fide_xml(source: Source) -> tuple[Columns, dict[str, Any]]:
    """Columns and facts of an XML list. ``rating`` is the standard one, in a single list that of the file's name."""
    own = kind_in_name(source.name) or "standard"
    wanted = {
        "fideid": "id", "name": "name", "country": "federation", "sex": "sex", "title": "title", "birthday": "birth_year", "flag": "flag",
        **{name: f"{own}_{name}" for name in OF_A_KIND},
        **{f"{kind}_{name}": f"{kind}_{name}" for kind in ("rapid", "blitz") for name in OF_A_KIND},
    }  # fmt: skip
    plain = _plain_players(source, frozenset(wanted))
    if plain is not None:
        texts = {wanted[tag]: cells for tag, cells in plain.items()}
        size = len(next(iter(texts.values())))
    else:
        rows, seen = _players(source.data, source.name, wanted)
        texts = {name: pa.array([row.get(name, "") for row in rows], pa.string()) for name in seen}
        size = len(rows)
    found: dict[str, Any] = {"line": np.arange(1, size + 1)}
    for name, cells in texts.items():
        if name == "birth_year" or name.partition("_")[0] in KINDS:
            found[name] = columns.numbers(cells, partial(_xml_value, name))
        elif name == "sex":
            found[name] = columns.texts(cells, partial(_xml_value, name))
        else:
            found[name] = cells.to_pandas()
    return found, {"federation": "FIDE", "document": "fide/rating"}


def _players(data: bytes, name: str, wanted: Mapping[str, str]) -> tuple[list[dict[str, str]], list[str]]:
    """The players of a document, what is ``wanted`` (tag -> column) of each, and the columns there are."""
    found: list[dict[str, str]] = []
    seen: dict[str, None] = {}
    current: dict[str, str] = {}
    parts: list[str] = []

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal current
        parts.clear()
        if tag == "player":
            current = {}

    def end(tag: str) -> None:
        if tag == "player":
            found.append(current)
        elif tag in wanted:
            current[wanted[tag]] = "".join(parts).strip()
            seen[wanted[tag]] = None
        parts.clear()

    xml.parse(data, name, start=start, end=end, text=parts.append)
    return found, list(seen)


#: Characters looked through at once.
_PIECE = 1 << 23


def _plain_players(source: Source, wanted: frozenset[str]) -> dict[str, pa.Array] | None:
    """The cells of the wanted tags where every player is written like the first: the same tags in the same order, texts
    without anything but the five named characters. None elsewhere; then the XML reader reads them."""
    text = xml.text_of(source.data)
    if text is None:
        return None
    begin, end = text.find("<player>"), text.rfind("</player>") + len("</player>")
    if not 0 <= begin < end:
        return None
    tags = re.findall(r"<([a-z_]{1,30}) ?/?>", text[begin : text.find("</player>", begin)])[1:]
    if len(set(tags)) != len(tags) or not wanted & {*tags} or len(tags) > 64:
        return None
    cells = "".join(
        rf"(?:<{tag}>({xml.TEXT})</{tag}>|<{tag} ?/>)\s*"
        if tag in wanted
        else rf"(?:<{tag}>{xml.TEXT}</{tag}>|<{tag} ?/>)\s*"
        for tag in tags
    )
    player = re.compile(rf"(<player>\s*{cells}</player>[ \t\r\n]*)", re.ASCII)
    around = f"{text[:begin]}<player>{text[end:]}".replace("<player>", "<player></player>", 1)
    if len(_players(around.encode(), source.name, {})[0]) != 1:
        return None
    own = [tag for tag in tags if tag in wanted]
    pieces: dict[str, list[pa.Array]] = {tag: [] for tag in own}
    at = begin
    while at < end:
        stop = text.find("<player>", at + _PIECE, end)
        stop = end if stop < 0 else stop
        rows = player.findall(text, at, stop)
        whole, *columns_ = zip(*rows, strict=True) if rows else ([],)
        if sum(map(len, whole)) != stop - at:
            return None
        for tag, some in zip(own, columns_, strict=True):
            pieces[tag].append(pa.array(some, pa.string()))
        at = stop
    found = {tag: pa.concat_arrays(some) for tag, some in pieces.items()}
    return {
        tag: columns.trimmed(columns.put(cells, xml.unescaped, pc.match_substring(cells, "&")))
        for tag, cells in found.items()
    }


def _xml_value(name: str, text: str) -> Any:
    if name == "birth_year":
        return _number(text[:4])
    if name.partition("_")[0] in KINDS:
        return _number(text, zero=name.endswith("_games"))
    return _SEXES.get(text, "") if name == "sex" else text


def _text(look: Look, faults: Faults, _: Headings | None) -> tuple[Columns, dict[str, Any]]:
    report_encoding(look.text, faults)
    return from_fide_text(look.text.lines(), faults, look.source)


FORMATS = (
    Format(
        name="FIDE XML",
        described="list: FIDE XML (standard, rapid and blitz side by side too)",
        recognise=lambda look: (
            look.head.lstrip().startswith(("<?xml", "<playerslist")) and "<table" not in look.head.casefold()
        ),
        read_list=lambda look, _, __: from_fide_xml(look.source),
    ),
    Format(
        name="FIDE text",
        described="list: FIDE text, its columns taken from the header of the very file",
        recognise=lambda look: (
            "," not in look.first_line
            and bool(re.match(r"\s*ID[ _]?NUMBER\b", look.first_line, re.IGNORECASE))
        ),
        read_list=_text,
    ),
)
