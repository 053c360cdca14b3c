"""The tour: eight pages for somebody who decides, made from the shipped events by the ordinary functions."""

from __future__ import annotations

from typing import Any

import pandas as pd

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.run.parameters import find_input

REAL = "data/events/nanjing-2010"
CHINESE = "data/events/constructed-cca-2024"
XIANGQI = "data/events/constructed-xiangqi-2024"
OPEN = find_input("data/events/constructed-open-2025")
#: The mistake planted on page 2: a report of the day gave this player another rating.
MISREAD_PLAYER, MISREAD_RATING = 6, 2720


def leaf(page: Page, key: str) -> list[Any]:
    """The beginning of a page: a new sheet, the heading, and a sentence on what is shown and for whom."""
    return [page.new_page(), page.heading(key), page.text(f"{key}-text")]


def users(page: Page) -> pd.DataFrame:
    """Who uses the program, and what they leave with."""
    rows = [(page.say(f"user-{n}"), page.say(f"leaves-{n}")) for n in range(1, 6)]
    return pd.DataFrame(rows, columns=["who", "leaves_with"])


def promises(page: Page) -> list[str]:
    """What the program holds itself to."""
    return [page.say(f"promise-{n}") for n in range(1, 7)]


def rule_files(page: Page) -> pd.DataFrame:
    """The documents whose rules are here: id, number of editions, title of the newest."""
    rows = []
    for document in rulesets.documents():
        editions = rulesets.editions(document)
        newest = rulesets.ruleset(editions[-1])
        rows.append((document, len(editions), newest.title_zh if page.language == "zh" else newest.title))
    return pd.DataFrame(rows, columns=["document", "editions", "rules_title"])
