"""Standings and tie-breaks of chess, xiangqi and go: FIDE C.07, the Chinese rules, McMahon."""

from qiyi_analysis.tiebreaks.codes import Code, parse, parse_list
from qiyi_analysis.tiebreaks.ranking import Standings, standings

__all__ = ["Code", "Standings", "parse", "parse_list", "standings"]
