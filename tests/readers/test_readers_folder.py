"""What stands in the folder of an event beside the event: broken optional files, litter, folders in the folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from qiyi_analysis.app.cli.convert import command
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers import read_event, read_events
from qiyi_analysis.readers import source as sources
from qiyi_analysis.readers.writers.event_writer import write_event

PLAYERS = "no,name,rating,fed\n1,王天一,2500,CHN\n2,吕钦,2400,CHN\n"
GAMES = "round,board,white,black,white_score,black_score,kind\n1,1,1,2,1,0,played\n"
META = {"title": "Two", "game": "chess", "format": "Swiss", "rounds": 1, "start": "2024-05-01"}


def folder(place: Path, **files: str | bytes) -> Path:
    """The folder of a small event; keywords are more files or other contents (``official`` for official.csv)."""
    place.mkdir(parents=True)
    contents: dict[str, str | bytes] = {
        "players.csv": PLAYERS,
        "games.csv": GAMES,
        "meta.json": json.dumps(META),
    }
    for name, content in files.items():
        contents[{"meta": "meta.json"}.get(name, f"{name}.csv")] = content
    for name, content in contents.items():
        (place / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def reasons(event: Event, severity: str = "W") -> list[str]:
    return [fault.reason for fault in event.faults if fault.severity == severity]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", ["file-empty"]), ("\n \n", ["file-empty"]), ("{", ["meta-unreadable"]), ("no JSON", ["meta-unreadable"]),
        ("[1, 2]", ["meta-no-object"]), ("null", ["meta-no-object"]), ("[" * 100_000, ["meta-unreadable"]),
        (json.dumps(META).encode("utf-8-sig"), []), (json.dumps(META).encode("utf-16"), []),
        (json.dumps(META | {"title": "全国赛"}, ensure_ascii=False).encode("gb18030"), ["encoding-guessed"]),
    ],
)  # fmt: skip
def test_a_broken_meta_json_is_told_and_the_rest_read(
    tmp_path: Path, content: str | bytes, told: list[str]
) -> None:
    event = read_event(folder(tmp_path / "e", meta=content))
    assert reasons(event) == told
    assert event.players["name"].tolist() == ["王天一", "吕钦"]
    assert len(event.games) == 1
    for fault in event.faults:
        assert fault.file == "e/meta.json"
        assert fault.message("zh")
        assert fault.message("en")


def test_a_misspelt_key_of_meta_json_is_told(tmp_path: Path) -> None:
    """Only where the key it may be is missing; keys of the file's own are no mistake."""
    meta = {
        "title": "Two",
        "game": "chess",
        "Rounds": 1,
        "strat": "2024-05-01",
        "status": "x",
        "names": ["y"],
    }
    event = read_event(folder(tmp_path / "e", meta=json.dumps(meta)))
    told = [fault for fault in event.faults if fault.reason == "meta-key-near"]
    assert [(f.published, f.field, f.severity) for f in told] == [
        ("Rounds", "rounds", "I"), ("strat", "start", "I"), ("names", "name", "I"),
    ]  # fmt: skip
    spelled = folder(tmp_path / "f", meta=json.dumps(META | {"started": "", "remark": "x"}))
    assert reasons(read_event(spelled), "I") == []


@pytest.mark.parametrize("name", ["official", "teams", "matches"])
@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_optional_file_is_told(tmp_path: Path, name: str, content: str) -> None:
    files = {"teams": "number,name,members\n1,A,1\n2,B,2\n"} if name == "matches" else {}
    event = read_event(folder(tmp_path / "e", **files, **{name: content}))
    assert reasons(event) == ["file-empty"]
    assert len(event.games) == 1


def test_litter_and_capital_names(tmp_path: Path) -> None:
    place = folder(tmp_path / "e", official="no,points\n1,1\n2,0\n")
    for name in (
        ".DS_Store",
        "~$players.xlsx",
        ".~lock.players.csv#",
        "Thumbs.db",
        "desktop.ini",
        "notes.txt",
        "report.pdf",
    ):
        (place / name).write_bytes(b"\x00\x01 of no use")
    for name in ("players.csv", "games.csv", "meta.json", "official.csv"):
        (place / name).rename(place / name.upper())
    event = read_event(place)
    assert not event.faults
    assert event.name == "Two"
    assert event.players["points"].tolist() == [1, 0]


def test_the_event_of_a_folder_in_a_folder(tmp_path: Path) -> None:
    folder(tmp_path / "outer" / "inner")
    (tmp_path / "outer" / ".DS_Store").write_bytes(b"x")
    (tmp_path / "outer" / "__MACOSX").mkdir()
    event = read_event(tmp_path / "outer")
    assert event.name == "Two"
    assert event.sources[0].name == "outer/inner/meta.json"


def test_several_events_in_folders_are_not_mixed(tmp_path: Path) -> None:
    folder(tmp_path / "all" / "a")
    folder(
        tmp_path / "all" / "b",
        players=PLAYERS.replace("王天一", "许银川"),
        meta=json.dumps(META | {"title": "Other"}),
    )
    (tmp_path / "all" / "pictures").mkdir()
    (tmp_path / "all" / "pictures" / "a.png").write_bytes(b"\x89PNG")
    packed = tmp_path / "all.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted((tmp_path / "all").rglob("*.*")):
            archive.write(path, path.relative_to(tmp_path / "all").as_posix())
        archive.writestr("__MACOSX/a/._players.csv", b"x")
    for place in (tmp_path / "all", packed):
        events = read_events(place)
        assert [(event.id, event.name) for event in events] == [("a", "Two"), ("b", "Other")]
        assert [event.players["name"].iloc[0] for event in events] == ["王天一", "许银川"]
        assert reasons(read_event(place)) == ["several-events"]


def test_a_folder_larger_than_memory_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "films"
    place.mkdir()
    for number in range(3):
        with (place / f"{number}.csv").open("wb") as stream:
            stream.truncate(4096)
    monkeypatch.setattr(sources, "LARGEST", 10_000)
    with pytest.raises(ReadError, match=r"films: larger"):
        read_event(place)


def test_a_folder_of_empty_folders_is_empty(tmp_path: Path) -> None:
    (tmp_path / "e" / "a").mkdir(parents=True)
    (tmp_path / "e" / "b").mkdir()
    with pytest.raises(ReadError, match="the folder is empty"):
        read_event(tmp_path / "e")


pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")


@pipes
def test_a_pipe_without_writer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(sources, "PATIENCE", 0.1)
    with pytest.raises(ReadError, match="nobody writes"):
        read_event(pipe)


@pipes
@pytest.mark.parametrize("wait", [0, 0.5])
def test_a_pipe_with_a_writer_is_read(tmp_path: Path, wait: float) -> None:
    """A process that opens the pipe late, and writes late: longer than a pipe holds at once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = (
        f"import sys, time; time.sleep({wait}); f = open(sys.argv[1], 'w'); time.sleep({wait}); "
        "f.write('no,name,rating\\n' + ''.join(f'{n},Player {n},2000\\n' for n in range(1, 8000)))"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(pipe)]) as writer:
        event = read_event(pipe)
        assert writer.wait(10) == 0
    assert len(event.players) == 7999


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices on this system")
@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_devices_are_no_files(name: str) -> None:
    if Path(name).exists():
        with pytest.raises(ReadError, match="no ordinary file"):
            read_event(name)


def test_a_table_longer_than_any_event_is_refused_at_once() -> None:
    from qiyi_analysis.readers.door import events_in_bytes

    with pytest.raises(ReadError, match="more than 50000 rows"):
        events_in_bytes(b"no,name\n" + b"1,a\n" * 50_000, "long.csv")


def test_a_folder_is_replaced_only_when_asked(tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one"), folder(tmp_path / "two", meta=json.dumps(META | {"title": "Other"}))
    out = tmp_path / "out"

    def convert(place: Path, *more: str) -> object:
        return CliRunner().invoke(command, [str(place), str(out), *more], standalone_mode=False).exception

    assert convert(one) is None
    assert convert(one) is None  # the same bytes
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    assert "holds another" in str(convert(two))
    with pytest.raises(ReadError, match=r"holds another"):
        write_event(read_event(two), out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == kept
    assert convert(two, "--force") is None
    assert read_event(out).name == "Other"


@pytest.mark.parametrize("ending", [".trf", ".xlsx", ".zip", ".csv"])
def test_a_file_is_replaced_only_when_asked(qiyi, tmp_path: Path, ending: str) -> None:
    one, two = (
        folder(tmp_path / "one"),
        folder(tmp_path / "two", players="no,name,rating\n1,A,2000\n2,Z,2000\n"),
    )
    source = (one / "players.csv", two / "players.csv") if ending == ".csv" else (one, two)
    out = tmp_path / f"out{ending}"
    assert qiyi("convert", source[0], out)[0] in (0, 1)
    assert qiyi("convert", source[0], out)[0] in (0, 1)  # the same bytes
    kept = out.read_bytes()
    code, _, error = qiyi("convert", source[1], out)
    assert code == 2
    assert "would be replaced; expected another name, or --force" in error
    assert out.read_bytes() == kept
    assert qiyi("convert", source[1], out, "--force")[0] in (0, 1)
    assert out.read_bytes() != kept


def test_no_name_and_no_force_replaces_what_was_read(qiyi, tmp_path: Path) -> None:
    place = folder(tmp_path / "event")
    kept = {path.name: path.read_bytes() for path in place.iterdir()}
    report = tmp_path / "event.trf"
    assert qiyi("convert", place, report)[0] in (0, 1)
    again = tmp_path / "again.trf"
    again.hardlink_to(report)
    (tmp_path / "link").symlink_to(place)
    for source, target in (
        (place, place), (place, tmp_path / "link"), (place, f"{place}/."), (place, place / "games.csv"),
        (place / "players.csv", place / "players.csv"), (place / "players.csv", place), (report, report), (report, again),
    ):  # fmt: skip
        form = ("--to", "folder") if Path(target).is_dir() else ()
        code, _, error = qiyi("convert", source, target, "--force", *form)
        assert code == 2, (source, target)
        assert "a file that was read is never changed" in error or "is one part of an event" in error
    assert {path.name: path.read_bytes() for path in place.iterdir()} == kept


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("rules", [{"x": None}, None], '{"x": null}'),
        ("tie_breaks", ["PTS", {"a": True}], '{"a": true}'),
        ("tie_breaks", {"a": True}, '{"a": true}'),
        ("start", True, "true"),
    ],
)
def test_what_meta_says_is_told_as_it_is_written_there(
    key: str, value: object, shown: str, tmp_path: Path
) -> None:
    (tmp_path / "players.csv").write_text("no,name,rating\n1,A,2000\n2,B,1900\n")
    (tmp_path / "games.csv").write_text("round,white,black,white_score,black_score\n1,1,2,1,0\n")
    meta = {"title": "x", "game": "chess", "rounds": 1, key: value}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    event = read_event(tmp_path)
    told = event.rules if key == "rules" else [fault.values.get("published", "") for fault in event.faults]
    told = [*told, *(fault.message("zh") for fault in event.faults)]
    assert any(shown in text for text in told)
    assert not any("None" in text or "True" in text or "{'" in text for text in told)


def test_columns_of_their_own_keep_their_order(tmp_path: Path) -> None:
    """Whatever the hash seed: what is converted twice is the same twice."""
    heads = [f"own_{letter}" for letter in "qhzbmtyaxk"]
    lines = [
        "no,name,rating," + ",".join(heads),
        *(f"{n},P{n},2000,{','.join('x' * len(heads))}" for n in (1, 2)),
    ]
    event = read_event(folder(tmp_path / "e", players="\n".join(lines), official="\n".join(lines)))
    for file in ("players", "official"):
        assert [key for key in event.extra if key.startswith(f"{file}.own")] == [f"{file}.{h}" for h in heads]
