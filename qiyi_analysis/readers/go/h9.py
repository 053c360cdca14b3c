"""H9, the table of the European Go Federation, and TOU, that of the French one: texts of fixed columns, or of words.

What follows a semicolon is a comment; its facts stand in brackets (H9: ``EV[...] DT[2019-10-26,2019-10-28]``) or behind
equals signs (TOU: ``;name=...``), and the head of the columns names the criteria.
"""

from __future__ import annotations

import re

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.grades import grade
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.go.wall_list import ENTRY, Line, criteria_heads, facts_of_head, wall_list
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables.delimited import report_encoding

_PLACE = re.compile(r"\d{1,4}[.)]?\Z")
_FACT = re.compile(r"\b([A-Z]{2})\[([^\]]{0,500})\]")
_TOU = re.compile(r";\s*(name|date|vill|comm|komi|time|ta|size|prog)\s*=(.*)\Z", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,5}(?:[.,]\d{1,3}|[½¼¾?])?\Z|[½¼¾]\Z")
_HEAD = re.compile(r";\s*(?:Pl\s+Name|Num\s+Nom)\b", re.IGNORECASE)


def looks_like_h9(text: str) -> bool:
    """Whether lines end in cells of rounds behind a place, or the head of such a table is there and a line of a player."""
    found = told = plain = 0
    for line in (line for line in split_lines(text)[:400] if line.strip()):
        body, _, comment = line.partition(";")
        told += len(_FACT.findall(comment)) + bool(_TOU.match(line.strip())) + bool(_HEAD.match(line.strip()))
        tokens = body.split("|")[0].split()
        plain += bool(tokens)
        if len(tokens) >= 3 and ENTRY.match(tokens[-1]):
            found += bool(_PLACE.match(tokens[0])) or told >= 2
    return (found >= 2 and found * 3 >= plain) or (found >= 1 and told >= 2)


def read_h9(source: Source, name: str) -> Event:
    """Read a table. Raises ReadError where it has no line of a player."""
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    facts: dict[str, str] = {}
    lines: list[Line] = []
    heads: list[str] = []
    at, licence = 0, False
    for number, line in enumerate(split_lines(text.text), 1):
        body, _, comment = line.partition(";")
        for key, value in _FACT.findall(comment if not body.strip() else line):
            facts.setdefault(key, value.strip())
        if fact := _TOU.match(line.strip()):
            facts.setdefault(fact[1].casefold(), fact[2].strip())
        elif _HEAD.match(line.strip()):
            licence = "Niv" in line
            at = line.find("Niv") if licence else line.find("Rk") - 1
            heads = criteria_heads(line.partition("Club")[2])
        elif body.strip():
            one = _fixed(body, at, len(heads), licence) if at > 5 else None
            one = one or _spaced(body, len(heads) if at > 5 else None)
            if one is not None:
                one.line = number
                pin = re.search(r"\|\s*(\d{4,9})", line)
                one.id = pin[1] if pin else one.id
                lines.append(one)
            elif not _FACT.search(body):
                faults.once("CK49", "unknown-record", line=number, read=body.strip()[:60])
    if lines and not heads and any(line.values for line in lines):
        heads = ["MMS", "SOS", "SOSOS"][: max(len(line.values) for line in lines)]
    given = facts_of_head(_of_tou(facts), faults)
    return wall_list(lines, heads, faults, source, name, **given)


def _of_tou(facts: dict[str, str]) -> dict[str, str]:
    """The facts of a TOU head under the names of H9."""
    same = {
        "EV": facts.get("comm") or facts.get("name"),
        "DT": facts.get("date"),
        "KM": facts.get("komi"),
        "TM": facts.get("ta"),
    }
    place = f"FR,{facts['vill']}" if "vill" in facts else None
    return {**{key: value for key, value in {**same, "PC": place}.items() if value}, **facts}


def _fixed(body: str, rank_at: int, criteria: int, licence: bool) -> Line | None:
    """A line of fixed columns: the rank stands under its head, then country or ``licence``, club, criteria and cells.

    None where no rank stands there.
    """
    body = body.split("|")[0]
    name, rank, rest = body[5:rank_at].strip(), body[rank_at : rank_at + 3].strip(), body[rank_at + 4 :]
    if grade(rank) is None or not name:
        return None
    width = 7 if licence else 2
    first, club, tokens = rest[:width].strip(), rest[width + 1 : width + 5].strip(), rest[width + 5 :].split()
    values, entries = tokens[:criteria], tokens[criteria:]
    while entries and entries[0].isdecimal():  # programs fill up to four criteria with zeros
        entries.pop(0)
    if licence:
        return Line(0, body[:4].strip(), name, rank, "FR", club, id=first, values=values, entries=entries)
    return Line(0, body[:4].strip(), name, rank, first, club, values=values, entries=entries)


def _spaced(body: str, criteria: int | None) -> Line | None:
    """A line of words: place, name, grade, country, club, numbers, cells. None where it has neither place nor cells."""
    tokens = body.split("|")[0].split()
    entries: list[str] = []
    while len(tokens) > 1 and ENTRY.match(tokens[-1]):
        entries.insert(0, tokens.pop())
    if len(tokens) < 2 or not (_PLACE.match(tokens[0]) or entries):
        return None
    place = tokens.pop(0) if _PLACE.match(tokens[0]) else ""
    numbers: list[str] = []
    while tokens and _NUMBER.match(tokens[-1]) and len(numbers) < 6:
        numbers.insert(0, tokens.pop())
    at = next((i for i, token in enumerate(tokens) if i and grade(token)), len(tokens))
    name, rank, rest = " ".join(tokens[:at]), tokens[at] if at < len(tokens) else "", tokens[at + 1 :]
    values = numbers[:criteria] if criteria is not None else numbers[:3]
    return Line(
        0, place, name, rank, rest[0] if rest else "", " ".join(rest[1:]), values=values, entries=entries
    )


FORMAT = Format(
    name="H9",
    described="H9 of the EGF, TOU of the French federation",
    recognise=lambda look: looks_like_h9(look.head),
    read=lambda look, name, _: (read_h9(look.source, name),),
    written={".h9": "h9"},
)
