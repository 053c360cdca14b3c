"""Elements of an upload XML of Swiss-Manager as records, with the line they begin in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qiyi_analysis.readers import xml
from qiyi_analysis.readers.source import Source


@dataclass(slots=True)
class Record:
    """An element with attributes or simple children: lower-case keys, and the line it begins in."""

    line: int
    values: dict[str, str]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, *keys: str) -> str:
        """The first of these keys that is not empty."""
        return next((text for key in keys if (text := self.values.get(key, "").strip())), "")

    def shown(self) -> str:
        """The record for a message."""
        return " ".join(f"{key}={value}" for key, value in self.values.items())


def records_of(source: Source) -> list[Record]:
    """Every element with attributes or simple children as one record. Raises ReadError for broken XML."""
    records: list[Record] = []
    stack: list[tuple[str, Record, list[str]]] = []
    line = 0

    def at(number: int) -> None:
        nonlocal line
        line = number

    def start(tag: str, attributes: dict[str, str]) -> None:
        stack.append(
            (tag.casefold(), Record(line, {key.casefold(): value for key, value in attributes.items()}), [])
        )

    def end(tag: str) -> None:
        name, record, parts = stack.pop()
        text = "".join(parts).strip()
        if record.values:
            records.append(record)
        elif text and stack:
            stack[-1][1].values.setdefault(name.replace(" ", ""), text)

    def text(data: str) -> None:
        if stack and len(stack[-1][2]) < 100:
            stack[-1][2].append(data)

    declared = re.match(rb"\s*<\?xml[^>]*utf-8", source.data, re.IGNORECASE)
    data = source.data if declared else xml.in_utf8(source.data)
    xml.parse(data, source.name, start=start, end=end, text=text, at=at)
    return records
