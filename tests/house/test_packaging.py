"""What a newcomer touches first: locks, environment file, start.py, README commands, notebooks as committed."""

from __future__ import annotations

import ast
import errno
import importlib
import importlib.metadata
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

# Installed by hand in few places: `qiyi study --cluster` and `qiyi batch --cluster` say so where it is missing.
EXTRAS_IMPORTED = {"dask", "distributed"}


@pytest.fixture(scope="module")
def pyproject(project: Path) -> dict[str, Any]:
    return tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def start(project: Path) -> ModuleType:
    """start.py as a module, freshly loaded so that a test may change its constants."""
    spec = importlib.util.spec_from_file_location("start", project / "start.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def set_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/set_up.py as a module, freshly loaded so that a test may change its constants."""
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.syspath_prepend(str(project / "tools"))
    for name in ("start", "set_up"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("set_up")


def locked(path: Path) -> set[tuple[str, str]]:
    """Name and version of every entry; a name has more than one where systems need different versions."""
    return set(re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.M))


# One list of dependencies


def test_conda_installs_the_project_and_nothing_beside_it(project: Path, pyproject: dict[str, Any]) -> None:
    listed = yaml.safe_load((project / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    plain = [entry for entry in listed if isinstance(entry, str)]
    assert plain == [f"python {pyproject['project']['requires-python']}", "pip"]
    assert [entry["pip"] for entry in listed if isinstance(entry, dict)] == [["-e .[lab]"]]
    assert "lab" in pyproject["project"]["optional-dependencies"]


def test_every_import_is_declared(project: Path, pyproject: dict[str, Any]) -> None:
    declared = {
        Requirement(text).name.lower().replace("_", "-") for text in pyproject["project"]["dependencies"]
    } | EXTRAS_IMPORTED
    providers = importlib.metadata.packages_distributions()
    undeclared = {}
    for path in (project / "qiyi_analysis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            for name in {name.partition(".")[0] for name in names}:
                if name in sys.stdlib_module_names or name == "qiyi_analysis":
                    continue
                sources = {source.lower().replace("_", "-") for source in providers.get(name, [name])}
                if not sources & declared:
                    undeclared[name] = str(path.relative_to(project))
    assert not undeclared, f"imported, but not in pyproject.toml: {undeclared}"


def test_lock_holds_what_pyproject_asks_for(project: Path, pyproject: dict[str, Any]) -> None:
    versions = locked(project / "requirements.lock")
    wanted = list(pyproject["project"]["dependencies"]) + list(pyproject["dependency-groups"]["setup"])
    for extra in pyproject["project"]["optional-dependencies"].values():
        wanted += extra
    for requirement in map(Requirement, wanted):
        # Names are written in one way only: lower case, with hyphens.
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        held = {version for known, version in versions if known == name}
        assert held, f"requirements.lock lacks {name}; renew it as CONTRIBUTING.md says"
        wrong = {v for v in held if not requirement.specifier.contains(v, prereleases=True)}
        assert not wrong, (name, wrong)


def test_lock_has_hashes_and_names_no_server(project: Path) -> None:
    text = (project / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^--?\w*(index|find-links|host)", text, re.M)
    entries = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert len(entries) == len(locked(project / "requirements.lock"))
    assert all("--hash=sha256:" in entry for entry in entries)


# start.py


def test_start_can_be_read_by_a_python_of_2016(project: Path) -> None:
    source = (project / "start.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 6))
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= sys.stdlib_module_names | {"set_up"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


def test_old_python_without_a_newer_one(
    start: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start.sys, "version_info", (3, 9, 18))
    monkeypatch.setattr(start.shutil, "which", lambda *_, **__: None)
    with pytest.raises(SystemExit) as leaving:
        start.check_python(["audit"])
    assert leaving.value.code == 2
    said = capsys.readouterr().err
    assert "3.9" in said
    assert "Python 3.11" in said
    assert "请安装" in said


def test_old_python_hands_over_to_a_newer_one(start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start.sys, "version_info", (3, 9, 18))
    monkeypatch.setattr(
        start.shutil,
        "which",
        lambda name, **_: f"/x/{name}" if name in ("python3.12", "python3.11") else None,
    )
    # The first is a stub of a version manager that does not run.
    monkeypatch.setattr(start, "quiet", lambda command: 127 if command[0] == "/x/python3.12" else 0)
    handed: list[list[str]] = []
    monkeypatch.setattr(start.subprocess, "call", lambda command: handed.append(command) or 0)
    with pytest.raises(SystemExit) as leaving:
        start.check_python(["rate", "a b"])
    assert leaving.value.code == 0
    assert handed == [["/x/python3.11", os.path.abspath(start.__file__), "rate", "a b"]]


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "ascii"])
def test_incomplete_copy_is_reported_in_what_the_console_can_show(
    project: Path, tmp_path: Path, encoding: str
) -> None:
    folder = tmp_path / "等级分 ratings"
    folder.mkdir()
    shutil.copy(project / "start.py", folder)
    done = subprocess.run(
        [sys.executable, str(folder / "start.py"), "audit", "x"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    said = done.stderr.decode(encoding)
    assert done.returncode == 2
    assert "Traceback" not in said
    assert "pyproject.toml is missing" in said
    assert ("文件夹不完整" in said) == (encoding != "ascii")


@pytest.fixture
def copy(set_up: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The set-up acting on an imitation of a project whose environment was set up for using, not for developing."""
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    monkeypatch.setattr(set_up, "ROOT", str(tmp_path))
    monkeypatch.setattr(set_up, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(set_up, "PYTHON", str(python))
    monkeypatch.setattr(set_up, "STAMP", str(tmp_path / ".venv" / "stamp.txt"))
    Path(set_up.STAMP).write_text(set_up.stamp_line("use") + "\n", encoding="utf-8")
    return set_up


def test_a_finished_set_up_is_not_repeated(copy: ModuleType) -> None:
    assert copy.complete("use")
    assert not copy.complete("develop")


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_or_project_is_set_up_again(copy: ModuleType, changed: str) -> None:
    (Path(copy.ROOT) / changed).write_text("changed", encoding="utf-8")
    assert not copy.complete("use")


def test_an_interrupted_set_up_is_done_again(copy: ModuleType) -> None:
    os.remove(copy.STAMP)
    assert not copy.complete("use")


def test_a_vanished_python_is_noticed(copy: ModuleType) -> None:
    os.remove(copy.PYTHON)
    assert not copy.complete("use")


@pytest.mark.parametrize(
    ("number", "zh", "en"),
    [
        (errno.EROFS, "QIYI_VENV", "Copy the whole folder"),
        (errno.EACCES, "QIYI_VENV", "Copy the whole folder"),
        (errno.ENOSPC, "磁盘空间不足", "The disk is full"),
        (errno.EIO, "安装未完成", "Set-up stopped"),
    ],
)
def test_folder_that_cannot_be_written(
    copy: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    zh: str,
    en: str,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), copy.VENV)

    monkeypatch.setattr(copy.os, "makedirs", refuse)
    os.remove(copy.STAMP)
    with pytest.raises(SystemExit) as leaving:
        copy.set_up("use")
    said = capsys.readouterr().err
    assert leaving.value.code == 2
    assert zh in said
    assert en in said


def test_a_folder_with_other_things_is_never_cleared(
    copy: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    os.remove(copy.STAMP)
    precious = Path(copy.VENV) / "thesis.docx"
    precious.write_text("x")
    with pytest.raises(SystemExit):
        copy.set_up("use")
    assert precious.exists()
    assert "left alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "disk is full",
        ),
        ("error: failed to write to file `x`: No space left on device (os error 28)", "disk is full"),
        ("[Errno 30] Read-only file system: '/x'", "read-only"),
        ("NewConnectionError: Temporary failure in name resolution", "cannot be reached"),
        ("error: Failed to fetch: `x`\n  Caused by: dns error", "cannot be reached"),
        ("ProxyError('Cannot connect to proxy.')", "cannot be reached"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "checksum"),
        ("Hash mismatch for `numpy==2`", "checksum"),
        ("[WinError 5] Access is denied: 'x.pyd'", "in use"),
        ("The filename or extension is too long. (os error 206)", "path is too long"),
        ("Killed", "Its last words:\n  Killed"),
    ],
)
def test_failed_installation_is_explained(
    set_up: ModuleType, capsys: pytest.CaptureFixture[str], output: str, says: str
) -> None:
    with pytest.raises(SystemExit):
        set_up.explain(output)
    assert says in capsys.readouterr().err


def test_a_full_disk_is_told_where_the_step_does_not_say_so(
    set_up: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Error: Command '['python3', '-m', 'ensurepip']' returned non-zero exit status 1."
    for free, says in ((0, "disk is full"), (10**10, "Its last words")):
        usage = shutil.disk_usage(".")._replace(free=free)
        monkeypatch.setattr(set_up.shutil, "disk_usage", lambda _, usage=usage: usage)
        with pytest.raises(SystemExit):
            set_up.explain(said)
        assert says in capsys.readouterr().err


def test_too_small_a_disk_is_left_as_it_was(
    copy: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(copy.VENV)
    monkeypatch.setattr(copy.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 10**6))
    with pytest.raises(SystemExit):
        copy.set_up("use")
    assert "disk is too full" in capsys.readouterr().err
    assert not os.path.exists(copy.VENV)


def test_settings_of_pip_reach_uv(set_up: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = (
        ":env:.cert='/office/ca.pem'\n"
        "global.cert='/other/ca.pem'\n"
        "global.extra-index-url='https://one.example/simple https://two.example/simple'\n"
        "global.find-links='/wheels'\n"
        "global.index-url='https://mirror.example/simple'\n"
        "install.index-url='https://install.example/simple'\n"
        "global.disable-pip-version-check='1'\n"
    )
    for variable in [*(row[0] for row in set_up.PIP_TO_UV.values()), "UV_INDEX_STRATEGY"]:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("UV_FIND_LINKS", "/mine")
    monkeypatch.setattr(set_up.subprocess, "check_output", lambda *_, **__: listing.encode())
    assert set_up.pip_settings_for_uv() == {
        "SSL_CERT_FILE": "/office/ca.pem",
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_DEFAULT_INDEX": "https://install.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_children_compile_and_speak_utf8(set_up: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PIP_USER"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(set_up.sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="gbk"))
    environment = set_up.child_environment()
    assert not {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PIP_USER"} & set(environment)
    assert environment["PYTHONUTF8"] == "1"
    # Not a terminal: files and pipes get UTF-8.
    assert "PYTHONIOENCODING" not in environment


def test_shipped_event_is_found_from_another_folder(
    set_up: ModuleType, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert set_up.find_input(["audit", "pyproject.toml"]) == ["audit", str(project / "pyproject.toml")]
    assert set_up.find_input(["audit", "nowhere.csv"]) == ["audit", "nowhere.csv"]
    # An unset variable of a script is no wish for the whole folder.
    assert set_up.find_input(["audit", ""]) == ["audit", ""]
    (tmp_path / "pyproject.toml").touch()
    assert set_up.find_input(["audit", "pyproject.toml"]) == ["audit", "pyproject.toml"]


# README and command line


@pytest.mark.parametrize(
    "command", ["python3 start.py audit data/events/nanjing-2010", "python3 start.py test"]
)
def test_readme_gives_each_command_on_a_line_of_its_own(project: Path, command: str) -> None:
    assert command in (project / "README.md").read_text(encoding="utf-8").splitlines()


def examples() -> list[tuple[str, str]]:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```\n\$ qiyi (.*)\n(.*?)^```", readme, re.M | re.S)


@pytest.mark.parametrize(("arguments", "expected"), examples(), ids=lambda text: text.split("\n")[0])
def test_the_readme_shows_what_the_program_prints(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    expected: str,
) -> None:
    from qiyi_analysis.app.cli import main

    monkeypatch.chdir(project)
    with pytest.raises(SystemExit):
        main(arguments.split())
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == expected.splitlines()


def test_the_readme_s_own_event_works_as_printed(project: Path, tmp_path: Path) -> None:
    from qiyi_analysis import rate, read_event, ruleset
    from qiyi_analysis.readers import read_list
    from qiyi_analysis.readers.writers.event_writer import event_bytes

    readme = (project / "README.md").read_text(encoding="utf-8")
    files = re.findall(r"^`([a-z]+\.(?:csv|json))`\n\n```\n(.*?)```", readme, re.M | re.S)
    assert [name for name, _ in files] == ["players.csv", "games.csv", "meta.json"]
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    event = read_event(tmp_path)
    assert not event.faults
    rating = rate(event, ruleset("fide/rating-standard/2024-03-01"))
    # By hand: 0.74 + 0.59 expected of 1 point and a half at K 20; the forfeit counts for nobody.
    assert float(rating.players["change"].iloc[0]) == pytest.approx(3.4)
    # "It prints no K": as a report file the change stays open until a list brings it.
    report = tmp_path / "report" / "club.trf"
    report.parent.mkdir()
    report.write_bytes(event_bytes(event, "trf16")[0])
    printed = read_event(report)
    assert rate(printed, rating.rules).players["change"].isna().all()
    listed = rate(printed, rating.rules, [read_list(tmp_path / "players.csv")])
    assert float(listed.players["change"].iloc[0]) == pytest.approx(3.4)


def test_every_command_is_in_the_readme(project: Path) -> None:
    from qiyi_analysis.app.cli import COMMANDS

    readme = (project / "README.md").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f"qiyi {name}" not in readme]


def test_links_inside_the_documents_lead_somewhere(project: Path) -> None:
    broken = []
    for path in [
        *project.glob("*.md"),
        *(project / "docs").glob("*.md"),
        *(project / "data").rglob("README.md"),
    ]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
            if "://" not in target and not (path.parent / target).exists():
                broken.append(f"{path.relative_to(project)}: {target}")
    assert not broken, broken


def test_help_starts_without_the_heavy_packages() -> None:
    code = (
        "import sys; from qiyi_analysis.app.cli import group\n"
        "group.main(['--help'], standalone_mode=False)\n"
        "heavy = {'pandas', 'numpy', 'matplotlib', 'numba', 'scipy', 'papermill', 'nbconvert'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_interruption_while_the_modules_are_loaded_is_a_sentence() -> None:
    code = """
import runpy, sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "qiyi_analysis.app.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
runpy.run_module("qiyi_analysis", run_name="__main__")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.split("\n")[1:] == ["qiyi: interrupted", "qiyi: 已中断", ""]


def test_every_command_can_be_loaded() -> None:
    import click

    from qiyi_analysis.app.cli import COMMANDS, group

    context = click.Context(group)
    for name in COMMANDS:
        assert isinstance(group.get_command(context, name), click.Command), name


# Notebooks as they are committed


def notebooks() -> list[Path]:
    return sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_notebook_is_thin_and_clean(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert "papermill" not in notebook["metadata"]
    assert (notebook["nbformat"], notebook["nbformat_minor"]) >= (4, 5)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    # Only the cell of imports, which the types of the parameters come from, may be above them.
    assert [cell for cell in code if "parameters" in cell["metadata"].get("tags", [])] in (
        code[:1],
        code[1:2],
    )
    identities = [cell["id"] for cell in notebook["cells"]]
    assert len(set(identities)) == len(identities)
    for cell in code:
        assert not cell["outputs"]
        assert cell["execution_count"] is None
        assert not {"papermill", "execution"} & set(cell["metadata"])
        tree = ast.parse("".join(cell["source"]))
        busy = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.ClassDef)
        ]
        assert not busy, f"cell {cell['id']}: the library lacks a function"


# The wheel


def test_wheel_carries_rules_words_templates_and_notebooks(project: Path, tmp_path: Path) -> None:
    pytest.importorskip("flit_core")
    for name in ("pyproject.toml", "README.md", "LICENSE", "build_backend.py"):
        shutil.copy(project / name, tmp_path)
    for name in ("qiyi_analysis", "notebooks"):
        shutil.copytree(project / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "dist").mkdir()
    build = "import build_backend; print(build_backend.build_wheel('dist'))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / "dist" / done.stdout.split()[-1]) as wheel:
        names = set(wheel.namelist())
    wanted = [
        path
        for path in (project / "qiyi_analysis").rglob("*")
        if path.suffix in {".py", ".toml", ".csv", ".typ"}
    ]
    missing = {path.relative_to(project).as_posix() for path in wanted} - names
    missing |= {f"qiyi_analysis/_notebooks/{path.name}" for path in notebooks()} - names
    assert not missing
    assert not (tmp_path / "qiyi_analysis" / "_notebooks").exists()
