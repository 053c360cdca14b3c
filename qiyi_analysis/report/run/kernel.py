"""A Python kernel that starts while its caller is still loading what it needs to talk to it.

The kernel always runs the interpreter that runs this program, whatever kernels the user has registered.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NAME = "python3"
# Unix sockets have short paths; a longer temporary folder falls back to ports on the loopback.
_LONGEST_SOCKET = 90


class Kernel:
    """A kernel process of our own; use it as a context manager so that none is left over."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="qiyi-"))
        self.file = self.folder / "c.json"
        self.log = self.folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Kernel:
        if self.process is None:
            self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process; it is ready some tenths of a second later."""
        self.file.write_text(json.dumps(self._connection()), encoding="utf-8")
        environment = dict(os.environ)
        # One notebook is one stream of work; a pool of threads per kernel would only fight over the cores.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment.setdefault(name, "1")
        # Two runs of the same notebook must not differ by the order of a set of texts.
        environment.setdefault("PYTHONHASHSEED", "0")
        if os.name == "posix":
            # A kernel whose caller was killed ends by itself.
            environment["JPY_PARENT_PID"] = str(os.getpid())
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "ipykernel_launcher",
                    "-f",
                    str(self.file),
                    "--HistoryManager.enabled=False",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
            )

    def manager(self) -> Any:
        """The kernel as nbclient wants it: a manager that neither starts nor owns a process."""
        from jupyter_client.manager import AsyncKernelManager

        kernel = self

        class Manager(AsyncKernelManager):
            """Answers for a process started elsewhere."""

            @property
            def has_kernel(self) -> bool:
                return True

            async def _async_is_alive(self) -> bool:
                # The client, too, asks its manager by this name.
                return kernel.process is not None and kernel.process.poll() is None

            is_alive = _async_is_alive

            async def interrupt_kernel(self) -> None:  # type: ignore[override]
                if kernel.process is not None:
                    kernel.process.send_signal(signal.SIGINT)

            async def shutdown_kernel(self, now: bool = False, restart: bool = False) -> None:  # type: ignore[override]
                kernel.stop()

        manager = Manager(connection_file=str(self.file), kernel_name=NAME)
        manager.load_connection_file()
        return manager

    def words(self) -> str:
        """What the process wrote about itself: the reason when it died."""
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1] if lines else ""

    def stop(self) -> None:
        """End the process and remove its folder; there is nothing to save in a kernel."""
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _connection(self) -> dict[str, Any]:
        connection: dict[str, Any] = {
            "key": secrets.token_hex(16),
            "signature_scheme": "hmac-sha256",
            "kernel_name": NAME,
        }
        ports = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
        socket = str(self.folder / "k")
        if os.name == "posix" and len(socket) < _LONGEST_SOCKET:
            return (
                connection | {"transport": "ipc", "ip": socket} | dict(zip(ports, range(1, 6), strict=True))
            )
        return connection | {"transport": "tcp", "ip": "127.0.0.1"} | _free_ports(ports) | _curve_keys()


def _free_ports(names: tuple[str, ...]) -> dict[str, int]:
    import socket

    found: dict[str, int] = {}
    with contextlib.ExitStack() as stack:
        # All are held open together, or the system would hand out the same port twice.
        for name in names:
            held = stack.enter_context(socket.socket())
            held.bind(("127.0.0.1", 0))
            found[name] = held.getsockname()[1]
    return found


def _curve_keys() -> dict[str, str]:
    import zmq

    if not zmq.has("curve"):
        return {}
    public, secret = zmq.curve_keypair()
    return {"curve_publickey": public.decode("ascii"), "curve_secretkey": secret.decode("ascii")}


def silence_slow_import() -> None:
    """Keep jsonschema from loading rfc3987_syntax, which jupyterlab brings and which takes a second to import."""
    if "rfc3987_syntax" not in sys.modules:
        # jsonschema treats an ImportError here as "no check of IRIs", which no notebook needs.
        sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
