"""`qiyi batch`: many jobs in one go, and a table of what happened to each."""

from __future__ import annotations

import json
import sys

import click

from qiyi_analysis import words
from qiyi_analysis.app.batch import Job, Outcome, read_jobs, run_batch
from qiyi_analysis.app.batch.outcome import DONE, FAILED, SKIPPED
from qiyi_analysis.app.batch.summary import write_summary
from qiyi_analysis.app.cli import arguments, output

HELP = """Do all jobs of the table JOBS (CSV), one a row. 批量处理

Columns: command (audit, titles, list, publish, study) and input; where wanted rules, list, published, language, formats
and out. Paths are relative to the table; several values in one cell are separated by semicolons.
各列：command、input 必填；文件路径相对于该表，一格多值以分号分隔。
"""


#: Exit code where some jobs were not done; 2 is work that could not be begun.
SOME_NOT_DONE = 3


@arguments.command("batch", help=HELP)
@click.argument("jobs")
@click.option("--workers", type=arguments.Whole(min=0), default=0, help="Processes; 0 is one a core 进程数")
@click.option("--cluster", default="", metavar="ADDRESS", help="Dask scheduler 集群地址")
@click.option("--resume", is_flag=True, help="Skip what is done for the same input, rules and version 续做")
@click.option("--out", default="reports/batch", show_default=True, metavar="DIR", help="Folder 输出目录")
@output.language_option
def command(jobs: str, workers: int, cluster: str, resume: bool, out: str, language: str) -> int:
    """Do the jobs, a line each on stderr, and write the summary; 3 if one was not done, 1 if a report has findings, else 0."""
    table = read_jobs(jobs)
    folder = output.folder_for(out)
    progress = Progress(len(table), language)
    try:
        outcomes = run_batch(
            table,
            folder,
            workers=workers,
            cluster=cluster,
            resume=resume,
            started=progress.started,
            finished=progress.finished,
        )
    finally:
        progress.close()
    paths = write_summary(outcomes, folder, language)
    counts = {state: sum(one.state == state for one in outcomes) for state in (DONE, SKIPPED, FAILED)}
    click.echo(json.dumps({"schema": 1, "jobs": len(outcomes), **counts}))
    for path in paths:
        output.remark(str(path))
    if counts[FAILED]:
        return SOME_NOT_DONE
    return 1 if any(one.findings for one in outcomes) else 0


class Progress:
    """A bar on a terminal, a line a job elsewhere; both on stderr."""

    def __init__(self, total: int, language: str) -> None:
        self.total, self.language = total, language
        self.done = self.failed = 0
        self.bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit="job", dynamic_ncols=True, file=sys.stderr)

    def started(self, job: Job) -> None:
        """Show what runs."""
        if self.bar is not None:
            self.bar.set_postfix_str(
                f"{job.folder[:30]} {words.text('batch.failed', self.language)} {self.failed}"
            )

    def finished(self, outcome: Outcome) -> None:
        """Count a job; a failed one is told at once."""
        self.done += 1
        self.failed += outcome.state == FAILED
        seconds = f" {outcome.seconds:.1f} s" if outcome.seconds else ""
        verdict = words.named("verdict", outcome.verdict) if outcome.verdict else ""
        said = words.shown(outcome.message or verdict, self.language)
        state = words.text(f"batch.{outcome.state}", self.language)
        line = f"{self.done}/{self.total} {state} {outcome.folder}{seconds} {said}".rstrip()
        if self.bar is None:
            output.remark(line)
        else:
            self.bar.update()
            if outcome.state == FAILED:
                self.bar.write(line, file=sys.stderr)

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self.bar is not None:
            self.bar.close()
