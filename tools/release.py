"""Gather a folder that sets the program up on a computer without a network.

    python3 start.py release DIR
    python3 start.py release DIR --platform windows --python 3.12 --python 3.13

The folder holds the project with ``wheels/`` (every package of the lock, checked against its checksums, and
the project's own wheel) and files to double-click. One folder may serve several systems and Pythons.

start.py runs this with the Python of the environment; it needs pip and ``packaging``, both of which are there.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What a computer in an office needs not: the tests, and what lies about in a working folder.
LEFT_OUT = (
    ".*", "__pycache__", "*.pyc", "*.egg-info", "tests", "benchmarks", "reports", "wheels", "build", "dist",
)  # fmt: skip
#: Files to double-click, with the line ends of their system.
CLICKED = {"qiyi-desk.bat": "\r\n", "qiyi-desk.sh": "\n", "qiyi-desk.desktop": "\n", "README.txt": "\r\n"}

#: For each system: the values of its markers (PEP 508), and the tags of the wheels it can use, best first.
SYSTEMS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "windows": (
        {"os_name": "nt", "sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64"},
        ("win_amd64",),
    ),
    "linux": (
        {
            "os_name": "posix",
            "sys_platform": "linux",
            "platform_system": "Linux",
            "platform_machine": "x86_64",
        },
        (
            *(f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)),
            "manylinux2014_x86_64",
            "manylinux2010_x86_64",
            "manylinux1_x86_64",
            "linux_x86_64",
        ),
    ),
}


def main() -> int:
    """Parse, gather, say what was gathered."""
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    parser = argparse.ArgumentParser(
        prog="start.py release", description="离线安装文件夹  A folder for set-up without a network"
    )
    parser.add_argument("folder", type=Path, help="目标文件夹  the folder to make")
    parser.add_argument(
        "--platform",
        action="append",
        choices=[*SYSTEMS, "this"],
        help="目标系统，可重复  the system it is for; may be repeated; default: this computer",
    )
    parser.add_argument(
        "--python",
        action="append",
        metavar="3.x",
        help=f"目标 Python 版本，可重复  may be repeated; default: {this}",
    )
    asked = parser.parse_args()
    pythons = asked.python or [this]
    for version in pythons:
        if not re.fullmatch(r"3\.\d{1,2}", version):
            parser.error(f"--python {version}: expected two numbers such as 3.12")
    if asked.folder.exists() and any(asked.folder.iterdir()):
        parser.error(f"{asked.folder} 不是空文件夹  is not empty; name a new folder")
    project = asked.folder / "qiyi"
    copy_project(project)
    wheels = project / "wheels"
    wheels.mkdir()
    told = set()
    for system in asked.platform or ["this"]:
        for version in [this] if system == "this" else pythons:
            print(f"{system}, Python {version}", file=sys.stderr, flush=True)
            download(wheels, system, version)
            name = sys.platform if system == "this" else SYSTEMS[system][0]["sys_platform"]
            told.add(f"{name} {version}")
    (wheels / "pythons.txt").write_text("\n".join([*sorted(told), ""]), encoding="ascii")
    build_wheel(wheels)
    for name, end in CLICKED.items():
        text = (ROOT / "tools" / "offline" / name).read_text(encoding="utf-8")
        target = asked.folder / name
        # The Windows editor of older systems takes UTF-8 only with its mark at the beginning.
        mark = "\ufeff" if name.endswith(".txt") else ""
        target.write_bytes((mark + text.replace("\n", end)).encode("utf-8"))
        if end == "\n":
            target.chmod(0o755)
    size = sum(path.stat().st_size for path in asked.folder.rglob("*") if path.is_file())
    count = len(list(wheels.glob("*.whl")))
    print(f"{asked.folder}: {count} 个软件包  packages, {size / 1e6:.0f} MB")
    return 0


def copy_project(target: Path) -> None:
    """The project without its tests and without what a working folder gathers."""
    ignored = shutil.ignore_patterns(*LEFT_OUT)

    def outside(folder: str, names: list[str]) -> set[str]:
        # The names to leave out are those of the project's own folder; deeper down only hidden and compiled files go.
        if Path(folder) == ROOT:
            return ignored(folder, names)
        return {
            name for name in names if name.startswith(".") or name == "__pycache__" or name.endswith(".pyc")
        }

    shutil.copytree(ROOT, target, ignore=outside)


def requirements(system: str, version: str) -> Iterator[str]:
    """The lines of the lock that hold for a system and a Python, without their markers.

    pip looks at the markers with the Python it runs under, not with the one that is asked for.
    """
    from packaging.markers import Marker, default_environment

    environment = dict(default_environment())
    if system != "this":
        environment.update(SYSTEMS[system][0])
        environment.update(
            python_version=version,
            python_full_version=f"{version}.9",
            implementation_name="cpython",
            platform_python_implementation="CPython",
        )
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=\S)", lock):
        if not entry.strip() or entry.startswith("#"):
            continue
        head, _, rest = entry.partition("\\\n")
        name, _, marker = head.partition(";")
        if not marker.strip() or Marker(marker.strip()).evaluate(environment):
            yield f"{name.strip()} \\\n{rest}"


def download(wheels: Path, system: str, version: str) -> None:
    """Every package of the lock, as wheels and with its checksum."""
    with tempfile.TemporaryDirectory() as folder:
        wish = Path(folder) / "wish.txt"
        wish.write_text("\n".join(requirements(system, version)) + "\n", encoding="utf-8")
        command = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        command += ["--dest", str(wheels), "--requirement", str(wish)]
        if system != "this":
            command += ["--python-version", version, "--implementation", "cp"]
            for abi in (f"cp{version.replace('.', '')}", "abi3", "none"):
                command += ["--abi", abi]
            for tag in SYSTEMS[system][1]:
                command += ["--platform", tag]
        pip(*command)


def build_wheel(wheels: Path) -> None:
    """The project's own wheel, for those who install with pip and without start.py."""
    pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT))


def pip(*arguments: str) -> None:
    """Run pip; where it fails its own words are on the screen already."""
    code = subprocess.call([sys.executable, "-m", "pip", *arguments])
    if code:
        sys.exit(f"pip {arguments[0]} 未完成  did not finish ({code})")


if __name__ == "__main__":
    sys.exit(main())
