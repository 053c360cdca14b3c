"""Set up qiyi_analysis in the folder .venv beside this file, then run what is asked for.

    python3 start.py audit data/events/nanjing-2010     any command of qiyi
    python3 start.py lab                                JupyterLab with the notebooks
    python3 start.py test                               the tests
    python3 start.py release DIR                        a folder for computers without a network

Needs Python 3.11 or newer and nothing else. The first run installs what the lock file names; later runs
start at once. QIYI_VENV=<folder> puts the environment elsewhere (for a program folder that is read-only).

This file must run far enough on an old Python to say so: standard library only, no syntax newer than
Python 3.6. The set-up itself is tools/set_up.py.
"""

import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
# On a Mac with Intel the compiler behind the fast loops (numba) has packages up to Python 3.13.
INTEL_MAC = sys.platform == "darwin" and os.uname()[4] == "x86_64"
NEWEST = (3, 13) if INTEL_MAC else (3, 14)
ROOT = os.path.dirname(os.path.abspath(__file__))
# In a folder made by "release": every package, for set-up without a network.
WHEELS = os.path.join(ROOT, "wheels")
NEEDED = ("pyproject.toml", "requirements.lock", "qiyi_analysis", os.path.join("tools", "set_up.py"))


def main(arguments):
    """Check the copy and the Python, then set up and hand over."""
    for name in NEEDED:
        if not os.path.exists(os.path.join(ROOT, name)):
            stop(
                "文件夹不完整：" + ROOT + " 中没有 " + name + "。请重新下载或克隆整个项目。",
                f"Incomplete copy: {name} is missing in {ROOT}. Download or clone the whole project.",
            )
    check_python(arguments)
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    import set_up

    return set_up.main(arguments)


def say(zh, en):
    """One message in both languages on stderr, in what the console can show."""
    text = (zh + "\n" if zh else "") + en + "\n"
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
    sys.stderr.flush()


def stop(zh, en):
    """Say why nothing can be done and leave with 2."""
    say(zh, en)
    sys.exit(2)


def pythons():
    """The versions of Python that fit: those of the lock, or those a folder without network holds packages for."""
    try:
        with open(os.path.join(WHEELS, "pythons.txt"), encoding="ascii") as held:
            lines = [line.split() for line in held]
    except OSError:
        return [(3, minor) for minor in range(OLDEST[1], NEWEST[1] + 1)]
    return sorted(tuple(map(int, line[1].split("."))) for line in lines if line[0] == sys.platform)


def check_python(arguments):
    """Hand over to a fitting Python where this one is too old, or newer than the lock knows."""
    fitting = pythons()
    if sys.version_info[:2] in fitting:
        return
    for _, minor in reversed(fitting):
        for command in ([f"python3.{minor}"], ["py", f"-3.{minor}"]):
            found = shutil.which(command[0])
            # Asked, not trusted: version managers put names on the path that do not run.
            asked = [found, *command[1:], "-c", f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"]
            if found and quiet(asked) == 0:
                sys.exit(subprocess.call([*asked[:-2], os.path.abspath(__file__), *arguments]))
    this = f"{sys.version_info[0]}.{sys.version_info[1]} ({sys.executable})"
    if os.path.isdir(WHEELS):
        versions = ", ".join(f"{major}.{minor}" for major, minor in fitting) or "-"
        stop(
            "这个离线文件夹在本系统上需要 Python " + versions + "；现在运行的是 " + this + "。",
            "On this system the folder needs Python " + versions + "; this is " + this + ".",
        )
    if sys.version_info[:2] <= NEWEST:
        stop(
            "需要 Python 3.11 或更新的版本；现在运行的是 " + this + "。请安装后再运行同一命令。",
            "Python 3.11 or newer is needed; this is "
            + this
            + ". Install one and run the same command again.",
        )
    # Newer than the lock knows, and nothing better at hand: the installation says what is not there yet.


def quiet(command):
    """Exit code of a command whose output nobody needs."""
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        return -1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        stop("已中断；再运行同一命令即可继续。", "Interrupted; run the same command again to go on.")
