"""Events made at random with the numbers a careful officer would publish, and with one mistake planted.

The arithmetic here is written from the regulations with fractions and shares nothing with the package
but the printed table.
"""

from __future__ import annotations

import csv
import math
import random
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path

from qiyi_analysis.model.event import make_event

TABLE = Path(__file__).parents[1] / "qiyi_analysis" / "rulesets" / "tables" / "p_from_d.csv"
with TABLE.open(encoding="utf-8") as stream:
    HIGH = [
        Fraction(row["p_high"])
        for row in csv.DictReader(stream)
        for _ in range(int(row["d_low"]), int(row["d_high"]) + 1)
    ][:737]
POINTS = {"1": Fraction(1), "=": Fraction(1, 2), "0": Fraction(0)}
OTHER = {"1": "0", "=": "=", "0": "1"}
BYES = {"pab": Fraction(1), "half_bye": Fraction(1, 2), "zero_bye": Fraction(0)}


def half_up(value):
    return math.floor(Fraction(value) + Fraction(1, 2))


def half_away(value):
    return half_up(value) if value >= 0 else -half_up(-value)


def half_even(value):
    return round(Fraction(value))


def table(difference):
    high = HIGH[min(abs(difference), 736)]
    return high if difference >= 0 else 1 - high


def logistic(difference):
    return Fraction(1 / (1 + 10 ** (-difference / 400)))


def normal(difference):
    return Fraction(0.5 * (1 + math.erf(difference / 400)))


@dataclass(frozen=True, kw_only=True)
class Way:
    """How somebody calculates: the regulation, or the regulation with a mistake."""

    by: str  # game, average, round-robin
    cap: int | None = None
    cap_once: bool = False
    exempt: int | None = None
    law: object = table
    rounding: object = half_away
    rounds: str = "change"  # what is rounded
    k: int | None = None
    ratings: dict = field(default_factory=dict)  # number -> rating taken by mistake
    new_from_own: bool = False  # the change from a wrong own rating is added to the right one
    forfeits: bool = False
    points_of_byes: bool = False
    unrated_at: int | None = None  # unrated opponents counted at
    own_field: bool = False  # round-robin formula over the opponents met


@dataclass(frozen=True, kw_only=True)
class Published:
    we: Fraction
    w_minus_we: Fraction
    change: Fraction
    whole: int
    new: int


@dataclass(frozen=True, kw_only=True)
class Made:
    """An event in plain lists and the way its regulation calculates."""

    rules: str
    format: str
    start: date
    players: list
    games: list
    way: Way
    xiangqi: bool = False

    def published(self, number, way=None):
        """What is published for a player calculated in a way; None for one who is not rated."""
        way = way or self.way
        players = {p["number"]: p for p in self.players}
        me = players[number]
        if me["rated"] is None and not self.rules.startswith("cca"):
            return None

        def rating(n):
            return way.ratings.get(n, players[n]["rating"])

        def woman(n):
            return self.xiangqi and players[n]["sex"] == "w"

        mixed = self.xiangqi and len({p["sex"] for p in self.players}) == 2
        met, score, unplayed = [], Fraction(0), Fraction(0)
        for game in self.games:
            if number not in (game["first"], game["second"]):
                continue
            mine = game["first"] == number
            if not game["second"]:
                unplayed += BYES[game["kind"]]
                continue
            opponent = game["second"] if mine else game["first"]
            points = POINTS[game["first_result"] if mine else game["second_result"]]
            if game["kind"] == "forfeit" and not way.forfeits:
                continue
            unrated = players[opponent]["rated"] is None and not self.rules.startswith("cca")
            if unrated and way.unrated_at is None:
                continue
            met.append(opponent)
            score += points
        if not met:
            return None
        if way.points_of_byes:
            score += unplayed

        def of(n):
            if players[n]["rated"] is None and way.unrated_at is not None:
                return players[n]["rating"] if way.unrated_at == 0 else way.unrated_at
            return rating(n)

        own = rating(number)
        if way.by == "game":
            differences = [own - of(n) for n in met]
            counted = list(differences)
            exempt = way.exempt is not None and own >= way.exempt
            if way.cap is not None and not exempt:
                over = [abs(d) for d in differences if d > way.cap]
                done = False
                for i, d in enumerate(differences):
                    if d < -way.cap:
                        counted[i] = -way.cap
                    elif d > way.cap and (not way.cap_once or (d == max(over) and not done)):
                        counted[i] = way.cap
                        done = True
            we = sum((way.law(d) for d in counted), Fraction(0))
        elif way.by == "round-robin" and not mixed:
            everybody = [*met, number] if way.own_field else list(players)
            size = len(everybody)
            average = half_up(Fraction(sum(rating(n) for n in everybody), size))
            we = size * way.law(own - average) - Fraction(1, 2)
        else:
            we = Fraction(0)
            groups = (
                ([n for n in met if not woman(n)], [n for n in met if woman(n)])
                if mixed and woman(number) and own < 2300  # article 9 is for women below 2300
                else (met,)
            )
            for at, group in enumerate(groups):
                if not group:
                    continue
                mine = max(own, 2300) if mixed and woman(number) and at == 0 else own
                theirs = [
                    max(of(n), 2300) if mixed and woman(n) and not woman(number) else of(n) for n in group
                ]
                we += len(group) * way.law(mine - half_up(Fraction(sum(theirs), len(theirs))))
        change = (way.k or me["k"]) * (score - we)
        if self.xiangqi and me["rank"] == 1:
            change = max(change, Fraction(0))
        base = players[number]["rating"] if way.new_from_own else own
        if way.rounds == "change":
            whole = way.rounding(change)
            new = base + whole
        else:
            new = way.rounding(base + change)
            whole = new - base
        return Published(we=we, w_minus_we=score - we, change=change, whole=whole, new=new)

    def event(self, printed):
        """The Event with printed cells: {number: {"change": text, "expected": text, "new_rating": n}}."""
        rows = []
        for player in self.players:
            row = {k: player[k] for k in ("number", "name", "sex", "k", "rank") if player.get(k) is not None}
            if player["rated"] is not None:
                row["rating"] = player["rated"]
            for name, value in printed.get(player["number"], {}).items():
                row[name] = (
                    float(value.replace("½", ".5").replace(",", ".")) if isinstance(value, str) else value
                )
                if isinstance(value, str):
                    row[f"{name}_text"] = value
            rows.append(row)
        return make_event(
            players=rows, games=self.games, format=self.format, start=self.start, id="made",
            discipline="xiangqi" if self.xiangqi else "chess", rules=(self.rules,),
        )  # fmt: skip


def text(value, places):
    """A fraction as it is printed with some decimals, half away from zero."""
    scaled = half_away(Fraction(value) * 10**places)
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def random_result(rnd, difference):
    p = float(table(difference))
    x = rnd.random()
    return "1" if x < p - 0.15 else "=" if x < p + 0.15 else "0"


def _games(rnd, players, rounds, round_robin, forfeit_rate, byes):
    numbers = [p["number"] for p in players]
    ratings = {p["number"]: p["rating"] for p in players}
    games = []

    def game(round_, one, two):
        kind = "forfeit" if rnd.random() < forfeit_rate else "played"
        result = random_result(rnd, ratings[one] - ratings[two])
        if kind == "forfeit":
            result = rnd.choice("10")
        games.append({
            "round": round_, "first": one, "second": two, "first_result": result, "second_result": OTHER[result],
            "kind": kind,
        })  # fmt: skip

    if round_robin:
        circle = numbers if len(numbers) % 2 == 0 else [*numbers, 0]
        for round_ in range(1, len(circle)):
            for one, two in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
                if one and two:
                    game(round_, one, two)
            circle = [circle[0], circle[-1], *circle[1:-1]]
        return games
    met = set()
    for round_ in range(1, rounds + 1):
        free = numbers[:]
        rnd.shuffle(free)
        if byes and rnd.random() < 0.4:
            games.append({"round": round_, "first": free.pop(), "second": 0, "kind": "half_bye"})
        if len(free) % 2:
            games.append(
                {"round": round_, "first": free.pop(), "second": 0, "kind": "pab", "first_result": "1"}
            )
        while free:
            one = free.pop()
            two = next((n for n in free if (one, n) not in met), free[0])
            free.remove(two)
            met |= {(one, two), (two, one)}
            game(round_, one, two)
    return games


FIDE = {
    "2009-07-01": (date(2010, 5, 1), {"cap": 400}),
    "2014-07-01": (date(2015, 5, 1), {"cap": 400}),
    "2022-01-01": (date(2023, 5, 1), {"cap": 400, "cap_once": True}),
    "2024-03-01": (date(2024, 5, 1), {"cap": 400}),
    "2025-10-01": (date(2025, 11, 1), {"cap": 400, "exempt": 2650}),
}


def made_fide(rnd, *, round_robin=False):
    edition = rnd.choice(list(FIDE))
    start, cap = FIDE[edition]
    size = rnd.randint(6, 10) if round_robin else rnd.randint(10, 30)
    # Below 1400 the editions since March 2024 have no ratings.
    low, high = rnd.choice([(1400, 2300), (1600, 2500), (2000, 2760)])
    players = []
    for number in range(1, size + 1):
        rating = rnd.randint(low, high)
        unrated = not round_robin and rnd.random() < 0.12
        k = rnd.choice([10, 20, 40]) if edition >= "2014" else rnd.choice([10, 15, 25])
        players.append({
            "number": number, "name": f"P{number}", "sex": rnd.choice("mw"), "rating": rating,
            "rated": None if unrated else rating, "k": k,
        })  # fmt: skip
    games = _games(rnd, players, rnd.choice([5, 7, 9]), round_robin, 0.05, not round_robin)
    return Made(
        rules=f"fide/rating-standard/{edition}", format="round-robin" if round_robin else "swiss", start=start,
        players=players, games=games, way=Way(by="game", **cap),
    )  # fmt: skip


def made_cca(rnd, *, round_robin=False):
    size = rnd.randint(8, 12) if round_robin else rnd.randint(12, 30)
    players = []
    for number in range(1, size + 1):
        rating, sex = rnd.randint(1250, 2150), rnd.choice("mw")
        unrated = rnd.random() < 0.15
        if unrated:
            rating = 1500 if sex == "m" else 1300
        players.append({
            "number": number, "name": f"P{number}", "sex": sex, "rating": rating,
            "rated": None if unrated else rating, "k": 10,
        })  # fmt: skip
    games = _games(rnd, players, 7, round_robin, 0 if round_robin else 0.05, not round_robin)
    way = Way(by="round-robin" if round_robin else "average", rounding=half_up, rounds="rating")
    return Made(
        rules="cca/rating/undated", format="round-robin" if round_robin else "swiss", start=date(2024, 5, 1),
        players=players, games=games, way=way,
    )  # fmt: skip


def made_xiangqi(rnd, *, round_robin=False):
    size = rnd.randint(11, 14) if round_robin else rnd.randint(12, 24)
    sexes = rnd.choice(["m", "m", "w", "mmw"])
    players = []
    for number in range(1, size + 1):
        sex = rnd.choice(sexes)
        # In a mixed event article 9 is for women below 2300 only.
        rating = rnd.randint(2301, 2620) if sex == "m" else rnd.randint(2101, 2480 if sexes == "w" else 2299)
        unrated = not round_robin and rnd.random() < 0.1
        if unrated:
            rating = 2300 if sex == "m" else 2100
        players.append({
            "number": number, "name": f"P{number}", "sex": sex, "rating": rating,
            "rated": None if unrated else rating, "k": 25 if unrated else rnd.choice([10, 15, 25]),
        })  # fmt: skip
    mixed = len({p["sex"] for p in players}) == 2
    games = _games(rnd, players, rnd.choice([7, 9]), round_robin, 0 if round_robin else 0.05, not round_robin)
    order = list(range(1, size + 1))
    rnd.shuffle(order)
    for player, rank in zip(players, order, strict=True):
        player["rank"] = rank
    way = Way(by="round-robin" if round_robin and not mixed else "average", rounding=half_up, rounds="rating")
    return Made(
        rules="cxa/rating/undated", format="round-robin" if round_robin else "swiss", start=date(2024, 5, 1),
        players=players, games=games, way=way, xiangqi=True,
    )  # fmt: skip


MAKERS = {
    "fide": lambda rnd: made_fide(rnd),
    "fide-round-robin": lambda rnd: made_fide(rnd, round_robin=True),
    "cca": lambda rnd: made_cca(rnd),
    "cca-round-robin": lambda rnd: made_cca(rnd, round_robin=True),
    "xiangqi": lambda rnd: made_xiangqi(rnd),
    "xiangqi-round-robin": lambda rnd: made_xiangqi(rnd, round_robin=True),
}


def mistakes(rnd, made):
    """The mistakes that can be planted: name -> (Way, only for players who are concerned)."""
    way = made.way
    found = {
        "other-k": replace(way, k=rnd.choice([10, 15, 20, 25, 30, 40])),
        "formula": replace(
            way, law=rnd.choice([logistic, normal]), **({"cap": None} if rnd.random() < 0.3 else {})
        ),
        "half-even": replace(way, rounding=half_even),
        "forfeit-counted": replace(way, forfeits=True),
    }
    if way.by == "game":
        found["uncapped"] = replace(way, cap=None)
        found["other-edition"] = rnd.choice(
            [replace(way, cap=350, cap_once=False, exempt=None)]
            + [replace(way, **{"cap_once": False, "exempt": None, **cap}) for _, cap in FIDE.values()]
        )
    elif way.by == "round-robin":
        found["swiss-formula"] = replace(way, by="average")
    elif not (made.xiangqi and len({p["sex"] for p in made.players}) == 2):
        found["round-robin-formula"] = replace(way, by="round-robin", own_field=rnd.random() < 0.5)
    if made.rules.startswith("fide"):
        found["unrated-counted"] = replace(way, unrated_at=rnd.choice([1000, 1400, 1800, 2000]))
    elif made.xiangqi and made.format == "swiss":
        found["unrated-counted"] = replace(way, unrated_at=0)
    return found


def correct(rnd, made, style=None):
    """What a careful officer prints: {number: cells}. ``style``: which columns, with how many decimals."""
    style = style or styles(rnd, made)
    return {
        p["number"]: cells(made.published(p["number"]), style)
        for p in made.players
        if made.published(p["number"]) is not None and not (made.xiangqi and p["rated"] is None)
    }


def styles(rnd, made):
    """Columns of a report: change with so many decimals (whole where the edition rounds it), others or not."""
    fide = made.rules.startswith("fide")
    return {
        "change": rnd.choice([0, 0, 1, 2]) if fide else rnd.choice([1, 2, 2]),
        "expected": rnd.choice([None, 2]),
        "new_rating": rnd.random() < (0.4 if fide else 0.7),
    }


def cells(published, style):
    row = {"change": text(published.change, style["change"]) if style["change"] else str(published.whole)}
    if style["expected"]:
        row["expected"] = text(published.we, style["expected"])
    if style["new_rating"]:
        row["new_rating"] = published.new
    return row


def random_event(seed, kind):
    return MAKERS[kind](random.Random(seed))
