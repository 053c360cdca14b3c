"""The desk: a local page to drop an event file on, served by Jupyter's own server on the loopback."""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    """Where Jupyter Server finds the application (its own protocol, hence the name)."""
    from qiyi_analysis.app.desk.app import DeskApp

    return [{"module": "qiyi_analysis.app.desk.app", "app": DeskApp}]
