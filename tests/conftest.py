"""Fixtures that more than one area's tests use."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]


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
    from qiyi_analysis import cli

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as left:
            cli.main([str(a) for a in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        assert "fault of the program" not in err
        return left.value.code, out, err

    return run
