"""What one job does: the same as the command of its name, with a runner of the batch's choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from qiyi_analysis.batch.jobs import Job
from qiyi_analysis.errors import QiyiError
from qiyi_analysis.report import Runner


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished job: its verdict (or "") and the files it wrote."""

    verdict: str = ""
    findings: int = 0
    files: tuple[Path, ...] = field(default=())


def do_job(job: Job, folder: Path, runner: Runner | None) -> Done:
    """Carry out one job and write its files to ``folder``. Raises QiyiError where it cannot be done."""
    if not job.input:
        raise QiyiError(f"line {job.line}: input is empty")
    return WORK[job.command](job, folder, runner)


def _audit(job: Job, folder: Path, runner: Runner | None) -> Done:
    from qiyi_analysis.audit import audit
    from qiyi_analysis.audit_files import AuditRequest, write_audit
    from qiyi_analysis.interface import audit_json

    request = AuditRequest(
        event=job.input,
        rules=job.rules,
        lists=job.lists,
        published=job.published,
        language=job.language,
    )
    result = audit(request.read_event(), job.rules, request.read_lists())
    paths = write_audit(request, result, audit_json(result), folder, job.formats, runner)
    serious = sum(finding.severity != "I" for finding in result.findings)
    return Done(verdict=result.verdict, findings=serious, files=tuple(paths.values()))


WORK: dict[str, Callable[[Job, Path, Runner | None], Done]] = {"audit": _audit}
