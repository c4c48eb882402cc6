import numpy as np
import pytest

from gigamae.errors import InputError
from gigamae.evaluate import (
    ClassificationResult,
    ClusteringResult,
    Evaluation,
    LinksResult,
    Score,
    SeedSpread,
)


def test_the_spread_is_numpys():
    values = [0.81, 0.845, 0.83]
    score = Score.of(values)
    assert score.mean == pytest.approx(np.mean(values))
    assert score.std == pytest.approx(np.std(values))
    assert Score.of(0.5).std == 0


def test_the_plain_form_has_the_tasks_and_measures_as_keys():
    half = Score.of([0.25, 0.75])
    plain = {"mean": 0.5, "std": 0.25}
    judged = Evaluation(
        ClassificationResult(half, chosen_c=(1.0, 2.0)),
        ClusteringResult(half, half, inertia=(3.0, 4.0)),
        LinksResult(half, half),
    )
    assert judged.to_dict() == {
        "classification": {"accuracy": plain},
        "clustering": {"nmi": plain, "ari": plain},
        "links": {"auc": plain, "ap": plain},
    }
    assert list(Evaluation(clustering=judged.clustering).to_dict()) == ["clustering"]


def test_the_two_spreads_are_told_apart():
    seeds = SeedSpread((Score.of([0.1, 0.3]), Score.of([0.6, 0.6])))
    assert seeds.mean == pytest.approx(0.4)
    assert seeds.std_seeds == pytest.approx(0.2)
    assert seeds.std_repeats == pytest.approx(0.05)
    assert seeds.to_dict()["std"] == seeds.std_seeds


def test_results_of_splits_join_only_within_one_part():
    one = LinksResult(Score.of(0.5), Score.of(0.25))
    two = LinksResult(Score.of(0.75), Score.of(0.5))
    assert LinksResult.joined([one, two]).auc.values == (0.5, 0.75)
    with pytest.raises(InputError, match="one part"):
        LinksResult.joined([one, LinksResult(Score.of(0.5), Score.of(0.5), part="val")])


def test_nothing_has_no_mean():
    with pytest.raises(InputError, match="at least one"):
        Score.of([])
    with pytest.raises(InputError, match="at least one"):
        SeedSpread(())
