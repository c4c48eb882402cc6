"""What is written where: the result on stdout, all else on stderr, JSON that every reader takes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gigamae.cli.console import Out, to_json


def test_json_has_no_nan_and_knows_numpy() -> None:
    value = {"a": np.float32(0.5), "b": float("nan"), "c": (np.int64(3),), "d": True, 1: None}
    told = json.loads(to_json(value))
    assert told == {"a": 0.5, "b": None, "c": [3], "d": True, "1": None}


def test_with_json_stdout_has_one_line_alone(capsys: pytest.CaptureFixture[str]) -> None:
    out = Out(as_json=True)
    out.note("a note")
    out.show("a result for people")
    out.table("title", ("a", "b"), [("x", "1")])
    out.result({"n": 1})
    told = capsys.readouterr()
    assert told.out == '{"n": 1}\n'
    for text in ("a note", "a result for people", "title", "x"):
        assert text in told.err


def test_without_json_the_result_is_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    out = Out()
    out.note("a note")
    out.show("[markup] is left alone")
    out.result({"n": 1})
    told = capsys.readouterr()
    assert told.out == "[markup] is left alone\n"
    assert told.err == "a note\n"


def test_quiet_keeps_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    out = Out(quiet=True)
    out.note("a note")
    out.show("the result")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("the result\n", "")
