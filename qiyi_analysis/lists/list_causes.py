"""Which mistakes reproduce a published rating: hypotheses on the entries and on the rules of a period."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from qiyi_analysis.audit.hypotheses import Apply, for_event, rounded_as
from qiyi_analysis.lists import entries as entering
from qiyi_analysis.lists.entries import Entries, Working
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.lists.sums import Totals, new_rating, totals
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.rating.table_method import NOT_KNOWN
from qiyi_analysis.rules.rounding import ROUNDINGS, rounded
from qiyi_analysis.rules.ruleset import RuleSet, editions, ruleset
from qiyi_analysis.words import said

#: Class of a difference by the cause that explains it best; all others are "explained".
_CLASS_OF = {
    "base-corrected": "base-corrected",
    "event-left-out": "event-missing",
    "event-twice": "event-twice",
}
#: Of causes that explain equally many differences the earlier goes first.
_ORDER = ("base-corrected", "event-left-out", "event-twice", "other-k", "other-row", "deduction-left-out")
#: Half of the last decimal reports print.
_PRINTED = 0.005


@dataclass(frozen=True, slots=True)
class _Fit:
    """A hypothesis with the persons it reproduces and those it would contradict (systematic ones only)."""

    cause: str
    detail: str
    persons: np.ndarray
    against: int = 0
    systematic: bool = False


def find_causes(
    rebuilt: Rebuilt, players: pd.DataFrame, printed: np.ndarray, differs: np.ndarray
) -> dict[int, tuple[tuple[Cause, ...], str]]:
    """Causes and class of the differing rows of the players table."""
    working = rebuilt.working
    if working is None or not differs.any():
        return {}
    index = {key: i for i, key in enumerate(working.persons.keys)}
    person = np.array([index[key] for key in players["key"]], dtype=np.int64)
    size = len(working.persons.keys)
    wanted, now = np.full(size, np.nan), np.full(size, np.nan)
    wanted[person] = printed
    now[person] = np.where(players["published"], players["rating"].astype(float), np.nan)
    discrepant = np.zeros(size, dtype=bool)
    discrepant[person[differs]] = True
    agreeing = ~discrepant & ~np.isnan(wanted) & ~np.isnan(now)
    finder = _Finder(rebuilt, working, wanted, now, discrepant, agreeing)
    fits = list(finder.fits())
    supported = np.zeros(size, dtype=bool)
    for fit in fits:
        if fit.cause in _SUPPORTED:
            supported |= fit.persons
    found: dict[int, list[tuple[_Fit, int]]] = {}
    for fit in fits:
        hits = np.flatnonzero(fit.persons & discrepant)
        # What the papers themselves explain is no evidence for a mistake made for everybody.
        explains = int((fit.persons & discrepant & ~(supported & fit.systematic)).sum())
        for i in hits:
            found.setdefault(int(i), []).append((fit, explains))
    place = {int(p): i for i, p in enumerate(person)}
    return {place[i]: _sorted(some) for i, some in found.items()}


#: Causes with evidence at hand: another rating printed in the event's own report.
_SUPPORTED = ("base-corrected",)
#: A mistake made for everybody may be wrong for one in so many of those it explains, not for more.
_TOLERATED = 4


#: Whoever calculates like this does it for everybody: one player alone is a coincidence.
_NEVER_ALONE = ("formula", "average-opponent", "per-game")


def _contradicted(fit: _Fit, explains: int) -> bool:
    if fit.cause in _NEVER_ALONE and explains < 2:
        return True
    return fit.systematic and fit.against * _TOLERATED >= max(explains, 1) and fit.against > 0


def _sorted(fits: list[tuple[_Fit, int]]) -> tuple[tuple[Cause, ...], str]:
    """Causes, best first, and the class of the first that nothing contradicts."""

    def rank(item: tuple[_Fit, int]) -> tuple[bool, bool, int, int]:
        fit, explains = item
        order = _ORDER.index(fit.cause) if fit.cause in _ORDER else len(_ORDER)
        return _contradicted(fit, explains), fit.cause not in _SUPPORTED, -explains, order

    causes = []
    kind = "unexplained"
    for fit, explains in sorted(fits, key=rank):
        detail = fit.detail
        if not _contradicted(fit, explains):
            kind = kind if kind != "unexplained" else _CLASS_OF.get(fit.cause, "explained")
        elif fit.against:
            detail = said("cause-detail.wrong-for-others", detail=detail, count=fit.against)
        else:
            detail = said("cause-detail.fits-nobody-else", detail=detail)
        causes.append(Cause(cause=fit.cause, detail=detail, explains=max(explains, 1)))
    return tuple(causes), kind


@dataclass(frozen=True, slots=True)
class _Finder:
    rebuilt: Rebuilt
    working: Working
    wanted: np.ndarray
    now: np.ndarray
    discrepant: np.ndarray
    agreeing: np.ndarray

    @property
    def size(self) -> int:
        return len(self.wanted)

    def confirmed(self) -> np.ndarray:
        """Persons whose reports all print the change that was recalculated: their events are right."""
        entries, events = self.working.entries, self.working.events
        played = entries.games > 0
        printed = np.concatenate([e.players["change"].to_numpy() for e in events]) if events else np.zeros(0)
        used = np.minimum(entries.k, self.working.k[entries.person])
        surplus = np.where(entries.w_minus_we == NOT_KNOWN, 0, entries.w_minus_we)
        agrees = np.abs(printed - used * surplus / entries.unit) < _PRINTED
        wrong = np.zeros(self.size, dtype=bool)
        wrong[entries.person[played & ~agrees]] = True
        return ~wrong & self._played()

    def fits(self) -> Iterator[_Fit]:
        """Every hypothesis that reproduces at least one published number."""
        for fit in (*self._bases(), *self._events(), *self._idle(), *self._rows()):
            if fit.persons.any():
                yield fit
        yield from (fit for fit in self._roundings() if fit.persons.any())
        confirmed = self.confirmed()
        for fit in (*self._k(), *self._rules()):
            left = fit.persons & ~confirmed
            if left.any():
                yield replace(fit, persons=left)

    def _hit(self, value: np.ndarray) -> np.ndarray:
        return self.discrepant & (np.abs(value - self.wanted) < 1e-9)

    def _new(self, total: Totals, base: np.ndarray | None = None, rules: RuleSet | None = None) -> np.ndarray:
        use = self.working.base if base is None else base
        return new_rating(use, total.change, total.unit, rules or self.rebuilt.rules)

    def _totals(self, entries: Entries) -> Totals:
        return totals(entries, self.size, self.rebuilt.rules)

    def _bases(self) -> Iterator[_Fit]:
        """The calculation starts from another rating: that of an event's report, or of an older list."""
        entries = self.working.entries
        total = self._totals(entries)
        other = ~np.isnan(entries.printed)
        last = np.full(self.size, np.nan)
        last[entries.person[other]] = entries.printed[other]
        changed = ~np.isnan(last) & (last != self.working.base)
        hit = self._hit(self._new(total, base=last)) & changed
        for value in np.unique(last[hit]):
            for i in np.flatnonzero(hit & (last == value)).tolist():
                mask = np.zeros(self.size, dtype=bool)
                mask[i] = True
                yield _Fit(
                    "base-corrected",
                    said(
                        "cause-detail.rating-instead", rating=f"{value:g}", base=f"{self.working.base[i]:g}"
                    ),
                    mask,
                )
        newest = self.rebuilt.previous[-1]
        for state in self.rebuilt.previous[:-1]:
            rows = entering.positions_of(state, newest, self.working.persons, self.working.events)
            older = entering.at_rows(state, "rating", rows)
            hit = self._hit(self._new(total, base=older)) & (older != self.working.base)
            yield _Fit("other-list", said("cause-detail.from-list", list=state.id), hit)

    def _events(self) -> Iterator[_Fit]:
        """An event left out, counted twice; all of a player's events left out."""
        entries, events = self.working.entries, self.working.events
        yield _Fit(
            "event-left-out", said("cause-detail.all-events"), self._hit(self.working.base) & self._played()
        )
        touched = np.unique(entries.event[self.discrepant[entries.person] & (entries.games > 0)])
        for event in touched:
            mine = entries.event == event
            without = self._totals(_weighted(entries, mine, 0))
            twice = self._totals(_weighted(entries, mine, 2))
            there = np.zeros(self.size, dtype=bool)
            there[entries.person[mine & (entries.games > 0)]] = True
            name = events[event].id
            yield _Fit("event-left-out", name, self._hit(self._new(without)) & there & (without.events > 0))
            yield _Fit("event-twice", name, self._hit(self._new(twice)) & there)

    def _played(self) -> np.ndarray:
        played = np.zeros(self.size, dtype=bool)
        played[self.working.entries.person[self.working.entries.games > 0]] = True
        return played

    def _k(self) -> Iterator[_Fit]:
        """Another K of the document's editions, or K without the limit."""
        entries, rules = self.working.entries, self.rebuilt.rules
        known = entries.w_minus_we != NOT_KNOWN
        documents = {row["k"] for id in _editions(rules) for row in ruleset(id).rows("k_factor")}
        for k in sorted(documents | {row["k"] for row in rules.rows("k_factor")}):
            change = np.where(known, k * np.where(known, entries.w_minus_we, 0), NOT_KNOWN)
            other = replace(entries, k=np.full(len(entries.k), k), change=change)
            for limited in (True, False) if rules.block("k_limit") is not None else (True,):
                used = rules if limited else rules.without_block("k_limit")
                total = totals(other, self.size, used)
                same = total.k == self.working.k
                yield _Fit(
                    "other-k",
                    f"K {k}" if limited else said("cause-detail.k-without-limit", k=k),
                    self._hit(self._new(total)) & self._played() & ~same,
                )

    def _idle(self) -> Iterator[_Fit]:
        """A deduction for inactivity that was not made: the old rating stands."""
        if self.rebuilt.rules.value("inactivity", "year_deductions") is not None:
            yield _Fit(
                "deduction-left-out",
                said("cause-detail.inactivity"),
                self._hit(self.working.base) & ~self._played(),
            )

    def _rows(self) -> Iterator[_Fit]:
        """Two players' numbers exchanged."""
        places = np.flatnonzero(self.discrepant)
        if len(places) > 5000:
            return
        value: dict[tuple[float, float], list[int]] = {}
        for i in places.tolist():
            value.setdefault((self.now[i], self.wanted[i]), []).append(int(i))
        for (now, wanted), who in value.items():
            for i in who:
                for j in value.get((wanted, now), []):
                    mask = np.zeros(self.size, dtype=bool)
                    mask[i] = True
                    yield _Fit("other-row", self.working.persons.keys[j], mask)

    def _systematic(self, cause: str, detail: str, value: np.ndarray, judged: np.ndarray) -> _Fit:
        wrong = self.agreeing & judged & ~np.isnan(value) & (np.abs(value - self.wanted) > 1e-9)
        return _Fit(cause, detail, self._hit(value) & judged, int(wrong.sum()), systematic=True)

    def _roundings(self) -> Iterator[_Fit]:
        """Rounded per event, or once in another way."""
        entries, rules = self.working.entries, self.rebuilt.rules
        total = self._totals(entries)
        block = rules.need("change")
        everybody = self._played()
        # With the limited K of the period, each event rounded for itself.
        limited = np.where(total.k[entries.person] < entries.k, total.k[entries.person], entries.k)
        known = (entries.change != NOT_KNOWN) & (entries.games > 0)
        exact = np.where(
            limited < entries.k, limited * np.where(known, entries.w_minus_we, 0), entries.change
        )
        steps = rounded(np.where(known, exact, 0), entries.unit, block["rounding"]) * entries.unit
        per_event = np.zeros(self.size, dtype=np.int64)
        np.add.at(per_event, entries.person, steps)
        value = self._new(replace(total, change=per_event))
        yield self._systematic("rounded-per-event", said("cause-detail.each-event-rounded"), value, everybody)
        for name, word in (("half-even", "half-even"), ("toward-zero", "truncated"), ("half-up", "half-up")):
            if name != block["rounding"] and name in ROUNDINGS:
                other = self._new(total, rules=rules.with_block("change", rounding=name))
                yield self._systematic(word, rounded_as(name), other, everybody)
        if rules.block("adjustment") is not None:
            raw = np.full(self.size, np.nan)
            listed = self.working.persons.listed
            raw[:listed] = self.rebuilt.previous[-1].rows["rating"].to_numpy()
            if not np.array_equal(raw, self.working.base, equal_nan=True):
                yield self._systematic(
                    "adjustment-left-out",
                    said("cause-detail.one-off-adjustment"),
                    self._new(total, base=raw),
                    ~np.isnan(raw),
                )

    def _rules(self) -> Iterator[_Fit]:
        """The hypotheses of an audit, recalculated for the events of the players that differ."""
        entries, work = self.working.entries, self.working.field
        involved = np.unique(entries.event[self.discrepant[entries.person] & (entries.games > 0)])
        if not len(involved):
            return
        inside = np.isin(entries.event, involved)
        judged = np.zeros(self.size, dtype=bool)
        judged[entries.person[inside]] = True
        judged[entries.person[~inside & (entries.games > 0)]] = False
        judged |= self.discrepant
        part = _part(work, inside)
        events = [self.working.events[i] for i in involved]
        editions_ = [self.working.editions[i] for i in involved]
        done = entering.batches(events, part, editions_)
        known = {(h.cause, h.detail) for batch in done for h in for_event(batch.event, batch.rules)}
        for cause, detail in sorted(known - {key for key in known if key[0] == "other-k"}):
            if cause in ("half-even", "truncated", "half-up", "rounded-change"):
                continue  # the period is rounded, not the event
            other = entering.entries_of(part, done, _named(cause, detail))
            yield self._systematic(cause, detail, self._new(self._totals(other)), judged)


def _named(cause: str, detail: str) -> Apply:
    """The hypothesis of that name wherever a batch has it; the batch as it is elsewhere."""

    def apply(event, rules):
        for one in for_event(event, rules):
            if (one.cause, one.detail) == (cause, detail):
                return one.apply(event, rules)
        return event, rules

    return apply


def _part(work: entering.Field, inside: np.ndarray) -> entering.Field:
    names = ("event", "person", "number", "rating", "printed", "listed", "k")
    return replace(work, **{name: getattr(work, name)[inside] for name in names})


def _weighted(entries: Entries, mine: np.ndarray, times: int) -> Entries:
    """The entries with one event's games and changes multiplied (0 left out, 2 counted twice)."""
    factor = np.where(mine, times, 1)
    known = entries.change != NOT_KNOWN
    surplus = entries.w_minus_we != NOT_KNOWN
    return replace(
        entries,
        games=entries.games * factor,
        change=np.where(known, np.where(known, entries.change, 0) * factor, NOT_KNOWN),
        w_minus_we=np.where(surplus, np.where(surplus, entries.w_minus_we, 0) * factor, NOT_KNOWN),
    )


def _editions(rules: RuleSet) -> Sequence[str]:
    from qiyi_analysis.model.errors import RulesetError

    try:
        return editions(rules.document)
    except RulesetError:
        return ()  # a rule file of the user's own
