"""What the report on a simulated federation shows, one function a cell."""

from __future__ import annotations

from dataclasses import asdict

from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.study_page import column, section, sources_section, table
from qiyi_analysis.research.studies.simulate_federation import MEASURES, SimulateFederation
from qiyi_analysis.research.studies.study import say, spoken


def comparison(study: SimulateFederation, language: str) -> Table:
    """Means of every measure over the replicates, one row per rule."""
    means = study.rows.groupby("rule", sort=False)[list(MEASURES)].mean().reset_index()
    columns = (
        column("rule"), column("rmse", "decimal", 1), column("correlation", "decimal", 3), column("slope", "decimal", 3),
        column("junior_lag", "signed", 1), column("veteran_lag", "signed", 1), column("level_change", "signed", 1),
        column("log_loss", "decimal", 5), column("median_change", "decimal", 1),
    )  # fmt: skip
    notes = [spoken("simulation_note", language, replicates=int(study.rows["replicate"].nunique()))]
    return table("simulation", columns, means, language, notes, keep=1)


def paired(study: SimulateFederation, language: str) -> Table:
    """Differences to the rule in force, on the same games, with intervals over the replicates."""
    rows = study.differences.assign(
        plain_difference=study.differences["difference"],
        measure=[spoken(f"measure_{name}", language) for name in study.differences["measure"]],
        says=[spoken(f"evidence_{word}", language) for word in study.differences["evidence"]],
    )
    columns = (
        column("rule"),
        column("measure"),
        column("plain_difference", "signed", 3),
        column("low", "signed", 3),
        column("high", "signed", 3),
        column("says"),
    )
    return table("simulation_differences", columns, rows, language)


def recoveries(study: SimulateFederation, language: str) -> figures.Figure:
    """Mean rating after a jump in strength, by rule."""
    jump = study.frame.settings["jump"]
    series, bands = {}, {}
    for name, rows in study.recoveries.groupby("rule", sort=False):
        series[str(name)] = (rows["month"], rows["mean"])
        bands[str(name)] = (rows["low"], rows["high"])
    return figures.lines(
        series, x_label=say("month_axis"), y_label=say("gain_axis"), caption=say("recovery_caption", jump=f"{jump:g}"),
        alt=say("recovery_alt", jump=f"{jump:g}"), language=language, bands=bands, zero=True,
    )  # fmt: skip


def pool(study: SimulateFederation, language: str) -> figures.Figure:
    """Mean rating of the active players by month, by rule."""
    series = {
        str(name): (rows["period"], rows["mean"]) for name, rows in study.levels.groupby("rule", sort=False)
    }
    return figures.lines(
        series,
        x_label=say("month_axis"),
        y_label=say("rating_axis"),
        caption=say("pool_caption"),
        alt=say("pool_alt"),
        language=language,
    )


def who_gains(study: SimulateFederation, language: str) -> Piece:
    """Juniors, adults, veterans and rating bands: what they gain by each rule against the one in force."""
    if not len(study.gains):
        return prose.group(language=language)
    rows = study.gains.assign(group=[spoken(f"group_{word}", language) for word in study.gains["group"]])
    columns = [column("rule"), column("group"), column("band"), column("players", "integer")]
    columns += [column(key, "signed", 1) for key in ("mean_gain", "median_gain", "low", "high")]
    return table("simulated_gains", columns, rows, language)  # type: ignore[return-value]


def assumptions(study: SimulateFederation, language: str) -> Piece:
    """Every assumption of the simulation."""
    rows = [{"what": name, "value": f"{value:g}"} for name, value in asdict(study.federation).items()]
    return prose.group(
        section("assumptions", language),
        prose.prose(spoken("simulation_assumptions", language)),
        table("assumptions", (column("what", "code"), column("value", "decimal")), rows, language),
        language=language,
    )


def sources(study: SimulateFederation, language: str) -> Piece:
    """Settings, seed and versions; the assumptions stand in their own table."""
    return sources_section(study.frame, language, skip=list(asdict(study.federation)))
