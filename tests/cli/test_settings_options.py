"""Every setting is an option, and what is typed becomes the value that Python would take."""

from __future__ import annotations

import dataclasses

import pytest

from gigamae.cli.settings_options import parse, parse_size, parse_weights
from gigamae.errors import SettingsError
from gigamae.settings import Settings


@pytest.mark.parametrize("field", dataclasses.fields(Settings), ids=lambda f: f.name)
def test_the_default_of_every_setting_can_be_typed(field: dataclasses.Field) -> None:
    """A round trip: the default as text is parsed to the default."""
    typed = "none" if field.default is None else field.default
    value = typed if isinstance(typed, bool) else parse(field.name, str(typed))
    assert value == field.default
    assert type(value) is type(field.default)


def test_weights() -> None:
    assert parse("term_weights", "e=5,2,6; F=2,5,6;B=2,2,-1") == {
        "E": [5.0, 2.0, 6.0], "F": [2.0, 5.0, 6.0], "B": [2.0, 2.0, -1.0],
    }  # fmt: skip


@pytest.mark.parametrize("text", ["E=5,two", "E5", ";", "E="])
def test_weights_that_are_not_understood(text: str) -> None:
    with pytest.raises(SettingsError, match="--term-weights"):
        parse_weights("--term-weights", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2GiB", 2 * 2**30), ("500 MB", 500_000_000), ("1.5g", 3 * 2**29), ("1024", 1024)],
)
def test_sizes(text: str, expected: int) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["2GiBs", "lots", "-1GiB", ""])
def test_sizes_that_are_not_understood(text: str) -> None:
    with pytest.raises(SettingsError, match="is not a size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("tau", "hot", "--tau hot: 'hot' is not a number"), ("epochs", "1.5", "--epochs 1.5: .* whole number"),
     ("patience", "ten", "--patience ten")],
)  # fmt: skip
def test_numbers_that_are_none(name: str, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse(name, text)


def test_negatives_is_a_count_or_a_word() -> None:
    assert parse("negatives", "2048") == 2048
    assert parse("negatives", "all") == "all"
