"""Who may ask the desk: every request is judged by its head, before anything of its body is read."""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from tornado import httputil, web

_HEADERS = {
    # The page is ours alone: nothing from elsewhere, no frames; and it stays in no browser's cache.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


@dataclass(frozen=True, slots=True)
class Access:
    """What opens this run of the desk: the token; then a cookie, and for uploads the word of the page."""

    token: str
    port: int
    largest: int
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    page_word: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie_name(self) -> str:
        """Runs at the same time have cookies of their own."""
        return f"qiyi-desk-{self.port}"


@web.stream_request_body
class Guarded(web.RequestHandler):
    """A handler that answers whoever has the token of this run."""

    body: bytearray

    @property
    def access(self) -> Access:
        """What opens this run."""
        access: Access = self.settings["access"]
        return access

    def set_default_headers(self) -> None:
        """The same on every answer, errors too."""
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse by the head alone; 403 for strangers, 413 for a body that is too large."""
        self.body = bytearray()
        access, headers = self.access, self.request.headers
        ours = {f"{host}:{access.port}" for host in ("127.0.0.1", "localhost")}
        if self.request.host not in ours:
            raise web.HTTPError(403)
        if "Origin" in headers and headers["Origin"] not in {f"http://{one}" for one in ours}:
            raise web.HTTPError(403)
        if _same(self.get_query_argument("token", ""), access.token):
            self.set_cookie(access.cookie_name, access.cookie, path="/qiyi", httponly=True, samesite="Strict")
        elif not _same(headers.get("Authorization", ""), f"token {access.token}"):
            if not _same(self.get_cookie(access.cookie_name) or "", access.cookie):
                raise web.HTTPError(403)
            # A browser sends the cookie for any page; only the desk's own page knows its word.
            asked_only = self.request.method in ("GET", "HEAD")
            if not asked_only and not _same(headers.get("X-XSRFToken", ""), access.page_word):
                raise web.HTTPError(403)
        length = headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > access.largest:
            raise web.HTTPError(413)

    def data_received(self, chunk: bytes) -> None:
        """Gather the body of a request that was let in; the server stops it at the largest upload."""
        self.body += chunk

    def read_form(self) -> None:
        """Take the gathered body apart into fields and files. Raises HTTPError 400 where it is none."""
        request = self.request
        try:
            httputil.parse_body_arguments(
                request.headers.get("Content-Type", ""),
                bytes(self.body),
                request.body_arguments,
                request.files,
            )
        except httputil.HTTPInputError as error:
            raise web.HTTPError(400) from error

    def answer(self, value: Any) -> None:
        """Answer with JSON."""
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json.dumps(value))

    def write_error(self, status_code: int, **_: Any) -> None:
        """One line; nothing of the request or of the program."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        opened = "请用 qiyi desk 显示的完整网址打开。 Open the whole address that qiyi desk printed.\n"
        self.finish(opened if status_code == 403 else f"{status_code}\n")


class NothingHere(Guarded):
    """Every other address."""

    def prepare(self) -> None:
        """Strangers are refused before they learn that there is nothing."""
        super().prepare()
        raise web.HTTPError(404)


class StaticFile(Guarded, web.StaticFileHandler):
    """The page's script and style."""
