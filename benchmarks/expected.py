"""Write what was measured into the presets: mean, spread and seeds of the cells on disk.

    python benchmarks/expected.py results/cells

Only a preset's own cells count: same settings, same dataset. What nobody ran yet stays as it was, with
the paper's numbers and ``seeds = 0``.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from gigamae.experiments.cell_store import CellStore
from gigamae.experiments.chosen import experiments
from gigamae.experiments.experiment import METRICS
from gigamae.experiments.numbers import Number, collect
from gigamae.presets import FOLDER, preset_names

TASKS = {
    "accuracy": "classification", "nmi": "clustering", "ari": "clustering", "auc": "links", "ap": "links",
}  # fmt: skip
UNMEASURED = re.compile(r'^  "The expected numbers are .*until ours are measured.*\n', re.MULTILINE)


def measured(store: CellStore) -> list[Number]:
    """Every number of tables 1 to 3 that was run with its dataset's own preset."""
    return [
        number
        for name in ("table-1", "table-2", "table-3")
        for number in collect(experiments()[name], store)
        if number.ours is not None and number.dataset in preset_names(number.row.method)
    ]


def rewrite(text: str, numbers: list[Number]) -> str:
    """A preset's text with the lines of ``[expected...]`` that were measured.

    Numbers in a preset are shares, those of a table in the table's unit.
    """
    for number in numbers:
        unit = METRICS[number.metric].scale
        mean, std = (number.ours or 0.0) / unit, (number.std or 0.0) / unit
        line = f"{number.metric} = {{ mean = {mean:.4f}, std = {std:.4f}, seeds = {len(number.values)} }}"
        table = rf"(\[expected\.{TASKS[number.metric]}\]\n(?:[a-z]+ = .*\n)*?){number.metric} = .*"
        text = re.sub(table, rf"\g<1>{line}", text)
    return text if "seeds = 0 }" in text else UNMEASURED.sub("", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cells", type=Path)
    found = measured(CellStore(parser.parse_args().cells))
    for method, dataset in sorted({(n.row.method, n.dataset) for n in found}):
        path = FOLDER / method / f"{dataset}.toml"
        text = path.read_text(encoding="utf-8")
        new = rewrite(text, [n for n in found if (n.row.method, n.dataset) == (method, dataset)])
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(path.relative_to(FOLDER))


if __name__ == "__main__":
    main()
