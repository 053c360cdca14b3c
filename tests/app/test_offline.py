"""The folder for computers without a network: what goes in, and that it sets up with the network cut off."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def release(project: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", project / "tools" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def start(project: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("start", project / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(lines: list[str]) -> set[str]:
    return {line.partition("==")[0] for line in lines}


def test_the_lock_is_read_for_the_system_asked_for(release: ModuleType) -> None:
    windows = list(release.requirements("windows", "3.12"))
    linux = list(release.requirements("linux", "3.12"))
    assert {"pywinpty", "colorama"} <= names(windows)
    assert not {"pexpect", "ptyprocess"} & names(windows)
    assert {"pexpect", "ptyprocess"} <= names(linux)
    assert not {"pywinpty", "appnope"} & names(linux)
    # No marker is left, every file has its checksum.
    assert all(";" not in line and "--hash=sha256:" in line for line in (*windows, *linux))
    assert {"numpy", "typst", "jupyterlab", "flit-core", "uv"} <= names(windows) & names(linux)


def test_the_copy_holds_the_program_and_nothing_of_the_working_folder(
    release: ModuleType, tmp_path: Path
) -> None:
    release.copy_project(tmp_path / "qiyi")
    copied = {path.name for path in (tmp_path / "qiyi").iterdir()}
    assert {
        "start.py",
        "pyproject.toml",
        "requirements.lock",
        "qiyi_analysis",
    } <= copied
    assert {"notebooks", "data", "docs", "LICENSE"} <= copied
    assert not {"tests", ".git", ".venv", "reports", "wheels"} & copied
    assert not list((tmp_path / "qiyi").rglob("__pycache__"))
    # Folders of the package that happen to be called like one of those left out are kept.
    assert (tmp_path / "qiyi" / "qiyi_analysis" / "report" / "export" / "templates").is_dir()


def test_the_folder_says_which_pythons_it_serves(
    start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "WHEELS", str(tmp_path))
    (tmp_path / "pythons.txt").write_text(f"{sys.platform} 3.12\nother 3.13\n", encoding="ascii")
    assert start.pythons() == [(3, 12)]
    monkeypatch.setattr(start.sys, "version_info", (3, 13, 1))
    monkeypatch.setattr(start.shutil, "which", lambda *_, **__: None)
    with pytest.raises(SystemExit) as leaving:
        start.check_python(["desk"])
    assert leaving.value.code == 2
    assert "3.12" in capsys.readouterr().err


def test_without_the_folder_the_network_is_used(start: ModuleType) -> None:
    assert start.pythons() == [(3, 11), (3, 12), (3, 13), (3, 14)]


def test_a_folder_that_is_not_empty_is_left_alone(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="ascii")
    done = subprocess.run(
        [sys.executable, str(project / "tools" / "release.py"), str(tmp_path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_files_to_double_click_name_what_is_there(project: Path) -> None:
    batch = (project / "tools" / "offline" / "qiyi-desk.bat").read_text(encoding="ascii")
    assert "qiyi\\start.py desk" in batch
    shell = project / "tools" / "offline" / "qiyi-desk.sh"
    assert "qiyi/start.py desk" in shell.read_text(encoding="utf-8")
    if shutil.which("sh"):
        subprocess.run(["sh", "-n", str(shell)], check=True, timeout=20)


def cut_off() -> list[str]:
    """A prefix that runs a command in a network of its own with nothing but a loopback that is down."""
    for prefix in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and subprocess.call([*prefix, "true"], stderr=subprocess.DEVNULL) == 0:
            return prefix
    return []


@pytest.mark.skipif(
    not os.environ.get("QIYI_TEST_RELEASE"),
    reason="downloads every package (330 MB) and sets up an environment (1.2 GB): QIYI_TEST_RELEASE=1 runs it",
)
def test_it_sets_up_and_audits_with_the_network_cut_off(project: Path, tmp_path: Path) -> None:
    prefix = cut_off()
    if not prefix:
        pytest.skip("this machine cannot cut off a process's network (unshare)")
    folder = tmp_path / "办公室 office"
    made = subprocess.run(
        [sys.executable, str(project / "tools" / "release.py"), str(folder)],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    home = tmp_path / "home"
    home.mkdir()
    # Neither caches nor settings of this machine.
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "PIP_CONFIG_FILE": os.devnull,
    }
    started = time.time()
    command = [
        sys.executable,
        "start.py",
        "audit",
        "data/events/nanjing-2010",
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(
        [*prefix, *command],
        cwd=folder / "qiyi",
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "nanjing-2010-audit.pdf").read_bytes().startswith(b"%PDF")
    print(f"set up without a network in {time.time() - started:.0f} s")
