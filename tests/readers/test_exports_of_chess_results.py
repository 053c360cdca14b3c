"""Exports of chess-results: teams, byes and points as printed, without a false accusation."""

from __future__ import annotations

from pathlib import Path

import pytest

from qiyi_analysis import read_event
from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.event import Event, Kind
from qiyi_analysis.readers.door import events_in_bytes

#: Teams 1 and 10; team 10 has a bye in round 2, in which its first two players get a point each.
EXPORT = """<?xml version="1.0"?><chessresults><tournament type="3" name="Team Open" rounds="2" rankinground="2"
 tb1no="13" tb2no="1" endstatus="J" from="20250920" to="20250920"/><players>
<player no="1" lastname="A1" firstname="x" rtg="2000" sex="*" teamno="1" board="1" rank="1" pts="1,0"/>
<player no="2" lastname="A2" firstname="x" rtg="2000" sex="M" teamno="1" board="2" rank="1" pts="1,0"/>
<player no="3" lastname="B1" firstname="x" rtg="2000" sex="M" teamno="10" board="1" rank="1" pts="1,0"/>
<player no="4" lastname="B2" firstname="x" rtg="2000" sex="M" teamno="10" board="2" rank="1" pts="1,0"/>
<player no="5" lastname="B3" firstname="x" rtg="2000" sex="M" teamno="10" board="3" rank="1" pts="0,0"/>
</players><teams>
<team no="1" teamname="A" rank="1" points="2" tb1="2" tb2="2,0"/>
<team no="10" teamname="B" rank="2" points="2" tb1="2" tb2="2,0"/>
</teams><teampairings>
<teampairing round="1" pairing="1" no1="1" no2="10" res1="2.0" res2="0.0"/>
<teampairing round="2" pairing="1" no1="10" no2="-1" res1="2.0" res2="0.0"/>
</teampairings><pairings>
<pairing round="1" pairing="1" board="1" whiteno="1" blackno="3" reswhite="1.0" resblack="0.0" forfeit=""/>
<pairing round="1" pairing="1" board="2" whiteno="4" blackno="2" reswhite="0.0" resblack="1.0" forfeit=""/>
</pairings></chessresults>"""


def accused(event: Event) -> list[str]:
    return [finding.message("en") for finding in check_event(event) if finding.severity == "E"]


def test_team_ten_has_its_own_players_and_its_bye_counts_for_them() -> None:
    (event,) = events_in_bytes(EXPORT.encode(), "export.xml")
    assert event.teams["members"].tolist() == ["1 2", "3 4 5"]
    assert event.teams["match_points"].tolist() == [2, 2]
    assert event.teams["game_points"].tolist() == [2, 2]
    byes = event.games[event.games["kind"] == Kind.PAB]
    assert byes["first"].tolist() == [3, 4]
    assert not accused(event)
    assert not [fault for fault in event.faults if fault.field == "sex"]


@pytest.mark.parametrize("name", ["single_round_robin", "single_swiss", "team_round_robin", "team_swiss"])
def test_the_real_exports_accuse_nobody(name: str, shared: Path) -> None:
    path = shared / "data" / "chess-results" / f"{name}.xml"
    if not path.is_file():
        pytest.skip("not among the shared data")
    assert not accused(read_event(path))
