"""Go tournaments made by chance as files of OpenGotha, and their criteria worked out player by player, round by round."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from xml.sax.saxutils import quoteattr

RESULTS = ("WHITEWINS", "BLACKWINS", "EQUAL", "BOTHWIN", "BOTHLOSE", "UNKNOWN")
HALF = Fraction(1, 2)


@dataclass
class Made:
    """A tournament: ranks (30k = 0), games by round, who was away and who had the bye."""

    ranks: list[int]
    corrections: list[int]
    rounds: int
    games: list[dict[tuple[int, int], tuple[str, int]]]  # round -> (white, black) -> result word, handicap
    away: list[set[int]]
    bye: list[int | None]
    parameters: dict[str, str]
    categories: list[int] = field(default_factory=list)
    criteria: tuple[str, ...] = ("MMS", "SOSM", "SOSOSM")

    def xml(self) -> str:
        """The file of the program."""
        rows = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<Tournament dataVersion="201" saveDT="20240501120000"><Players>',
        ]
        for i, rank in enumerate(self.ranks):
            shown = "".join("0" if i in away else "1" for away in self.away)
            rows.append(
                f'<Player name="P{i:03}" firstName="A" country="FR" club="Xx" egfPin="{9_000_000 + i}" rank="{rank_text(rank)}" '
                f'rating="{rank * 100 - 900}" ratingOrigin="EGF" registeringStatus="FIN" '
                f'smmsCorrection="{self.corrections[i]}" participating="{shown}"/>'
            )
        rows.append("</Players><Games>")
        for number, games in enumerate(self.games, 1):
            for table, ((white, black), (word, stones)) in enumerate(games.items(), 1):
                rows.append(
                    f'<Game roundNumber="{number}" tableNumber="{table}" whitePlayer="P{white:03}A" blackPlayer="P{black:03}A" '
                    f'handicap="{stones}" knownColor="true" result="RESULT_{word}"/>'
                )
        rows.append("</Games><ByePlayers>")
        for number, player in enumerate(self.bye, 1):
            if player is not None:
                rows.append(f'<ByePlayer roundNumber="{number}" player="P{player:03}A"/>')
        given = " ".join(f"{key}={quoteattr(value)}" for key, value in self.parameters.items())
        rows.append(
            f'</ByePlayers><TournamentParameterSet><GeneralParameterSet name="Made" numberOfRounds="{self.rounds}" '
            f'beginDate="2024-05-01" endDate="2024-05-02" numberOfCategories="{len(self.categories) + 1}" {given}><Categories>'
        )
        rows += [
            f'<Category number="{n}" lowerLimit="{rank_text(limit)}"/>'
            for n, limit in enumerate(self.categories, 1)
        ]
        rows.append("</Categories></GeneralParameterSet><PlacementParameterSet><PlacementCriteria>")
        rows += [
            f'<PlacementCriterion number="{n}" name="{name}"/>' for n, name in enumerate(self.criteria, 1)
        ]
        rows.append("</PlacementCriteria></PlacementParameterSet></TournamentParameterSet></Tournament>")
        return "\n".join(rows)


def rank_text(rank: int) -> str:
    """30k = 0 as 30K."""
    return f"{30 - rank}K" if rank < 30 else f"{rank - 29}D"


def made(seed: int) -> Made:
    """A tournament by chance: every parameter takes each of its values over the seeds."""
    chance = random.Random(seed)
    size, rounds = chance.randint(4, 13), chance.randint(3, 6)
    ranks = [chance.randint(8, 36) for _ in range(size)]
    played = rounds if chance.random() < 0.7 else rounds - 1
    games: list[dict[tuple[int, int], tuple[str, int]]] = []
    away: list[set[int]] = []
    byes: list[int | None] = []
    for number in range(rounds):
        gone = {i for i in range(size) if chance.random() < 0.15}
        here = [i for i in range(size) if i not in gone]
        chance.shuffle(here)
        bye = here.pop() if len(here) % 2 and chance.random() < 0.7 else None
        pairs: dict[tuple[int, int], tuple[str, int]] = {}
        if number < played:
            while len(here) > 1:
                word = chance.choice(RESULTS[:2]) if chance.random() < 0.7 else chance.choice(RESULTS)
                late = "_BYDEF" if word != "UNKNOWN" and chance.random() < 0.15 else ""
                pairs[here.pop(), here.pop()] = (word + late, chance.choice([0, 0, 0, 1, 2, 5, 9]))
        games.append(pairs)
        away.append(gone)
        byes.append(bye if number < played else None)
    parameters = {
        "genMMBar": rank_text(chance.choice([25, 30, 33, 38])), "genMMFloor": rank_text(chance.choice([0, 10, 15])), "genMMZero": "30K",
        "genNBW2ValueAbsent": str(chance.randint(0, 2)), "genNBW2ValueBye": str(chance.randint(0, 2)),
        "genMMS2ValueAbsent": str(chance.randint(0, 2)), "genMMS2ValueBye": str(chance.randint(0, 2)),
        "genRoundDownNBWMMS": chance.choice(["true", "false"]),
        "genCountNotPlayedGamesAsHalfPoint": chance.choice(["true", "false", "false"]),
    }  # fmt: skip
    corrections = [chance.choice([0, 0, 0, 1, 2, -1]) for _ in range(size)]
    limits = sorted(chance.sample(range(9, 36), chance.choice([0, 0, 1, 2])), reverse=True)
    return Made(ranks, corrections, rounds, games, away, byes, parameters, limits)


def plain(made: Made) -> dict[str, list[Fraction]]:
    """Every criterion of every player by its definition, one player after the other."""
    size, rounds, p = len(made.ranks), made.rounds, made.parameters
    low, high = (_rank(p[key]) for key in ("genMMFloor", "genMMBar"))
    start = [min(max(r, low), high) + c for r, c in zip(made.ranks, made.corrections, strict=True)]
    cells = [[_cell(made, i, r) for r in range(rounds)] for i in range(size)]
    down, half = p["genRoundDownNBWMMS"] == "true", p["genCountNotPlayedGamesAsHalfPoint"] == "true"

    def after(i: int, r: int, on: str) -> Fraction:
        value = Fraction(start[i] if on == "MMS" else 0)
        free = Fraction(0)
        for kind, points, *_ in cells[i][: r + 1]:
            value += points
            free += Fraction(int(p[f"gen{on}2Value{kind.title()}"]), 2) if kind in ("absent", "bye") else 0
        return value + (free // 1 if down else free)

    def shown(i: int, on: str) -> Fraction:
        if not half:
            return after(i, rounds - 1, on)
        base = Fraction(start[i] if on == "MMS" else 0)
        return base + sum(points if kind == "game" else HALF for kind, points, *_ in cells[i])

    def seen(i: int, on: str) -> list[Fraction]:
        values = []
        for _, _, other, stones, _ in cells[i]:
            if other < 0:
                values.append(Fraction(start[i] if on == "MMS" else 0))
            else:
                values.append(shown(other, on) + (stones if on == "MMS" else 0))
        return values

    found: dict[str, list[Fraction]] = {}
    for on, letter in (("NBW", "W"), ("MMS", "M")):
        found[on] = [after(i, rounds - 1, on) for i in range(size)]
        values = [seen(i, on) for i in range(size)]
        found[f"SOS{letter}"] = [sum(v, Fraction(0)) for v in values]
        found[f"SOS{letter}-1"] = [sum(sorted(v)[1:], Fraction(0)) for v in values]
        found[f"SOS{letter}-2"] = [sum(sorted(v)[2:], Fraction(0)) for v in values]
        found[f"SODOS{letter}"] = [
            sum(
                (v * cell[1] for v, cell in zip(values[i], cells[i], strict=True) if cell[2] >= 0),
                Fraction(0),
            )
            for i in range(size)
        ]
        sos = found[f"SOS{letter}"]
        found[f"SOSOS{letter}"] = [
            sum(
                (
                    sos[c[2]] if c[2] >= 0 else Fraction(start[i] * rounds if on == "MMS" else 0)
                    for c in cells[i]
                ),
                Fraction(0),
            )
            for i in range(size)
        ]
        found[f"CUSS{letter}"] = [
            sum((after(i, r, on) for r in range(rounds)), Fraction(0)) for i in range(size)
        ]
    for name in ("EXT", "EXR"):
        found[name] = [
            sum(
                (
                    after(c[2], rounds - 1, "NBW")
                    * max(0, min(3, c[3] - (made.ranks[i] - made.ranks[c[2]]) + 1))
                    for c in cells[i]
                    if c[2] >= 0 and (name == "EXT" or c[1] == 1)
                ),
                Fraction(0),
            )
            for i in range(size)
        ]
    found["CAT"] = [
        Fraction(
            next((n for n, limit in enumerate(made.categories, 1) if rank >= limit), len(made.categories) + 1)
        )
        for rank in made.ranks
    ]
    return found


def _rank(text: str) -> int:
    return 30 - int(text[:-1]) if text[-1] == "K" else 29 + int(text[:-1])


def _cell(made: Made, i: int, r: int) -> tuple[str, Fraction, int, int, str]:
    """Kind of a round (game, unplayed, absent, bye, nothing), points, opponent, stones from the player's side, word."""
    for (white, black), (word, stones) in made.games[r].items():
        if i in (white, black):
            bare = word.removesuffix("_BYDEF")
            mine = "WHITEWINS" if i == white else "BLACKWINS"
            points = Fraction(1) if bare in (mine, "BOTHWIN") else HALF if bare == "EQUAL" else Fraction(0)
            kind = "game" if bare == word and bare != "UNKNOWN" else "unplayed"
            return kind, points, black if i == white else white, stones if i == white else -stones, word
    if made.bye[r] == i:
        return "bye", Fraction(0), -1, 0, ""
    return "absent" if i in made.away[r] else "nothing", Fraction(0), -1, 0, ""
