"""Rule files: dated editions of the federations' regulations, read from TOML with a closed vocabulary.

A rule file lies at ``rulesets/<federation>/<document>/<effective date or undated>.toml``. Every block
carries the ``article`` it comes from. What blocks and keys a kind of document may hold stands in
``rulesets/vocabulary/<kind>.toml``; anything else is refused with file and key.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import hashlib
import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.rules.vocabulary import UNDATED, checked, day_of, key_in, place_of, refuse_unfit

#: Keys of the head of every rule file, each with what it may be.
HEAD: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "kind": {"type": "text", "required": True},
        "title": {"type": "text", "required": True},
        "title_zh": {"type": "text", "required": True},
        "picked_by": {"type": "choice", "of": ("start", "end", "list"), "required": True},
        "until": {"type": "date"},
        "confidence": {"type": "choice", "of": ("text", "practice", "secondary"), "required": True},
        "sources": {"type": "texts", "required": True},
        "sources_zh": {"type": "texts"},
        "retrieved": {"type": "date"},
        "notes": {"type": "texts"},
        "notes_zh": {"type": "texts"},
        # Of the newest edition: words by which a file names the system, the discipline whose events are judged by the
        # document where nothing says which, the ratings of a list it goes by, words of a title (a pattern).
        "system_names": {"type": "texts"},
        "assumed_for": {"type": "text"},
        "of_list": {"type": "text"},
        "title_words": {"type": "text"},
    }
)


@dataclass(frozen=True, slots=True)
class Block(Mapping[str, Any]):
    """One block of a rule file: its values by key, and the article they come from."""

    name: str
    article: str
    content: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One edition of one document. ``effective`` is None for a text without a date."""

    id: str
    federation: str
    document: str  # <federation>/<name>
    effective: date | None
    until: date | None
    kind: str
    title: str
    title_zh: str
    picked_by: str
    confidence: str
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    blocks: Mapping[str, tuple[Block, ...]]
    folder: Any = field(repr=False, compare=False, default=None)

    def block(self, name: str) -> Block | None:
        """The single block ``name``; None where the edition has none."""
        rows = self.blocks.get(name, ())
        return rows[0] if rows else None

    def rows(self, name: str) -> tuple[Block, ...]:
        """All rows of an array of blocks, in the order of the file."""
        return self.blocks.get(name, ())

    def need(self, name: str) -> Block:
        """The block ``name``. Raises RulesetError where the edition has none."""
        block = self.block(name)
        if block is None:
            raise RulesetError("block-needed", rules=self.id, block=name)
        return block

    def cite(self, name: str) -> str:
        """Rule set and article of a block, as findings and reports print it."""
        block = self.block(name)
        return f"{self.id} {block.article}" if block else self.id

    def value(self, name: str, key: str, default: Any = None) -> Any:
        """One value of a block, ``default`` where block or key is absent."""
        block = self.block(name)
        return default if block is None else block.content.get(key, default)

    def with_block(self, name: str, **values: Any) -> RuleSet:
        """A copy with values of a single block changed (for hypotheses); None removes a key."""
        old = self.block(name)
        merged = {**(old.content if old else {}), **values}
        merged = {key: value for key, value in merged.items() if value is not None}
        block = Block(name, old.article if old else "", MappingProxyType(merged))
        return dataclasses.replace(self, blocks=MappingProxyType({**self.blocks, name: (block,)}))

    def without_block(self, name: str) -> RuleSet:
        """A copy in which a block is missing (for hypotheses)."""
        blocks = {key: rows for key, rows in self.blocks.items() if key != name}
        return dataclasses.replace(self, blocks=MappingProxyType(blocks))

    def table(self, name: str) -> tuple[Mapping[str, str], ...]:
        """The rows of a CSV table of the federation, cells as printed (text)."""
        return read_table(self.folder, name, self.id)


def _root() -> Any:
    return resources.files("qiyi_analysis").joinpath("rulesets")


@cache
def _vocabulary(kind: str) -> Mapping[str, Any]:
    path = _root().joinpath("vocabulary", f"{kind}.toml")
    if not path.is_file():
        known = sorted(
            p.name[:-5] for p in _root().joinpath("vocabulary").iterdir() if p.name.endswith(".toml")
        )
        raise RulesetError("rules-kind-unknown", kind=kind, known=known)
    blocks: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["blocks"]
    return blocks


@cache
def _index() -> Mapping[str, Mapping[str, Any]]:
    """Document -> edition name -> file, for the rule files that come with the package."""
    documents: dict[str, dict[str, Any]] = {}
    for federation in sorted(_root().iterdir(), key=lambda p: p.name):
        if not federation.is_dir() or federation.name in ("vocabulary", "tables", "__pycache__"):
            continue
        for document in sorted(federation.iterdir(), key=lambda p: p.name):
            if not document.is_dir() or document.name in ("tables", "__pycache__"):
                continue
            editions = {p.name[:-5]: p for p in document.iterdir() if p.name.endswith(".toml")}
            if editions:
                documents[f"{federation.name}/{document.name}"] = dict(sorted(editions.items()))
    return documents


def documents() -> tuple[str, ...]:
    """The documents that have rule files, as ``<federation>/<document>``."""
    return tuple(_index())


def editions(document: str) -> tuple[str, ...]:
    """Ids of the editions of a document, oldest first. Raises RulesetError for an unknown document."""
    if document not in _index():
        raise RulesetError("rules-document-unknown", document=document, hint=_nearest(document, documents()))
    return tuple(f"{document}/{edition}" for edition in _index()[document])


@cache
def head(document: str) -> Mapping[str, Any]:
    """The head of the newest edition of a document, unchecked: what is asked of many documents at once."""
    text = _index()[document][max(_index()[document])].read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text.partition("\n[")[0]))


def all_rulesets() -> tuple[RuleSet, ...]:
    """Every edition that comes with the package."""
    return tuple(ruleset(id) for document in documents() for id in editions(document))


@cache
def ruleset(id: str) -> RuleSet:
    """Load one edition by its id ``<federation>/<document>/<date>``.

    Raises RulesetError, naming the nearest id, where there is none of that name.

    >>> ruleset("fide/rating-standard/2024-03-01").title
    'FIDE Rating Regulations, 1 March 2024'
    """
    document, _, edition = id.rpartition("/")
    if document not in _index() or edition not in _index()[document]:
        known = [f"{d}/{e}" for d in _index() for e in _index()[d]]
        raise RulesetError("rules-unknown", rules=id, hint=_nearest(id, [*documents(), *known]))
    return _parse(_index()[document][edition], id)


def _nearest(wanted: str, known: Iterable[str]) -> words.Said:
    """The end of a message about an id that is not known: the nearest, else what the federation has; and who lists all."""
    names = list(known)
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    federation = wanted.partition("/")[0].casefold()
    near = near or [one for one in documents() if one.startswith(f"{federation}/")]
    near = near or difflib.get_close_matches(wanted, names, n=3, cutoff=0.4)
    return words.said("hint.rules", near=near) if near else words.said("hint.rules-list")


def load(path: Path | str, id: str = "") -> RuleSet:
    """Load a rule file of one's own, in the same shape, from anywhere: ``.../<federation>/<document>/<date>.toml``.

    Without ``id`` it is named by its path and SHA-256: a file of one's own is never taken for an official edition.
    """
    path = Path(path)
    if not path.is_file():
        raise RulesetError("rules-file-missing", path=path)
    note_input(path)
    found = _parse(path, id or "/".join([*path.parts[-3:-1], path.stem]))
    if id:
        return found
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(found, id=f"{path.as_posix()} sha256:{digest[:16]}")


def resolve(wanted: str, day: date | None = None, *, files: bool = True) -> RuleSet:
    """A rule set from an id, a document (the edition in force on ``day``, else the newest) or, with ``files``, a file.

    What a file that is judged names is never opened as one.
    """
    if wanted.endswith(".toml"):
        if not files:
            raise RulesetError("rules-file-of-event", rules=wanted)
        return load(wanted)
    if wanted in _index():
        return in_force(wanted, day) if day is not None else ruleset(editions(wanted)[-1])
    return ruleset(wanted)


def in_force(document: str, day: date) -> RuleSet:
    """The edition of ``document`` in force on ``day``; a text without a date is always in force.

    Raises RulesetError, naming the earliest edition or the end of the last one, where none is.
    """
    found: RuleSet | None = None
    for id in editions(document):
        rules = ruleset(id)
        if rules.effective is None or rules.effective <= day:
            found = rules
    if found is None:
        first = editions(document)[0]
        raise RulesetError("rules-before-first", document=document, day=day, first=first)
    if found.until is not None and day > found.until:
        raise RulesetError(
            "rules-after-last", document=document, day=day, edition=found.id, until=found.until
        )
    return found


def check_editions(document: str) -> None:
    """Raise RulesetError where two editions of a document overlap or a dated one has an undated twin."""
    rules = [ruleset(id) for id in editions(document)]
    if any(r.effective is None for r in rules) and len(rules) > 1:
        raise RulesetError("rules-undated-twice", document=document)
    for older, newer in itertools.pairwise(rules):
        if older.until is not None and newer.effective is not None and older.until >= newer.effective:
            raise RulesetError("rules-overlap", older=older.id, until=older.until, newer=newer.id)


def last_day(rules: RuleSet) -> date | None:
    """The last day an edition is in force: its own ``until``, or the day before the next edition."""
    if rules.until is not None or rules.effective is None:
        return rules.until
    later = [ruleset(id).effective for id in editions(rules.document)]
    following = [d for d in later if d is not None and d > rules.effective]
    return min(following) - timedelta(days=1) if following else None


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that two editions do not share; ``old`` or ``new`` is None where it is absent."""

    block: str
    row: int
    key: str
    old: Any
    new: Any


def diff(old: RuleSet, new: RuleSet) -> tuple[Difference, ...]:
    """All values that differ between two rule sets, by block, row and key."""
    differences = []
    for name in dict.fromkeys([*old.blocks, *new.blocks]):
        olds, news = old.rows(name), new.rows(name)
        for i in range(max(len(olds), len(news))):
            a: Mapping[str, Any] = {**olds[i], "article": olds[i].article} if i < len(olds) else {}
            b: Mapping[str, Any] = {**news[i], "article": news[i].article} if i < len(news) else {}
            for key in dict.fromkeys([*a, *b]):
                if a.get(key) != b.get(key):
                    differences.append(Difference(name, i + 1, key, a.get(key), b.get(key)))
    return tuple(differences)


# --- reading and checking ------------------------------------------------------------------------


def _parse(path: Any, id: str) -> RuleSet:
    name = f"{id}.toml"
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RulesetError("rules-damaged", file=name, error=error) from None
    document, _, edition = id.rpartition("/")
    effective = None if edition == UNDATED else day_of(edition, words.said("rule-place.file-name", file=name))
    head = {}
    for key, rule in HEAD.items():
        if key in raw:
            head[key] = checked(raw.pop(key), rule, key_in(name, key))
        elif rule.get("required"):
            raise RulesetError("rules-head", file=name, key=key)
    vocabulary = _vocabulary(head["kind"])
    for block, content in raw.items():
        if block in vocabulary:
            continue
        if isinstance(content, dict) or (
            isinstance(content, list) and content and isinstance(content[0], dict)
        ):
            hint = words.nearest(f"[{block}]", [f"[{one}]" for one in vocabulary], "hint.known")
            raise RulesetError("rules-block-unknown", file=name, block=block, hint=hint)
        hint = words.nearest(block, HEAD, "hint.known")
        raise RulesetError("rules-head-unknown", file=name, key=block, hint=hint)
    blocks = {block: _blocks(block, content, vocabulary, name) for block, content in raw.items()}
    for block, spec in vocabulary.items():
        if spec.get("required") and block not in blocks:
            raise RulesetError("rules-block-missing", file=name, block=block, kind=head["kind"])
    refuse_unfit(blocks, vocabulary, name)
    until = head.get("until")
    if until is not None and effective is not None and until < effective:
        raise RulesetError("rules-until", file=name, until=until, effective=effective)
    rules = RuleSet(
        id=id,
        federation=document.partition("/")[0],
        document=document,
        effective=effective,
        until=until,
        kind=head["kind"],
        title=head["title"],
        title_zh=head["title_zh"],
        picked_by=head["picked_by"],
        confidence=head["confidence"],
        sources=_said(head, "sources", name),
        notes=_said(head, "notes", name),
        blocks=MappingProxyType(blocks),
        folder=path.parent,
    )
    _refuse_missing_tables(rules, vocabulary, name)
    return rules


def _said(head: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    """The texts of ``key``, in both languages where ``<key>_zh`` has them too."""
    texts, chinese = head.get(key, ()), head.get(f"{key}_zh")
    if chinese is None:
        return tuple(texts)
    if len(chinese) != len(texts):
        raise RulesetError("rules-texts-zh", file=name, key=key, count=len(texts), found=len(chinese))
    return tuple(words.Said(en, zh) for en, zh in zip(texts, chinese, strict=True))


def _blocks(block: str, content: Any, vocabulary: Mapping[str, Any], name: str) -> tuple[Block, ...]:
    spec = vocabulary[block]
    if bool(spec.get("rows")) != isinstance(content, list):
        shape = words.said("block-shape.rows" if spec.get("rows") else "block-shape.single", block=block)
        raise RulesetError("rules-block-shape", file=name, block=block, shape=shape)
    rows = content if isinstance(content, list) else [content]
    parsed = []
    for i, row in enumerate(rows, 1):
        where = place_of(name, block, i, bool(spec.get("rows")))
        if not isinstance(row, dict):
            raise RulesetError("rules-no-keys", where=where)
        row = dict(row)
        article = row.pop("article", None)
        if article is None:
            raise RulesetError("rules-no-article", where=where)
        checked(article, {"type": "text"}, key_in(where, "article"))
        keys = spec.get("keys", {})
        for key in row:
            if key not in keys:
                hint = words.nearest(key, [*keys, "article"], "hint.takes")
                raise RulesetError("rules-key-unknown", where=where, key=key, hint=hint)
        for key, rule in keys.items():
            if rule.get("required") and key not in row:
                raise RulesetError("rules-key-missing", where=where, key=key)
        values = {key: checked(value, keys[key], key_in(where, key)) for key, value in row.items()}
        parsed.append(Block(block, article, MappingProxyType(values)))
    return tuple(parsed)


def _refuse_missing_tables(rules: RuleSet, vocabulary: Mapping[str, Any], name: str) -> None:
    """A table that a block names is there, and has rows."""
    for block, rows in rules.blocks.items():
        for key, rule in vocabulary[block].get("keys", {}).items():
            for number, row in enumerate(rows, 1):
                if rule.get("table") and key in row:
                    where = place_of(name, block, number, bool(vocabulary[block].get("rows")))
                    if not read_table(rules.folder, row[key], key_in(where, key)):
                        raise RulesetError("rules-table-empty", rules=key_in(where, key), table=row[key])


@cache
def read_table(folder: Any, name: str, id: str) -> tuple[Mapping[str, str], ...]:
    """Rows of ``tables/<name>.csv`` beside a rule file, its federation's folder or the shared one."""
    # A federation's own table goes before the shared one of the same name.
    for place in (folder.joinpath("tables"), folder.parent.joinpath("tables"), _root().joinpath("tables")):
        path = place.joinpath(f"{name}.csv")
        if path.is_file():
            lines = [
                line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
            ]
            return tuple(MappingProxyType(row) for row in csv.DictReader(lines))
    raise RulesetError("rules-table-missing", rules=id, table=name)
