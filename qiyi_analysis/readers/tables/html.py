"""Tables of saved web pages, read with the standard parser; broken markup never stops it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.lists.list_tables import from_sheets
from qiyi_analysis.readers.source import Source, Text, decode
from qiyi_analysis.readers.tables.delimited import Row, report_encoding
from qiyi_analysis.readers.tables.sheet_event import read_sheets
from qiyi_analysis.readers.tables.sheets import MOST_COLUMNS, Sheet

#: A cell that claims more rows or columns than this is taken as one.
LARGEST_SPAN = 200
#: Tables inside tables (layout of old pages).
DEEPEST = 30
#: Cells of a page, those of wide and tall cells counted one by one.
MOST_CELLS_OF_A_PAGE = 3_000_000
#: A row counts as so many cells, for rows without any.
_CELLS_OF_A_ROW = 20
#: Signs of tags that are never closed; the parser looks for the end of each through the rest of the page.
MOST_OPEN_TAGS = 50


class TooManyCells(Exception):
    """The page has more cells than any that shows an event."""


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sheets: list[Sheet] = []
        self._open: list[_Table] = []
        self._loose: list[str] = []
        self._silent = 0
        self._cells = 0

    def count_cells(self, cells: int = 1) -> None:
        """Raise TooManyCells where there are more than a page can have."""
        self._cells += cells
        if self._cells > MOST_CELLS_OF_A_PAGE:
            raise TooManyCells

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Skip `<![...>` like a browser; the standard library asserts that it is one of five kinds."""
        return self.rawdata.find(">", i) + 1 or -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self._silent += 1
        elif tag == "table" and len(self._open) < DEEPEST:
            table = _Table(self.getpos()[0], self)
            self._flush(table)
            self._open.append(table)
        elif self._open:
            spans = {key: value or "" for key, value in attrs if key in ("colspan", "rowspan")}
            if tag == "tr":
                self._open[-1].new_row(self.getpos()[0])
            elif tag in ("td", "th"):
                self._open[-1].new_cell(_span(spans.get("colspan", "")), _span(spans.get("rowspan", "")))
            elif tag == "br":
                self._open[-1].text(" ")
        elif tag in ("h1", "h2", "h3", "h4", "p", "div", "br"):
            self._loose.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._silent = max(0, self._silent - 1)
        elif tag == "table" and self._open:
            self.sheets.append(self._open.pop().sheet())
        elif tag in ("td", "th") and self._open:
            self._open[-1].end_cell()

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._open:
            self._open[-1].text(data)
        elif data.strip() and len(self._loose) < 10_000:
            self._loose.append(data)

    def _flush(self, table: _Table) -> None:
        table.before = self._lines()[-20:]
        self._loose = []

    def _lines(self) -> list[str]:
        lines = " ".join(self._loose).split("\n")
        return [" ".join(line.split()) for line in lines if line.strip()]

    def finished(self) -> list[Sheet]:
        while self._open:
            self.sheets.append(self._open.pop().sheet())
        below = [Row(self.getpos()[0], [line]) for line in self._lines()[:50]]
        return [*self.sheets, Sheet("", below)] if self.sheets and below else self.sheets


def _span(text: str) -> int:
    return (
        int(text)
        if text.isascii() and text.isdecimal() and len(text) < 4 and 1 <= int(text) <= LARGEST_SPAN
        else 1
    )


class _Table:
    def __init__(self, line: int, page: _Tables) -> None:
        self.line = line
        self._page = page
        self.before: list[str] = []
        self.rows: list[Row] = []
        self._carried: dict[int, list[tuple[int, str]]] = {}  # column -> rows still to fill and text
        self._parts: list[str] | None = None
        self._spans = (1, 1)

    def new_row(self, line: int) -> None:
        self.end_cell()
        self._page.count_cells(_CELLS_OF_A_ROW)
        self.rows.append(Row(line, []))
        self._fill_carried()

    def new_cell(self, columns: int, rows: int) -> None:
        self.end_cell()
        if not self.rows:
            self.rows.append(Row(self.line, []))
        self._parts, self._spans = [], (columns, rows)

    def text(self, data: str) -> None:
        if self._parts is not None and len(self._parts) < 1000:
            self._parts.append(data)

    def end_cell(self) -> None:
        if self._parts is None:
            return
        text = " ".join("".join(self._parts).split())
        cells = self.rows[-1].cells
        columns, rows = self._spans
        for place in range(columns):
            if len(cells) >= MOST_COLUMNS:
                break
            if rows > 1:
                self._carried.setdefault(len(cells), []).append((rows - 1, text if place == 0 else ""))
            self._page.count_cells()
            cells.append(text if place == 0 else "")
            self._fill_carried(skip=len(cells) - 1 if rows > 1 else -1)
        self._parts = None

    def _fill_carried(self, skip: int = -1) -> None:
        cells = self.rows[-1].cells
        while len(cells) in self._carried and len(cells) != skip and len(cells) < MOST_COLUMNS:
            left, text = self._carried[len(cells)][-1]
            if left <= 0:
                break
            self._carried[len(cells)][-1] = (left - 1, text)
            self._page.count_cells()
            cells.append(text)

    def sheet(self) -> Sheet:
        self.end_cell()
        rows = [Row(self.line, [line]) for line in self.before]
        rows += [row for row in self.rows if any(cell.strip() for cell in row.cells)]
        return Sheet("", rows)


def page_tables(text: str) -> list[Sheet]:
    """Every table of the page, innermost first, with the text before it as rows of one cell.

    Raises TooManyCells for a page that was made to have no end.
    """
    parser = _Tables()
    parser.feed(_closed(_without_comments(text)))
    parser.close()
    return parser.finished()


def _without_comments(text: str) -> str:
    """The page without its comments, their line ends kept; one that is not closed goes to the end of the page."""
    parts = []
    end = 0
    while (begin := text.find("<!--", end)) >= 0:
        parts.append(text[end:begin])
        close = text.find("-->", begin + 4)
        if close < 0:
            return "".join(parts)
        parts.append("\n" * text.count("\n", begin, close))
        end = close + 3
    parts.append(text[end:])
    return "".join(parts)


#: A tag as far as its end, and the sign of one that ends nowhere before the next begins.
_OPEN_TAG = re.compile(r"<(?!(?=[A-Za-z/!?])[^<>\"']*(?:(?:\"[^<\"]*\"|'[^<']*')[^<>\"']*)*>)")


def _closed(text: str) -> str:
    """The page with the signs of unclosed tags as text where there are many of them."""
    if len(_OPEN_TAG.findall(text)) <= MOST_OPEN_TAGS:
        return text
    return _OPEN_TAG.sub("&lt;", text)


def from_html(source: Source, faults: Faults) -> list[Sheet]:
    """Every table of a saved web page; the headings and text before a table become rows above it."""
    text = _decoded(source.data)
    report_encoding(text, faults)
    try:
        return [sheet for sheet in page_tables(text.text) if sheet.rows]
    except TooManyCells as error:
        raise ReadError("page-too-large", file=source.name, most=MOST_CELLS_OF_A_PAGE) from error


def _decoded(data: bytes) -> Text:
    """The page by the code page that its head names, where that decodes it."""
    match = re.search(rb"charset=[\"']?([A-Za-z0-9_\-]{3,20})", data[:4096])
    if match is not None and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            return Text(data.decode(match[1].decode("ascii")), "utf-8")
        except (UnicodeError, LookupError, ValueError):
            pass
    return decode(data)


def _events(look: Look, name: str, mapping: Headings | None) -> tuple[Event, ...]:
    faults = Faults(look.source.name)
    return read_sheets(from_html(look.source, faults), faults, look.source, name, mapping)


FORMAT = Format(
    name="web page",
    described="result pages of chess-results / Swiss-Manager (HTML, workbooks): start list, cross tables by rank and number, ranking, pairings, board pairings of teams",
    recognise=lambda look: (
        look.marked_up
        and bool(re.search(r"<(html|table|body|!doctype html|tr|td)\b", look.head, re.IGNORECASE))
    ),
    read=_events,
    read_lists=lambda look, faults, mapping: from_sheets(
        from_html(look.source, faults), look.source, mapping
    ),
)
