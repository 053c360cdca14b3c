"""The command `qiyi`: a group whose commands are loaded only when they are called.

Every command parses, calls the library, prints, and leaves with the exit code of the interface:
0 nothing to report, 1 findings of severity E or W, 2 the work could not be done.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import sys
from typing import Any

import click

from qiyi_analysis.errors import QiyiError

COMMANDS: dict[str, tuple[str, str]] = {
    "audit": ("qiyi_analysis.cli.audit:command", "Check an event and write the report. 审核比赛，生成报告"),
    "rate": ("qiyi_analysis.cli.rate:command", "Calculate rating changes. 计算等级分升降"),
    "explain": (
        "qiyi_analysis.cli.explain:command",
        "One player's calculation, step by step. 逐步说明一名棋手的计算",
    ),
    "standings": ("qiyi_analysis.cli.standings:command", "Standings with every tie-break. 名次与各项破同分"),
    "titles": ("qiyi_analysis.cli.titles:command", "Titles and norms earned, or what is missing. 称号与标准"),
    "what-if": (
        "qiyi_analysis.cli.what_if:command",
        "Who changes if a game or rating were different. 假设计算",
    ),
    "list": ("qiyi_analysis.cli.list:command", "Rebuild a rating list from its events. 重建等级分表"),
    "publish": ("qiyi_analysis.cli.publish:command", "Publication report of a rating list. 等级分公布报告"),
    "study": (
        "qiyi_analysis.cli.study:command",
        "Compare K-factors and rating systems. 研究 K 值与等级分体系",
    ),
    "batch": ("qiyi_analysis.cli.batch:command", "Many jobs in one go. 批量处理"),
    "desk": ("qiyi_analysis.cli.desk:command", "A local page to drop a file on. 本地网页"),
    "rules": ("qiyi_analysis.cli.rules:command", "List, show and compare rule files. 规则文件"),
    "convert": ("qiyi_analysis.cli.convert:command", "Convert and repair event files. 转换与修复文件"),
    "doctor": ("qiyi_analysis.cli.doctor:command", "What is installed, what is missing. 检查安装"),
}


#: What the operating system says in its own language, said in Chinese too.
DISK_WORDS = {
    errno.ENOSPC: "磁盘空间不足",
    getattr(errno, "EDQUOT", errno.ENOSPC): "磁盘配额已满",
    errno.EROFS: "只读，无法写入；可用 --out 指定其他文件夹",
    errno.EACCES: "没有权限，或文件正被其他程序打开",
    errno.EPERM: "没有权限，或文件正被其他程序打开",
}


class LazyGroup(click.Group):
    """A click group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {args[0]!r}. {hint} 没有这个命令")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="qiyi-analysis", prog_name="qiyi")
def group() -> None:
    """qiyi_analysis 棋艺分析: ratings of chess, xiangqi and go federations, audited and reported."""


def main(arguments: list[str] | None = None) -> Any:
    """Entry point of the command: errors of the library become one line on stderr and exit code 2."""
    prepare_console()
    try:
        # Standalone mode would turn click's own errors into exit code 1 for aborts; 2 is the interface.
        result = group.main(args=arguments, prog_name="qiyi", standalone_mode=False)
        sys.exit(result if isinstance(result, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        print("interrupted 已中断", file=sys.stderr)
        sys.exit(2)
    except QiyiError as error:
        print(f"qiyi: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; nothing is wrong with the work.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        zh = DISK_WORDS.get(error.errno or 0, "")
        print(f"qiyi: {name}{error.strerror or error} {zh}".rstrip(), file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        # A fault of the program. The user gets one line; QIYI_TRACEBACK=1 shows a developer the rest.
        if os.environ.get("QIYI_TRACEBACK"):
            raise
        print(
            f"qiyi: a fault of the program, not of your file 程序内部错误: {type(error).__name__}: {error}\n"
            "qiyi: please report it with the file; QIYI_TRACEBACK=1 shows where 请连同文件报告此问题",
            file=sys.stderr,
        )
        sys.exit(2)


def prepare_console() -> None:
    """Write UTF-8, or on a console of another code page only what it can show, never mojibake."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty() and (stream.encoding or "").lower().replace("-", "") != "utf8":
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8", errors="backslashreplace")
