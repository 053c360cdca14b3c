"""What is typed after a command: its own classes of click's, so that what is wrong is told in both languages.

click says in English only what it could not take. Choices and numbers here raise a ParameterError, commands too for
words too many; what is left of click's errors is put into words by :func:`usage_said`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.files.whole_files import inputs_kept
from qiyi_analysis.model.errors import ParameterError, QiyiError


def named(parameter: click.Parameter | None) -> str:
    """How the parameter stands in the usage: ``--option`` or ``ARGUMENT``."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name if parameter is not None else ""


class OneOf(click.Choice):
    """One of some names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value. Raises ParameterError, naming the nearest and all there are, for another."""
        known = [str(choice) for choice in self.choices]
        if value in known:
            return value
        hint = words.nearest(str(value), known)
        raise ParameterError("choice", name=named(param), value=value, known=known, hint=hint)


class Whole(click.IntRange):
    """A whole number, between limits where there are some."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises ParameterError for what is none or outside the limits."""
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = None
        below = number is None or (self.min is not None and number < self.min)
        if below or (self.max is not None and number is not None and number > self.max):
            raise ParameterError("number-typed", name=named(param), value=value, expected=self.expected)
        return number

    @property
    def expected(self) -> words.Said:
        """The numbers that are taken."""
        if self.min is None:
            return words.said("expected.integer")
        if self.max is None:
            return words.said("expected.from", low=self.min)
        return words.said("expected.between", low=self.min, high=self.max)


class Command(click.Command):
    """A command that tells words too many in both languages."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does. Raises ParameterError for arguments that no place is left for."""
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            raise ParameterError("arguments-too-many", rest=rest, command=ctx.command_path)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; an error about a file that belongs elsewhere says what it is and where."""
        try:
            with inputs_kept():
                return super().invoke(ctx)
        except QiyiError as error:
            from qiyi_analysis.app.cli.kinds import explained

            raise explained(error, ctx.params) from error


class Group(click.Group):
    """Commands under a name; one that is not known is answered with the nearest."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed. Raises ParameterError, naming the nearest, for one that is not known."""
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            hint = words.nearest(args[0], known, "hint.known")
            raise ParameterError("command-unknown", name=args[0], hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help of the group, each command in both languages (click stops at the first full stop)."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, (one and one.help) or "") for name, one in commands])


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """As ``click.command``."""
    return click.command(name, cls=Command, **settings)


def group(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Group]:
    """As ``click.group``."""
    return click.group(name, cls=Group, **settings)


def usage_said(error: click.ClickException) -> words.Said:
    """What click says about the way a command was typed, in both languages."""
    english = error.format_message()
    match error:
        case click.NoSuchOption():
            known = error.possibilities or ()
            hint = words.said("hint.nearest", near=sorted(known)) if known else words.said("hint.usage")
            return words.said("usage.no-option", name=error.option_name, hint=hint)
        case click.MissingParameter():
            chinese = words.text("usage.missing", "zh", name=named(error.param))
        case click.BadParameter():
            chinese = words.text("usage.value", "zh", name=named(error.param))
        case click.BadOptionUsage():
            key = "usage.needs-value" if "requires" in error.message else "usage.takes-none"
            chinese = words.text(key, "zh", name=error.option_name)
        case _:
            chinese = words.text("usage.other", "zh")
    return words.Said(english, chinese)


def usage_line(error: click.ClickException, languages: Sequence[str]) -> str:
    """The usage of the command that was typed; empty where the error belongs to none."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return ""
    pieces = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    head = " ".join(words.text("usage.head", language) for language in languages)
    return f"{head}{words.text('usage.colon', languages[0])}{pieces}"
