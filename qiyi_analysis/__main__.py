"""Entry point of ``qiyi`` and of ``python -m qiyi_analysis``."""

import os
import signal
import sys
from typing import Any


def _stopped(*_: Any) -> None:
    """End the process there and then: an exception might be swallowed by a module that is being loaded."""
    sys.stderr.write("\nqiyi: interrupted\nqiyi: 已中断\n")
    sys.stderr.flush()
    os._exit(2)


def main() -> None:
    """Run the command; an interruption while its modules are loaded is said in one sentence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stopped)
    try:
        from qiyi_analysis.app.cli import main as command
    except KeyboardInterrupt:
        _stopped()
    if signal.getsignal(signal.SIGINT) is _stopped:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()


if __name__ == "__main__":
    main()
