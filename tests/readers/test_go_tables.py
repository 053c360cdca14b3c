"""Tables of go tournaments: H9, TOU, pages; what they print, what follows from it, and which rules they belong to."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from go_made import Made, made

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.audit.explain import rating_steps, sum_of
from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.errors import EventError, ReadError
from qiyi_analysis.model.event import Event, Kind
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.rating import rate
from qiyi_analysis.readers.door import events_in_bytes, read_event, read_list
from qiyi_analysis.readers.writers.h9_writer import write_h9
from qiyi_analysis.rules.choice import choose
from qiyi_analysis.tiebreaks.ranking import standings

HEAD = """; CL[{}]
; EV[Test Cup]
; PC[,Ort]
; DT[2023-10-26,2023-10-28]
; HA[h1]
; KM[7.5]
; TM[82]
; CM[]
;
; Pl Name                            Rk Co Club  MMS  SOSSOSOS
"""
FOUR = """   1 Alder Anna                      3D {0} 75Xx   34   65  129    2+/w0    3+/w1
   2 Birch Ben                       3D {0} 92Xx   33   66  123    1-/b0    4+/w4
   3 Cedar Cem                       1D {0} 49Xx   31   63  123    4+/w2    1-/b1
   4 Dorn Dan                        2K {0} 75Xx   28   58  129    3-/b2    2-/b4
"""


def table(text: str, name: str = "t.h9") -> Event:
    (event,) = events_in_bytes(text.encode("iso-8859-15"), name)
    return event


def reasons(event: Event) -> list[str]:
    return [one.reason for one in event.faults]


def test_the_same_from_the_tables_of_the_program(shared: Path) -> None:
    folder, compared, places = shared / "data" / "opengotha", 0, 0
    for file in sorted((folder / "h9").glob("*.h9")):
        event, whole = read_event(file), read_event(folder / "xml" / f"{file.stem}.xml")
        games = whole.games
        played = set(games.loc[games["second"] != 0, ["first", "second"]].to_numpy().ravel()) | set(
            games.loc[games["kind"] == Kind.PAB, "first"]
        )
        playing = {
            _key(name)
            for n, name in zip(whole.players["number"], whole.players["name"], strict=True)
            if n in played
        }
        rows = csv.DictReader((folder / "expected" / f"{file.stem}.csv").open(encoding="utf-8"))
        rows = [row for row in rows if _key(row["key"]) in playing]
        found = standings(event)
        on = "M" if event.format == "mcmahon" else "W"
        for i, row in enumerate(rows):
            for code, column in zip(found.codes, found.columns, strict=True):
                stem, dash, cut = code.text.partition("-")
                name = f"{stem}{on if stem in ('SOS', 'SOSOS', 'SODOS', 'CUSS') else ''}{dash}{cut}"
                if name in row:
                    assert Fraction(str(column.value(i))) == Fraction(row[name]), (
                        file.name,
                        row["key"],
                        name,
                    )
                    compared += 1
            assert found.ranks[i] == event.players["rank"].iloc[i], (file.name, row["key"])
            places += 1
    assert (places, compared) == (1147, 3248)


def _key(text: str) -> str:
    from qiyi_analysis.readers.go.opengotha import _key

    return _key(text)


@pytest.mark.parametrize(("given", "change"), [("A", 10.432), ("B", 7.824), ("C", 5.216), ("D", 2.608)])
def test_the_class_of_the_head_counts(given: str, change: float) -> None:
    event = table(HEAD.format(given) + FOUR.format("FR"))
    found = rate(event, choose(event).for_rating("t.h9"))
    assert float(found.players["change"].iloc[0]) == pytest.approx(change, abs=5e-4)


def test_start_scores_follow_from_the_printed_ones() -> None:
    event = table(HEAD.format("A") + FOUR.format("FR"))
    assert event.players["start_score"].tolist() == [32, 32, 30, 28]
    found = standings(event)
    assert [code.text for code in found.codes] == ["MMS", "SOS", "SOSOS"]
    assert [int(v) for v in found.column("SOS").values()] == [65, 66, 63, 58]
    assert "start-scores-derived" in reasons(event)


def test_a_score_no_start_gives_is_named() -> None:
    event = table(HEAD.format("A") + FOUR.format("FR").replace("   33   66", "  33?   66"))
    assert [(one.player, one.published) for one in event.faults if one.reason == "start-score-fraction"] == [
        (2, "33.5")
    ]


def test_blank_places_run_together_heads_and_cells_by_default() -> None:
    head = HEAD.format("A").replace("MMS  SOSSOSOS", "NBW  EXTRatin")
    lines = """   1 Alder Anna                      3D FR 75Xx    1    3 2310 0    2+!w0    0=
     Birch Ben                       3D FR 92Xx    1    1 2290 0    1-!b0    3+/w0
   3 Cedar Cem                      10K XX xxxx   0?    3  510 0    0=       2-/b0
"""
    event = table(head + lines)
    assert event.tie_breaks == ("NBW", "EXT", "RATING")
    assert event.players["rank"].tolist() == [1, 1, 3]
    assert event.players["rating"].tolist() == [2310, 2290, 510]
    assert event.players["tb1"].tolist() == [1, 1, 0.5]
    assert event.players["federation"].tolist() == ["FR", "FR", ""]
    assert sorted(event.games["kind"]) == ["forfeit", "half_bye", "half_bye", "played"]
    assert event.format == "swiss"


def test_handicaps_of_the_head_where_no_cell_prints_any() -> None:
    lines = """   1 Alder Anna                      3D FR 75Xx   33   28   32 0       2+
   2 Dorn Dan                        2K FR 75Xx   28   32   28 0       1-
"""
    event = table(HEAD.format("A") + lines)
    assert event.games[["first", "second", "handicap"]].to_numpy().tolist() == [[2, 1, 3]]
    assert "handicap-by-ranks" in reasons(event)


def test_a_table_of_the_french_federation() -> None:
    text = """;name=cup
;date=26/10/2023
;vill=Lyon
;comm=Coupe de Lyon
;komi=7.5
;Num Nom Prenom               Niv Licence Club
   1 Alder Anna                3D 1234567 75Xx    2+w0
   2 Birch_De_La Ben          10K 7654321 92Xx    1-b0
"""
    event = table(text, "t.tou")
    assert (event.name, event.place, str(event.start)) == ("Coupe de Lyon", "Lyon", "2023-10-26")
    assert event.players["name"].tolist() == ["Alder Anna", "Birch De La Ben"]
    assert event.players["title"].tolist() == ["3D", "10K"]
    assert event.players["id"].tolist() == ["1234567", "7654321"]
    assert event.games[["first", "second", "first_result"]].to_numpy().tolist() == [[2, 1, "0"]]


def test_small_tables_are_recognised() -> None:
    for count in (2, 3, 4):
        lines = FOUR.format("FR").splitlines()[:count]
        assert len(table(HEAD.format("A") + "\n".join(lines) + "\n").players) >= count


@pytest.mark.parametrize(
    ("country", "title", "head", "rules", "told"),
    [
        ("FR", "3D", "A", "egf/rating", "countries"),
        ("US", "3D", "A", "aga/rating", "countries"),
        ("XX", "3D", "B", "egf/rating", "classes"),
        ("CN", "9P", "A", "cwa/rating", "countries"),
        ("CN", "3D", "A", "egf/rating", "classes"),
        ("XX", "3D", "", "", ""),
    ],
)
def test_which_rules(country: str, title: str, head: str, rules: str, told: str) -> None:
    text = HEAD.format(head).replace("; HA[h1]\n", "") + FOUR.format(country).replace("3D", title)
    text = text.replace("1D", title).replace("2K", title)
    found = choose(table(text))
    rating = found.of_kind("rating")
    assert (rating.document if rating else "") == rules
    (finding,) = [one for one in found.findings if one.reason in ("rules-by-evidence", "rules-undecided")]
    assert (finding.severity == "W") == (not rules)


def test_ids_origins_and_place_decide_where_countries_do_not() -> None:
    one = made(2)
    text = one.xml().replace('country="FR"', 'country=""')

    def rules(changed: str) -> str:
        (event,) = events_in_bytes(changed.encode(), "m.xml")
        found = choose(event).of_kind("rating")
        return found.document if found else ""

    assert rules(text) == "egf/rating"  # by the pins
    without = text.replace("egfPin=", "noPin=")
    assert rules(without) == "egf/rating"  # by the origin of the ratings
    american = without.replace('ratingOrigin="EGF"', 'ratingOrigin="AGA : -5.97"')
    assert rules(american) == "aga/rating"
    nothing = without.replace('ratingOrigin="EGF"', 'ratingOrigin="INI"')
    assert rules(nothing) == ""
    assert rules(nothing.replace('name="Made"', 'name="Made" location="Lyon, FR"')) == "egf/rating"


def test_american_ratings_are_in_stones_whatever_the_scale_of_the_file() -> None:
    text = (
        made(2)
        .xml()
        .replace('country="FR"', 'country="US"')
        .replace('ratingOrigin="EGF"', 'ratingOrigin="AGA : -5.97"')
    )
    (event,) = events_in_bytes(text.encode(), "m.xml")
    assert set(event.players["rating"]) == {-5.97}
    european = rate(event, choose(event, ["egf/rating"]).for_rating("m.xml"))
    assert european.players["rating"].min() > -901
    assert european.players["rating"].max() > 100


STANDINGS = """<html><head><title>Made Cup</title></head><body><h1 align="center">Made Cup</h1>
<table align="center" class="simple">
<th class="left">&nbsp;Num&nbsp;</th>
<th class="left">&nbsp;Pl&nbsp;</th>
<th class="left">&nbsp;Name&nbsp;</th><th class="middle">&nbsp;{}&nbsp;</th><th class="middle">&nbsp;Co&nbsp;</th><th class="middle">&nbsp;Club&nbsp;</th><th class="middle">&nbsp;NbW&nbsp;</th><th class="middle">R&nbsp;1&nbsp;</th><th class="middle">R&nbsp;2&nbsp;</th><th class="middle">MMS</th><th class="middle">SOS</th><th class="right">SOSOS</th>
</tr>
<tr><td align="right">1&nbsp;</td><td align="right">   1&nbsp;</td><td>Alder Anna</td><td>3D</td><td>FR</td><td>75Xx</td><td>2</td><td><b>   2+/w0</b></td><td><b>   3+/w1</b></td><td>34</td><td>65</td><td>129</td></tr>
<tr><td align="right">2&nbsp;</td><td align="right">   2&nbsp;</td><td>Birch Ben</td><td>3D</td><td>FR</td><td>92Xx</td><td>1</td><td>   1-/b0</td><td><b>   4+/w4</b></td><td>33</td><td>66</td><td>123</td></tr>
<tr><td align="right">3&nbsp;</td><td align="right">   3&nbsp;</td><td>Cedar Cem</td><td>1D</td><td>FR</td><td>49Xx</td><td>1</td><td><b>   4+/w2</b></td><td>   1-/b1</td><td>31</td><td>63</td><td>123</td></tr>
<tr><td align="right">4&nbsp;</td><td align="right">   4&nbsp;</td><td>Dorn Dan</td><td>2K</td><td>FR</td><td>75Xx</td><td>0</td><td>   3-/b2</td><td>   2-/b4</td><td>28</td><td>58</td><td>129</td></tr>
</table><h4 align=center>OpenGotha 3.51<br>26-10-2023 12:00</h4>
</body></html>"""  # fmt: skip


@pytest.mark.parametrize("head", ["Rank", "Grade"])
def test_a_page_of_standings_is_a_go_event(head: str) -> None:
    (event,) = events_in_bytes(STANDINGS.format(head).encode(), "page.html")
    assert (event.discipline, event.format, event.name, event.rounds) == ("go", "mcmahon", "Made Cup", 2)
    assert event.tie_breaks == ("MMS", "SOS", "SOSOS")
    assert event.games["handicap"].tolist() == [0, 2, 1, 4]
    found = standings(event)
    for column, code in event.tie_break_columns.items():
        assert [float(v) for v in found.column(code).values()] == event.players[column].tolist()


def test_a_page_of_rating_changes_keeps_what_it_prints() -> None:
    text = """<table><tr><th>Pl</th><th>Name</th><th>Co</th><th>Club</th><th>Gr</th><th>GoR before</th><th>GoR after</th><th>Change</th><th>Rd 1</th></tr>
<tr><td>1</td><td>Alder Anna</td><td>FR</td><td>Xx</td><td>3d</td><td>2300</td><td>2306.565</td><td>6.565</td><td>2+/w0</td></tr>
<tr><td>2</td><td>Birch Ben</td><td>FR</td><td>Xx</td><td>3d</td><td>2300</td><td>2293.712</td><td>-6.288</td><td>1-/b0</td></tr></table>"""
    (event,) = events_in_bytes(text.encode(), "page.html")
    assert event.players[["rating", "change", "new_rating"]].to_numpy().tolist() == [
        [2300, 6.565, 2306.565],
        [2300, -6.288, 2293.712],
    ]


def test_a_list_of_games_is_a_round() -> None:
    rows = [("1", "Alder Anna(3D,75Xx)", "Birch Ben(1D,92Xx)", "2", "1-0"), ("2", "Cedar Cem(1D,49Xx)", "Dorn Dan(2K,75Xx)", "0", "0-1!"),
            ("3", "Elm Eva(5K)", "Fir Finn(5K)", "0", "½-½"), ("4", "Gorse Gil(5K)", "Holly Hal(5K)", "0", "   -   ")]  # fmt: skip
    body = "".join("<tr>" + "".join(f"<td>{cell}&nbsp;</td>" for cell in row) + "</tr>" for row in rows)
    heads = "".join(f"<th>&nbsp;{head}&nbsp;</th>" for head in ("Tble", "White", "Black", "Hd", "Res"))
    text = f"<html><body><h1>Cup</h1><h1>Games list. Round 3</h1><table>{heads}{body}</table></body></html>"
    (event,) = events_in_bytes(text.encode(), "games.html")
    assert event.discipline == "go"
    assert event.games["round"].tolist() == [3] * 4
    assert event.games[["first_result", "second_result", "kind", "handicap"]].to_numpy().tolist() == [
        ["0", "1", "played", 2], ["1", "0", "forfeit", 0], ["=", "=", "played", 0], ["", "", "unplayed", 0]
    ]  # fmt: skip
    assert event.players["title"].tolist()[:2] == ["3D", "1D"]


@pytest.mark.parametrize("encoding", ["iso-8859-15", "utf-8"])
def test_a_written_table_is_read_back(encoding: str) -> None:
    for seed in range(25):
        one = made(seed)
        one.criteria = ("MMS", "SOSM", "SOSOSM") if seed % 2 else ("NBW", "SOSW", "SOSOSW", "EXT")
        (event,) = events_in_bytes(one.xml().encode(), "m.xml")
        data, losses = write_h9(event, encoding)
        assert losses == ("class of the event (not known)",)
        (again,) = events_in_bytes(data, "m.h9")
        own, other = standings(event), standings(again)
        rows = own.order.tolist()
        assert [int(own.ranks[row]) for row in rows] == other.ranks.tolist(), seed
        for mine, theirs in zip(own.columns, other.columns, strict=True):
            assert [mine.value(row) for row in rows] == [theirs.value(i) for i in range(len(rows))], seed


def test_what_a_table_cannot_hold_is_refused() -> None:
    (event,) = events_in_bytes(made(1).xml().encode(), "m.xml")

    def refused(changed: Event, encoding: str = "utf-8") -> str:
        with pytest.raises(ReadError) as error:
            write_h9(changed, encoding)
        return error.value.reason

    names = event.players["name"].tolist()
    assert refused(event.with_players(name=["棋手", *names[1:]]), "iso-8859-15") == "h9-character"
    assert refused(event.with_players(title=["", *event.players["title"][1:]])) == "h9-grade"
    games = event.games.assign(handicap=13.0)
    assert refused(event.with_games(games)) == "h9-stones"
    import dataclasses

    settings = {**event.extra["mcmahon"], "absence_points": "2", "bye_points": "2"}
    assert refused(dataclasses.replace(event, extra={**event.extra, "mcmahon": settings})) == "h9-free-round"
    assert refused(dataclasses.replace(event, discipline="chess")) == "h9-only-go"


def test_the_class_follows_from_the_thinking_times() -> None:
    def given(**times: str) -> str:
        one = made(1)
        one.parameters |= times
        (event,) = events_in_bytes(one.xml().encode(), "m.xml")
        return str(event.extra["class"])

    byo = {"complementaryTimeSystem": "STDBYOYOMI", "stdByoYomiTime": "30"}
    assert given(basicTime="60", **byo) == "A"
    assert given(basicTime="45", **byo) == "B"
    assert given(basicTime="30", **byo) == "C"
    assert given(basicTime="20", **byo) == "X"
    assert given(basicTime="60", bInternet="true", **byo) == "D"
    assert given(basicTime="60", complementaryTimeSystem="SUDDENDEATH") == "B"
    assert given(basicTime="45", complementaryTimeSystem="FISCHER", fischerTime="15") == "A"
    assert (
        given(basicTime="60", complementaryTimeSystem="CANBYOYOMI", canByoYomiTime="300", nbMovesCanTime="20")
        == "A"
    )


def test_ratings_beyond_the_formula_are_named() -> None:
    event = table(HEAD.format("A") + FOUR.format("FR"))
    found = rate(event.with_players(rating=[3290.0, 2300, 2100, 1900]), choose(event).for_rating("t.h9"))
    assert not [one for one in found.findings if one.reason == "rating-beyond-formula"]
    stones = event.games.assign(handicap=9.0)
    strong = event.with_games(stones).with_players(rating=[3250.0, 3100, 2900, 1900])
    found = rate(strong, choose(event).for_rating("t.h9"))
    (finding,) = [one for one in found.findings if one.reason == "rating-beyond-formula"]
    assert (finding.severity, finding.values["top"]) == ("W", 3300)
    assert finding.values["count"] == 2


def test_a_list_goes_before_the_ratings_of_the_grades() -> None:
    event = table(HEAD.format("A") + FOUR.format("FR"))
    listed = make_list(
        [{"id": "10000001", "name": "Alder Anna", "rating": 2317.0}, {"id": "10000002", "name": "Cedar Cem"}]
    )
    found = rate(event, choose(event).for_rating("t.h9"), [listed]).players
    assert found["rating"].tolist() == [2317, 2300, 2100, 1900]


@pytest.mark.parametrize(
    ("text", "ratings"),
    [
        ("#Echelle des membres FFG au 01/05/2024\nDupont Jean                 250 L 1234567 75Xx FR\nMartin Anne        -850 L 7654321 92Xx FR\n", [250, -850]),
        (" 10000001  Alder Anna             FR  75Xx   3d  0 2310  12 T240401A\n 10000002  Birch Ben              FR  92Xx   1d  0 2120   9 T240401A\n", [2310, 2120]),
        ("Adams, Ann\t12345\tFull\t-5.97\t4/1/2025\tNYGC\tNY\t0.5\t3/1/2024\nBaker, Bob\t12346\tFull\t3.41\t4/1/2025\tNYGC\tNY\t0.4\t2/1/2024\n", [-5.97, 3.41]),
        ("id,name,rating\n1,Shin A,10393\n2,Park B,9164\n3,Choi C,9700\n", [10393, 9164, 9700]),
    ],
)  # fmt: skip
def test_lists_of_go_federations(tmp_path: Path, text: str, ratings: list[float]) -> None:
    place = tmp_path / "list.txt"
    place.write_text(text, encoding="utf-8")
    assert read_list(place).rows["rating"].tolist() == ratings


@pytest.mark.parametrize("given", ["A", "B", "C", "D"])
def test_the_working_of_a_european_change_is_a_true_sum_in_three_decimals(given: str) -> None:
    event = table(HEAD.format(given) + FOUR.format("FR"))
    for player in (1, 2, 3, 4):
        _, steps = rating_steps(event, choose(event).for_rating("t.h9"), player, language="en")
        (change,) = [step for step in steps if step.what.startswith("change")]
        assert abs(sum_of(change.how) - Decimal(change.value)) < Decimal("0.05"), change
        assert not [step for step in steps if re.search(r"\.\d{4}", f"{step.value} {step.how}")]


def test_printed_values_and_ranks_are_compared(shared: Path) -> None:
    rows = [
        compare(read_event(file)).rows for file in sorted((shared / "data" / "opengotha" / "h9").glob("*.h9"))
    ]
    assert sum(len(one) for one in rows) == 4917
    assert all(one["agrees"].all() for one in rows)


def test_a_wrong_printed_value_and_rank_is_a_difference() -> None:
    text = HEAD.format("A") + FOUR.format("FR")
    assert compare(table(text)).rows["agrees"].all()
    wrong = compare(table(text.replace("34   65  129", "34   64  129"))).rows
    assert wrong.loc[~wrong["agrees"], ["number", "field"]].to_numpy().tolist() == [[1, "tb2"]]


def test_ranks_of_a_mcmahon_event_go_by_its_score(tmp_path: Path) -> None:
    players = [
        "no,name,title,rating,start_score",
        "1,A,3d,2300,32",
        "2,B,3d,2290,32",
        "3,C,1d,2100,30",
        "4,D,1d,2090,30",
    ]
    games = ["round,board,white,black,white_score,black_score,kind", "1,1,1,2,1,0,played", "1,2,3,4,1,0,played",
             "2,1,1,3,1,0,played", "2,2,2,4,0,1,played"]  # fmt: skip
    for name, rows in (
        ("players", players),
        ("games", games),
        ("official", ["no,rank", "1,1", "2,2", "3,3", "4,4"]),
    ):
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "meta.json").write_text(
        '{"game": "go", "format": "mcmahon", "rounds": 2, "start": "2024-05-01"}', encoding="utf-8"
    )
    assert compare(read_event(tmp_path)).rows["agrees"].all()


TEAMS = """<Tournament dataVersion="201"><Players>{players}</Players><Games>{games}</Games>
<TournamentParameterSet><GeneralParameterSet name="Cup" numberOfRounds="2" beginDate="2024-05-01" endDate="2024-05-01"/></TournamentParameterSet>
<Teams>{teams}</Teams><TeamTournamentParameterSet><TeamGeneralParameterSet teamSize="2"/><TeamPlacementParameterSet><PlacementCriteria>
<PlacementCriterion name="TEAMP" number="1"/><PlacementCriterion name="BDW" number="2"/><PlacementCriterion name="BDW1U" number="3"/>
<PlacementCriterion name="MNR" number="4"/><PlacementCriterion name="NULL" number="5"/></PlacementCriteria></TeamPlacementParameterSet>
</TeamTournamentParameterSet></Tournament>"""  # fmt: skip


def test_teams_and_their_own_criteria() -> None:
    players = "".join(
        f'<Player name="P{i}" firstName="A" rank="1D" rating="{2000 + i}" ratingOrigin="EGF" country="FR" registeringStatus="FIN"/>'
        for i in range(8)
    )
    # Teams of two: A 0 1, B 2 3, C 4 5 and D 6 7 in round 1; in round 2 the boards of A are exchanged.
    seats = {"A": [(0, 1), (1, 0)], "B": [(2, 3)] * 2, "C": [(4, 5)] * 2, "D": [(6, 7)] * 2}
    teams = "".join(
        f'<Team teamName="{name}" teamNumber="{n}">'
        + "".join(
            f'<Board roundNumber="{r}" boardNumber="{b}" player="P{player}A"/>'
            for r, row in enumerate(rows, 1)
            for b, player in enumerate(row, 1)
        )
        + "</Team>"
        for n, (name, rows) in enumerate(seats.items(), 1)
    )
    played = [(1, 0, 2, "WHITEWINS"), (1, 3, 1, "WHITEWINS"), (1, 4, 6, "WHITEWINS"), (1, 7, 5, "BLACKWINS"),
              (2, 1, 4, "WHITEWINS"), (2, 5, 0, "EQUAL"), (2, 2, 6, "BOTHLOSE"), (2, 3, 7, "WHITEWINS")]  # fmt: skip
    games = "".join(
        f'<Game roundNumber="{r}" tableNumber="{t}" whitePlayer="P{w}A" blackPlayer="P{b}A" handicap="0" knownColor="true" result="RESULT_{word}"/>'
        for t, (r, w, b, word) in enumerate(played, 1)
    )
    (event,) = events_in_bytes(TEAMS.format(players=players, games=games, teams=teams).encode(), "teams.xml")
    assert len(event.teams) == 4
    assert audit(event, ["egf/rating"]).event is event
    with pytest.raises(EventError, match="a criterion for players"):
        standings(event, ["MMS"], of="teams")
    for code in ("SOSM", "EXT", "Rank", "Rating", "CAT", "NBW"):
        with pytest.raises(EventError, match=f"{code} is a criterion for players"):
            standings(event, [code], of="teams")
    found = standings(event, of="teams")
    assert [code.text for code in found.codes] == ["TEAMP", "BDW", "BDW1U", "MNR"]
    # A: 1-1 is a draw, 1.5-0.5 a win. B: 1-1, then 1-0: a draw, as one is no more than half of the boards.
    shown = {
        name: [found.column(code.text).texts()[i] for code in found.codes]
        for i, name in enumerate(found.grid.names)
    }
    assert shown["A"] == ["3.0", "2.5", "2.0", "2000.500"]
    assert shown["B"][:3] == ["2.0", "2.0", "0.0"]
    assert shown["C"][:3] == ["2.0", "2.5", "1.0"]
    assert shown["D"][:3] == ["0.0", "0.0", "0.0"]
    assert [code.text for code in standings(event).codes][:1] != ["TEAMP"]


def test_both_win_and_a_second_meeting_are_questions() -> None:
    """Pairing programs of go know the one and do not forbid the other: nothing has to be returned."""
    one = Made(
        ranks=[30] * 4, corrections=[0] * 4, rounds=2, games=[{(0, 1): ("BOTHWIN", 0), (2, 3): ("EQUAL", 0)}, {(0, 1): ("WHITEWINS", 0), (2, 3): ("EQUAL", 0)}],
        away=[set()] * 2, bye=[None] * 2, parameters={},
    )  # fmt: skip
    (event,) = events_in_bytes(one.xml().encode(), "two.xml")
    found = audit(event, ["egf/rating"]).findings
    assert [(f.code, str(f.severity)) for f in found if f.reason == "both-win"] == [("CK20", "W")]
    assert {str(f.severity) for f in found if f.reason in ("pair-again", "pairs-repeated")} <= {"W"}
    assert not [f for f in found if str(f.severity) == "E"]
