"""`python -m qiyi_analysis` is the command `qiyi`."""

from qiyi_analysis.cli import main

main()
