"""Writes docs/library.md from the docstrings of the public names: `python tools/library_page.py`."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

#: Module -> heading and, where not all its public names are meant, which.
MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "qiyi_analysis": ("Events, lists, rules 比赛、等级分表、规则", ()),
    "qiyi_analysis.readers.door": ("Reading from memory 读取内存中的文件", ("events_in_bytes",)),
    "qiyi_analysis.model.event": (
        "Events made by a program 由程序生成的比赛",
        ("make_event", "Scoring"),
    ),
    "qiyi_analysis.model.rating_list": ("Rating lists 等级分表", ("make_list",)),
    "qiyi_analysis.tiebreaks": ("Standings 名次", ()),
    "qiyi_analysis.tiebreaks.mcmahon": ("McMahon 麦克马洪", ("rank_value", "start_scores")),
    "qiyi_analysis.titles": ("Titles 称号", ()),
    "qiyi_analysis.rating.initial": ("First ratings 首次等级分", ("initial_rating", "weighted_rating")),
    "qiyi_analysis.rating.aga": ("AGA", ("white_wins", "closed_gap", "opened_gap")),
    "qiyi_analysis.rating.go_professional": ("Professional go 职业围棋", ("opening_rating",)),
    "qiyi_analysis.lists": ("Rating lists 等级分表", ()),
    "qiyi_analysis.lists.roll": ("A federation over many periods 多期滚动", ("roll",)),
    "qiyi_analysis.research": ("Research 研究", ()),
    "qiyi_analysis.research.studies.metrics": (
        "How good predictions were 预测指标",
        ("log_losses", "brier_scores", "three_way_losses", "summary", "calibration", "kaggle_2010"),
    ),
    "qiyi_analysis.research.studies.cluster": (
        "On several processes or machines 多进程与集群",
        ("connected", "sweep_on", "resample_on", "pools_on"),
    ),
}


def page() -> str:
    """The page of public names as Markdown."""
    lines = [
        "# Library 程序库",
        "",
        "What may be imported, for studies and programs of one's own; everything else may change without notice. Made from",
        "the docstrings by `python tools/library_page.py`; a test keeps it true. `help(name)` has shapes, units and errors.",
        "",
        "```python",
        "from qiyi_analysis import rate, read_event, ruleset",
        "",
        'event = read_event("data/events/nanjing-2010")',
        'print(rate(event, ruleset("fide/rating-standard/2009-07-01")).players)',
        "```",
    ]
    for module, (heading, chosen) in MODULES.items():
        home = importlib.import_module(module)
        names = chosen or tuple(home.__all__)
        lines += ["", f"## {heading}", "", f"`{module}`", "", "| name | what it is |", "| --- | --- |"]
        for name in names:
            value = getattr(home, name)
            if inspect.ismodule(value):
                value = getattr(value, name, value)  # a module named like its function
            lines.append(f"| `{name}{_arguments(value)}` | {_sentence(value)} |")
    return "\n".join(lines) + "\n"


def _arguments(value: object) -> str:
    """The arguments of a function by name, "" for anything else."""
    if inspect.isclass(value) or not callable(value):
        return ""
    shown, named = [], False
    for one in inspect.signature(value).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not named:
            shown.append("*")
            named = True
        prefix = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        named |= one.kind is one.VAR_POSITIONAL
        shown.append(f"{prefix}{one.name}")
    return f"({', '.join(shown)})"


def _sentence(value: object) -> str:
    """The first paragraph of the docstring in one line, markup of roles taken off."""
    text = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    return re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text).replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "library.md").write_text(page(), encoding="utf-8")
