"""The command ``gigamae``: finds the subcommand, and turns what goes wrong into one plain line.

A new command is one line in :data:`COMMANDS`: its name, the module that has its ``command``
function, and a line of help. The module is imported when the command is called, not before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from gigamae import __version__
from gigamae.cli.console import complain
from gigamae.errors import GigamaeError

#: name: (module with a function ``command``, one line of help)
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("gigamae.cli.demo", "See the whole method on a generated graph, in under two minutes."),
    "fit": ("gigamae.cli.fit", "Learn embeddings of a graph's nodes, without labels."),
    "evaluate": ("gigamae.cli.evaluate", "Judge a run: classification, clustering, links."),
    "embed": ("gigamae.cli.embed", "Embed another graph with the model of a run."),
    "datasets": ("gigamae.cli.datasets", "List the graphs known by name."),
    "presets": ("gigamae.cli.presets", "List the presets, or show one."),
    "compare": ("gigamae.cli.compare", "Methods on one graph, in one table."),
    "bench": ("gigamae.cli.bench", "Time the library beside the method written plainly."),
    "reproduce": ("gigamae.cli.reproduce", "Run the tables and figures of the paper."),
}
INTERRUPTED = 130
#: What the system says of files and folders that were named and cannot be used.
_WRONG_PLACES = (PermissionError, FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
_HELP = {"help_option_names": ["-h", "--help"]}


class _Lazy(TyperGroup):
    """A group that imports a command when it is called, and none of them for its own help."""

    def __init__(self, *args: Any, **attrs: Any) -> None:
        super().__init__(*args, **{**attrs, "commands": {}})
        self.commands: Any = dict.fromkeys(COMMANDS)  # the names alone; typos are matched with them
        self._listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, about = COMMANDS[cmd_name]
        if self._listing:
            return _as_command(cmd_name, lambda: None, help=about)
        return _as_command(cmd_name, import_module(module).command)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


class _Sectioned(TyperCommand):
    """A command whose help lists its options by section, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                kind = "Arguments" if param.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(param, "rich_help_panel", None) or kind, []).append(record)
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _as_command(name: str, function: Callable[..., Any], **about: Any) -> Any:
    single = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_HELP)
    single.command(name, cls=_Sectioned, **about)(function)
    return typer.main.get_command(single)


app = typer.Typer(
    cls=_Lazy,
    name="gigamae",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: loading rich for it would double its time
    context_settings=_HELP,
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"gigamae {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and leave.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Node vectors from an attributed graph, without labels.

    Start with gigamae demo, then gigamae fit my_edges.csv -o run/ and
    gigamae evaluate run/.
    """


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 done, 1 the work failed, 2 the call was wrong."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        code = typer.main.get_command(app)(args=args, prog_name="gigamae", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # some versions of typer turn the interrupt into this
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted.", "Interrupted", INTERRUPTED, args)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone: leave without a word
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except Exception as error:
        return _explain(error, args)


def _explain(error: Exception, args: Sequence[str]) -> int:
    """One line for people, with the traceback when it was asked for; returns the exit code."""
    kind = type(error).__name__
    if kind == "NoArgsIsHelpError":
        typer.echo(error.ctx.get_help(), err=True)  # type: ignore[attr-defined]
        return 2
    if "--debug" in args:
        import traceback

        traceback.print_exception(error)
    if hasattr(error, "format_message"):  # the call was wrong, says the parser of options
        ctx = getattr(error, "ctx", None)
        where = ctx.command_path if ctx is not None else "gigamae"
        told = error.format_message()
        message, code = f"{told}{'' if told[-1:] in '.?' else '.'} See {where} --help.", 2
    elif isinstance(error, GigamaeError):
        message, code = str(error), error.exit_code
    elif isinstance(error, MemoryError):
        advice = "Lower --negatives, --hidden-dim or --out-dim, or set --memory-limit."
        message, code = f"out of memory. {advice}", 1
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        message, code = f"{place}{error.strerror or error}.", 1
        if isinstance(error, _WRONG_PLACES):
            message, code = f"{message} Give another place, or change who may read or write this one.", 2
    else:
        message, code = f"{kind}: {error}. This is a defect; --debug shows where.", 1
    complain(message, kind, code, args)
    return code
