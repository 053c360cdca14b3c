"""A rebuilt list with its working, whatever calculation made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from qiyi_analysis.lists.accounting import Accounts, account
from qiyi_analysis.lists.entries import Working
from qiyi_analysis.lists.periods import Period
from qiyi_analysis.lists.state import ListState
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rules.ruleset import RuleSet


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """A rebuilt list with its working.

    ``state`` is what the next period needs; ``list`` its published rows. ``players``: one row per person
    of the old or the new list, ``id, name, ..., previous, rating, change, rounded_change, k, period_games,
    events_counted, status, reason``. ``entries``: one row per player and event. ``ledger``: one row per
    report received. ``rules`` is the edition of the list.
    """

    period: Period
    rules: RuleSet
    previous: tuple[ListState, ...]
    state: ListState
    list: RatingList
    players: pd.DataFrame
    entries: pd.DataFrame
    ledger: pd.DataFrame
    findings: tuple[Finding, ...]
    working: Working | None = field(repr=False, default=None)

    @cached_property
    def accounts(self) -> Accounts:
        """What became of every player of the list before, and who came."""
        old, players = self.previous[-1].rows, self.players
        was, row = old["published"].to_numpy(), players["row"].to_numpy()
        place = np.append(np.where(was, np.cumsum(was) - 1, -1), -1)
        on_list = (players["published"] & (players["status"] != "removed")).to_numpy()
        why = np.full(len(old) + 1, "", dtype=object)
        why[row] = players["reason"]
        return account(
            old[was].reset_index(drop=True),
            players[on_list].drop(columns=["previous", "change"]).reset_index(drop=True),
            place[row[on_list]],
            reason=players["reason"].to_numpy()[on_list],
            reason_left=why[:-1][was],
        )
