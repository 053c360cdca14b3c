"""Every player between two lists is accounted for, with a name behind each number."""

import numpy as np
import pytest
from lists_generated import federation
from lists_made import a_list, swiss

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.accounting import accounts_of
from qiyi_analysis.lists.identities import Identities, keys, read_identities
from qiyi_analysis.lists.movements import summary
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.writers.list_writer import csv_list, fide_text, fide_xml


def ids(rows):
    return set(rows["id"])


@pytest.mark.parametrize("size", [50, 5000])
@pytest.mark.parametrize("count", [2, 3, 12])
def test_every_number_equals_the_truth(size, count):
    lists, truth = federation(size, count, seed=size + count)
    decided = Identities(same={keys([a])[0]: b for a, b in truth.same})
    a = accounts_of(lists[-2], lists[-1], lists[:-2], decided)
    said, counts = truth.changes, a.counts
    assert a.balanced
    assert (counts["before"], counts["now"], counts["doubtful"], counts["undecided"]) == (
        truth.before,
        truth.now,
        0,
        0,
    )
    assert ids(a.of("new")) == said["new"]
    assert ids(a.of("first")) == said["first"]
    assert ids(a.of("back")) == said["back"]
    gone = a.of("gone")
    why = {reason: ids(part) for reason, part in gone.groupby("reason")}
    assert why == {
        "off-list": said["gone"], "rating-withdrawn": said["withdrawn"], "merged": said["merged"],
    }  # fmt: skip
    assert ids(a.changed("id")) == said["id_changed"]
    assert ids(a.changed("name")) == said["renamed"]
    assert ids(a.changed("unit")) == said["moved"]
    assert ids(a.changed("title")) == said["titled"]
    assert not len(a.changed("sex"))
    assert not len(a.changed("birth_year"))
    moved = {i: c for i, c in zip(a.now["id"], a.now["change"], strict=True) if c == c and c}
    assert moved == {i: c for i, c in truth.change.items() if c}
    assert [f.reason for f in a.findings] == ["id-changed"] * len(said["id_changed"])
    assert said["registered"] <= ids(a.of("registered"))


def test_without_the_decision_a_merged_id_is_a_player_who_is_gone():
    lists, truth = federation(200, seed=3)
    a = accounts_of(lists[0], lists[1])
    assert a.balanced
    assert ids(a.of("gone")) == truth.changes["gone"] | truth.changes["merged"] | truth.changes["withdrawn"]


def test_namesakes_without_ids_are_named_on_both_sides_and_a_decision_settles_them():
    before = a_list(
        "2026-01-01", {"name": "王伟", "rating": 2000, "line": 2}, {"name": "王伟", "rating": 1900, "line": 3},
        {"name": "李娜", "rating": 1800, "line": 4},
    )  # fmt: skip
    now = a_list(
        "2026-02-01", {"name": "王伟", "rating": 2010, "line": 2}, {"name": "李娜", "rating": 1800, "line": 3}
    )
    a = accounts_of(before, now)
    assert a.balanced
    assert a.of("doubtful")["name"].tolist() == ["王伟"]
    assert a.of("undecided")["rating"].tolist() == [2000, 1900]
    assert [f.reason for f in a.findings] == ["not-told-apart"]
    apart = Identities(different=frozenset({("王伟", "王伟")}))
    settled = accounts_of(before, now, identities=apart)
    assert settled.balanced
    assert settled.of("new")["name"].tolist() == ["王伟"]
    assert settled.of("gone")["rating"].tolist() == [2000, 1900]


def test_another_id_with_another_birth_year_is_another_player():
    before = a_list(
        "2026-01-01", {"id": "B5", "name": "刘洋", "sex": "m", "birth_year": 2005, "rating": 2205}
    )
    same = {"id": "B9", "name": "刘洋", "sex": "m", "birth_year": 2005, "rating": 2215}
    assert accounts_of(before, a_list("2026-02-01", same)).now["change"].tolist() == [10]
    for other in ({"birth_year": 2006}, {"sex": "w"}, {"birth_year": np.nan}):
        a = accounts_of(before, a_list("2026-02-01", {**same, **other}))
        assert (a.counts["new"], a.counts["gone"]) == (1, 1)


def test_a_file_of_decisions(tmp_path):
    path = tmp_path / "identities.csv"
    path.write_text(
        "决定,旧,新,说明\n同一人,B5,B9,\n不同人,C1,C2,two sisters\nsame,B9,B10,\n", encoding="utf-8"
    )
    found = read_identities(path)
    assert found.today(["B5", "b9", "X"]) == ["B10", "B10", "X"]
    assert found.apart(("C1", "n"), ("c2", "m"))
    assert not found.apart(("C1", "n"), ("C3", "m"))
    for text, why in (
        ("old,new\n1,2\n", "expected"),
        ("decision,old,new\nperhaps,1,2\n", ":2:"),
        ("decision,old,new\nsame,1,2\nsame,1,3\n", ":3:"),
        ("decision,old,new\nsame,1,2\nsame,2,1\n", "circle"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ReadError, match=why):
            read_identities(path)


def test_registered_players_stay_and_a_first_rating_is_named():
    """publish.md A1: Gus has no rating and does not play, Fay has none and earns one."""
    old = a_list(
        "2026-01-01", *({"id": str(n), "name": f"P{n}", "rating": 1800.0 + 20 * n, "k": 20, "games": 40} for n in range(5)),
        {"id": "106", "name": "Fay", "birth_year": 1990}, {"id": "107", "name": "Gus", "birth_year": 2012, "sex": "m"},
    )  # fmt: skip
    event = swiss(
        "e",
        "2026-01-09",
        {"id": "106", "name": "Fay"},
        [{"id": str(n), "rating": 1800.0 + 20 * n} for n in range(5)],
        2,
    )
    rebuilt = rebuild_list([event], "fide/rating-standard", [old], "2026-02")
    fay, gus = (rebuilt.players.set_index("id").loc[i] for i in ("106", "107"))
    assert (fay["status"], fay["period_games"]) == ("first-rating", 5)
    assert (gus["status"], gus["reason"], gus["published"]) == ("registered", "", True)
    assert rebuilt.list.rows.set_index("id").loc["107", "birth_year"] == 2012
    c = rebuilt.accounts.counts
    assert (c["before"], c["new"], c["first"], c["gone"], c["now"], c["registered"]) == (5, 0, 1, 0, 6, 1)
    assert "5 players before + 0 new + 1 first ratings + 0 back − 0 gone = 6 now" in str(
        summary(rebuilt, rebuilt.ledger)
    )
    later = rebuild_list([], "fide/rating-standard", [rebuilt.state], "2026-03")
    assert set(later.list.rows["id"]) == set(rebuilt.list.rows["id"])


def test_an_inactive_player_without_a_date_stays_inactive_until_he_plays():
    """audit.md F4: a FIDE list has flags and no dates of last events."""
    rows = [{"id": str(n), "name": f"P{n}", "rating": 2000.0, "k": 20, "flag": f, "sex": s} for n, (f, s) in enumerate(
        [("", "m"), ("i", "m"), ("wi", "w"), ("I", "m"), ("", "m"), ("i", "m")])]  # fmt: skip
    event = swiss("e", "2026-01-09", {"id": "0", "name": "P0"}, [{"id": n, "name": f"P{n}"} for n in "45"], 1)
    rebuilt = rebuild_list([event], "fide/rating-standard", [a_list("2026-01-01", *rows)], "2026-02")
    flags = rebuilt.list.rows.set_index("id")["flag"]
    assert flags.loc[[str(n) for n in range(6)]].tolist() == ["", "i", "wi", "i", "", ""]
    played = {"0": 2.0, "4": 1.0, "5": 1.0}
    text = fide_text(rebuilt.list, played).splitlines()
    at = text[0].index("SGm")
    assert {line[:15].strip(): line[at : at + 4].strip() for line in text[1:]} == {
        str(n): f"{played[str(n)]:g}" if str(n) in played else "" for n in range(6)
    }
    assert "<games>2</games>" in fide_xml(rebuilt.list, played)
    assert csv_list(rebuilt.list).splitlines()[0].endswith(",flag")
