"""The audit notebook in JupyterLab, in a real browser: 'Run all' untouched, then with an event of one's own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jupyterlab", reason="needs JupyterLab (extra lab)")

TOKEN = "token-of-the-lab"


@pytest.fixture
def folder(project: Path, tmp_path: Path) -> Path:
    """A copy of the notebooks and events, so that what JupyterLab saves stays out of the project."""
    for name in ("notebooks", "data/events"):
        shutil.copytree(project / name, tmp_path / name, ignore=shutil.ignore_patterns(".*"))
    return tmp_path


@pytest.fixture
def lab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab with nobody's settings."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        f"JUPYTER_{name}_DIR": str(folder / f".jupyter-{name.lower()}")
        for name in ("CONFIG", "DATA", "RUNTIME")
    }
    process = subprocess.Popen(
        [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root",
            f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}", "--ServerApp.log_level=ERROR",
            "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.expose_app_in_browser=True",
        ],
        env={**os.environ, **own}, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token={TOKEN}", timeout=10).close()
                break
            except OSError:
                assert process.poll() is None, "JupyterLab did not start"
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


#: Waits for the kernel, sets the event where one is given, runs all cells, answers "" or what went wrong.
RUN_ALL = """
const [event, done] = arguments;
(async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  if (!panel.sessionContext.session || !panel.sessionContext.session.kernel) return "no kernel";
  // JupyterLab takes cells out of the page that are scrolled away; here all stay to be read.
  panel.content.notebookConfig = { ...panel.content.notebookConfig, windowingMode: "none" };
  const cell = panel.content.widgets.find((one) => (one.model.getMetadata("tags") || []).includes("parameters"));
  if (event !== null) {
    const source = cell.model.sharedModel.getSource();
    cell.model.sharedModel.setSource(source.replace(/^event: FilePath = .*$/m, "event: FilePath = " + event));
  }
  await window.jupyterapp.commands.execute("notebook:run-all-cells");
  return "";
})().then(done, (error) => done(String(error)));
"""


#: What the page shows of the outputs of all cells.
OUTPUTS = """
return window.jupyterapp.shell.currentWidget.content.widgets
  .filter((cell) => cell.model.type === "code")
  .map((cell) => cell.outputArea.node.innerText).join("\\n");
"""


def run_all(browser, verdict: str, event: str | None = None) -> str:
    """Run all cells and return the text that the page's outputs show, once it holds the verdict."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    said = browser.execute_async_script(RUN_ALL, None if event is None else json.dumps(event))
    assert said == ""
    with contextlib.suppress(TimeoutException):
        WebDriverWait(browser, 30).until(lambda b: verdict in b.execute_script(OUTPUTS))
    return browser.execute_script(OUTPUTS)


def test_run_all_in_the_browser(browser, lab: str, folder: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{lab}/lab/tree/notebooks/audit_event.ipynb?token={TOKEN}")
    WebDriverWait(browser, 120).until(
        lambda b: b.execute_script(
            "const w = window.jupyterapp && window.jupyterapp.shell.currentWidget;"
            "return Boolean(w && w.content && w.content.widgets && w.content.widgets.length > 3)"
        )
    )
    # What to do stands above the parameters, and every parameter says what it is.
    text = browser.find_element("css selector", ".jp-Notebook").text
    assert "在参数一格填写" in text
    assert "Run All" in text
    untouched = run_all(browser, "通过")
    assert "通过" in untouched
    assert "Carlsen" in untouched
    assert "Traceback" not in untouched
    # An event of one's own, with a published number changed: 8.4 became 3.4.
    event = folder / "own"
    shutil.copytree(folder / "data" / "events" / "constructed-cca-2024", event)
    official = event / "official.csv"
    official.write_text(
        official.read_text(encoding="utf-8").replace("5,2,4.5,3.66,+8.4,1708", "5,2,4.5,3.66,+3.4,1703"),
        encoding="utf-8",
    )
    mine = run_all(browser, "退回裁判长更正", str(event))
    assert "退回裁判长更正" in mine
    assert "戊五" in mine
    assert "Traceback" not in mine
