"""A runner that keeps one kernel warm: imports are paid once for many notebooks.

Between notebooks the name space is emptied and figures are closed. Modules keep what they loaded.
"""

from __future__ import annotations

import atexit
import json
import threading
from pathlib import Path
from typing import Any

from qiyi_analysis.model.errors import ReportError
from qiyi_analysis.report.run.kernel import NAME, Kernel, silence_slow_import

_RESET = """
get_ipython().run_line_magic("reset", "-sf")
import sys as _sys
if "matplotlib.pyplot" in _sys.modules:
    _sys.modules["matplotlib.pyplot"].close("all")
"""

# One kernel a thread: a worker of a cluster may have several.
_own = threading.local()
_kernels: list[Kernel] = []


def run_warm(path: Path, parameters: dict[str, Any], partial: Path) -> Any:
    """Run a notebook in this process's warm kernel; see qiyi_analysis.report.run.render.Runner."""
    silence_slow_import()
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError
    from nbformat.v4 import new_code_cell
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    notebook = load_notebook_node(str(path))
    if parameters:
        notebook = parameterize_notebook(notebook, parameters, False, kernel_name=NAME, language="python")
    notebook.cells.insert(0, new_code_cell(_RESET))
    kernel = _kernel()
    manager = kernel.manager()
    manager.shutdown_kernel = _leave_running
    manager.cleanup_resources = _leave_running
    client = NotebookClient(notebook, km=manager, kernel_name=NAME)
    try:
        with client.setup_kernel(cleanup_kc=True):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
    except CellExecutionError:
        pass  # the error stands in the cell's outputs
    except DeadKernelError as error:
        words = kernel.words()
        _drop()
        raise ReportError("kernel-stopped", file=path.name, why=words or error) from error
    del notebook.cells[0]
    return json.loads(json.dumps(notebook))


async def _leave_running(*_: Any, **__: Any) -> None:
    """The kernel outlives the notebook."""


def _kernel() -> Kernel:
    kernel: Kernel | None = getattr(_own, "kernel", None)
    if kernel is None or kernel.process is None or kernel.process.poll() is not None:
        kernel = _own.kernel = Kernel()
        kernel.start()
        if not _kernels:
            atexit.register(_drop_all)
        _kernels.append(kernel)
    return kernel


def _drop() -> None:
    """Stop this thread's kernel."""
    kernel: Kernel | None = getattr(_own, "kernel", None)
    if kernel is not None:
        kernel.stop()
        _kernels.remove(kernel)
        del _own.kernel


def _drop_all() -> None:
    while _kernels:
        _kernels.pop().stop()
