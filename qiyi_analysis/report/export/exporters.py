"""The exporters as nbconvert and JupyterLab's "Save and Export" menu see them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbconvert.exporters.exporter import Exporter
from traitlets import Unicode, default

from qiyi_analysis.report.export.document import document
from qiyi_analysis.report.export.html_page import page
from qiyi_analysis.report.export.letterhead import Letterhead, read_letterhead
from qiyi_analysis.report.export.pdf import pdf


class _ReportExporter(Exporter):
    """What the two exporters share: the notebook becomes a document, then a file."""

    letterhead = Unicode("", help="TOML file with name, other, logo and footer of the federation.").tag(
        config=True
    )

    def _document(self, nb: Any, resources: Any, kwargs: Any) -> tuple[Any, Any, Letterhead]:
        copy, resources = super().from_notebook_node(nb, resources, **kwargs)
        name = (resources.get("metadata") or {}).get("name", "")
        head = read_letterhead(Path(self.letterhead)) if self.letterhead else Letterhead()
        resources["output_extension"] = self.file_extension
        return document(copy, name), resources, head


class PdfExporter(_ReportExporter):
    """``jupyter nbconvert --to qiyi-pdf``: a tagged PDF/A, set by Typst."""

    export_from_notebook = "PDF (棋艺分析)"
    output_mimetype = "application/pdf"
    date = Unicode("", help="Date written into the PDF, YYYY-MM-DD; the same date gives the same bytes.").tag(
        config=True
    )

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".pdf"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kwargs: Any) -> Any:
        """The PDF of a notebook."""
        found, resources, head = self._document(nb, resources, kwargs)
        stamp = datetime.fromisoformat(self.date).replace(tzinfo=UTC) if self.date else None
        return pdf(found, stamp, head), resources


class HtmlExporter(_ReportExporter):
    """``jupyter nbconvert --to qiyi-html``: one self-contained page without script."""

    export_from_notebook = "HTML (棋艺分析)"
    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kwargs: Any) -> Any:
        """The page of a notebook."""
        found, resources, head = self._document(nb, resources, kwargs)
        return page(found, head), resources
