"""Profile: where a run's time went, in parts that add up to the whole."""

from __future__ import annotations

from collections.abc import Mapping

TARGET, TRAINING = "target ", "training, "


def profile(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    """Part and seconds, in the order of the work; the last part is what no other one has counted.

    Names that begin with a space are parts of the part above.

    Args:
        seconds: of a run, as ``run.json`` has them: by stage, with training by part beside it.

    Example:
        >>> told = {"target pca": 2, "training": 5, "training, masks": 1, "training, encoder": 3}
        >>> [name for name, _ in profile({**told, "embedding": 1, "total": 10})]
        ['targets', ' pca', 'masks', 'encoder', 'evaluation', 'embedding', 'the rest']
    """
    targets = [(" " + name.removeprefix(TARGET), s) for name, s in seconds.items() if name.startswith(TARGET)]
    parts = {name.removeprefix(TRAINING): s for name, s in seconds.items() if name.startswith(TRAINING)}
    told = [("targets", sum(s for _, s in targets)), *targets] if targets else []
    if parts:  # validation is the one judgement that belongs to fitting
        told += [*((name, s) for name, s in parts.items() if name != "validation")]
        told.append(("evaluation", parts.get("validation", 0)))
    counted = {"total", "training"} if parts else {"total"}
    stages = {name: s for name, s in seconds.items() if not name.startswith((TARGET, TRAINING))}
    told += [(name, s) for name, s in stages.items() if name not in counted]
    rest = seconds["total"] - sum(s for name, s in told if not name.startswith(" "))
    return [*told, ("the rest", max(rest, 0))]
