"""Worked examples of rating editions: files of [[case]] tables, read, checked and calculated.

A case is one player against some opponents and what the edition makes of it. What cannot be a case is refused
with the file, the case, the key, what was read and what was expected; so is a result that is not the expected.
"""

import difflib
import tomllib
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import GAME_COLUMNS, PLAYER_COLUMNS, make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.rules.vocabulary import checked

CASES = Path(__file__).parent / "rulesets"
HALVES = {2: ("1", "0"), 1: ("=", "="), 0: ("0", "1")}
RESULTS = {"1": 2, "=": 1, "0": 0}
FORMATS = ("swiss", "round-robin", "double-round-robin", "knock-out", "team-swiss", "team-round-robin")

#: Keys of a case, and whether it must have them.
KEYS = {
    "name": True, "article": True, "player": False, "opponents": True, "results": False, "score": False,
    "also": False, "format": False, "start": False, "class": False, "reading": False, "expect": True,
}  # fmt: skip
#: Keys of an opponent beside the columns of players; ``first``: the opponent has the first move (the handicap is Black's).
OPPONENT = ("kind", "handicap", "first")


class CaseError(Exception):
    """Something in a file of worked examples that cannot be meant."""


def all_cases(kind="rating"):
    """Edition and case, for each case of each file whose edition is of the kind.

    A file that cannot be read is one case, with the error; so is one whose edition cannot be.
    """
    for path in sorted(CASES.glob("*/*/*.toml")):
        id = "/".join([*path.parts[-3:-1], path.stem])
        try:
            if rulesets.ruleset(edition_of(path)).kind == kind:
                yield from ((id, case) for case in read(path))
        except (CaseError, RulesetError) as error:
            yield id, {"name": "the file", "error": error}


def edition_of(path):
    """The edition a file is about: it has the path of the rule file. CaseError where there is none."""
    id = "/".join([*path.parts[-3:-1], path.stem])
    try:
        rulesets.ruleset(id)
    except RulesetError as error:
        if error.reason != "rules-unknown":
            raise
        raise CaseError(
            f"{id}.toml: no rule file of this path; expected worked examples beside one: {error}"
        ) from None
    return id


def read(path):
    """The cases of a file, each checked. Raises CaseError."""
    name = "/".join(path.parts[-3:])
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CaseError(f"{name}: not a readable TOML file: {error}") from None
    cases = content.pop("case", None)
    if content:
        raise CaseError(f"{name}: read {next(iter(content))!r}; expected nothing but [[case]] tables")
    if not isinstance(cases, list) or not cases:
        raise CaseError(f"{name}: no cases; expected one [[case]] table for each worked example")
    seen = {}
    for number, case in enumerate(cases, 1):
        where = f"{name}: case {number} {case.get('name', '')!r}"
        check(case, where)
        if case["name"] in seen:
            raise CaseError(
                f"{where}: case {seen[case['name']]} has the same name; expected a name of its own"
            )
        seen[case["name"]] = number
    return cases


def check(case, where):
    """Refuse what cannot be meant: unknown keys, results that do not go with the opponents, impossible values."""
    known(case, KEYS, where)
    for key, needed in KEYS.items():
        if needed and key not in case:
            raise CaseError(f"{where}: {key} is missing")
    for key in ("name", "article"):
        of_type(case[key], str, "a text", where, key)
    of_type(case["opponents"], list, "a list of ratings or { rating = ..., ... }", where, "opponents")
    of_type(case["expect"], dict, "{ column = value, ... }", where, "expect")
    if not case["expect"]:
        raise CaseError(f"{where}: expect is empty; expected a column of the result with its value")
    player = of_type(case.get("player", {}), dict, "{ column = value, ... }", where, "player")
    known(player, PLAYER_COLUMNS, f"{where}: player")
    for i, opponent in enumerate(case["opponents"], 1):
        of_type(opponent, (int, float, dict), "a rating or { rating = ..., ... }", where, f"opponent {i}")
        if isinstance(opponent, dict):
            known(opponent, (*PLAYER_COLUMNS, *OPPONENT), f"{where}: opponent {i}")
    columns(player, f"{where}: player")
    for i, opponent in enumerate(case["opponents"], 1):
        columns(opponent if isinstance(opponent, dict) else {"rating": opponent}, f"{where}: opponent {i}")
    for game in case.get("also", []):
        known(
            of_type(game, dict, "{ round = ..., kind = ... }", where, "also"), GAME_COLUMNS, f"{where}: also"
        )
    check_score(case, where)
    if case.get("format", "swiss") not in FORMATS:
        raise CaseError(f"{where}: format: read {case['format']!r}; expected one of {', '.join(FORMATS)}")
    start = case.get("start", "2025-01-31")
    try:
        date.fromisoformat(start if isinstance(start, str) else "")
    except ValueError:
        raise CaseError(f'{where}: start: read {start!r}; expected a day as text, "2025-01-31"') from None


def check_score(case, where):
    """Either ``results``, one of 1 = 0 for each opponent, or ``score``, in halves, no more than the games."""
    games = len(case["opponents"])
    if ("results" in case) == ("score" in case):
        raise CaseError(f"{where}: expected either results or score, and not both")
    if "results" in case:
        found = of_type(case["results"], str, 'a text such as "1 = 0"', where, "results").split()
        wrong = [one for one in found if one not in RESULTS]
        if wrong:
            raise CaseError(
                f"{where}: results: read {wrong[0]!r}; expected 1, = or 0, with blanks between them"
            )
        if len(found) != games:
            raise CaseError(
                f"{where}: results: read {len(found)} results; expected {games}, one for each opponent"
            )
        return
    score = case["score"]
    try:
        halves = 2 * Decimal("" if isinstance(score, bool) else str(score))
        fits = halves == int(halves) and 0 <= halves <= 2 * games
    except (InvalidOperation, ValueError, OverflowError):
        fits = False
    if not fits:
        raise CaseError(f"{where}: score: read {score!r}; expected a number from 0 to {games} in halves")


def columns(row, where):
    """Numbers where the players' table has numbers, texts where it has texts; ratings and K not below 0."""
    for key, value in row.items():
        kind = PLAYER_COLUMNS.get(key)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind in ("number", "integer") and not number:
            raise CaseError(f"{where}: {key}: read {value!r}; expected a number")
        if kind == "text" and not isinstance(value, str):
            raise CaseError(f"{where}: {key}: read {value!r}; expected a text")
        if key in ("k", "games_before", "events_before", "birth_year") and value < 0:
            raise CaseError(f"{where}: {key}: read {value!r}; expected 0 or more")


def known(table, keys, where):
    """Refuse a key that nothing reads, naming the near one."""
    for key in table:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(keys)}"
            raise CaseError(f"{where}: unknown key {key!r}; {hint}")


def of_type(value, kind, said, where, key):
    """The value, if it is of the kind."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CaseError(f"{where}: {key}: read {value!r}; expected {said}")
    return value


def event_of(case):
    """The event of a case: player 1 meets the opponents one by one; ``score`` is filled from the first game."""
    opponents = [o if isinstance(o, dict) else {"rating": o} for o in case["opponents"]]
    players = [{"number": 1, "name": "P", **case.get("player", {})}]
    if "results" in case:
        half_points = [RESULTS[r] for r in case["results"].split()]
    else:
        left = int(Decimal(str(case["score"])) * 2)
        half_points = []
        for _ in opponents:
            half_points.append(min(2, left))
            left -= half_points[-1]
    games = []
    for i, (opponent, points) in enumerate(zip(opponents, half_points, strict=True), 1):
        players.append(
            {"number": i + 1, "name": f"O{i}", **{k: v for k, v in opponent.items() if k not in OPPONENT}}
        )
        sides, results = (1, i + 1), HALVES[points]
        if opponent.get("first"):
            sides, results = sides[::-1], results[::-1]
        games.append({
            "round": i, "first": sides[0], "second": sides[1], "first_result": results[0], "second_result": results[1],
            "kind": opponent.get("kind", "played"), **{k: v for k, v in opponent.items() if k == "handicap"},
        })  # fmt: skip
    for row in players:
        for key in [k for k, v in row.items() if k == "rating" and not v]:
            del row[key]
    for extra in case.get("also", []):
        games.append({"second": 0, "first": 1, **extra})
    return make_event(
        players=players,
        games=games,
        format=case.get("format", "swiss"),
        start=date.fromisoformat(case["start"]) if "start" in case else None,
        extra={"class": case["class"]} if "class" in case else {},
    )


def edition(id, case, where=""):
    """The edition with the readings of a case. Raises CaseError for a block or key it cannot have."""
    rules = rulesets.ruleset(id)
    vocabulary = rulesets._vocabulary(rules.kind)
    for block, values in case.get("reading", {}).items():
        known({block: 0}, vocabulary, f"{where}: reading")
        keys = vocabulary[block]["keys"]
        known(values, keys, f"{where}: reading: {block}")
        rules = rules.with_block(
            block,
            **{key: checked(v, keys[key], f"{where}: reading: {block}: {key}") for key, v in values.items()},
        )
    return rules


def hold(id, case, where=""):
    """Calculate a case and hold it to what it expects. Raises CaseError with what came out instead."""
    where = where or f"{id}.toml: {case['name']!r}"
    rules = edition(id, case, where)
    rating = rate(event_of(case), rules)
    row = rating.player_rows()[0]
    games = rating.game_rows(1)
    row["expected_by_game"] = ["none" if e is None else str(e) for e in (game["expected"] for game in games)]
    known(case["expect"], row, f"{where}: expect")
    for key, value in case["expect"].items():
        got = row[key]
        if not same(got, value, rules, key, where):
            raise CaseError(
                f"{where}: {key}: expected {value!r}, came out {shown(got)!r}{hint(key, got, row)}"
            )


def same(got, value, rules, key, where):
    """Whether a value is the expected one: to the digit, or to the digits written where the edition does not round."""
    if value == "none" and key != "formula":
        return got is None
    if isinstance(value, float):
        raise CaseError(f'{where}: {key}: read {value!r}; expected a decimal as text, "{value}"')
    if (
        got is None
        or isinstance(got, (bool, list))
        or isinstance(value, (bool, list))
        or key in ("formula", "k_article")
    ):
        return got == value
    try:
        wanted = Decimal(value)
    except InvalidOperation:
        if isinstance(got, str):
            return got == value
        raise CaseError(
            f"{where}: {key}: read {value!r}; expected a number, as text where it has decimals"
        ) from None
    if rules.value("change", "decimals") is not None and isinstance(value, str):
        return round(Decimal(str(got)), -wanted.as_tuple().exponent) == wanted
    return Decimal(str(got)) == wanted


def shown(got):
    """A value as a case writes it."""
    if got is None:
        return "none"
    if isinstance(got, Decimal):
        return str(got.normalize() if got != got.to_integral() else got.quantize(Decimal(1)))
    return got


def hint(key, got, row):
    """What else came out, for who wonders why."""
    if key == "expected" and got is None and row["expected_by_game"]:
        return f"; looked up game by game: expected_by_game = {row['expected_by_game']}"
    others = ("k", "games", "score", "opponents_average", "we", "change", "new_rating")
    return "; also " + ", ".join(f"{name} = {shown(row[name])!r}" for name in others if name != key)
