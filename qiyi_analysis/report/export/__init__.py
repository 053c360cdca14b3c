"""From an executed notebook to PDF and HTML; also the nbconvert exporters ``qiyi-pdf`` and ``qiyi-html``."""

from __future__ import annotations

from typing import Any

from qiyi_analysis.report.export.document import Document, document
from qiyi_analysis.report.export.html_page import page
from qiyi_analysis.report.export.letterhead import Letterhead, read_letterhead
from qiyi_analysis.report.export.pdf import pdf

__all__ = [
    "Document",
    "HtmlExporter",
    "Letterhead",
    "PdfExporter",
    "document",
    "page",
    "pdf",
    "read_letterhead",
]


def __getattr__(name: str) -> Any:
    # nbconvert takes a third of a second to import and is needed only when it is the caller.
    if name in ("PdfExporter", "HtmlExporter"):
        from qiyi_analysis.report.export import exporters

        return getattr(exporters, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
