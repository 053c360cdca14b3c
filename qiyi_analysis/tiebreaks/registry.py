"""Which function computes which code. Functions in RELATIVE need the groups still tied before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from qiyi_analysis.tiebreaks import boards, chinese, direct, mcmahon, opponents, own, performance
from qiyi_analysis.tiebreaks.codes import Code
from qiyi_analysis.tiebreaks.column import Column
from qiyi_analysis.tiebreaks.work import Work

OWN: Mapping[str, Callable[[Work, Code], Column]] = MappingProxyType(
    {
        "PTS": own.points,
        "MP": own.points,
        "GP": own.points,
        "MPVGP": own.other_score,
        "WIN": own.wins,
        "WON": own.games_won,
        "BPG": own.games_second,
        "BWG": own.games_won_second,
        "PS": own.progressive,
        "REP": own.elected_to_play,
        "STD": own.standard_points,
        "TPN": own.pairing_number,
        "BH": opponents.buchholz,
        "FB": opponents.buchholz,
        "AOB": opponents.average_of_opponents,
        "SB": opponents.sonneborn_berger,
        "KS": opponents.koya,
        "EMMSB": opponents.extended_sonneborn_berger,
        "EMGSB": opponents.extended_sonneborn_berger,
        "EGMSB": opponents.extended_sonneborn_berger,
        "EGGSB": opponents.extended_sonneborn_berger,
        "ARO": performance.average_rating,
        "TPR": performance.performance,
        "PTP": performance.perfect_performance,
        "APRO": performance.average_performance,
        "APPO": performance.average_perfect,
        "RTNG": performance.rating,
        "BC": boards.board_count,
        "SSSC": boards.strength_combination,
        "MMS": mcmahon.mcmahon_score,
        "SOS": mcmahon.opponents_scores,
        "SOSOS": mcmahon.opponents_sums,
        "SODOS": mcmahon.defeated_scores,
        "XF": chinese.small_points,
        "DSF": chinese.opponents_points,
        "TDF": chinese.opponents_points,
        "SJ": chinese.wins,
        "SC": chinese.matches_won,
        "FG": chinese.fouls,
        "JG": chinese.fouls,
        "LJF": own.progressive,
        "HZ": chinese.games_second,
        "HS": chinese.games_second,
        "ZDF": chinese.total_score,
        "CF": own.points,
        "JF": own.points,
        "MC": chinese.member_places,
        "ZJ": chinese.member_places,
    }
)

RELATIVE: Mapping[str, Callable[[Work, Code, np.ndarray], Column]] = MappingProxyType(
    {
        "DE": direct.direct_encounter,
        "EDE": direct.extended_direct_encounter,
        "EDEBT": direct.extended_direct_encounter,
        "EDEBB": direct.extended_direct_encounter,
        "EDET": direct.extended_direct_encounter,
        "EDEB": direct.extended_direct_encounter,
        "TBR": direct.board_by_board,
        "BBE": direct.board_by_board,
        "ZS": direct.direct_win,
        "HX": direct.second_in_mutual_game,
        "QL": direct.backwards,
        "LL": direct.progressive_dropping,
    }
)

#: Codes that need what only a team event has.
TEAM_ONLY = frozenset(
    [
        "MP",
        "GP",
        "MPVGP",
        "EDE",
        "EDEBT",
        "EDEBB",
        "EDET",
        "EDEB",
        "TBR",
        "BBE",
        "BC",
        "SSSC",
        "EMMSB",
        "EMGSB",
        "EGMSB",
        "EGGSB",
        "CF",
        "JF",
        "TDF",
        "MC",
        "ZJ",
    ]
)
#: Codes that compare with what opponents have at the end.
RATINGS = frozenset(["ARO", "TPR", "PTP", "APRO", "APPO", "RTNG"])


def compute(work: Work, code: Code, groups: np.ndarray) -> Column:
    """The column of a code; ``groups`` are the groups tied before it (used by direct encounters only)."""
    if code.name in RELATIVE:
        return RELATIVE[code.name](work, code, groups)
    return OWN[code.name](work, code)
