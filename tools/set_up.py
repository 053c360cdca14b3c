"""The set-up behind start.py: a virtual environment with what the lock names, then the command asked for.

uv installs, from whichever index pip is set to use; every package is compared with the checksums of
``requirements.lock``, and only wheels are taken. Standard library only: nothing is installed yet.
"""

import ast
import contextlib
import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping

from start import ROOT, WHEELS, quiet, say, stop

NEEDED_MB = 1800  # environment 1.2 GB, downloads 0.4 GB on the way
FULL_MB = 20  # less than this is left on a disk on which a step has just failed for want of room
LOCK = os.path.join(ROOT, "requirements.lock")
VENV = os.path.abspath(os.environ.get("QIYI_VENV") or os.path.join(ROOT, ".venv"))
STAMP = os.path.join(VENV, "qiyi-complete.txt")
WINDOWS = os.name == "nt"
PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if WINDOWS else ("bin", "python")))
#: The extras of pyproject.toml that go with what is wanted.
EXTRAS = {"use": ("lab",), "develop": ("lab", "cluster", "test", "dev")}

# What a failed installation says, and what it means. The first line that fits is told.
CAUSES = (
    (
        r"no space left|disk quota|not enough space|os error (28|112)\b",
        "磁盘空间不足。请腾出约 2 GB 后再运行同一命令。",
        "The disk is full. Free about 2 GB and run the same command again.",
    ),
    (
        r"read-only file system|os error 30\b",
        "文件夹只读。请把整个文件夹复制到可写的位置，或用环境变量 QIYI_VENV 指定可写的文件夹。",
        "The folder is read-only. Copy it to a place you may write to, or name one in QIYI_VENV.",
    ),
    (
        r"name resolution|name or service not known|getaddrinfo|dns error|failed to establish|unreachable"
        r"|connection (refused|reset|aborted|timed out)|connect timeout|read timed out|proxyerror"
        r"|error sending request|failed to fetch|client error \(connect\)|sslerror|certificate verify",
        "无法连接软件包服务器。首次安装需要网络；请检查网络或代理（pip 的设置会被采用），再运行同一命令。",
        "The package index cannot be reached. The first set-up needs the network; check it or the proxy"
        " (pip's own settings are used), then run the same command again.",
    ),
    (
        r"do not match the hashes|hash mismatch|mismatched hash",
        "下载的文件与锁定文件的校验值不符，已拒绝安装。请稍后再试，或换用其他软件包镜像。",
        "A download does not have the checksum of the lock file and was refused. Try again later or use"
        " another mirror.",
    ),
    (
        r"long path|name too long|too long|os error (36|206)\b",
        "路径太长。请把整个文件夹移到更短的路径下（例如 C:\\qiyi），再运行同一命令。",
        "The path is too long. Move the whole folder to a shorter one (such as C:\\qiyi), then run the same command"
        " again.",
    ),
    (
        r"permission denied|access is denied|os error (5|13)\b",
        "没有写入权限，或文件正被其他程序使用。请关闭正在运行的 qiyi 或 JupyterLab，再运行同一命令。",
        "Writing was refused, or a file is in use. Close running copies of qiyi and JupyterLab, then run"
        " the same command again.",
    ),
)


def main(arguments: list[str]) -> int:
    """Make the environment ready, then hand over to qiyi, JupyterLab or pytest."""
    check_locale(arguments)
    wanted = "develop" if arguments[:1] == ["test"] else "use"
    if not complete(wanted):
        set_up(wanted)
    arguments = find_input(arguments)
    if arguments[:1] == ["test"]:
        # Several processes where the caller does not say otherwise.
        return run(["-m", "pytest", *(arguments[1:] or ["-n", "auto"])], folder=ROOT)
    if arguments[:1] == ["lab"]:
        return run(["-m", "jupyterlab", *arguments[1:]], folder=os.path.join(ROOT, "notebooks"))
    if arguments[:1] == ["release"]:
        return run([os.path.join(ROOT, "tools", "release.py"), *arguments[1:]])
    return run(["-m", "qiyi_analysis", *(arguments or ["--help"])])


def check_locale(arguments: list[str]) -> None:
    """Begin again in a UTF-8 locale where names are UTF-8 and the locale is not (Linux under GBK).

    Python and uv would read the same folder's name in two ways. The console keeps its encoding.
    """
    if WINDOWS or sys.getfilesystemencoding() == "utf-8" or not utf8_names():
        return
    environment = child_environment({"LC_ALL": "C.UTF-8"})
    os.execve(sys.executable, [sys.executable, os.path.join(ROOT, "start.py"), *arguments], environment)


def find_input(arguments: list[str]) -> list[str]:
    """Find a shipped file named from another folder, so that the README's lines work from anywhere."""
    # An empty name would be this whole folder.
    if arguments[1:2] and arguments[1] and arguments[1][0] != "-" and not os.path.exists(arguments[1]):
        shipped = os.path.join(ROOT, arguments[1])
        if os.path.exists(shipped):
            say(
                "当前文件夹中没有 " + arguments[1] + "，改用 " + shipped,
                "Not in the current folder; taken: " + shipped,
            )
            return [arguments[0], shipped, *arguments[2:]]
    return arguments


def complete(wanted: str) -> bool:
    """Whether the environment was set up to the end from the present lock. No process is started."""
    try:
        with open(STAMP, encoding="utf-8", errors="surrogateescape") as stamp:
            kinds = stamp.read().splitlines()
    except OSError:
        return False
    return stamp_line(wanted) in kinds and os.path.exists(PYTHON)


def stamp_line(kind: str) -> str:
    """What the stamp of a finished set-up says: changed by the lock, the project, a move or another Python."""
    digest = hashlib.sha256()
    for name in ("requirements.lock", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as source:
            digest.update(source.read())
    digest.update(os.fsencode("\n".join((ROOT, VENV, os.path.realpath(PYTHON)))))
    return kind + " " + digest.hexdigest()


def set_up(wanted: str) -> None:
    """Create or complete the environment; every failure ends in one message."""
    try:
        with exclusive():
            if not complete(wanted):
                install(wanted)
    except OSError as error:
        text = f"{error.filename or VENV}: {error.strerror or error}"
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            stop(
                "无法写入 "
                + text
                + "。请把整个文件夹复制到可写的位置，或用环境变量 QIYI_VENV 指定可写的文件夹。",
                "Cannot write: "
                + text
                + ". Copy the whole folder to a place you may write to, or name one in QIYI_VENV.",
            )
        if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
            stop(*CAUSES[0][1:])
        stop("安装未完成：" + text, "Set-up stopped: " + text)


@contextlib.contextmanager
def exclusive() -> Iterator[None]:
    """Only one set-up at a time; the lock goes with the process, however it ends."""
    os.makedirs(VENV, exist_ok=True)
    with open(VENV + ".lock", "a") as file:
        if not locked(file):
            say("另一个窗口正在安装，请稍候……", "Another window is setting up; waiting ...")
            while not locked(file):
                time.sleep(1)
        yield


def locked(file) -> bool:
    """Try to lock the file; a file system that knows no locks counts as locked."""
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


def install(wanted: str) -> None:
    """Create the environment, install the lock and the project, and stamp it last."""
    usable = os.path.exists(STAMP) and os.path.exists(PYTHON)
    if usable:
        with open(STAMP, encoding="utf-8", errors="surrogateescape") as stamp:
            earlier = stamp.read()
        # Another Python behind the same name, or a moved folder: nothing in it can be trusted.
        usable = os.path.realpath(PYTHON) in earlier.splitlines() and ROOT in earlier.splitlines()
        os.remove(STAMP)
    free = shutil.disk_usage(VENV).free // 2**20
    if not usable and free < NEEDED_MB:
        with contextlib.suppress(OSError):
            os.rmdir(VENV)  # only if nothing is in it
        stop(
            f"磁盘空间不足：需要约 {NEEDED_MB} MB，{VENV} 只剩 {free} MB。",
            f"The disk is too full: about {NEEDED_MB} MB are needed, {free} MB are left at {VENV}.",
        )
    if not usable:
        create()
    say("", "[2/3] 安装软件包，约需一至数分钟  installing packages, a minute or a few")
    uv = find_uv() or bring_uv()
    install_packages(uv, wanted)
    say("", "[3/3] 安装本程序  installing the program")
    install_project(uv)
    with open(STAMP, "w", encoding="utf-8", errors="surrogateescape") as stamp:
        lines = [stamp_line("use")] if wanted == "use" else [stamp_line("use"), stamp_line("develop")]
        stamp.write("\n".join([*lines, ROOT, os.path.realpath(PYTHON), ""]))
    say("", "完成  ready: " + VENV)


def create() -> None:
    """A fresh virtual environment; what an interrupted set-up left is removed."""
    say("", "[1/3] 建立运行环境  creating the environment " + VENV)
    if quiet([sys.executable, "-c", "import ensurepip, venv"]) != 0:
        stop(
            "缺少 Python 的 venv 部件。Debian/Ubuntu：sudo apt install python3-venv，然后再运行同一命令。",
            "Python's venv part is missing. Debian/Ubuntu: sudo apt install python3-venv, then the same command again.",
        )
    if os.path.isdir(VENV) and os.listdir(VENV) and not os.path.exists(os.path.join(VENV, "pyvenv.cfg")):
        stop(
            VENV + " 中有其他文件，不会被清除。请移走它，或用 QIYI_VENV 指定另一个文件夹。",
            VENV + " holds other files and is left alone. Move it away or name another folder in QIYI_VENV.",
        )
    # Not a Python that itself lives in the folder to be cleared.
    python = getattr(sys, "_base_executable", None) or sys.executable
    code, output = watch([python, "-m", "venv", "--clear", VENV])
    if code != 0:
        explain(output)


def from_folder() -> list[str]:
    """What makes pip and uv install from the folder's own packages and never ask the network."""
    return ["--no-index", "--find-links", WHEELS] if os.path.isdir(WHEELS) else []


def find_uv() -> str | None:
    """The environment's own uv, or None."""
    return shutil.which("uv", path=os.path.dirname(PYTHON))


def bring_uv() -> str | None:
    """Install uv and the builder of the project by pip, at the versions and checksums of the lock."""
    with open(LOCK, encoding="utf-8") as source:
        blocks = re.findall(r"^(?:uv|flit-core)==.*(?:\n .*)*", source.read(), re.M)
    wish = os.path.join(VENV, "uv.txt")
    with open(wish, "w", encoding="utf-8") as target:
        target.write("\n".join([*blocks, ""]))
    options = ["--quiet", "--retries", "2", "--require-hashes", "--no-deps", "--only-binary", ":all:"]
    code, output = watch([PYTHON, "-m", "pip", "install", *options, *from_folder(), "-r", wish])
    if code != 0:
        explain(output)
    return find_uv()


def install_packages(uv: str | None, wanted: str) -> None:
    """Install what pyproject.toml asks for: versions and checksums of the lock, wheels only."""
    extras = [part for extra in EXTRAS[wanted] for part in ("--extra", extra)]
    command = [
        uv,
        "pip",
        "install",
        "--python",
        PYTHON,
        "--compile-bytecode",
        "--only-binary",
        ":all:",
        "--verify-hashes",
    ]
    offline = ["--offline", *from_folder()] if from_folder() else []
    code, output = watch(
        [*command, *offline, "-c", LOCK, "-r", os.path.join(ROOT, "pyproject.toml"), *extras],
        pip_settings_for_uv(),
    )
    if code != 0:
        explain(output)


def install_project(uv: str | None) -> None:
    """Install the project itself so that changes in its folder count at once."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    code, output = watch([uv, "pip", "install", "--python", PYTHON, *options, "-e", ROOT])
    if code != 0:
        explain(output)
    for folder, _, names in os.walk(VENV):
        if "qiyi_analysis.pth" in names and VENV.startswith(ROOT + os.sep):
            # Relative, hence ASCII: Python before 3.13 reads this file in the locale's encoding and
            # would not start at all in a folder with a Chinese name under a GBK locale.
            with open(os.path.join(folder, "qiyi_analysis.pth"), "w", encoding="ascii") as path:
                path.write(os.path.relpath(ROOT, folder) + "\n")
    watch([PYTHON, "-m", "compileall", "-q", os.path.join(ROOT, "qiyi_analysis")])


# uv does not read pip's settings; an office mirror, proxy or certificate set for pip must work all the same.
PIP_TO_UV = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "no-index": ("UV_NO_INDEX", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "client-cert": ("SSL_CLIENT_CERT", " "),
    "proxy": ("ALL_PROXY", " "),
}


def pip_settings_for_uv() -> dict[str, str]:
    """The settings pip would use, as environment variables for uv; what is set for uv itself wins."""
    try:
        output = subprocess.check_output([PYTHON, "-m", "pip", "config", "list"], env=child_environment())
    except (OSError, subprocess.CalledProcessError):
        return {}
    found = {}
    for section in ("global.", "install.", ":env:."):
        for line in output.decode("utf-8", "replace").splitlines():
            key, _, value = line.strip().partition("=")
            name = key[len(section) :].replace("_", "-")
            if key.startswith(section) and name in PIP_TO_UV:
                variable, separator = PIP_TO_UV[name]
                try:
                    found[variable] = separator.join(str(ast.literal_eval(value)).split())
                except (ValueError, SyntaxError):
                    continue
    # Every file is compared with the lock, so it may come from whichever index has it.
    found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return {variable: value for variable, value in found.items() if variable not in os.environ}


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every process started here."""
    environment = dict(os.environ)
    # Without compiled files every start would take seconds longer; other Pythons' paths and pip targets do not belong.
    unwanted = "PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_USER UV_PYTHON UV_SYSTEM_PYTHON"
    for name in unwanted.split():
        environment.pop(name, None)
    environment["VIRTUAL_ENV"] = VENV
    if utf8_names():
        environment["PYTHONUTF8"] = "1"
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.isatty() and "utf" not in (stream.encoding or "").lower():
            environment["PYTHONIOENCODING"] = stream.encoding + ":replace"
    environment.update(more or {})
    return environment


def utf8_names() -> bool:
    """Whether the folders' names are UTF-8; on an old Unix system they may be in the locale's encoding."""
    try:
        os.fsencode(ROOT + VENV).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return False
    return True


def watch(command: list[str], more: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a step of the set-up; show that it lives; return its exit code and what it said."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=child_environment(
            {**(more or {}), "PYTHONIOENCODING": "utf-8"}
        ),  # for uv and us, not for the console
        cwd=ROOT,
    )
    started = time.time()
    lively = sys.stderr.isatty()
    output = b""
    try:
        while True:
            try:
                output, _ = process.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                if lively:
                    sys.stderr.write(f"\r  {time.time() - started:.0f} s ")
                    sys.stderr.flush()
    except BaseException:
        process.kill()
        raise
    if lively:
        sys.stderr.write("\r           \r")
    return process.returncode, output.decode("utf-8", "replace")


def cause(output: str) -> tuple[str, str, str] | None:
    """The first known cause that the output of a failed step shows."""
    return next((row for row in CAUSES if re.search(row[0], output, re.I)), None)


def explain(output: str) -> None:
    """Stop with the cause where it is known, otherwise with the last lines the step said."""
    known = cause(output)
    if not known and shutil.disk_usage(VENV if os.path.isdir(VENV) else ROOT).free < 2**20 * FULL_MB:
        known = CAUSES[0]  # Python's venv passes on only that its step failed, not why
    if known:
        stop(known[1], known[2])
    last = "\n".join("  " + line[:300] for line in output.strip().splitlines()[-12:])
    stop("安装未完成。最后的输出：", "Set-up did not finish. Its last words:\n" + last)


def run(arguments: list[str], folder: str | None = None) -> int:
    """Hand over to the environment's Python. Returns the exit code (elsewhere than on Windows: does not return)."""
    if folder:
        os.chdir(folder)
    if not WINDOWS:
        os.execve(PYTHON, [PYTHON, *arguments], child_environment())
    process = subprocess.Popen([PYTHON, *arguments], env=child_environment())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the child has been told as well and says what is to be said
