"""What a file is that was given in the wrong place, and which command takes it.

Asked only after a command could not do its work, and only about the files that its error names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, QiyiError

#: Parameter of a command -> what belongs there.
WANTED: Mapping[str, str] = {
    "event": "event", "events": "event", "also": "event", "others": "event",
    "lists": "list", "rating_list": "list", "previous": "list",
    "rules": "rules", "id": "rules", "old": "rules", "new": "rules",
    "games": "history", "jobs": "jobs", "letterhead": "letterhead",
}  # fmt: skip
#: More than this is not looked through.
_MOST = 64 << 20


def explained(error: QiyiError, given: Mapping[str, Any]) -> QiyiError:
    """The error, or in its place one that says what a file is that was given where something else belongs.

    ``given``: the values of the command's parameters by name.
    """
    if error.reason in ("foreign-file", "results-without-opponents", "results-not-read"):
        return error  # says it already
    for name, wanted in WANTED.items():
        values = given.get(name)
        for value in values if isinstance(values, tuple) else (values,):
            if not isinstance(value, str) or not value or value == "-" or Path(value).name not in str(error):
                continue
            kind = kind_of(Path(value))
            if kind and kind != wanted:
                return _told(value, kind, wanted)
    return error


def _told(path: str, kind: str, wanted: str) -> ParameterError:
    own = words.has(f"file-is.{kind}")
    return ParameterError(
        "wrong-kind",
        path=path,
        kind=words.said(f"file-is.{kind}" if own else f"foreign-kind.{kind}"),
        wanted=words.said(f"file-is.{wanted}"),
        advice=words.said(f"file-for.{kind}", folder=Path(path).parent)
        if own
        else words.said(f"foreign-do.{kind}"),
    )


def kind_of(path: Path) -> str:
    """What a file or folder is: a key of ``[file-is]`` or ``[foreign-kind]``; empty where it is nothing that is known."""
    from qiyi_analysis.readers.foreign import foreign_kind
    from qiyi_analysis.readers.source import decode, is_event_folder

    try:
        if path.is_dir():
            return "event" if is_event_folder(one.name for one in path.iterdir()) else ""
        if not path.is_file() or path.stat().st_size > _MOST:
            return ""
        data = path.read_bytes()
        if kind := foreign_kind(data):
            return kind
        if data.startswith(b"PAR1"):
            return "history"
        return _of_text(path, decode(data).text) or _as_read(path)
    except OSError:
        return ""


def _of_text(path: Path, text: str) -> str:
    if path.suffix.casefold() == ".toml":
        try:
            facts = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return ""
        return "rules" if "kind" in facts and "title" in facts else "letterhead" if "name" in facts else ""
    first = next((line for line in text.lstrip("\ufeff").splitlines() if line.strip()), "")
    heads = {head.strip(" \"'").casefold() for head in re.split(r"[,;\t|]", first)}
    if {"command", "input"} <= heads:
        return "jobs"
    if heads >= {"round", "white", "black"} or ("no" in heads and (path.parent / "games.csv").exists()):
        return "event-part"
    return "history" if heads & {"result", "score_first"} and "name" not in heads else ""


def _as_read(path: Path) -> str:
    """What the readers make of it: an event where there are games, a list where there are ratings."""
    from qiyi_analysis.readers import read_events, read_list

    try:
        if any(len(event.games) for event in read_events(path)):
            return "event"
    except QiyiError:
        pass
    try:
        return "list" if read_list(path).rows["rating"].notna().any() else ""
    except QiyiError:
        return ""
