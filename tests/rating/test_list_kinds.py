"""Lists that print standard, rapid and blitz ratings side by side: which one a rule document takes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from qiyi_analysis import audit, rate, read_event, read_list, ruleset
from qiyi_analysis.app.cli.rate import command as rate_command
from qiyi_analysis.lists.publication import publication
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.rating_kinds import list_for
from qiyi_analysis.readers.lists.list_door import list_from
from qiyi_analysis.readers.source import Source

RAPID, STANDARD, BLITZ = (ruleset(f"fide/rating-{kind}/{day}") for kind, day in (
    ("rapid", "2024-03-01"), ("standard", "2024-03-01"), ("blitz", "2024-03-01"),
))  # fmt: skip

#: Player 3 has no rapid rating, player 4 none at all.
COMBINED = """id,name,fed,rating,games,k,rapid_rating,rapid_games,rapid_k,blitz_rating,blitz_k,list_date
11,"Ahrens, Ada",GER,2100,4,20,1800,2,20,1950,20,2024-05-01
12,"Boll, Bea",GER,1700,0,40,1900,0,40,0,,2024-05-01
13,"Cord, Cy",GER,1850,3,20,,0,,1600,20,2024-05-01
14,"Dorn, Di",GER,0,0,,0,0,,,,2024-05-01
"""
TRF = """012 Rapid Sample
042 2024/05/11
052 2024/05/11
122 15 min + 10 s
001    1 w    Ahrens, Ada                            GER          11             2.5    1     2 w 1     3 b 1     4 w =
001    2 w    Boll, Bea                              GER          12             1.5    2     1 b 0     4 w =     3 w 1
001    3 m    Cord, Cy                               GER          13             0.5    4     4 b =     1 w 0     2 b 0
001    4 w    Dorn, Di                               GER          14             1.5    3     3 w =     2 b =     1 b =
"""


def event_file(folder: Path) -> Path:
    path = folder / "rapid.trf"
    path.write_text(TRF, encoding="utf-8")
    return path


def list_file(folder: Path, text: str = COMBINED, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def ratings(one: RatingList) -> list[float]:
    return one.rows["rating"].fillna(0).tolist()


@pytest.mark.parametrize(
    ("variant", "expected", "k"),
    [
        ("standard", [2100, 1700, 1850, 0], [20, 40, 20, 0]),
        ("rapid", [1800, 1900, 0, 0], [20, 40, 0, 0]),
        ("blitz", [1950, 0, 1600, 0], [20, 0, 20, 0]),
    ],
)
def test_the_variant_of_a_table(tmp_path: Path, variant: str, expected: list[float], k: list[float]) -> None:
    one = read_list(list_file(tmp_path), variant=variant)
    assert ratings(one) == expected
    assert one.rows["k"].fillna(0).tolist() == k
    assert sorted(one.kinds) == ["blitz", "rapid", "standard"]


def test_the_standard_rating_is_the_default_and_another_word_is_refused(tmp_path: Path) -> None:
    path = list_file(tmp_path)
    assert ratings(read_list(path)) == ratings(read_list(path, variant="standard"))
    with pytest.raises(ParameterError, match="bullet"):
        read_list(path, variant="bullet")


@pytest.mark.parametrize("name", ["fide-list.txt", "fide-list.xml"])
def test_the_variants_of_fides_combined_lists(project: Path, name: str) -> None:
    path = project / "data/samples" / name
    assert ratings(read_list(path))[0] == 2640
    rapid = read_list(path, variant="rapid")
    assert (ratings(rapid)[0], rapid.rows["k"][0], rapid.document) == (2580, 20, "fide/rating-rapid")
    assert read_list(path).document == "fide/rating-standard"
    if name.endswith("txt"):
        assert ratings(rapid) == [2580, 0, 1501, 1900]  # the last line is pushed aside by a long title
        assert ratings(read_list(path, variant="blitz")) == [2600, 0, 0, 0]


@pytest.mark.parametrize(
    "heads",
    [
        "ID,Name,SRtng,SGm,SK,RRtng,RGm,RK",
        "ID,Name,Standard Rating,Standard Games,Standard K,Rapid Rating,Rapid Games,Rapid K",
        "ID,Name,standard_rating,standard_games,standard_k,rapid_rating,rapid_games,rapid_k",
        "注册号,姓名,慢棋等级分,慢棋局数,慢棋K,快棋等级分,快棋局数,快棋K",
        "註冊號,姓名,慢棋等級分,慢棋局數,慢棋K,快棋等級分,快棋局數,快棋K",
    ],
)
def test_heads_of_the_variants(heads: str) -> None:
    source = Source("list.csv", f"{heads}\n7,Ann,2000,3,20,1900,1,40\n8,Bo,0,0,,1500,,\n".encode())
    for variant, expected in (("standard", [2000, 0]), ("rapid", [1900, 1500])):
        one = list_from((source,), "list", variant=variant)
        assert ratings(one) == expected
        assert one.rows["k"][0] == {"standard": 20, "rapid": 40}[variant]


def test_the_head_rk_is_a_rank_where_no_rapid_rating_is() -> None:
    one = list_from((Source("list.csv", b"Rk,Name,Rating,K\n1,Ann,2000,20\n"),), "list")
    assert (one.rows["rank"][0], one.rows["k"][0], dict(one.kinds)) == (1, 20, {})


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("rapid_may24frl.txt", "fide/rating-rapid"), ("blitz_may24frl.txt", "fide/rating-blitz"),
        ("standard_may24frl.txt", "fide/rating-standard"), ("x.txt", "fide/rating"),
    ],
)  # fmt: skip
def test_a_single_list_is_of_the_kind_its_name_tells(name: str, document: str) -> None:
    text = (
        "ID Number      Name                Fed Sex Tit  WTit OTit           FOA MAY24 Gms K  B-day Flag\n"
        "11             Ahrens, Ada         GER F                                1800  2   20 1990      \n"
    )
    one = list_from((Source(name, text.encode()),), name.partition(".")[0])
    assert (one.document, ratings(one), one.rows["k"][0], str(one.day)) == (
        document,
        [1800],
        20,
        "2024-05-01",
    )


def test_an_event_by_rapid_rules_takes_the_rapid_ratings_of_a_combined_list(tmp_path: Path) -> None:
    event, combined = read_event(event_file(tmp_path)), read_list(list_file(tmp_path))
    rapid = rate(event, RAPID, [combined]).players.set_index("number")
    # Player 3 counts with the standard rating 1850, player 4 is unrated in everything.
    assert rapid["rating"].tolist()[:3] == [1800, 1900, 1850]
    assert rapid["k"].tolist()[:2] == [20, 40]
    assert rapid["games"].tolist()[:3] == [2, 2, 2]
    # 1800 - 1900: 0.36, 1800 - 1850: 0.43; 20 (2 - 0.79) = 24.2
    assert float(rapid.loc[1, "change"]) == 24.2
    standard = rate(event, STANDARD, [combined]).players.set_index("number")
    assert standard["rating"].tolist()[:3] == [2100, 1700, 1850]
    assert rate(event, BLITZ, [combined]).players["rating"].tolist()[:3] == [1950, 1700, 1600]


@pytest.mark.parametrize(("printed", "asked"), [("1850", False), ("1860", True)])
def test_a_rating_that_is_not_that_of_another_kind_is_asked_about(
    tmp_path: Path, printed: str, asked: bool
) -> None:
    """Player 3 has no rapid rating; the standard one may be printed in its place, nothing else."""
    event = event_file(tmp_path)
    text = TRF.replace(f"{'Cord, Cy':<38}", f"{'Cord, Cy':<34}{printed}")
    assert text != TRF
    event.write_text(text, encoding="utf-8")
    found = audit(read_event(event), ["fide/rating-rapid"], [read_list(list_file(tmp_path))]).findings
    assert [f.player for f in found if f.reason == "unrated-on-list"] == ([3] if asked else [])


def test_the_command_and_the_audit_take_the_list_of_the_rules_in_use(tmp_path: Path) -> None:
    event, combined = event_file(tmp_path), list_file(tmp_path)
    rules = ["--rules", "fide/rating-rapid", "--rules", "fide/tie-breaks"]
    answer = json.loads(
        CliRunner().invoke(rate_command, [str(event), *rules, "--list", str(combined), "--json"]).stdout
    )
    assert [player["rating"] for player in answer["players"]][:3] == [1800, 1900, 1850]
    text = TRF.replace(f"{'Ahrens, Ada':<38}", f"{'Ahrens, Ada':<34}2100")
    assert text != TRF
    event.write_text(text, encoding="utf-8")
    found = audit(read_event(event), ["fide/rating-rapid", "fide/tie-breaks"], [read_list(combined)])
    told = [
        (f.player, f.published, f.recomputed)
        for f in found.findings
        if f.reason == "differs-from-list" and f.field == "rating"
    ]
    assert told == [(1, "2100", "1800")]
    by_standard = audit(read_event(event), ["fide/rating-standard"], [read_list(combined)])
    assert not [f for f in by_standard.findings if f.reason == "differs-from-list" and f.field == "rating"]


def test_lists_of_one_kind_each_go_where_they_belong(tmp_path: Path) -> None:
    event = read_event(event_file(tmp_path))
    combined = read_list(list_file(tmp_path))
    only = {kind: list_for(combined, f"fide/rating-{kind}") for kind in ("standard", "rapid")}
    single = [
        RatingList(
            id=kind, federation="FIDE", document=f"fide/rating-{kind}", day=combined.day, rows=one.rows
        )
        for kind, one in only.items()
    ]
    for lists in (single, single[::-1]):
        assert rate(event, RAPID, lists).players["rating"].tolist()[:3] == [1800, 1900, 1850]
        assert rate(event, STANDARD, lists).players["rating"].tolist()[:3] == [2100, 1700, 1850]
    # A standard list alone: its ratings stand in, and a finding says that there was no rapid one.
    alone = rate(event, RAPID, single[:1])
    assert alone.players["rating"].tolist()[:3] == [2100, 1700, 1850]
    assert [f.code for f in alone.findings if f.reason == "list-of-other-kind"] == ["CK44"]
    wrong = rate(event, STANDARD, single[1:])
    assert all(value is None or math.isnan(value) for value in wrong.players["rating"])
    assert [f.code for f in wrong.findings if f.reason == "list-of-other-kind"] == ["CK44"]


def test_a_list_of_another_federation_is_left_as_it_is(tmp_path: Path) -> None:
    one = read_list(list_file(tmp_path, "id,name,rating\n1,Ann,2000\n"))
    assert list_for(one, "fide/rating-rapid") is one
    assert list_for(one, "cxa/rating") is one


# --- which rating is converted and published --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "expected", "found"),
    [
        ((), [2100, 1700, 1850, 0], [("I", "standard taken, rapid, blitz left")]),
        (("--variant", "standard"), [2100, 1700, 1850, 0], []),
        (("--variant", "rapid"), [1800, 1900, 0, 0], []),
        (("--variant", "blitz"), [1950, 0, 1600, 0], []),
    ],
)
def test_convert_takes_the_kind_asked_for_and_says_what_it_took_otherwise(
    qiyi, tmp_path: Path, asked: tuple[str, ...], expected: list[float], found: list[tuple[str, str]]
) -> None:
    out = tmp_path / "out.csv"
    code, printed, _ = qiyi("convert", list_file(tmp_path), out, "--json", *asked)
    assert code == 0
    assert ratings(read_list(out)) == expected
    told = [one for one in json.loads(printed)["findings"] if "taken" in one["message"]]
    assert [
        (one["severity"], one["message"][len("the list has several ratings side by side: ") :][:33])
        for one in told
    ] == found


def test_a_kind_that_the_list_does_not_have_is_asked_about(qiyi, tmp_path: Path) -> None:
    text = (
        "\n".join(",".join(line.split(",")[:-3]) for line in COMBINED.splitlines())
        .replace('"', "")
        .replace(", ", " ")
    )
    source = list_file(tmp_path, text)
    code, _, error = qiyi("convert", source, tmp_path / "out.csv", "--variant", "blitz")
    assert code == 1
    assert "等级分表没有超快棋（blitz）等级分；取慢棋（standard）" in error
    assert qiyi("convert", source, tmp_path / "b.csv", "--variant", "blit")[2].endswith(
        "之一；是不是 blitz？\n"
    )


def test_events_have_no_kind_to_choose(qiyi, tmp_path: Path) -> None:
    code, _, error = qiyi("convert", event_file(tmp_path), tmp_path / "out.xlsx", "--variant", "rapid")
    assert code == 2
    assert "--variant: for rating lists only" in error


def test_publish_takes_the_kind_asked_for(qiyi, tmp_path: Path) -> None:
    source = list_file(tmp_path)
    pages = {}
    for asked in ((), ("--variant", "rapid")):
        code, out, error = qiyi(
            "publish", source, "--out", tmp_path / f"o{len(asked)}", "--formats", "html", *asked
        )
        assert code == 0
        assert ("取慢棋（standard），另有 快棋（rapid）、超快棋（blitz）" in error) == (not asked)
        pages[asked] = Path(out.strip()).read_text(encoding="utf-8")
    assert "慢棋（standard）" in pages[()]
    assert "快棋（rapid）" in pages["--variant", "rapid"]
    assert ("1900" in pages[()], "1900" in pages["--variant", "rapid"]) == (False, True)


# --- a list with one kind, told by its column only -----------------------------------------------------------------------------


def one_kind(folder: Path, kind: str, rating: int = 1800) -> Path:
    rows = "\n".join(f"{id},{name},{rating}" for id, name in ((11, "Ahrens Ada"), (12, "Boll Bea")))
    return list_file(folder, f"id,name,{kind} rating\n{rows}\n", f"{kind[0]}.csv")


def test_the_column_tells_the_kind_of_a_list_that_has_one(tmp_path: Path) -> None:
    event = read_event(event_file(tmp_path))
    rapid, standard = (read_list(one_kind(tmp_path, kind)) for kind in ("rapid", "standard"))
    assert ratings(rapid) == ratings(standard) == [1800, 1800]
    wrong = rate(event, STANDARD, [rapid])
    assert all(value is None or math.isnan(value) for value in wrong.players["rating"])
    assert [f.code for f in wrong.findings if f.reason == "list-of-other-kind"] == ["CK44"]
    assert rate(event, RAPID, [rapid]).players["rating"].tolist()[:2] == [1800, 1800]
    alone = rate(event, RAPID, [standard])
    assert alone.players["rating"].tolist()[:2] == [1800, 1800]
    assert [f.code for f in alone.findings if f.reason == "list-of-other-kind"] == ["CK44"]


@pytest.mark.parametrize(
    ("asked", "code"), [((), 0), (("--variant", "rapid"), 0), (("--variant", "blitz"), 1)]
)
def test_nothing_is_said_of_the_only_kind_unless_another_was_asked_for(
    qiyi, tmp_path: Path, asked: tuple[str, ...], code: int
) -> None:
    source = one_kind(tmp_path, "rapid")
    found, _, error = qiyi("convert", source, tmp_path / "out.csv", *asked)
    assert (found, "CK49" in error) == (code, bool(code))


def test_a_published_list_is_compared_with_lists_of_its_kind_only(qiyi, tmp_path: Path) -> None:
    current = list_file(tmp_path)
    standard, rapid = one_kind(tmp_path, "standard", 2000), one_kind(tmp_path, "rapid", 1700)
    for variant, changes in (("standard", [100, -300]), ("rapid", [100, 200])):
        rows = publication(current, [standard, rapid], variant=variant).rows.set_index("id")
        assert rows["change"].loc[["11", "12"]].tolist() == changes
    assert publication(current, [rapid]).earlier == ()
    arguments = ("publish", current, "--variant", "standard", "--formats", "html", "--out", tmp_path / "o")
    code, _, error = qiyi(*arguments, "--previous", rapid, "--language", "en")
    assert code == 1
    assert "list r has no rating of the kind list goes by" in error


def test_a_previous_list_of_another_kind_is_told(qiyi, tmp_path: Path) -> None:
    """Findings about the list itself are printed; only those that stand in the table of differences are not."""
    (tmp_path / "events").mkdir()
    arguments = (
        "list",
        "--rules",
        "fide/rating-rapid",
        "--events",
        tmp_path / "events",
        "--period",
        "2024-05",
    )
    previous = one_kind(tmp_path, "standard")
    code, _, error = qiyi(
        *arguments, "--previous", previous, "--out", tmp_path / "o", "--formats", "csv", "--language", "en"
    )
    assert code == 1
    assert "list s has no rating of the kind fide/rating-rapid goes by" in error
    assert "the list has no rating at all" in error


def test_a_converted_list_keeps_the_kind_of_its_ratings(qiyi, tmp_path: Path) -> None:
    """As a column ``rating`` alone the rapid ratings would be taken for standard ones."""
    out = tmp_path / "out.csv"
    for source, asked in ((list_file(tmp_path), ("--variant", "rapid")), (one_kind(tmp_path, "rapid"), ())):
        assert qiyi("convert", source, out, "--force", *asked)[0] == 0
        copy = read_list(out)
        assert (list(copy.kinds), ratings(copy)[0]) == (["rapid"], 1800)
        assert not list_for(copy, "fide/rating-standard").rows["rating"].notna().any()
    assert qiyi("convert", list_file(tmp_path), out, "--force")[0] == 0
    assert out.read_text(encoding="utf-8-sig").splitlines()[0].count("rating,k,games") == 1
