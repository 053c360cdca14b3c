"""FIDE titles of an event: norms, direct titles, titles by rating, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd

from qiyi_analysis.findings import Finding, ordered
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.ruleset import Block, RuleSet
from qiyi_analysis.time_control import player_minutes
from qiyi_analysis.titles.norm_search import (
    Candidate,
    Search,
    Selection,
    least,
    lowest_score,
    most,
    performance_table,
    round_half_up,
)
from qiyi_analysis.titles.norms import Count, Entrant, NormRound, NormRounds, NormSheet, exempt_by_field
from qiyi_analysis.titles.result import Missing, Row, Titles, players_frame
from qiyi_analysis.titles.spelling import UNKNOWN

NORM, DIRECT, BY_RATING = "norm", "direct-title", "rating-title"


def fide_titles_of(
    event: Event, rules: RuleSet, lists: Sequence[RatingList] = (), event_type: str = ""
) -> Titles:
    """Norms and titles of an event under an edition of B.01.

    ``event_type`` (or ``title_event`` among the event's own facts) names an event with rules of its own:
    national-championship, national-team-championship, zonal, world-team, world-cup, olympiad, ...
    ``lists`` are needed only by events so long that the rating of each game's day counts.
    """
    event_type = event_type or str(event.extra.get("title_event", ""))
    rounds = NormRounds(event, rules, lists)
    candidates = _candidates(event, rules, rounds, event_type)
    search = Search(list(candidates.values()), rules)
    rows: list[Row] = []
    sheets: list[NormSheet] = []
    findings = _spelling_findings(event, rules, rounds.players)
    for norm in rules.rows("norm"):
        chosen = search.judge(norm)
        for number, player in rounds.players.items():
            selection = chosen.get(number)
            if selection is None or not _asked(player, norm, rules, selection):
                continue
            sheet = norm_sheet(candidates[number], rounds.rounds[number], selection, norm, rules)
            if number in search.incomplete:
                sheet = _doubted(sheet, "too_many_selections", norm.article)
            if norm["women_only"] and player.sex != "w" and not _woman_by_title(player, rules):
                sheet = _doubted(sheet, "sex_unknown", norm.article)
            rows.append(_row(sheet))
            if sheet.reached is not False or sum(not m.unknown for m in sheet.missing) <= 1:
                sheets.append(sheet)
    findings += _other_reading(candidates, rules, sheets)
    rows += _titles_by_rating(event, rules, rounds.players)
    rows += _direct_titles(event, rules, rounds.players)
    findings += _norm_findings(event, rules, rounds, sheets, rows)
    rows.sort(key=lambda row: (row.number, row.kind != NORM))
    return Titles(
        event=event.id,
        rules=rules,
        players=players_frame(rows),
        sheets=tuple(sorted(sheets, key=lambda s: (s.reached is not True, s.reached is False, s.number))),
        findings=ordered(findings),
    )


def _candidates(event: Event, rules: RuleSet, rounds: NormRounds, event_type: str) -> dict[int, Candidate]:
    fixed = event.format in rules.need("later_rounds")["fixed_pairings"]
    keep_beaten = fixed and rules.need("beaten_opponents")["with_fixed_pairings"] == "all-rounds"
    special = {block["event_type"]: block for block in rules.rows("games_by_event")}
    double = event.format == "double-round-robin"
    enough_players = not double or len(event.players) >= rules.value(
        "double_round_robin", "players_at_least", 0
    )
    by_field = exempt_by_field(event, rules, rounds.players)
    found = {}
    for number, player in rounds.players.items():
        games = tuple(item for item in rounds.rounds[number] if item.counted)
        at_least, counts_as = rules.need("games")["at_least"], None
        if event_type in special:
            at_least, counts_as = special[event_type]["at_least"], special[event_type].get("counts_as")
        elif rounds.missing_game_allowed(number):
            block = rules.need("missing_game")
            at_least, counts_as = block["games"], block["counts_as"]
        found[number] = Candidate(
            player=player,
            games=games,
            opponents=tuple(rounds.players[item.opponent] for item in games),
            games_at_least=at_least,
            counts_as=counts_as,
            may_skip_later=not fixed,
            may_skip_beaten=not keep_beaten,
            leave_out_known=event.format != "",
            exempt=_exempt(event, rules, player, event_type) or by_field,
            double_round_robin=double,
            complete=enough_players and (not fixed or event.rounds_played >= rounds.scheduled),
        )
    return found


def _other_reading(
    candidates: dict[int, Candidate], rules: RuleSet, sheets: Sequence[NormSheet]
) -> list[Finding]:
    """Norms that only the other reading of the article on beaten opponents would give (fixed pairings)."""
    kept = [candidate for candidate in candidates.values() if not candidate.may_skip_beaten]
    if not kept:
        return []
    search = Search([replace(candidate, may_skip_beaten=True) for candidate in kept], rules)
    reached = {(sheet.number, sheet.title) for sheet in sheets if sheet.reached}
    article = rules.need("beaten_opponents").article
    findings = []
    for norm in rules.rows("norm"):
        for number, selection in search.judge(norm).items():
            player = candidates[number].player
            if (
                selection.reached
                and (number, norm["title"]) not in reached
                and _asked(player, norm, rules, selection)
            ):
                findings.append(
                    Finding(
                        code="CK45",
                        reason="norm-other-reading",
                        player=number,
                        article=f"{rules.id} {article}",
                        values={"name": player.name, "title": norm["title"]},
                    )
                )
    return findings


def _exempt(event: Event, rules: RuleSet, player: Entrant, event_type: str) -> bool:
    for block in rules.rows("foreign_exempt"):
        if block["event_type"] == event_type:
            return (
                not block.get("registering_federation_only") or player.federation == event.federation.upper()
            )
    return False


def _asked(player: Entrant, norm: Block, rules: RuleSet, selection: Selection) -> bool:
    """Whether the norm makes sense for the player: a title not held, and women's titles for women."""
    order = rules.need("title_order")
    higher = (
        set(norm["met"])
        if norm["title"] not in order["open"]
        else set(order["open"][: order["open"].index(norm["title"]) + 1])
    )
    if player.titles & higher:
        return False
    if not norm["women_only"] or player.sex == "w" or (not player.sex and _woman_by_title(player, rules)):
        return True
    # Sex not given, or contradicting the title: asked only where the norm could have been reached.
    doubtful = not player.sex or bool(player.titles & set(order["women"]))
    return doubtful and selection.reached is not False


def _woman_by_title(player: Entrant, rules: RuleSet) -> bool:
    return player.sex != "m" and bool(player.titles & set(rules.need("title_order")["women"]))


def norm_sheet(
    candidate: Candidate, rounds: Sequence[NormRound], selection: Selection, norm: Block, rules: RuleSet
) -> NormSheet:
    """The sheet of one player and norm for the selection of games that decides."""
    player = candidate.player
    taken = [candidate.games[i] for i in selection.taken]
    opponents = [candidate.opponents[i] for i in selection.taken]
    n = len(taken)
    inside = {item.round for item in taken}
    last = max(inside, default=0)
    shown = [_left_out(item, inside, last, rules) for item in rounds]
    used = [item.rating_used or 0 for item in taken]
    floor_at, total = _floored(used, norm, rules)
    if floor_at is not None:
        number, at = taken[floor_at].opponent, taken[floor_at].round
        raised = {"rating_used": norm["floor"]}
        shown = [
            replace(item, **raised) if (item.opponent, item.round) == (number, at) else item for item in shown
        ]
    half_points = sum(item.half_points or 0 for item in taken)
    exact = Fraction(total, n)
    average = int(round_half_up(total, n))
    percent = int(round_half_up(100 * half_points, 2 * n))
    difference = int(performance_table(rules)[percent])
    counts = _counts(candidate, opponents, n, norm, rules)
    counts_as, extra = _games_for_application(candidate, n, half_points, average, norm, rules)
    foreigner = all(c.met for c in counts if c.what in ("foreign", "own", "one"))
    draft = NormSheet(
        number=player.number,
        id=player.id,
        name=player.name,
        sex=player.sex,
        federation=player.federation,
        held=player.title,
        title=norm["title"],
        reached=selection.reached,
        rounds=tuple(shown),
        games=n,
        counts_as=counts_as + extra,
        extra_games=extra,
        normal_foreigner=foreigner and player.known_federation,
        missing_game=candidate.counts_as is not None and n == candidate.games_at_least,
        counts=counts,
        floor_opponent=taken[floor_at].opponent if floor_at is not None else 0,
        floor=norm["floor"],
        average_exact=exact,
        average=average,
        average_at_least=norm["average_at_least"],
        half_points=half_points,
        percent_exact=Fraction(100 * half_points, 2 * n),
        percent=percent,
        difference=difference,
        performance=average + difference,
        performance_exact=exact + difference,
        performance_at_least=norm["performance"],
        missing=(),
        article=norm.article,
    )
    missing = _missing(draft, candidate, selection, opponents, taken, norm, rules)
    return replace(draft, missing=missing)


def _left_out(item: NormRound, inside: set[int], last: int, rules: RuleSet) -> NormRound:
    """A counted round that the selection leaves out, with the article that allows it."""
    if not item.counted or item.round in inside:
        return item
    name = "later_rounds" if item.round > last else "beaten_opponents"
    article = rules.need(name).article
    return replace(item, counted=False, reason=f"{article}-{name}", article=article)


def _floored(used: Sequence[int], norm: Block, rules: RuleSet) -> tuple[int | None, int]:
    """Position of the opponent who is raised to the floor, and the sum of the ratings after that."""
    total = sum(used)
    if not used or not rules.need("floor")["opponents_at_most"]:
        return None, total
    lowest = min(range(len(used)), key=used.__getitem__)
    if used[lowest] >= norm["floor"]:
        return None, total
    return lowest, total + norm["floor"] - used[lowest]


def _counts(
    candidate: Candidate, opponents: Sequence[Entrant], n: int, norm: Block, rules: RuleSet
) -> tuple[Count, ...]:
    not_a_federation = set(rules.need("foreign")["not_a_federation"])
    codes = [o.federation for o in opponents if o.known_federation and o.federation not in not_a_federation]
    own = candidate.player.federation
    share, titled, question = (
        rules.need("federation_share"),
        rules.need("titled"),
        rules.need("title_in_question"),
    )
    wanted = set(norm["met"])
    if candidate.double_round_robin:
        needed = int(least(rules.need("double_round_robin")["title_share_at_least"], n))
    else:
        needed = max(int(least(question["share_at_least"], n)), question["number_at_least"])
    foreign = rules.need("foreign")
    return (
        Count(
            what="games",
            value=n,
            limit=candidate.games_at_least,
            at_least=True,
            article=rules.need("games").article,
        ),
        Count(
            what="foreign",
            value=len(set(codes) - {own}),
            limit=foreign["federations_at_least"],
            at_least=True,
            article=foreign.article,
        ),
        Count(
            what="own",
            value=codes.count(own),
            limit=int(most(share["own_at_most"], n)),
            at_least=False,
            article=share.article,
        ),
        Count(
            what="one",
            value=max((codes.count(code) for code in set(codes)), default=0),
            limit=int(most(share["one_at_most"], n)),
            at_least=False,
            article=share.article,
        ),
        Count(
            what="titled",
            value=sum(bool(o.titles & set(titled["titles"])) for o in opponents),
            limit=int(least(titled["share_at_least"], n)),
            at_least=True,
            article=titled.article,
        ),
        Count(
            what="in_question",
            value=sum(bool(o.titles & wanted) for o in opponents),
            limit=needed,
            at_least=True,
            article=question.article,
        ),
    )


def _games_for_application(
    candidate: Candidate, n: int, half_points: int, average: int, norm: Block, rules: RuleSet
) -> tuple[int, int]:
    """Games the norm counts towards an application, and the extra ones for points over the norm score."""
    counts_as = min(n, rules.value("games", "counts_at_most", n))
    if n == candidate.games_at_least and candidate.counts_as is not None:
        counts_as = candidate.counts_as
    needed = lowest_score(rules, norm, average, n)
    extra = 0
    if needed is not None and half_points > needed:
        extra = (half_points - needed) // 2 * rules.value("extra_points", "games_per_point", 0)
    return counts_as, extra


def _missing(
    sheet: NormSheet,
    candidate: Candidate,
    selection: Selection,
    opponents: Sequence[Entrant],
    taken: Sequence[NormRound],
    norm: Block,
    rules: RuleSet,
) -> tuple[Missing, ...]:
    """What the selection lacks, condition by condition in the order of the rule."""
    found: list[Missing] = []
    met, possible = selection.met, selection.possible
    if not met["format"]:
        later = rules.need("later_rounds")
        if not candidate.complete:
            double = rules.block("double_round_robin")
            few = candidate.double_round_robin and double is not None
            found.append(
                Missing(what="not_complete_double" if few else "not_complete", article=later.article)
            )
        else:
            found.append(Missing(what="format_unknown", article=later.article, unknown=True))
    for count in sheet.counts:
        short = abs(count.value - count.limit)
        if met[count.what]:
            continue
        if possible[count.what]:
            found.append(_unknown_count(count, candidate, opponents, rules))
        else:
            values = {"short": short, "value": count.value, "limit": count.limit, "title": sheet.title}
            found.append(Missing(what=count.what, article=count.article, values=values))
    if not met["known"]:
        found += _unknown_facts(opponents, taken, rules)
    found += _missing_score(sheet, met, possible, opponents, norm, rules)
    # One unknown federation can leave several conditions open; it is named once.
    return tuple({item.what: item for item in reversed(found)}.values())[::-1]


def _unknown_count(
    count: Count, candidate: Candidate, opponents: Sequence[Entrant], rules: RuleSet
) -> Missing:
    if count.what in ("titled", "in_question"):
        names = ", ".join(f"{o.number} {o.name} ({o.title_text})" for o in opponents if UNKNOWN in o.titles)
        return Missing(what="title_unknown", article=count.article, values={"players": names}, unknown=True)
    if not candidate.player.known_federation:
        code = candidate.player.federation or "-"
        return Missing(
            what="own_federation_unknown", article=count.article, values={"code": code}, unknown=True
        )
    if candidate.exempt is None:
        article = rules.need("foreign_exempt_field").article
        return Missing(what="host_unknown", article=article, unknown=True)
    return _federation_unknown(opponents, count.article)


def _federation_unknown(opponents: Sequence[Entrant], article: str) -> Missing:
    names = ", ".join(
        f"{o.number} {o.name} ({o.federation or '-'})" for o in opponents if not o.known_federation
    )
    return Missing(what="federation_unknown", article=article, values={"players": names}, unknown=True)


def _unknown_facts(opponents: Sequence[Entrant], taken: Sequence[NormRound], rules: RuleSet) -> list[Missing]:
    found = []
    if any(not opponent.known_federation for opponent in opponents):
        found.append(_federation_unknown(opponents, rules.need("no_fide_federation").article))
    days = ", ".join(str(item.round) for item in taken if not item.rating_known)
    if days:
        found.append(
            Missing(
                what="day_rating_unknown",
                article=rules.need("long_event").article,
                values={"rounds": days},
                unknown=True,
            )
        )
    return found


def _missing_score(
    sheet: NormSheet,
    met: Any,
    possible: Any,
    opponents: Sequence[Entrant],
    norm: Block,
    rules: RuleSet,
) -> list[Missing]:
    """Average, percentage and performance; the score that would have been enough, where there is one."""
    holders = set(rules.need("titled")["titles"])
    unrated = [o for o in opponents if o.rating is None and o.titles & holders]
    wanting = [name for name in ("average", "percent", "performance") if not met[name]]
    if wanting and unrated and all(possible[name] for name in wanting):
        names = ", ".join(f"{o.number} {o.name} ({o.title})" for o in unrated)
        return [
            Missing(
                what="rating_unknown",
                article=rules.need("unrated_opponent").article,
                values={"players": names},
                unknown=True,
            )
        ]
    found = []
    values: dict[str, object]
    if not met["average"]:
        short = sheet.average_at_least - sheet.average
        values = {"short": short, "value": sheet.average, "limit": sheet.average_at_least}
        found.append(Missing(what="average", article=norm.article, values=values))
    if met["percent"] and met["performance"]:
        return found
    needed = lowest_score(rules, norm, max(sheet.average, sheet.average_at_least), sheet.games)
    gap = sheet.performance_at_least - sheet.performance
    values = {
        "value": sheet.score,
        "performance": sheet.performance,
        "limit": sheet.performance_at_least,
        "gap": gap,
    }
    if needed is None:
        found.append(
            Missing(what="no_score_enough", article=norm.article, values={**values, "average": sheet.average})
        )
    elif needed > sheet.half_points:
        short = needed - sheet.half_points
        values |= {
            "short": f"{short // 2}{'.5' if short % 2 else ''}",
            "needed": f"{needed // 2}{'.5' if needed % 2 else ''}",
        }
        found.append(Missing(what="score", article=norm.article, values=values))
    elif not met["performance"]:
        found.append(Missing(what="performance", article=norm.article, values=values))
    return found


def _doubted(sheet: NormSheet, why: str, article: str) -> NormSheet:
    """The same sheet, not to be judged because of one more unknown thing."""
    if sheet.reached is False and why != "too_many_selections":
        return sheet
    return replace(
        sheet, reached=None, missing=(*sheet.missing, Missing(what=why, article=article, unknown=True))
    )


def _row(sheet: NormSheet) -> Row:
    articles = list(dict.fromkeys(item.article for item in sheet.missing)) or [sheet.article]
    return Row(
        number=sheet.number,
        name=sheet.name,
        title=sheet.title,
        kind=NORM,
        reached=sheet.reached,
        missing=sheet.missing,
        article=", ".join(articles),
    )


# --- titles by rating and direct titles ------------------------------------------------------------


def _titles_by_rating(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Row]:
    """Titles whose rating a player has reached (FM, CM and the women's ones), the highest one only."""
    order = rules.need("title_order")
    rows = []
    peaks, played = _column(event, "peak"), _column(event, "games_before")
    for number, player in players.items():
        best = _best_rating(player, peaks)
        games = played[number]
        for women in (False, True):
            ladder = order["women"] if women else order["open"]
            held = min((ladder.index(t) for t in player.titles if t in ladder), default=len(ladder))
            if women and player.sex != "w":
                continue
            if women and player.titles & set(order["open"][:3]):
                continue
            for block in rules.rows("rating_title"):
                title = block["title"]
                if block["women_only"] != women or ladder.index(title) >= held or best < block["rating_once"]:
                    continue
                rows.append(_rating_row(player, block, games))
                break
    return rows


def _column(event: Event, name: str) -> dict[int, float]:
    """A number column of the players by player number."""
    return dict(zip(event.players["number"].tolist(), event.players[name].tolist(), strict=True))


def _best_rating(player: Entrant, peaks: dict[int, float]) -> float:
    """Highest rating the file knows of a player, 0 for none."""
    peak = peaks[player.number]
    return max(float(player.rating or 0), 0.0 if pd.isna(peak) else peak)


def _rating_row(player: Entrant, block: Block, games: float) -> Row:
    missing: tuple[Missing, ...] = ()
    reached: bool | None = True
    if UNKNOWN in player.titles:
        reached = None
        missing = (
            Missing(
                what="own_title_unknown",
                article=block.article,
                values={"text": player.title_text},
                unknown=True,
            ),
        )
    elif pd.isna(games):
        reached = None
        values = {"limit": block["games_at_least"]}
        missing = (Missing(what="games_before_unknown", article=block.article, values=values, unknown=True),)
    elif games < block["games_at_least"]:
        reached = False
        values = {
            "short": int(block["games_at_least"] - games),
            "value": int(games),
            "limit": block["games_at_least"],
        }
        missing = (Missing(what="games_before", article=block.article, values=values),)
    return Row(
        number=player.number,
        name=player.name,
        title=block["title"],
        kind=BY_RATING,
        reached=reached,
        missing=missing,
        article=block.article,
    )


def _direct_titles(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Row]:
    """Titles that the event gives by place, where its facts say so.

    ``direct_titles`` among the event's facts is a list of ``{"title", "from_place", "to_place"}``; the
    rating once needed comes from the rule set.
    """
    needed = {
        b["title"]: (b["direct_rating_once"], b.article)
        for b in rules.rows("norm")
        if b.get("direct_rating_once")
    }
    needed |= {b["title"]: (b["rating_once"], b.article) for b in rules.rows("direct_title")}
    order = rules.need("title_order")
    ranks, peaks = _column(event, "rank"), _column(event, "peak")
    rows = []
    for award in event.extra.get("direct_titles", ()):
        title = award.get("title", "")
        if title not in needed:
            continue
        limit, article = needed[title]
        for number, player in players.items():
            rank = ranks[number]
            if not (int(award["from_place"]) <= rank <= int(award.get("to_place", award["from_place"]))):
                continue
            ladder = order["open"] if title in order["open"] else order["women"]
            if any(t in ladder and ladder.index(t) <= ladder.index(title) for t in player.titles):
                continue
            best = _best_rating(player, peaks)
            short = int(limit - best)
            missing = (
                ()
                if short <= 0
                else (
                    Missing(
                        what="rating_once",
                        article=article,
                        values={"short": short, "value": int(best), "limit": limit},
                    ),
                )
            )
            rows.append(
                Row(
                    number=number,
                    name=player.name,
                    title=title,
                    kind=DIRECT,
                    reached=not missing,
                    missing=missing,
                    article=article,
                )
            )
    return rows


# --- findings ---------------------------------------------------------------------------------------

_CLAIM_CODES = {
    "games": "CK37",
    "not_complete": "CK37",
    "not_complete_double": "CK37",
    "foreign": "CK38",
    "own": "CK38",
    "one": "CK38",
    "titled": "CK39",
    "in_question": "CK39",
}


def _spelling_findings(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Finding]:
    """Titles that no rule knows, titles in an old spelling, and titles that contradict the sex."""
    findings = []
    women = set(rules.need("title_order")["women"])
    lines = dict(zip(event.players["number"], event.players["line"], strict=True))
    order = rules.need("title_order")
    known = {*order["open"], *order["women"], *order.get("others", ())}
    for number, player in players.items():
        place: dict[str, Any] = {
            "player": number,
            "line": int(lines[number]),
            "field": "title",
            "published": player.title_text,
        }
        article = f"{rules.id} {order.article}"
        if UNKNOWN in player.titles:
            findings.append(
                Finding(
                    code="CK39",
                    severity="W",
                    reason="title-unknown",
                    article=article,
                    values={"name": player.name},
                    **place,
                )
            )
        elif player.titles and player.title_text not in known:
            findings.append(
                Finding(
                    code="CK39",
                    severity="I",
                    reason="title-spelling",
                    article=article,
                    recomputed=player.title,
                    values={"name": player.name},
                    **place,
                )
            )
        if player.sex == "m" and player.titles & women:
            findings.append(
                Finding(
                    code="CK43",
                    reason="title-against-sex",
                    article=article,
                    values={"name": player.name},
                    **place,
                )
            )
    return findings


def _norm_findings(
    event: Event, rules: RuleSet, rounds: NormRounds, sheets: Sequence[NormSheet], rows: Sequence[Row]
) -> list[Finding]:
    findings = []
    for sheet in sheets:
        place: dict[str, Any] = {"player": sheet.number, "values": {"name": sheet.name, "title": sheet.title}}
        if sheet.reached:
            left = [str(r.round) for r in sheet.rounds if not r.counted]
            if left:
                values = {
                    "name": sheet.name,
                    "title": sheet.title,
                    "rounds": ", ".join(left),
                    "games": sheet.games,
                }
                findings.append(
                    Finding(
                        code="CK37",
                        severity="I",
                        reason="norm-games-out",
                        player=sheet.number,
                        article=f"{rules.id} {rules.need('games').article}",
                        values=values,
                    )
                )
        elif sheet.reached is None:
            for item in sheet.missing:
                if item.unknown:
                    values = {
                        "name": sheet.name,
                        "title": sheet.title,
                        "why_zh": item.text("zh"),
                        "why_en": item.text("en"),
                    }
                    findings.append(
                        Finding(
                            code="CK44",
                            reason="norm-not-judged",
                            player=sheet.number,
                            article=f"{rules.id} {item.article}",
                            values=values,
                        )
                    )
        if (
            sheet.percent >= rules.need("percent")["at_least"] > sheet.percent_exact
            and sheet.percent_exact > 0
        ):
            findings.append(
                Finding(
                    code="CK45",
                    reason="norm-percent-borderline",
                    article=f"{rules.id} {rules.need('percent').article}",
                    recomputed=f"{sheet.score}/{sheet.games}",
                    **place,
                )
            )
    findings += _claimed_findings(event, rules, rows)
    if any(sheet.reached for sheet in sheets):
        findings += _event_findings(event, rules, rounds)
    return findings


def _claimed_findings(event: Event, rules: RuleSet, rows: Sequence[Row]) -> list[Finding]:
    """Norms that the event file claims (``norms`` among its facts) and the rule does not give."""
    findings = []
    judged = {(row.number, row.title): row for row in rows if row.kind == NORM}
    for claim in event.extra.get("norms", ()):
        number, title = int(claim.get("player", 0)), str(claim.get("title", ""))
        row = judged.get((number, title))
        if row is None or row.reached:
            continue
        for item in row.missing:
            values = {"name": row.name, "title": title, "why_zh": item.text("zh"), "why_en": item.text("en")}
            findings.append(
                Finding(
                    code="CK44" if item.unknown else _CLAIM_CODES.get(item.what, "CK40"),
                    reason="norm-claimed",
                    player=number,
                    field="norm",
                    published=title,
                    article=f"{rules.id} {item.article}",
                    values=values,
                )
            )
    return findings


def _event_findings(event: Event, rules: RuleSet, rounds: NormRounds) -> list[Finding]:
    """Is the event fit for norms (CK36)? Only what the file tells; the rest is named as not checked."""
    block = rules.block("title_tournament")
    if block is None:
        return []
    cite = f"{rules.id} {block.article}"
    findings = []
    if event.format and event.format not in rules.need("formats")["allowed"]:
        findings.append(
            Finding(
                code="CK36",
                reason="norm-format",
                published=event.format,
                article=f"{rules.id} {rules.need('formats').article}",
            )
        )
    days = event.games[event.games["day"] != ""]
    if len(days):
        busiest = int(days.groupby("day")["round"].nunique().max())
        limit = block.get("rounds_per_day_at_most", busiest)
        if busiest > limit:
            findings.append(
                Finding(
                    code="CK36",
                    reason="norm-rounds-a-day",
                    published=str(busiest),
                    recomputed=str(limit),
                    article=cite,
                )
            )
    minutes, least_minutes = player_minutes(event.time_control), block.get("minutes_at_least")
    if minutes is not None and least_minutes and minutes < least_minutes:
        findings.append(
            Finding(
                code="CK36",
                reason="norm-minutes",
                published=f"{float(minutes):g}",
                recomputed=str(least_minutes),
                article=cite,
            )
        )
    unchecked = [
        name
        for name, absent in (
            ("time-control", player_minutes(event.time_control) is None),
            ("arbiters", not event.arbiters),
            ("registration", True),
        )
        if absent
    ]
    for name in unchecked:
        findings.append(Finding(code="CK44", reason=f"norm-not-checked-{name}", article=cite))
    if rounds.long_event:
        findings.append(Finding(code="CK44", reason="norm-long-event", article=rules.cite("long_event")))
    return findings
