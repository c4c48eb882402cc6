"""Resources: which device, which precision and how many negatives, decided before training."""

from __future__ import annotations

from pathlib import Path

import torch

from gigamae.errors import SettingsError
from gigamae.pretrain.progress import resident_bytes
from gigamae.settings import Settings

#: Up to this many nodes "auto" takes every node of a type as a negative.
ALL_NEGATIVES_UP_TO = 6000
#: Above it, this many are drawn a term; more did not help (docs/performance.md).
DRAWN_NEGATIVES = 2048
#: Below this many nodes the products are too small for bfloat16 to pay.
LOW_PRECISION_FROM = 2000


def pick_device(name: str) -> torch.device:
    """The device called ``name``; "auto" is the GPU where there is one.

    Raises:
        SettingsError: there is no such device here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise SettingsError(f"device={name!r} is not a device; use auto, cpu, cuda or cuda:0.") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise SettingsError(f"device={name!r}: no CUDA GPU is visible here; use device='cpu'.")
    return device


def low_precision_is_fast(device: torch.device) -> bool:
    """Whether bfloat16 products beat float32 ones on this device."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())


def use_low_precision(settings: Settings, device: torch.device, num_nodes: int) -> bool:
    """Whether large products run in bfloat16."""
    if settings.precision != "auto":
        return settings.precision == "bfloat16"
    return num_nodes >= LOW_PRECISION_FROM and low_precision_is_fast(device)


def pick_negatives(settings: Settings, num_nodes: int) -> int | None:
    """How many negatives a term draws; None for all."""
    if settings.negatives == "all":
        return None
    if settings.negatives == "auto":
        return None if num_nodes <= ALL_NEGATIVES_UP_TO else DRAWN_NEGATIVES
    return int(settings.negatives)


def free_bytes(device: torch.device, limit: int | None = None) -> int:
    """Bytes that may still be taken on a device; negative where a limit is already passed.

    Args:
        device: where.
        limit: what may be taken in all (on the CPU, by this process with all that it has loaded);
            None for what the machine, or the container, has to give.
    """
    if device.type == "cuda":
        if limit is not None:
            return limit - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0])
    if limit is not None:
        return limit - resident_bytes()
    import psutil

    return min(int(psutil.virtual_memory().available), _left_in_container())


def give_back_freed_memory() -> None:
    """From here on, give tensors that are freed back to the system at once (glibc alone).

    The allocator would otherwise keep those below 32 MiB for later: faster, up to twice, but a
    process may then hold half as much again as it needs.
    """
    import ctypes

    try:
        ctypes.CDLL(None).mallopt(-3, 1 << 20)  # M_MMAP_THRESHOLD
    except (AttributeError, OSError, TypeError):  # another system: its allocator does as it does
        return


def _left_in_container() -> int:
    """What the control group of a container leaves (Linux); without one, more than any machine has."""
    folder = Path("/sys/fs/cgroup")
    try:
        most, now = ((folder / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return int(most) - int(now) if most != "max" else 1 << 60
    except (OSError, ValueError):
        return 1 << 60
