"""Cells read in one place: dates, numbers, points, results, colours, sex, titles.

Every function takes the text of a cell and says what it means; nothing is guessed in silence: where a
text has more than one meaning the answer says so and the reader makes a finding of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache

from qiyi_analysis.model.event import Kind

# --- numbers -------------------------------------------------------------------------------------

_FRACTIONS = {
    "½": Fraction(1, 2),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
    "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3),
}
_MINUS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "‐": "-",
        "‑": "-",
        "－": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "\u3000": " ",
        "'": "'",
    }
)
_PLAIN = re.compile(r"[+-]?\d{1,18}\Z")
_DECIMAL = re.compile(r"[+-]?\d{0,18}[.,]\d{1,12}\Z")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?\Z")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[.,]\d{3})+\Z")
#: No rating of any system is higher.
HIGHEST_RATING = 4000
NOTHING = frozenset({"", "-", "--", "---", "n/a", "na", "nan", "none", "null", "无", "—", "／", "/", "\\"})


def plain(text: str) -> str:
    """A cell without surrounding blanks, full-width digits and letters made ordinary."""
    text = text.translate(_MINUS).strip().strip("\ufeff\u200b\u200e\u200f").strip()
    return text if text.isascii() else "".join(_narrow(c) for c in text).strip()


def _narrow(character: str) -> str:
    return chr(ord(character) - 0xFEE0) if "！" <= character <= "～" else character


def decimal_sign(texts: Iterable[str]) -> str | None:
    """The decimal sign of a whole column: ``","`` or ``"."``, None where no cell decides.

    Three digits behind a single sign prove nothing (1.234 may be a thousand); any other number does.
    """
    signs: set[str] = set()
    for text in texts:
        text = plain(text)
        if _DECIMAL.match(text) and not _THOUSANDS.match(text):
            signs.add("," if "," in text else ".")
    return signs.pop() if len(signs) == 1 else None


def rating_sign(texts: Iterable[str]) -> str | None:
    """The decimal sign of a column of ratings. Where thousands would be beyond every scale (5.335 of the AGA, -300.250
    of the EGF, 150.628), three digits behind a sign are decimals."""
    texts = [plain(text) for text in texts]
    signs: set[str] = set()
    for text in texts:
        here = "," if "," in text else "."
        if not _THOUSANDS.match(text) or text.count(here) > 1:
            continue
        if text.startswith("-") or int(text.replace(here, "")) > HIGHEST_RATING:
            signs.add(here)
    return decimal_sign(texts) or (signs.pop() if len(signs) == 1 else None)


@lru_cache(maxsize=4096)
def number(text: str, sign: str | None = None) -> Fraction | None:
    """The number in a cell, None for an empty one.

    ``sign`` is the decimal sign of the column if it is known. Raises ValueError for text that is no
    number, and for 1.234 where nothing says whether it is a decimal or a thousand.
    """
    text = plain(text)
    if text.casefold() in NOTHING:
        return None
    if _PLAIN.match(text):
        return Fraction(int(text))
    if text and text[-1] in _FRACTIONS:
        head = text[:-1].strip()
        negative = head.startswith("-")
        if head in ("", "-", "+"):
            return -_FRACTIONS[text[-1]] if negative else _FRACTIONS[text[-1]]
        if _PLAIN.match(head):
            whole, part = int(head), _FRACTIONS[text[-1]]
            return whole - part if negative else whole + part
    if text in ("1/2", "0.5.", "1/2."):
        return Fraction(1, 2)
    mixed = re.match(r"(\d{1,6})[ +]1/2\Z", text)
    if mixed:
        return int(mixed.group(1)) + Fraction(1, 2)
    if _GROUPED.match(text):
        return Fraction(re.sub(r"[ '’]", "", text).replace(",", "."))
    if _THOUSANDS.match(text):
        here = "," if "," in text else "."
        zero = re.match(r"[+-]?0[.,]", text) is not None  # no thousand begins with 0
        if text.count(here) > 1 or (sign is not None and here != sign and not zero):
            return Fraction(text.replace(here, ""))
        if sign is None and not zero:
            raise ValueError("ambiguous")
        return Fraction(text.replace(",", "."))
    if _DECIMAL.match(text):
        return Fraction(text.replace(",", "."))
    raise ValueError("no number")


def as_float(value: Fraction | None) -> float:
    """The number as a float; NaN where there is none."""
    return float("nan") if value is None else float(value)


def decimal(text: str) -> float:
    """A number with a decimal point, as machines write it; NaN where there is none or it cannot be read."""
    try:
        return as_float(number(text, "."))
    except ValueError:
        return float("nan")


# --- dates ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DateRead:
    """A date as read. ``form`` is iso, slash, day-first, two-digit, words, packed or year; ``other`` a
    second possible reading; ``day`` is None where the text holds no date."""

    day: date | None
    form: str = ""
    other: date | None = None
    year: int | None = None


_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "jan january januar jänner janvier enero janeiro gennaio januari января январь",
            "feb february februar février fevrier febrero fevereiro febbraio februari февраля февраль",
            "mar march märz marz mars marzo março maart марта март",
            "apr april avril abril aprile апреля апрель",
            "may mai mayo maio maggio mei мая май",
            "jun june juni juin junio junho giugno июня июнь",
            "jul july juli juillet julio julho luglio июля июль",
            "aug august août aout agosto augustus августа август",
            "sep sept september septembre septiembre setembro settembre сентября сентябрь",
            "oct october oktober octobre octubre outubro ottobre okt октября октябрь",
            "nov november novembre noviembre novembro ноября ноябрь",
            "dec december dezember décembre decembre diciembre dezembro dicembre dez декабря декабрь",
        ),
        1,
    )
    for name in names.split()
}
_THREE = re.compile(
    r"(\d{1,4})\s*([-/.年])\s*(\d{1,2})\s*[-/.月]\s*(\d{1,4})\s*[日号.]?(?:[ T]\d{1,2}:\d{2}.*)?\Z"
)
_PACKED = re.compile(r"(\d{4})(\d{2})(\d{2})\Z")
_WORDS = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th|\.)?\s*(?:de\s+)?([^\W\d_]+)\.?|([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?),?\s*(?:de\s+)?(\d{4})\Z"
)

#: Reports of this kind are younger than the format (Krause 2006): a two-digit year cannot be earlier.
FIRST_YEAR_OF_REPORTS = 2006


def read_date(text: str, *, years_first: bool = True) -> DateRead:
    """The date in a cell. ``years_first``: how two-digit dates are meant where both readings exist."""
    text = plain(text)
    if not text:
        return DateRead(None)
    if match := _PACKED.match(text):
        return DateRead(_date(*match.groups()), "packed")
    if match := _THREE.match(text):
        first, sign, middle, last = match.groups()
        if len(first) == 4:
            form = (
                "iso" if sign == "-" else "slash" if sign == "/" else "dotted" if sign == "." else "chinese"
            )
            return DateRead(_date(first, middle, last), form, year=int(first))
        if len(last) == 4:
            day, other = _date(last, middle, first), _date(last, first, middle)
            if day is None:
                return DateRead(other, "month-first", year=int(last))
            # With points and in most countries the day stands first; only slashes leave a doubt.
            return DateRead(day, "day-first", other if sign == "/" and other != day else None, int(last))
        if len(first) <= 2 and len(last) <= 2:
            return _two_digits(first, middle, last, years_first)
    if (match := _WORDS.match(text)) and (month := _MONTHS.get((match[2] or match[3]).casefold())):
        return DateRead(_date(match[5], str(month), match[1] or match[4]), "words")
    if re.match(r"(1[89]|20)\d\d\Z", text):
        return DateRead(None, "year", year=int(text))
    return DateRead(None, "unreadable")


def _two_digits(first: str, middle: str, last: str, years_first: bool) -> DateRead:
    """yy.mm.dd, yy.dd.mm (Swiss-Manager 2011) or dd.mm.yy: what is possible, the likely one first."""
    readings = [
        _date("20" + first.zfill(2), middle, last),
        _date("20" + last.zfill(2), middle, first),
        _date("20" + first.zfill(2), last, middle),
    ]
    if not years_first:
        readings[:2] = readings[1::-1]
    possible = [day for day in readings if day and day.year >= FIRST_YEAR_OF_REPORTS]
    if not possible:
        return DateRead(next((day for day in readings if day), None), "two-digit")
    other = next((day for day in possible[1:] if day != possible[0]), None)
    return DateRead(possible[0], "two-digit", other)


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def from_serial(days: float) -> date | None:
    """The day of a spreadsheet's serial number (1900 system)."""
    return date(1899, 12, 30) + timedelta(days=int(days)) if 1 <= days < 2_958_466 else None


_NUMERALS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "○": 0}


def _chinese(match: re.Match[str]) -> str:
    text, unit = match[1], match[2]
    if "十" in text:
        tens, _, ones = text.partition("十")
        return f"{10 * _NUMERALS.get(tens or '一', 1) + (_NUMERALS.get(ones, 0) if ones else 0)}{unit}"
    return "".join(str(_NUMERALS[c]) for c in text) + unit


def with_figures(text: str) -> str:
    """Years, months and days in Chinese numerals written in figures (二〇二四年二月十二日)."""
    return re.sub(r"([〇零○一二三四五六七八九十]{1,4})([年月日号])", _chinese, text)


_FULL = r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)\s*[日号]?|(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)"
_TO = r"\s*(?:[-~至到]+|--)\s*"
_RANGE = re.compile(
    rf"(?:{_FULL}|(?<!\d)(\d{{1,2}})月(\d{{1,2}})[日号]?)"
    rf"(?:{_TO}(?:{_FULL}|(\d{{1,2}})\s*[-/.月]\s*(\d{{1,2}})(?![\d年])\s*[日号]?|(\d{{1,2}})(?![\d./年月])\s*[日号]?))?"
)


def days_of(text: str, year: int | None = None) -> list[date]:
    """First and last day that a text names, or the one day; nothing where it names none.

    ``2024年2月12日—15日``, ``2024.2.12-2.15``, ``20240212-20240215``, ``2024年12月30日至1月2日`` (over a year's end);
    ``2月12日—15日`` in the ``year`` given.
    """
    for match in _RANGE.finditer(with_figures(plain(text[:500])).replace("－", "-")):
        g = match.groups()
        first = _date(*g[0:3]) if g[0] else _date(*g[3:6]) if g[3] else None
        if g[6] and year:
            first = _date(str(year), g[6], g[7])
        if first is None:
            continue
        last = _date(*g[8:11]) if g[8] else _date(*g[11:14]) if g[11] else None
        if g[14] or g[16]:
            last = _date(str(first.year), g[14] or str(first.month), g[15] or g[16])
            if last and last < first:
                last = _date(str(first.year + 1), g[14], g[15]) if g[14] else None
        return [first, last] if last and last >= first else [first]
    return []


def read_id(text: str) -> str:
    """An id as people and spreadsheets write it: ``8600001.0``, ``'8600001``, ``="8600001"``, ``8,600,001``."""
    text = plain(text).removeprefix("=").strip("\"'’‘“”` ")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text):
        return text.replace(",", "")
    return text.partition(".")[0] if re.fullmatch(r"\d+\.0+", text) else text


#: A rating with what people write beside it: a unit, a letter or star for provisional ones, brackets, a count of games.
#: Each mark starts differently and there are at most six, so that hostile text cannot make the match take long.
_MARKED = re.compile(
    r"[(\[]?\s*(-?\d{1,5}(?:[.,]\d{1,3})?)\s*[)\]]?\s*(?:分|点|[A-Za-z*?!]|暂定?|临时|估计?|快棋?|超快|[(\[][^()\[\]]{1,12}[)\]]|/\s*\d{1,3}){1,6}\Z"
)


def marked_rating(text: str) -> str:
    """The number of a rating that has a mark behind it or brackets around it; "" where there is none."""
    text = plain(text)
    match = _MARKED.match(text) or re.match(r"[(\[]\s*(\d{2,5}(?:[.,]\d{1,3})?)\s*[)\]]\Z", text)
    return match[1] if match else ""


def read_birth(text: str) -> tuple[float, str]:
    """Year of birth (NaN if unknown) and the full date as ISO text ("" if only the year is known).

    Raises ValueError for text that is no year and no date.
    """
    text = plain(text)
    if not text or not text.strip("0/.- ") or text.casefold() in NOTHING:
        return float("nan"), ""
    if re.match(r"\d{4}(?:\.0{1,2})?\Z", text):  # spreadsheets keep years as 1980.0
        return float(text), ""
    text = with_figures(text)
    if match := re.match(
        r"((?:19|20)\d{2})(?:\s*[-/.年]\s*(0?[1-9]|1[0-2])月?|年|(?:0[1-9]|1[0-2]))\Z", text
    ):
        return float(match[1]), ""  # a month alone says no more than the year
    if match := re.match(r"(\d{4})[/.-]\s*(\d{1,2})[/.-]\s*(\d{1,2})\Z", text):
        if match[2].strip("0") == "" or match[3].strip("0") == "":
            return float(match[1]), ""
        day = _date(*match.groups())
        if day:
            return float(day.year), day.isoformat()
        raise ValueError("no date")
    read = read_date(text)
    if read.day:
        if read.form == "two-digit":
            raise ValueError("two-digit year")
        return float(read.day.year), read.day.isoformat()
    if read.year:
        return float(read.year), ""
    raise ValueError("no date")


# --- results -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result of a game: codes of both sides (``1 = 0`` or "") and the kind of row.

    ``doubt`` names what has to be asked: ``double-zero`` (loss for both or double forfeit) or
    ``unequal`` (not a legal pair, perhaps a decision of the arbiter).
    """

    first: str
    second: str
    kind: str
    doubt: str = ""


_HALVES = {
    "1": "1", "0": "0", "½": "=", "1/2": "=", "0.5": "=", "0,5": "=", ".5": "=", "=": "=", "+": "+", "-": "-",
    "1f": "+", "0f": "-", "w": "1", "l": "0", "d": "=", "胜": "1", "负": "0", "和": "=", "平": "=", "勝": "1", "負": "0",
    "5": "=", "1.0": "1", "0.0": "0", "k": "+", "remis": "=",
}  # fmt: skip
_WHOLE = {
    "先胜": ("1", "0"), "先勝": ("1", "0"), "红胜": ("1", "0"), "紅勝": ("1", "0"), "白胜": ("1", "0"), "胜": ("1", "0"), "勝": ("1", "0"),
    "先负": ("0", "1"), "先負": ("0", "1"), "黑胜": ("0", "1"), "黑勝": ("0", "1"), "后胜": ("0", "1"), "後勝": ("0", "1"), "负": ("0", "1"), "負": ("0", "1"),
    "和": ("=", "="), "平": ("=", "="), "和棋": ("=", "="), "先和": ("=", "="), "½": ("=", "="), "remis": ("=", "="), "draw": ("=", "="),
}  # fmt: skip


def read_result(text: str) -> PairResult | None:
    """A result of two halves such as ``1-0``, ``½:½``, ``+:-`` or ``1F-0F``; each half is read by itself.

    None for a game without result (``*``). Raises ValueError for anything else.
    """
    text = plain(text).casefold()
    if text in ("*", "", "?", ":", "...", "-"):
        return None
    if text in _WHOLE:
        return pair_result(*_WHOLE[text])
    halves = _split_result(text)
    if halves is None:
        raise ValueError("no result")
    return pair_result(*halves)


def _split_result(text: str) -> tuple[str, str] | None:
    compact = text.replace(" ", "")
    for candidate in (text, compact):
        for match in re.finditer(r"[:\-]|比", candidate):
            left, right = candidate[: match.start()].strip(), candidate[match.end() :].strip()
            if left in _HALVES and right in _HALVES:
                return _HALVES[left], _HALVES[right]
    if compact == "+-":
        return "+", "-"
    if compact == "-+":
        return "-", "+"
    if compact in ("--", "---"):
        return "-", "-"
    return None


def pair_result(first: str, second: str) -> PairResult:
    """Join the halves of a result, ``+`` and ``-`` being forfeits; the halves stay as they are."""
    if first in "+-" and second in "+-" and first and second:
        plus = {"+": "1", "-": "0"}
        kind = Kind.DOUBLE_FORFEIT if first == second == "-" else Kind.FORFEIT
        return PairResult(plus[first], plus[second], kind, "unequal" if first == second == "+" else "")
    if "+" in (first, second) or "-" in (first, second):
        plus = {"+": "1", "-": "0"}
        one, two = plus.get(first, first), plus.get(second, second)
        return PairResult(one, two, Kind.FORFEIT, "" if {one, two} == {"1", "0"} else "unequal")
    if first == second == "0":
        return PairResult("0", "0", Kind.DOUBLE_LOSS, "double-zero")
    if (first, second) in (("1", "0"), ("0", "1"), ("=", "=")):
        return PairResult(first, second, Kind.PLAYED)
    return PairResult(first, second, Kind.PLAYED, "unequal")


# --- persons -------------------------------------------------------------------------------------

_SEX = {
    "m": "m", "male": "m", "男": "m", "h": "m", "м": "m", "man": "m", "homme": "m",
    "f": "w", "w": "w", "female": "w", "女": "w", "ж": "w", "woman": "w", "femme": "w", "d": "w", "weiblich": "w", "männlich": "m",
}  # fmt: skip


def read_sex(text: str) -> str | None:
    """``m`` or ``w``, "" where nothing is said (blank, u), None for a mark unknown here."""
    text = plain(text).casefold()
    return "" if text in ("", "u", "-", "x", "?", "*") else _SEX.get(text)


_TITLES = {
    "g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM",
    "gm": "GM", "im": "IM", "fm": "FM", "cm": "CM", "wgm": "WGM", "wim": "WIM", "wfm": "WFM", "wcm": "WCM", "gf": "WGM", "mf": "WIM", "ff": "WFM", "cf": "WCM", "h": "HGM", "hg": "HGM",
}  # fmt: skip


def read_title(text: str) -> str | None:
    """The title in its present spelling; None for one that is not an international chess title."""
    text = plain(text).casefold()
    return "" if text in ("", "-", "--", "---") else _TITLES.get(text)


_CARD = re.compile(
    r"(?<!\d)\d{17}[\dXx](?!\d)|(?<!\d)\d{6}(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}(?!\d)"
)


def without_card_numbers(text: str) -> tuple[str, bool]:
    """The text without numbers of identity cards (18 or 15 digits), which are never stored or printed."""
    if len(text) < 15:
        return text, False
    cleaned = _CARD.sub("(number withheld)", text)
    return cleaned, cleaned != text
