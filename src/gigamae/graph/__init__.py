"""What comes in: graphs, the files and objects they are read from, how their edges split."""

from gigamae.graph.graph import Graph

__all__ = ["Graph"]
