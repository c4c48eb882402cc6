"""One option a setting, made from the dataclass, so that Python and the command line cannot differ."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any

import typer

from gigamae.errors import SettingsError
from gigamae.settings import Settings

PANEL = "Settings (each one given here wins over the preset)"
_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
          "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}  # fmt: skip
_WORDS = {"float": "NUMBER", "int": "COUNT", "int | None": "COUNT|none", "int | str": "COUNT|all|auto",
          "str": "WORD"}  # fmt: skip
_WEIGHTS = '"E=5,2,6;F=2,5,6;B=1,1,3"'


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a command's parameter ``settings`` by one option for each of the settings.

    The command gets a dict of those that were given, parsed.
    """
    told = inspect.signature(command, eval_str=True)
    kept = [p for p in told.parameters.values() if p.name != "settings"]
    fields = dataclasses.fields(Settings)
    made = [_parameter(f, _descriptions()) for f in fields]

    @functools.wraps(command)
    def wrapper(**given: Any) -> Any:
        texts = {f.name: given.pop(f.name) for f in fields}
        settings = {name: parse(name, text) for name, text in texts.items() if text is not None}
        return command(**given, settings=settings)

    wrapper.__signature__ = told.replace(parameters=[*kept, *made])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in [*kept, *made]}
    return wrapper


def parse(name: str, text: str | bool) -> Any:
    """A setting's value from what was typed.

    Raises:
        SettingsError: it is not of the setting's kind.

    Example:
        >>> parse("tau", "0.5"), parse("patience", "none"), parse("memory_limit", "2GiB")
        (0.5, None, 2147483648)
    """
    kind = _kinds()[name]
    if isinstance(text, bool):
        return text
    if "None" in kind and text.lower() == "none":
        return None
    if name == "memory_limit":
        return parse_size(text)
    if kind.startswith("Mapping"):
        return parse_weights(_option(name), text)
    if kind == "str":
        return text
    if kind == "int | str" and not text.lstrip("-").isdigit():
        return text
    convert: Callable[[str], Any] = float if kind == "float" else int
    try:
        return convert(text)
    except ValueError as error:
        what = "a number" if convert is float else "a whole number"
        raise SettingsError(f"{_option(name)} {text}: {text!r} is not {what}.") from error


def parse_size(text: str) -> int:
    """Bytes from "2GiB", "500MB" or a bare number.

    Example:
        >>> parse_size("1.5 GiB"), parse_size("1GB")
        (1610612736, 1000000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]*)\s*", text)
    if found is None or found[2].upper() not in _UNITS:
        raise SettingsError(f"--memory-limit {text}: {text!r} is not a size; write 2GiB or 500MB.")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def parse_weights(option: str, text: str) -> dict[str, list[float]]:
    """Weights by node type from "E=5,2,6;F=2,5,6".

    Example:
        >>> parse_weights("--term-weights", "E=5,2,6;B=1,1,3")
        {'E': [5.0, 2.0, 6.0], 'B': [1.0, 1.0, 3.0]}
    """
    weights = {}
    for part in filter(None, (p.strip() for p in text.split(";"))):
        letter, _, numbers = part.partition("=")
        try:
            weights[letter.strip().upper()] = [float(v) for v in numbers.split(",")]
        except ValueError as error:
            raise SettingsError(f"{option}: {part!r} is not understood; write {_WEIGHTS}.") from error
    if not weights:
        raise SettingsError(f"{option} is empty; write {_WEIGHTS}.")
    return weights


def _parameter(field: dataclasses.Field[Any], descriptions: dict[str, str]) -> inspect.Parameter:
    option, kind = _option(field.name), str(field.type)
    about = descriptions.get(field.name, "").replace("``", "")
    annotation: Any
    if kind == "bool":
        about += f" [default: {'yes' if field.default else 'no'}]"
        info = typer.Option(f"{option}/--no-{option[2:]}", help=about, rich_help_panel=PANEL,
                            show_default=False)  # fmt: skip
        annotation = Annotated[bool | None, info]
    else:
        default = "none" if field.default is None else field.default
        metavar = "SIZE|none" if field.name == "memory_limit" else _WORDS.get(kind, "WEIGHTS")
        info = typer.Option(option, help=f"{about} [default: {default}]", metavar=metavar,
                            rich_help_panel=PANEL, show_default=False)  # fmt: skip
        annotation = Annotated[str | None, info]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _kinds() -> dict[str, str]:
    return {f.name: str(f.type) for f in dataclasses.fields(Settings)}


def _descriptions() -> dict[str, str]:
    """What the docstring of Settings says of each."""
    told: dict[str, str] = {}
    name = ""
    for line in inspect.getdoc(Settings).partition("Attributes:")[2].splitlines():  # type: ignore[union-attr]
        found = re.match(r"    (\w+): (.*)", line)
        if found:
            name, told[found[1]] = found[1], found[2]
        elif name and line.strip():
            told[name] += " " + line.strip()
    return told
