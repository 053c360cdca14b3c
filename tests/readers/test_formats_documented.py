"""Every format is one record, and docs/formats.md has its line."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from qiyi_analysis.readers import formats
from qiyi_analysis.readers.writers.event_writer import event_bytes


def line(one: formats.Format) -> str:
    forms = sorted(set((one.written or {}).values()))
    read = " and ".join(
        filter(
            None,
            ("events" if one.read or one.written else "", "lists" if one.read_list or one.read_lists else ""),
        )
    )
    return f"| {one.name} | {one.described} | {read} | {', '.join(forms) or '-'} |"


def test_the_table_of_formats_is_that_of_the_records(project: Path) -> None:
    records = {one.name: one for one in (*formats.formats(formats.EVENTS), *formats.formats(formats.LISTS))}
    text = (project / "docs" / "formats.md").read_text(encoding="utf-8")
    missing = [line(one) for one in records.values() if line(one) not in text.splitlines()]
    assert not missing, "\n".join(missing)


def test_every_form_of_a_record_is_written() -> None:
    from events_made import made_event

    event = made_event(1, players=4, rounds=3, trf=True)
    event = dataclasses.replace(event.with_players(title=["1d"] * len(event.players)), discipline="go")
    for form in set(formats.written_forms().values()) - {"folder"}:
        assert event_bytes(event, "h9-utf8" if form == "h9" else form)[0]
