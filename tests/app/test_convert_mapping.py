"""The mapping of heads that `qiyi convert` reads: any encoding, no devices, no endless pipes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from qiyi_analysis.app.cli.convert import read_mapping
from qiyi_analysis.model.errors import ReadError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_mapping_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "heads.csv"
    path.write_bytes("棋手姓名,name\n本届等级分,rating\n".encode(encoding))
    assert read_mapping(str(path)) == {"棋手姓名": "name", "本届等级分": "rating"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("deep.json", '{"a":' * 100_000, "expected heads and columns"),
        ("wide.csv", '"' + "x" * 200_000, "expected heads and columns"),
        ("bad.toml", "a = ", "expected heads and columns"),
        ("list.json", '{"a": ["name"]}', "is mapped to"),
        ("none.csv", "", "none.csv"),
    ],
)
def test_a_mapping_that_is_none(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReadError, match=said):
        read_mapping(str(path))


@pytest.mark.skipif(sys.platform == "win32", reason="no such files on Windows")
def test_devices_pipes_and_folders_are_no_mapping(tmp_path: Path) -> None:
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("zero.csv", "pipe.csv", "missing.csv", "."):
        with pytest.raises(ReadError):
            read_mapping(str(tmp_path / name))
