"""The front door: help at once, exit codes, and one plain line for whatever goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from gigamae.cli import main
from gigamae.cli.options import Json
from gigamae.errors import InputError, TrainingError

HEAVY = ("torch", "sklearn", "numba", "pyarrow", "scipy", "pandas", "numpy", "rich")


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from gigamae.cli.main import run; code = run(['--help']);"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules]); sys.exit(code)"
    )
    seconds = []
    for _ in range(3):  # the best of three: other work on the machine is not ours
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        seconds.append(time.perf_counter() - start)
    assert done.returncode == 0, done.stderr
    assert "LOADED []" in done.stdout
    for name in main.COMMANDS:
        assert f"\n  {name} " in done.stdout
    assert min(seconds) < 0.5, seconds


def test_python_dash_m_and_version() -> None:
    from gigamae import __version__

    done = subprocess.run(
        [sys.executable, "-m", "gigamae", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, f"gigamae {__version__}\n")


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([name, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["fitt"], "No such command 'fitt'. Did you mean 'fit'?"),
        (["datasets", "--nope"], "No such option: --nope. See gigamae datasets --help."),
        (["fit", "demo"], "--output"),
        (["fit", "demo", "-o", "x", "--seed", "-1"], "--seed"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(args) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("gigamae: ")
    assert told.err.count("\n") == 1
    assert said in told.err


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("edges.csv, line 7: no."), 2, "edges.csv, line 7: no."),
        (TrainingError("The loss is\n not finite."), 1, "The loss is not finite."),
        (RuntimeError("oops"), 1, "RuntimeError: oops. This is a defect"),
        (MemoryError(), 1, "out of memory"),
        (PermissionError(13, "Permission denied", "run"), 2, "run: Permission denied. Give another"),
        (OSError(28, "No space left on device", "run"), 1, "run: No space left on device."),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_goes_wrong_inside(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from gigamae.cli import datasets

    def fail(as_json: Json = False) -> None:
        raise error

    monkeypatch.setattr(datasets, "command", fail)
    assert main.run(["datasets", "--json"]) == code
    told = capsys.readouterr()
    assert told.err.startswith(f"gigamae: {said}")
    assert told.err.count("\n") == 1
    assert json.loads(told.out)["error"]["exit_code"] == code


def test_debug_adds_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["evaluate", "not-there", "--debug"]) == 2
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "ModelFolderError" in told
    assert main.run(["evaluate", "not-there"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_leaves_is_not_an_error() -> None:
    """``gigamae datasets | head -0``: nothing on stderr."""
    read, write = os.pipe()
    os.close(read)
    call = [sys.executable, "-m", "gigamae", "presets"]
    done = subprocess.run(call, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    assert done.stderr == ""


@pytest.mark.parametrize("name", list(main.COMMANDS))
def test_every_command_has_what_is_shared(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([name, "--help"]) == 0
    told = capsys.readouterr().out
    assert all(option in told for option in ("--json", "--quiet", "--debug"))
