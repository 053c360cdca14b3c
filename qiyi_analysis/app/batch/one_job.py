"""What one job does: the same as the command of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.files.whole_files import whole
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.report.run.parameters import assigned, find_notebook, read_schema
from qiyi_analysis.report.run.render import calculated, render


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished job: its verdict (or "") and the files it wrote."""

    verdict: str = ""
    findings: int = 0
    files: tuple[Path, ...] = field(default=())


def do_job(job: Job, folder: Path) -> Done:
    """Carry out one job and write its files to ``folder``. Raises QiyiError where it cannot be done."""
    if not job.input and job.command != "study":
        raise QiyiError("job-without-input", line=job.line)
    return WORK[job.command](job, folder)


def _audit(job: Job, folder: Path) -> Done:
    from qiyi_analysis.report.run.audit_files import AuditRequest, write_audit

    request = AuditRequest(
        event=job.input,
        rules=job.named_rules,
        lists=job.lists,
        published=job.published,
        language=job.language,
    )
    notebook, parameters, directly = request.calculation()
    executed = calculated(notebook, parameters, job.formats, directly)
    paths = write_audit(request, executed, folder, job.formats)
    result = executed.result
    serious = sum(finding.severity != "I" for finding in result.findings)
    return Done(verdict=result.verdict, findings=serious, files=tuple(paths.values()))


def _titles(job: Job, folder: Path) -> Done:
    """``input`` is the event, ``rules`` the title rules; ``level=county`` and the like stand beside them."""
    if not job.named_rules:
        raise QiyiError("job-without-rules", line=job.line)
    given = {"event": job.input, "rules": job.named_rules[0], "lists": list(job.lists)}
    from qiyi_analysis.report.sections.titles import load_titles, write_workbook

    parameters = _parameters(job, given)
    pages = tuple(one for one in job.formats if one != "xlsx")
    executed = calculated(job.notebook, parameters, pages, lambda: load_titles(**parameters))
    files = list(executed.write(folder, pages, _name(job)).values())
    if "xlsx" in job.formats:
        files.append(folder / f"{_name(job)}.xlsx")
        with whole(files[-1]) as part:
            write_workbook(executed.result, part)
    return Done(files=tuple(files))


def _list(job: Job, folder: Path) -> Done:
    """``input`` is the folder of events, ``list`` the lists before; ``period=2025-11`` stands beside the rules."""
    needed = {
        "rules": bool(job.named_rules),
        "list": bool(job.lists),
        "period": any(one.partition("=")[0].strip() == "period" for one in job.assignments),
    }
    if missing := [name for name, there in needed.items() if not there]:
        raise QiyiError("job-list-needs", line=job.line, missing=missing)
    from qiyi_analysis.report.run.list_jobs import rebuild

    given = {
        "rules": job.named_rules[0],
        "previous": list(job.lists),
        "events": job.input,
        "published": job.published,
    }
    done = rebuild(_parameters(job, given), job.formats)
    serious = sum(finding.severity != "I" for finding in done.findings)
    return Done(findings=serious, files=tuple(done.write(folder, force=True).values()))


def _publish(job: Job, folder: Path) -> Done:
    """``input`` is the list, ``list`` the earlier ones."""
    from qiyi_analysis.report.run.list_jobs import publish

    rules = job.named_rules[0] if job.named_rules else ""
    given = {"rating_list": job.input, "previous": list(job.lists), "rules": rules}
    done = publish(_parameters(job, given), job.formats)
    serious = sum(finding.severity != "I" for finding in done.findings)
    # A batch is run again into its own folder; what it wrote before is its own.
    return Done(findings=serious, files=tuple(done.write(folder, force=not done.stopped).values()))


def _study(job: Job, folder: Path) -> Done:
    """``rules`` names the study, then its parameters; ``input`` is the history of games, if it takes one."""
    return _rendered(job, folder, {"games": job.input} if job.input else {})


def _rendered(job: Job, folder: Path, given: dict[str, Any]) -> Done:
    paths = render(job.notebook, _parameters(job, given), folder, job.formats, name=_name(job))
    return Done(files=tuple(paths.values()))


def _parameters(job: Job, given: dict[str, Any]) -> dict[str, Any]:
    """The notebook's parameters: those of the table's columns and those written out beside the rules."""
    schema = read_schema(find_notebook(job.notebook))
    return {**given, "language": job.language, **assigned(schema, job.assignments)}


def _name(job: Job) -> str:
    return f"{safe_name(Path(job.input).stem)}-{job.command}"


WORK: dict[str, Callable[[Job, Path], Done]] = {
    "audit": _audit,
    "titles": _titles,
    "list": _list,
    "publish": _publish,
    "study": _study,
}
