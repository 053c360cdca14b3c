"""The table of jobs: ``command,input,rules,list,published,language,formats,out``, one job a row."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from dataclasses import asdict, dataclass
from importlib import metadata, resources
from pathlib import Path, PurePosixPath, PureWindowsPath

from qiyi_analysis import words
from qiyi_analysis.files.folders import entries_below
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.errors import ParameterError, QiyiError, ReadError, of_system
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Look
from qiyi_analysis.readers.source import decode, from_path
from qiyi_analysis.readers.tables import workbook
from qiyi_analysis.readers.tables.delimited import HeadedTable, headed, parse_rows
from qiyi_analysis.report.run.parameters import find_notebook
from qiyi_analysis.research.studies.catalogue import STUDIES

COLUMNS = ("command", "input", "rules", "list", "published", "language", "formats", "out")
COMMANDS = ("audit", "titles", "list", "publish", "study")
LANGUAGES = ("zh", "en")
_PAGES = ("pdf", "html", "ipynb")
#: What each command writes, and what it writes where nothing is asked for: as on the command line.
FORMATS = {
    "audit": (*_PAGES, "xlsx", "json"),
    "titles": (*_PAGES, "xlsx"),
    "list": (*_PAGES, "json", "csv", "xlsx", "xml", "txt"),
    "publish": (*_PAGES, "xlsx", "csv", "json"),
    "study": _PAGES,
}
USUAL = {
    "audit": ("pdf", "xlsx", "json"),
    "list": ("pdf", "json", "csv", "xlsx", "xml", "txt"),
    "publish": ("pdf", "html"),
}
#: What the batch writes beside the folders of its jobs.
SUMMARY_FILES = ("batch.json", "batch.pdf", "batch.html")
#: Values in one cell are separated by this: rules, lists, formats.
SEPARATOR = ";"
#: The notebook a command runs; a study is named in the column ``rules``.
NOTEBOOKS = {"audit": "audit_event", "titles": "titles", "list": "reproduce_list", "publish": "publish_list"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One row of the table. ``line`` is its line in the file, ``folder`` where its files go."""

    line: int
    command: str
    input: str
    rules: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    published: str = ""
    language: str = "zh"
    formats: tuple[str, ...] = ("pdf", "xlsx", "json")
    out: str = ""

    @property
    def folder(self) -> str:
        """The job's folder below the batch's: the name given, else the input's name and the line."""
        return self.out or f"{self.line:05d}-{safe_name(Path(self.input).stem or self.command)}"

    @property
    def named_rules(self) -> tuple[str, ...]:
        """The rule sets of the column ``rules``; for a study, its name."""
        return tuple(text for text in self.rules if "=" not in text)

    @property
    def assignments(self) -> tuple[str, ...]:
        """Parameters of the notebook written as ``name=value`` in the column ``rules``."""
        return tuple(text for text in self.rules if "=" in text)

    @property
    def notebook(self) -> str:
        """The notebook the job runs. Raises ParameterError for a study that does not exist."""
        if self.command != "study":
            return NOTEBOOKS[self.command]
        name = self.named_rules[0] if self.named_rules else ""
        if name not in STUDIES:
            raise ParameterError(
                "job-study", line=self.line, name=name, studies=STUDIES, hint=words.nearest(name, STUDIES)
            )
        return STUDIES[name][0]


def read_jobs(path: str | Path) -> tuple[Job, ...]:
    """Read the table of jobs; relative paths in it are relative to the table's folder.

    Raises ReadError or ParameterError, with line, for the first row that cannot be a job: a batch of
    hundreds should not start with a misspelt column.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ReadError("jobs-no-file", file=path)
    table = _table(path)
    for head in table.heads:
        if head not in COLUMNS:
            hint = words.nearest(head, COLUMNS)
            raise ReadError("jobs-column", file=path.name, head=head, hint=hint, known=COLUMNS)
    for needed in ("command", "input"):
        if needed not in table.heads:
            raise ReadError("jobs-column-missing", file=path.name, needed=needed, known=COLUMNS)
    jobs = []
    for row in table.rows:
        cells = {head: table.cell(row, head) for head in table.heads}
        if any(cells.values()):
            jobs.append(_job(path, row.line, cells))
    if not jobs:
        raise ReadError("jobs-empty", file=path.name, columns=COLUMNS)
    _refuse_shared_folders(path, jobs)
    return tuple(jobs)


def _table(path: Path) -> HeadedTable:
    """The rows of the table, text or workbook, in whatever encoding and with whatever separator."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise ReadError("jobs-not-opened", file=path, reason=of_system(error)) from error
    sources = from_path(path)
    if len(sources) != 1:
        raise ReadError("jobs-no-file", file=path)
    source, faults = sources[0], Faults(path.name)
    if not source.data.strip():
        raise ReadError("jobs-empty", file=path.name, columns=COLUMNS)
    if workbook.FORMAT.recognise(Look(source)):
        rows = next((sheet.rows for sheet in workbook.from_workbook(source)), [])
    else:
        # Several values in one cell are parted by semicolons: only the heads say what parts the cells.
        text = decode(source.data).text
        head = next((line for line in text.splitlines() if line.strip()), "")
        rows = parse_rows(text, faults, separator=max(",;\t|", key=head.count))
    table = headed(rows, source.name, {}, faults)
    # A cell too many is a list of formats without quotation marks: half a job must not start.
    for fault in faults.findings():
        if fault.severity != "I":
            said = words.Said(fault.message("en"), fault.message("zh"))
            raise ReadError("jobs-damaged", file=path.name, line=fault.line, message=said)
    return table


def _job(path: Path, line: int, cells: dict[str, str]) -> Job:
    where = f"{path.name}:{line}"
    command = cells.get("command", "").casefold()
    if command not in COMMANDS:
        raise ParameterError(
            "job-command",
            where=where,
            command=command,
            commands=COMMANDS,
            hint=words.nearest(command, COMMANDS),
        )
    language = cells.get("language", "").casefold() or "zh"
    if language not in LANGUAGES:
        raise ParameterError("job-language", where=where, language=language, languages=LANGUAGES)

    def many(name: str) -> tuple[str, ...]:
        text = cells.get(name, "").replace("；", SEPARATOR)
        return tuple(part.strip() for part in text.split(SEPARATOR) if part.strip())

    def located(text: str) -> str:
        return str(path.parent / text) if text and not Path(text).is_absolute() else text

    formats = tuple(one.casefold() for text in many("formats") for one in text.split(",") if one)
    for one in formats:
        if one not in FORMATS[command]:
            raise ParameterError(
                "job-format",
                where=where,
                format=one,
                formats=FORMATS[command],
                hint=words.nearest(one, FORMATS[command]),
            )
    out = _folder(cells.get("out", ""), where)
    job = Job(
        line=line,
        command=command,
        input=located(cells.get("input", "")),
        rules=tuple(located(r) if r.endswith(".toml") else r for r in many("rules")),
        lists=tuple(located(one) for one in many("list")),
        published=located(cells.get("published", "")),
        language=language,
        formats=formats or USUAL.get(command, ("pdf",)),
        out=out,
    )
    find_notebook(job.notebook)
    return job


def _folder(text: str, where: str) -> str:
    """The folder of the column ``out`` in one spelling, below the batch's own on every system; "" where none is named."""
    folder = PurePosixPath(text.replace("\\", "/"))
    windows = PureWindowsPath(text)
    if (
        folder.is_absolute()
        or windows.drive
        or windows.is_absolute()
        or ".." in folder.parts
        or not text.isprintable()
        or folder.parts[:1] in {(name,) for name in SUMMARY_FILES}
    ):
        raise ParameterError("job-out", where=where, out=text)
    return "" if not folder.parts else str(folder)


def _refuse_shared_folders(path: Path, jobs: list[Job]) -> None:
    seen: dict[str, int] = {}
    for job in jobs:
        # Windows and macOS know neither case nor the two forms of an accent, Windows no points at the end.
        parts = PurePosixPath(unicodedata.normalize("NFC", job.folder)).parts
        key = "/".join(part.casefold().rstrip(". ") for part in parts)
        if key in seen:
            raise ParameterError(
                "job-same-folder", file=path.name, line=job.line, other=seen[key], folder=job.folder
            )
        seen[key] = job.line


def fingerprint(job: Job) -> str:
    """SHA-256 over everything a job's files depend on: inputs, rules, notebook, program version.

    A finished job with the same fingerprint need not be done again.
    """
    digest = hashlib.sha256()
    facts = asdict(job)
    del facts["line"]
    digest.update(json.dumps(facts, sort_keys=True, ensure_ascii=False).encode("utf-8"))
    digest.update(program_fingerprint().encode("ascii"))
    own_rules = [rule for rule in job.rules if rule.endswith(".toml")]
    for text in (job.input, job.published, *job.lists, *own_rules):
        if text:
            digest.update(_content(Path(text)))
    digest.update(find_notebook(job.notebook).read_bytes())
    return digest.hexdigest()


_PROGRAM: list[str] = []


def program_fingerprint() -> str:
    """SHA-256 of the package's own files (code, words, rule files, templates) and its version."""
    if not _PROGRAM:
        digest = hashlib.sha256(metadata.version("qiyi-analysis").encode("utf-8"))
        root = Path(str(resources.files("qiyi_analysis")))
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.suffix in (".py", ".toml", ".csv", ".typ"):
                digest.update(file.relative_to(root).as_posix().encode("utf-8"))
                digest.update(file.read_bytes())
        _PROGRAM.append(digest.hexdigest())
    return _PROGRAM[0]


def _content(path: Path) -> bytes:
    """Names and SHA-256 of the files a path stands for; why they could not be read, which the job itself will say."""
    digest = hashlib.sha256()
    try:
        for file in entries_below(path):
            # A file of no bytes is not opened: among the files of a running system some never end.
            if file.is_file():
                size = file.stat().st_size
                digest.update(os.fsencode(file.name))
                digest.update(hashlib.sha256(file.read_bytes() if size else b"").digest())
    except (QiyiError, OSError) as error:
        digest.update(repr(error).encode("utf-8", "surrogateescape"))
    return digest.digest()
