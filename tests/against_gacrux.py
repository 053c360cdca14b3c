"""The same tournament file worked by this program and by gacrux (TieBreakServer), value by value.

``python tests/against_gacrux.py 3200`` (a second number is the first seed) prints how many values agree, and every kind of difference with its reason.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.source import Source
from qiyi_analysis.tiebreaks import Standings, parse, standings
from qiyi_analysis.tiebreaks.grid import FORFEIT_LOSS, REQUESTED

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
import generated_tournaments

DAYS = {"2024": "2025/06/01", "2026": "2026/04/01"}
INDIVIDUAL = " ".join(
    (
        "PTS DE WIN WON BPG BWG REP STD TPN PS PS/C1 PS/C2 KS KS/L+1 KS/L-1 KS/L+2 BH BH/C1 BH/C2 BH/M1 BH/M2 BH/P BH/C1/P",
        "AOB SB SB/C1 SB/C2 SB/P SB/C1/P RTNG ARO ARO/C1 ARO/C2 ARO/M1 ARO/M2 TPR PTP APRO",
        "APPO ARO/U1400 ARO/C1/U1400 TPR/U1400 PTP/U1400 APRO/U1400 APPO/U1400",
        # gacrux marks the last round as played once FB is asked for, and later codes then read that: FB goes last.
        "FB FB/C1 FB/C2 FB/M1 FB/M2 AOB/F",
    )
).split()
FORFEITS_COUNT = ["PTS", "DE/P"]
TEAMS = [
    "MP",
    "EDE",
    "GP",
    "MPvGP",
    "WIN:MP",
    "PS:MP",
    "PS:GP",
    "BH:MP",
    "BH:MP/C1",
    "BH:MP/C2",
    "BH:MP/M1",
    "BH:GP",
    "BH:GP/C1",
    "SB:MP",
    "SB:GP",
    "SB:MP/C1",
    "EMMSB",
    "EMMSB/C1",
    "EMGSB",
    "EMGSB/C1",
    "EGMSB",
    "EGMSB/C1",
    "EGGSB",
    "EGGSB/C1",
    "SSSC",
    "SSSC/K4",
    "KS:MP",
    "AOB:MP",
    "BC",
    "FB:MP",
    "FB:GP",
    "SSSC/F",
]
TEAMS_RELATIVE = [
    ["MP", "GP", "TBR"],
    ["MP", "GP", "BBE"],
    ["MP", "GP", "EDEBT"],
    ["MP", "EDET"],
    ["MP", "EDEB"],
    ["MP", "EDEBB"],
]
#: How gacrux spells what this program spells otherwise.
SPELLED = {"MP": "MPTS", "GP": "GPTS"}


@dataclass(frozen=True)
class Difference:
    """One value on which the two programs do not agree."""

    file: str
    edition: str
    code: str
    number: int
    ours: str | None
    theirs: str | None
    reason: str


def gacrux_values(text: str, codes: list[str], kind: str) -> dict[int, list[object]]:
    """Values by competitor, in the order of ``codes``. Raises whatever gacrux raises."""
    file = trf2json()
    file.parse_file(text, 0)
    tournament = file.get_tournament(1)
    # Said outright: left alone gacrux takes a Swiss with one round less than players for a round robin.
    fixed = kind == "round_robin"
    params = {
        "tiebreak": [SPELLED.get(code, code) for code in codes],
        "check": False,
        "unrated": None,
        "pre_determined": fixed,
        "swiss": not fixed,
    }
    result = tiebreak(tournament, -1, params).compute_tiebreaks(tournament, params)
    return {row["cid"]: list(row["tiebreakScore"]) for row in result["competitors"]}


def lists_for(kind: str) -> list[list[str]]:
    """The lists of codes for a kind of tournament; codes inside a tied group need lists of their own."""
    if kind == "teams":
        return [TEAMS, *TEAMS_RELATIVE]
    return [INDIVIDUAL, FORFEITS_COUNT]


def differences(kind: str, seed: int) -> Iterator[tuple[int, list[Difference]]]:
    """(number of values compared, differences) for each edition and list of one generated tournament."""
    for edition, day in DAYS.items():
        text = getattr(generated_tournaments, kind)(seed, day)
        event = events_from((Source(f"{kind}-{seed}.trf", text.encode()),), f"{kind}-{seed}")[0]
        for codes in lists_for(kind):
            theirs = gacrux_values(text, codes, kind)
            result = standings(event, codes)
            compared, found = 0, []
            columns = [(code, result.column(code)) for code in codes]
            texts = {code: column.texts() for code, column in columns}
            for row, number in enumerate(result.grid.numbers):
                for i, (code, column) in enumerate(columns):
                    compared += 1
                    ours, other = texts[code][row], theirs[int(number)][i]
                    if not same(ours, other, column.value(row)):
                        reason = explained(event, result, code, row, ours, other, edition)
                        found.append(
                            Difference(
                                event.id,
                                edition,
                                code,
                                int(number),
                                ours,
                                None if other is None else str(other),
                                reason,
                            )
                        )
            yield compared, found


def same(ours: str | None, theirs: object, exact: object) -> bool:
    """Equal at the decimals gacrux prints; what has no opponents is nothing there and 0 here, or the reverse."""
    if theirs is None or ours is None:
        return (ours is None or ours == "0") and (theirs is None or theirs == 0)
    difference = abs(Decimal(str(theirs)) - Decimal(ours))
    places = -int(Decimal(str(theirs)).as_tuple().exponent)
    return difference == 0 or (
        places >= 2 and difference <= Decimal("0.0051") and "." in ours and len(ours.split(".")[1]) > 2
    )


def explained(
    event: Event, result: Standings, code: str, row: int, ours: str | None, theirs: object, edition: str
) -> str:
    """The article, or the fault of the other program, behind a difference; "" where there is none yet."""
    if code == "STD" and edition:
        rules = result.work.rules_for(parse("STD"))
        drawn = rules.with_block("standard_points", compared_with="draw")
        if same(standings(event, ["PTS", "STD"], drawn).column("STD").texts()[row], theirs, None):
            return "7.7: points against the scheduled opponent; gacrux compares with a draw"
    if code == "FB:GP":
        # A requested bye before a forfeit of the last round: drawn, that round is no voluntary unplayed one any more.
        grid = result.grid
        trailing = (grid.cell[:, -1] == FORFEIT_LOSS) & (grid.cell[:, :-1] == REQUESTED).any(axis=1)
        if trailing[grid.opponent[row][grid.paired[row]]].any() or trailing[row]:
            return "8.3, 16.3: gacrux marks the drawn last round for match points only"
    return ""


def main(count: int, start: int = 0) -> int:
    """Run ``count`` tournaments from seed ``start``, two Swiss to one round robin and one of teams; print the figures."""
    begun = time.perf_counter()
    kinds = ("swiss", "swiss", "round_robin", "teams")
    total, unexplained = 0, 0
    by_reason: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    failures: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for seed in range(start, start + count):
        kind = kinds[seed % len(kinds)]
        try:
            for compared, found in differences(kind, seed):
                total += compared
                for difference in found:
                    by_reason[difference.reason, difference.code].append(difference)
            files[kind] += 1
        except Exception as error:  # whatever the other program raises is counted, not hidden
            failures[f"{kind}: {type(error).__name__}: {str(error)[:90]}"] += 1
    for (reason, code), found in sorted(by_reason.items(), key=lambda item: (item[0][0], -len(item[1]))):
        unexplained += len(found) if not reason else 0
        first = found[0]
        where = f"{first.file} @{first.edition} {first.number}: {first.ours} / {first.theirs}"
        print(f"{len(found):>7}  {code:<14} {reason or 'NOT EXPLAINED':<60} {where}")
    for failure, times in failures.most_common():
        print(f"{times:>7}  {failure}")
    print(
        dict(files),
        f"{total} values, {sum(map(len, by_reason.values()))} differ, {unexplained} not explained,",
    )
    print(f"{sum(failures.values())} tournaments not worked, {time.perf_counter() - begun:.0f} s")
    return 1 if unexplained or failures else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3] or ["200"])))
