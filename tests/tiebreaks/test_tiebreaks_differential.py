"""A small run of the comparison with a second program; ``python tests/against_gacrux.py 3200`` is the large one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("gacrux", reason="the second program is not installed (extra: test)")
sys.path.insert(0, str(Path(__file__).parents[1]))
import against_gacrux

SOME = [(kind, seed) for kind in ("swiss", "round_robin", "teams") for seed in range(9000, 9006)]
#: Found by the large run: a last round of nothing but byes; a forfeit of the last round behind a requested bye.
FOUND = [("swiss", 769), ("teams", 699), ("swiss", 24)]


@pytest.mark.parametrize(("kind", "seed"), [*SOME, *FOUND])
def test_every_code_under_both_editions(kind: str, seed: int) -> None:
    compared, unexplained = 0, []
    for values, found in against_gacrux.differences(kind, seed):
        compared += values
        unexplained += [difference for difference in found if not difference.reason]
    assert compared > 100
    assert not unexplained
