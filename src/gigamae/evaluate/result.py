"""What a judge says: a score with its spread, and one result for each task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean, pstdev
from typing import Any

from gigamae.errors import InputError


@dataclass(frozen=True)
class Score:
    """One measure over repeats; all scores are fractions (0.847, not 84.7).

    ``std`` is the population standard deviation (``numpy.std``), as the tables of this
    literature have it; it is 0 for a single value.

    Example:
        >>> s = Score.of([0.5, 0.7])
        >>> round(s.mean, 3), round(s.std, 3), str(s)
        (0.6, 0.1, '0.6000 ± 0.1000')
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("A score needs at least one value; none was given.")

    @classmethod
    def of(cls, values: float | Iterable[float]) -> Score:
        values = [values] if isinstance(values, (int, float)) else values
        return cls(tuple(float(v) for v in values))

    @classmethod
    def joined(cls, scores: Iterable[Score]) -> Score:
        """All values of several scores as one: five link splits, say."""
        return cls(tuple(v for score in scores for v in score.values))

    @property
    def mean(self) -> float:
        return fmean(self.values)

    @property
    def std(self) -> float:
        return pstdev(self.values)

    def to_dict(self) -> dict[str, float]:
        return {"mean": self.mean, "std": self.std}

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.std:.4f}"


@dataclass(frozen=True)
class SeedSpread:
    """One measure over several pre-training seeds, each judged over repeats.

    The two spreads answer two questions: ``std_seeds`` (of the means of the seeds) how much
    another training run would change the number, ``std_repeats`` (mean within a seed) how much
    another split or another start of the judge would.

    Example:
        >>> s = SeedSpread((Score.of([0.5, 0.7]), Score.of([0.7, 0.9])))
        >>> round(s.mean, 2), round(s.std_seeds, 2), round(s.std_repeats, 2)
        (0.7, 0.1, 0.1)
    """

    scores: tuple[Score, ...]

    def __post_init__(self) -> None:
        if not self.scores:
            raise InputError("A spread over seeds needs at least one score; none was given.")

    @property
    def mean(self) -> float:
        return fmean(s.mean for s in self.scores)

    @property
    def std_seeds(self) -> float:
        return pstdev(s.mean for s in self.scores)

    @property
    def std_repeats(self) -> float:
        return fmean(s.std for s in self.scores)

    def to_dict(self) -> dict[str, float]:
        """``std`` is that over seeds; the other spread has its own name."""
        return {"mean": self.mean, "std": self.std_seeds, "std_repeats": self.std_repeats}


class _Result:
    """What the results share: a plain form for JSON, the names of the scores as keys."""

    def scores(self) -> dict[str, Score]:
        named = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in named.items() if isinstance(value, Score)}

    def to_dict(self) -> dict[str, Any]:
        return {name: score.to_dict() for name, score in self.scores().items()}

    def __str__(self) -> str:
        return ", ".join(f"{name} {score}" for name, score in self.scores().items())


@dataclass(frozen=True, repr=True)
class ClassificationResult(_Result):
    """Accuracy on the test nodes, and the C that cross-validation chose in each repeat."""

    accuracy: Score
    chosen_c: tuple[float, ...] = ()


@dataclass(frozen=True)
class ClusteringResult(_Result):
    """Agreement of the clusters with the classes, and the inertia that K-means reached."""

    nmi: Score
    ari: Score
    inertia: tuple[float, ...] = ()


@dataclass(frozen=True)
class LinksResult(_Result):
    """Area under the ROC curve and average precision on one part of a link split."""

    auc: Score
    ap: Score
    part: str = "test"

    @classmethod
    def joined(cls, results: Sequence[LinksResult]) -> LinksResult:
        """The results of several splits as one."""
        parts = {r.part for r in results}
        if len(parts) != 1:
            raise InputError(f"Only results of one part can be joined; got {sorted(parts)}.")
        return cls(
            auc=Score.joined(r.auc for r in results),
            ap=Score.joined(r.ap for r in results),
            part=parts.pop(),
        )


@dataclass(frozen=True)
class Evaluation:
    """The tasks that were judged; a task left out is absent from :meth:`to_dict`.

    Example:
        >>> Evaluation(links=LinksResult(Score.of(0.75), Score.of(0.5))).to_dict()
        {'links': {'auc': {'mean': 0.75, 'std': 0.0}, 'ap': {'mean': 0.5, 'std': 0.0}}}
    """

    classification: ClassificationResult | None = None
    clustering: ClusteringResult | None = None
    links: LinksResult | None = None

    def to_dict(self) -> dict[str, Any]:
        judged = {f.name: getattr(self, f.name) for f in fields(self)}
        return {task: result.to_dict() for task, result in judged.items() if result is not None}
