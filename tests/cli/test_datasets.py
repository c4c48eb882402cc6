"""``gigamae datasets``: every graph known by name, with its published size."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from gigamae.graph.catalogue import DATASETS


def test_as_a_user_runs_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gigamae", "datasets", "--json"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    told = json.loads(done.stdout)["datasets"]
    assert told["cora"] == {
        "title": "Cora", "nodes": 2708, "edges": 5278, "features": 1433, "classes": 7, "preset": True,
    }  # fmt: skip


def test_the_seven_of_the_paper_and_more(call: Any) -> None:
    told = call("datasets")
    seven = {"cora", "citeseer", "wikics", "computers", "photo", "cs", "physics"}
    assert seven | {"pubmed", "corafull", "dblp"} <= set(DATASETS)
    for name, info in DATASETS.items():
        row = next(line for line in told.out.splitlines() if line.startswith(f" {name} "))
        assert f"{info.nodes:,}" in row
    assert "demo is generated and needs no download" in told.out
