"""The upload XML of Swiss-Manager: own samples, every type and mark, malformed elements each with its message."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from qiyi_analysis import read_event
from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.source import Source
from qiyi_analysis.tiebreaks import standings

PLAYERS = "".join(
    f'<player no="{n}" lastname="Player {n}" firstname="" rtg="{1500 + n}" fideid="" sex="m" fed="GER" rank="{n}" pts="" state="" />'
    for n in range(1, 5)
)


def upload(inside: str = "", *, players: str = PLAYERS, **head: str) -> Event:
    facts = {"type": "0", "name": "Test", "rounds": "3", "from": "20260401", "to": "20260402"} | head
    event = " ".join(f'{key}="{value}"' for key, value in facts.items())
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<chessresults><t {event} />\n{players}\n{inside}\n</chessresults>'
    return events_from((Source("upload.xml", text.encode()),), "upload")[0]


def pairing(
    white: object = 1, black: object = 2, one: str = "1", two: str = "0", mark: str = "", round: object = 1
) -> str:
    return f'<p round="{round}" pairing="1" board="1" whiteno="{white}" blackno="{black}" reswhite="{one}" resblack="{two}" forfeit="{mark}" />'


def told(event: Event) -> list[tuple[str, str]]:
    return [(f.code, f.reason) for f in event.faults]


def test_the_own_sample(project: Path) -> None:
    event = read_event(project / "data/samples/swiss-manager-upload.xml")
    assert (event.format, event.rounds, str(event.start), str(event.end)) == (
        "swiss",
        4,
        "2026-04-01",
        "2026-04-04",
    )
    assert event.arbiters == ("Rivers, Rita",)
    assert dict(event.tie_break_columns) == {
        "tb1": "84(0,0,0,-,-,0,1)",
        "tb2": "85(0,0,0,-,-)",
        "tb3": "68(1,-)",
    }
    assert list(event.games["kind"]) == [
        "played", "played", "forfeit", "played", "unrated", "pab", "half_bye", "played", "forfeit", "played", "played",
        "played", "double_loss",
    ]  # fmt: skip
    assert list(event.games["day"])[::4] == ["2026-04-01", "2026-04-02", "2026-04-03", "2026-04-04"]
    players = event.players
    assert list(players["sex"]) == ["w", "m", "w", "m", "m", ""]
    assert list(players["birth_date"])[:3] == ["1996-03-14", "", "2005-06-30"]
    assert list(players["k"])[:3] == [20, 20, 40]  # kfactor and kfaktor both occur
    assert [value == value for value in players["rating"]] == [True, True, True, False, True, False]
    assert [(f.code, f.reason, f.player, f.line) for f in event.faults] == [
        ("CK13", "rating-national", 4, 16)
    ]
    # The printed columns are those that were worked by hand for this sample (C.07 as of March 2026).
    found = compare(event)
    assert dict(found.codes) == {"tb1": "BH", "tb2": "SB", "tb3": "WON"}
    assert len(found.rows) == 18
    assert found.rows["agrees"].all()


def test_the_own_sample_of_teams(project: Path) -> None:
    event = read_event(project / "data/samples/swiss-manager-upload-teams.xml")
    assert event.format == "team-swiss"
    assert event.tie_breaks == ("MP", "GP", "BH:MP")
    assert not event.tie_break_columns
    assert list(event.teams["members"]) == ["1 2", "3 4", "5 6"]
    assert list(event.players["team"]) == ["Alpha", "Alpha", "Beta", "Beta", "Gamma", "Gamma"]
    assert event.matches[["round", "first", "second", "kind"]].to_numpy().tolist() == [
        [1, 1, 2, "played"], [2, 2, 3, "played"], [3, 3, 1, "played"], [1, 3, 0, "pab"], [2, 1, 0, "pab"], [3, 2, 0, "pab"],
    ]  # fmt: skip
    assert list(event.games["board"]) == ["1.1", "1.2"] * 3
    table = standings(event, None).texts
    assert list(zip(table["name"], table["MP"], table["GP"], strict=True)) == [
        ("Gamma", "5.0", "4.5"), ("Alpha", "4.0", "4.0"), ("Beta", "3.0", "3.5"),
    ]  # fmt: skip
    assert told(event) == []
    assert not [f for f in compare(event).findings if f.code in ("CK33", "CK34")]


@pytest.mark.parametrize(
    ("kind", "replay", "format"),
    [
        ("0", "1", "swiss"), ("1", "1", "round-robin"), ("1", "2", "double-round-robin"), ("2", "1", "team-round-robin"),
        ("3", "1", "team-swiss"), ("7", "1", ""),
    ],
)  # fmt: skip
def test_types(kind: str, replay: str, format: str) -> None:
    event = upload(type=kind, replay=replay)
    assert event.format == format
    assert (("CK43", "upload-type") in told(event)) == (kind == "7")


@pytest.mark.parametrize(
    ("row", "kind", "results"),
    [
        (pairing(), "played", ("1", "0")),
        (pairing(one="1.0", two="0.0"), "played", ("1", "0")),
        (pairing(one="0,5", two="0,5"), "played", ("=", "=")),
        (pairing(one="½", two="½"), "played", ("=", "=")),
        (pairing(one="0.5", two="0.5", mark="U"), "unrated", ("=", "=")),
        (pairing(mark="K"), "forfeit", ("1", "0")),
        (pairing(mark="k"), "forfeit", ("1", "0")),
        (pairing(one="0", mark="K"), "double_forfeit", ("0", "0")),
        (pairing(one="0", mark="D"), "double_loss", ("0", "0")),
        (pairing(one="", two="", mark="H"), "unplayed", ("", "")),
        (pairing(one="", two=""), "unplayed", ("", "")),
        (pairing(black=-1), "pab", ("1", "")),
        (pairing(black=-2, one="0"), "zero_bye", ("0", "")),
        (pairing(black=-2, one="0,5"), "half_bye", ("=", "")),
        (pairing(black=-2, one="1"), "full_bye", ("1", "")),
    ],
)
def test_results_and_marks(row: str, kind: str, results: tuple[str, str]) -> None:
    event = upload(row)
    game = event.games.iloc[0]
    assert (game["kind"], game["first_result"], game["second_result"]) == (kind, *results)
    assert told(event) == []


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        (pairing(white=0), ("CK43", "record-unreadable")),
        (pairing(white="x"), ("CK43", "record-unreadable")),
        (pairing(round=0), ("CK43", "record-unreadable")),
        (pairing(round=99999), ("CK43", "record-unreadable")),
        (pairing(black="abc"), ("CK15", "record-unreadable")),
        (pairing(black=1), ("CK15", "record-unreadable")),
        (pairing(one="2"), ("CK15", "result-unreadable")),
        (pairing(two="won"), ("CK15", "result-unreadable")),
        (pairing(mark="X"), ("CK15", "upload-mark")),
        (pairing(mark="D"), ("CK20", "upload-double-loss")),
        (pairing(one="0"), ("CK20", "double-zero")),
        (pairing(black=9), ("CK07", "unknown-opponent")),
    ],
)
def test_a_malformed_pairing_is_told_with_its_line(row: str, finding: tuple[str, str]) -> None:
    event = upload(row)
    found = [f for f in event.faults if (f.code, f.reason) == finding]
    assert [f.line for f in found] == [4]
    for language in ("zh", "en"):
        assert "{" not in found[0].message(language)


@pytest.mark.parametrize(
    ("attributes", "finding"),
    [
        ('no="1" lastname="Twice"', ("CK09", "start-number-twice")),
        ('lastname="Nobody"', ("CK43", "record-unreadable")),
        ('no="5" lastname="Mr C" sex="c"', ("CK14", "player-computer")),
        ('no="5" lastname="X" sex="9"', ("CK43", "sex-unreadable")),
        ('no="5" lastname="X" dob="soon"', ("CK43", "birth-unreadable")),
        ('no="5" lastname="X" rtg="12345"', ("CK43", "rating-impossible")),
        ('no="5" lastname="X" rtg="2a00"', ("CK43", "rating-unreadable")),
        ('no="5" lastname="X" pts="many"', ("CK43", "number-impossible")),
        ('no="5" lastname="X" kfaktor="K"', ("CK43", "number-impossible")),
    ],
)
def test_a_malformed_player_is_told_and_kept(attributes: str, finding: tuple[str, str]) -> None:
    event = upload(pairing(), players=PLAYERS + f"\n<player {attributes} />")
    assert len(event.players) == 5
    found = [f for f in event.faults if (f.code, f.reason) == finding]
    assert [f.line for f in found] == [4]
    for language in ("zh", "en"):
        assert "{" not in found[0].message(language)


def test_a_blank_rank_is_none() -> None:
    event = upload(
        pairing(),
        players='<player no="1" lastname="A" rank="1" pts="1" /><player no="2" lastname="B" rank="" pts="0" equal="J" />',
    )
    assert math.isnan(event.players["rank"].iloc[1])
    assert told(event) == []


def test_a_national_rating_is_none_in_a_fide_rated_event() -> None:
    players = '<player no="1" lastname="A" rtg="1900" rtgfide="" rtgnat="1900" /><player no="2" lastname="B" rtg="1850" rtgfide="1800" rtgnat="1850" />'
    event = upload(pairing(), players=players, ratedfide="J")
    assert math.isnan(event.players["rating"].iloc[0])
    assert event.players["rating"].iloc[1] == 1800
    assert told(event) == [("CK13", "rating-national")]
    for rated in ("N", "-"):
        event = upload(pairing(), players=players, ratedfide=rated)
        assert list(event.players["rating"]) == [1900, 1850]
        assert list(event.players["rating_kind"]) == ["national", "national"]
        assert told(event) == []


def test_a_ranking_of_an_earlier_round_is_not_compared() -> None:
    players = PLAYERS.replace('pts=""', 'pts="1"')
    rows = pairing() + pairing(3, 4) + pairing(1, 3, round=2)
    event = upload(rows, players=players, rankinground="1")
    assert event.players["points"].isna().all()
    assert event.players["rank"].isna().all()
    assert told(event) == [("CK24", "ranking-of-earlier-round")]
    assert (upload(rows, players=players, rankinground="2").players["points"] == 1).all()


def test_a_player_taken_out_of_a_round_robin_loses_the_points() -> None:
    players = PLAYERS.replace('state=""', 'state="1"', 1)
    event = upload(pairing() + pairing(3, 4), players=players, type="1")
    assert list(event.games["kind"]) == ["annulled", "played"]
    kept = upload(pairing() + pairing(3, 4), players=players.replace('state="1"', 'state="2"'), type="1")
    assert list(kept.games["kind"]) == ["played", "played"]


def team_upload(inside: str = "", **head: str) -> Event:
    players = "".join(
        f'<player no="{n}" lastname="Player {n}" board="{1 + n % 2}" teamno="{(n + 1) // 2}" />'
        for n in range(1, 5)
    )
    teams = '<team no="1" teamname="A" rank="1" points="1,5" tb1="3" /><team no="2" teamname="B" rank="2" points="0,5" tb1="0" />'
    games = (
        '<p round="1" pairing="1" board="1" whiteno="2" blackno="4" reswhite="1" resblack="0" />'
        '<p round="1" pairing="1" board="2" whiteno="3" blackno="1" reswhite="0,5" resblack="0,5" />'
    )
    return upload(
        games + "\n" + teams + "\n" + inside, players=players, **({"type": "3", "rounds": "1"} | head)
    )


def test_match_points_follow_from_the_number_that_fixes_them() -> None:
    match = '<m round="1" pairing="1" no1="2" no2="1" res1="0,5" res2="1,5" />'
    event = team_upload(match, tb1no="40", tb2no="1")
    assert event.scoring.match_win == 3
    row = event.matches.iloc[0]
    # The team named first is the first, whoever had White on the first board.
    assert (row["first"], row["second"], row["first_match_points"], row["second_match_points"]) == (
        2,
        1,
        0,
        3,
    )
    assert list(event.teams["match_points"]) == [3, 0]
    assert told(event) == []
    assert team_upload(match, tb1no="13").scoring.match_win == 2


@pytest.mark.parametrize(
    ("one", "two", "fits"), [("1.5", "0.5", True), ("2", "0", True), ("1", "1", False), ("", "", True)]
)
def test_printed_points_of_a_match_are_game_points_or_match_points(one: str, two: str, fits: bool) -> None:
    event = team_upload(f'<m round="1" no1="1" no2="2" res1="{one}" res2="{two}" />', tb1no="13")
    assert told(event) == ([] if fits else [("CK17", "match-points-printed")])


@pytest.mark.parametrize(
    ("inside", "finding"),
    [
        ('<m round="1" no1="1" no2="7" />', ("CK43", "record-unreadable")),
        ('<m round="x" no1="1" no2="2" />', ("CK43", "record-unreadable")),
        ('<m round="1" no1="1" no2="1" />', ("CK43", "record-unreadable")),
        ('<team no="1" teamname="C" />', ("CK09", "team-number")),
        ('<player no="9" lastname="Late" teamno="8" />', ("CK07", "team-unknown")),
    ],
)
def test_malformed_teams_are_told_with_their_line(inside: str, finding: tuple[str, str]) -> None:
    event = team_upload(inside)
    found = [f for f in event.faults if (f.code, f.reason) == finding]
    assert [f.line for f in found] == [6]
    for language in ("zh", "en"):
        assert "{" not in found[0].message(language)


def test_a_match_without_boards_keeps_its_printed_points() -> None:
    event = team_upload(
        '<m round="2" no1="1" no2="2" res1="2" res2="0" /><m round="3" no1="1" no2="-2" res1="0" res2="0" />'
    )
    rows = event.matches[event.matches["round"] > 1]
    assert list(rows["kind"]) == ["played", "zero_bye"]
    assert list(rows["first_match_points"]) == [2, 0]


def test_a_tie_break_of_teams_without_parameters_is_named_and_those_before_it_are_used() -> None:
    event = team_upload(tb1no="13", tb2no="84")
    assert event.tie_breaks == ("MP", "84")
    reasons = [f.reason for f in compare(event).findings]
    assert "tie-break-not-known" in reasons
    assert "standings-not-checked" not in reasons


@pytest.mark.parametrize(
    "text", ["<chessresults><player lastname='A'", "<a><b whiteno='1' blackno='2'/></a>"]
)
def test_what_is_no_upload_is_an_error_of_one_line(text: str) -> None:
    with pytest.raises(ReadError, match=r"upload\.xml"):
        events_from((Source("upload.xml", text.encode()),), "upload")
