import subprocess
import sys


def test_importing_the_judges_costs_numpy_alone():
    code = (
        "import sys, gigamae.evaluate as e;"
        "assert callable(e.classification) and callable(e.clustering) and callable(e.links);"
        "heavy = {'torch', 'sklearn', 'scipy', 'pandas', 'pyarrow'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_no_model_is_ever_seen():
    code = (
        "import sys, numpy as np; from gigamae import evaluate;"
        "evaluate.classification(np.eye(20), np.arange(20) % 2, train_ratio=.5, repeats=1);"
        "evaluate.clustering(np.eye(20), np.arange(20) % 2, repeats=1);"
        "rooms = {m.split('.')[1] for m in sys.modules if m.startswith('gigamae.')};"
        "print(sorted(rooms & {'model', 'estimator', 'pretrain', 'targets', 'graph'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
