"""The command `qiyi`: a group whose commands are loaded only when they are called.

Every command parses, calls the library, prints, and leaves with the exit code of the interface:
0 nothing to report, 1 findings of severity E or W, 2 the work could not be done.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli.arguments import Group, usage_line, usage_said
from qiyi_analysis.app.cli.interruption import interruptible
from qiyi_analysis.app.cli.typed_paths import SHOWN, legible, readable_paths, refuse_empty
from qiyi_analysis.model.errors import QiyiError, sentence
from qiyi_analysis.words.visible import visible

COMMANDS: dict[str, tuple[str, str]] = {
    "audit": (
        "qiyi_analysis.app.cli.audit:command",
        "Check an event and write the report. 审核比赛，生成报告",
    ),
    "rate": ("qiyi_analysis.app.cli.rate:command", "Calculate rating changes. 计算等级分升降"),
    "explain": (
        "qiyi_analysis.app.cli.explain:command",
        "One player's calculation, step by step. 逐步说明一名棋手的计算",
    ),
    "standings": (
        "qiyi_analysis.app.cli.standings:command",
        "Standings with every tie-break. 名次与各项破同分",
    ),
    "titles": (
        "qiyi_analysis.app.cli.titles:command",
        "Titles and norms earned, or what is missing. 称号与标准",
    ),
    "what-if": (
        "qiyi_analysis.app.cli.what_if:command",
        "Who changes if a game or rating were different. 假设计算",
    ),
    "list": ("qiyi_analysis.app.cli.list:command", "Rebuild a rating list from its events. 重建等级分表"),
    "publish": (
        "qiyi_analysis.app.cli.publish:command",
        "Publication report of a rating list. 等级分公布报告",
    ),
    "study": (
        "qiyi_analysis.app.cli.study:command",
        "Compare K-factors and rating systems. 研究 K 值与等级分体系",
    ),
    "batch": ("qiyi_analysis.app.cli.batch:command", "Many jobs in one go. 批量处理"),
    "desk": ("qiyi_analysis.app.cli.desk:command", "A local page to drop a file on. 本地网页"),
    "rules": ("qiyi_analysis.app.cli.rules:command", "List, show and compare rule files. 规则文件"),
    "convert": ("qiyi_analysis.app.cli.convert:command", "Convert and repair event files. 转换与修复文件"),
    "forms": ("qiyi_analysis.app.cli.forms:command", "Blank forms for event offices. 空白表格"),
    "doctor": ("qiyi_analysis.app.cli.doctor:command", "What is installed, what is missing. 检查安装"),
}


class LazyGroup(Group):
    """A click group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the help."""
        return [*COMMANDS]  # `list` is a module of this package

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported now; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of the group, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="qiyi-analysis", prog_name="qiyi")
def group() -> None:
    """qiyi_analysis 棋艺分析: ratings of chess, xiangqi and go federations, audited and reported."""


def main(arguments: list[str] | None = None) -> Any:
    """Entry point of the command: an error becomes a sentence on stderr and exit code 2.

    The sentence is in English and in Chinese, a line each; in one language where ``--language`` asks for one.
    """
    prepare_console()
    # One command is one stream of work; threads of the linear algebra cost more to start than they save.
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    typed = sys.argv[1:] if arguments is None else arguments
    try:
        with interruptible(lambda: _tell(words.said("system.interrupted"), typed)):
            code = _run(typed)
    except (click.Abort, KeyboardInterrupt):
        _tell(words.said("system.interrupted"), typed)
        code = 2
        if arguments is None:
            sys.stderr.flush()
            os._exit(code)  # what the command made is removed; nobody waits for threads
    sys.exit(code)


def _run(typed: Sequence[str]) -> int:
    """The command's exit code. Raises what an interruption raises."""
    try:
        # Standalone mode would turn click's own errors into exit code 1 for aborts; 2 is the interface.
        refuse_empty(typed)
        with readable_paths(typed) as read:
            result = group.main(args=read, prog_name="qiyi", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
    except click.Abort:
        raise
    except click.ClickException as error:
        if line := usage_line(error, _languages(typed)):
            print(line, file=sys.stderr)
        _tell(usage_said(error), typed)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; nothing is wrong with the work.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (QiyiError, OSError) as error:
        _tell(sentence(error), typed)
    except Exception as error:
        # A fault of the program. The user gets a sentence; QIYI_TRACEBACK=1 shows a developer the rest.
        if os.environ.get("QIYI_TRACEBACK"):
            raise
        _tell(sentence(error), typed)
        _tell(words.said("system.report-fault"), typed)
    return 2


def _languages(typed: Sequence[str]) -> tuple[str, ...]:
    """The language that was typed, else both."""
    options = " ".join(typed).replace("--language=", "--language ").split()
    asked = next((value for option, value in pairwise(options) if option == "--language"), "")
    return (asked,) if asked in words.LANGUAGES else ("en", "zh")


def _tell(said: words.Said, typed: Sequence[str]) -> None:
    """A sentence on stderr, in the language that was typed, else in both."""
    for language in _languages(typed):
        print(f"qiyi: {visible(legible(words.shown(said, language)))}", file=sys.stderr)


def prepare_console() -> None:
    """Write UTF-8, or on a console of another code page only what it can show, never mojibake.

    Where standard output is closed, writing to it is an error, not silence.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty() and (stream.encoding or "").lower().replace("-", "") != "utf8":
            reconfigure(errors=SHOWN)
        else:
            reconfigure(encoding="utf-8", errors=SHOWN)


class _Closed(io.TextIOBase):
    """Standard output that was closed by whoever started the program."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "stdout")
