"""Place points of teams: the places of individuals in the groups that feed a team category."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.frame import records
from qiyi_analysis.rules.chinese_names import plain_group, plain_title
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.result import Row, Titles, players_frame
from qiyi_analysis.titles.standing import places, starters

PLACE_POINTS = "place-points"
ENTRY_COLUMNS = ("event", "number", "name", "team", "group", "sex", "place", "points", "rewarded", "article")
TEAM_COLUMNS = ("category", "place", "team", "points", "members", "rewarded", "article")

#: Heads of a column that names the group of each player, as files write it.
_GROUP_HEADS = ("players.group", "players.组别", "players.组")


def place_points_of(events: Sequence[Event], rules: RuleSet) -> Titles:
    """Points of every entrant and the ranking of teams in every category.

    The group of a player is the column ``group`` (组别) of the players, else ``group`` among the facts
    of the event. Boys and girls of a group are placed apart. A place that the file does not tell gives
    no points and is named.
    """
    findings: list[Finding] = []
    entries = pd.DataFrame(
        [entry for event in events for entry in _entries(event, rules, findings)], columns=list(ENTRY_COLUMNS)
    )
    rows = [
        Row(
            number=int(entry.number),
            name=entry.name,
            title=entry.group,
            kind=PLACE_POINTS,
            reached=None if pd.isna(entry.place) else True,
            missing=(Missing(what="place_unknown", article=entry.article, unknown=True),)
            if pd.isna(entry.place)
            else (),
            article=entry.article,
        )
        for entry in records(entries)
    ]
    return Titles(
        event=events[0].id,
        rules=rules,
        players=players_frame(rows),
        entries=entries,
        teams=team_ranking(entries, rules),
        findings=ordered(findings),
    )


def points_of_place(place: int, rules: RuleSet) -> int:
    """Points of one place; places below the last one that counts give the points for taking part."""
    points = rules.need("place_points")["points"]
    part = rules.block("taking_part")
    given = part["points"] if part else 0
    if place <= len(points):
        return points[place - 1] + (given if part and part["given"] == "added" else 0)
    return given


def team_ranking(entries: pd.DataFrame, rules: RuleSet) -> pd.DataFrame:
    """Teams by category: sum of the points of the team's entrants in the groups that feed it."""
    found = []
    rewarded = rules.value("rewarded", "teams", 0)
    for category in rules.rows("team_category"):
        here = entries[entries["group"].isin(category["groups"]) & (entries["team"] != "")]
        sums: dict[str, int] = {}
        counted: dict[str, list[str]] = {}
        for team, members in here.groupby("team", sort=True):
            best = members.sort_values(["points", "number"], ascending=[False, True], kind="stable")
            best = best.head(category.get("members_at_most", len(best)))
            sums[str(team)] = int(best["points"].sum())
            counted[str(team)] = [f"{m.name} {m.group} {m.points}" for m in records(best)]
        worth: dict[str, tuple[int, float]] = {team: (points, 0) for team, points in sums.items()}
        if rules.value("team_tie", "rule") == "best-place":
            place_of = {
                str(team): float(place) for team, place in here.groupby("team")["place"].min().items()
            }
            worth = {team: (points, -place_of[team]) for team, points in sums.items()}
        for team, points in sorted(sums.items(), key=lambda item: (-item[1], item[0])):
            place = 1 + sum(other > worth[team] for other in worth.values())
            found.append(
                {
                    "category": category["name"],
                    "place": place,
                    "team": team,
                    "points": points,
                    "members": "; ".join(counted[team]),
                    "rewarded": place <= rewarded,
                    "article": f"{rules.id} {category.article}",
                }
            )
    return pd.DataFrame(found, columns=list(TEAM_COLUMNS))


def group_name(text: str, rules: RuleSet) -> str | None:
    """The rule set's name of a group, None for one that it does not know."""
    block = _group(text, rules)
    return None if block is None else block["name"]


def _group(text: str, rules: RuleSet) -> Block | None:
    word = plain_group(text)[0]
    names = (word, plain_title(word))
    for block in rules.rows("group"):
        if any(plain_group(one)[0] in names for one in (block["name"], *block.get("spellings", ()))):
            return block
    return None


def _entries(event: Event, rules: RuleSet, findings: list[Finding]) -> list[dict[str, object]]:
    """Place and points of everybody, counted among those of the same group and sex."""
    block = rules.need("place_points")
    article = f"{rules.id} {block.article}"
    ranks = places(event)
    fields: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for player, group, sex in _grouped(event, rules, article, findings):
        fields[group, sex].append(player)
    found = []
    for (group, sex), players in fields.items():
        known = sorted(ranks[int(player.number)] for player in players if int(player.number) in ranks)
        for player in players:
            rank = ranks.get(int(player.number))
            place = None if rank is None else 1 + known.index(rank)
            shared = rank is not None and known.count(rank) > 1
            if place is not None and shared and place <= len(block["points"]):
                findings.append(
                    Finding(
                        code="CK45",
                        reason="place-shared",
                        player=int(player.number),
                        article=article,
                        values={"name": player.name, "place": place},
                    )
                )
            found.append(
                {
                    "event": event.id,
                    "number": int(player.number),
                    "name": player.name,
                    "team": player.team or player.unit,
                    "group": group,
                    "sex": sex,
                    "place": place,
                    "points": points_of_place(place, rules) if place is not None else 0,
                    "rewarded": place is not None and place <= rules.value("rewarded", "individuals", 0),
                    "article": article,
                }
            )
    return sorted(found, key=lambda entry: int(str(entry["number"])))


def _grouped(
    event: Event, rules: RuleSet, article: str, findings: list[Finding]
) -> Iterator[tuple[Any, str, str]]:
    """The players who started, with their group and sex; the others are named, each unknown group once."""
    started = starters(event)
    unknown: dict[str, list[int]] = defaultdict(list)
    outside: dict[str, list[int]] = defaultdict(list)
    for player in records(event.players):
        number = int(player.number)
        text = _group_text(event, number)
        block = _group(text, rules)
        if block is None:
            unknown[text].append(number)
            continue
        born = player.birth_year
        if born < block.get("born_from", -np.inf) or born > block.get("born_to", np.inf):
            outside[block["name"]].append(number)
        if len(event.games) and number not in started:
            findings.append(
                Finding(
                    code="CK44",
                    reason="not-started",
                    player=number,
                    article=article,
                    values={"name": player.name},
                )
            )
        else:
            yield player, block["name"], player.sex or plain_group(text)[1]
    for reason, found in (("group-unknown", unknown), ("group-of-other-births", outside)):
        for text, numbers in found.items():
            values = {"count": len(numbers), "players": words.joined(map(str, numbers)), "group": text}
            findings.append(
                Finding(
                    code="CK44", reason=reason, field="group", published=text, article=article, values=values
                )
            )


def _group_text(event: Event, number: int) -> str:
    for head in _GROUP_HEADS:
        column = event.extra.get(head)
        if column and number in column:
            return str(column[number])
    return str(event.extra.get("group", ""))
