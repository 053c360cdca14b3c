"""XML without entities: elements as a stream, hostile documents refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

from qiyi_analysis import words
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.source import decode

#: Elements inside elements; real files need a handful.
DEEPEST = 100


class Refused(Exception):
    """Raised inside the parser's callbacks, with the word that says why."""


class _LocalNames(dict[str, str]):
    """Names without their name space, each cut once."""

    def __missing__(self, name: str) -> str:
        local = name.rpartition(":")[2]
        if len(self) < 4096:  # a document of nothing but names is not kept
            self[name] = local
        return local


def parse(
    data: bytes,
    name: str,
    *,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
    at: Callable[[int], None] | None = None,
) -> None:
    """Run the callbacks over a document; names come without name space. ``at`` is told the line before every ``start``.

    Raises ReadError for a document that is no XML, declares entities, or nests without end. A document
    type is allowed as long as it declares nothing.
    """
    parser = expat.ParserCreate()
    depth = 0
    local = _LocalNames()

    def on_start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Refused("deep")
        if at is not None:
            at(parser.CurrentLineNumber)
        start(local[tag], {local[key]: value for key, value in attributes.items()} if attributes else {})

    def on_end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        end(local[tag])

    def refuse(*_: object) -> int:
        raise Refused("entities")

    parser.StartElementHandler = on_start
    parser.EndElementHandler = on_end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except Refused as error:
        raise ReadError(
            "xml-refused", file=name, why=words.said(f"xml-refused.{error}", most=DEEPEST)
        ) from error
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = getattr(error, "lineno", 0)
        raise ReadError("xml-damaged", file=name, line=line, error=error) from error


def in_utf8(data: bytes) -> bytes:
    """The document in UTF-8 without declaration, for encodings expat does not know (GB18030, Big5)."""
    text = decode(data).text
    if text.lstrip().startswith("<?xml"):
        text = text[text.find("?>") + 2 :] if "?>" in text else text
    return text.encode("utf-8", errors="replace")


# --- plain documents, read by expressions ------------------------------------------------------------

#: A text without mark-up, characters that XML has not or that it changes (a carriage return); of entities the named five.
_PLAIN = "[^<>&\x00-\x08\x0b-\x1f\ufffe\uffff]*"
TEXT = rf"{_PLAIN}(?:&(?:amp|lt|gt|quot|apos);{_PLAIN})*"
_NAMED = re.compile("&(amp|lt|gt|quot|apos);")
_SIGNS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def text_of(data: bytes) -> str | None:
    """The text of a document; None where it is not in UTF-8 or declares anything."""
    head = data[:400]
    named = re.match(rb"<\?xml[^>]*?encoding=[\"']([^\"']*)[\"']", head)
    if b"<!" in head or (named is not None and named[1].upper() != b"UTF-8"):
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def unescaped(text: str) -> str:
    """A text (TEXT) with the five named characters put in."""
    return _NAMED.sub(lambda found: _SIGNS[found[1]], text) if "&" in text else text
