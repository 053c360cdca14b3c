"""Entry point of ``qiyi`` and of ``python -m qiyi_analysis``."""

import signal


def main() -> None:
    """Run the command. An interruption while its modules are loaded ends the process there and then."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from qiyi_analysis.app.cli import main as command

    command()


if __name__ == "__main__":
    main()
