"""Applications for titles: norms of several events and editions, what is missing, the command and its papers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner, Result
from test_titles_norms import FIELD, event

from qiyi_analysis.app.cli import group
from qiyi_analysis.app.cli.titles import command
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.readers.writers.event_writer import write_event
from qiyi_analysis.report.sections.title_application import load_application, write_application
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.titles import NormRecord, apply_for
from qiyi_analysis.titles.norm_events import one_round_a_day, qualifying_swiss

RULES = ruleset("fide/titles/2024-01-01")
#: Opponents' average 2436 after the rounding: 7 of 9 (78 %, dp 220) make 2656, a GM norm with half a point to spare.
WIN = [1, 1, 0.5, 0.5, 1, 1, 1, 0.5, 0.5]


def made(
    place: Path,
    name: str,
    day: date,
    scores: Any = tuple(WIN),
    opponents: Any = FIELD,
    days: bool = True,
    **facts: Any,
) -> str:
    """An event of the candidate as a folder; with ``days`` every round on a day of its own."""
    player = {"id": "8600001", "birth_year": 2001, **facts.pop("player", {})}
    found = event(opponents, scores, player=player, start=day, end=day + timedelta(8), **facts)
    games = found.games.copy()
    games["day"] = [(day + timedelta(int(turn) - 1)).isoformat() if days else "" for turn in games["round"]]
    write_event(replace(found, games=games, id=name, name=name), place / name)
    return str(place / name)


def qiyi(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    """GM norms of 2022 (first half), 2023 and 2025; the last one in an Olympiad."""
    return [
        made(tmp_path, "spring-2022", date(2022, 5, 1)),
        made(tmp_path, "summer-2023", date(2023, 8, 1)),
        made(tmp_path, "olympiad-2025", date(2025, 5, 1), extra={"title_event": "olympiad"}),
    ]


def test_three_norms_across_editions_make_a_title(three: list[str]) -> None:
    found = load_application(three, "8600001", title="GM", peak=2500, language="en")
    assert [one.report.result.rules.id for one in found.events] == [
        "fide/titles/2022-01-01", "fide/titles/2023-01-01", "fide/titles/2024-01-01",
    ]  # fmt: skip
    assert found.rules.id == "fide/titles/2024-01-01"
    assert [one.counts for one in found.events] == [True] * 3
    assert found.application.games >= 27
    assert found.application.missing == ()
    assert found.application.complete is True
    # The order in which the files are named does not matter, only the first one's numbers do.
    again = load_application(three[::-1], "Candidate", title="GM", peak=2500, language="en")
    assert again.application == found.application


@pytest.mark.parametrize(
    ("peak", "complete", "what"),
    [(2499, False, "rating_once"), (None, None, "rating_once_unknown"), (2500, True, "")],
)
def test_the_rating_that_was_needed_once(
    three: list[str], peak: int | None, complete: bool | None, what: str
) -> None:
    found = load_application(three, "1", title="GM", peak=peak)
    assert found.application.complete is complete
    assert [item.what for item in found.application.missing] == ([what] if what else [])
    assert found.rating_once == (peak or 2450)  # the highest that the events show


def test_two_norms_are_short_by_their_games(three: list[str]) -> None:
    found = load_application(three[1:], "1", title="GM", peak=2600)
    games = found.application.games
    assert found.application.complete is False
    assert [(item.what, item.values["short"], item.article) for item in found.application.missing] == [
        ("application_games", 27 - games, "1.5.1, 1.4.3e")
    ]


def test_kind_of_event_and_rounds_a_day(three: list[str], tmp_path: Path) -> None:
    """Without the Olympiad the Swiss of ten players qualifies nobody; without days the one round a day is open."""
    plain = made(tmp_path, "open-2025", date(2025, 9, 1), days=False)
    found = load_application([*three[:2], plain], "1", title="GM", peak=2600)
    assert [(item.what, item.unknown) for item in found.application.missing] == [("application_event", False)]
    one = load_application([plain], "1", title="GM", peak=2600)
    assert ("application_one_round_a_day", True) in [
        (item.what, item.unknown) for item in one.application.missing
    ]


def test_nine_rounds_with_a_bye_count_once(tmp_path: Path) -> None:
    """8 of nine rounds, the ninth a pairing-allocated bye: counts as nine games, but in one norm of an application only."""
    bye = [*FIELD[:8], ("", "", 0, "pab")]
    scores = [1, 1, 0.5, 1, 1, 1, 1, 0.5, 1]
    facts = {"extra": {"title_event": "olympiad"}}
    paths = [
        made(tmp_path, "a", date(2024, 5, 1), scores, bye, **facts),
        made(tmp_path, "b", date(2024, 9, 1), scores, bye, **facts),
        made(tmp_path, "c", date(2025, 5, 1), **facts),
    ]
    found = load_application(paths, "1", title="GM", peak=2600)
    assert [(one.sheet.games, one.sheet.missing_game) for one in found.events if one.sheet] == [
        (8, True), (8, True), (9, False),
    ]  # fmt: skip
    counted = [one.sheet.counts_as for one in found.events if one.sheet]
    assert counted[0] >= 9
    assert found.application.games == counted[0] + counted[2]
    assert [item.what for item in found.application.missing if item.what == "application_missing_game"]
    single = load_application([paths[0]], "1", title="GM", peak=2600)
    assert "application_missing_game" not in [item.what for item in single.application.missing]


def test_of_two_short_norms_the_one_with_more_games_stays() -> None:
    facts: dict[str, Any] = {"title": "GM", "day": date(2024, 1, 1), "normal_foreigner": True, "one_round_a_day": True,
                             "event_type": "olympiad"}  # fmt: skip
    norms = [
        NormRecord(event="nine", games=9, missing_game=True, **facts),
        NormRecord(event="eleven", games=11, missing_game=True, **facts),
        NormRecord(event="full", games=9, **facts),
    ]
    found = apply_for("GM", norms, 2600, RULES)
    assert [record.event for record in found.norms] == ["eleven", "full"]
    assert found.games == 20


def test_of_two_short_norms_the_one_that_the_application_needs_stays() -> None:
    """The shorter one alone meets the foreigner rule; by the other the application would lack it."""
    facts: dict[str, Any] = {
        "title": "GM", "day": date(2024, 1, 1), "one_round_a_day": True, "event_type": "olympiad",
    }  # fmt: skip
    norms = [
        NormRecord(event="home", games=11, missing_game=True, normal_foreigner=False, **facts),
        NormRecord(event="abroad", games=9, missing_game=True, normal_foreigner=True, **facts),
        NormRecord(event="full", games=9, normal_foreigner=False, **facts),
        NormRecord(event="other", games=9, normal_foreigner=False, **facts),
    ]
    found = apply_for("GM", norms, 2600, RULES)
    assert [record.event for record in found.norms] == ["abroad", "full", "other"]
    assert (found.complete, found.games, found.missing) == (True, 27, ())


def test_the_foreigner_rule_must_be_met_once(tmp_path: Path) -> None:
    """All opponents of the own federation but for an event exempt from the rule (national team championship)."""
    own = tuple((title, "CHN", rating) for title, _, rating in FIELD)
    exempt = {"extra": {"title_event": "national-championship"}}
    paths = [made(tmp_path, f"e{i}", date(2024, 1 + i, 1), WIN, own, **exempt) for i in range(3)]
    found = load_application(paths, "1", title="GM", peak=2600)
    assert [one.counts for one in found.events] == [True] * 3
    assert [item.what for item in found.application.missing] == ["application_foreigner"]


def test_who_it_is_must_be_certain(three: list[str], tmp_path: Path) -> None:
    other = made(tmp_path, "other", date(2025, 1, 1), player={"id": "99"})
    with pytest.raises(EventError, match="other: not certain who Candidate is there"):
        load_application([three[0], other], "1", title="GM")
    without = made(tmp_path, "without", date(2025, 1, 1), player={"id": ""})
    assert load_application([three[0], without], "1", title="GM").events[-1].number == 1
    with pytest.raises(ParameterError, match="FM: not given by norms; expected one of GM, IM, WGM, WIM"):
        load_application(three, "1", title="FM")
    with pytest.raises(ParameterError, match="these rules have no norms"):
        load_application(three, "1", rules="fide/rating-standard")


def test_the_applicant_is_found_as_players_are_on_lists(three: list[str], tmp_path: Path) -> None:
    """Spelled otherwise, with zeros in front of the id; an id that is longer by zeros behind is somebody else's."""
    facts: dict[str, Any] = {"name": "CANDIDATE"}
    spelled = made(tmp_path, "spelled", date(2025, 1, 1), player={**facts, "id": ""})
    padded = made(tmp_path, "padded", date(2025, 3, 1), player={**facts, "id": "0008600001"})
    assert [one.number for one in load_application([three[0], spelled, padded], "1", title="GM").events] == [
        1
    ] * 3
    longer = made(tmp_path, "longer", date(2025, 6, 1), player={"id": "86000010"})
    with pytest.raises(EventError, match="longer: not certain who Candidate is there"):
        load_application([three[0], longer], "1", title="GM")
    renamed = made(tmp_path, "renamed", date(2025, 7, 1), player={"name": "Somebody, Else"})
    found = load_application([three[0], renamed], "1", title="GM")
    assert ("id-with-other-name", 1) in [(one.reason, one.player) for one in found.findings]


def test_an_event_counts_once(three: list[str], tmp_path: Path) -> None:
    again = made(tmp_path, "copy-of-spring", date(2022, 5, 1), player={"name": "CANDIDATE", "id": ""})
    for twice in (three[0], again):
        with pytest.raises(EventError, match="expected every event once"):
            load_application([*three, twice], "1", title="GM")


def test_a_norm_of_an_event_that_is_no_title_event_does_not_count(three: list[str], tmp_path: Path) -> None:
    """15 minutes and 10 seconds a move are no 120 minutes (B.01 1.1.3)."""
    rapid = made(tmp_path, "rapid-2024", date(2024, 5, 1), time_control="15+10")
    found = load_application([*three[:2], rapid], "1", title="GM", peak=2600)
    assert [one.counts for one in found.events] == [True, True, False]
    assert [one.event for one in found.application.norms] == ["spring-2022", "summer-2023"]
    assert ("application_no_title_event", False) in [(m.what, m.unknown) for m in found.application.missing]
    enough = load_application([*three, rapid], "1", title="GM", peak=2600)
    assert (enough.application.complete, enough.application.missing) == (True, ())


def test_a_rapid_rating_proves_no_rating_once(three: list[str], tmp_path: Path) -> None:
    def listed(name: str, text: str) -> int | None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return load_application(three, "1", title="GM", lists=[tmp_path / name]).rating_once

    head = "id,name,federation"
    row = "0008600001,Candidate,CHN"
    assert listed("a.csv", f"{head},standard rating,rapid rating\n{row},2510,2640\n") == 2510
    assert listed("rapid_rating_list.csv", f"{head},rapid rating\n{row},2640\n") == 2450


# --- facts of events ------------------------------------------------------------------------------------------------------


def swiss(size: int, rating: float, *, absent: int = 0, unrated: int = 0) -> Event:
    """Two rounds; the last ``absent`` players miss the second."""
    players: list[dict[str, Any]] = [
        {"number": n, "name": f"P{n}", "rating": rating if n > unrated else float("nan")}
        for n in range(1, size + 1)
    ]
    games = [
        {
            "round": turn,
            "first": n,
            "second": n + 1,
            "first_result": "1",
            "second_result": "0",
            "kind": "played",
        }
        for turn in (1, 2)
        for n in range(1, size, 2)
        if turn == 1 or n + 1 <= size - absent
    ]
    return make_event(players=players, games=games, format="swiss", rounds=2)


@pytest.mark.parametrize(
    ("field", "answer"),
    [
        ((40, 2000), True), ((38, 2400), False), ((40, 1999), False), ((42, 2000, 2), True), ((40, 2000, 2), False),
    ],
)  # fmt: skip
def test_forty_players_of_average_2000_in_every_round(field: tuple[int, ...], answer: bool) -> None:
    size, rating, *absent = field
    assert qualifying_swiss(swiss(size, rating, absent=absent[0] if absent else 0), RULES) is answer


def test_a_swiss_whose_unrated_players_decide_is_not_judged() -> None:
    assert qualifying_swiss(swiss(60, 2000, unrated=10), RULES) is None
    assert qualifying_swiss(replace(swiss(40, 2000), format="round-robin"), RULES) is False
    assert qualifying_swiss(replace(swiss(40, 2000), format=""), RULES) is None


def test_one_round_a_day_on_three_days() -> None:
    def on(*days: str) -> Event:
        found = event(FIELD[: len(days)], [1] * len(days))
        return replace(found, games=found.games.assign(day=list(days)))

    assert one_round_a_day(on("2025-01-01", "2025-01-02", "2025-01-03"), RULES) is True
    assert one_round_a_day(on("2025-01-01", "2025-01-01", "2025-01-02", "2025-01-03"), RULES) is False
    assert one_round_a_day(on("2025-01-01", "", "2025-01-03"), RULES) is None


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_says_what_is_missing_with_its_article(three: list[str]) -> None:
    arguments = [
        three[0],
        "--also",
        three[1],
        "--application",
        "Candidate",
        "--title",
        "GM",
        "--language",
        "en",
    ]
    done = qiyi(*arguments)
    assert (
        "does not meet the conditions of an application for GM yet (fide/titles/2023-01-01 1.5.1"
        in done.stdout
    )
    assert "spring-2022 (2022-05-01 – 2022-05-09): GM earned, 7/9" in done.stdout
    assert "(fide/titles/2022-01-01 1.4.8)" in done.stdout
    assert "game(s) short" in done.stdout
    answer = json.loads(qiyi(*arguments, "--json").stdout)
    assert [p["kind"] for p in answer["players"]] == ["application"]
    assert answer["players"][0]["reached"] is False
    assert [(n["event"], n["title"], n["score"]) for n in answer["application"]["norms"]] == [
        ("spring-2022", "GM", "7"), ("summer-2023", "GM", "7"),
    ]  # fmt: skip
    assert all(item["article"] for item in answer["application"]["missing"])
    assert qiyi(*arguments, "--csv").stdout.startswith("\ufeffnumber,event,dates,rules,norm")


@pytest.mark.parametrize(
    "options",
    [["--also", "x"], ["--title", "GM"], ["--peak", "2500"], ["--application", "1", "--level", "county"]],
)
def test_options_that_do_not_go_together_are_refused(three: list[str], options: list[str]) -> None:
    with pytest.raises(ParameterError, match="--application"):
        CliRunner().invoke(group, ["titles", three[0], *options], catch_exceptions=False)


def test_the_papers(three: list[str], tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    arguments = [three[0], "--also", three[1], "--also", three[2], "--application", "1", "--peak", "2500"]
    runs = []
    for name in ("one", "two"):
        qiyi(*arguments, "--out", str(tmp_path / name))
        runs.append({path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())})
    assert runs[0] == runs[1]
    assert sorted(runs[0]) == ["Candidate-GM-application.pdf", "Candidate-GM-application.xlsx"]
    reader = pypdf.PdfReader(tmp_path / "one" / "Candidate-GM-application.pdf")
    text = re.sub(r"[\s\u200b]", "", "".join(page.extract_text() for page in reader.pages))
    for shown in (
        "IT2",
        "IT1",
        "spring-2022",
        "summer-2023",
        "olympiad-2025",
        "fide/titles/2022-01-01",
        "GER",
        "2560",
    ):
        assert shown in text
    assert reader.metadata["/CreationDate"] == "D:20250509000000Z"
    book = openpyxl.load_workbook(tmp_path / "one" / "Candidate-GM-application.xlsx")
    assert book.sheetnames == ["IT2", "IT1 1", "IT1 2", "IT1 3"]
    cells = [str(cell.value) for row in book["IT1 1"].iter_rows() for cell in row if cell.value is not None]
    assert {"2 Opponent 1", "GER", "2560"} <= set(cells)
    assert any("Rp" in cell for cell in cells)


def test_a_hostile_name_stays_text(tmp_path: Path) -> None:
    path = made(tmp_path, "e", date(2025, 5, 1), player={"name": "=1+1", "id": "8600005"})
    found = load_application([path], "8600005", title="GM")
    book = openpyxl.load_workbook(write_application(found, tmp_path / "x.xlsx"))
    cells = [cell for row in book["IT2"].iter_rows() for cell in row if str(cell.value).endswith("=1+1")]
    assert [cell.data_type for cell in cells] == ["s"]
