"""Output: embeddings in the container that ``set_output`` asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import TransformerMixin
from typing_extensions import Self

from gigamae.errors import SettingsError

OUTPUTS = ("default", "pandas", "polars", "torch")


class ContainedOutput(TransformerMixin):  # type: ignore[misc]
    """What scikit-learn's transformers do, with tensors as one more container and ids as the index of
    pandas frames; ``transform`` ends with :meth:`_as_asked`.

    scikit-learn knows no tensors: that they were asked for is kept beside what it keeps itself, and
    handed on to clones as that is.
    """

    _torch_output = False

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what transform returns: "default" (numpy), "pandas" (indexed by id), "polars" or "torch".

        None changes nothing.
        """
        if transform is None:
            return self
        if transform not in OUTPUTS:
            raise SettingsError(f"transform={transform!r} is not one of {', '.join(OUTPUTS)}.")
        self._torch_output = transform == "torch"
        super().set_output(transform="default" if transform == "torch" else transform)
        return self

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()
        twin._torch_output = self._torch_output
        return twin

    def _as_asked(self, z: np.ndarray, ids: np.ndarray | None = None) -> Any:
        """Embeddings as a tensor or a pandas frame; as they are for scikit-learn to wrap in anything else.

        Args:
            z: (N, d).
            ids: the nodes' ids, the index of a pandas frame; None for 0..N-1.
        """
        if self._torch_output:
            import torch

            return torch.from_numpy(z)
        told = getattr(self, "_sklearn_output_config", {}).get("transform")
        if (told or get_config()["transform_output"]) == "pandas":  # scikit-learn names the columns
            import pandas as pd

            return pd.DataFrame(z, index=ids)
        return z
