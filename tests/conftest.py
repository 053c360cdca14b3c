"""Fixtures that more than one area's tests use."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the tests: how many made-up events each family of rules is compared on."""
    parser.addoption(
        "--random-events", type=int, default=200, help="made-up events of each family of rules (200)"
    )


@pytest.fixture(scope="session")
def random_events(pytestconfig: pytest.Config) -> int:
    """Made-up events of each family of rules."""
    return int(pytestconfig.getoption("--random-events"))


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's root folder."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of material kept outside the project (foreign files that may not be published with it)."""
    folder = PROJECT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder ../shared with material of third parties is not here")
    return folder


@pytest.fixture
def qiyi(capfd, monkeypatch):
    """Run a command in this process: (exit code, stdout, stderr)."""
    from qiyi_analysis.app import cli

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as left:
            cli.main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        assert "fault of the program" not in err
        return left.value.code, out, err

    return run


@pytest.fixture
def browser() -> Iterator[Any]:
    """A Chromium without a window that goes nowhere by itself; skipped where it or its driver is missing."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("needs Chromium and its driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
        "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--lang=zh-CN",
        "--window-size=1300,1600",
    ):  # fmt: skip
        options.add_argument(flag)
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    started.set_page_load_timeout(120)
    started.set_script_timeout(240)
    yield started
    started.quit()
