"""Games of a PGN file that were not played: without moves of both sides, or said so in a tag or a comment."""

from __future__ import annotations

import pytest

from qiyi_analysis.readers.door import events_in_bytes

PLAYED = '[Event "x"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'


def kinds(second: str) -> list[str]:
    (event,) = events_in_bytes((PLAYED + second).encode(), "x.pgn")
    return [str(kind) for kind in event.games["kind"]]


def game(moves: str, result: str = "1-0", tag: str = "") -> str:
    return f'[Event "x"]\n[White "c"]\n[Black "d"]\n[Result "{result}"]\n{tag}\n{moves} {result}\n'


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        (game("1. d4 d5"), "played"),
        (game(""), "forfeit"),
        (game("1. e4"), "forfeit"),
        (game("1. e4 e5 {Black did not appear}"), "forfeit"),
        (game("{黑方弃权}"), "forfeit"),
        (game("1. e4 e5", tag='[Termination "unplayed"]\n'), "forfeit"),
        (game("1. e4 e5", tag='[Termination "time forfeit"]\n'), "played"),
        (game("", "1/2-1/2"), "unplayed"),
        (game("1. e4 e5", "1/2"), "played"),
        (game("1. e4 e5", "+/-"), "forfeit"),
    ],
)
def test_whether_a_game_was_played(second: str, kind: str) -> None:
    assert kinds(second) == ["played", kind]


def test_headers_alone_say_nothing_about_moves() -> None:
    (event,) = events_in_bytes(game("").encode(), "x.pgn")
    assert [str(kind) for kind in event.games["kind"]] == ["played"]
