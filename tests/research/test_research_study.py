"""`qiyi study`: verdicts that admit what is not known, tidy results, reports; nothing compiled at import."""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from research_plain import made_history

from qiyi_analysis import words
from qiyi_analysis.app.cli.study import STUDIES, command
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.result_files import about_results, write_results
from qiyi_analysis.research.studies import compare_k as k_study
from qiyi_analysis.research.studies import compare_systems as system_study
from qiyi_analysis.research.studies import expected_score as law_study
from qiyi_analysis.research.studies import scoring_2007
from qiyi_analysis.research.studies.simulation import Federation, simulate
from qiyi_analysis.research.studies.study import Study
from qiyi_analysis.research.sweeps import sweep_units
from qiyi_analysis.research.systems.over_history import elo

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
    result = run("compare-k", str(games), "-p", "k=5,20,40,80", "--json")
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
    assert answer["settings"]["advantage"] == [-50.0, 150.0]
    assert answer["versions"]["numpy"] == np.__version__
    assert {row["k"] for row in answer["tables"]["candidates"]} >= {5, 20, 40, 80}
    assert answer["verdict"]["zh"]
    again = run("compare-k", str(games), "-p", "k=5,20,40,80", "--json")
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare-k", "-p", "known_game=5"], "did you mean known_games"),
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


@pytest.mark.parametrize("study", list(STUDIES))
def test_every_notebook_runs_on_a_file_and_has_all_its_words(study: str, games: Path, tmp_path: Path) -> None:
    given = {
        "compare-k": [str(games), "-p", "k=5,20,40,80"],
        "compare-systems": [str(games), "-p", "systems=elo,glicko,fide,static,guess"],
        "expected-score": [str(games)],
        "simulate": ["-p", "federation_players=120", "-p", "months=36", "-p", "replicates=2"],
    }[study]
    result = run(study, *given, "--out", str(tmp_path), "--formats", "html", "--language", "en")
    assert result.exception is None, result.output
    text = re.sub(
        r"<style.*?</style>|<svg.*?</svg>", "", (tmp_path / f"{study}.html").read_text("utf-8"), flags=re.S
    )
    # A field left without a value prints as a question mark in its place, a key without words as itself.
    assert "research." not in text
    assert "research_" not in text
    assert not re.search(r"\{\w+\}| \? ", text)


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_a_history_too_small_says_no_evidence(seed: int) -> None:
    few = made_history(games=150, players=14, periods=40, seed=seed)
    study = k_study.compare_k(few, k=[40, 60, 80, 100, 120, 160], current_k=60)
    assert study.evidence == "none"
    assert "no evidence" in study.verdict[1].lower()
    assert "没有证据" in study.verdict[0]


def test_one_period_or_wrong_dates_end_in_a_message() -> None:
    single = made_history(games=60, players=12, periods=1)
    with pytest.raises(ParameterError, match="expected games in both parts"):
        k_study.compare_k(single)
    with pytest.raises(ParameterError, match="expected games in both parts"):
        k_study.compare_k(HISTORY, test_from="2030")


def test_nothing_but_draws_tells_no_k_from_another() -> None:
    drawn = replace(HISTORY, half_points=np.ones(len(HISTORY), np.int8))
    assert k_study.compare_k(drawn, k=[5, 20, 40], advantage=0, current_k=0).evidence == "none"


def test_a_clear_case_is_called_clear_and_agrees_with_its_interval() -> None:
    history = made_history(games=9000, players=60, periods=60)
    study = k_study.compare_k(history, current_k=200)
    assert study.evidence == "clear"
    assert "too high" in study.verdict[1]
    assert not study.optimum.holds(200)
    for current in (5, 10, 15):
        other = k_study.compare_k(history, current_k=current)
        assert (other.evidence == "none") == other.optimum.holds(current)


def test_the_best_k_at_the_end_of_what_was_tried_is_no_finding() -> None:
    study = k_study.compare_k(
        made_history(games=9000, players=60, periods=60), k=[40, 60, 80, 100], current_k=0
    )
    assert study.optimum.edge
    assert study.evidence == "none"
    assert "end of the K tried" in study.verdict[1]
    tuned = k_study.compare_k(HISTORY, k_bounds=(60, 90), current_k=0).tuned
    assert "k" in tuned.edges


def test_davidsons_draws_reach_every_part_of_the_study() -> None:
    study = k_study.compare_k(HISTORY, k=[10, 20, 30], current_k=20, draws="davidson")
    losses = study.tables["candidates"].set_index("k")["log_loss"]
    detail = study.tables["detail"].set_index("name")["log_loss"]
    assert detail["current:20"] == pytest.approx(losses[20.0], abs=1e-12)
    updates = study.tables["updates"].set_index("update")
    assert updates.loc["game", "log_loss"] == pytest.approx(losses.min(), abs=1e-12)


def test_groups_that_score_more_than_expected_are_found() -> None:
    federation = Federation(
        players=400, months=96, junior_gain=150, junior_below=300, entries=0.02, games_per_month=3, seed=2
    )
    history = simulate(federation).history
    rows = (
        k_study.compare_k(history, k=[5, 10, 20], current_k=0).tables["biases"].set_index(["group", "band"])
    )
    assert rows.loc[("age", "<20"), "evidence"] == "higher"
    assert rows.loc[("age", "<20"), "low"] > 0 > rows.loc[("age", ">=60"), "high"]
    assert {"experience", "age", "rating"} <= set(rows.index.get_level_values("group"))
    scored = history.period >= k_study.parts_of(history, "", "")[1]
    assert rows.loc["experience", "sides"].sum() == 2 * scored.sum()


def test_two_k_are_tuned_as_their_rival_is() -> None:
    rows = k_study.compare_k(HISTORY, current_k=0).tables["schedules"]
    # Its own games and the same search: the schedules hold the single K as a special case.
    assert (rows["tuning_loss"].iloc[1:] <= rows["tuning_loss"].iloc[0] + 1e-5).all()
    assert rows["difference"].iloc[0] == 0.0


def test_sub_groups_of_a_homogeneous_federation_want_the_same_k() -> None:
    """Groups by what was known before the game: by the ratings at the end, near equals always wanted a lower K."""
    best = []
    for seed in range(1, 9):
        federation = Federation(
            players=150, months=72, games_per_month=2, entries=0, exits=0, junior_share=0, veteran_loss=0, drift=15,
            closeness=math.inf, spread=150, seed=seed,
        )  # fmt: skip
        study = k_study.compare_k(simulate(federation).history, k=range(4, 81, 4), advantage=30, current_k=0)
        rows = study.tables["subgroups"].set_index(["group", "band"])
        assert not rows.loc["difference", "differs"].any()
        best.append((rows.loc[("difference", "equal"), "best"], rows.loc[("difference", "unequal"), "best"]))
    equal, unequal = np.mean(best, axis=0)
    assert abs(equal - unequal) < 8
    assert 0 < sum(one < other for one, other in best) < len(best)


def test_large_histories_have_sub_groups_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_units, "EXACT_UNITS", 500)
    rows = k_study.compare_k(HISTORY, current_k=0).tables["subgroups"]
    assert set(rows["group"]) == {"all", "experience", "difference", "half"}


def test_tables_numbers_and_wrong_kinds_are_taken_or_refused() -> None:
    names = HISTORY.players["player"].to_numpy()
    table = pd.DataFrame(
        {
            "date": DATES,
            "white": names[HISTORY.first],
            "black": names[HISTORY.second],
            "score_white": HISTORY.half_points / 2,
        }
    )
    study = k_study.compare_k(table, k=[10, 20, 40], advantage=30)
    assert study.tuned.values["advantage"] == 30
    assert len(repr(study)) < 500
    assert "<table" in study._repr_html_()
    assert study.summary().startswith(study.verdict[1])
    assert study.to_frame("periods") is study.tables["periods"]
    assert study.plot().get_xlabel() == "K"
    assert elo(table).players["games"].sum() == 2 * len(table)
    for wrong in (
        {"k": 30},
        {"k": [-5, 10, 20]},
        {"k": ["x"]},
        {"k_bounds": (0, 10)},
        {"current_k": -1},
        {"update": "weekly"},
    ):
        with pytest.raises(ParameterError):
            k_study.compare_k(HISTORY, **wrong)
    with pytest.raises(ParameterError, match="int"):
        k_study.compare_k(3)


def test_systems_are_tuned_within_bounds_and_edges_are_said() -> None:
    study = system_study.compare_systems(
        HISTORY,
        systems=["elo", "glicko"],
        bounds={"elo": {"k": (100, 150)}, "glicko": {"c": (5, 50), "deviation": (60, 350)}},
    )
    tuning = study.tables["tuning"].set_index(["family", "parameter"])
    assert tuning.loc[("elo", "k"), "edge"]
    assert (tuning["value"] >= tuning["low"] - 1e-9).all()
    assert study.tables["systems"].set_index("family").loc["elo", "edges"] == "k"
    own = study.tables["systems"].set_index("family")["difference"]
    assert own[study.chosen] == 0.0


def test_an_unknown_system_or_bound_is_refused() -> None:
    with pytest.raises(ParameterError, match="chessmetrics"):
        system_study.compare_systems(HISTORY, systems=["chessmetrics"])
    with pytest.raises(ParameterError, match="tau"):
        system_study.compare_systems(HISTORY, systems=["elo"], bounds={"elo": {"tau": (1, 2)}})


def test_the_six_exceptions_of_the_printed_table() -> None:
    study = law_study.expected_score(HISTORY)
    exceptions, gaps = study.tables["exceptions"], study.tables["gaps"]
    assert exceptions["difference"].tolist() == [54, 343, 344, 358, 392, 620]
    assert exceptions["table"].tolist() == [0.58, 0.88, 0.88, 0.90, 0.92, 0.99]
    assert gaps.set_index("law")["rounded_differs"].to_dict() == {
        "normal": 110,
        "normal_2000_7": 6,
        "logistic": 460,
    }
    assert gaps.set_index("law")["largest_gap"].round(4).to_dict()["normal"] == 0.0081
    assert gaps.set_index("law")["largest_gap"].round(4).to_dict()["logistic"] == 0.0183


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
    study = Study(
        study="s",
        settings={"seed": 5},
        history=HISTORY,
        tables={"t": pd.DataFrame({"a": [1, 2], "b_%": ["x_y", "~"]})},
    )
    for name in ("parquet", "csv", "tex"):
        one, two = (write_results(study, tmp_path / n)[0].with_suffix(f".{name}").read_bytes() for n in "12")
        assert one == two
    about = about_results(tmp_path / "1" / "s-t.parquet")
    assert about["settings"]["seed"] == 5
    assert len(about["settings"]["games_sha256"]) == 64
    assert set(about["versions"]) >= {"python", "numba", "qiyi-analysis"}
    latex = (tmp_path / "1" / "s-t.tex").read_text()
    assert r"a & b\_\% \\" in latex
    assert r"2 & \textasciitilde{} \\" in latex


def test_a_study_is_made_again_from_its_record(games: Path, tmp_path: Path) -> None:
    first = run("expected-score", str(games), "-p", "k=30", "--out", str(tmp_path / "1"), "--formats", "html")
    assert first.exception is None, first.output
    record = tmp_path / "1" / "expected-score-record.json"
    kept = json.loads(record.read_text("utf-8"))
    assert kept["parameters"]["k"] == 30
    assert kept["parameters"]["duplicates"] == "keep"
    assert list(kept["inputs"].values()) == [hashlib.sha256(games.read_bytes()).hexdigest()]
    again = run("--again", str(record), "--out", str(tmp_path / "2"), "--formats", "html")
    assert again.exception is None, again.output
    for path in (tmp_path / "1").iterdir():
        if path != record:
            assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes(), path.name
    (tmp_path / "other.json").write_text(
        record.read_text("utf-8").replace(kept["inputs"][str(games)], "0" * 64), "utf-8"
    )
    assert "have changed" in str(run("--again", str(tmp_path / "other.json")).exception)
    assert "not the record" in str(run("--again", str(games)).exception)


def test_the_notebooks_call_the_library_only(project: Path) -> None:
    for notebook, _, _ in STUDIES.values():
        cells = json.loads((project / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            source = "".join(cell["source"])
            assert "def " not in source
            assert cell.get("outputs", []) == []


def test_a_study_becomes_a_report_with_tidy_results(games: Path, tmp_path) -> None:
    out = tmp_path / "out"
    result = run(
        "expected-score",
        str(games),
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
