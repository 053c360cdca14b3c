"""Promotion by score rate, wins or share of the field, and grades by place, on a ladder of titles."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ParameterError, RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.frame import records
from qiyi_analysis.model.time_control import longest_game_minutes
from qiyi_analysis.rules.ruleset import Block, RuleSet, load
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.result import (
    CERTIFICATE_COLUMNS,
    Row,
    Titles,
    number_text,
    percent_text,
    players_frame,
)
from qiyi_analysis.titles.standing import places, score_shares, wins
from qiyi_analysis.titles.title_events import title_event_rows
from qiyi_analysis.titles.title_names import ladder_title

PROMOTION, GRADE = "promotion", "grade"

_HEADS = {
    "from": "from",
    "原称号": "from",
    "to": "to",
    "新称号": "to",
    "percent": "percent",
    "rate": "percent",
    "得分率": "percent",
}


def minimum_score(percent: Fraction, rounds: int, win: int = 1) -> Fraction:
    """Least score that reaches ``percent`` in so many rounds; scores go in half wins.

    With ``win`` 1 the score counts 1, 1/2, 0; with 2 it is on the 2-1-0 scale.
    """
    return Fraction(math.ceil(2 * percent / 100 * rounds), 2) * win


def read_table(path: Path | str, rules: RuleSet) -> RuleSet:
    """A promotion table of the user's own: a rule file (.toml), or CSV with the columns from, to, percent.

    Chinese heads 原称号, 新称号, 得分率 do as well. Raises RulesetError with the line of what cannot be read.
    """
    path = Path(path)
    if path.suffix == ".toml":
        return load(path)
    if not path.is_file():
        raise RulesetError("promotion-table-missing", path=path)
    note_input(path)
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("gb18030", errors="replace")
    reader = csv.DictReader(io.StringIO(text))
    heads = {_HEADS.get((name or "").strip().casefold()): name for name in reader.fieldnames or ()}
    if not {"from", "to", "percent"} <= set(heads):
        raise RulesetError("promotion-columns", file=path.name, found=list(reader.fieldnames or ()))
    rows = []
    for line, row in enumerate(reader, 2):
        where = f"{path.name}:{line}"
        titles = {part: ladder_title((row[heads[part]] or ""), rules) for part in ("from", "to")}
        for part, title in titles.items():
            if title is None or (part == "to" and not title):
                raise RulesetError(
                    "promotion-title", where=where, part=part, read=row[heads[part]], rules=rules.id
                )
        printed = (row[heads["percent"]] or "").strip().rstrip("%％")
        try:
            percent = Fraction(printed)
        except ValueError:
            raise RulesetError("promotion-percent", where=where, read=printed) from None
        if not 0 <= percent <= 100:
            raise RulesetError("promotion-percent", where=where, read=printed)
        content = {"from": (titles["from"],), "to": titles["to"], "percent": percent}
        rows.append(Block("promotion", where, MappingProxyType(content)))
    return _with_rows(rules, "promotion", tuple(rows))


def _with_rows(rules: RuleSet, name: str, rows: tuple[Block, ...]) -> RuleSet:
    return replace(rules, blocks=MappingProxyType({**rules.blocks, name: rows}))


def promotions_of(
    event: Event,
    rules: RuleSet,
    *,
    table: RuleSet | None = None,
    level: str = "",
    norm_level: int | None = None,
) -> Titles:
    """Who goes from which title to which under a ladder and its tables, with score, rate and article.

    ``level`` names the event where grades by place or caps depend on it (also ``level`` among the
    event's facts; ``age_group`` likewise). ``norm_level`` is the title performance level of a xiangqi
    title event. Raises ParameterError for a level that the rules do not name.
    """
    known = sorted({row["level"] for name in _LEVELLED for row in rules.rows(name) if "level" in row})
    if level and known and level not in known:
        # A cap of the level asked for would be left out without a word.
        hint = words.nearest(level, known)
        raise ParameterError("level-unknown", level=level, known=known, hint=hint)
    level = level or str(event.extra.get("level", ""))
    if table is not None:
        promotion = table.rows("promotion")
        if promotion:
            rules = _with_rows(rules, "promotion", promotion)
        if table.rows("promotion_by_wins"):
            rules = _with_rows(rules, "promotion_by_wins", table.rows("promotion_by_wins"))
    judge = _Judge(event, rules, level)
    rows: list[Row] = []
    certificates: list[dict[str, object]] = []
    for player in records(event.players):
        for row, certificate in judge.player(player):
            rows.append(row)
            if certificate is not None:
                certificates.append(certificate)
    findings = list(judge.findings)
    if rules.block("norm_score"):
        norms, remarks = title_event_rows(event, rules, norm_level)
        rows += norms
        findings += remarks
    return Titles(
        event=event.id,
        rules=rules,
        players=players_frame(rows),
        certificates=pd.DataFrame(certificates, columns=list(CERTIFICATE_COLUMNS)),
        findings=ordered(findings),
    )


#: What rule sets give by the level of the event.
_LEVELLED = ("title_cap", "grade_by_place")


class _Judge:
    """One event under one ladder: what does not depend on the single player is worked out once."""

    def __init__(self, event: Event, rules: RuleSet, level: str) -> None:
        self.event, self.rules, self.level = event, rules, level
        self.rounds = event.rounds or event.rounds_played
        self.shares, self.wins, self.places = score_shares(event), wins(event), places(event)
        self.ladder = rules.block("ladder")
        self.titles: tuple[str, ...] = self.ladder["titles"] if self.ladder else ()
        self.findings: list[Finding] = []
        self.named_levels = False
        self.has_table = bool(self._rows_of_tables())
        self.cap = self._cap()
        if self.ladder and not self.has_table:
            self._note("CK44", "promotion-table-absent", self.ladder.article)
        if rules.rows("title_cap") and not self.level and not event.extra.get("age_group"):
            self._note("CK44", "promotion-level-unknown", rules.rows("title_cap")[0].article)
        if rules.rows("promotion_event") and not event.time_control:
            self._note("CK44", "promotion-time-unknown", rules.rows("promotion_event")[0].article)

    def _note(self, code: str, reason: str, article: str, **values: object) -> None:
        self.findings.append(
            Finding(code=code, reason=reason, article=f"{self.rules.id} {article}", values=values)
        )

    def _cap(self) -> Block | None:
        """The highest title that the event can give by its age group or level."""
        caps = [
            block
            for block in self.rules.rows("title_cap")
            if block.get("level", "") == self.level != ""
            or (block.get("age_group") and block["age_group"] == self.event.extra.get("age_group"))
        ]
        return max(caps, key=lambda block: self.titles.index(block["title"]), default=None)

    def player(self, player):
        """Rows and certificates of one player."""
        if self.ladder:
            yield from self._ladder(player)
        if self.rules.rows("grade_by_place"):
            yield from self._grades(player)

    def _ladder(self, player):
        number = int(player.number)
        held = ladder_title(player.title, self.rules)
        article = self.ladder.article if self.ladder else ""
        if held is None:
            missing = Missing(
                what="own_title_unknown", article=article, values={"text": player.title}, unknown=True
            )
            yield self._row(player, "", None, (missing,), article, PROMOTION), None
            return
        above = self.titles[: self.titles.index(held)]
        if not above:
            return
        if not self.has_table:
            missing = Missing(what="promotion_table", article=article, unknown=True)
            yield self._row(player, above[-1], None, (missing,), article, PROMOTION), None
            return
        if not held and not any("" in row["from"] for row in self._rows_of_tables()):
            # An empty cell is no title or one that nobody wrote down; the table does not start from it.
            missing = Missing(what="no_title_given", article=article, unknown=True)
            yield self._row(player, above[-1], None, (missing,), article, PROMOTION), None
            return
        options = sorted(self._options(number, held), key=lambda option: self.titles.index(option[0]))
        if not options:
            missing = Missing(
                what="no_promotion_row", article=article, values={"title": held or "—"}, unknown=True
            )
            yield self._row(player, above[-1], None, (missing,), article, PROMOTION), None
            return
        reached = [option for option in options if not option[1]]
        if reached:
            title, _, block = self._allowed(reached[0], held)
            unmet = self._event_conditions(title)
            if title not in above and self.cap is not None:
                unmet = (
                    Missing(what="event_cap", article=self.cap.article, values={"title": self.cap["title"]}),
                )
            if not unmet:
                yield (
                    self._row(player, title, True, (), block.article, PROMOTION),
                    self._certificate(player, held, title, block),
                )
                return
            yield self._row(player, title, False, unmet, block.article, PROMOTION), None
            return
        title, missing, block = options[-1]
        yield (
            self._row(
                player, title, None if missing.unknown else False, (missing,), block.article, PROMOTION
            ),
            None,
        )

    def _rows_of_tables(self) -> tuple[Block, ...]:
        rules = self.rules
        return (
            *rules.rows("promotion"),
            *rules.rows("promotion_by_wins"),
            *rules.rows("promotion_by_share"),
        )

    def _options(self, number: int, held: str) -> list[tuple[str, Missing | None, Block]]:
        """(title, what is missing or None, row) of every row of the tables for a holder of ``held``."""
        return [*self._by_rate(number, held), *self._by_wins(number, held), *self._by_share(number, held)]

    def _by_rate(self, number: int, held: str) -> list[tuple[str, Missing | None, Block]]:
        found: list[tuple[str, Missing | None, Block]] = []
        rate = self.rules.block("score_rate")
        win = rate["win"] if rate else 1
        share = self.shares.get(number)
        for block in self.rules.rows("promotion"):
            if held not in block["from"]:
                continue
            if share is None or not self.rounds:
                found.append(
                    (block["to"], Missing(what="score_unknown", article=block.article, unknown=True), block)
                )
                continue
            if share * 100 >= block["percent"] * self.rounds:
                found.append((block["to"], None, block))
                continue
            needed = minimum_score(block["percent"], self.rounds, win)
            values = {
                "short": number_text(needed - share * win),
                "value": number_text(share * win),
                "needed": number_text(needed),
                "percent": number_text(block["percent"]),
                "reached": percent_text(share / self.rounds),
            }
            found.append(
                (block["to"], Missing(what="score_rate", article=block.article, values=values), block)
            )
        return found

    def _by_wins(self, number: int, held: str) -> list[tuple[str, Missing | None, Block]]:
        found: list[tuple[str, Missing | None, Block]] = []
        for block in self.rules.rows("promotion_by_wins"):
            if held not in block["from"]:
                continue
            position = self.titles.index(held)
            title = block.get("to") or self.titles[max(position - block.get("steps", 1), 0)]
            missing = self._field(block)
            if missing is None and self.wins[number] < block["wins_at_least"]:
                values = {
                    "short": block["wins_at_least"] - self.wins[number],
                    "value": self.wins[number],
                    "limit": block["wins_at_least"],
                }
                missing = Missing(what="wins", article=block.article, values=values)
            found.append((title, missing, block))
        return found

    def _by_share(self, number: int, held: str) -> list[tuple[str, Missing | None, Block]]:
        found: list[tuple[str, Missing | None, Block]] = []
        size = len(self.event.players)
        for block in self.rules.rows("promotion_by_share"):
            if held not in block["from"]:
                continue
            missing = self._field(block)
            last = int(block["percent"] * size / 100)
            if missing is None and number not in self.places:
                missing = Missing(what="place_unknown", article=block.article, unknown=True)
            elif missing is None and self.places[number] > last:
                values = {"value": self.places[number], "limit": last}
                missing = Missing(what="place", article=block.article, values=values)
            found.append((block["to"], missing, block))
        return found

    def _field(self, block: Block) -> Missing | None:
        least, size = block.get("players_at_least", 0), len(self.event.players)
        if size >= least:
            return None
        return Missing(
            what="players",
            article=block.article,
            values={"short": least - size, "value": size, "limit": least},
        )

    def _allowed(
        self, option: tuple[str, Missing | None, Block], held: str
    ) -> tuple[str, Missing | None, Block]:
        """The title after the rules against skipping and the cap of the event."""
        title, missing, block = option
        at, position = self.titles.index(held), self.titles.index(title)
        skipping = self.rules.block("no_skipping")
        if skipping is not None:
            first = self.titles.index(skipping["from"])
            lowest_step = min(at - 1, first)
            if position < lowest_step:
                position, block = lowest_step, skipping
        if self.cap is not None:
            limit = self.titles.index(self.cap["title"])
            if position < limit:
                position, block = limit, self.cap
        return self.titles[position], missing, block

    def _event_conditions(self, title: str) -> tuple[Missing, ...]:
        """What the event lacks for giving this title; an unknown time control is a finding, not a lack."""
        found = []
        for block in self.rules.rows("promotion_event"):
            if title not in block["titles"]:
                continue
            least = block.get("rounds_at_least", 0)
            if self.rounds < least:
                values = {"short": least - self.rounds, "value": self.rounds, "limit": least}
                found.append(Missing(what="event_rounds", article=block.article, values=values))
            most, played = block.get("games_a_day_at_most"), self._games_a_day()
            if most is not None and played > most:
                values = {"value": played, "limit": most}
                found.append(Missing(what="event_games_a_day", article=block.article, values=values))
            minutes = longest_game_minutes(self.event.time_control)
            wanted = block.get("minutes_both_at_least")
            if wanted and minutes is not None and minutes < wanted:
                values = {"value": number_text(minutes), "limit": wanted}
                found.append(Missing(what="event_minutes", article=block.article, values=values))
        return tuple(found)

    def _games_a_day(self) -> int:
        """The most rounds of a day: by the days of the games, else at least what the days of the event leave."""
        games = self.event.games
        dated = games[games["day"] != ""]
        if len(dated):
            return int(dated.groupby("day")["round"].nunique().max())
        start, end = self.event.start, self.event.end
        if start is None or end is None or not self.rounds:
            return 0
        return -(-self.rounds // ((end - start).days + 1))

    def _grades(self, player):
        number = int(player.number)
        levels = {block["level"] for block in self.rules.rows("grade_by_place")}
        level = self.level or (next(iter(levels)) if len(levels) == 1 else "")
        if level not in levels:
            if not self.ladder and not self.named_levels:
                self.named_levels = True
                first = self.rules.rows("grade_by_place")[0]
                self._note("CK44", "grades-level-unknown", first.article, levels=sorted(levels))
            return
        rows = [
            block
            for block in self.rules.rows("grade_by_place")
            if block["level"] == level and block.get("sex", player.sex) == player.sex
        ]
        if not rows:
            # The grade depends on the sex, and the file does not give it.
            block = next(one for one in self.rules.rows("grade_by_place") if one["level"] == level)
            missing = Missing(what="sex_unknown", article=block.article, unknown=True)
            yield self._row(player, block["title"], None, (missing,), block.article, GRADE), None
            return
        place = self.places.get(number)
        if place is None:
            missing = Missing(what="place_unknown", article=rows[0].article, unknown=True)
            yield self._row(player, rows[0]["title"], None, (missing,), rows[0].article, GRADE), None
            return
        for block in rows:
            if not block["from_place"] <= place <= block["to_place"]:
                continue
            unmet = self._rate_of_place(number, block)
            if unmet is None:
                yield (
                    self._row(player, block["title"], True, (), block.article, GRADE),
                    self._certificate(player, player.title, block["title"], block),
                )
                return
            yield (
                self._row(
                    player, block["title"], None if unmet.unknown else False, (unmet,), block.article, GRADE
                ),
                None,
            )

    def _rate_of_place(self, number: int, block: Block) -> Missing | None:
        percent = block.get("percent_at_least")
        if percent is None:
            return None
        share = self.shares.get(number)
        if share is None or not self.rounds:
            return Missing(what="score_unknown", article=block.article, unknown=True)
        if share * 100 >= percent * self.rounds:
            return None
        needed = minimum_score(percent, self.rounds)
        values = {
            "short": number_text(needed - share),
            "value": number_text(share),
            "needed": number_text(needed),
            "percent": number_text(percent),
            "reached": percent_text(share / self.rounds),
        }
        return Missing(what="score_rate", article=block.article, values=values)

    def _row(self, player, title, reached, missing, article, kind) -> Row:
        return Row(
            number=int(player.number),
            name=player.name,
            title=title,
            kind=kind,
            reached=reached,
            missing=missing,
            article=article,
        )

    def _certificate(self, player, held: str, title: str, block: Block) -> Mapping[str, object]:
        number = int(player.number)
        rate = self.rules.block("score_rate")
        share = self.shares.get(number)
        return {
            "number": number,
            "id": player.id,
            "name": player.name,
            "sex": player.sex,
            "unit": player.unit,
            "from": held,
            "to": title,
            "score": "" if share is None else number_text(share * (rate["win"] if rate else 1)),
            "rounds": self.rounds,
            "percent": percent_text(share / self.rounds) if share is not None and self.rounds else "",
            "place": self.places.get(number),
            "article": f"{self.rules.id} {block.article}",
        }
