"""Output: embeddings in the container that ``set_output`` asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config

from gigamae.errors import SettingsError

OUTPUTS = ("default", "pandas", "polars", "torch")


def check_output(name: str | None) -> None:
    """Refuse a container that is not known; None leaves things as they are."""
    if name is not None and name not in OUTPUTS:
        raise SettingsError(f"transform={name!r} is not one of {', '.join(OUTPUTS)}.")


def contained(z: np.ndarray, ids: np.ndarray | None, asked: str | None) -> Any:
    """Embeddings as a tensor or a pandas frame; as they are for scikit-learn to wrap in anything else.

    Args:
        z: (N, d).
        ids: the nodes' ids, the index of a pandas frame; None for 0..N-1.
        asked: one of :data:`OUTPUTS`; None for what scikit-learn is configured to.
    """
    asked = asked or get_config()["transform_output"]
    if asked == "torch":
        import torch

        return torch.from_numpy(z)
    if asked == "pandas":  # scikit-learn names the columns, but cannot know the ids
        import pandas as pd

        return pd.DataFrame(z, index=ids)
    return z
