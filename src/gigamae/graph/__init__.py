"""What comes in: graphs, the files and objects they are read from, how their edges split."""

from gigamae.graph.align import align_features, check_features
from gigamae.graph.datasets import dataset_names, load_dataset
from gigamae.graph.graph import Graph
from gigamae.graph.readers import read_graph
from gigamae.graph.splits import LinkSplit, NodeSplit, split_links, split_nodes
from gigamae.graph.store import load_graph, save_graph

__all__ = [
    "Graph",
    "LinkSplit",
    "NodeSplit",
    "align_features",
    "check_features",
    "dataset_names",
    "load_dataset",
    "load_graph",
    "read_graph",
    "save_graph",
    "split_links",
    "split_nodes",
]
