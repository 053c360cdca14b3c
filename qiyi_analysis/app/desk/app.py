"""The desk's own server: nothing answers but the page, and no configuration on the computer changes that."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import webbrowser
from pathlib import Path

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets

from qiyi_analysis.app.desk.guard import Access, NothingHere, StaticFile
from qiyi_analysis.app.desk.handlers import HANDLERS, Uploads, end_commands
from qiyi_analysis.files.temporary import temporary_folder

#: Largest upload, in bytes: the longest event files are a few megabytes.
LARGEST_UPLOAD = 64 * 1024 * 1024
#: Connections at once; a browser opens about six.
MOST_CONNECTIONS = 100
#: Seconds a connection may take to send its next request, and to send the body of one.
LONGEST_IDLE, LONGEST_BODY = 30.0, 120.0
FIRST_PORT = 8765
PAGE = "/qiyi/desk"


class _Server(HTTPServer):
    """A server that turns away what is more than ``MOST_CONNECTIONS``."""

    def handle_stream(self, stream: IOStream, address: tuple[str, int]) -> None:
        """Serve a new connection, or close it."""
        if len(self._connections) >= MOST_CONNECTIONS:
            stream.close()
        else:
            super().handle_stream(stream, address)


def serve(port: int = 0, *, open_browser: bool = True, token: str = "", letterhead: str = "") -> None:
    """Serve the desk until it is interrupted; its address with the token is printed.

    Uploads and reports lie in a temporary folder that is removed at the end: nothing leaves the machine
    and nothing stays on it but what was downloaded.
    """
    with temporary_folder() as folder, contextlib.suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve(folder, port or FIRST_PORT, open_browser, token, letterhead))
        finally:
            end_commands()


async def _serve(folder: Path, first: int, open_browser: bool, token: str, letterhead: str) -> None:
    token = token or secrets.token_urlsafe(24)
    static = (r"/qiyi/static/(.*)", StaticFile, {"path": str(Path(__file__).parent / "static")})
    for port in range(first, first + 50):
        try:
            sockets = bind_sockets(port, "127.0.0.1")
            break
        except OSError:
            if port == first + 49:
                raise
    application = web.Application(
        [*HANDLERS, static],
        default_handler_class=NothingHere,
        access=Access(token, port, LARGEST_UPLOAD),
        uploads=Uploads(folder),
        letterhead=os.path.abspath(letterhead) if letterhead else "",
    )
    server = _Server(
        application,
        idle_connection_timeout=LONGEST_IDLE,
        body_timeout=LONGEST_BODY,
        max_header_size=1 << 16,
        max_body_size=LARGEST_UPLOAD,
        max_buffer_size=LARGEST_UPLOAD,
    )
    server.add_sockets(sockets)
    address = f"http://127.0.0.1:{port}{PAGE}?token={token}"
    print(address, flush=True)
    if open_browser:
        await asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)
    await asyncio.Event().wait()
