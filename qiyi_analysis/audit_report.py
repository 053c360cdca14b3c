"""The report of an audit, section by section: one function a cell of the notebook.

``audit_of`` reads, audits and keeps what the sections need to know; every other function takes its result and
returns what is shown, or None where the section was not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from importlib import metadata
from typing import Any

import numpy as np

from qiyi_analysis import explain, figures, prose, standings_report, titles_report, words
from qiyi_analysis.audit import Audit, audit
from qiyi_analysis.audit_files import AuditRequest
from qiyi_analysis.errors import QiyiError
from qiyi_analysis.findings import Cause, Finding, Severity
from qiyi_analysis.masking import masked, minors
from qiyi_analysis.model import Event
from qiyi_analysis.parameters import find_input
from qiyi_analysis.tables import Column, Table, is_missing

SECTIONS = (
    "facts",
    "findings",
    "causes",
    "players",
    "sheets",
    "standings",
    "titles",
    "figures",
    "unchecked",
    "letter",
    "signature",
    "appendix",
)
#: Calculation sheets printed; the workbook holds every game of everybody.
_SHEETS = 40


@dataclass(frozen=True, kw_only=True)
class View:
    """An audit and how it is to be shown; ``unmasked`` counts players of unknown age where minors are hidden."""

    audit: Audit
    language: str
    sections: tuple[str, ...]
    unmasked: int = 0

    @cached_property
    def names(self) -> dict[int, str]:
        """Number -> name."""
        players = self.audit.event.players
        return dict(zip(players["number"].tolist(), players["name"].tolist(), strict=True))

    def wants(self, section: str) -> bool:
        return section in self.sections

    def say(self, key: str, **values: object) -> str:
        return words.text(key, self.language, **values)

    def heading(self, section: str) -> prose.Piece:
        return prose.heading(words.pair(f"audit_section.{section}", "zh"), self.language)


def audit_of(
    event: str,
    rules: Sequence[str] = (),
    lists: Sequence[str] = (),
    published: str = "",
    *,
    language: str = "zh",
    sections: Sequence[str] = SECTIONS,
    mask_minors: bool = False,
) -> View:
    """Read and audit an event; the arguments are the parameters of the notebook."""
    request = AuditRequest(
        event=find_input(event), rules=tuple(rules), lists=tuple(lists), published=published
    )
    return view(audit(request.read_event(), rules, request.read_lists()), language, sections, mask_minors)


def view(
    result: Audit, language: str = "zh", sections: Sequence[str] = SECTIONS, mask_minors: bool = False
) -> View:
    """An audit that is already there, to be shown."""
    unknown = len(result.event.players) - len(minors(result.event)) if mask_minors else 0
    return View(
        audit=masked(result, language) if mask_minors else result,
        language=language,
        sections=tuple(sections),
        unmasked=unknown,
    )


# ------------------------------------------------------------------------------------- head and verdict


def title(v: View) -> prose.Piece:
    """Title, name of the event, verdict."""
    result = v.audit
    counts = {severity: sum(f.severity == severity for f in result.findings) for severity in Severity}
    compared = result.comparison["agrees"]
    detail = v.say(
        "audit.detail",
        errors=counts[Severity.RETURN],
        asks=counts[Severity.ASK],
        notes=counts[Severity.NOTE],
        compared=int(compared.notna().sum()),
        differ=int((compared == False).sum()),  # noqa: E712 (None means not compared)
    )
    return prose.group(
        prose.title(words.pair("audit.title", "zh"), v.language, result.event.name or result.event.id),
        prose.verdict(result.verdict, words.pair(f"verdict.{result.verdict}", "zh"), v.language, detail),
        prose.prose(v.say("audit.unmasked", count=v.unmasked), "note") if v.unmasked else None,
        language=v.language,
    )


def facts(v: View) -> prose.Piece | None:
    """What kind of event it was and by which rules it was judged."""
    if not v.wants("facts"):
        return None
    event, rating = v.audit.event, v.audit.rating
    rated = int((~event.players["rating"].isna() & (event.players["rating"] > 0)).sum())
    counted = int(rating.games["counted"].astype(bool).sum()) // 2 if rating is not None else 0
    ratings = event.players["rating"].dropna()
    rows = [
        ("event", event.name or event.id),
        ("place", event.place),
        ("dates", _period(event.start, event.end)),
        ("federation", event.federation),
        (
            "discipline",
            v.say(f"discipline.{event.discipline}") if words.has(f"discipline.{event.discipline}") else "",
        ),
        ("format", v.say(f"format.{event.format}") if event.format else ""),
        ("rounds", event.rounds or ""),
        ("players", f"{len(event.players)} ({rated})"),
        ("games", f"{len(event.games)} ({counted})"),
        ("average", str(round(Decimal(float(ratings.mean())))) if len(ratings) else ""),
        ("time_control", event.time_control),
        ("arbiters", ", ".join(map(str, event.arbiters))),
        (
            "rules",
            "\n".join(
                f"{one.id}  {one.title_zh if v.language == 'zh' else one.title}" for one in v.audit.rules
            ),
        ),
        ("lists", ", ".join(one.id for one in v.audit.lists)),
    ]
    pairs = [(words.pair(f"audit_fact.{key}", "zh"), value) for key, value in rows if value not in ("", None)]
    return prose.group(v.heading("facts"), prose.key_values(pairs, v.language), language=v.language)


# -------------------------------------------------------------------------------------------- findings


def findings(v: View) -> prose.Piece | None:
    """Every finding, by severity."""
    if not v.wants("findings"):
        return None
    parts: list[Any] = [v.heading("findings")]
    for severity in Severity:
        chosen = [finding for finding in v.audit.findings if finding.severity == severity]
        if chosen:
            parts.append(_findings_table(v, severity, chosen))
    if len(parts) == 1:
        parts.append(prose.prose(v.say("audit.nothing_found")))
    return prose.group(*parts, language=v.language)


def _findings_table(v: View, severity: Severity, chosen: list[Finding]) -> Table:
    rows = [
        [f.code, where(v, f), f.message(v.language), f.published, f.recomputed, f.article] for f in chosen
    ]
    columns = [
        _column("code", "digest"),
        _column("place"),
        _column("what"),
        _column("printed", "code"),
        _column("recomputed", "code"),
        Column("article"),
    ]
    # A column without a word in it only takes room from the others.
    used = [i for i in range(len(columns)) if i < 3 or any(row[i] for row in rows)]
    return Table(
        f"findings_{severity}",
        [columns[i] for i in used],
        [[row[i] for i in used] for row in rows],
        caption=words.pair(f"audit.findings_{severity}", "zh"),
        language=v.language,
    )


def where(v: View, finding: Finding) -> str:
    """Place of a finding in words: player, round, file and line."""
    parts = []
    if finding.player:
        parts.append(
            v.say("audit_place.player", number=finding.player, name=_name(v, finding.player)).strip()
        )
    if finding.round:
        parts.append(v.say("audit_place.round", round=finding.round))
    if finding.line:
        file = finding.file.rsplit("/", 1)[-1]
        parts.append(f"{file} {v.say('audit_place.line', line=finding.line)}".strip())
    return " · ".join(parts)


def causes(v: View) -> prose.Piece | None:
    """For every difference, the assumptions that reproduce the published number exactly."""
    if not v.wants("causes"):
        return None
    chosen = [
        finding for finding in v.audit.findings if finding.causes or finding.reason.endswith("-differs")
    ]
    chosen = [finding for finding in chosen if finding.player and finding.published]
    if not chosen:
        return None
    rows = [
        [
            v.say("audit_place.player", number=f.player, name=_name(v, f.player)),
            field_word(f.field, v.language),
            f.published,
            f.recomputed,
            _causes(v, f.causes),
        ]
        for f in chosen
    ]
    columns = [
        _column("player"),
        _column("field"),
        _column("printed", "decimal"),
        _column("recomputed", "decimal"),
        _column("causes"),
    ]
    table = Table(
        "causes", columns, rows, caption=words.pair("audit_section.causes", "zh"), language=v.language, keep=1
    )
    return prose.group(
        v.heading("causes"), table, prose.prose(v.say("audit.causes_note"), "note"), language=v.language
    )


def _causes(v: View, found: tuple[Cause, ...]) -> str:
    """All causes, those of one kind in one line, in the order in which they were ranked."""
    if not found:
        return v.say("audit.no_cause")
    kinds: dict[str, list[Cause]] = {}
    for cause in found:
        kinds.setdefault(cause.cause, []).append(cause)
    return "\n".join(
        f"{number}. {_causes_of_a_kind(same, v.language)}" for number, same in enumerate(kinds.values(), 1)
    )


def _causes_of_a_kind(same: list[Cause], language: str) -> str:
    name = _cause_name(same[0], language)
    details = [
        cause.detail
        + (
            f" ({words.text('audit_column.explains', language)} {cause.explains})"
            if cause.explains > 1
            else ""
        )
        for cause in same
        if cause.detail
    ]
    return f"{name}: {'; '.join(details)}" if details else name


# --------------------------------------------------------------------------------------------- players


def players(v: View) -> prose.Piece | None:
    """All players: what was published beside what the rules give."""
    if not v.wants("players"):
        return None
    result = v.audit
    if result.rating is None:
        return prose.group(v.heading("players"), prose.prose(v.say("audit.not_rated")), language=v.language)
    printed: dict[str, dict[int, str]] = {
        str(field): dict(zip(rows["number"].tolist(), rows["published"].tolist(), strict=True))
        for field, rows in result.comparison.groupby("field")
    }
    differing = _differing(result)
    rows = [_player_row(v, row, printed, differing) for row in result.rating.players.to_dict("records")]
    columns = _player_columns()
    used = [
        column
        for column in columns
        if column.key in ("number", "name") or any(row.get(column.key) not in (None, "") for row in rows)
    ]
    table = Table(
        "players",
        used,
        rows,
        caption=words.pair("audit_section.players", "zh"),
        notes=[v.say("audit.players_note")],
        language=v.language,
        marks=["differs" if row["number"] in differing else "" for row in rows],
    )
    agreed = None
    if not differing and len(result.comparison):
        agreed = prose.prose(v.say("audit.no_difference"))
    return prose.group(v.heading("players"), agreed, table, language=v.language)


def _player_columns() -> list[Column]:
    return [
        Column("number", "integer"),
        Column("name", "name"),
        Column("rating", "code"),
        Column("k", "integer"),
        Column("games", "integer"),
        Column("opponents_average", "integer"),
        Column("score", "points"),
        Column("we", "decimal"),
        _column("printed_we", "decimal", "printed"),
        _column("delta", "signed"),
        _column("rounded", "signed"),
        _column("printed_change", "signed"),
        _column("deviation", "signed"),
        Column("new_rating", "integer"),
        _column("printed_new", "integer"),
        _column("explanation"),
    ]


def _player_row(
    v: View,
    row: Mapping[Any, Any],
    printed: dict[str, dict[int, str]],
    differing: dict[int, tuple[Cause, ...]],
) -> dict[str, Any]:
    number = row["number"]
    rating = row["rating"]
    change, rounded = printed.get("change", {}).get(number), row.get("rounded_change")
    found = differing.get(number, ())
    return {
        "number": number,
        "name": row["name"],
        "rating": "–" if is_missing(rating) else f"{rating}{'*' if row.get('provisional') else ''}",
        "k": row["k"],
        "games": row["games"],
        "opponents_average": row["opponents_average"],
        "score": row["score"],
        "we": row["we"],
        "printed_we": printed.get("expected", {}).get(number),
        "delta": row["change"],
        "rounded": rounded,
        "printed_change": _signed(change),
        "deviation": _deviation(change, rounded) if number in differing else None,
        "new_rating": row["new_rating"],
        "printed_new": printed.get("new_rating", {}).get(number),
        "explanation": "; ".join(dict.fromkeys(_cause_name(cause, v.language) for cause in found[:2])),
    }


def _deviation(printed: str | None, rounded: Any) -> Decimal | None:
    if printed is None or is_missing(rounded):
        return None
    off = Decimal(printed) - Decimal(str(rounded))
    return off if off else None


def _signed(printed: str | None) -> str | None:
    if printed is None:
        return None
    return f"+{printed}" if not printed.startswith("-") and printed.strip("0.") else printed


def _cause_name(cause: Cause, language: str) -> str:
    key = f"cause.{cause.cause}"
    return words.text(key, language) if words.has(key) else cause.cause


def standings(v: View) -> prose.Piece | None:
    """Ranks and tie-breaks: printed against recomputed, cross table, what separated whom."""
    if not v.wants("standings"):
        return None
    rules = next((one for one in v.audit.rules if one.kind == "tie-breaks"), None)
    return standings_report.section(v.audit.event, v.audit.standings, v.language, rules)


def titles(v: View) -> prose.Piece | None:
    """Titles and norms under the title rules that were asked for, with their sheets."""
    if not v.wants("titles"):
        return None
    return titles_report.audit_section(v.audit.event, v.audit.rules, v.audit.lists, v.language)


def sheets(v: View) -> prose.Piece | None:
    """The whole calculation, game by game, of every player whose published numbers differ."""
    result = v.audit
    if not v.wants("sheets") or result.rating is None:
        return None
    chosen = list(_differing(result))
    if not chosen:
        return None
    parts: list[Any] = [v.heading("sheets")]
    for number in chosen[:_SHEETS]:
        parts += _sheet(v, number)
    if len(chosen) > _SHEETS:
        parts.append(prose.prose(v.say("audit.sheets_left_out", count=len(chosen) - _SHEETS), "note"))
    return prose.group(*parts, language=v.language)


def _sheet(v: View, number: int) -> list[Any]:
    rating = v.audit.rating
    assert rating is not None
    games = explain.rating_games(rating, number)
    rows = [
        {
            "round": game["round"],
            "opponent": game["opponent"],
            "opponent_name": _name(v, game["opponent"]),
            "opponent_rating": game["opponent_rating"],
            "difference": game["difference"],
            "counted_difference": game["counted_difference"],
            "expected": game["expected"],
            "score": game["score"],
            "reason": "" if game["counted"] else explain.reason_word(game["reason"], v.language),
        }
        for game in games.to_dict("records")
    ]
    columns = [
        Column("round", "integer"),
        Column("opponent", "integer"),
        _column("opponent_name", "name"),
        Column("opponent_rating", "integer"),
        Column("difference", "integer"),
        Column("counted_difference", "integer"),
        Column("expected", "decimal"),
        Column("score", "points"),
        Column("reason"),
    ]
    used = [
        c
        for c in columns
        if c.key in ("round", "opponent") or any(not is_missing(r[c.key]) and r[c.key] != "" for r in rows)
    ]
    steps = [
        {"step": step.what, "value": step.value, "how": step.how, "article": step.article}
        for step in explain.steps_of(rating, number, v.language)
    ]
    name = v.say("audit_place.player", number=number, name=_name(v, number))
    return [
        prose.heading(name, v.language, 2),
        Table(
            "sheet_games",
            used,
            rows,
            language=v.language,
            marks=["quiet" if row["reason"] else "" for row in rows],
        ),
        Table(
            "sheet_steps",
            [Column("step"), Column("value", "code"), Column("how"), Column("article")],
            steps,
            language=v.language,
        ),
    ]


# --------------------------------------------------------------------------------------------- figures


def changes_figure(v: View) -> Any:
    """Published against recomputed change."""
    result = v.audit
    rows = result.comparison[(result.comparison["field"] == "change") & result.comparison["agrees"].notna()]
    if not v.wants("figures") or len(rows) < 2:
        return None
    differs = [agrees is False or agrees == 0 for agrees in rows["agrees"]]
    printed, again = ([float(text or "nan") for text in rows[key]] for key in ("published", "recomputed"))
    return figures.scatter(
        again,
        printed,
        x_label=words.pair("audit_figure.changes_x", "zh"),
        y_label=words.pair("audit_figure.changes_y", "zh"),
        caption=words.pair("audit_figure.changes", "zh"),
        alt=words.pair("audit_figure.changes_alt", "zh", count=len(rows), differ=sum(differs)),
        language=v.language,
        identity=True,
        names=rows["name"].tolist(),
        marked=differs,
        marked_label=words.pair("audit_figure.differs", "zh"),
    )


def scores_figure(v: View) -> Any:
    """Expected against real score."""
    if not v.wants("figures") or v.audit.rating is None:
        return None
    rows = v.audit.rating.players
    rows = rows[
        [not is_missing(value) and games > 0 for value, games in zip(rows["we"], rows["games"], strict=True)]
    ]
    if len(rows) < 2:
        return None
    expected, score = (np.array([float(value) for value in rows[key]]) for key in ("we", "score"))
    furthest = np.argsort(-np.abs(score - expected), kind="stable")[: min(6, len(rows) // 2)]
    return figures.scatter(
        expected,
        score,
        x_label=words.pair("audit_figure.scores_x", "zh"),
        y_label=words.pair("audit_figure.scores_y", "zh"),
        caption=words.pair("audit_figure.scores", "zh"),
        alt=words.pair("audit_figure.scores_alt", "zh", count=len(rows)),
        language=v.language,
        identity=True,
        names=rows["name"].tolist(),
        marked=np.isin(np.arange(len(rows)), furthest),
        marked_label=words.pair("audit_figure.furthest", "zh"),
    )


def performance_figure(v: View) -> Any:
    """Performance in this event against the rating."""
    if not v.wants("figures") or v.audit.rating is None:
        return None
    performance = _performances(v.audit.event)
    event = v.audit.event
    rows = [
        (float(rating), float(performance[number]))
        for number, rating in zip(
            event.players["number"].tolist(), event.players["rating"].tolist(), strict=True
        )
        if rating > 0 and number in performance
    ]
    if len(rows) < 2:
        return None
    return figures.scatter(
        [row[0] for row in rows],
        [row[1] for row in rows],
        x_label=words.pair("audit_figure.performance_x", "zh"),
        y_label=words.pair("audit_figure.performance_y", "zh"),
        caption=words.pair("audit_figure.performance", "zh"),
        alt=words.pair("audit_figure.performance_alt", "zh", count=len(rows)),
        language=v.language,
        line=(1.0, 0.0),
    )


def _performances(event: Event) -> dict[int, float]:
    """Performance of the rated players in their games with each other."""
    from qiyi_analysis.tiebreaks import standings

    rated = event.players[event.players["rating"] > 0]
    numbers = set(rated["number"].tolist())
    inside = event.games["first"].isin(numbers) & event.games["second"].isin(numbers)
    try:
        found = standings(replace(event, players=rated, games=event.games[inside]), "TPR", of="players").table
    except QiyiError:
        # A field that cannot be ranked has no performances either; the findings say why.
        return {}
    pairs = zip(found["number"].tolist(), found["TPR"].tolist(), strict=True)
    return {number: float(value) for number, value in pairs if not is_missing(value)}


def charts(v: View) -> prose.Piece | None:
    """The figures under their heading."""
    shown = [
        figure
        for figure in (changes_figure(v), scores_figure(v), performance_figure(v))
        if figure is not None
    ]
    return prose.group(v.heading("figures"), *shown, language=v.language) if shown else None


# ------------------------------------------------------------------------- what remains, letter, sources


def unchecked(v: View) -> prose.Piece | None:
    """What the audit did not look at, and why."""
    if not v.wants("unchecked"):
        return None
    result = v.audit
    event = result.event
    rows = [
        [f.code, f.message(v.language), where(v, f)] for f in result.findings if f.code in ("CK44", "CK42")
    ]
    kinds = {rules.kind for rules in result.rules}
    unknown = int((event.players["birth_year"].isna() & (event.players["birth_date"] == "")).sum())
    gaps = [
        ("no-list", not result.lists),
        ("no-published", result.rating is not None and not len(result.comparison)),
        ("no-birth-years", unknown > 0),
        ("no-titles", "titles" not in kinds),
        ("no-standings", "tie-breaks" not in kinds and not event.tie_breaks),
        ("time-control", not event.time_control),
        ("registration", True),
    ]
    rows += [
        ["", v.say(f"unchecked.{key}"), v.say(f"unchecked.{key}-why", count=unknown)]
        for key, gap in gaps
        if gap
    ]
    table = Table(
        "unchecked",
        [_column("code", "digest"), _column("item"), _column("why")],
        rows,
        caption=words.pair("audit_section.unchecked", "zh"),
        language=v.language,
    )
    return prose.group(v.heading("unchecked"), table, language=v.language)


def letter(v: View) -> prose.Piece | None:
    """A letter to the chief arbiter that lists what is to be corrected or explained."""
    if not v.wants("letter"):
        return None
    result, event = v.audit, v.audit.event
    errors, asks = (
        [f for f in result.findings if f.severity == severity] for severity in (Severity.RETURN, Severity.ASK)
    )
    opening = "correct" if errors else "ask" if asks else "clean"
    arbiter = str(event.arbiters[0]) if event.arbiters else ""
    items = []
    for finding in [*errors, *asks]:
        place = where(v, finding)
        items.append(f"{place}: {finding.message(v.language)}" if place else finding.message(v.language))
    basis = ", ".join(rules.id for rules in result.rules)
    return prose.group(
        v.heading("letter"),
        prose.letter(
            v.say("audit_letter.subject", event=event.name or event.id),
            v.say("audit_letter.to_named", name=arbiter) if arbiter else v.say("audit_letter.to"),
            [v.say(f"audit_letter.{opening}")],
            items,
            [v.say("audit_letter.basis", rules=basis), v.say("audit_letter.closing")],
        ),
        language=v.language,
    )


def signature(v: View) -> prose.Piece | None:
    """The lines to sign on."""
    if not v.wants("signature"):
        return None
    return prose.group(v.heading("signature"), prose.signature(v.language), language=v.language)


def appendix(v: View) -> prose.Piece | None:
    """Rules used with their sources, every input with its checksum, the program's version."""
    if not v.wants("appendix"):
        return None
    result = v.audit
    rules = Table(
        "rules_used",
        [
            Column("rules", "code"),
            Column("rules_title"),
            Column("first_day", "date"),
            _column("source_grade", "code"),
            _column("sources"),
        ],
        [
            {
                "rules": one.id,
                "rules_title": one.title_zh if v.language == "zh" else one.title,
                "first_day": one.effective or v.say("audit.undated"),
                "source_grade": one.confidence,
                "sources": "; ".join(one.sources),
            }
            for one in result.rules
        ],
        caption=words.pair("audit_fact.rules", "zh"),
        language=v.language,
    )
    sources = [*result.event.sources, *(source for one in result.lists for source in one.sources)]
    inputs = Table(
        "inputs",
        [_column("file"), _column("size", "integer"), _column("sha256", "digest")],
        [{"file": source.name, "size": source.size, "sha256": source.sha256} for source in sources],
        caption=words.pair("audit_column.file", "zh"),
        language=v.language,
    )
    version = prose.key_values(
        [(words.pair("audit.version", "zh"), f"qiyi-analysis {metadata.version('qiyi-analysis')}")],
        v.language,
    )
    return prose.group(v.heading("appendix"), rules, inputs, version, language=v.language)


# ---------------------------------------------------------------------------------------------- pieces


def field_word(field: str, language: str) -> str:
    """Name of a compared value in words."""
    key = f"audit_field.{field}"
    return words.text(key, language) if words.has(key) else field


def _differing(result: Audit) -> dict[int, tuple[Cause, ...]]:
    """Players with a published value that does not follow, with the causes found, in order of the list."""
    found: dict[int, tuple[Cause, ...]] = {}
    rows = result.comparison
    for number, agrees, known in zip(
        rows["number"].tolist(), rows["agrees"].tolist(), rows["causes"].tolist(), strict=True
    ):
        if agrees is not None and not is_missing(agrees) and not agrees:
            found[number] = found.get(number) or tuple(known)
    return found


def _name(v: View, number: Any) -> str:
    return v.names.get(number, "")


def _period(start: Any, end: Any) -> str:
    days = list(dict.fromkeys(day.isoformat() for day in (start, end) if day is not None))
    return " – ".join(days)


def _column(key: str, kind: str = "text", words_key: str = "") -> Column:
    return Column(key, kind, words.pair(f"audit_column.{words_key or key}", "zh"))
