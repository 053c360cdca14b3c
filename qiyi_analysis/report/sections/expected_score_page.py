"""What the report on expected scores shows, one function a cell."""

from __future__ import annotations

from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.study_page import column, section, table
from qiyi_analysis.research.studies.expected_score import LAWS, ExpectedScore
from qiyi_analysis.research.studies.study import say, spoken
from qiyi_analysis.research.systems.system_names import said


def laws(study: ExpectedScore, language: str) -> Piece:
    """How far each law is from the printed table, and the exceptions of the nearest one."""
    rows = study.gaps.assign(law=[spoken(f"law_{name}", language) for name in study.gaps["law"]])
    columns = (
        column("law"),
        column("rounded_differs", "integer"),
        column("largest_gap", "decimal", 4),
        column("at", "integer"),
    )
    own = study.exceptions
    exceptional = (
        column("difference_points", "integer"),
        column("table", "decimal", 2),
        column("normal_2000_7", "decimal", 5),
        column("normal", "decimal", 5),
        column("logistic", "decimal", 5),
    )
    shown = own.rename(columns={"difference": "difference_points"})
    return prose.group(
        section("laws", language), prose.prose(spoken("laws", language)), table("gaps", columns, rows, language),
        table("exceptions", exceptional, shown, language), language=language,
    )  # fmt: skip


def curves(study: ExpectedScore, language: str) -> figures.Figure:
    """Each law minus the printed table, in hundredths."""
    grid = study.by_difference.iloc[::3]
    series = {
        spoken(f"law_{name}", language): (grid["difference"], 100 * (grid[name] - grid["table"]))
        for name in LAWS[1:]
    }
    return figures.lines(
        series, x_label=say("difference_points_axis"), y_label=spoken("hundredths_axis", language), caption=say("laws_caption"),
        alt=say("laws_alt"), language=language, zero=True,
    )  # fmt: skip


def observed(study: ExpectedScore, language: str) -> Piece:
    """What the stronger side really scored, by band of the difference, beside the laws."""
    columns = [
        column("band"),
        column("games", "integer"),
        column("score", "decimal", 3),
        column("low", "decimal", 3),
        column("high", "decimal", 3),
    ]
    columns += [column(name, "decimal", 3) for name in LAWS] + [column("draws", "percent")]
    name = spoken("law_logistic", language)
    picture = figures.calibration(
        study.bands["logistic"], study.bands["score"], low=study.bands["low"], high=study.bands["high"], name=name,
        others={spoken("law_table", language): (study.bands["table"], study.bands["score"])},
        caption=say("bands_caption"), alt=say("bands_alt"), language=language,
    )  # fmt: skip
    return prose.group(
        section("observed", language),
        picture,
        table("bands", columns, study.bands, language),
        language=language,
    )


def fits(study: ExpectedScore, language: str) -> Table:
    """The laws on the games: loss, difference to the best law, interval, evidence."""
    rows = study.fits.assign(
        law=[spoken(f"law_{name}", language) for name in study.fits["law"]], difference=1000 * study.fits["difference"],
        low=1000 * study.fits["low"], high=1000 * study.fits["high"], says=[spoken(f"evidence_{word}", language) for word in study.fits["evidence"]],
    )  # fmt: skip
    columns = (
        column("law"), column("log_loss", "decimal", 5), column("brier", "decimal", 5), column("difference", "signed", 2),
        column("low", "signed", 2), column("high", "signed", 2), column("says"),
    )  # fmt: skip
    notes = [
        spoken(
            "fits_note",
            language,
            ratings=said(study.frame.settings["ratings"]),
            games=int(study.fits["games"].iloc[0]),
        )
    ]
    return table("fits", columns, rows, language, notes)


def assumptions(study: ExpectedScore, language: str) -> list[str]:
    """What the numbers rest on."""
    return [
        spoken(f"assumption_{key}", language, clamp=0.01, known=0)
        for key in ("only_the_past", "clamp", "paired", "clusters", "scale")
    ]
