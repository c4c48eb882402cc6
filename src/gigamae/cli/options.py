"""Options that several commands share, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_READING = "How files are read"


def path(text: str | Path) -> Path:
    """A file's or a folder's name. An empty one, a variable that is not set perhaps, would be taken
    for the current folder."""
    if not str(text).strip():
        raise typer.BadParameter("the name is empty; give a file or a folder (. is the current one)")
    return Path(text)


Json = Annotated[bool, typer.Option("--json", help="One JSON object as the last line of stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress.")]
Debug = Annotated[bool, typer.Option("--debug", help="The log, and a traceback when something breaks.")]

Source = Annotated[
    str,
    typer.Argument(
        help="A dataset's name, a file of edges, a folder of such files, or demo.", metavar="SOURCE"
    ),
]
RunFolder = Annotated[Path, typer.Argument(help="The folder that fit wrote.", metavar="RUN", parser=path)]
DataRoot = Annotated[
    Path | None,
    typer.Option(
        "--data-root", help="Where a dataset's raw files lie; without it they are fetched.", parser=path
    ),
]
Features = Annotated[
    Path | None,
    typer.Option(help="Features: .parquet, .csv, .npy or .npz.", rich_help_panel=_READING, parser=path),
]
Labels = Annotated[
    Path | None,
    typer.Option(help="Labels, to evaluate with; never trained on.", rich_help_panel=_READING, parser=path),
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Whether the file's edges have a direction; it is told and then dropped.",
        rich_help_panel=_READING,
        show_default=False,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line has names; found out when not given.",
        rich_help_panel=_READING,
        show_default=False,
    ),
]


def _column(what: str) -> Any:
    """An option that names a column, by its title or its number from 0."""
    info = typer.Option(help=f"{what}: name, or number from 0.", metavar="COLUMN", rich_help_panel=_READING,
                        show_default=False, parser=_name_or_number)  # fmt: skip
    return Annotated[str | None, info]


def _name_or_number(text: str) -> str | int:
    return int(text) if text.isdigit() else text


SourceColumn = _column("Where an edge starts")
TargetColumn = _column("Where an edge ends")
WeightColumn = _column("An edge's weight")
IdColumn = _column("A node's id, in features and labels")
LabelColumn = _column("A node's label")
RunOutput = Annotated[Path, typer.Option("--output", "-o", help="The run's folder.", parser=path)]
OutFolder = Annotated[Path, typer.Option("--out", help="Where everything is written.", parser=path)]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")]
Seed = Annotated[int, typer.Option(help="Seed of targets, weights and masks.", min=0)]
