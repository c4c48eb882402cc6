import gzip

import networkx as nx
import pytest

from gigamae.errors import InputError
from gigamae.graph.readers import read_graph


def test_what_networkx_writes(tmp_path):
    graph = nx.DiGraph()
    graph.add_node("n1", age=3, tall=True, city="Oslo", label="a")
    graph.add_node("n2", age=4, tall=False, city="Rome", label="b")
    graph.add_node("n3", age=5, tall=True, city="Rome")
    graph.add_edge("n1", "n2", weight=0.5)
    graph.add_edge("n2", "n3", weight=2.0)
    path = tmp_path / "g.graphml"
    nx.write_graphml(graph, path)
    found = read_graph(path)
    assert found.node_ids.tolist() == ["n1", "n2", "n3"]
    assert dict(zip(found.feature_names, found.x.T.tolist(), strict=True)) == {
        "age": [3, 4, 5],
        "tall": [1, 0, 1],
    }
    assert found.edge_weights.tolist() == [0.5, 2]
    assert found.y.tolist() == [0, 1, -1]
    assert any("city" in note for note in found.notes)
    assert "Directed edges were read as undirected." in found.notes
    assert read_graph(path, label_column="city").class_names == ("Oslo", "Rome")
    nx.write_graphml(nx.path_graph(4), path)
    assert read_graph(path).node_ids.tolist() == [0, 1, 2, 3]


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('<!DOCTYPE g [<!ENTITY a "aaaa">]>\n<graphml><graph/></graphml>', "refused"),
        ('<!DOCTYPE g SYSTEM "file:///etc/passwd">\n<graphml/>', "refused"),
        ("<graphml><graph>", "no well-formed XML"),
        ("<svg/>", "not GraphML"),
        (f'{HEAD}\n<graph>\n<node id="a"/>\n<edge source="a" target="b"/></graph></graphml>',
         "line 4: the edge names 'b'"),
        (f"{HEAD}\n<graph>\n<node/></graph></graphml>", "line 3: <node> has no id"),
        (f'{HEAD}<graph><node id="a"/>\n<node id="a"/></graph></graphml>', "line 2: node 'a'"),
        (f"{HEAD}<graph><hyperedge/></graph></graphml>", "hyperedges"),
        (f'{HEAD}<key id="k" for="node" attr.name="age" attr.type="int"/><graph>\n<node id="a">'
         '<data key="k">1</data></node>\n<node id="b"/></graph></graphml>',
         "line 3: 'age' is missing"),
        (f'{HEAD}<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph>'
         '<node id="a"/><node id="b"/>\n<edge source="a" target="b"><data key="w">-1</data></edge>'
         "</graph></graphml>", "line 2: weight -1 is negative"),
        ("", "is empty"),
    ],
)  # fmt: skip
def test_refused(tmp_path, text, part):
    path = tmp_path / "g.graphml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_graph(path)
    assert part in str(error.value)


def test_defaults_of_keys(tmp_path):
    path = tmp_path / "g.graphml"
    path.write_text(
        f'{HEAD}<key id="k" for="node" attr.name="age" attr.type="int"><default>7</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"><data key="k">1</data></node>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    assert read_graph(path).x.tolist() == [[7], [1]]


def test_packed(tmp_path):
    text = f'{HEAD}<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/>'
    (tmp_path / "g.graphml.gz").write_bytes(gzip.compress(f"{text}</graph></graphml>".encode()))
    assert read_graph(tmp_path / "g.graphml.gz").ids.tolist() == ["a", "b"]
    (tmp_path / "g.graphml.gz").write_bytes(b"not packed")
    with pytest.raises(InputError, match="cannot be read"):
        read_graph(tmp_path / "g.graphml.gz")
