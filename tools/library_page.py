"""Writes docs/library.md from the docstrings of the public names: `python tools/library_page.py`."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

#: Module -> heading; only these modules are public.
MODULES = {
    "qiyi_analysis": "Events, lists, rules, standings, titles 比赛、等级分表、规则、名次、称号",
    "qiyi_analysis.research": "Research 研究",
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
        'result = rate(event, ruleset("fide/rating-standard/2009-07-01"))',
        'print(result.players[["name", "rating", "score", "we", "change"]])',
        "```",
    ]
    for module, heading in MODULES.items():
        home = importlib.import_module(module)
        lines += ["", f"## {heading}", "", f"`{module}`", "", "| name | what it is |", "| --- | --- |"]
        for name in home.__all__:
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
