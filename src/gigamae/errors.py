"""Errors for people: each says what is wrong, where, and what to do about it."""

from __future__ import annotations


class GigamaeError(Exception):
    """Base of every error this library raises on purpose.

    The command line prints its message as one plain line and exits with ``exit_code``:
    1 when the work failed, 2 when the call or the input was wrong.
    """

    exit_code = 1


class InputError(GigamaeError, ValueError):
    """A graph, a feature matrix or a file is not what it must be."""

    exit_code = 2


class SettingsError(GigamaeError, ValueError):
    """A setting has a value it cannot have; the message names it and what is allowed."""

    exit_code = 2


class NotFittedError(GigamaeError, ValueError, AttributeError):
    """The model was asked for embeddings before it was fitted."""

    exit_code = 2


class ModelFolderError(GigamaeError):
    """A saved run lacks a file, or a file was altered."""

    exit_code = 2


class DatasetError(GigamaeError):
    """A dataset could not be found, fetched or verified."""

    exit_code = 2


class TrainingError(GigamaeError):
    """Training broke down (a loss that is not a number, say); the message says what to lower."""


class MemoryLimitError(GigamaeError):
    """The work does not fit the memory it was given, by any of the ways known here."""


class MissingExtraError(GigamaeError, ImportError):
    """An optional package is needed for this; the message has the pip command."""

    exit_code = 2
