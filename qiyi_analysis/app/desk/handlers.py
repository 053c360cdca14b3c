"""What the desk answers: the page, the rule sets to choose from, an audit, a player unfolded, a file.

Every request is judged in ``guard`` first. An audit runs as the command
``qiyi audit`` in a process of its own: a hostile file can at worst end that process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tornado import web

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.app.desk.guard import Guarded
from qiyi_analysis.app.desk.refusals import of_reader, refusal
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.errors import QiyiError

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
#: An event's folder holds a handful of files.
MOST_FILES = 40
#: Commands that run at the same time; the others wait their turn.
AT_ONCE = asyncio.Semaphore(2)
SLOW = "slow"
#: The commands that run now.
RUNNING: set[asyncio.subprocess.Process] = set()


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
        """Remember an audit; what is older than the last fifty is forgotten and its files removed."""
        self.kept[key] = audit
        while len(self.kept) > KEPT:
            oldest = next(iter(self.kept))
            del self.kept[oldest]
            self.drop(oldest)

    def drop(self, key: str) -> None:
        """Remove an upload's folder."""
        shutil.rmtree(self.folder / key, ignore_errors=True)


class PageHandler(Guarded):
    """The page itself."""

    def get(self) -> None:
        """The page, with the largest upload and the token against forged requests."""
        page = (Path(__file__).parent / "static" / "desk.html").read_text(encoding="utf-8")
        self.set_header("Content-Type", "text/html; charset=utf-8")
        values = {
            "static": "/qiyi/static",
            "xsrf": self.access.page_word,
            "largest": str(self.access.largest),
        }
        self.finish(re.sub(r"\{\{(\w+)\}\}", lambda field: values[field[1]], page))


class ChoicesHandler(Guarded):
    """The rating documents to choose from."""

    def get(self) -> None:
        """The rating documents to choose from, by id, with titles in both languages."""
        documents = []
        for document in rulesets.documents():
            newest = rulesets.ruleset(rulesets.editions(document)[-1])
            if newest.kind == "rating":
                documents.append({"id": document, "zh": newest.title_zh, "en": newest.title})
        self.answer({"documents": documents})


class AuditHandler(Guarded):
    """Takes an event file (several make a folder), perhaps lists; answers with verdict and findings."""

    async def post(self) -> None:
        """Audit the uploaded event; answers with the audit's JSON, or with why it was refused."""
        uploads: Uploads = self.settings["uploads"]
        self.read_form()
        files, lists = self.request.files.get("event", []), self.request.files.get("list", [])
        rules = self.get_body_argument("rules", "")
        refused = _refused(files, lists, rules)
        if refused:
            self.answer({"error": refused})
            return
        key, place = uploads.new_folder()
        try:
            await self.audit(uploads, key, place, rules)
        finally:
            if key not in uploads.kept:
                uploads.drop(key)

    async def audit(self, uploads: Uploads, key: str, place: Path, rules: str) -> None:
        """Audit what was sent, keep it and answer."""
        event = _store(self.request.files["event"], place / "event")
        lists = tuple(
            _store([one], place / f"list-{i}") for i, one in enumerate(self.request.files.get("list", []))
        )
        language = _language(self)
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
        letterhead = self.settings["letterhead"]
        arguments += ["--letterhead", letterhead] if letterhead else []
        for one in lists:
            arguments += ["--list", str(one)]
        if self.get_body_argument("mask_minors", "") == "1":
            arguments.append("--mask-minors")
        code, _, message = await _qiyi("audit", *arguments)
        written = {path.suffix[1:]: path for path in (place / "out").glob("*-audit.*")}
        if code not in (0, 1) or "json" not in written:
            self.answer({"error": _explained(message)})
            return
        uploads.keep(key, Kept(event, lists, rules, language, written))
        answer = json.loads(written["json"].read_text(encoding="utf-8"))
        answer["id"] = key
        answer["words"] = _words(answer, written["json"])
        answer["files"] = {kind: path.name for kind, path in sorted(written.items())}
        self.answer(answer)


class PlayerHandler(Guarded):
    """One player's calculation as text, as `qiyi explain` prints it."""

    async def get(self) -> None:
        """The calculation of the player ``number`` of a kept audit; 400 for what is no number."""
        kept = _kept(self)
        number = self.get_argument("number", "")
        if not re.fullmatch(r"\d{1,9}", number):
            raise web.HTTPError(400, reason="player number expected")
        arguments = [str(kept.event), number, "--language", _language(self, kept.language)]
        arguments += ["--rules", kept.rules] if kept.rules else []
        for one in kept.lists:
            arguments += ["--list", str(one)]
        code, output, message = await _qiyi("explain", *arguments)
        self.answer({"text": output} if code in (0, 1) else {"error": _explained(message)})


class FileHandler(Guarded):
    """A report for download."""

    def get(self) -> None:
        """The report of the ``kind`` asked for; 404 where there is none."""
        kept = _kept(self)
        kind = self.get_argument("kind", "")
        path = kept.files.get(kind)
        if path is None or kind not in TYPES:
            raise web.HTTPError(404)
        self.set_header("Content-Type", TYPES[kind])
        name = path.name.encode("ascii", "replace").decode("ascii").replace("?", "_").replace('"', "_")
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.finish(path.read_bytes())


def _language(handler: Any, default: str = "zh") -> str:
    given = handler.get_argument("language", default)
    return given if given in ("zh", "en") else default


def _refused(files: list[Any], lists: list[Any], rules: str) -> dict[str, str] | None:
    """What can be refused without looking into the files."""
    if not files:
        return refusal("no_file")
    if len(files) + len(lists) > MOST_FILES:
        return refusal("too_many", count=MOST_FILES)
    for one in (*files, *lists):
        # No browser sends a path; whoever does wants to write elsewhere.
        if re.search(r"[/\\\x00]|^\.\.?$", one["filename"]):
            return refusal("file_name", name=one["filename"][:200])
    if rules and rules not in rulesets.documents():
        return refusal("rules")
    return None


def _kept(handler: Any) -> Kept:
    uploads: Uploads = handler.settings["uploads"]
    kept = uploads.kept.get(handler.get_argument("id", ""))
    if kept is None:
        raise web.HTTPError(404)
    return kept


def _store(files: list[Any], folder: Path) -> Path:
    """Write uploaded files under safe names; one file is the event, several are its folder."""
    folder.mkdir(parents=True)
    for number, one in enumerate(files):
        path = folder / safe_name(one["filename"])
        if path.exists():  # names that differ only in signs no file name may have
            path = path.with_stem(f"{path.stem}-{number}")
        path.write_bytes(one["body"])
    stored = sorted(folder.iterdir())
    return stored[0] if len(stored) == 1 else folder


async def _qiyi(*arguments: str) -> tuple[int, str, str]:
    """Run the command; return its exit code, its output and what else it said."""
    async with AT_ONCE:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "qiyi_analysis",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        RUNNING.add(process)
        try:
            out, err = await asyncio.wait_for(process.communicate(), LONGEST_AUDIT)
        except TimeoutError:
            process.kill()
            await process.wait()
            return 2, "", SLOW
        finally:
            RUNNING.discard(process)
    lines = err.decode("utf-8", "replace").strip().splitlines()
    said = "\n".join([one.removeprefix("qiyi: ") for one in lines if one.startswith("qiyi: ")] or lines)
    code = process.returncode if process.returncode is not None else 2
    return code, out.decode("utf-8", "replace").strip(), said


def end_commands() -> None:
    """End the commands that run when the desk ends."""
    for process in RUNNING:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


def _words(answer: dict[str, Any], path: Path) -> dict[str, Any]:
    """What the page needs to name rules, causes and remedies in both languages."""

    def pairs(prefix: str, keys: set[str]) -> dict[str, dict[str, str]]:
        found = {key: f"{prefix}.{key}" for key in sorted(keys)}
        return {
            key: {"zh": words.text(word, "zh"), "en": words.text(word, "en")}
            for key, word in found.items()
            if words.has(word)
        }

    used = []
    for rules_id in answer["rules"]:
        try:
            rules = rulesets.ruleset(rules_id)
        except QiyiError:
            continue
        used.append({"id": rules_id, "zh": rules.title_zh, "en": rules.title})
    return {
        "event": answer["event"] or path.stem,
        "rules": used,
        "verdict": pairs("verdict", {answer["verdict"]}),
        "severity": pairs("severity", {"E", "W", "I"}),
        "coverage": {
            language: words.text("coverage.line", language, **answer["coverage"])
            for language in words.LANGUAGES
        },
        "causes": pairs("cause", {cause["cause"] for f in answer["findings"] for cause in f["causes"]}),
        "advice": pairs("advice", {f["code"] for f in answer["findings"]}),
    }


def _explained(said: str) -> dict[str, str]:
    return refusal("slow", seconds=f"{LONGEST_AUDIT:.0f}") if said == SLOW else of_reader(said)


HANDLERS = [
    (r"/qiyi/desk", PageHandler),
    (r"/qiyi/choices", ChoicesHandler),
    (r"/qiyi/audit", AuditHandler),
    (r"/qiyi/player", PlayerHandler),
    (r"/qiyi/file", FileHandler),
]
