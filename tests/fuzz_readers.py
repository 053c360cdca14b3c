"""Broken files by the million: a reader may refuse with the project's own error, and nothing else.

    python tests/fuzz_readers.py --inputs 1000000 --workers 2

Starts from the samples of every format, changes bytes, lines and cells at random (from a number, so that a
failure can be repeated with ``--first N --inputs 1``), reads the result as an event and as a list, and
prints how many were read, how many refused, what else happened, and the slowest input.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import traceback
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from events_made import made_event

from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.lists.list_door import list_from
from qiyi_analysis.readers.source import from_bytes
from qiyi_analysis.readers.writers.event_writer import event_bytes

#: Every so many inputs the checks run over what was read, and every finding is put into words.
CHECKED = 50
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"

#: Pieces that hurt careless readers.
TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\t", b"\r", b"\n", b"\r\n", b"9" * 30, b"-1", b"0000", b"1e309", b"NaN", b"inf", b"\xe2\x80\xae",
    b"\xc2\xbd", "½".encode(), "红".encode(), "第十轮".encode(), b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"]]>", b"<table>", b"</td>", b"&#x110000;",
    b'"', b"'", b",", b";", b"{", b"}", b"[", b"001    1", b"310 ", b"013 ", b"012 ", b"162 W 1e9", b"132 ", b"XXR 999999999", b"240 F", b"299 + 1 1 0 1",
    b"2024-02-30", b"31.02.2024", b"99/99/99", b"0000/00/00", b"\xff" * 4, b"A" * 300, b" " * 90, b"=cmd|'/C calc'!A0", "𠮷".encode(), b"\xe5",
)  # fmt: skip


def seeds() -> list[tuple[str, bytes]]:
    """Name and bytes of valid files of every format."""
    found = [
        (path.name, path.read_bytes()) for path in sorted(SAMPLES.iterdir()) if path.suffix not in (".md",)
    ]
    for number in range(4):
        event = made_event(number, players=8, rounds=4, trf=True)
        for form in ("trf16", "trf26", "xlsx", "zip"):
            found.append((f"made-{number}.{form}", event_bytes(event, form)[0]))
    return found


def broken(number: int, found: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """The input of a number: always the same for the same seeds."""
    chance = random.Random(number)
    name, data = chance.choice(found)
    if data.startswith(b"PK") and chance.random() < 0.8:
        return name, _broken_members(data, chance, found)
    return name, _broken_bytes(data, chance, found)


def _broken_bytes(data: bytes, chance: random.Random, found: list[tuple[str, bytes]]) -> bytes:
    work = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        at = chance.randrange(len(work) + 1)
        match chance.randrange(9):
            case 0 if work:
                work[at % len(work)] = chance.randrange(256)
            case 1:
                work[at:at] = chance.choice(TOKENS)
            case 2:
                del work[at : at + chance.choice((1, 2, 10, 100))]
            case 3:
                other = chance.choice(found)[1]
                begin = chance.randrange(len(other) + 1)
                work[at:at] = other[begin : begin + chance.choice((5, 50, 500))]
            case 4:
                lines = bytes(work).split(b"\n")
                chance.shuffle(lines) if chance.random() < 0.2 else lines.insert(
                    chance.randrange(len(lines)), chance.choice(lines)
                )
                work = bytearray(b"\n".join(lines))
            case 5:
                work[at : at + len(chance.choice(TOKENS))] = chance.choice(TOKENS)
            case 6:
                work = work[:at] if chance.random() < 0.3 else work
            case 7:
                digits = [i for i, byte in enumerate(work) if 48 <= byte <= 57]
                if digits:
                    work[chance.choice(digits)] = chance.choice(b"0123456789-wb+=")
            case 8:
                work[at:at] = work[max(0, at - chance.choice((3, 30, 300))) : at]
    return bytes(work[:200_000])


def _broken_members(data: bytes, chance: random.Random, found: list[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        names = old.namelist()
        hurt = chance.choice(names)
        for name in names:
            if name == hurt and chance.random() < 0.1:
                continue
            content = old.read(name)
            new.writestr(name, _broken_bytes(content, chance, found) if name == hurt else content)
    return stream.getvalue()


def run(first: int, count: int) -> tuple[Counter[str], list[tuple[int, str]], tuple[float, int]]:
    """Read the inputs of a range; outcomes, failures with their numbers, the slowest."""
    found = seeds()
    outcomes: Counter[str] = Counter()
    failures: list[tuple[int, str]] = []
    slowest = (0.0, 0)
    for number in range(first, first + count):
        name, data = broken(number, found)
        begin = time.perf_counter()
        lists = any(word in name for word in ("list", "ladder"))
        for what in ("list",) if lists and number % 3 else ("event",):
            try:
                if what == "event":
                    for event in events_in_bytes(data, name):
                        if number % CHECKED == 0:
                            for finding in (*event.faults, *check_event(event)):
                                finding.message("en")
                else:
                    list_from(from_bytes(data, name), "fuzz")
                outcomes[f"{what} read"] += 1
            except ReadError:
                outcomes[f"{what} refused"] += 1
            except Exception as error:  # every other kind is what this looks for
                outcomes[f"{what} FAILED"] += 1
                if len(failures) < 50:
                    frame = traceback.extract_tb(error.__traceback__)[-1]
                    failures.append(
                        (
                            number,
                            f"{name} {what}: {type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})",
                        )
                    )
        slowest = max(slowest, (time.perf_counter() - begin, number))
    return outcomes, failures, slowest


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    begin = time.perf_counter()
    step = max(1, min(2000, arguments.inputs // arguments.workers or 1))
    parts = [
        (n, min(step, arguments.first + arguments.inputs - n))
        for n in range(arguments.first, arguments.first + arguments.inputs, step)
    ]
    outcomes: Counter[str] = Counter()
    failures: list[tuple[int, str]] = []
    slowest = (0.0, 0)
    with ProcessPoolExecutor(arguments.workers) as pool:
        for counted, failed, slow in pool.map(run, *zip(*parts, strict=True)):
            outcomes += counted
            failures += failed
            slowest = max(slowest, slow)
    for number, text in failures[:40]:
        print(f"input {number}: {text}")
    seconds = time.perf_counter() - begin
    print(f"{arguments.inputs} inputs in {seconds:.0f} s: {dict(sorted(outcomes.items()))}")
    print(f"slowest: input {slowest[1]} in {slowest[0]:.2f} s")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
