"""`qiyi study`: verdicts that admit what is not known, tidy results, reports; nothing compiled at import."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from research_plain import made_history

from qiyi_analysis import words
from qiyi_analysis.app.cli.study import STUDIES, command
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.report.sections import (
    compare_k_page,
    compare_systems_page,
    expected_score_page,
    simulation_page,
)
from qiyi_analysis.report.sections import study_page as page
from qiyi_analysis.research.history.result_files import about_results, write_results
from qiyi_analysis.research.studies import compare_k as k_study
from qiyi_analysis.research.studies import compare_systems as system_study
from qiyi_analysis.research.studies import expected_score as law_study
from qiyi_analysis.research.studies import scoring_2007
from qiyi_analysis.research.studies import simulate_federation as simulation_study

HISTORY = made_history(games=2500, players=60, periods=60)
DATES = [f"{y}-{m:02d}-15" for y, m in zip(2001 + HISTORY.period // 12, 1 + HISTORY.period % 12, strict=True)]


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("study") / "club.csv"
    names = HISTORY.players["player"].to_numpy()
    rows = pd.DataFrame(
        {
            "date": DATES,
            "white": names[HISTORY.first],
            "black": names[HISTORY.second],
            "score_white": HISTORY.half_points / 2,
        }
    )
    rows.loc[len(rows)] = ["2003-05-01", "p1", "p1", 1.0]
    rows.to_csv(path, index=False)
    return path


def run(*arguments: str):
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_importing_the_package_loads_no_other_and_compiles_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import qiyi_analysis; print(*sorted(set(sys.modules) - before))\n"
        "from qiyi_analysis import research; research.sweep\n"
        "import qiyi_analysis.app.cli.study\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules, 'numba is loaded'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Of the package nothing but its door: what is asked for is loaded then.
    assert [name for name in done.stdout.split() if name.startswith("qiyi_analysis")] == ["qiyi_analysis"]
    assert not {"numpy", "pandas", "pyarrow"} & {*done.stdout.split()}


def test_json_tells_verdict_counts_and_versions(games: Path) -> None:
    result = run("compare-k", str(games), "-p", "replicates=60", "-p", "k=5,20,40,80", "--json")
    assert result.exception is None
    answer = json.loads(result.stdout)
    assert answer["schema"] == 1
    assert answer["data"]["rows_read"] == 2501
    assert answer["data"]["left_out"] == 1
    assert answer["data"]["remarks"][0]["kind"] == "self"
    found = [(f["code"], f["severity"], f["field"]) for f in answer["findings"]]
    assert found == [("CK51", "W", "self"), ("CK51", "I", "duplicate")]
    assert "1 rows left out" in answer["findings"][0]["message"]
    assert result.return_value == 1
    assert answer["settings"]["seed"] == 1
    assert answer["versions"]["numpy"] == np.__version__
    assert {row["k"] for row in answer["tables"]["candidates"]} == {5, 20, 40, 80}
    assert answer["verdict"]["zh"]
    again = run("compare-k", str(games), "-p", "replicates=60", "-p", "k=5,20,40,80", "--json")
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare-k", "-p", "replicate=5"], "did you mean replicates"),
        (["compare-k", "-p", "update=weekly"], "expected one of game, period"),
        (["compare-k", "none.csv"], "no such file"),
        (["simulate", "games.csv"], "takes no file"),
        (["compare-k", "--formats", "docx"], "is not one of pdf"),
        (["compare-systems", "-p", "systems=elo,chessmetrics", "--json"], "chessmetrics"),
        (["simulate", "-p", "rules=twenty", "--json"], "expected name=K"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exception is not None
    assert message in str(getattr(result.exception, "message", "") or result.exception)


def test_every_word_of_the_four_reports_exists() -> None:
    for language in ("zh", "en"):
        for study in (
            k_study.compare_k(history=HISTORY, k=[5, 20, 40], replicates=40, current_k=5),
            system_study.compare_systems(
                history=HISTORY, replicates=40, systems=["elo", "glicko", "fide", "whr", "static", "guess"]
            ),
            law_study.expected_score(history=HISTORY, replicates=40),
            simulation_study.simulate_federation(players=120, months=36, replicates=2),
        ):
            module = {
                "compare-k": compare_k_page, "compare-systems": compare_systems_page, "expected-score": expected_score_page, "simulate": simulation_page,
            }[study.frame.study]  # fmt: skip
            shown = [page.head(study.frame, language), page.verdict(study.frame, language)]
            if study.frame.history is not None:
                shown.append(page.data_section(study.frame, language))
                shown.append(page.sources_section(study.frame, language, module.assumptions(study, language)))
            for name in {
                "compare-k": (
                    "curve",
                    "candidates",
                    "sureness",
                    "moves",
                    "calibrated",
                    "first_move",
                    "other_rules",
                    "groups",
                    "inflation",
                    "scoring_2007",
                ),
                "compare-systems": ("differences", "ranking", "measures", "calibrated", "by_year", "draws"),
                "expected-score": ("laws", "curves", "observed", "fits"),
                "simulate": (
                    "comparison",
                    "paired",
                    "recoveries",
                    "pool",
                    "who_gains",
                    "assumptions",
                    "sources",
                ),
            }[study.frame.study]:
                shown.append(getattr(module, name)(study, language))
            text = "\n".join(piece._repr_mimebundle_()["text/plain"] for piece in shown)
            # A field left without a value prints as a question mark in its place.
            assert "{" not in text
            assert " ? " not in text


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_a_history_too_small_says_no_evidence(seed: int) -> None:
    few = made_history(games=150, players=14, periods=40, seed=seed)
    study = k_study.compare_k(history=few, k=[40, 60, 80, 100, 120, 160], current_k=60, replicates=300)
    assert study.frame.evidence == "none"
    assert "no evidence" in study.frame.verdict[1].lower()
    assert "没有证据" in study.frame.verdict[0]


def test_too_few_players_carry_no_interval() -> None:
    few = made_history(games=200, players=8, periods=30, seed=3)
    study = k_study.compare_k(history=few, k=[10, 20, 200], current_k=200, replicates=100)
    assert study.frame.evidence == "none"
    assert "8 independent units" in study.frame.verdict[1]


def test_one_period_or_wrong_dates_end_in_a_message() -> None:
    single = made_history(games=60, players=12, periods=1)
    with pytest.raises(ParameterError, match="expected games in both parts"):
        k_study.compare_k(history=single, replicates=40)
    with pytest.raises(ParameterError, match="expected games in both parts"):
        k_study.compare_k(history=HISTORY, test_from="2030", replicates=40)


def test_nothing_but_draws_tells_no_k_from_another() -> None:
    from dataclasses import replace

    drawn = replace(HISTORY, half_points=np.ones(len(HISTORY), np.int8))
    study = k_study.compare_k(history=drawn, k=[5, 20, 40], advantage=[0], replicates=40, current_k=0)
    assert study.frame.evidence == "none"


def test_a_clear_case_is_called_clear() -> None:
    study = k_study.compare_k(
        history=made_history(games=9000, players=60, periods=60),
        k=[5, 20, 200],
        current_k=200,
        replicates=200,
    )
    assert study.frame.evidence == "clear"
    assert "worse" in study.frame.verdict[1]


def test_the_six_exceptions_of_the_printed_table() -> None:
    study = law_study.expected_score(history=HISTORY, replicates=40)
    assert study.exceptions["difference"].tolist() == [54, 343, 344, 358, 392, 620]
    assert study.exceptions["table"].tolist() == [0.58, 0.88, 0.88, 0.90, 0.92, 0.99]
    assert study.gaps.set_index("law")["rounded_differs"].to_dict() == {
        "normal": 110,
        "normal_2000_7": 6,
        "logistic": 460,
    }
    assert study.gaps.set_index("law")["largest_gap"].round(4).to_dict()["normal"] == 0.0081
    assert study.gaps.set_index("law")["largest_gap"].round(4).to_dict()["logistic"] == 0.0183


def test_the_scoring_of_2007_on_the_shipped_games() -> None:
    from qiyi_analysis.research.history.history_files import xiangqi_masters

    decades, people = scoring_2007.scoring_tables(xiangqi_masters())
    total = decades.iloc[-1]
    assert total["red_share"] == pytest.approx(total["wins"] + total["draws"] / 2)
    assert total["red_share_2007"] == pytest.approx(total["wins"] + total["draws"] / 3)
    assert round(total["red_share"], 4) == 0.5616
    assert round(total["red_share_2007"], 4) == 0.5031
    assert people["player"].iloc[0] == "許銀川"


def test_results_carry_settings_and_versions_and_no_time(tmp_path) -> None:
    table = pd.DataFrame({"a": [1, 2]})
    one = write_results({"t": table}, tmp_path / "1", "s", {"seed": 5})[0].read_bytes()
    two = write_results({"t": table}, tmp_path / "2", "s", {"seed": 5})[0].read_bytes()
    assert one == two
    about = about_results(tmp_path / "1" / "s-t.parquet")
    assert about["settings"] == {"seed": 5}
    assert set(about["versions"]) >= {"python", "numba", "qiyi-analysis"}


def test_the_notebooks_call_the_library_only(project: Path) -> None:
    for notebook, _, _ in STUDIES.values():
        cells = json.loads((project / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            source = "".join(cell["source"])
            assert "def " not in source
            assert cell.get("outputs", []) == []
        schema = tomllib.loads((project / "notebooks" / f"{notebook}.toml").read_text(encoding="utf-8"))
        assert schema["title"]["zh"]


def test_a_study_becomes_a_report_with_tidy_results(games: Path, tmp_path) -> None:
    out = tmp_path / "out"
    result = run(
        "expected-score",
        str(games),
        "-p",
        "replicates=40",
        "--out",
        str(out),
        "--formats",
        "pdf,html,ipynb",
        "--language",
        "en",
    )
    assert result.exception is None, result.output
    assert "2000/7" in result.stdout
    assert "CK51 W" in result.stderr
    assert result.return_value == 1
    assert (out / "expected-score.pdf").read_bytes().startswith(b"%PDF")
    assert "printed table" in (out / "expected-score.html").read_text(encoding="utf-8")
    fits = pd.read_parquet(out / "expected-score-fits.parquet")
    assert fits["law"].tolist() == list(law_study.LAWS)
    about = about_results(out / "expected-score-fits.parquet")
    assert about["settings"]["left_out"] == {"self": 1}
    assert about["settings"]["games_read"] == 2501
    assert words.has("research.expected_clear")


def test_the_parameters_of_a_study_are_listed() -> None:
    result = run("simulate", "--parameters", "--language", "en")
    assert "drift = 8.0" in result.stdout
