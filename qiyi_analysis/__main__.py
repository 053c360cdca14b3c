"""Entry point for ``python -m qiyi_analysis``."""

import sys

if __name__ == "__main__":
    try:
        from qiyi_analysis.app.cli import main
    except KeyboardInterrupt:
        # While the modules are loaded nobody else is there to say it.
        sys.stderr.write("\nqiyi: interrupted\nqiyi: 已中断\n")
        sys.exit(2)
    main()
