"""What commands that write reports have in common: their options, as one record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.files.whole_files import whole
from qiyi_analysis.report.run.render import FORMATS as PAGES
from qiyi_analysis.report.run.render import Executed, calculated
from qiyi_analysis.report.run.time_limit import LONGEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be written: folder (None: the command's own), formats, seconds a calculation may take."""

    out: Path | None
    formats: tuple[str, ...]
    seconds: float
    as_json: bool = False

    @property
    def files(self) -> bool:
        """Whether files are written: always but for --json without --out."""
        return self.out is not None or not self.as_json

    @property
    def pages(self) -> tuple[str, ...]:
        """The formats that come out of a notebook."""
        return tuple(one for one in self.formats if one in PAGES) if self.files else ()

    def calculated(
        self, notebook: str, parameters: Mapping[str, Any], directly: Callable[[], Any]
    ) -> Executed:
        """Calculate once (see qiyi_analysis.report.run.render)."""
        return calculated(notebook, parameters, self.pages, directly, seconds=self.seconds)

    def write(
        self, executed: Executed, folder: Path, name: str, *, xlsx: Callable[[Path], object] | None = None
    ) -> None:
        """Write workbook and pages, and say where they are; ``xlsx`` writes the workbook to a path."""
        if xlsx is not None and "xlsx" in self.formats:
            folder.mkdir(parents=True, exist_ok=True)
            with whole(folder / f"{name}.xlsx") as part:
                xlsx(part)
            output.remark(str(folder / f"{name}.xlsx"))
        remark_all(executed.write(folder, self.pages, name).values())


def report_options(
    formats: Sequence[str], default: str, out: str = "Folder for the files 输出目录"
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """--out, --formats, --time-limit and --json as the argument ``asked``, --language as ``language``."""

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def call(*, out: str, formats: str, time_limit: int, as_json: bool, **given: Any) -> int:
            asked = Asked(
                out=output.folder_for(out) if out else None,
                formats=output.chosen_formats(formats, known),
                seconds=time_limit,
                as_json=as_json,
            )
            return command(asked=asked, **given)

        known = formats
        options = (
            click.option("--out", default="", metavar="DIR", help=out),
            click.option("--formats", default=default, show_default=True, help=f"Of {','.join(known)} 输出格式"),
            click.option(
                "--time-limit", type=arguments.Whole(0), default=int(LONGEST), show_default=True, metavar="SECONDS",
                help="Longest time of a calculation; 0 for none 计算时限（秒）",
            ),
            click.option("--json", "as_json", is_flag=True, help="Print one JSON object; files only with --out 输出 JSON"),
            output.language_option,
        )  # fmt: skip
        for option in reversed(options):
            call = option(call)
        return call

    return decorate


def parts(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    """Callback of options with several values between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def remark_all(paths: Iterable[Path]) -> None:
    """The files that were written, one a line."""
    for path in paths:
        output.remark(str(path))
