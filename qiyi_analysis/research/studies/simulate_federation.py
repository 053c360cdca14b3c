"""The study of a rule change before it is made: rules compared on simulated games whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.inflation import gains, levels
from qiyi_analysis.research.studies.simulation import Federation, recovery, replicate_rows, simulate
from qiyi_analysis.research.studies.study import Study, say
from qiyi_analysis.research.sweeps.k_schedule import KSchedule, as_schedule
from qiyi_analysis.research.systems.over_history import elo

MEASURES = (
    "rmse",
    "correlation",
    "slope",
    "junior_lag",
    "veteran_lag",
    "level_change",
    "log_loss",
    "median_change",
)


RULES = (
    "K 20=20",
    "K 40=40",
    "40/20/10=40 if under_age 18; 40 if games_below 30; 10 if peak_at_least 2000; 20",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class SimulateFederation(Study):
    """federation: the assumptions; rules: by name. Tables: rules (one row per rule and replicate), differences (second and later
    rules minus the first, paired), recovery, levels, and gains where there are several rules."""

    federation: Federation
    rules: dict[str, KSchedule]

    def plot(self, ax: Any = None) -> Any:
        """Rating after a jump in strength, by rule, on matplotlib axes."""
        from matplotlib.figure import Figure

        ax = ax or Figure().subplots()
        for name, rows in self.tables["recovery"].groupby("rule", sort=False):
            ax.plot(rows["month"], rows["mean"], label=name)
        ax.set(xlabel="month", ylabel="change of rating")
        return ax


def simulate_federation(
    *, rules: Sequence[str] = RULES, replicates: int = 8, warm_up: int = 24, jump: float = 200.0, seed: int = 1,
    cluster: str = "", workers: int = 0, **assumptions: Any,
) -> SimulateFederation:  # fmt: skip
    """Run the study: every rule on the same simulated games, whose true strengths are known.

    Parameters
    ----------
    rules : texts ``name=K``, where K is a number or rows ``k if condition limit; ...; k``; the first is the rule in force.
    replicates, warm_up, jump, seed : simulations; months before anything is measured; points of the jump of ``recovery``.
    assumptions : fields of ``simulation.Federation`` (players, months, drift, ...).

    Raises ParameterError for rules of one name, unknown assumptions and conditions.
    """
    pairs = [parse_rule(text) for text in rules]
    parsed = dict(pairs)
    if not parsed:
        raise ParameterError("simulate-no-rules")
    if len(parsed) < len(pairs):
        raise ParameterError("simulate-one-name", names=[name for name, _ in pairs])
    known = {f.name for f in fields(Federation)} - {"seed"}
    if unknown := set(assumptions) - known:
        raise ParameterError("federation-unknown", unknown=sorted(unknown), known=sorted(known))
    federation = Federation(seed=seed, **assumptions)
    with clusters.connected(cluster or None, workers) as client:
        pieces = clusters.map_tasks(client, _replicate, list(range(replicates)), federation, parsed, warm_up)
    rows = pd.DataFrame([row for piece in pieces for row in piece])
    first, *others = list(parsed)
    differences = paired_differences(rows, first)
    tables = {
        "rules": rows,
        "differences": differences,
        "recovery": pd.concat(
            [recovery(rule, jump, seed=seed).assign(rule=name) for name, rule in parsed.items()],
            ignore_index=True,
        ),
        **_example(federation, parsed),
    }
    verdict, evidence = _verdict(rows, differences, first, others)
    asked = {"rules": list(rules), "replicates": replicates, "warm_up": warm_up, "jump": jump, "seed": seed}
    return SimulateFederation(
        study="simulate", settings={**asked, **asdict(federation)}, tables=tables, verdict=verdict, evidence=evidence,
        federation=federation, rules=parsed,
    )  # fmt: skip


def _example(federation: Federation, rules: dict[str, KSchedule]) -> dict[str, pd.DataFrame]:
    """The pool by month under each rule in one simulated federation, and who gains by each against the first."""
    history = simulate(federation).history
    runs = {
        name: elo(
            history,
            rule,
            advantage=federation.first_move,
            start=federation.entrant_rating,
            snapshots="month",
            name=name,
        )
        for name, rule in rules.items()
    }
    pools = [levels(history, run.snapshots).assign(rule=name) for name, run in runs.items() if run.snapshots]
    first, *others = runs
    gained = [gains(history, runs[first], runs[name]).assign(rule=name) for name in others]
    found = {"levels": pd.concat(pools, ignore_index=True)}
    return found | ({"gains": pd.concat(gained, ignore_index=True)} if gained else {})


def parse_rule(text: str) -> tuple[str, KSchedule]:
    """A rule written as ``name=20`` or ``name=40 if under_age 18; 40 if games_below 30; 20``; conditions joined by ``and``."""
    name, equals, body = text.partition("=")
    name, parts = name.strip(), [part.strip() for part in body.split(";") if part.strip()]
    if not equals or not name or not parts:
        raise ParameterError("simulate-rule", text=text)
    rows = []
    for part in parts:
        k, _, condition = part.partition(" if ")
        row: dict[str, Any] = {"k": _number(text, k)}
        for one in filter(None, (piece.strip() for piece in condition.split(" and "))):
            key, _, limit = one.partition(" ")
            row[key] = _number(text, limit)
        rows.append(row)
    if len(rows) == 1 and set(rows[0]) == {"k"}:
        return name, as_schedule(rows[0]["k"])
    return name, KSchedule(name, tuple(rows))


def paired_differences(rows: pd.DataFrame, first: str) -> pd.DataFrame:
    """rule, measure, difference to the first rule, low, high (95 % of the mean over replicates, t distribution), evidence."""
    from scipy.special import stdtrit

    found = []
    base = rows[rows["rule"] == first].set_index("replicate")
    for rule in [name for name in rows["rule"].unique() if name != first]:
        own = rows[rows["rule"] == rule].set_index("replicate")
        for measure in MEASURES:
            paired = (own[measure] - base[measure]).to_numpy(float)
            n = paired.size
            half = float(stdtrit(n - 1, 0.975)) * paired.std(ddof=1) / math.sqrt(n) if n > 1 else math.inf
            mean = float(paired.mean())
            evidence = "higher" if mean - half > 0 else "lower" if mean + half < 0 else "none"
            found.append(
                {
                    "rule": rule,
                    "measure": measure,
                    "difference": mean,
                    "low": mean - half,
                    "high": mean + half,
                    "evidence": evidence,
                }
            )
    return pd.DataFrame(found, columns=["rule", "measure", "difference", "low", "high", "evidence"])


def _replicate(
    number: int, federation: Federation, rules: dict[str, KSchedule], warm_up: int
) -> list[dict[str, Any]]:
    return replicate_rows(federation, rules, number, warm_up=warm_up)


def _number(text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise ParameterError("simulate-rule-number", text=text, value=value) from error
    if not np.isfinite(number):
        raise ParameterError("simulate-rule-finite", text=text, value=value)
    return number


def _verdict(
    rows: pd.DataFrame, differences: pd.DataFrame, first: str, others: list[str]
) -> tuple[tuple[str, str], str]:
    means = rows.groupby("rule", sort=False)["rmse"].mean()
    best = str(means.idxmin())
    values = {
        "first": first,
        "best": best,
        "rmse": f"{means[best]:.1f}",
        "first_rmse": f"{means[first]:.1f}",
        "replicates": rows["replicate"].nunique(),
    }
    if not others:
        return say("simulate_one", **values), "flat"
    own = differences[(differences["rule"] == best) & (differences["measure"] == "rmse")]
    if best == first or (len(own) and own["evidence"].iloc[0] == "lower"):
        return say("simulate_first" if best == first else "simulate_better", **values), "clear"
    return say("simulate_no_evidence", **values), "none"
