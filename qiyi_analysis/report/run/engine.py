"""The papermill engine ``qiyi``: cells run in this process, in an IPython shell of their own.

``papermill --engine qiyi NOTEBOOK OUT`` and every report of this program run through it. No kernel is started, and what
the notebook calculated (the name ``result`` in its namespace) is handed to the caller as the object it is.
"""

from __future__ import annotations

import atexit
import functools
import io
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from qiyi_analysis.report.run.time_limit import Late

NAME = "qiyi"
#: The name a notebook binds its calculation to.
RESULT = "result"
#: The shell, the streams and the display hooks belong to the whole process.
_ONE_AT_A_TIME = threading.RLock()
#: What ends the run instead of becoming an output of a cell.
_ENDS_THE_RUN = (KeyboardInterrupt, Late)

Output = dict[str, Any]


@dataclass(slots=True)
class Ran:
    """What a run leaves behind: the executed notebook, its calculation, and what a cell raised."""

    notebook: Any = None
    result: Any = None
    error: BaseException | None = None


def __getattr__(name: str) -> Any:
    """``InProcess``, made when it is asked for: papermill loads its engines while it is imported itself."""
    if name == "InProcess":
        return _engine()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _engine() -> type:
    from papermill.engines import Engine

    class InProcess(Engine):
        """Runs a notebook's cells in this process; ``ran`` receives what a caller in this process wants back."""

        @classmethod
        def execute_managed_notebook(
            cls, nb_man: Any, kernel_name: str, *, ran: Ran | None = None, **_: Any
        ) -> None:
            """Run the cells in order up to the first one that raises."""
            ran = ran or Ran()
            ran.notebook = nb_man.nb
            with _ONE_AT_A_TIME, _own_shell() as shell:
                try:
                    _run_cells(shell, nb_man, ran)
                finally:
                    ran.result = shell.user_ns.get(RESULT)

    return InProcess


def _run_cells(shell: Any, nb_man: Any, ran: Ran) -> None:
    from nbformat import from_dict

    count = 0
    for index, cell in enumerate(nb_man.nb.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        count += 1
        nb_man.cell_start(cell, index)
        cell.execution_count = count
        shown, ran.error = _run_cell(shell, cell.source, count)
        cell.outputs = from_dict(shown)
        if ran.error is not None:
            nb_man.cell_exception(cell, index)
        nb_man.cell_complete(cell, index)
        if isinstance(ran.error, _ENDS_THE_RUN):
            raise ran.error
        if ran.error is not None:
            return


@contextmanager
def _own_shell() -> Iterator[Any]:
    """A new shell, which is IPython's current one while the block lasts; a caller's own shell comes back after it."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.profiledir import ProfileDir
    from traitlets.config import Config

    earlier, main = InteractiveShell._instance, sys.modules["__main__"]
    InteractiveShell.clear_instance()
    # Without a history there is no file to share and no thread to write it, without a profile no folder in the home.
    config = Config({"HistoryManager": {"enabled": False}})
    shell: Any = InteractiveShell.instance(config=config, profile_dir=ProfileDir())
    shell.enable_gui = shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    try:
        yield shell
    finally:
        atexit.unregister(shell.atexit_operations)
        InteractiveShell.clear_instance()
        InteractiveShell._instance, sys.modules["__main__"] = earlier, main


def _run_cell(shell: Any, source: str, count: int) -> tuple[list[Output], BaseException | None]:
    """Outputs of one cell in the notebook format, and what it raised."""
    shown: list[Output] = []
    hook, publisher = shell.displayhook, shell.display_pub
    with redirect_stdout(_Stream("stdout", shown)), redirect_stderr(_Stream("stderr", shown)):
        shell.display_pub = _Publisher(shown)
        shell.displayhook = shell.display_trap.hook = _Hook(shell, shown, count)
        try:
            done = shell.run_cell(source, store_history=False)
        finally:
            shell.displayhook, shell.display_pub, shell.display_trap.hook = hook, publisher, hook
    error = done.error_before_exec or done.error_in_exec
    if error is not None:
        own = getattr(error, "_render_traceback_", None)
        lines = own() if own else traceback.format_exception(type(error), error, error.__traceback__)
        shown.append(
            {"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": lines}
        )
    return shown, error


class _Stream(io.TextIOBase):
    """Takes what a cell prints, in its place among the other outputs."""

    def __init__(self, name: str, shown: list[Output]) -> None:
        self.name, self.shown = name, shown

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.shown and self.shown[-1].get("name") == self.name:
            self.shown[-1]["text"] += text
        elif text:
            self.shown.append({"output_type": "stream", "name": self.name, "text": text})
        return len(text)


class _Publisher:
    """Takes what ``display`` publishes."""

    is_publishing = False

    def __init__(self, shown: list[Output]) -> None:
        self.shown = shown

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        self.shown.append(
            {"output_type": "display_data", "data": dict(data), "metadata": dict(metadata or {})}
        )

    def clear_output(self, wait: bool = False) -> None:
        self.shown.clear()


class _Hook:
    """Takes the value of a cell's last expression."""

    exec_result = None
    is_active = True

    def __init__(self, shell: Any, shown: list[Output], count: int) -> None:
        self.shell, self.shown, self.count = shell, shown, count

    def __call__(self, result: Any = None) -> None:
        if result is None:
            return
        data, metadata = self.shell.display_formatter.format(result)
        if data:
            self.shown.append(
                {
                    "output_type": "execute_result",
                    "data": data,
                    "metadata": metadata,
                    "execution_count": self.count,
                }
            )
