"""Builds the package with flit, taking the notebooks along: in the source tree they lie beside the package."""

from __future__ import annotations

import shutil
from pathlib import Path

from flit_core import buildapi
from flit_core.buildapi import (  # noqa: F401
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parent
COPY = ROOT / "qiyi_analysis" / "_notebooks"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel, with ``notebooks/`` inside the package for as long as it is built."""
    return _with_notebooks(buildapi.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """The source archive; a wheel made from it finds the notebooks already in place."""
    return _with_notebooks(buildapi.build_sdist, sdist_directory, config_settings)


def _with_notebooks(build, *arguments):
    source = ROOT / "notebooks"
    if not source.is_dir():
        return build(*arguments)
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(source, COPY, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    try:
        return build(*arguments)
    finally:
        shutil.rmtree(COPY, ignore_errors=True)
