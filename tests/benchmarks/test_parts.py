"""benchmarks/parts.py: both forms of each part give the same, and the page says so."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType


def test_both_forms_agree_and_are_timed(load: Callable[[str], ModuleType]) -> None:
    parts = load("parts")
    found = parts.measure(scale=0.02)
    for part in found["parts"]:
        assert part["plain_s"] > 0
        assert part["ours_s"] > 0
        low = "bfloat16" in part["ours"]
        if part["apart"] is not None:
            assert part["apart"] < (0.05 if low else 1e-3), part["name"]
    page = parts.markdown(found)
    assert page.count("| ") > 7 * len(found["parts"])
    assert "PyG's GATConv" in page
