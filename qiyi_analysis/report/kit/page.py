"""The vocabulary of a report: what a cell of a notebook shows, in two languages, from keys of the words and data frames.

    page = Page(language, "audit")
    page.title(event.name, day=event.last_day)
    page.section("findings", page.table(found.query("severity == 'E'")), otherwise="nothing_found")
    page.figure("changes", changes.plot.scatter("recomputed", "published", ax=page.axes()))

Every method returns a Piece, which shows itself as the value of a cell and is read by the exporters. A key is looked up in
the words of the page's area: ``[audit.<key>]`` for texts, ``[audit_section.<key>]`` for headings, ``audit_column``,
``audit_fact``, ``audit_table`` and ``audit_figure`` likewise, and then without the area (``[column.<key>]``). A text that is
data is given as ``text=`` or through ``prose``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.kit.tables import Column, Said, Table, column_of, said
from qiyi_analysis.words.visible import storable


@dataclass(frozen=True, slots=True)
class Piece:
    """A block that can be displayed. Texts in it are data, never markup."""

    data: blocks.Block

    def block(self) -> blocks.Block:
        """The block itself."""
        return self.data

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if is_nothing(self):
            return {"text/plain": ""}
        state = {"language": self.data.get("language", "zh"), "bare": True}
        return {
            blocks.BLOCK_MIME: self.data,
            "text/html": blocks.LAB_STYLE + blocks.html(self.data, state),
            "text/plain": blocks.plain(self.data),
        }


#: What a piece without content is: nothing is shown for it, and a section does not count it.
NOTHING = Piece({"type": "group", "blocks": [], "language": "zh"})


@dataclass(frozen=True, slots=True)
class Page:
    """The language of a report, the area its words are in, and the sections asked for (none: all of them)."""

    language: str = "zh"
    area: str = "audit"
    sections: Sequence[str] = ()

    # ------------------------------------------------------------------------------------------------ words

    def of(self, area: str) -> Page:
        """The same page with the words of another area."""
        return replace(self, area=area)

    def say(self, key: str, /, **values: object) -> str:
        """The text of a key in the language of the report; a key with a dot is a whole one."""
        return words.text(self._key(key), self.language, **values)

    def pair(self, key: str, /, **values: object) -> tuple[str, str]:
        """The text of a key as the pair (Chinese, English)."""
        return words.pair(self._key(key), "zh", **values)

    def both(self, key: str, /, **values: object) -> str:
        """The text of a key in the language of the report, then in the other one: for what a figure says in itself."""
        return "  ".join(dict.fromkeys(words.pair(self._key(key), self.language, **values)))

    def _key(self, key: str, part: str = "") -> str:
        """The whole key: of the area's part (``audit_column.code``), of the area, or of the part alone."""
        if "." in key:
            return key
        for whole in ((f"{self.area}_{part}.{key}", f"{part}.{key}") if part else ()) + (
            f"{self.area}.{key}",
        ):
            if words.has(whole):
                return whole
        return f"{self.area}.{key}"

    def _named(self, key: str, part: str, **values: object) -> tuple[str, str]:
        return words.pair(self._key(key, part), "zh", **values)

    # --------------------------------------------------------------------------------------------- head, text

    def title(
        self,
        subtitle: str = "",
        facts: Mapping[Any, Any] | None = None,
        *,
        key: str = "title",
        text: Said = "",
        day: date | None = None,
    ) -> Piece:
        """The title of a report; it also names the PDF, sets its language and dates it. One a report, first of all.

        ``day``: the last day of the event or the day of the list. It is what the PDF says it was made on: the day on
        which somebody ran the program would make other bytes of the same report.
        """
        return self._piece(
            "title",
            text or self._named(key, "title"),
            subtitle=storable(subtitle),
            facts=self._facts(facts or {}),
            day=day.isoformat() if day else "",
        )

    def verdict(self, tone: str, text: str | tuple[str, str], detail: str = "", **values: object) -> Piece:
        """The verdict in one line: tone "accept", "remarks", "return" or ""; a key of the words, or a pair."""
        pair = self._named(text, "verdict", **values) if isinstance(text, str) else text
        return self._piece("verdict", pair, tone=tone, detail=storable(detail))

    def heading(self, key: str = "", level: int = 1, *, text: Said = "", **values: object) -> Piece:
        """A heading; level 1 is a section of the report. ``text`` is a heading that is data, a player's name."""
        return self._piece("heading", text or self._named(key, "section", **values), level=level)

    def text(self, key: str, /, style: str = "", **values: object) -> Piece:
        """A paragraph of the words; style "note" is small, "lead" large."""
        return self.prose(self.say(key, **values), style)

    def prose(self, text: str, style: str = "") -> Piece:
        """A paragraph that is data; nothing where it is empty."""
        return Piece({"type": "paragraph", "text": storable(text), "style": style}) if text else NOTHING

    def facts(self, values: Mapping[Any, Any]) -> Piece:
        """Labels and values, one a line; keys of ``[<area>_fact]``. What is None or empty is left out; a key
        without words, or a pair (Chinese, English), is the label itself."""
        return Piece({"type": "key_values", "rows": self._facts(values), "language": self.language})

    def _facts(self, values: Mapping[Any, Any]) -> list[list[str]]:
        return [
            [*said(self._label(key), self.language), storable(str(value))]
            for key, value in values.items()
            if value is not None and value != ""
        ]

    def _label(self, key: Any) -> Said:
        whole = self._key(key, "fact") if isinstance(key, str) else ""
        return words.pair(whole, "zh") if words.has(whole) else key

    def bullets(self, items: Iterable[str], ordered: bool = False) -> Piece:
        """A list of texts."""
        parts = [[{"type": "paragraph", "text": storable(str(item))}] for item in items]
        return Piece({"type": "bullets", "items": parts, "ordered": ordered})

    def letter(self, subject: str, to: str = "", **parts: Sequence[str]) -> Piece:
        """A letter that can be copied and sent: ``paragraphs``, ``items`` (numbered), ``closing`` lines."""
        texts = {
            key: [storable(text) for text in parts.get(key, ())] for key in ("paragraphs", "items", "closing")
        }
        return Piece({"type": "letter", "subject": storable(subject), "to": storable(to), **texts})

    def signature(self, *roles: Said) -> Piece:
        """Lines to sign on, for keys of the words or pairs; without any those of an audit: calculated, checked, seal."""
        chosen = roles or ("signature.calculated", "signature.checked", "signature.seal")
        pairs = [self.pair(role) if isinstance(role, str) else role for role in chosen]
        lines = [list(said(pair, self.language)) for pair in pairs]
        return Piece({"type": "signature", "roles": lines, "language": self.language})

    def new_page(self) -> Piece:
        """What follows begins on a new page of the PDF."""
        return Piece({"type": "break"})

    def _piece(self, kind: str, text: Said, **more: object) -> Piece:
        main, other = said(text, self.language)
        return Piece({"type": kind, "text": main, "other": other, "language": self.language, **more})

    # ----------------------------------------------------------------------------------------- tables, figures

    def table(
        self,
        frame: Any,
        columns: Sequence[str | Column] | Mapping[str, str] | None = None,
        key: str = "",
        *,
        caption: Said = "",
        notes: Sequence[str] = (),
        marks: str | Iterable[str] = (),
        keep: int = 2,
        drop_empty: Sequence[str] | bool = (),
    ) -> Table | Piece:
        """A data frame as a table in two languages; nothing where it has no rows.

        columns: names of the columns to show, or name -> kind ("decimal 3": with so many decimals); all of them unless
        given. Heads come from ``[<area>_column]`` or ``[column]``, kinds from the values (see tables.column_of), the caption
        from ``[<area>_table.<key>]`` or the section of that key. marks: the name of a column of truth values, not shown itself,
        that is named like the mark ("differs", "error", "warn", "strong", "quiet"), or a mark or "" for each row. keep:
        leading columns repeated if the table must be split. drop_empty: columns left out where no row has a value (True: any).
        """
        if not len(frame):
            return NOTHING
        kinds = dict(columns) if isinstance(columns, Mapping) else {}
        wanted = [one for one in frame.columns if one != marks] if columns is None else list(columns)
        if isinstance(marks, str):
            marks = [marks if marked else "" for marked in frame[marks]]
        droppable = wanted if drop_empty is True else drop_empty or ()
        shown = [
            one
            if isinstance(one, Column)
            else column_of(one, frame[one], kinds.get(one, ""), self._head(one))
            for one in wanted
            if one not in droppable or _has_values(frame[one])
        ]
        return Table(
            key or self.area, shown, frame, caption or self._caption(key), notes, self.language,
            [str(mark) for mark in marks], keep,
        )  # fmt: skip

    def _head(self, name: str) -> Said:
        key = self._key(name, "column")
        return words.pair(key, "zh") if words.has(key) else name

    def _caption(self, key: str) -> Said:
        keys = (
            f"{self.area}_table.{key}",
            f"table.{key}",
            f"{self.area}.{key}",
            f"{self.area}_section.{key}",
        )
        found = next((one for one in keys if words.has(one)), "")
        return words.pair(found, "zh") if found else ""

    def axes(self, width: float = 6.5, height: float = 3.0) -> Any:
        """Empty matplotlib axes in the house style, in inches; for any plot that takes ``ax=``."""
        from qiyi_analysis.report.kit import plots

        return plots.axes(width, height)

    def figure(self, key: str, ax: Any, when: bool = True, **values: object) -> Any:
        """A plot with its words: ``[<area>_figure.<key>]`` is the caption, ``<key>_alt`` what is said to those who cannot
        see it, ``<key>_x`` and ``<key>_y`` name the axes, where they are there. Nothing without ``when``."""
        from qiyi_analysis.report.kit import plots

        if ax is None or not when:
            return NOTHING
        axes = [f"{self.area}_figure.{key}_{axis}" for axis in "xy"]
        plots.label(ax, *(self.both(one, **values) if words.has(one) else "" for one in axes))
        caption, alt = (words.pair(f"{self.area}_figure.{key}{end}", "zh", **values) for end in ("", "_alt"))
        return plots.Figure(ax.figure, alt, caption, self.language)

    # -------------------------------------------------------------------------------------------- several

    def group(self, *parts: Any) -> Piece:
        """Several pieces shown by one cell."""
        there = [part.block() for part in parts if not is_nothing(part)]
        return Piece({"type": "group", "blocks": there, "language": self.language})

    def section(self, key: str, *parts: Any, otherwise: str = "") -> Piece:
        """Heading and parts; nothing where the section was not asked for. Without any part the text ``otherwise``,
        and without that no section."""
        if self.sections and key not in self.sections:
            return NOTHING
        there = [part for part in parts if not is_nothing(part)]
        if not there and otherwise:
            there = [self.text(otherwise)]
        return self.group(self.heading(key), *there) if there else NOTHING


def is_nothing(part: Any) -> bool:
    """Whether a part shows nothing: None, or a group of nothing."""
    return part is None or (
        isinstance(part, Piece) and part.data["type"] == "group" and not part.data["blocks"]
    )


def _has_values(column: Any) -> bool:
    return bool((column.notna() & (column.astype(str) != "")).any())
