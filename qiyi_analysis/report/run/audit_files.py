"""The files of an audit: PDF, HTML and executed notebook through the notebook, workbook and JSON directly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qiyi_analysis.audit.event_audit import Audit, audit
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.model.event import Event, RatingList
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.report.run.render import Runner, render

FORMATS = ("pdf", "html", "xlsx", "json", "ipynb")
NOTEBOOK = "audit_event"
#: The formats that come out of the notebook.
RENDERED = frozenset(("pdf", "html", "ipynb"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What an audit was asked for: everything the notebook needs to do the same again."""

    event: str
    rules: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    published: str = ""
    language: str = "zh"
    sections: tuple[str, ...] = ()
    mask_minors: bool = False
    letterhead: str = ""

    def read_event(self) -> Event:
        """The event, with the published values of the second file where one was given."""
        return event_with_published(self.event, self.published)

    def read_lists(self) -> tuple[RatingList, ...]:
        """The rating lists read, in the order given. Raises ReadError for one that cannot be read."""
        return tuple(read_list(path) for path in self.lists)

    def audited(self) -> Audit:
        """The audit: one already made in this process (see known), or made now."""
        for request, result in _known:
            if request._asks_for_the_same(self):
                return result
        return audit(self.read_event(), self.rules, self.read_lists())

    def _asks_for_the_same(self, other: AuditRequest) -> bool:
        mine = (Path(self.event), self.rules, self.lists, self.published)
        return mine == (Path(other.event), other.rules, other.lists, other.published)

    def parameters(self) -> dict[str, Any]:
        """The parameters of the notebook."""
        values: dict[str, Any] = {
            "event": self.event,
            "rules": list(self.rules),
            "lists": list(self.lists),
            "published": self.published,
            "language": self.language,
            "mask_minors": self.mask_minors,
        }
        if self.sections:
            values["sections"] = list(self.sections)
        return values


_known: list[tuple[AuditRequest, Audit]] = []


@contextmanager
def known(request: AuditRequest, result: Audit) -> Iterator[None]:
    """While the block lasts, whoever in this process asks for the same audit is given ``result``.

    For a notebook that runs in the process that has made the audit already.
    """
    _known.append((request, result))
    try:
        yield
    finally:
        _known.pop()


def event_with_published(event: str | Path, published: str | Path = "") -> Event:
    """Read an event; what a second file published about the same players replaces its own values."""
    read = read_event(event)
    if not published:
        return read
    from qiyi_analysis.readers.published_files import read_published

    return read_published(published, read)


def write_audit(
    request: AuditRequest,
    result: Audit,
    json: str,
    folder: Path,
    formats: tuple[str, ...],
    runner: Runner | None = None,
) -> dict[str, Path]:
    """Write ``<folder>/<event>-audit.<format>`` for every format; return the paths in the order asked for."""
    name = f"{safe_name(result.event.id)}-audit"
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    rendered = [one for one in formats if one in RENDERED]
    if rendered:
        paths |= render(
            NOTEBOOK,
            request.parameters(),
            folder,
            rendered,
            name=name,
            letterhead=Path(request.letterhead) if request.letterhead else None,
            runner=runner,
        )
    if "xlsx" in formats:
        from qiyi_analysis.report.workbook import audit_workbook

        paths["xlsx"] = folder / f"{name}.xlsx"
        write_whole(paths["xlsx"], audit_workbook(result, request.language))
    if "json" in formats:
        paths["json"] = folder / f"{name}.json"
        write_whole(paths["json"], (json + "\n").encode("utf-8"))
    return {one: paths[one] for one in formats}
