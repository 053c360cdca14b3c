"""A publication as a folder of static pages, without a server: search, cards, top lists, lists by date, downloads."""

from qiyi_analysis.report.site.site_files import write_site

__all__ = ["write_site"]
