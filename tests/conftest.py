"""Fixtures that more than one area's tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's root folder."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of material kept outside the project (foreign files that may not be published with it)."""
    folder = PROJECT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder ../shared with material of third parties is not here")
    return folder
