"""The desk as an application of Jupyter Server, which brings the token, the loopback and host checks.

No other extension is loaded, there are no terminals, and the server's own folder is an empty one.
"""

from __future__ import annotations

import os
import secrets
import signal
from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp

from qiyi_analysis.app.desk.handlers import HANDLERS, Uploads, end_commands
from qiyi_analysis.files.temporary import temporary_folder

#: Largest upload, in bytes: the longest event files are a few megabytes.
LARGEST_UPLOAD = 64 * 1024 * 1024


class DeskApp(ExtensionApp):
    """``qiyi desk``."""

    name = "qiyi_desk"
    extension_url = "/qiyi/desk"
    load_other_extensions = False
    static_paths = [str(Path(__file__).parent / "static")]  # noqa: RUF012 (a traitlet)

    @classmethod
    def get_extension_package(cls) -> str:
        """The package whose static files the page uses."""
        return "qiyi_analysis.app.desk"

    def initialize_settings(self) -> None:
        """Hand uploads, limits and letterhead to the handlers."""
        self.settings["qiyi_uploads"] = self.uploads
        self.settings["qiyi_largest"] = LARGEST_UPLOAD
        self.settings["qiyi_letterhead"] = self.letterhead

    def initialize_handlers(self) -> None:
        """Register the page and its questions."""
        self.handlers.extend(HANDLERS)

    uploads: Uploads
    token: str
    letterhead: str


def serve(port: int = 0, *, open_browser: bool = True, token: str = "", letterhead: str = "") -> None:
    """Serve the desk until it is interrupted; its address with the token is printed.

    Uploads and reports lie in a temporary folder that is removed at the end: nothing leaves the machine
    and nothing stays on it but what was downloaded.
    """
    with temporary_folder() as folder:
        _serve(folder, port, open_browser, token, letterhead)


def _serve(folder: Path, port: int, open_browser: bool, token: str, letterhead: str) -> None:
    (folder / "empty").mkdir()
    config: dict[str, Any] = {
        "ServerApp": {
            "ip": "127.0.0.1",
            "port": port or 8765,
            "port_retries": 50,
            "answer_yes": True,
            "log_level": "WARN",
            "open_browser": open_browser,
            "allow_remote_access": False,
            "allow_root": True,
            "terminals_enabled": False,
            "root_dir": str(folder / "empty"),
            "max_body_size": LARGEST_UPLOAD,
            "max_buffer_size": LARGEST_UPLOAD,
            "config_file": "",
            "quit_button": False,
            # The page is ours alone: nothing from elsewhere, no frames.
            "tornado_settings": {
                "headers": {
                    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' "
                    "'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'; form-action 'self'",
                    "Referrer-Policy": "no-referrer",
                }
            },
        }
    }
    DeskApp.uploads = Uploads(folder)
    DeskApp.letterhead = os.path.abspath(letterhead) if letterhead else ""
    DeskApp.token = os.environ["JUPYTER_TOKEN"] = token or secrets.token_urlsafe(24)
    DeskApp.serverapp_config = config["ServerApp"]
    server = DeskApp.initialize_server(argv=[])
    if hasattr(signal, "SIGHUP"):
        # A closed window ends the desk as a closed terminal does.
        signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))
    # The server's own log hides the token; the person who started it needs the whole address.
    print(f"http://127.0.0.1:{server.port}{DeskApp.extension_url}?token={DeskApp.token}", flush=True)
    try:
        server.start()
    finally:
        end_commands()
