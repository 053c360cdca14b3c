"""Rating lists: rebuilt from the previous list and the events of a period, compared, written, rolled on."""

from qiyi_analysis.lists.rebuild import Rebuilt, rebuild_list
from qiyi_analysis.lists.state import ListState, read_state, state_of

__all__ = ["ListState", "Rebuilt", "read_state", "rebuild_list", "state_of"]
