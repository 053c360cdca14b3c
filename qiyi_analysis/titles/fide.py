"""FIDE titles of an event: norms, direct titles, titles by rating, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.norm_findings import norm_findings, spelling_findings
from qiyi_analysis.titles.norm_search import Candidate, Search, Selection
from qiyi_analysis.titles.norm_sheets import NORM, doubted, norm_row, norm_sheet
from qiyi_analysis.titles.norms import Entrant, NormRounds, NormSheet, exempt_by_field
from qiyi_analysis.titles.result import Row, Titles, players_frame
from qiyi_analysis.titles.titles_by_rating import direct_titles, titles_by_rating


def fide_titles_of(
    event: Event, rules: RuleSet, lists: Sequence[RatingList] = (), event_type: str = ""
) -> Titles:
    """Norms and titles of an event under an edition of B.01. Raises ParameterError for an event_type that it does not name.

    ``event_type`` (or ``title_event`` among the event's own facts) names an event with rules of its own:
    national-championship, national-team-championship, zonal, world-team, world-cup, olympiad, ...
    ``lists`` are needed only by events so long that the rating of each game's day counts.
    """
    known = event_types(rules)
    if event_type and event_type not in known:
        hint = words.nearest(event_type, known)
        raise ParameterError("event-type-unknown", type=event_type, known=known, hint=hint)
    event_type = event_type or str(event.extra.get("title_event", ""))
    rounds = NormRounds(event, rules, lists)
    candidates = _candidates(event, rules, rounds, event_type)
    search = Search(list(candidates.values()), rules)
    rows: list[Row] = []
    sheets: list[NormSheet] = []
    findings = spelling_findings(event, rules, rounds.players)
    for norm in rules.rows("norm"):
        chosen = search.judge(norm)
        for number, player in rounds.players.items():
            selection = chosen.get(number)
            if selection is None or not _asked(player, norm, rules, selection):
                continue
            sheet = norm_sheet(candidates[number], rounds.rounds[number], selection, norm, rules)
            if number in search.incomplete:
                sheet = doubted(sheet, "too_many_selections", norm.article)
            if norm["women_only"] and player.sex != "w" and not _woman_by_title(player, rules):
                sheet = doubted(sheet, "sex_unknown", norm.article)
            rows.append(norm_row(sheet))
            if sheet.reached is not False or sum(not m.unknown for m in sheet.missing) <= 1:
                sheets.append(sheet)
    findings += _other_reading(candidates, rules, sheets)
    rows += titles_by_rating(event, rules, rounds.players)
    rows += direct_titles(event, rules, rounds.players)
    findings += norm_findings(event, rules, rounds, sheets, rows)
    rows.sort(key=lambda row: (row.number, row.kind != NORM))
    return Titles(
        event=event.id,
        rules=rules,
        players=players_frame(rows),
        sheets=tuple(sorted(sheets, key=lambda s: (s.reached is not True, s.reached is False, s.number))),
        findings=ordered(findings),
    )


def event_types(rules: RuleSet) -> list[str]:
    """The kinds of event that an edition names, as ``event_type`` gives them."""
    named = [row["event_type"] for name in ("games_by_event", "foreign_exempt") for row in rules.rows(name)]
    application = rules.block("application_event")
    return sorted({*named, *(application["event_types"] if application else ())})


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
        at_least, counts_as, missing_game = rules.need("games")["at_least"], None, False
        if event_type in special:
            at_least, counts_as = special[event_type]["at_least"], special[event_type].get("counts_as")
        elif rounds.missing_game_allowed(number):
            block = rules.need("missing_game")
            at_least, counts_as, missing_game = block["games"], block["counts_as"], True
        found[number] = Candidate(
            player=player,
            games=games,
            opponents=tuple(rounds.players[item.opponent] for item in games),
            games_at_least=at_least,
            counts_as=counts_as,
            missing_game=missing_game,
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
