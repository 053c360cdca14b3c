"""What the desk answers: the page, the rule sets to choose from, an audit, a player unfolded, a file.

Every answer asks for the token (Jupyter Server's ``authenticated``). An audit runs as the command
``qiyi audit`` in a process of its own: a hostile file can at worst end that process.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.extension.handler import ExtensionHandlerMixin
from tornado import web

import qiyi_analysis.ruleset as rulesets
from qiyi_analysis.names import safe_name

#: An audit of the largest sensible file takes a few seconds.
LONGEST_AUDIT = 180.0
FORMATS = ("pdf", "html", "xlsx", "json")
TYPES = {
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
#: Audits kept for unfolding and download; older ones are dropped.
KEPT = 50


@dataclass(frozen=True, slots=True)
class Kept:
    """One audit: the upload and what was made of it."""

    event: Path
    lists: tuple[Path, ...]
    rules: str
    language: str
    files: dict[str, Path]


@dataclass(slots=True)
class Uploads:
    """The audits of this session, in a folder of their own."""

    folder: Path
    kept: dict[str, Kept] = field(default_factory=dict)

    def new_folder(self) -> tuple[str, Path]:
        """A folder with a name nobody can guess."""
        key = secrets.token_urlsafe(12)
        place = self.folder / key
        place.mkdir()
        return key, place

    def keep(self, key: str, audit: Kept) -> None:
        self.kept[key] = audit
        while len(self.kept) > KEPT:
            self.kept.pop(next(iter(self.kept)))


class PageHandler(ExtensionHandlerMixin, JupyterHandler):
    """The page itself."""

    @web.authenticated
    def get(self) -> None:
        page = (Path(__file__).parent / "static" / "desk.html").read_text(encoding="utf-8")
        static = self.settings["base_url"].rstrip("/") + "/static/qiyi_desk"
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(page.replace("{{static}}", static).replace("{{xsrf}}", self.xsrf()))

    def xsrf(self) -> str:
        return self.xsrf_token.decode("ascii")


class ChoicesHandler(ExtensionHandlerMixin, APIHandler):
    """The rating documents to choose from."""

    @web.authenticated
    def get(self) -> None:
        documents = []
        for document in rulesets.documents():
            newest = rulesets.ruleset(rulesets.editions(document)[-1])
            if newest.kind == "rating":
                documents.append({"id": document, "zh": newest.title_zh, "en": newest.title})
        self.finish(json.dumps({"documents": documents}))


class AuditHandler(ExtensionHandlerMixin, APIHandler):
    """Takes an event file (several make a folder), perhaps lists; answers with verdict and findings."""

    @web.authenticated
    async def post(self) -> None:
        uploads: Uploads = self.settings["qiyi_uploads"]
        files = self.request.files.get("event", [])
        if not files:
            raise web.HTTPError(400, reason="no event file")
        key, place = uploads.new_folder()
        event = _store(files, place / "event")
        lists = tuple(
            _store([one], place / f"list-{i}") for i, one in enumerate(self.request.files.get("list", []))
        )
        language = "en" if self.get_body_argument("language", "zh") == "en" else "zh"
        rules = self.get_body_argument("rules", "")
        if rules and not re.fullmatch(r"[a-z0-9/-]+", rules):
            raise web.HTTPError(400, reason="unknown rule set")
        arguments = [
            str(event),
            "--out",
            str(place / "out"),
            "--formats",
            ",".join(FORMATS),
            "--language",
            language,
        ]
        arguments += ["--rules", rules] if rules else []
        for one in lists:
            arguments += ["--list", str(one)]
        if self.get_body_argument("mask_minors", "") == "1":
            arguments.append("--mask-minors")
        code, message = await _qiyi("audit", *arguments)
        written = {path.suffix[1:]: path for path in (place / "out").glob("*-audit.*")}
        if code not in (0, 1) or "json" not in written:
            self.finish(json.dumps({"error": message or "the file could not be read"}))
            return
        uploads.keep(key, Kept(event, lists, rules, language, written))
        answer = json.loads(written["json"].read_text(encoding="utf-8"))
        answer["id"] = key
        answer["files"] = {kind: path.name for kind, path in sorted(written.items())}
        self.finish(json.dumps(answer))


class PlayerHandler(ExtensionHandlerMixin, APIHandler):
    """One player's calculation as text, as `qiyi explain` prints it."""

    @web.authenticated
    async def get(self) -> None:
        kept = _kept(self)
        number = self.get_argument("number", "")
        if not re.fullmatch(r"\d{1,9}", number):
            raise web.HTTPError(400, reason="player number expected")
        arguments = [str(kept.event), number, "--language", kept.language]
        arguments += ["--rules", kept.rules] if kept.rules else []
        for one in kept.lists:
            arguments += ["--list", str(one)]
        code, output = await _qiyi("explain", *arguments, stdout=True)
        self.finish(json.dumps({"text" if code in (0, 1) else "error": output}))


class FileHandler(ExtensionHandlerMixin, JupyterHandler):
    """A report for download."""

    @web.authenticated
    def get(self) -> None:
        kept = _kept(self)
        kind = self.get_argument("kind", "")
        path = kept.files.get(kind)
        if path is None or kind not in TYPES:
            raise web.HTTPError(404)
        self.set_header("Content-Type", TYPES[kind])
        self.set_header("X-Content-Type-Options", "nosniff")
        name = path.name.encode("ascii", "replace").decode("ascii").replace("?", "_").replace('"', "_")
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.finish(path.read_bytes())


def _kept(handler: Any) -> Kept:
    uploads: Uploads = handler.settings["qiyi_uploads"]
    kept = uploads.kept.get(handler.get_argument("id", ""))
    if kept is None:
        raise web.HTTPError(404)
    return kept


def _store(files: list[Any], folder: Path) -> Path:
    """Write uploaded files under safe names; one file is the event, several are its folder."""
    folder.mkdir(parents=True)
    for one in files:
        # Only the last part of the name given by the browser, and only safe characters of it.
        name = safe_name(re.split(r"[/\\]", one["filename"])[-1])
        (folder / name).write_bytes(one["body"])
    stored = sorted(folder.iterdir())
    return stored[0] if len(stored) == 1 else folder


async def _qiyi(*arguments: str, stdout: bool = False) -> tuple[int, str]:
    """Run the command; return its exit code and what it said (stderr, or stdout where asked for)."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "qiyi_analysis",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), LONGEST_AUDIT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return 2, f"no answer within {LONGEST_AUDIT:.0f} s"
    text = (out if stdout else err).decode("utf-8", "replace").strip()
    return process.returncode if process.returncode is not None else 2, text.removeprefix("qiyi: ")


HANDLERS = [
    (r"/qiyi/desk", PageHandler),
    (r"/qiyi/choices", ChoicesHandler),
    (r"/qiyi/audit", AuditHandler),
    (r"/qiyi/player", PlayerHandler),
    (r"/qiyi/file", FileHandler),
]
