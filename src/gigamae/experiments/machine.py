"""The machine a result was made on, and the most memory that making it took."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from typing import Any


def machine() -> dict[str, Any]:
    """What decides how fast a run is: processor, cores, memory, GPU. Nothing that names its owner."""
    import psutil
    import torch

    return {
        "system": platform.system(),
        "processor": _processor(),
        "cores": usable_cores(),
        "memory": int(psutil.virtual_memory().total),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def peak_memory() -> int:
    """The most resident memory this process has had so far, in bytes."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)  # Linux counts in KiB


def reset_peak_memory() -> None:
    """Start counting the peak anew, where the system can: on Linux. Elsewhere nothing happens."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def usable_cores() -> int:
    """Cores this process may use, which may be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
