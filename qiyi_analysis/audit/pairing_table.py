"""The pairing table of a round robin (循环赛对局秩序表, Berger) and the colours of team boards, as checks of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qiyi_analysis import words
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event, Kind, sides
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import records
from qiyi_analysis.tiebreaks.grid import is_round_robin
from qiyi_analysis.tiebreaks.teams import board_colours, boards_of_matches, matches_of

#: Rounds of pairs (first move, second move); 0 stands for the free round of an odd field.
Table = list[list[tuple[int, int]]]

#: From more missing pairings on, one finding names them all.
MANY = 6


def table(players: int) -> Table:
    """The pairing table for a field; the pair of the largest number is printed first in every round.

    Round 1 folds the list; the largest number moves second in round 1, first in round 2 and so on; its opponent is the
    last number printed in the round before; the others stand around that opponent in a circle.
    """
    largest = players + players % 2
    circle = largest - 1
    rounds: Table = []
    opponent = 1
    for round_ in range(1, largest):
        pairs = [(opponent, largest) if round_ % 2 else (largest, opponent)]
        for step in range(1, largest // 2):
            pairs.append(((opponent - 1 + step) % circle + 1, (opponent - 1 - step) % circle + 1))
        rounds.append([tuple(0 if n > players else n for n in pair) for pair in pairs])  # type: ignore[misc]
        opponent = pairs[-1][1]
    return rounds


@dataclass(frozen=True)
class Fit:
    """How far a round robin follows the table: the lot numbers that fit best, and where it does not."""

    lots: Mapping[int, int]  # player -> number in the table
    pairings: tuple[
        tuple[int, int, int], ...
    ]  # (round, player, player) paired in another round than the table has
    colours: tuple[tuple[int, int, int], ...]  # (round, first, second) with the colours of the table reversed
    games: int


def fit(event: Event) -> Fit | None:
    """Fit the event to the table, over all ways to give out lot numbers; None where it is no complete round robin.

    Whoever holds the largest number fixes everybody else's by the order of his opponents, so there are only as many
    ways as players (one for an odd field, where nobody holds it).
    """
    numbers = [int(n) for n in event.players["number"]]
    size = len(numbers)
    if not is_round_robin(event) or size < 3:
        return None
    per_round: dict[int, dict[frozenset[int], tuple[int, int]]] = {}
    known = True
    for game in records(event.games):
        if game.second and game.kind not in (Kind.EXTRA,):
            pair = (int(game.first), int(game.second))
            per_round.setdefault(int(game.round), {})[frozenset(pair)] = pair
            known = known and bool(game.colours_known)
    rounds = sorted(per_round)
    length = size - 1 + size % 2
    if not rounds or len(rounds) % length:
        return None
    best: Fit | None = None
    for holder in [0] if size % 2 else numbers:
        lots = _lots(holder, [per_round[r] for r in rounds[:length]], numbers, size)
        if lots is None:
            continue
        found = _deviations(lots, per_round, rounds, size, known)
        if best is None or (len(found.pairings), len(found.colours)) < (
            len(best.pairings),
            len(best.colours),
        ):
            best = found
    return best


def _lots(
    holder: int, rounds: Sequence[Mapping[frozenset[int], tuple[int, int]]], numbers: Sequence[int], size: int
) -> dict[int, int] | None:
    """Lot numbers if ``holder`` (0: nobody) has the largest one; None where his opponents do not fix them."""
    lots = {holder: size} if holder else {}
    for pairs, expected in zip(rounds, table(size), strict=True):
        first, second = expected[0]
        lot = second if first in (0, size) and first != second and (first == 0 or size % 2 == 0) else first
        if size % 2:
            lot = first or second
            playing = {player for pair in pairs for player in pair}
            free = [n for n in numbers if n not in playing]
            if len(free) != 1:
                return None
            lots[free[0]] = lot
        else:
            lot = second if first == size else first
            met = [other for pair in pairs if holder in pair for other in pair - {holder}]
            if len(met) != 1:
                return None
            lots[met[0]] = lot
    return lots if len(lots) == size and len(set(lots.values())) == size else None


def _deviations(
    lots: Mapping[int, int],
    per_round: Mapping[int, Mapping[frozenset[int], tuple[int, int]]],
    rounds: Sequence[int],
    size: int,
    colours_known: bool,
) -> Fit:
    player = {lot: number for number, lot in lots.items()}
    expected = table(size)
    pairings, colours, games = [], [], 0
    turned: Counter[int] = Counter()
    by_cycle: dict[int, list[tuple[int, int, int, bool]]] = {}
    for index, round_ in enumerate(rounds):
        cycle, step = divmod(index, len(expected))
        for first, second in expected[step]:
            if not first or not second:
                continue
            games += 1
            pair = (player[first], player[second])
            actual = per_round[round_].get(frozenset(pair))
            if actual is None:
                pairings.append((round_, *pair))
            else:
                by_cycle.setdefault(cycle, []).append((round_, *actual, actual == pair))
                turned[cycle] += actual == pair
    for rows in by_cycle.values():
        # A later cycle usually turns all colours round; what counts is that a cycle does so as a whole.
        straight = 2 * sum(right for *_, right in rows) >= len(rows)
        colours += [(round_, a, b) for round_, a, b, right in rows if right != straight]
    return Fit(
        lots=dict(lots),
        pairings=tuple(pairings),
        colours=tuple(colours) if colours_known else (),
        games=games,
    )


def check(event: Event) -> tuple[Finding, ...]:
    """Round robins: who met whom how often, and whether order and colours are those of the table (CK35)."""
    if event.format.startswith("team") or not is_round_robin(event):
        return ()
    findings = _meetings(event)
    # Where the rounds are not known, their order says nothing.
    found = None if event.extra.get("games.rounds_unknown") else fit(event)
    if found is None:
        return tuple(findings)
    wrong = len(found.pairings)
    # The table is a custom, not a rule of every event: a field drawn otherwise is only told so.
    if (wrong + len(found.colours)) * 4 > found.games:
        values = {"games": found.games}
        findings.append(Finding(code="CK35", reason="berger-not-followed", severity="I", values=values))
        return tuple(findings)
    if not wrong and not found.colours:
        lots = [f"{number}={lot}" for number, lot in sorted(found.lots.items(), key=lambda x: x[1])]
        findings.append(Finding(code="CK35", reason="berger-followed", severity="I", values={"lots": lots}))
    for round_, first, second in found.pairings:
        values = {"other": second}
        findings.append(
            Finding(
                code="CK35", reason="berger-pairing", severity="I", round=round_, player=first, values=values
            )
        )
    for round_, first, second in found.colours:
        values = {"other": second}
        findings.append(
            Finding(
                code="CK35", reason="berger-colours", severity="I", round=round_, player=first, values=values
            )
        )
    return tuple(findings)


def _meetings(event: Event) -> list[Finding]:
    """Pairs that met less or more often than the others."""
    counts, usual = _counted(event)
    silent = _nothing_printed(event)
    findings: list[Finding] = []
    fewer: list[Finding] = []
    unprinted = 0
    numbers = sorted(int(n) for n in event.players["number"])
    for i, one in enumerate(numbers if counts else ()):
        for other in numbers[i + 1 :]:
            met = counts[frozenset((one, other))]
            if met == usual or (met < usual and _unfinished(event)):
                continue
            if met < usual and one in silent and other in silent:
                unprinted += 1
                continue
            values = {"other": other, "met": met, "usual": usual}
            finding = Finding(code="CK35", reason="round-robin-meetings", player=one, values=values)
            (fewer if met < usual else findings).append(finding)
    if unprinted:
        values = {"pairs": unprinted, "players": len(silent)}
        findings.append(
            Finding(code="CK35", reason="round-robin-partly-printed", severity="I", values=values)
        )
    if len(fewer) > MANY:
        shown = words.joined((f"{f.player}-{f.values['other']}" for f in fewer), MANY)
        missing = {"pairs": len(fewer), "of": len(numbers) * (len(numbers) - 1) // 2, "shown": shown}
        # Points that the missing games can explain, all of them, say that the file holds only some of the games.
        severity = "I" if points_without_games(event) else "W"
        return [
            *findings,
            Finding(code="CK35", reason="round-robin-meetings-many", severity=severity, values=missing),
        ]
    return [*findings, *fewer]


def _counted(event: Event) -> tuple[Counter[frozenset[int]], int]:
    """How often each pair met, and how often pairs usually do; nothing where that says nothing."""
    counts: Counter[frozenset[int]] = Counter()
    for game in records(event.games):
        if game.second and game.kind != Kind.EXTRA:
            counts[frozenset((int(game.first), int(game.second)))] += 1
    if not counts or len(event.players) < 3:
        return Counter(), 0
    usual = 2 if event.format == "double-round-robin" else Counter(counts.values()).most_common(1)[0][0]
    return counts, usual


def points_without_games(event: Event) -> set[int]:
    """Players of a round robin whose printed points go beyond the games of the file by what missing games can bring.

    Empty where few games are missing, or where the points of anybody contradict the games at hand: then the file is
    wrong, not a part of the event.
    """
    if event.format.startswith("team") or not is_round_robin(event) or _unfinished(event):
        return set()
    counts, usual = _counted(event)
    players = event.players
    met = sum(min(n, usual) for n in counts.values())
    if usual * len(players) * (len(players) - 1) // 2 - met <= MANY:
        return set()
    sums = sides(event.games).groupby("player")["points"].sum()
    found = set()
    numbers = [int(n) for n in players["number"]]
    for one, printed in zip(numbers, players["points"], strict=True):
        missing = sum(max(0, usual - counts[frozenset((one, other))]) for other in numbers if other != one)
        beyond = float(printed) - float(sums.get(one, 0.0))
        if printed != printed or abs(beyond) < 1e-6:
            continue
        if not 0 < beyond <= missing * float(event.scoring.win) + 1e-6:
            return set()
        found.add(one)
    return found


def _nothing_printed(event: Event) -> set[int]:
    """Players of whom the file prints nothing, where it prints the results of others: it gives a part of the event."""
    columns = ["rank", "points", "expected", "change", "new_rating", "performance", *TIE_BREAK_COLUMNS]
    printed = event.players[columns].notna().any(axis=1)
    if not printed.any():
        return set()
    return {int(n) for n in event.players.loc[~printed, "number"]}


def _unfinished(event: Event) -> bool:
    return event.rounds is not None and event.rounds_played < event.rounds


def first_movers(boards: int, *, first_team_begins: bool = True) -> list[int]:
    """Which team (1 the first-named, 2 the other) has the first move on boards 1, 2, ...: odd boards the first-named."""
    return [1 if (board % 2 == 1) == first_team_begins else 2 for board in range(1, boards + 1)]


def check_team_colours(event: Event) -> tuple[Finding, ...]:
    """Boards of a team match whose colours do not alternate from board 1 (xiangqi 1999 13.2; TRF record 352)."""
    findings = []
    boards = boards_of_matches(event)
    pattern = board_colours(event)
    for match in records(matches_of(event)):
        found = boards.get((int(match.round), frozenset((int(match.first), int(match.second)))), [])
        played = [board for board in found if board.both and board.mover[0]]
        if len(played) < 2:
            continue
        ordered = sorted(((board, board.mover) for board in played), key=lambda x: x[0].board)
        begins = ordered[0][1][1] == int(match.first)
        teams = [0, int(match.first), int(match.second)]
        usual = (
            [1 if (c == "W") == (begins == (pattern[0] == "W")) else 2 for c in pattern]
            if len(pattern) >= len(found)
            else first_movers(max(b.board for b, _ in ordered), first_team_begins=begins)
        )
        for board, (player, team) in ordered:
            if board.board <= len(usual) and teams[usual[board.board - 1]] != team:
                values = {"board": board.board}
                findings.append(
                    Finding(
                        code="CK43",
                        reason="team-colours",
                        severity="I",
                        round=int(match.round),
                        player=player,
                        values=values,
                    )
                )
    return tuple(findings)
