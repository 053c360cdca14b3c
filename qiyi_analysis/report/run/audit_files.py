"""The files of an audit: PDF, HTML and executed notebook through the notebook, workbook and JSON directly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qiyi_analysis.audit.event_audit import Audit, audit
from qiyi_analysis.audit.interface import audit_json
from qiyi_analysis.audit.masking import masked
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.report.run.render import FORMATS as PAGES
from qiyi_analysis.report.run.render import Executed

FORMATS = ("pdf", "html", "xlsx", "json", "ipynb")
NOTEBOOK = "audit_event"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What an audit was asked for: everything the notebook needs to do the same again."""

    event: str
    rules: Sequence[str] = ()
    lists: Sequence[str] = ()
    published: str = ""
    language: str = "zh"
    sections: Sequence[str] = ()
    mask_minors: bool = False
    letterhead: str = ""

    def read_event(self) -> Event:
        """The event, with the published values of the second file where one was given."""
        return event_with_published(self.event, self.published)

    def read_lists(self) -> tuple[RatingList, ...]:
        """The rating lists read, in the order given. Raises ReadError for one that cannot be read."""
        return tuple(read_list(path) for path in self.lists)

    def audited(self) -> Audit:
        """The audit made now; minors hidden where that was asked for."""
        result = audit(self.read_event(), self.rules, self.read_lists())
        return masked(result, self.language) if self.mask_minors else result

    def calculation(self) -> tuple[str, dict[str, Any], Callable[[], Audit]]:
        """Notebook, its parameters, and the same without a notebook (see qiyi_analysis.report.run.render.calculated)."""
        return NOTEBOOK, self.parameters(), self.audited

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


def event_with_published(event: str | Path, published: str | Path = "") -> Event:
    """Read an event; what a second file published about the same players replaces its own values."""
    read = read_event(event)
    if not published:
        return read
    from qiyi_analysis.readers.published_files import read_published

    return read_published(published, read)


def write_audit(
    request: AuditRequest, executed: Executed, folder: Path, formats: tuple[str, ...]
) -> dict[str, Path]:
    """Write ``<folder>/<event>-audit.<format>`` for every format; return the paths in the order asked for.

    A page that cannot be made is reported after the others are written.
    """
    result: Audit = executed.result
    name = f"{safe_name(result.event.id)}-audit"
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    if "xlsx" in formats:
        from qiyi_analysis.report.workbook import audit_workbook

        paths["xlsx"] = folder / f"{name}.xlsx"
        write_whole(paths["xlsx"], audit_workbook(result, request.language))
    if "json" in formats:
        paths["json"] = folder / f"{name}.json"
        write_whole(paths["json"], (audit_json(result) + "\n").encode("utf-8"))
    pages = [one for one in formats if one in PAGES]
    paths |= executed.write(folder, pages, name, letterhead=request.letterhead)
    return {one: paths[one] for one in formats}
