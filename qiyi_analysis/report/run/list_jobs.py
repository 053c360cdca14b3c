"""Rebuilding and publishing a list, as the commands and the jobs of `qiyi batch` do it: the same files, names and exit code."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.lists.list_files import LIST_FORMATS as OWN_FORMATS
from qiyi_analysis.lists.list_files import list_json, list_name, write_list
from qiyi_analysis.lists.list_gate import stops
from qiyi_analysis.lists.publication import Publication
from qiyi_analysis.lists.publication_files import publication_csv, publication_json, publication_workbook
from qiyi_analysis.model.findings import Finding, exit_code
from qiyi_analysis.readers.lists.kinds_columns import KINDS, variant_taken
from qiyi_analysis.readers.writers.event_writer import write_file
from qiyi_analysis.report.run.render import FORMATS as PAGES
from qiyi_analysis.report.run.render import Executed, calculated
from qiyi_analysis.report.run.time_limit import LONGEST
from qiyi_analysis.report.sections.list_publication import published
from qiyi_analysis.report.sections.rebuilt_list import View, list_of

PUBLISH_FORMATS = (*PAGES, "xlsx", "csv", "json")


LIST_FORMATS = (*PAGES, "json", *OWN_FORMATS)


@dataclass(frozen=True, kw_only=True)
class _Made:
    """What is calculated and not yet written."""

    parameters: Mapping[str, Any]
    formats: Sequence[str]
    executed: Executed
    asked: str = ""
    letterhead: str | Path = ""

    def pages(self, folder: Path, name: str, *, force: bool) -> dict[str, Path]:
        """Write the pages that are wanted. Raises ReadError where another file of that name is there, without ``force``."""
        forms = tuple(one for one in self.formats if one in PAGES)
        wanted = {form: folder / f"{name}.{form}" for form in forms}
        if force or not any(path.exists() for path in wanted.values()):
            return {**self.executed.write(folder, forms, name, letterhead=self.letterhead)}
        with tempfile.TemporaryDirectory(prefix="qiyi-") as place:
            self.executed.write(Path(place), forms, name, letterhead=self.letterhead)
            for path in wanted.values():
                write_file(path, (Path(place) / path.name).read_bytes())
        return wanted


@dataclass(frozen=True, kw_only=True)
class RebuiltList(_Made):
    """A list that is rebuilt and not yet written."""

    @property
    def result(self) -> View:
        """What was calculated."""
        found: View = self.executed.result
        return found

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was noticed."""
        return self.result.findings

    @property
    def exit_code(self) -> int:
        """1 where there is something to report, else 0."""
        return exit_code(self.findings)

    @cached_property
    def json(self) -> str:
        """The JSON object of the list."""
        return list_json(self.result.rebuilt, self.result.comparison, self.findings)

    def write(self, folder: Path | None, *, force: bool = False) -> dict[str, Path]:
        """Write the list in its formats, the report and the JSON. Raises ReadError where a file would be replaced by another,
        without ``force``; a list that was read is never replaced."""
        rebuilt = replace(self.result.rebuilt, ledger=self.result.ledger)
        name = list_name(rebuilt)
        folder = folder or Path("reports") / name
        language = self.parameters["language"]
        read = [*self.parameters["previous"], self.parameters.get("published", "")]
        paths = write_list(
            rebuilt, self.result.comparison, folder, language, formats=self.formats, read=read, force=force
        )
        paths |= self.pages(folder, f"list-{rebuilt.period.id}-report", force=force)
        if "json" in self.formats:
            folder.mkdir(parents=True, exist_ok=True)
            paths["json"] = folder / f"{name}.json"
            write_file(paths["json"], (self.json + "\n").encode("utf-8"), force=force)
        return paths


def rebuild(
    parameters: Mapping[str, Any], formats: Sequence[str], *, seconds: float = LONGEST
) -> RebuiltList:
    """Rebuild a list; ``parameters`` are those of the notebook ``reproduce_list``."""
    pages = tuple(one for one in formats if one in PAGES)
    executed = calculated("reproduce_list", parameters, pages, lambda: list_of(**parameters), seconds=seconds)
    return RebuiltList(parameters=parameters, formats=tuple(formats), executed=executed)


@dataclass(frozen=True, kw_only=True)
class Published(_Made):
    """A publication that is calculated and not yet written."""

    @property
    def result(self) -> Publication:
        """What was calculated."""
        found: Publication = self.executed.result
        return found

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the lists or cannot be decided."""
        return (*variant_taken(self.result.current, self.asked), *self.result.findings)

    @property
    def stopped(self) -> bool:
        """Whether the list is not to be published as it stands."""
        return stops(self.result.gate)

    @property
    def exit_code(self) -> int:
        """1 where there is something to report, else 0."""
        return exit_code(self.findings)

    @cached_property
    def json(self) -> str:
        """The JSON object of the publication."""
        return publication_json(self.result, self.findings)

    def why(self, language: str) -> str:
        """Why nothing was written."""
        return words.text("publish.stopped", language)

    def write(self, folder: Path | None, *, force: bool = False, site: str = "") -> dict[str, Path]:
        """Write the files wanted, and a ``site`` of static pages into that folder; none of a list that is stopped, without ``force``.

        Raises ReadError where another file of that name is there: what is published is not replaced in silence.
        """
        if self.stopped and not force:
            return {}
        stem = safe_name(Path(str(self.parameters["rating_list"])).stem)
        folder = folder or Path("reports") / stem
        revision = self.result.revision
        name = f"{stem}-publication{f'-r{revision}' if revision else ''}"
        paths = self.pages(folder, name, force=force)
        made = {
            "xlsx": lambda: publication_workbook(self.result, self.parameters["language"]),
            "csv": lambda: publication_csv(self.result).encode("utf-8"),
            "json": lambda: (self.json + "\n").encode("utf-8"),
        }
        for form in self.formats:
            if form in made:
                folder.mkdir(parents=True, exist_ok=True)
                paths[form] = folder / f"{name}.{form}"
                write_file(paths[form], made[form](), force=force)
        if site:
            paths |= self._site(Path(site))
        return paths

    def _site(self, folder: Path) -> dict[str, Path]:
        from qiyi_analysis.report.site import write_site

        name = ""
        if self.letterhead:
            from qiyi_analysis.report.export.letterhead import read_letterhead

            name = read_letterhead(Path(self.letterhead)).name
        return write_site(self.result, folder, name)


def publish(
    parameters: Mapping[str, Any],
    formats: Sequence[str],
    *,
    letterhead: str | Path = "",
    seconds: float = LONGEST,
) -> Published:
    """Calculate a publication; ``parameters`` are those of the notebook ``publish_list``."""
    given = {**parameters, "variant": parameters.get("variant") or KINDS[0]}
    pages = tuple(one for one in formats if one in PAGES)
    executed = calculated("publish_list", given, pages, lambda: published(**given), seconds=seconds)
    return Published(
        parameters=given, formats=tuple(formats), executed=executed, asked=parameters.get("variant") or "",
        letterhead=letterhead,
    )  # fmt: skip
