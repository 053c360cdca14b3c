"""A condition of a title or norm that is not met, or that could not be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qiyi_analysis import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """One condition that is not met, or (``unknown``) that could not be judged and why.

    ``what`` is a word of ``[missing.<what>]``; ``values`` are its named fields.
    """

    what: str
    article: str
    values: Mapping[str, object] = field(default_factory=dict)
    unknown: bool = False

    def text(self, language: str) -> str:
        """The condition in words."""
        sentence = words.text(f"missing.{self.what}", language, **self.values)
        return words.text("missing.not_judged", language, why=sentence) if self.unknown else sentence

    @property
    def said(self) -> words.Said:
        """The condition in both languages, as a field of another text."""
        return words.Said(self.text("en"), self.text("zh"))
