"""Write docs/frames.md: every public frame with its columns, their types and what they hold.

    python tools/frames_page.py          the types come from the program, the words from the table here

A column without words is an error, so a new one cannot be forgotten.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from qiyi_analysis.audit.comparison import COLUMNS
from qiyi_analysis.model.event import GAME_COLUMNS, MATCH_COLUMNS, PLAYER_COLUMNS, TEAM_COLUMNS
from qiyi_analysis.model.rating_list import LIST_COLUMNS
from qiyi_analysis.rating.rating_frames import DTYPES, GAME_KINDS, MORE_KINDS, PLAYER_KINDS

HEAD = """# The frames

Written by `tools/frames_page.py` from the program; a test holds it true. Text that is missing is empty in the frames of the
model and missing (`NaN`) in those of a calculation; a missing number is `NaN`, in a nullable column (`Int8`, `Int64`,
`boolean`) `<NA>`. A float column of an exact quantity (score, expected score, change) holds the float nearest to it;
`rate(...).player_rows()` and `.game_rows()` give the same rows as they are printed, with exact Decimals of
`rate(...).places` decimals and None for what is not known.
"""
MODEL_TYPES = {"text": "str", "number": "float64", "int64": "int64", "bool": "bool"}
FRAMES: Mapping[str, Mapping[str, str]] = {
    "`read_event(...).players`": {name: MODEL_TYPES[kind] for name, kind in PLAYER_COLUMNS.items()},
    "`read_event(...).games`": {name: MODEL_TYPES[kind] for name, kind in GAME_COLUMNS.items()},
    "`read_event(...).teams`": {name: MODEL_TYPES[kind] for name, kind in TEAM_COLUMNS.items()},
    "`read_event(...).matches`": {name: MODEL_TYPES[kind] for name, kind in MATCH_COLUMNS.items()},
    "`read_list(...).rows`": {name: MODEL_TYPES[kind] for name, kind in LIST_COLUMNS.items()},
    "`rate(...).players` and `audit(...).rating.players`": {
        name: DTYPES[kind] for name, kind in {**PLAYER_KINDS, **MORE_KINDS}.items()
    },
    "`rate(...).games`": {name: DTYPES[kind] for name, kind in GAME_KINDS.items()},
    "`audit(...).comparison` and `audit(...).standings.rows`": COLUMNS,
}
#: What a column holds and in which unit; a frame's own words go before the common ones.
WORDS: Mapping[str, str] = {
    "number": "starting number of the player or number of the team",
    "id": "id in the federation's list",
    "name": "name as written",
    "sex": "m, w or empty",
    "federation": "code of the federation",
    "unit": "club or unit",
    "team": "name of the team",
    "board": "board in the team",
    "birth_year": "year",
    "birth_date": "ISO date",
    "title": "title as written, FIDE titles in capitals",
    "rating": "rating points",
    "rating_kind": "kind of the rating, where the file names it",
    "k": "K-factor",
    "games_before": "rated games before the event",
    "events_before": "rated events before the event",
    "peak": "highest published rating, points",
    "standard_rating": "standard rating, points",
    "fouls": "fouls",
    "warnings": "warnings",
    "withdrawn_after": "last round played before a withdrawal",
    "start_score": "McMahon start score, points of the event",
    "note": "remark of the file",
    "rank": "printed place",
    "points": "printed points in the scoring of the event",
    **{f"tb{i}": f"printed tie-break {i}" for i in range(1, 10)},
    "expected": "expected score, points of a game",
    "expected_text": "the same as printed",
    "change": "change, rating points",
    "change_text": "the same as printed",
    "new_rating": "new rating, points",
    "performance": "performance rating, points",
    "line": "line in the file, 0 = unknown",
    "round": "round",
    "first": "number with the first move (White, Red, in go Black)",
    "second": "number of the opponent, 0 = none",
    "first_result": "1, =, 0 or empty",
    "second_result": "1, =, 0 or empty",
    "kind": "played, unrated, forfeit, pab ...",
    "first_points": "points in the scoring of the event",
    "second_points": "points in the scoring of the event",
    "handicap": "stones",
    "komi": "points on the board",
    "first_count": "go: count of the side with the first move",
    "colours_known": "whether the file gives the colors",
    "day": "ISO date of the game",
    "nickname": "short name",
    "members": "numbers of the players in board order",
    "strength": "strength of the team, points",
    "match_points": "printed match points",
    "game_points": "printed game points",
    "first_match_points": "match points",
    "second_match_points": "match points",
    "first_game_points": "game points",
    "second_game_points": "game points",
    "games": "rated games",
    "last_event": "ISO date of the end of the last rated event",
    "flag": "flags of the list",
    "provisional": "whether the rating is provisional or a base rating",
    "score": "points of the rated games (1, 1/2, 0)",
    "opponents_average": "average of the opponents, rating points",
    "difference": "rating difference, points",
    "counted_difference": "the same as counted, after the edition's cap",
    "we": "expected score of all games, points",
    "rounded_change": "change after rounding, rating points",
    "w_minus_we": "score minus expected score, points",
    "formula": "game, swiss, round-robin, mixed or none",
    "k_article": "article that gives K",
    "protected": "whether a loss was cancelled",
    "we_hundredths": "expected score, whole hundredths (editions with two decimals)",
    "change_hundredths": "change, whole hundredths (editions with two decimals)",
    "assumed": "whether the numbers rest on an assumed value",
    "initial_score": "points against rated opponents, first ratings only",
    "initial_reason": "why there is no first rating",
    "opponent": "number of the opponent",
    "opponent_rating": "rating of the opponent, points",
    "counted": "whether the game is rated",
    "reason": "why it is not",
    "article": "article that decides",
    "field": "what was published: expected, change, new_rating, rank, tb1 ...",
    "code": "tie-break the column was read as",
    "published": "published number",
    "published_text": "the same as printed",
    "decimals": "decimals it was printed with",
    "recomputed": "recomputed number; of a shared place the first",
    "recomputed_text": "the same as text; of a shared place first to last",
    "compared": "whether it could be compared",
    "agrees": "whether it agrees, missing where it could not be compared",
    "causes": "tuple of causes of a difference",
}


def table() -> str:
    """The whole document."""
    parts = [HEAD]
    for frame, columns in FRAMES.items():
        parts += [f"\n## {frame}\n", "| column | type | content and unit |", "| --- | --- | --- |"]
        parts += [f"| `{name}` | {kind} | {WORDS[name]} |" for name, kind in columns.items()]
    parts.append(
        "\nProcedures add columns of their own to the players, all float64: `bonus` and `performance` (Irish union, "
        "US Chess, EGF), `initial_rating` (US Chess), `seed` and `sigma` (AGA), and `initial_games`, `initial_average`, "
        "`initial_percent`, `initial_difference` for first ratings of FIDE."
    )
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "frames.md").write_text(table(), encoding="utf-8")
    sys.exit(0)
