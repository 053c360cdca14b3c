"""Imported by the server from which children are forked (see qiyi_analysis.app.batch.workers)."""

import gc
import importlib

from qiyi_analysis.app.batch.jobs import NOTEBOOKS
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.report.export import document
from qiyi_analysis.report.run.render import execute
from qiyi_analysis.rules.ruleset import all_rulesets

EXAMPLE = "data/events/constructed-open-2025"

for module in ("mistune", "typst", "xlsxwriter", "qiyi_analysis.report.workbook"):
    importlib.import_module(module)


def rehearse() -> None:
    """Run the audit's notebook on its own example, so that what is read once (rule files, words, patterns) is read
    before children are forked.

    Nothing is exported: Typst starts threads, and a process with threads must not fork.
    """
    all_rulesets()
    try:
        document(execute(NOTEBOOKS["audit"], {"event": EXAMPLE}, seconds=0).notebook, "rehearsal")
    except (QiyiError, OSError):
        return  # an installation without examples: the first cells of every child take longer


rehearse()
# What is loaded stays: a collection in a child would only copy the memory it shares with the server.
gc.collect()
gc.freeze()
